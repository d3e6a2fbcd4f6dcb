#include <fmt/core.h>

#include <map>
#include <set>
#include <span>

#include "app/bench/reports.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::bench {
namespace {

constexpr const char* kThroughputNote = "G/s: 10^9 pixels per second, from the total";

bool any_row(const Results& results, DeviceKind device) {
  for (const ImageSetResult& group : results.groups)
    for (const Row& row : group.rows)
      if (row.device == device) return true;
  return false;
}

std::string what_total_is(const Results& results, bool gpu, bool cpu) {
  const bool preallocated = results.timing.preallocated;
  std::string text = "total: image to provisional labels, ";
  text += preallocated ? "into a label image that exists" : "with the allocation of the label image";
  if (gpu)
    text += preallocated ? "; GPU: between two events on the stream, image and labels on the device"
                         : "; GPU: wall clock, image and labels on the device";
  if (cpu)
    text +=
        "; CPU: wall clock around labeling and writing a 32-bit label image (final labels), without "
        "statistics";
  return text;
}

void add_cycles(bool gpu, bool cpu, std::vector<std::string>& lines) {
  std::string text = "cycles: core cycles per pixel, time by clock";
  if (gpu) text += " by cores of the GPU, at its highest clock";
  if (cpu) text += gpu ? "; of the CPU one core" : " of one core";
  lines.push_back(text);
}

void add_totals(const Results& results, bool gpu, bool cpu, std::vector<std::string>& lines) {
  lines.push_back(what_total_is(results, gpu, cpu));
  if (results.timing.preallocated && results.timing.allocated)
    lines.push_back("allocated: the same with the allocation of the label image, wall clock");
  if (results.test != Test::average) return;
  if (gpu) {
    lines.push_back("numbered: the same as the total to final labels, 1 to N in raster order; events");
    lines.push_back("statistics: area, bounding box and centroid of each component, after that; events");
    lines.push_back("upload: bits to the GPU, and there to the form that the algorithm reads; events");
  }
  add_cycles(gpu, cpu, lines);
  lines.push_back("whole: from the image to final labels and statistics in host memory, wall clock");
  lines.emplace_back(kThroughputNote);
}

void add_host_to_host(bool gpu, std::vector<std::string>& lines) {
  lines.push_back(
      "total: from the image in host memory to a 32-bit label image in host memory, all allocations "
      "included; "
      "wall clock, without statistics");
  lines.push_back(gpu ? "run labels: the same to one label per run, from which files are written; on a GPU "
                        "final labels and statistics"
                      : "run labels: the same to one label per run, from which files are written");
  if (gpu)
    lines.push_back(
        "GPU: provisional labels, a labeler created and freed per image; upload: bits to the GPU, and there "
        "to the form that the algorithm reads, events; download: the label image into new memory, wall "
        "clock");
  lines.emplace_back(kThroughputNote);
}

void add_components(bool gpu, bool cpu, std::vector<std::string>& lines) {
  std::string text =
      "total: from the image to the number of components and the area, bounding box and coordinate sums of "
      "each, without a label image where the algorithm needs none";
  if (gpu)
    text +=
        "; GPU: between two events on the stream, image and table on the device, the host's wait for the "
        "number of components included";
  if (cpu) text += "; CPU: wall clock";
  lines.push_back(text);
  lines.push_back("checked: this table, too");
  lines.emplace_back(kThroughputNote);
}

void add_steps(bool gpu, bool cpu, std::vector<std::string>& lines) {
  lines.push_back(
      "steps are timed separately, which costs time: their sum exceeds the total of --test average");
  if (gpu)
    lines.push_back(
        "GPU phases: between events on the stream, renumbering included; allocate, release: wall clock");
  if (cpu)
    lines.push_back(
        "CPU phases: wall clock; Unpack: bits to the bytes that the papers read; allocate: touching the "
        "label "
        "image; render: writing the 32-bit label image of an algorithm that makes none");
  add_cycles(gpu, cpu, lines);
}

void add_iterations(const Results& results, std::vector<std::string>& lines) {
  lines.push_back("each image labeled once, the iterations averaged over the images");
  std::map<std::string, std::set<std::string>> algorithms;  // by the phase that they repeat
  for (const ImageSetResult& group : results.groups)
    for (const Row& row : group.rows)
      if (!row.measures.empty()) algorithms[row.measures.front().name].insert(row.title);
  std::string text = "an iteration is a launch of";
  const char* before = " ";
  for (const auto& [phase, names] : algorithms) {
    text += before + phase + " (";
    before = "; ";
    for (const std::string& name : names) text += (name == *names.begin() ? "" : ", ") + name;
    text += ")";
  }
  lines.push_back(text + "; the last one, which finds nothing to change, counts too");
  if (algorithms.contains("BorderMerge"))
    lines.push_back(
        "BorderMerge is launched once a level of tiles, as often as the size of the image asks for");
}

constexpr const char* kMemoryNotes[] = {
    "each image labeled once by kernels compiled to count their accesses to memory on the GPU; averaged over "
    "the images",
    "an access is one instruction of one thread, of however many bytes; phases in a loop add up",
    "image reads: of the input; reads, writes, atomics: of labels and parent pointers in global memory; "
    "tile: "
    "of those in shared memory",
    "bytes: what accesses to the image (1 byte) and to global memory (4, atomics 8) move at least, caches "
    "included; x floor: as a multiple of the 5 bytes per pixel of the bandwidth bound",
    "find steps (the iterations of Chen et al. 2018) are reads of parent pointers; not counted: flags that "
    "end a loop, other maps than labels, relabeling"};

constexpr const char* kWorkNotes[] = {
    "each image labeled once by kernels compiled to count; means over all thread blocks of all images, and "
    "the maximum",
    "a step follows one parent pointer; longest find path: the steps of the slowest thread of a block; "
    "atomics: atomic operations on parent pointers, in global and shared memory"};

void add_floor(const Results& results, bool gpu, bool cpu, std::vector<std::string>& lines) {
  std::string text = "floor: reading the input once and writing 4 bytes per pixel once, measured in this run";
  if (gpu) text += "; gpu-bytes and gpu-bits: on the GPU, input of 8 or 1 bits per pixel, events";
  if (cpu) text += "; host-bits: all CPU cores, input of 1 bit per pixel, labels by memset, wall clock";
  lines.push_back(text);
  lines.push_back(results.timing.rotate
                      ? "repetitions cycle through copies of input and labels (256 MiB in total, at most "
                        "64), so caches are cold, for the floor too"
                      : "repetitions use the same memory, so caches are warm (--rotate avoids it)");
}

}  // namespace

std::vector<std::string> measurement_notes(const Results& results) {
  const bool gpu = any_row(results, DeviceKind::cuda);
  const bool cpu = any_row(results, DeviceKind::cpu);
  std::vector<std::string> lines = {
      "test: " + name(results.test),
      "checked: labels and statistics of each algorithm on each image equal those of runs on the CPU, else "
      "not timed",
  };
  if (results.protocol == kTpds2024)
    lines.push_back(
        "protocol tpds2024: 8-connectivity, allocation of the label image included, the minimum of the "
        "repetitions of each image (column min), averaged over the images");
  if (!results.not_measured.empty()) lines.push_back(describe_left_out(results.not_measured, results.no_gpu));
  if (results.test == Test::iterations) {
    add_iterations(results, lines);
    return lines;
  }
  if (is_counted(results.test)) {
    const bool of_memory = results.test == Test::memory;
    const std::span<const char* const> notes =
        of_memory ? std::span<const char* const>(kMemoryNotes) : std::span<const char* const>(kWorkNotes);
    lines.insert(lines.end(), notes.begin(), notes.end());
    return lines;
  }
  lines.push_back(fmt::format(
      "each image: {} labelings to warm up, then {} (fewer where they take more than {} s); shown: their "
      "median, minimum, mean, maximum and the 5 % and 95 % quantiles, each averaged over the images",
      results.timing.warm_up, results.timing.repetitions, io::shortest(results.timing.limit_s)));
  lines.push_back(
      "random images: an algorithm that takes more than three times that on some images of a set is not "
      "timed on the rest");
  if (results.test == Test::host) {
    add_host_to_host(gpu, lines);
    return lines;
  }
  if (results.test == Test::cca) {
    add_components(gpu, cpu, lines);
    return lines;
  }
  if (results.test == Test::steps) {
    add_steps(gpu, cpu, lines);
  } else {
    add_totals(results, gpu, cpu, lines);
  }
  add_floor(results, gpu, cpu, lines);
  return lines;
}

}  // namespace gpuccl::bench
