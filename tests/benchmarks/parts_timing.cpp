// How long one image takes in parts: a JSON line on stdout for each number of parts, with the efficiency
// against one part. Labels and components are compared with those of one part.
//
//   parts_timing KIND WIDTHxHEIGHT[xDEPTH] DENSITY GRANULARITY CONNECTIVITY cpu|cuda PARTS[,PARTS...]
//                REPETITIONS [TIMES]
//
// What was generated stands TIMES times behind itself. A part is a GPU, or a single thread of the CPU. Times
// are those of labeling, union and numbering, the best of the repetitions.

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "cpu/phase_clock.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/generate.hpp"
#include "gpuccl/parts.hpp"
#include "parse_extent.hpp"

using namespace gpuccl;

namespace {

/// Labels in parts of one thread each.
Labeled label_on_cpu(BitView image, Connectivity connectivity, int parts) {
  const Variant& runs = *find_variant(*find_algorithm("runs", DeviceKind::cpu), connectivity);
  return label_in_parts(image, connectivity, parts, [&](int, BitView slab) {
    Labeled labeled;
    tbb::task_arena(1).execute([&] { labeled = runs.make(0)->label(slab); });
    return labeled;
  });
}

BitVolume repeated(BitVolume once, int times) {
  if (times == 1) return once;
  Extent extent = once.extent();
  extent.depth *= times;
  BitVolume all(extent);
  tbb::parallel_for(0, times, [&](int i) {
    std::memcpy(all.row(0, i * once.extent().depth), once.row(0), static_cast<std::size_t>(once.bytes()));
  });
  return all;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 9)
    throw Error(Failure::usage,
                "KIND WxH[xD] DENSITY GRANULARITY CONNECTIVITY cpu|cuda PARTS[,PARTS] REPETITIONS");
  GenerateOptions options;
  options.kind = argv[1];
  options.extent = tests::parse_extent(argv[2]);
  options.density = std::stod(argv[3]);
  options.granularity = std::stoi(argv[4]);
  const Connectivity connectivity{std::stoi(argv[5])};
  const bool on_gpus = std::string(argv[6]) == "cuda";
  const BitVolume image = repeated(generate(options), argc > 9 ? std::stoi(argv[9]) : 1);

  Labeled expected;
  double one_ms = 0;
  for (const nlohmann::json& count : nlohmann::json::parse("[1," + std::string(argv[7]) + "]")) {
    const int parts = count;
    std::vector<int> gpus(static_cast<std::size_t>(parts));
    std::iota(gpus.begin(), gpus.end(), 0);
    Engine engine({.device = on_gpus ? DeviceChoice::cuda : DeviceChoice::cpu, .gpus = gpus}, {});
    double best_ms = 1e300;
    bool same = true;
    for (int repetition = std::stoi(argv[8]); repetition > 0; --repetition) {
      Labeled labeled;
      const double ms = cpu::milliseconds([&] {
        labeled = on_gpus ? engine.label(image.view(), connectivity)
                          : label_on_cpu(image.view(), connectivity, parts);
      });
      best_ms = std::min(best_ms, ms);
      if (!expected.labels)
        expected = std::move(labeled);
      else if (repetition == 1)
        same = labeled.components == expected.components &&
               compare(*labeled.labels, *expected.labels).same_numbers;
    }
    if (parts == 1) one_ms = best_ms;
    const nlohmann::json line = {{"parts", parts},
                                 {"ms", best_ms},
                                 {"components", expected.labels->count()},
                                 {"efficiency", one_ms / best_ms / parts},
                                 {"same", same}};
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
    if (!same) return 1;
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "parts_timing: %s\n", error.what());
  return 1;
}
