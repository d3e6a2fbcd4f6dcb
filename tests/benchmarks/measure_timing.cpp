// Prints the time of measures of a generated image, without labels and basic statistics, on the CPU: a JSON
// line on stdout. peers.py calls it.
//
//   measure_timing KIND WIDTHxHEIGHT[xDEPTH] DENSITY GRANULARITY CONNECTIVITY THREADS REPETITIONS MEASURES
//                  [DUMP]
//
// MEASURES: groups or names, with commas between them. Their labels go to the file DUMP, 32-bit integers, so
// that others can measure the same. Values are derived for all components, as a table needs them.

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "app/bench/generate.hpp"
#include "cpu/phase_clock.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/types.hpp"
#include "parse_extent.hpp"

using namespace gpuccl;

namespace {

MeasureSet parse_measures(const std::string& words, Connectivity connectivity) {
  MeasureSet wanted;
  std::istringstream stream(words);
  for (std::string word; std::getline(stream, word, ',');) {
    const MeasureSet before = wanted;
    for (const Measure& measure : measures())
      if (const auto id = static_cast<std::size_t>(measure.id);
          word == measure.name || (word == name_of(measure.group) && !by_name_only(connectivity)[id]))
        wanted.set(id);
    if (wanted == before) throw Error(ErrorCode::usage, "not a measure: " + word);
  }
  return wanted;
}

void dump(const LabelRows& labels, const std::string& path) {
  const LabelImage image = render_all(labels);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(image.data()),
             static_cast<std::streamsize>(image.extent().elements() * std::int64_t{sizeof(Label)}));
}

void derive_all(const MeasureTable& measured, const Components& components) {
  using Range = tbb::blocked_range<std::size_t>;
  tbb::parallel_for(Range(0, components.size(), 1 << 10), [&](const Range& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) measured.values(components, i);
  });
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 9)
    throw Error(ErrorCode::usage,
                "KIND WxH[xD] DENSITY GRANULARITY CONNECTIVITY THREADS REPETITIONS MEASURES [DUMP]");
  GenerateOptions options;
  options.kind = argv[1];
  options.extent = tests::parse_extent(argv[2]);
  options.density = std::stod(argv[3]);
  options.granularity = std::stoi(argv[4]);
  const Connectivity connectivity{std::stoi(argv[5])};
  MeasureRequest request{parse_measures(argv[8], connectivity), connectivity, {}};
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::stoi(argv[6])));
  const BitVolume image = generate(options);

  Engine engine({.algorithm = "runs", .device = DeviceChoice::cpu}, {});
  double label_ms = 1e300, background_ms = 1e300, measure_ms = 1e300, derive_ms = 1e300;
  std::size_t components = 0;
  for (int repetition = std::stoi(argv[7]); repetition > 0; --repetition) {
    Labeling labeled, background;
    label_ms = std::min(
        label_ms, cpu::milliseconds([&] { labeled = engine.label(image.view(), request.connectivity); }));
    BitVolume enclosed;
    background_ms = std::min(background_ms, cpu::milliseconds([&] {
                               if (!needs_background(request)) return;
                               const Connectivity of_background = complementary(request.connectivity);
                               enclosed = enclosed_background(*labeled.labels, of_background);
                               background = engine.label(enclosed.view(), of_background);
                             }));
    request.background = &background;
    MeasureTable measured;
    measure_ms = std::min(measure_ms, cpu::milliseconds([&] {
                            measured = measure(*labeled.labels, labeled.components, request);
                          }));
    derive_ms = std::min(derive_ms, cpu::milliseconds([&] { derive_all(measured, labeled.components); }));
    components = labeled.components.size();
    if (repetition == 1 && argc > 9) dump(*labeled.labels, argv[9]);
  }
  const nlohmann::json line = {{"components", components},
                               {"label_ms", label_ms},
                               {"background_ms", background_ms},
                               {"measure_ms", measure_ms},
                               {"derive_ms", derive_ms}};
  std::printf("%s\n", line.dump().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "measure_timing: %s\n", error.what());
  return 1;
}
