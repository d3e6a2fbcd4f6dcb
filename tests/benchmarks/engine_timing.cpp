// How long the CPU engine takes for a generated image: a JSON line on stdout. `./dev peers` calls it.
//
//   engine_timing KIND WIDTHxHEIGHT[xDEPTH] DENSITY GRANULARITY CONNECTIVITY THREADS REPETITIONS [DUMP]
//
// The image goes to the file DUMP, one byte an element, so that others can label the same. It is packed from
// such bytes, labeled, and its labels are rendered as 32-bit values into memory that is used again, as OpenCV
// is allowed to do with its own.

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/bench/generate.hpp"
#include "cpu/phase_clock.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/types.hpp"
#include "parse_extent.hpp"

using namespace gpuccl;

namespace {

std::vector<std::uint8_t> bytes_of(BitView image) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(static_cast<std::size_t>(image.extent.elements()));
  for (int z = 0; z < image.extent.depth; ++z)
    for (int y = 0; y < image.extent.height; ++y)
      for (int x = 0; x < image.extent.width; ++x) bytes.push_back(image(x, y, z) ? 1 : 0);
  return bytes;
}

void render(const LabelRows& labels, Label* out) {
  constexpr std::int64_t kRows = 32;  // a task
  const Extent extent = labels.extent();
  tbb::parallel_for(std::int64_t{0}, (extent.rows() + kRows - 1) / kRows, [&](std::int64_t i) {
    const std::int64_t first = i * kRows;
    labels.render(first, std::min(kRows, extent.rows() - first), out + first * extent.width, nullptr);
  });
}

double best(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 8)
    throw Error(ErrorCode::usage, "KIND WxH[xD] DENSITY GRANULARITY CONNECTIVITY THREADS REPETITIONS [DUMP]");
  GenerateOptions options;
  options.kind = argv[1];
  options.extent = tests::parse_extent(argv[2]);
  options.density = std::stod(argv[3]);
  options.granularity = std::stoi(argv[4]);
  const Connectivity connectivity{std::stoi(argv[5])};
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::stoi(argv[6])));
  const std::vector<std::uint8_t> bytes = bytes_of(generate(options).view());
  if (argc > 8)
    std::ofstream(argv[8], std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));

  Engine engine({.algorithm = "runs", .device = DeviceChoice::cpu}, {});
  std::vector<Label> out(static_cast<std::size_t>(options.extent.elements()));
  std::vector<double> pack_ms, label_ms, statistics_ms, render_ms;
  PhaseTimes phases;
  Label components = 0;
  for (int repetition = std::stoi(argv[7]); repetition > 0; --repetition) {
    BitVolume image;
    pack_ms.push_back(cpu::milliseconds([&] { image = from_bytes(bytes, options.extent); }));
    EngineReport report;
    const Labeling labeled = engine.label(image.view(), connectivity, &report);
    render_ms.push_back(cpu::milliseconds([&] { render(*labeled.labels, out.data()); }));
    label_ms.push_back(report.label_ms);
    statistics_ms.push_back(labeled.statistics_ms);
    phases = labeled.phases;
    components = labeled.labels->count();
  }

  nlohmann::json line = {{"components", components},
                         {"pack_ms", best(pack_ms)},
                         {"label_ms", best(label_ms)},
                         {"statistics_ms", best(statistics_ms)},
                         {"render_ms", best(render_ms)}};
  for (const PhaseTime& phase : phases) line["phases"][phase.phase] = phase.milliseconds;
  std::printf("%s\n", line.dump().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "engine_timing: %s\n", error.what());
  return 1;
}
