#include "app/bench/svg_bars.hpp"

#include <algorithm>
#include <vector>

#include "app/bench/phase_role.hpp"
#include "app/bench/svg_axis.hpp"
#include "app/bench/svg_drawing.hpp"
#include "app/bench/table.hpp"

namespace gpuccl::bench {
namespace {

constexpr double kAboveHeading = 6;

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

/// End of a linear axis: the longest bar that leaves most others long enough to read.
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
  const ChartAxis axis = linear(0, most, 6, left, right);
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

}  // namespace

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

}  // namespace gpuccl::bench
