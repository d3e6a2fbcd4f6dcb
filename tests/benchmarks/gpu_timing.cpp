// Times the CUDA algorithms on generated images. Every figure is a median, in milliseconds: the
// labeling as published (labels preallocated, not consecutive), what consecutive numbers and statistics cost
// on top, and the memory-bandwidth floor of the same card; last, by the wall clock, what a user of the
// program waits for: from the image to components and labels of runs on the host, as Labeler::label().
// Images and labels are larger than any cache. An algorithm whose labels are not those of the CPU is
// reported, not timed. With --steps, phases too; with --more, all images of lib/src/cuda/runs/NOTES.md
// (2048x2048 fits into a cache). With --files, instead of all that, what the way to a label file costs:
// upload, kernels, statistics and the wall clock, of which the rest is the host and the labels' way down, and
// the phases that take the place of the label image. With --measures, what the sums of shape and topology
// take on top of statistics, and the same by all threads of the host from labels of runs.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "app/bench/generate.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/detail/measures.hpp"
#include "gpuccl/detail/staged.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/measures.hpp"

using namespace gpuccl;

namespace {

constexpr int kRepetitions = 30;

struct Case {
  Extent extent;
  Connectivity connectivity;
  double density = 0.5;
  int granularity = 1;
  std::string kind = "random";
};

template <class Work>
double median_ms(StagedLabeler& labeler, const Work& work) {
  for (int i = 0; i < 3; ++i) work();
  std::vector<double> times;
  for (int i = 0; i < kRepetitions; ++i) times.push_back(labeler.device_ms(work));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// The way of the program.
double program_ms(StagedLabeler& labeler, BitView image) {
  std::vector<double> times;
  for (int i = 0; i < kRepetitions / 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const Labeling labeled = labeler.label(image);
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void print_steps(StagedLabeler& labeler, Numbering numbering) {
  PhaseTimes sum;
  for (int i = 0; i < kRepetitions; ++i) {
    labeler.run(numbering, &sum);
    labeler.statistics(&sum);
  }
  for (const PhaseTime& phase : sum)
    std::printf("    %-20s %8.4f\n", phase.phase.c_str(), phase.milliseconds / kRepetitions);
}

void time_one(const std::string& name, StagedLabeler& labeler, const BitVolume& image,
              const LabelRows& expected, double floor_ms, bool steps) {
  labeler.upload(image.view());
  labeler.allocate();
  labeler.run(Numbering::consecutive, nullptr);
  if (!compare(labeler.labels(), expected).same_numbers) {
    std::printf("  %-8s WRONG LABELS\n", name.c_str());
    return;
  }
  const double provisional = median_ms(labeler, [&] { labeler.run(Numbering::provisional, nullptr); });
  const double consecutive = median_ms(labeler, [&] { labeler.run(Numbering::consecutive, nullptr); });
  const double statistics = median_ms(labeler,
                                      [&] {
                                        labeler.run(Numbering::consecutive, nullptr);
                                        labeler.statistics(nullptr);
                                      }) -
                            consecutive;
  std::printf(
      "  %-8s %8.4f  x%5.1f   numbers %+8.4f (%+5.1f %%)   statistics %+8.4f (%+5.1f %%)   program %.2f\n",
      name.c_str(), provisional, provisional / floor_ms, consecutive - provisional,
      100 * (consecutive / provisional - 1), statistics, 100 * statistics / consecutive,
      program_ms(labeler, image.view()));
  if (steps) print_steps(labeler, Numbering::consecutive);
}

/// The way to a label file.
void time_files(const std::string& name, StagedLabeler& labeler, const BitVolume& image,
                const Labeling& expected) {
  const Labeling labeled = labeler.label(image.view());
  if (labeled.components != expected.components || !compare(*labeled.labels, *expected.labels).same_numbers) {
    std::printf("  %-8s WRONG LABELS\n", name.c_str());
    return;
  }
  PhaseTimes phases;
  labeler.time_phases(true);
  for (int i = 0; i < kRepetitions; ++i)
    for (const PhaseTime& phase : labeler.label(image.view()).phases) add_to(phases, phase);
  labeler.time_phases(false);
  double kernels = 0;
  for (const PhaseTime& phase : phases) kernels += phase.milliseconds / kRepetitions;
  const double upload = median_ms(labeler, [&] { labeler.upload(image.view()); });
  labeler.allocate();
  const double statistics = median_ms(labeler,
                                      [&] {
                                        labeler.run(Numbering::consecutive, nullptr);
                                        labeler.statistics(nullptr);
                                      }) -
                            median_ms(labeler, [&] { labeler.run(Numbering::consecutive, nullptr); });
  labeler.release();
  const double whole = program_ms(labeler, image.view());
  std::printf("  %-8s files %8.3f = upload %.3f, kernels %.3f, statistics %.3f, host and labels' way %.3f\n",
              name.c_str(), whole, upload, kernels, statistics, whole - upload - kernels - statistics);
  for (const PhaseTime& phase : phases)
    std::printf("    %-20s %8.4f\n", phase.phase.c_str(), phase.milliseconds / kRepetitions);
}

/// Sums that the device gathers per component, and those of the host from labels of runs, have to be the
/// same.
void time_measures(const std::string& name, StagedLabeler& labeler, const BitVolume& image,
                   Connectivity connectivity, double floor_ms) {
  MeasureRequest request;
  request.wanted = measures_of(MeasureGroup::shape) | measures_of(MeasureGroup::topology);
  for (const MeasureId id : {MeasureId::feret_diameter_max, MeasureId::feret_diameter_max_physical,
                             MeasureId::cavities, MeasureId::tunnels})
    request.wanted.reset(static_cast<std::size_t>(id));
  request.connectivity = connectivity;
  const SumsLayout layout = layout_of_sums(request.wanted, connectivity);
  labeler.gather(layout);
  Labeling labeled = labeler.label(image.view());
  if (labeled.sums.words.empty()) return;
  const auto begin = std::chrono::steady_clock::now();
  const MeasureTable of_host = measure(*labeled.labels, labeled.components, request);
  const double host =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  request.gathered = &labeled.sums;
  const MeasureTable of_device = measure(*labeled.labels, labeled.components, request);
  std::vector<std::uint64_t> a, b;
  for (std::size_t i = 0; i < labeled.components.size(); ++i) {
    a.clear();
    b.clear();
    save(of_host, i, a);
    save(of_device, i, b);
    if (a == b) continue;
    std::printf("  %-8s WRONG SUMS of component %zu\n", name.c_str(), i + 1);
    return;
  }
  labeler.allocate();
  const auto with_statistics = [&](const SumsLayout& gathered) {
    labeler.gather(gathered);
    return median_ms(labeler, [&] {
      labeler.run(Numbering::consecutive, nullptr);
      labeler.statistics(nullptr);
    });
  };
  const double statistics = with_statistics({}), sums = with_statistics(layout);
  std::printf(
      "  %-8s labels and statistics %8.4f  x%5.1f   sums %+8.4f (%+5.1f %%)   host %.2f   program %.2f",
      name.c_str(), statistics, statistics / floor_ms, sums - statistics, 100 * (sums / statistics - 1), host,
      program_ms(labeler, image.view()));
  labeler.gather({});
  std::printf(" instead of %.2f\n", program_ms(labeler, image.view()));
}

enum class Timed { totals, steps, files, measures };

void time_case(const Case& what, const std::vector<std::string>& names, Timed timed) {
  const BitVolume image = generate({.kind = what.kind,
                                    .extent = what.extent,
                                    .density = what.density,
                                    .granularity = what.granularity,
                                    .seed = 1});
  const auto reference = find_variant(*find_algorithm("runs", DeviceKind::cpu), what.connectivity)->make(0);
  const Labeling expected = reference->label(image.view());
  const BandwidthBound floor = measure_bandwidth_bound(0, what.extent, kRepetitions);
  std::printf(
      "%s %dx%dx%d, %d-connectivity, density %.1f granularity %d: %u components, floor %.4f (bits %.4f)\n",
      what.kind.c_str(), what.extent.width, what.extent.height, what.extent.depth,
      static_cast<int>(what.connectivity), what.density, what.granularity, expected.labels->count(),
      floor.from_bytes_ms, floor.from_bits_ms);
  for (const Algorithm& algorithm : algorithms()) {
    const Variant* const variant = find_variant(algorithm, what.connectivity);
    const bool wanted = names.empty() || std::find(names.begin(), names.end(), algorithm.name) != names.end();
    if (algorithm.device != DeviceKind::cuda || variant == nullptr || !wanted) continue;
    const std::unique_ptr<Labeler> labeler = variant->make(0);
    if (auto* const staged = dynamic_cast<StagedLabeler*>(labeler.get())) switch (timed) {
        case Timed::files:
          time_files(algorithm.name, *staged, image, expected);
          break;
        case Timed::measures:
          time_measures(algorithm.name, *staged, image, what.connectivity, floor.from_bits_ms);
          break;
        default:
          time_one(algorithm.name, *staged, image, *expected.labels, floor.from_bytes_ms,
                   timed == Timed::steps);
      }
  }
  std::fflush(stdout);
}

std::vector<Case> cases_of_papers() {
  using enum Connectivity;
  const Extent image{8192, 8192, 1}, volume{512, 512, 512};
  return {{image, c8, 0.1, 1},   {image, c8, 0.5, 1},   {image, c8, 0.5, 8},  {image, c8, 0.9, 8},
          {volume, c26, 0.1, 1}, {volume, c26, 0.3, 4}, {volume, c26, 0.5, 4}};
}

/// Further images of runs/NOTES.md.
std::vector<Case> more_cases() {
  using enum Connectivity;
  const Extent image{8192, 8192, 1}, small{2048, 2048, 1}, volume{512, 512, 512};
  const Extent page{1024, 1024, 1}, block{128, 128, 128};
  return {{image, c8, 0.1, 8},
          {image, c8, 0.5, 4},
          {image, c8, 0.9, 1},
          {.extent = image, .connectivity = c8, .kind = "spiral"},
          {.extent = image, .connectivity = c8, .kind = "comb"},
          {image, c4, 0.5, 8},
          {image, c4, 0.5, 1},
          {small, c8, 0.1, 4},
          {small, c8, 0.5, 16},
          {small, c8, 0.5, 1},
          {small, c8, 0.4, 1},
          {small, c4, 0.5, 4},
          {page, c8, 0.5, 1},
          {.extent = page, .connectivity = c8, .kind = "page"},
          {block, c26, 0.3, 4},
          {block, c26, 0.1, 1},
          {block, c6, 0.5, 4},
          {volume, c26, 0.3, 8},
          {.extent = volume, .connectivity = c26, .kind = "blobs"},
          {volume, c6, 0.5, 8},
          {volume, c18, 0.5, 8}};
}

/// Input of label files.
std::vector<Case> cases_of_files() {
  using enum Connectivity;
  const Extent sheet{16384, 16384, 1}, volume{512, 512, 512};
  return {{.extent = sheet, .connectivity = c8, .kind = "page"},
          {sheet, c8, 0.5, 1},
          {{8192, 8192, 1}, c8, 0.1, 1},
          {.extent = volume, .connectivity = c26, .kind = "blobs"}};
}

}  // namespace

int main(int argc, char** argv) {
  Timed timed = Timed::totals;
  std::vector<Case> cases = cases_of_papers();
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--steps") == 0) {
      timed = Timed::steps;
    } else if (std::strcmp(argv[i], "--measures") == 0) {
      timed = Timed::measures;
    } else if (std::strcmp(argv[i], "--files") == 0) {
      timed = Timed::files;
      cases = cases_of_files();
    } else if (std::strcmp(argv[i], "--more") == 0) {
      for (Case& one : more_cases()) cases.push_back(std::move(one));
    } else {
      names.emplace_back(argv[i]);
    }
  }
  const CudaStatus status = cuda_status();
  if (status.devices.empty()) {
    std::printf("skipped: no GPU (%s)\n", status.problem.c_str());
    return 77;
  }
  std::printf("%s, driver %s, runtime %s, median of %d\n", status.devices[0].name.c_str(),
              status.driver_version.c_str(), status.runtime_version.c_str(), kRepetitions);
  for (const Case& one : cases) time_case(one, names, timed);
  return 0;
}
