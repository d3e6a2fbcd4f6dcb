#include "app/bench/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "app/bench/markup.hpp"
#include "app/bench/phase_role.hpp"
#include "app/bench/table.hpp"

namespace gpuccl::bench {
namespace {

constexpr double kWidth = 760, kLine = 18, kLetter = 7;  // of the smaller text; a letter on average
constexpr double kPlotHeight = 320, kAboveHeading = 6;
constexpr int kColours = 7, kMarks = 7, kDashes = 4;

// Okabe and Ito's colours, which survive colour blindness, with lighter ones in the dark; r0 to r8 are roles
// of phases. Classes and not variables, which some viewers of SVG files do not know.
constexpr const char* kStyle = R"(<style>
.chart text{font:13px sans-serif;fill:#222}.chart .title{font-size:15px;font-weight:bold}
.chart .heading{font-weight:bold}
.chart .end{text-anchor:end}.chart .middle{text-anchor:middle}.chart .note{fill:#555}
.chart .paper{fill:#fff}.chart .grid{stroke:#ddd}.chart .axis{stroke:#777}.chart .cut{stroke:#fff;stroke-width:3}
.chart .line{fill:none;stroke-width:1.8;stroke-linejoin:round}.chart .part{stroke:#fff}
.chart .floor{stroke:#777}.chart .fill.floor{fill:#999;stroke:none}
.chart .d1{stroke-dasharray:7 3}.chart .d2{stroke-dasharray:2 3}.chart .d3{stroke-dasharray:9 3 2 3}
.chart .s0{stroke:#0072b2}.chart .s1{stroke:#d55e00}.chart .s2{stroke:#009e73}.chart .s3{stroke:#cc79a7}
.chart .s4{stroke:#c98a00}.chart .s5{stroke:#56b4e9}.chart .s6{stroke:#222}
.chart .fill{stroke:none}.chart .fill.s0{fill:#0072b2}.chart .hollow{fill:#fff;stroke-width:1.6}
.chart .r0{fill:#aaa}.chart .r1{fill:#56b4e9}.chart .r2{fill:#0072b2}.chart .r3{fill:#d55e00}
.chart .r4{fill:#e69f00}.chart .r5{fill:#009e73}.chart .r6{fill:#cc79a7}.chart .r7{fill:#333}.chart .r8{fill:#f0e442}
@media (prefers-color-scheme:dark){
.chart text{fill:#ddd}.chart .note{fill:#aaa}.chart .paper{fill:#16181c}.chart .grid{stroke:#33373d}
.chart .axis{stroke:#999}.chart .cut,.chart .part{stroke:#16181c}.chart .hollow{fill:#16181c}
.chart .floor{stroke:#999}.chart .fill.floor{fill:#888}
.chart .s0{stroke:#4da3e0}.chart .s1{stroke:#ff7f3f}.chart .s2{stroke:#1fc79a}.chart .s3{stroke:#e89cc5}
.chart .s4{stroke:#f5b93a}.chart .s5{stroke:#9ad7ff}.chart .s6{stroke:#e6e6e6}.chart .fill.s0{fill:#4da3e0}
.chart .r0{fill:#777}.chart .r1{fill:#9ad7ff}.chart .r2{fill:#4da3e0}.chart .r3{fill:#ff7f3f}
.chart .r4{fill:#f5b93a}.chart .r5{fill:#1fc79a}.chart .r6{fill:#e89cc5}.chart .r7{fill:#e6e6e6}
}</style>
)";

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string pixels(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

double width_of(const std::string& text) { return kLetter * static_cast<double>(letters(text)); }

/// Elements of a drawing, which grows downwards.
class Drawing {
 public:
  void text(double x, double y, const std::string& words, const std::string& type = "") {
    body_ += "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\"" + class_of(type) + ">" + escaped(words) +
             "</text>\n";
  }
  void line(double x0, double y0, double x1, double y1, const std::string& type) {
    path("M" + pixels(x0) + " " + pixels(y0) + "L" + pixels(x1) + " " + pixels(y1), type);
  }
  void path(const std::string& steps, const std::string& type) {
    body_ += "<path d=\"" + steps + "\"" + class_of(type) + "/>\n";
  }
  /// With words that show where a pointer rests on it.
  void box(double x, double y, double width, double height, const std::string& type,
           const std::string& words) {
    body_ += "<rect x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" width=\"" + pixels(width) +
             "\" height=\"" + pixels(height) + "\"" + class_of(type) + "><title>" + escaped(words) +
             "</title></rect>\n";
  }
  std::string svg(const std::string& title, double height) const {
    const std::string w = pixels(kWidth), h = pixels(height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 " + w + " " +
           h + "\" width=\"" + w + "\" height=\"" + h + "\">\n<title>" + escaped(title) + "</title>\n" +
           kStyle + "<rect class=\"paper\" width=\"" + w + "\" height=\"" + h + "\"/>\n" + body_ + "</svg>\n";
  }

 private:
  static std::string class_of(const std::string& type) {
    return type.empty() ? "" : " class=\"" + type + "\"";
  }
  std::string body_;
};

/// Breaks `text` where it would leave the drawing.
std::vector<std::string> lines_of(const std::string& text) {
  constexpr auto kMost = static_cast<std::size_t>((kWidth - 20) / 6.4);
  std::vector<std::string> lines;
  std::string rest = text;
  while (rest.size() > kMost) {
    std::size_t at = rest.rfind(' ', kMost);
    if (at == std::string::npos || at == 0) at = kMost;
    lines.push_back(rest.substr(0, at));
    rest.erase(0, at + (rest[at] == ' ' ? 1 : 0));
  }
  lines.push_back(rest);
  return lines;
}

/// Title and what the chart shows; returns where the rest begins.
double head(const Chart& chart, Drawing& drawing) {
  double y = 22;
  drawing.text(10, y, chart.data.title, "title");
  for (const std::string& line : lines_of(chart.note)) drawing.text(10, y += kLine, line, "note");
  return y + kLine;
}

/// A scale from values to pixels, with the values that are marked on it.
struct Axis {
  bool logarithmic = false;
  double least = 0, most = 1;  // of the values
  double from = 0, to = 1;     // in pixels
  std::vector<double> ticks;

  double at(double value) const {
    const auto place = [&](double v) { return logarithmic ? std::log10(v) : v; };
    const double share = (place(value) - place(least)) / (place(most) - place(least));
    return from + (to - from) * share;
  }
};

/// From 0, or from `least`, to a little beyond `most`, with about `count` round ticks.
Axis linear(double least, double most, int count, double from, double to) {
  if (!(most > least)) most = least + 1;
  const double rough = (most - least) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  Axis axis{false, least, most, from, to, {}};
  for (double i = std::max(0.0, std::ceil(least / step - 1e-9)); i * step <= most * (1 + 1e-9); ++i)
    axis.ticks.push_back(i * step);
  return axis;
}

/// Ticks at 1, 2 and 5 of each power of ten, or at the powers alone where these are many.
Axis logarithmic(double least, double most, double from, double to) {
  least /= 1.1;
  most *= 1.1;
  Axis axis{true, least, most, from, to, {}};
  const int first = static_cast<int>(std::floor(std::log10(least)));
  const int last = static_cast<int>(std::ceil(std::log10(most)));
  for (int power = first; power <= last; ++power)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10, power);
      if (tick >= least && tick <= most && (factor == 1.0 || last - first <= 4)) axis.ticks.push_back(tick);
    }
  return axis;
}

std::string mark(int kind, double x, double y) {
  static constexpr std::array<const char*, kMarks> kShapes = {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
                                                              "m-3.5 -3.5h7v7h-7z",
                                                              "m0 -4.5l4.5 8h-9z",
                                                              "m0 -5l4.5 5l-4.5 5l-4.5 -5z",
                                                              "m0 4.5l4.5 -8h-9z",
                                                              "m-4.5 0h9m-4.5 -4.5v9",
                                                              "m-3.5 -3.5l7 7m0 -7l-7 7"};
  return "M" + pixels(x) + " " + pixels(y) + kShapes[static_cast<std::size_t>(kind)];
}

/// The look of the curve of number `i`, none of which is like another one's.
struct Look {
  std::string stroke;
  int mark = -1;  // none

  Look(const Series& series, int i, int floor) {
    if (series.is_floor) {
      stroke = "floor d" + std::to_string(1 + floor % (kDashes - 1));
      return;
    }
    mark = (i + i / kColours) % kMarks;
    stroke = "s" + std::to_string(i % kColours) + " d" + std::to_string(i / kColours % kDashes);
  }
  std::string colour() const { return stroke.substr(0, stroke.find(' ')); }
};

std::vector<Look> looks_of(const std::vector<Series>& all) {
  std::vector<Look> looks;
  looks.reserve(all.size());
  int curves = 0, floors = 0;
  for (const Series& series : all)
    looks.emplace_back(series, series.is_floor ? 0 : curves++, series.is_floor ? floors++ : 0);
  return looks;
}

/// Draws entry(number, x, y) for each word, in columns; returns where they end.
template <class Entry>
double legend(const std::vector<std::string>& words, double y, double sample, Drawing& drawing, Entry entry) {
  double widest = 0;
  for (const std::string& word : words) widest = std::max(widest, sample + 8 + width_of(word) + 14);
  const auto columns = static_cast<std::size_t>(std::max(1.0, std::floor((kWidth - 20) / widest)));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double x = 10 + widest * static_cast<double>(i % columns);
    if (i % columns == 0) y += kLine + 2;
    entry(i, x, y);
    drawing.text(x + sample + 8, y + 4, words[i]);
  }
  return y + kLine;
}

std::string curves(const Chart& chart) {
  Drawing drawing;
  const double top = head(chart, drawing) + kLine + 4;
  const double bottom = top + kPlotHeight, left = 70, right = kWidth - 40;
  const SeriesSet& set = chart.data;

  double most = 0, least = std::numeric_limits<double>::infinity();
  for (const Series& series : set.series)
    for (const auto& value : series.values) {
      most = std::max(most, value.value_or(most));
      least = std::min(least, value.value_or(least));
    }
  const Axis y_axis =
      chart.logarithmic_y ? logarithmic(least, most, bottom, top) : linear(0, most * 1.05, 6, bottom, top);
  const auto [first, last] = std::minmax_element(set.x.begin(), set.x.end());
  Axis x_axis = linear(*first, *last, 10, left, right);
  if (chart.logarithmic_x) {  // these are few, and their names say more than numbers
    x_axis = logarithmic(*first, *last, left, right);
    x_axis.ticks = set.x;
  }

  drawing.text(10, top - 12, chart.unit + (chart.logarithmic_y ? " (logarithmic)" : ""), "note");
  for (const double tick : y_axis.ticks) {
    drawing.line(left, y_axis.at(tick), right, y_axis.at(tick), "grid");
    drawing.text(left - 6, y_axis.at(tick) + 4, number(tick), "end");
  }
  double free_from = 0;
  for (std::size_t i = 0; i < x_axis.ticks.size(); ++i) {
    const double x = x_axis.at(x_axis.ticks[i]);
    const std::string words = chart.logarithmic_x ? set.places[i] : number(x_axis.ticks[i]);
    const double half = width_of(words) / 2;
    drawing.line(x, top, x, bottom, "grid");
    if (x - half < free_from || x + half > kWidth) continue;
    drawing.text(x, bottom + kLine, words, "middle");
    free_from = x + half + 6;
  }
  drawing.line(left, bottom, right, bottom, "axis");
  drawing.text((left + right) / 2, bottom + 2 * kLine + 2, set.axis, "middle note");

  const std::vector<Look> looks = looks_of(set.series);
  std::vector<std::size_t> order(set.x.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return set.x[a] < set.x[b]; });
  const std::size_t marked = 1 + order.size() / 16;  // every so many places
  for (std::size_t i = 0; i < looks.size(); ++i) {
    std::string steps, marks;
    bool is_joined = false;
    for (std::size_t place = 0; place < order.size(); ++place) {
      const std::optional<double>& value = set.series[i].values[order[place]];
      if (value) {
        const double x = x_axis.at(set.x[order[place]]), y = y_axis.at(*value);
        steps += (is_joined ? "L" : "M") + pixels(x) + " " + pixels(y);
        if (place % marked == i % marked) marks += mark(std::max(0, looks[i].mark), x, y);
      }
      is_joined = value.has_value();
    }
    drawing.path(steps, "line " + looks[i].stroke);
    if (looks[i].mark >= 0) drawing.path(marks, "hollow " + looks[i].colour());
  }

  std::vector<std::string> titles;
  for (const Series& series : set.series) titles.push_back(series.title);
  const double end =
      legend(titles, bottom + 2 * kLine + 6, 36, drawing, [&](std::size_t i, double x, double y) {
        drawing.line(x, y, x + 36, y, "line " + looks[i].stroke);
        if (looks[i].mark >= 0) drawing.path(mark(looks[i].mark, x + 18, y), "hollow " + looks[i].colour());
      });
  return drawing.svg(set.title, end);
}

/// A bar, or a heading above bars.
struct Bar {
  struct Part {
    double value;
    std::string type;   // class
    std::string words;  // what it is
  };
  std::string label;
  std::vector<Part> parts = {};
  double sum() const {
    double sum = 0;
    for (const Part& part : parts) sum += part.value;
    return sum;
  }
};

/// Where a linear axis ends: at the longest bar that does not make most others too short to be read.
double end_of_bars(const std::vector<Bar>& bars) {
  constexpr double kTooLong = 12;  // times the median
  std::vector<double> sums;
  for (const Bar& bar : bars)
    if (!bar.parts.empty()) sums.push_back(bar.sum());
  std::sort(sums.begin(), sums.end());
  const double limit = kTooLong * sums[sums.size() / 2];
  double end = sums.front();
  for (const double sum : sums)
    if (sum <= limit || limit == 0) end = sum;
  return end;
}

double draw_bars(const std::vector<Bar>& bars, const std::string& unit, double top, Drawing& drawing) {
  double left = 60;
  for (const Bar& bar : bars)
    if (!bar.parts.empty()) left = std::max(left, std::min(260.0, 24 + width_of(bar.label)));
  const auto headings =
      std::count_if(bars.begin(), bars.end(), [](const Bar& bar) { return bar.parts.empty(); });
  const double right = kWidth - 80;
  const double bottom = top + 2 * kLine + kLine * static_cast<double>(bars.size()) +
                        kAboveHeading * static_cast<double>(headings);
  const double most = end_of_bars(bars);
  const Axis axis = linear(0, most, 6, left, right);
  drawing.text(10, top + 4, unit, "note");
  for (const double tick : axis.ticks) {
    drawing.text(axis.at(tick), top + 4 + (left < width_of(unit) + 30 ? kLine : 0), number(tick), "middle");
    drawing.line(axis.at(tick), top + kLine + 6, axis.at(tick), bottom - 8, "grid");
  }
  double y = top + kLine + 10;
  for (const Bar& bar : bars) {
    y += kLine;
    if (bar.parts.empty()) {
      drawing.text(10, y += kAboveHeading, bar.label, "heading");
      continue;
    }
    drawing.text(left - 8, y, bar.label, "end");
    double sum = 0;
    for (const Bar::Part& part : bar.parts) {
      const double from = std::min(sum, most), to = std::min(sum += part.value, most);
      if (to > from)
        drawing.box(axis.at(from), y - 11, axis.at(to) - axis.at(from), 13, part.type,
                    part.words + ": " + three_digits(part.value) + " " + unit);
    }
    if (sum > most) drawing.path("M" + pixels(right - 22) + " " + pixels(y + 4) + "l7 -17m5 17l7 -17", "cut");
    drawing.text(axis.at(std::min(sum, most)) + 6, y, three_digits(sum));
  }
  drawing.line(left, top + kLine + 6, left, bottom - 8, "axis");
  return bottom;
}

std::string bars(const Chart& chart) {
  Drawing drawing;
  const SeriesSet& set = chart.data;
  std::vector<Bar> bars;
  for (std::size_t place = 0; place < set.places.size(); ++place) {
    bars.push_back({set.places[place]});
    for (const Series& series : set.series)
      if (series.values[place])
        bars.push_back({series.title,
                        {{*series.values[place], series.is_floor ? "fill floor" : "fill s0", series.title}}});
  }
  const double end = draw_bars(bars, chart.unit, head(chart, drawing), drawing);
  return drawing.svg(set.title, end + 8);
}

std::string stacked_bars(const Chart& chart) {
  Drawing drawing;
  const SeriesSet& set = chart.data;
  std::vector<const Series*> phases;
  for (const Series& series : set.series) phases.push_back(&series);
  std::stable_sort(phases.begin(), phases.end(),
                   [](const Series* a, const Series* b) { return role_of(a->title) < role_of(b->title); });
  std::vector<Bar> bars;
  for (std::size_t place = 0; place < set.places.size(); ++place) {
    bars.push_back({set.places[place]});
    for (const Series* phase : phases)
      if (phase->values[place])
        bars.back().parts.push_back({*phase->values[place],
                                     "part r" + std::to_string(static_cast<int>(role_of(phase->title))),
                                     phase->title});
  }
  const double end = draw_bars(bars, chart.unit, head(chart, drawing), drawing);
  std::vector<PhaseRole> roles;
  std::vector<std::string> words;
  for (const Series* phase : phases)
    if (roles.empty() || roles.back() != role_of(phase->title)) {
      roles.push_back(role_of(phase->title));
      words.push_back(name(roles.back()));
    }
  const double below = legend(words, end - 8, 16, drawing, [&](std::size_t i, double x, double y) {
    drawing.box(x, y - 8, 16, 14, "part r" + std::to_string(static_cast<int>(roles[i])), words[i]);
  });
  return drawing.svg(set.title, below);
}

}  // namespace

std::string as_svg(const Chart& chart) {
  switch (chart.kind) {
    case ChartKind::curves:
      return curves(chart);
    case ChartKind::bars:
      return bars(chart);
    case ChartKind::stacked_bars:
      break;
  }
  return stacked_bars(chart);
}

}  // namespace gpuccl::bench
