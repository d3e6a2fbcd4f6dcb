#include "app/bench/gnuplot_script.hpp"

#include <algorithm>

#include "io/files/number_text.hpp"

namespace gpuccl::bench {
namespace {

constexpr const char* kMissing = "?";
constexpr const char* kFloorStyle = "dashtype 2 linecolor rgb '#777777'";

/// A string of gnuplot, which takes nothing in single quotes to be special but the quote.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' ? "''" : std::string(1, static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  return result + "'";
}

/// The same in a data block, where strings take double quotes and cannot hold one.
std::string data_string(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }, '_');
  return "\"" + text + "\"";
}

/// One line a place: its name or number, then the value of each series.
std::string data_block(const Chart& chart) {
  std::string text = "$data << END_OF_DATA\n";
  for (std::size_t place = 0; place < chart.data.places.size(); ++place) {
    text += chart.kind == ChartKind::curves ? io::shortest(chart.data.x[place])
                                            : data_string(chart.data.places[place]);
    for (const Series& series : chart.data.series)
      text += " " + (series.values[place] ? io::shortest(*series.values[place]) : kMissing);
    text += "\n";
  }
  return text + "END_OF_DATA\n";
}

std::string axes(const Chart& chart) {
  std::string text = "set ylabel " + quoted(chart.unit) + "\nset grid\n";
  text += chart.logarithmic_y ? "set logscale y\n" : "set yrange [0:*]\n";
  if (chart.kind == ChartKind::curves) {
    text += "set xlabel " + quoted(chart.data.axis) + "\n";
    if (chart.logarithmic_x) text += "set logscale x\nset format x '%.0s %c'\n";
  } else {
    text += "set style data histogram\nset style fill solid 0.9 border -1\nset boxwidth 0.9\n";
    text += chart.kind == ChartKind::bars ? "set style histogram clustered gap 1\n"
                                          : "set style histogram rowstacked\n";
    text += "set xtics rotate by 30 right\nset lmargin 20\n";
  }
  return text;
}

/// gnuplot repeats its colours after eight.
std::string colours() {
  std::string text;
  int line = 0;
  for (const char* colour :
       {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#bcbd22", "#17becf",
        "#000080", "#ffbb78", "#006400", "#ff9896", "#c5b0d5", "#808000", "#444444"})
    text += "set linetype " + std::to_string(++line) + " linecolor rgb '" + colour + "'\n";
  return text + "set linetype cycle " + std::to_string(line) + "\n";
}

}  // namespace

std::string gnuplot_script(const Chart& chart, int number) {
  const std::string id = "chart" + std::to_string(number);
  std::string text = "set terminal svg size 960,480 dynamic noenhanced font 'sans-serif,13' name '" + id +
                     "' background rgb 'white'\n";
  text += "set encoding utf8\nset datafile missing '" + std::string(kMissing) +
          "'\nset key outside right top\n" + colours();
  text += "set title " + quoted(chart.data.title) + "\n" + axes(chart) + data_block(chart) + "plot ";
  for (std::size_t i = 0; i < chart.data.series.size(); ++i) {
    const Series& series = chart.data.series[i];
    const std::string column = std::to_string(i + 2);
    text += i == 0 ? "" : ", ";
    if (chart.kind == ChartKind::curves) {
      text += "$data using 1:" + column +
              (series.is_floor ? std::string(" with lines ") + kFloorStyle
                               : " with linespoints linewidth 1.5 pointsize 0.6");
    } else {
      text += "$data using " + column + ":xtic(1)";
    }
    text += " title " + quoted(series.title);
  }
  return text + "\n";
}

}  // namespace gpuccl::bench
