#include "app/bench/svg_drawing.hpp"

#include <cstdio>

#include "app/bench/table.hpp"

namespace gpuccl::bench {
namespace {

constexpr double kLetter = 7;  // of the smaller text, on average

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

/// Breaks `text` where it would leave the part of the drawing that a telephone shows.
std::vector<std::string> lines_of(const std::string& text) {
  constexpr std::size_t kMost = 68;
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

}  // namespace

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

std::string Drawing::svg(const std::string& title, double height) const {
  const std::string w = pixels(kWidth), h = pixels(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 " + w + " " +
         h + "\" width=\"" + w + "\" height=\"" + h + "\">\n<title>" + escaped(title) + "</title>\n" +
         kStyle + "<rect class=\"paper\" width=\"" + w + "\" height=\"" + h + "\"/>\n" + body_ + "</svg>\n";
}

double head(const Chart& chart, Drawing& drawing) {
  double y = 22;
  drawing.text(10, y, chart.data.title, "title");
  for (const std::string& line : lines_of(chart.note)) drawing.text(10, y += kLine, line, "note");
  return y + kLine;
}

}  // namespace gpuccl::bench
