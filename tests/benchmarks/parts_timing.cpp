// How long one image takes in parts: a JSON line on stdout for each number of parts, with the efficiency
// against one part. Labels and components are compared with those of one part.
//
//   parts_timing KIND WIDTHxHEIGHT[xDEPTH] DENSITY GRANULARITY CONNECTIVITY cpu|cuda PARTS[,PARTS...]
//                REPETITIONS [TIMES]
//   parts_timing scaling [PARTS[,PARTS...]] [REPETITIONS]
//
// What was generated stands TIMES times behind itself. A part is a GPU, or a single thread of the CPU. Times
// are those of labeling, union and numbering, the best of the repetitions, in which the numbers of parts take
// turns. Of parts on the CPU a line says where the time of the best one went: until the last part had its
// labels and after that, and of all threads together the time of the CPU, that of the system in it, and page
// faults.
//
// `scaling` takes blobs and noise on the CPU in 1, 2, 4 and 8 parts, and before them what no code can better:
// as many threads that calculate or touch new memory, each by itself.

#include <sys/resource.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "app/bench/generate.hpp"
#include "cpu/phase_clock.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/objects.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "parse_extent.hpp"

using namespace gpuccl;
using Clock = std::chrono::steady_clock;

namespace {

double ms_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

/// Processor time of this thread, or of all threads of the process.
struct Usage {
  double cpu_ms = 0, system_ms = 0;
  double faults = 0;

  static Usage of(int who) {
    rusage used{};
    getrusage(who, &used);
    const auto ms = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
    };
    return {ms(used.ru_utime) + ms(used.ru_stime), ms(used.ru_stime), static_cast<double>(used.ru_minflt)};
  }
  Usage operator-(const Usage& other) const {
    return {cpu_ms - other.cpu_ms, system_ms - other.system_ms, faults - other.faults};
  }
  void add_to(nlohmann::json& line, const std::string& of) const {
    line[of + "cpu_ms"] = cpu_ms;
    line[of + "system_ms"] = system_ms;
    line[of + "faults"] = faults;
  }
};

/// One labeling, and where its time went.
struct Turn {
  Labeling labeled;
  double ms = 0;
  nlohmann::json line = nlohmann::json::object();
};

/// Labels in parts of one thread each.
Turn label_on_cpu(BitView image, Connectivity connectivity, int parts) {
  const Variant& runs = *find_variant(*find_algorithm("runs", DeviceKind::cpu), connectivity);
  struct OfPart {
    Clock::time_point begin, end;
    Usage used;
  };
  std::vector<OfPart> of_parts(static_cast<std::size_t>(parts));
  Turn turn;
  const Usage before = Usage::of(RUSAGE_SELF);
  const Clock::time_point begin = Clock::now();
  turn.labeled = label_in_parts(image, connectivity, parts, [&](int part, BitView slab) {
    OfPart& mine = of_parts[static_cast<std::size_t>(part)];
    mine.begin = Clock::now();
    const Usage before_labels = Usage::of(RUSAGE_THREAD);
    Labeling labeled;
    tbb::task_arena(1).execute([&] { labeled = runs.make(0)->label(slab); });
    mine.used = Usage::of(RUSAGE_THREAD) - before_labels;
    mine.end = Clock::now();
    return labeled;
  });
  const Clock::time_point end = Clock::now();
  const Usage used = Usage::of(RUSAGE_SELF) - before;

  turn.ms = ms_between(begin, end);
  Clock::time_point first_begin = end, first_end = end, last_end = begin;
  Usage labels;
  for (const OfPart& part : of_parts) {
    first_begin = std::min(first_begin, part.begin);
    first_end = std::min(first_end, part.end);
    last_end = std::max(last_end, part.end);
    labels.cpu_ms += part.used.cpu_ms;
    labels.system_ms += part.used.system_ms;
    labels.faults += part.used.faults;
  }
  turn.line["first_labels_ms"] = ms_between(begin, first_end);
  turn.line["last_labels_ms"] = ms_between(begin, last_end);
  turn.line["after_labels_ms"] = ms_between(last_end, end);
  labels.add_to(turn.line, "labels_");
  used.add_to(turn.line, "");
  for (const PhaseTime& time : turn.labeled.phases) turn.line["phases"][time.phase] = time.milliseconds;
  return turn;
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

void print(const nlohmann::json& line) {
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

std::vector<int> parse_counts(const std::string& words) {
  std::vector<int> counts{1};
  for (const nlohmann::json& count : nlohmann::json::parse("[" + words + "]"))
    if (count != 1) counts.push_back(count);
  return counts;
}

/// Returns whether all numbers of parts gave the same.
bool time_parts(const std::string& name, BitView image, Connectivity connectivity, bool on_gpus,
                const std::vector<int>& counts, int repetitions) {
  Labeling expected;
  std::vector<Turn> best(counts.size());
  std::vector<char> same(counts.size(), 1);
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (std::size_t i = 0; i < counts.size(); ++i) {
      Turn turn;
      if (on_gpus) {
        std::vector<int> gpus(static_cast<std::size_t>(counts[i]));
        std::iota(gpus.begin(), gpus.end(), 0);
        Engine engine({.device = DeviceChoice::cuda, .gpus = gpus}, {});
        engine.label(image, connectivity);  // gets its memory
        turn.ms = cpu::milliseconds([&] { turn.labeled = engine.label(image, connectivity); });
      } else {
        turn = label_on_cpu(image, connectivity, counts[i]);
      }
      Labeling labeled = std::move(turn.labeled);
      if (repetition == 0 || turn.ms < best[i].ms) best[i] = std::move(turn);
      if (!expected.labels) {
        expected = std::move(labeled);
      } else if (repetition == 0) {
        same[i] = labeled.components == expected.components &&
                  compare(*labeled.labels, *expected.labels).same_numbers;
      }
    }

  bool all_same = true;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    nlohmann::json line = {{"image", name},
                           {"parts", counts[i]},
                           {"ms", best[i].ms},
                           {"components", expected.labels->count()},
                           {"efficiency", best[0].ms / best[i].ms / counts[i]},
                           {"same", same[i] != 0}};
    line.update(best[i].line);
    print(line);
    all_same = all_same && same[i] != 0;
  }
  return all_same;
}

/// Speedup of this many independent threads that do the same work.
void time_machine(const std::string& name, const std::function<void()>& work, const std::vector<int>& counts,
                  int repetitions) {
  std::vector<double> best_ms(counts.size(), 1e300);
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (std::size_t i = 0; i < counts.size(); ++i)
      best_ms[i] = std::min(best_ms[i], cpu::milliseconds([&] {
                              std::vector<std::jthread> threads;
                              for (int thread = 0; thread < counts[i]; ++thread) threads.emplace_back(work);
                            }));
  for (std::size_t i = 0; i < counts.size(); ++i)
    print({{"machine", name},
           {"threads", counts[i]},
           {"ms", best_ms[i]},
           {"efficiency", best_ms[0] / best_ms[i]}});
}

void calculate() {
  volatile std::uint64_t sink = 0;
  std::uint64_t value = 1;
  for (int i = 0; i < 50'000'000; ++i) value = value * 6364136223846793005u + 1442695040888963407u;
  sink = value;
  static_cast<void>(sink);
}

void touch_new_memory() {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const auto memory = make_large_for_overwrite<char>(kBytes);
  std::memset(memory.get(), 1, kBytes);
  volatile char sink = memory[kBytes / 2];
  static_cast<void>(sink);
}

BitVolume generated(const std::string& kind, Extent extent, double density, int granularity) {
  GenerateOptions options;
  options.kind = kind;
  options.extent = extent;
  options.density = density;
  options.granularity = granularity;
  return generate(options);
}

bool time_scaling(const std::vector<int>& counts, int repetitions) {
  time_machine("calculate", calculate, counts, repetitions);
  time_machine("touch 64 MiB of new memory", touch_new_memory, counts, repetitions);
  const auto time = [&](const std::string& name, const BitVolume& image) {
    return time_parts(name, image.view(), Connectivity::c26, false, counts, repetitions);
  };
  const bool blobs = time("blobs 1024x1024x512", generated("blobs", {1024, 1024, 512}, 0.3, 1));
  const bool noise = time("noise 1024x1024x128", generated("random", {1024, 1024, 128}, 0.1, 1));
  return blobs && noise;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 1 && std::string(argv[1]) == "scaling")
    return time_scaling(parse_counts(argc > 2 ? argv[2] : "2,4,8"), argc > 3 ? std::stoi(argv[3]) : 7) ? 0
                                                                                                       : 1;
  if (argc < 9)
    throw Error(
        ErrorCode::usage,
        "KIND WxH[xD] DENSITY GRANULARITY CONNECTIVITY cpu|cuda PARTS[,PARTS] REPETITIONS [TIMES], or "
        "scaling [PARTS[,PARTS]] [REPETITIONS]");
  const BitVolume image =
      repeated(generated(argv[1], tests::parse_extent(argv[2]), std::stod(argv[3]), std::stoi(argv[4])),
               argc > 9 ? std::stoi(argv[9]) : 1);
  const bool same =
      time_parts(std::string(argv[1]) + " " + argv[2], image.view(), Connectivity{std::stoi(argv[5])},
                 std::string(argv[6]) == "cuda", parse_counts(argv[7]), std::stoi(argv[8]));
  return same ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "parts_timing: %s\n", error.what());
  return 1;
}
