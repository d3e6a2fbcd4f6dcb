#pragma once

#include <cstdint>

#include "io/report/report.hpp"

namespace gpuccl::io {

inline Components sample_components(std::size_t count) {
  Components components;
  components.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int at = static_cast<int>(i);
    components.area[i] = 1 + i % 7;
    components.box[i] = {{at, at / 2, at / 3}, {at + 4, at / 2 + 2, at / 3 + 1}};
    components.sum[i] = {i * components.area[i] + 2, i / 2 * components.area[i] + 1,
                         i / 3 * components.area[i]};
  }
  return components;
}

inline Report sample_report(const Components& components) {
  Report report;
  report.input = {.path = "scans/page 1.png",
                  .format = "png",
                  .extent = {100, 50, 1},
                  .bits_per_sample = 1,
                  .photometric = "min-is-black",
                  .foreground_rule = "nonzero",
                  .checksums = {"CRC-32", "Adler-32"}};
  report.input_bytes = 812;
  report.foreground = 0.125;
  report.algorithm = "runs";
  report.connectivity = 8;
  report.device_kind = "cpu";
  report.device_name = "a processor";
  report.components = components.size();
  report.holes = {4, 9, 0.125};
  report.dropped = 3;
  report.label_type = "u16";
  report.order = "raster";
  report.output = {"labels.tiff", 12345};
  report.stats = {"table.csv", 67};
  report.total_ms = 10.0004999;
  report.read_ms = 1.5;
  report.phases = {{"Merge", 0.25, 1}, {"Scan", 1.93, 14}};
  return report;
}

}  // namespace gpuccl::io
