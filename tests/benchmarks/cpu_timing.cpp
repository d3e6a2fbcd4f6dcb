// How long the CPU engine takes: a JSON line on stdout, minima of all repetitions. peers.py calls it.
//
//   cpu_timing labels IMAGE [DUMP]
//   cpu_timing measures IMAGE MEASURES [DUMP]
//   cpu_timing values FILE WIDTHxHEIGHT[xDEPTH] u8|u16|u32 CONNECTIVITY THREADS REPETITIONS
//
// IMAGE, which is generated: KIND WIDTHxHEIGHT[xDEPTH] DENSITY GRANULARITY CONNECTIVITY THREADS REPETITIONS
//
// labels: the image is packed from one byte an element, labeled, and its labels are rendered as 32-bit values
// into memory that is used again, as OpenCV is allowed to do with its own. The bytes go to the file DUMP, so
// that others can label the same. measures: groups or names, with commas between them, without labels and
// basic statistics; values are derived for all components, as a table needs them. The 32-bit labels go to the
// file DUMP. values: FILE holds nothing but the values.

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/bench/generate.hpp"
#include "cpu/phase_clock.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"
#include "parse_extent.hpp"

using namespace gpuccl;

namespace {

using Words = std::vector<std::string>;

/// How an image is generated, and how it is labeled.
struct Request {
  GenerateOptions image;
  Connectivity connectivity;
  int threads, repetitions;
};

Request parse_request(const Words& words) {
  Request request;
  request.image.kind = words.at(0);
  request.image.extent = tests::parse_extent(words.at(1));
  request.image.density = std::stod(words.at(2));
  request.image.granularity = std::stoi(words.at(3));
  request.connectivity = Connectivity{std::stoi(words.at(4))};
  request.threads = std::stoi(words.at(5));
  request.repetitions = std::stoi(words.at(6));
  return request;
}

tbb::global_control limit_threads(int threads) {
  return {tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)};
}

/// The shortest times of steps, and what a JSON line says in addition.
class Line {
 public:
  void add(const std::string& step, double milliseconds) {
    const auto [at, is_new] = best_.try_emplace(step + "_ms", milliseconds);
    if (!is_new) at->second = std::min(at->second, milliseconds);
  }
  void print(std::size_t components, const PhaseTimes& phases = {}) const {
    nlohmann::json line(best_);
    line["components"] = components;
    for (const PhaseTime& phase : phases) line["phases"][phase.phase] = phase.milliseconds;
    std::printf("%s\n", line.dump().c_str());
  }

 private:
  std::map<std::string, double> best_;
};

void write_dump(const std::string& path, const void* data, std::int64_t bytes) {
  std::ofstream(path, std::ios::binary).write(static_cast<const char*>(data), std::streamsize{bytes});
}

/// Calls work(first row, rows) for pieces of an image, several threads at once.
template <class Work>
void for_rows(const Extent& extent, Work work) {
  constexpr std::int64_t kRows = 32;  // a task
  tbb::parallel_for(std::int64_t{0}, (extent.rows() + kRows - 1) / kRows,
                    [&](std::int64_t i) { work(i * kRows, std::min(kRows, extent.rows() - i * kRows)); });
}

void render(const LabelRows& labels, Label* out) {
  for_rows(labels.extent(), [&](std::int64_t first, std::int64_t rows) {
    labels.render(first, rows, out + first * labels.extent().width, nullptr);
  });
}

std::vector<std::uint8_t> bytes_of(BitView image) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(static_cast<std::size_t>(image.extent.elements()));
  for (int z = 0; z < image.extent.depth; ++z)
    for (int y = 0; y < image.extent.height; ++y)
      for (int x = 0; x < image.extent.width; ++x) bytes.push_back(image(x, y, z) ? 1 : 0);
  return bytes;
}

Engine cpu_engine() { return Engine({.algorithm = "runs", .device = DeviceChoice::cpu}, {}); }

void time_labels(const Words& words) {
  const Request request = parse_request(words);
  const auto threads = limit_threads(request.threads);
  const Extent extent = request.image.extent;
  const std::vector<std::uint8_t> bytes = bytes_of(generate(request.image).view());
  if (words.size() > 7) write_dump(words[7], bytes.data(), std::ssize(bytes));

  Engine engine = cpu_engine();
  std::vector<Label> out(static_cast<std::size_t>(extent.elements()));
  Line line;
  PhaseTimes phases;
  Label components = 0;
  for (int repetition = 0; repetition < request.repetitions; ++repetition) {
    BitVolume image;
    line.add("pack", cpu::milliseconds([&] { image = from_bytes(bytes, extent); }));
    EngineReport report;
    const Labeling labeled = engine.label(image.view(), request.connectivity, &report);
    line.add("label", report.label_ms);
    line.add("statistics", labeled.statistics_ms);
    line.add("render", cpu::milliseconds([&] { render(*labeled.labels, out.data()); }));
    phases = labeled.phases;
    components = labeled.labels->count();
  }
  line.print(components, phases);
}

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

void derive_all(const MeasureTable& measured, const Components& components) {
  using Range = tbb::blocked_range<std::size_t>;
  tbb::parallel_for(Range(0, components.size(), 1 << 10), [&](const Range& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) measured.values(components, i);
  });
}

void time_measures(const Words& words) {
  const Request request = parse_request(words);
  MeasureRequest wanted{parse_measures(words.at(7), request.connectivity), request.connectivity, {}};
  const auto threads = limit_threads(request.threads);
  const BitVolume image = generate(request.image);
  Engine engine = cpu_engine();
  Line line;
  std::size_t components = 0;
  for (int repetition = 0; repetition < request.repetitions; ++repetition) {
    Labeling labeled, background;
    line.add("label", cpu::milliseconds([&] { labeled = engine.label(image.view(), wanted.connectivity); }));
    BitVolume enclosed;
    line.add("background", cpu::milliseconds([&] {
               if (!needs_background(wanted)) return;
               const Connectivity of_background = complementary(wanted.connectivity);
               enclosed = enclosed_background(*labeled.labels, of_background);
               background = engine.label(enclosed.view(), of_background);
             }));
    wanted.background = &background;
    MeasureTable measured;
    line.add("measure",
             cpu::milliseconds([&] { measured = measure(*labeled.labels, labeled.components, wanted); }));
    line.add("derive", cpu::milliseconds([&] { derive_all(measured, labeled.components); }));
    components = labeled.components.size();
    if (repetition > 0 || words.size() <= 8) continue;
    const LabelImage labels = render_all(*labeled.labels);
    write_dump(words[8], labels.data(), labels.extent().elements() * std::int64_t{sizeof(Label)});
  }
  line.print(components);
}

ValueType type_of(const std::string& name) {
  if (name == "u8") return ValueType::u8;
  if (name == "u16") return ValueType::u16;
  if (name == "u32") return ValueType::u32;
  throw Error(ErrorCode::usage, "'" + name + "' is not u8, u16 or u32");
}

void time_values(const Words& words) {
  const Extent extent = tests::parse_extent(words.at(1));
  const ValueType type = type_of(words.at(2));
  const Connectivity connectivity{std::stoi(words.at(3))};
  const auto threads = limit_threads(std::stoi(words.at(4)));
  const std::size_t row_bytes = static_cast<std::size_t>(extent.width) * bytes_of(type);
  std::vector<std::byte> values(row_bytes * static_cast<std::size_t>(extent.rows()));
  std::ifstream file(words.at(0), std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size())))
    throw Error(ErrorCode::data, words[0] + " is too short");

  std::vector<Label> out(static_cast<std::size_t>(extent.elements()));
  Line line;
  PhaseTimes phases;
  std::size_t components = 0;
  for (int repetition = std::stoi(words.at(5)); repetition > 0; --repetition) {
    ValueImage image(extent, type);
    line.add("runs", cpu::milliseconds([&] {
               for_rows(extent, [&](std::int64_t first, std::int64_t rows) {
                 image.add_rows(first, rows, values.data() + static_cast<std::size_t>(first) * row_bytes);
               });
             }));
    ValueLabeling found;
    const double all_ms = cpu::milliseconds([&] { found = label_values(std::move(image), connectivity); });
    line.add("label", all_ms - found.labeled.statistics_ms);
    line.add("statistics", found.labeled.statistics_ms);
    line.add("render", cpu::milliseconds([&] { render(*found.labeled.labels, out.data()); }));
    phases = found.labeled.phases;
    components = found.values.size();
  }
  line.print(components, phases);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "";
  const Words words(argv + std::min(argc, 2), argv + argc);
  if (what == "labels") {
    time_labels(words);
  } else if (what == "measures") {
    time_measures(words);
  } else if (what == "values") {
    time_values(words);
  } else {
    throw Error(ErrorCode::usage, "the first word is labels, measures or values");
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "cpu_timing: %s\n", error.what());
  return 1;
}
