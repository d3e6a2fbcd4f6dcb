#include "app/bench/svg_curves.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "app/bench/svg_axis.hpp"
#include "app/bench/svg_drawing.hpp"

namespace gpuccl::bench {
namespace {

constexpr double kPlotHeight = 320;
constexpr int kColours = 7, kMarks = 7, kDashes = 4;

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

}  // namespace

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
  const ChartAxis y_axis =
      chart.logarithmic_y ? logarithmic(least, most, bottom, top) : linear(0, most * 1.05, 6, bottom, top);
  const auto [first, last] = std::minmax_element(set.x.begin(), set.x.end());
  ChartAxis x_axis = linear(*first, *last, 10, left, right);
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

}  // namespace gpuccl::bench
