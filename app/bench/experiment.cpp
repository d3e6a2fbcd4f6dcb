#include <fmt/core.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/results.hpp"
#include "app/bench/timed_labeler.hpp"
#include "app/common/messages.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/labels.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::bench {
namespace {

constexpr std::int64_t kElementsCompared = 1 << 18;

Labeling label_by_engine(BitView image, Connectivity connectivity) {
  const Algorithm& runs = *find_algorithm("runs", DeviceKind::cpu);
  return find_variant(runs, connectivity)->make(0)->label(image);
}

bool equal(const LabelImage& a, const LabelRows& b) {
  const std::int64_t width = a.extent().width;
  const std::int64_t rows_a_strip = std::max<std::int64_t>(1, kElementsCompared / width);
  std::atomic<bool> same = true;
  tbb::parallel_for(
      tbb::blocked_range<std::int64_t>(0, a.extent().rows(), static_cast<std::size_t>(rows_a_strip)),
      [&](const auto& rows) {
        if (!same) return;
        const std::int64_t count = rows.end() - rows.begin();
        std::vector<Label> strip(static_cast<std::size_t>(count * width));
        b.render(rows.begin(), count, strip.data(), nullptr);
        if (!std::equal(strip.begin(), strip.end(), a.data() + rows.begin() * width)) same = false;
      });
  return same;
}

std::string first_difference(const LabelImage& expected, const LabelRows& found) {
  const Comparison comparison = compare(expected, found);
  const auto number = [](auto value) { return std::to_string(value); };
  return "label at (" + number(comparison.x) + ", " + number(comparison.y) + ", " + number(comparison.z) +
         ") is " + number(comparison.b) + " instead of " + number(comparison.a);
}

/// Expected result of every algorithm for one image: the labels and statistics of the CPU engine, `runs`.
class Reference {
 public:
  // Labels may outlive their labeler, but not the image.
  Reference(BitView image, Connectivity connectivity) : Reference(label_by_engine(image, connectivity)) {}

  Label count() const { return labels_.count(); }
  /// Describes how `labeled` differs; empty if it is identical.
  std::string difference(const Labeling& labeled) const {
    const LabelRows& labels = *labeled.labels;
    if (labels.extent() != labels_.extent()) return "labels have another size than the image";
    if (labels.count() != labels_.count())
      return fmt::format("{} components instead of {}", labels.count(), labels_.count());
    if (!equal(labels_, labels)) return first_difference(labels_, labels);
    if (labeled.components != components_) return "statistics of components differ";
    return {};
  }
  /// Returns whether these are the components.
  bool has(const Components& components) const { return components == components_; }

 private:
  explicit Reference(Labeling labeled)
      : labels_(render_all(*labeled.labels)), components_(std::move(labeled.components)) {}

  LabelImage labels_;
  Components components_;
};

constexpr const char* kOutOfMemory = "out of memory";
constexpr double kMaxLimits = 3;  // time limits that an algorithm may take on one random set

Connectivity connectivity_of(const Plan& plan, Extent extent) {
  const bool volume = extent.depth > 1;
  const Connectivity chosen = plan.connectivity.value_or(volume ? Connectivity::c26 : Connectivity::c8);
  if (is_3d(chosen) != volume)
    throw Error(ErrorCode::usage, fmt::format("left out: {}-connectivity is for {}", static_cast<int>(chosen),
                                              is_3d(chosen) ? "volumes, and this is an image"
                                                            : "images, and this is a volume"));
  return chosen;
}

/// A group while its images are being measured.
struct OpenGroup {
  ImageSetResult group;
  std::vector<const Algorithm*> algorithms;  // one per row
  std::vector<ImageAverage> averages;        // per algorithm
  std::vector<double> spent_ms;              // per algorithm
};

class Measuring {
 public:
  Measuring(const Plan& plan, const Observer& observer)
      : plan_(plan), observer_(observer), floors_(plan.gpu, plan.timing.repetitions) {
    static_cast<Setting&>(results_) = plan;
    for (const ImageSet& set : plan.image_sets) inputs_ += set.inputs.size();
  }

  Results run() {
    for (const ImageSet& set : plan_.image_sets) {
      std::map<Connectivity, OpenGroup> groups;
      for (const Input& input : set.inputs)
        if (!stopped()) measure_input(set, input, groups);
      for (auto& [connectivity, open] : groups)
        if (!open.algorithms.empty()) results_.groups.push_back(finish(std::move(open)));
      if (!results_.groups.empty() && done_ < inputs_ && !stopped()) report_so_far();
    }
    return std::move(results_);
  }

 private:
  bool stopped() {
    if (observer_.stop() && results_.incomplete.empty()) results_.incomplete = "interrupted" + so_far();
    stopped_ = stopped_ || observer_.stop();
    return stopped_;
  }

  std::string so_far() const { return fmt::format(" after {} of {} images", done_, inputs_); }

  void report_so_far() {
    const std::string why = results_.incomplete;
    if (why.empty()) results_.incomplete = "still running" + so_far();
    observer_.finished(results_);
    results_.incomplete = why;
  }

  /// Measures an input. Failures are reported, and the experiment continues.
  void measure_input(const ImageSet& set, const Input& input, std::map<Connectivity, OpenGroup>& groups) {
    announce(input.name);
    const auto left_out = [&](ErrorCode failure, const std::string& reason) {
      results_.failures.insert(failure);
      observer_.problem(input.name + ": " + reason);
    };
    try {
      const BitVolume image = input.load();
      measure_image(set, input.name, image.view(), groups);
    } catch (const Error& error) {
      left_out(error.code(), error.what());
    } catch (const std::bad_alloc&) {
      left_out(ErrorCode::memory, kOutOfMemory);
    }
    ++done_;
  }

  void measure_image(const ImageSet& set, const std::string& name, BitView image,
                     std::map<Connectivity, OpenGroup>& groups) {
    const Connectivity connectivity = connectivity_of(plan_, image.extent);
    auto at = groups.find(connectivity);
    if (at == groups.end()) at = groups.emplace(connectivity, open(set, connectivity)).first;
    OpenGroup& open = at->second;
    if (open.algorithms.empty()) return;  // none of them labels this connectivity

    const Reference reference(image, connectivity);
    const auto elements = static_cast<double>(image.extent.elements());
    ++open.group.images;
    open.group.elements += elements;
    open.group.foreground += static_cast<double>(count_foreground(image)) / elements;
    open.group.components += reference.count();
    for (std::size_t i = 0; i < open.algorithms.size() && !stopped(); ++i) {
      if (set.extent && open.spent_ms[i] > kMaxLimits * 1000 * plan_.timing.limit_s) {
        ++open.group.rows[i].left_out;
        continue;
      }
      announce(name + ": " + open.group.rows[i].title);
      const app::Stopwatch stopwatch;
      measure_row(*open.algorithms[i], name, image, reference, open, i);
      open.spent_ms[i] += stopwatch.milliseconds();
    }
  }

  void measure_row(const Algorithm& algorithm, const std::string& image_name, BitView image,
                   const Reference& reference, OpenGroup& open, std::size_t i) {
    Row& row = open.group.rows[i];
    const auto note = [&](const std::string& problem) {
      if (row.problem.empty()) row.problem = image_name + ": " + problem;
    };
    const auto say = [&](const std::string& problem) {
      note(problem);
      observer_.problem(row.title + " on " + image_name + ": " + problem);
    };
    const auto fail = [&](ErrorCode failure, const std::string& problem) {
      ++row.failed;
      results_.failures.insert(failure);
      say(problem);
    };
    if (gpu_is_lost_ && algorithm.device == DeviceKind::cuda) {
      ++row.failed;
      note("left out, the GPU was lost before");
      return;
    }
    try {
      TimedLabeler& timed = timed_labeler(algorithm, open.group.connectivity);
      const Labeling labeled = timed.label(image);
      if (const std::string difference = reference.difference(labeled); !difference.empty()) {
        ++row.wrong;
        results_.wrong = true;
        say("wrong labels, not timed (" + difference + ")");
        return;
      }
      if (plan_.test == Test::cca && !reference.has(timed.components(image))) {
        ++row.wrong;
        results_.wrong = true;
        say("wrong components without a label image, not timed");
        return;
      }
      Samples samples;
      if (plan_.test == Test::iterations) {
        count_iterations(algorithm, labeled.phases, samples);
      } else if (is_counted(plan_.test)) {
        add_counted(find_phases(algorithm, open.group.connectivity), labeled.phases, row);
      } else {
        time(timed, image, samples);
        if (const auto clock = plan_.read_clock(algorithm.device))
          results_.clocks[algorithm.device].add(*clock);
        if (plan_.test != Test::host && plan_.test != Test::cca) add_floor(timed.floor(), image.extent, row);
      }
      open.averages[i].add(samples.summary());
      ++row.images;
      row.elements += static_cast<double>(image.extent.elements());
    } catch (const Error& error) {
      if (error.code() == ErrorCode::temporary) {
        gpu_is_lost_ = true;
        results_.incomplete = "the GPU was lost" + so_far();
        fail(error.code(), std::string(error.what()) + "; the remaining GPU measurements are skipped");
      } else {
        fail(error.code(), error.what());
      }
    } catch (const std::bad_alloc&) {
      fail(ErrorCode::memory, kOutOfMemory);
    }
  }

  void time(TimedLabeler& timed, BitView image, Samples& samples) const {
    const TimingOptions& timing = plan_.timing;
    if (plan_.test == Test::steps) return timed.time_steps(image, timing, samples);
    if (plan_.test == Test::host) return timed.time_host_to_host(image, timing, samples);
    if (plan_.test == Test::cca) return timed.time_components(image, timing, samples);
    timed.time_totals(image, timing, plan_.test == Test::average, samples);
  }

  /// Adds the counts of the algorithm's own phases, without relabeling.
  static void add_counted(const Phases& own, const PhaseTimes& phases, Row& row) {
    for (const PhaseTime& phase : phases) {
      const auto has_its_name = [&](const Phase& one) { return one.name == phase.phase; };
      if (std::any_of(own.begin(), own.end(), has_its_name)) add_to(row.counted, phase);
    }
  }

  /// Counts iterations in the labeling that was checked. An image without elements has no phases.
  static void count_iterations(const Algorithm& algorithm, const PhaseTimes& phases, Samples& samples) {
    const std::string iterated = iterated_phase(algorithm);
    const auto at = std::find_if(phases.begin(), phases.end(),
                                 [&](const PhaseTime& phase) { return phase.phase == iterated; });
    if (at == phases.end()) return samples.add(iterated, 0, 0);
    samples.add(iterated, at->milliseconds, at->launches);
  }

  void add_floor(FloorKind floor, Extent extent, Row& row) {
    row.floor = floor.name();
    row.floor_ms += floors_.milliseconds(floor, extent, copies(plan_.timing, extent));
  }

  OpenGroup open(const ImageSet& set, Connectivity connectivity) const {
    OpenGroup open;
    static_cast<KindOfImages&>(open.group) = set;
    open.group.connectivity = connectivity;
    for (const Algorithm* algorithm : plan_.algorithms) {
      if (find_variant(*algorithm, connectivity) == nullptr) continue;
      Row row;
      row.title = title(*algorithm);
      row.algorithm = algorithm->blocks.empty() ? algorithm->name : row.title;
      row.device = algorithm->device;
      row.cycles_a_ms = algorithm->device == DeviceKind::cuda ? plan_.cycles.gpu : plan_.cycles.cpu;
      open.group.rows.push_back(std::move(row));
      open.algorithms.push_back(algorithm);
      open.averages.emplace_back();
      open.spent_ms.push_back(0);
    }
    return open;
  }

  std::string title(const Algorithm& algorithm) const {
    if (!algorithm.blocks.empty()) return algorithm.name + " " + algorithm.blocks;
    const bool unique = std::none_of(
        plan_.algorithms.begin(), plan_.algorithms.end(),
        [&](const Algorithm* other) { return other != &algorithm && other->name == algorithm.name; });
    return unique ? algorithm.name : algorithm.name + " (" + app::device_name(algorithm.device) + ")";
  }

  static ImageSetResult finish(OpenGroup open) {
    ImageSetResult group = std::move(open.group);
    group.elements /= group.images;
    group.foreground /= group.images;
    group.components /= group.images;
    for (std::size_t i = 0; i < group.rows.size(); ++i) {
      Row& row = group.rows[i];
      row.measures = open.averages[i].mean();
      if (row.images == 0) continue;
      row.floor_ms /= row.images;
      row.elements /= row.images;
    }
    return group;
  }

  /// Returns the labeler, kept with its buffers for the next image of this connectivity.
  TimedLabeler& timed_labeler(const Algorithm& algorithm, Connectivity connectivity) {
    std::unique_ptr<TimedLabeler>& timed = labelers_[{&algorithm, connectivity}];
    if (timed == nullptr) timed = make_timed_labeler(*find_variant(algorithm, connectivity), plan_.gpu);
    return *timed;
  }

  void announce(const std::string& what) const {
    observer_.progress(static_cast<double>(done_) / static_cast<double>(inputs_), what);
  }

  const Plan& plan_;
  const Observer& observer_;
  Floors floors_;
  Results results_;
  std::map<std::pair<const Algorithm*, Connectivity>, std::unique_ptr<TimedLabeler>> labelers_;
  std::size_t inputs_ = 0;
  std::size_t done_ = 0;
  bool gpu_is_lost_ = false;
  bool stopped_ = false;
};

}  // namespace

Results measure(const Plan& plan, const Observer& observer) { return Measuring(plan, observer).run(); }

}  // namespace gpuccl::bench
