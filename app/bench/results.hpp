#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/bench/plan.hpp"
#include "app/bench/timing.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::bench {

/// Rows of RGB.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// The bytes of a PNG.
std::string as_png(const Picture& picture);

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

/// Returns cycles per element, time x clock x cores, as in papers; 0 if not known.
inline double cycles_an_element(const Row& row, double milliseconds) {
  return row.elements > 0 ? milliseconds * row.cycles_a_ms / row.elements : 0;
}

/// Returns the first phase that follows or changes links; null if there are no phases.
inline const PhaseTime* working_phase(const Row& row) {
  for (const PhaseTime& phase : row.counted)
    if (phase.work.steps.sum + phase.work.atomics.sum > 0) return &phase;
  return row.counted.empty() ? nullptr : &row.counted.front();
}

/// The images of one set that have the same connectivity.
struct Group {
  std::string dataset;
  std::optional<Extent> extent;  // these three: random images
  double density = 0;
  int granularity = 0;
  Axis axis = Axis::none;
  Connectivity connectivity = Connectivity::c8;
  int images = 0;
  double elements = 0;    // mean over the images
  double foreground = 0;  // mean share of foreground, 0 to 1
  double components = 0;  // mean over the images
  std::vector<Row> rows;
};

/// Work of the thread blocks of one algorithm on one image.
struct WorkMap {
  std::string title;
  unsigned blocks_a_row = 0;
  std::vector<BlockWork> blocks;  // row by row
};

struct Results {
  Test test = Test::average;
  TimingOptions timing;
  std::vector<Group> groups;
  std::vector<WorkMap> maps;   // --test work: of the largest image, the first one if there are several
  std::string mapped_name;     // name of this image
  Picture mapped_image;        // this image in the grid of the first map
  std::string incomplete;      // why not everything was measured; "" if it was
  bool wrong = false;          // an algorithm gave wrong labels
  std::set<Failure> failures;  // of images that could not be read and algorithms that could not label
  std::vector<std::string> not_measured;  // algorithms that need a GPU, if none can be used
  std::string no_gpu;                     // why none can be used
  std::string protocol;                   // --protocol; "" for none
  std::map<DeviceKind, Clocks> clocks;    // of devices that report it
};

/// Returns the total for charts and comparisons: preallocated if it was measured, else allocated, else from
/// host to host, else of components; null if there is none.
inline const Measure* total_of(const Row& row) {
  for (const char* total : {kPreallocated, kAllocated, kHostImage, kComponents})
    if (const Measure* measure = find_measure(row.measures, total)) return measure;
  return nullptr;
}

}  // namespace gpuccl::bench
