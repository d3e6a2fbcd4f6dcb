#include <fmt/core.h>

#include <set>

#include "app/bench/results.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::bench {
namespace {

/// How the measures of this name are taken.
struct NoteOfMeasure {
  const char* name;
  const char* text;
};

constexpr NoteOfMeasure kMeasures[] = {
    {kPreallocated,
     "image to provisional labels, into a label image that exists; GPU: between two events on the stream, "
     "image and labels on the device; CPU: wall clock, final labels of 32 bits, without statistics"},
    {kAllocated, "the same with the allocation of the label image, wall clock"},
    {kNumbered, "GPU: image to final labels, 1 to N in raster order; events"},
    {kStatistics, "area, bounding box and centroid of each component, after the labels are final"},
    {kUpload, "GPU: bits to the GPU, and there to the form that the algorithm reads; events"},
    {kDownload, "GPU: the label image into new memory, wall clock"},
    {kWhole, "image to final labels and statistics in host memory, wall clock"},
    {kHostImage,
     "image in host memory to a 32-bit label image in host memory, all allocations included, without "
     "statistics; wall clock; GPU: provisional labels"},
    {kHostRuns, "the same to one label per run, from which files are written; GPU: with statistics"},
    {kComponents,
     "image to the number of components and the area, bounding box and coordinate sums of each, without a "
     "label image where the algorithm needs none; GPU: events, with the host's wait for the number"},
};

const char* note_of(Test test) {
  switch (test) {
    case Test::steps:
      return "steps are timed separately, which costs time: their sum exceeds the total of --test average";
    case Test::iterations:
      return "each image is labeled once; launches: of the phase that iterates, averaged over the images, "
             "with the last one, which changes nothing; of BorderMerge: levels of tiles";
    case Test::memory:
      return "each image is labeled once by kernels compiled to count; an access is one instruction of one "
             "thread; reads, writes, atomics: of labels and parent pointers in global memory, tile_: in "
             "shared memory; least_bytes: 1 for the image, 4 for a label, 8 for an atomic operation; "
             "multiple_of_floor_bytes: of the 5 bytes per element of the floor";
    case Test::work:
      return "each image is labeled once by kernels compiled to count; mean and most over thread blocks; a "
             "step follows one parent pointer; longest_walk: steps of the slowest thread of a block; "
             "atomics: on parent pointers, in global and shared memory";
    default:
      return nullptr;
  }
}

}  // namespace

std::vector<std::string> measurement_notes(const Results& results) {
  std::vector<std::string> lines = {
      "test: " + name(results.test),
      "checked: labels and statistics of each algorithm on each image equal those of runs on the CPU, else "
      "not timed"};
  if (results.protocol == kTpds2024)
    lines.push_back(
        "protocol tpds2024: 8-connectivity, allocation of the label image included; the figure is min_ms, "
        "averaged over the images");
  if (!results.not_measured.empty()) lines.push_back(describe_left_out(results.not_measured, results.no_gpu));
  if (const char* note = note_of(results.test)) lines.emplace_back(note);
  if (is_counted(results.test) || results.test == Test::iterations) return lines;
  lines.push_back(fmt::format(
      "each image: {} labelings to warm up, then {} (fewer where they take more than {} s); low and high: "
      "5 % and 95 % quantile; all times are averaged over the images; repetitions: the fewest of an image; "
      "one repetition gives no factor",
      results.timing.warm_up, results.timing.repetitions, io::shortest(results.timing.limit_s)));
  std::set<std::string> measures;
  bool has_floor = false;
  for (const ImageSetResult& group : results.groups)
    for (const Row& row : group.rows) {
      for (const Measure& measure : row.measures) measures.insert(measure.name);
      has_floor = has_floor || row.floor_ms > 0;
    }
  for (const NoteOfMeasure& measure : kMeasures)
    if (measures.contains(measure.name)) lines.push_back(measure.name + std::string(": ") + measure.text);
  lines.emplace_back(
      "cycles_per_element: time by clock by cores, of a GPU all at its highest clock, of a CPU one");
  if (!has_floor) return lines;
  lines.emplace_back(
      "floor: reading the input once and writing 4 bytes per element once; gpu-bytes and gpu-bits: on the "
      "GPU, input of 8 or 1 bits per element, events; host-bits: all CPU cores, 1 bit per element, wall "
      "clock");
  lines.emplace_back(results.timing.rotate
                         ? "repetitions cycle through copies of input and labels, so caches are cold"
                         : "repetitions use the same memory, so caches are warm (--rotate avoids it)");
  return lines;
}

}  // namespace gpuccl::bench
