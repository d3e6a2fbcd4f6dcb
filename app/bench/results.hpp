#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/bench/environment.hpp"
#include "app/bench/plan.hpp"
#include "app/bench/timing.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::bench {

// Names of measures in addition to the phases' own.
inline constexpr const char* kPreallocated = "preallocated";
inline constexpr const char* kAllocated = "allocated";
inline constexpr const char* kWhole = "whole";
inline constexpr const char* kUpload = "upload";
inline constexpr const char* kAllocate = "allocate";
inline constexpr const char* kRender = "render";
inline constexpr const char* kNumbered = "numbered";
inline constexpr const char* kStatistics = "statistics";
inline constexpr const char* kRelease = "release";
inline constexpr const char* kHostImage = "label image";
inline constexpr const char* kHostRuns = "run labels";
inline constexpr const char* kDownload = "download";
inline constexpr const char* kComponents = "components";

/// One algorithm on the images of a group.
struct Row {
  std::string algorithm;
  DeviceKind device = DeviceKind::cpu;
  std::string title;       // the name, with its device if another row has the same name
  std::string floor;       // which floor: "gpu-bytes", "gpu-bits", "host-bits"
  double floor_ms = 0;     // mean over the images
  int images = 0;          // timed
  double elements = 0;     // mean over these images
  double cycles_a_ms = 0;  // of all cores of a GPU, of one of the CPU; 0 if not known
  int wrong = 0;           // labeled wrongly, not timed
  int failed = 0;          // not labeled
  int left_out = 0;        // random images skipped because the algorithm had taken too long
  std::string problem;     // the first one
  std::vector<Measure> measures;
  PhaseTimes counted;  // --test memory and work: the phases, summed over the images
};

/// The images of one set that have the same connectivity.
struct ImageSetResult : KindOfImages {
  Connectivity connectivity = Connectivity::c8;
  int images = 0;
  double elements = 0;    // mean over the images
  double foreground = 0;  // mean share of foreground, 0 to 1
  double components = 0;  // mean over the images
  std::vector<Row> rows;
};

struct Results : Setting {
  std::vector<ImageSetResult> groups;
  std::string incomplete;        // why not everything was measured; "" if it was
  bool wrong = false;            // an algorithm gave wrong labels
  std::set<ErrorCode> failures;  // of images that could not be read and algorithms that could not label
  std::map<DeviceKind, Clocks> clocks;  // of devices that report it
};

/// One kind of access to memory, under its name in reports.
struct AccessKind {
  const char* name;
  Accesses::Count Accesses::*count;
};

/// In the order of reports.
inline constexpr AccessKind kAccessKinds[] = {
    {"image_reads", &Accesses::image_reads},
    {"reads", &Accesses::reads},
    {"writes", &Accesses::writes},
    {"atomics", &Accesses::atomics},
    {"tile_reads", &Accesses::tile_reads},
    {"tile_writes", &Accesses::tile_writes},
    {"tile_atomics", &Accesses::tile_atomics},
};

/// Returns the bytes that these accesses to the image and to global memory move at least: a byte of the
/// image, a label of 4 bytes, which an atomic operation reads and writes. Wider accesses count as one.
inline double least_bytes(const Accesses& of) {
  return static_cast<double>(of.image_reads) + 4.0 * static_cast<double>(of.reads + of.writes) +
         8.0 * static_cast<double>(of.atomics);
}

/// Returns least_bytes() as a multiple of the bytes of the bandwidth bound, which reads a byte and writes a
/// label for each of `elements`.
inline double multiple_of_floor_bytes(const Accesses& of, double elements) {
  return elements > 0 ? least_bytes(of) / (5 * elements) : 0;
}

/// One figure of thread blocks, under its name in reports.
struct WorkKind {
  const char* name;
  OverBlocks Work::*figure;
};

inline constexpr WorkKind kWorkKinds[] = {
    {"steps", &Work::steps},
    {"longest_walk", &Work::longest},
    {"atomics", &Work::atomics},
};

inline double mean_over_blocks(const OverBlocks& figure, const Work& work) {
  return work.blocks == 0 ? 0 : static_cast<double>(figure.sum) / static_cast<double>(work.blocks);
}

/// Callbacks that report the progress of an experiment.
struct Observer {
  /// Called before each image with the fraction that is done, 0 to 1, and what follows.
  std::function<void(double done, const std::string& what)> progress;
  /// Called with the problem of a file or an algorithm; the experiment continues.
  std::function<void(const std::string& line)> problem;
  /// Called after each set of images with all results so far.
  std::function<void(const Results& so_far)> finished = [](const Results&) {};
  /// Called before each image and algorithm; true ends the experiment with the results so far.
  std::function<bool()> stop = [] { return false; };
};

/// Measures every algorithm on every image. An algorithm whose labels of an image differ from the CPU
/// engine's is not timed on it. An algorithm skips the remaining random images of a set after three time
/// limits. Failures are reported, and the experiment continues (Results::failures).
Results measure(const Plan& plan, const Observer& observer);

using Json = nlohmann::ordered_json;

/// Content of a report except the results: program, version, commit and command line, then the machine.
struct Head {
  std::string version;
  std::string commit;
  std::string command;
  Environment environment;
};

/// Returns head and results. Tables of the terminal and the page of --report show this JSON.
Json as_json(const Head& head, const Results& results);

/// Returns how the results were measured, one statement per line.
std::vector<std::string> measurement_notes(const Results& results);

/// Returns one image set of as_json() as a table, with a row per measure or phase of each algorithm.
std::string as_text(const Json& image_set);

/// Returns three significant digits: "1234", "123", "12.3", "1.23", "0.123", "0.0123".
std::string three_digits(double value);

}  // namespace gpuccl::bench
