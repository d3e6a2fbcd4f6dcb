#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/bench/chart.hpp"
#include "app/bench/markup.hpp"

namespace gpuccl::bench {

inline constexpr double kWidth = 760, kLine = 18;  // of a drawing; of the smaller text

/// Formats a number with at most six digits; in pixels, to a tenth.
std::string number(double value);
std::string pixels(double value);

double width_of(const std::string& text);

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
  /// Pixels stay squares, however large they become.
  void image(double x, double y, double width, double height, const std::string& address) {
    body_ += "<image x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" width=\"" + pixels(width) +
             "\" height=\"" + pixels(height) +
             "\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"" + address +
             "\"/>\n";
  }
  /// The whole, `height` high.
  std::string svg(const std::string& title, double height) const;

 private:
  static std::string class_of(const std::string& type) {
    return type.empty() ? "" : " class=\"" + type + "\"";
  }
  std::string body_;
};

/// Title and what the chart shows; returns where the rest begins.
double head(const Chart& chart, Drawing& drawing);

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

}  // namespace gpuccl::bench
