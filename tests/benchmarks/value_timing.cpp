// How long the CPU engine takes for an image of values: a JSON line on stdout. `./dev peers` calls it.
//
//   value_timing FILE WIDTHxHEIGHT[xDEPTH] TYPE CONNECTIVITY THREADS REPETITIONS
//
// FILE holds nothing but the values; TYPE is u8, u16 or u32. Runs are found, labeled, and their labels
// rendered as 32-bit values into memory that is used again.

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cpu/phase_clock.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"
#include "parse_extent.hpp"

using namespace gpuccl;

namespace {

constexpr std::int64_t kRows = 32;  // a task

ValueType type_of(const std::string& name) {
  if (name == "u8") return ValueType::u8;
  if (name == "u16") return ValueType::u16;
  if (name == "u32") return ValueType::u32;
  throw Error(ErrorCode::usage, "'" + name + "' is not u8, u16 or u32");
}

/// Calls work(first row, rows) for pieces of an image, several threads at once.
template <class Work>
void for_rows(const Extent& extent, Work work) {
  tbb::parallel_for(std::int64_t{0}, (extent.rows() + kRows - 1) / kRows,
                    [&](std::int64_t i) { work(i * kRows, std::min(kRows, extent.rows() - i * kRows)); });
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 7) throw Error(ErrorCode::usage, "FILE WxH[xD] TYPE CONNECTIVITY THREADS REPETITIONS");
  const Extent extent = tests::parse_extent(argv[2]);
  const ValueType type = type_of(argv[3]);
  const Connectivity connectivity{std::stoi(argv[4])};
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::stoi(argv[5])));
  const std::size_t row_bytes = static_cast<std::size_t>(extent.width) * bytes_of(type);
  std::vector<std::byte> values(row_bytes * static_cast<std::size_t>(extent.rows()));
  std::ifstream file(argv[1], std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size())))
    throw Error(ErrorCode::data, std::string(argv[1]) + " is too short");

  std::vector<Label> out(static_cast<std::size_t>(extent.elements()));
  const auto least = [](double& value, double other) { value = std::min(value, other); };
  double runs_ms = 1e300, label_ms = 1e300, statistics_ms = 1e300, render_ms = 1e300;
  std::size_t components = 0;
  PhaseTimes phases;
  for (int repetition = std::stoi(argv[6]); repetition > 0; --repetition) {
    ValueImage image(extent, type);
    least(runs_ms, cpu::milliseconds([&] {
            for_rows(extent, [&](std::int64_t first, std::int64_t rows) {
              image.add_rows(first, rows, values.data() + static_cast<std::size_t>(first) * row_bytes);
            });
          }));
    ValueLabeling found;
    const double all_ms = cpu::milliseconds([&] { found = label_values(std::move(image), connectivity); });
    least(label_ms, all_ms - found.labeled.statistics_ms);
    least(statistics_ms, found.labeled.statistics_ms);
    least(render_ms, cpu::milliseconds([&] {
            for_rows(extent, [&](std::int64_t first, std::int64_t rows) {
              found.labeled.labels->render(first, rows, out.data() + first * extent.width, nullptr);
            });
          }));
    components = found.values.size();
    phases = found.labeled.phases;
  }
  nlohmann::json line = {{"components", components},
                         {"runs_ms", runs_ms},
                         {"label_ms", label_ms},
                         {"statistics_ms", statistics_ms},
                         {"render_ms", render_ms}};
  for (const PhaseTime& phase : phases) line["phases"][phase.phase] = phase.milliseconds;
  std::printf("%s\n", line.dump().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "value_timing: %s\n", error.what());
  return 1;
}
