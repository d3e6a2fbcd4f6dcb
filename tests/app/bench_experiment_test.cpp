// Experiments on small images: with the algorithms of the CPU, with one that is wrong, and with stages as a
// GPU algorithm has them, done by the CPU and strict about their order.

#include <stdexcept>

#include "app/bench/results.hpp"
#include "app/bench/timed_labeler.hpp"
#include "gpuccl/detail/staged.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::bench;

namespace {

std::unique_ptr<Labeler> flood_fill() {
  return find_variant(*find_algorithm("flood-fill", DeviceKind::cpu), Connectivity::c8)->make(0);
}

/// Right but for the label of the last foreground pixel.
class WrongLabeler final : public Labeler {
 public:
  Labeling label(BitView image) override {
    Labeling labeled = right_->label(image);
    auto labels = std::make_unique<LabelImage>(render_all(*labeled.labels));
    for (std::int64_t i = image.extent.elements(); i-- > 0;)
      if (labels->data()[i] != 0) {
        labels->data()[i] = 1;
        break;
      }
    labeled.labels = std::move(labels);
    return labeled;
  }

 private:
  std::unique_ptr<Labeler> right_ = flood_fill();
};

/// As a GPU is that falls off the bus after one image.
class LostGpu final : public Labeler {
 public:
  Labeling label(BitView image) override {
    if (labeled_once_) throw Error(ErrorCode::temporary, "the GPU was lost");
    labeled_once_ = true;
    return right_->label(image);
  }

 private:
  std::unique_ptr<Labeler> right_ = flood_fill();
  bool labeled_once_ = false;
};

class FailingLabeler final : public Labeler {
 public:
  Labeling label(BitView) override { throw Error(ErrorCode::memory, "out of GPU memory"); }
};

/// Keeps to the order that staged.hpp asks for, fails when a caller does not, and takes known times.
class StrictStages final : public StagedLabeler {
 public:
  void upload(BitView image) override {
    image_ = image;
    uploaded_ = true;
    allocated_ = numbered_ = false;
    enqueued_ms_ += 0.25;
  }
  void allocate() override {
    require(uploaded_, "allocate");
    allocated_ = true;
  }
  void release() override { allocated_ = numbered_ = false; }
  void run(Numbering numbering, PhaseTimes* times) override {
    require(allocated_, "run");
    numbered_ = numbering == Numbering::consecutive;
    if (times != nullptr) *times = {{"Init", 1, 1}, {"Scan", 6, 3}, {"Analysis", 3, 3}};
    enqueued_ms_ += numbered_ ? 10 : 8;
  }
  void run_components() override {
    require(uploaded_, "run_components");
    numbered_ = true;
    enqueued_ms_ += 5;
  }
  void statistics(PhaseTimes*) override {
    require(numbered_, "statistics");
    enqueued_ms_ += 1;
  }
  double device_ms(const std::function<void()>& work) override {
    enqueued_ms_ = 0;
    work();
    return enqueued_ms_;
  }
  void wait() override {}
  LabelImage labels() override { return render_all(*right_->label(image_).labels); }
  Components components() override { return right_->label(image_).components; }
  Labeling label(BitView image) override {
    upload(image);
    allocate();
    Labeling labeled = right_->label(image);
    run(Numbering::consecutive, &labeled.phases);
    return labeled;
  }

 private:
  static void require(bool holds, const char* stage) {
    if (!holds) throw std::logic_error(std::string("out of order: ") + stage);
  }

  std::unique_ptr<Labeler> right_ = flood_fill();
  BitView image_;
  double enqueued_ms_ = 0;
  bool uploaded_ = false, allocated_ = false, numbered_ = false;
};

Algorithm algorithm(const std::string& name, MakeLabeler make) {
  return {name, "", "", DeviceKind::cpu, {{Connectivity::c8, make}}};
}

Results measure_on(const std::vector<Algorithm>& table, Test test, std::vector<ImageSet> sets,
                   std::vector<std::string>* problems = nullptr,
                   const TimingOptions& timing = {1, 3, 10, true, true, false}) {
  Plan plan;
  plan.test = test;
  plan.image_sets = std::move(sets);
  for (const Algorithm& row : table) plan.algorithms.push_back(&row);
  plan.timing = timing;
  return measure(plan, {[](double, const std::string&) {},
                        [&](const std::string& line) {
                          if (problems != nullptr) problems->push_back(line);
                        }});
}

std::vector<ImageSet> two_small_images(Test test, std::vector<double> densities = {0.4}) {
  Request request;
  request.test = test;
  request.sizes = {{61, 47, 1}};
  request.granularities = {1};
  request.densities = std::move(densities);
  request.images = 2;
  return random_image_sets(request);
}

double median(const Row& row, const std::string& measure) {
  const Measure* found = find_measure(row.measures, measure);
  REQUIRE(found != nullptr);
  return found->timing.median_ms;
}

}  // namespace

TEST_CASE("an algorithm with wrong labels is reported and not timed") {
  const std::vector<Algorithm> table = {
      algorithm("wrong", [](int) -> std::unique_ptr<Labeler> { return std::make_unique<WrongLabeler>(); }),
      algorithm("right", [](int) { return flood_fill(); })};
  std::vector<std::string> problems;
  const Results results =
      measure_on(table, Test::density, two_small_images(Test::density, {0.1, 0.4}), &problems);
  CHECK(results.wrong);
  CHECK(results.failures.empty());
  CHECK(problems.size() == 4);
  CHECK(problems[0].find("wrong labels, not timed (label at (") != std::string::npos);
  REQUIRE(results.groups.size() == 2);
  for (const ImageSetResult& group : results.groups) {
    CHECK(group.rows[0].wrong == 2);
    CHECK(group.rows[0].images == 0);
    CHECK(group.rows[0].measures.empty());
    CHECK(group.rows[1].wrong == 0);
    CHECK(group.rows[1].images == 2);
  }
}

TEST_CASE("an image that a connectivity is not for is left out, and the others are measured") {
  const std::vector<Algorithm> table = {algorithm("right", [](int) { return flood_fill(); })};
  Plan plan;
  plan.algorithms = {&table[0]};
  plan.connectivity = Connectivity::c8;
  plan.timing = {0, 1, 10, true, true, false};
  plan.image_sets = two_small_images(Test::average);
  std::vector<Input>& inputs = plan.image_sets[0].inputs;
  inputs.insert(inputs.begin(), {"volume.tif", [] { return BitVolume({4, 4, 2}); }});
  inputs.push_back({"large.tif", []() -> BitVolume { throw std::bad_alloc(); }});
  std::vector<std::string> problems;
  const Results results = measure(plan, {[](double done, const std::string&) { CHECK(done < 1); },
                                         [&](const std::string& line) { problems.push_back(line); }});
  REQUIRE(problems.size() == 2);
  CHECK(problems[0] == "volume.tif: left out: 8-connectivity is for images, and this is a volume");
  CHECK(problems[1] == "large.tif: out of memory");
  CHECK(results.failures == std::set<ErrorCode>{ErrorCode::usage, ErrorCode::memory});
  REQUIRE(results.groups.size() == 1);
  CHECK(results.groups[0].images == 2);
  CHECK(results.groups[0].rows[0].images == 2);
}

TEST_CASE("an algorithm that fails and an image that cannot be read do not end the experiment") {
  const std::vector<Algorithm> table = {
      algorithm("failing",
                [](int) -> std::unique_ptr<Labeler> { return std::make_unique<FailingLabeler>(); }),
      algorithm("right", [](int) { return flood_fill(); })};
  std::vector<ImageSet> sets = two_small_images(Test::average);
  sets[0].inputs.insert(sets[0].inputs.begin(),
                        {"broken.png", []() -> BitVolume { throw Error(ErrorCode::data, "not a PNG"); }});
  std::vector<std::string> problems;
  const Results results = measure_on(table, Test::average, sets, &problems);
  CHECK(problems.size() == 3);
  CHECK(problems[0] == "broken.png: not a PNG");
  CHECK(results.failures == std::set<ErrorCode>{ErrorCode::data, ErrorCode::memory});
  REQUIRE(results.groups.size() == 1);
  CHECK(results.groups[0].images == 2);
  CHECK(results.groups[0].rows[0].failed == 2);
  CHECK(results.groups[0].rows[1].images == 2);
}

TEST_CASE("a GPU that is lost ends its own measurements and no other") {
  std::vector<Algorithm> table = {
      algorithm("first", [](int) -> std::unique_ptr<Labeler> { return std::make_unique<LostGpu>(); }),
      algorithm("second", [](int) -> std::unique_ptr<Labeler> { return std::make_unique<LostGpu>(); }),
      algorithm("right", [](int) { return flood_fill(); })};
  table[0].device = table[1].device = DeviceKind::cuda;
  std::vector<std::string> problems;
  const Results results = measure_on(table, Test::density, two_small_images(Test::density, {0.1, 0.4}),
                                     &problems, {0, 1, 10, true, false, false});
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].starts_with("first on "));
  CHECK(problems[0].ends_with(": the GPU was lost; the remaining GPU measurements are skipped"));
  CHECK(results.failures == std::set<ErrorCode>{ErrorCode::temporary});
  CHECK(results.incomplete == "the GPU was lost after 0 of 4 images");
  REQUIRE(results.groups.size() == 2);
  for (const ImageSetResult& group : results.groups) {
    CHECK(group.rows[0].failed == 2);
    CHECK(group.rows[1].failed == 2);
    CHECK(group.rows[1].problem.ends_with(": left out, the GPU was lost before"));
    CHECK(group.rows[2].images == 2);
    CHECK(median(group.rows[2], kPreallocated) > 0);
  }
}

TEST_CASE("an algorithm that has taken too long goes on with the next set of random images") {
  const std::vector<Algorithm> table = {algorithm("right", [](int) { return flood_fill(); })};
  std::vector<ImageSet> sets = two_small_images(Test::density, {0.1, 0.4});
  const auto images_of = [&] {
    std::vector<std::pair<int, int>> images;
    for (const ImageSetResult& group :
         measure_on(table, Test::density, sets, nullptr, {0, 1, 0, true, false, false}).groups)
      images.emplace_back(group.rows[0].images, group.rows[0].left_out);
    return images;
  };
  CHECK(images_of() == std::vector<std::pair<int, int>>{{1, 1}, {1, 1}});
  for (ImageSet& set : sets) set.extent.reset();  // a dataset, whose images are not alike
  CHECK(images_of() == std::vector<std::pair<int, int>>{{2, 0}, {2, 0}});
}

TEST_CASE("stages are gone through in their order and each has its measure") {
  const std::vector<Algorithm> table = {
      algorithm("staged", [](int) -> std::unique_ptr<Labeler> { return std::make_unique<StrictStages>(); })};
  const Algorithm& staged = table[0];
  const std::unique_ptr<TimedLabeler> timed = make_timed_labeler(staged.variants[0], 0);
  const BitVolume image = two_small_images(Test::average)[0].inputs[0].load();
  const bool rotate = GENERATE(false, true);
  const TimingOptions timing{1, 5, 10, true, true, rotate};

  for (int image_number = 0; image_number < 2; ++image_number) {
    CHECK(timed->label(image.view()).components.size() > 0);
    CHECK(timed->floor() == FloorKind{DeviceKind::cuda, 8});

    Samples totals;
    timed->time_totals(image.view(), timing, true, totals);
    Row row;
    row.measures = totals.summary();
    CHECK(median(row, kUpload) == 0.25);
    CHECK(median(row, kPreallocated) == 8);
    CHECK(median(row, kNumbered) == 10);
    CHECK(median(row, kStatistics) == 1);
    CHECK(find_measure(row.measures, kAllocated) != nullptr);
    CHECK(median(row, kWhole) > 0);

    Samples steps;
    timed->time_steps(image.view(), timing, steps);
    std::vector<std::string> names;
    for (const Measure& measure : steps.summary()) names.push_back(measure.name);
    CHECK(names == std::vector<std::string>{"upload", "allocate", "Init", "Scan", "Analysis", "statistics",
                                            "release"});
  }
}

TEST_CASE("iterations are launches of the phase that an algorithm repeats") {
  const auto iterations = [](const Row& row) { return row.measures.at(0).launches; };
  std::vector<Algorithm> table = {
      algorithm("staged", [](int) -> std::unique_ptr<Labeler> { return std::make_unique<StrictStages>(); }),
      *find_algorithm("ep", DeviceKind::cpu), *find_algorithm("fb", DeviceKind::cpu)};
  table[0].phases = {{"Init"}, {"Scan", kRepeated}, {"Analysis", kRepeated}};
  const Results results =
      measure_on(table, Test::iterations, two_small_images(Test::iterations, {0, 0.5, 1}));
  REQUIRE(results.groups.size() == 3);
  for (const ImageSetResult& group : results.groups) {
    CAPTURE(group.density);
    CHECK(iterations(group.rows[0]) == 3.0);
    CHECK(group.rows[0].measures.size() == 1);
    CHECK(group.rows[1].measures[0].name == "Propagate");
    CHECK(group.rows[0].floor_ms == 0);
  }
  // Nothing to do; a full image whose label 1 goes 60 pixels right and 46 down at once, and is looked at
  // again.
  CHECK(iterations(results.groups[0].rows[1]) == 1.0);
  CHECK(iterations(results.groups[0].rows[2]) == 1.0);
  CHECK(iterations(results.groups[2].rows[1]) == 61.0);
  CHECK(iterations(results.groups[2].rows[2]) == 2.0);
  CHECK(iterations(results.groups[1].rows[1]) > iterations(results.groups[1].rows[2]));
}

TEST_CASE("accesses are those of an algorithm's own phases, by their whole names") {
  std::vector<Algorithm> table = {
      algorithm("staged", [](int) -> std::unique_ptr<Labeler> { return std::make_unique<StrictStages>(); })};
  table[0].phases = {{"Initialization"}, {"Scan", kRepeated}};
  const Results results = measure_on(table, Test::memory, two_small_images(Test::memory));
  REQUIRE(results.groups.size() == 1);
  const PhaseTimes& accesses = results.groups[0].rows[0].counted;
  REQUIRE(accesses.size() == 1);
  CHECK(accesses[0].phase == "Scan");
  CHECK(accesses[0].launches == 6);  // 3 for each of two images
}

TEST_CASE("repeating ends in time, but not without one repetition that counts") {
  const auto counted = [](const TimingOptions& timing) {
    std::pair<int, int> calls;  // warming up, counting
    repeat(timing, [&](int, bool counts) { ++(counts ? calls.second : calls.first); });
    return calls;
  };
  TimingOptions timing{3, 5, 1000, true, true, false};
  CHECK(counted(timing) == std::pair(3, 5));
  timing.limit_s = 0;
  CHECK(counted(timing).second == 1);
  CHECK(counted(timing).first <= 1);
  timing.limit_s = 1000;
  timing.stop = [] { return true; };
  CHECK(counted(timing) == std::pair(0, 1));
}

TEST_CASE("clocks are read after the timed work") {
  const std::vector<Algorithm> table = {
      algorithm("wrong", [](int) -> std::unique_ptr<Labeler> { return std::make_unique<WrongLabeler>(); }),
      algorithm("right", [](int) { return flood_fill(); })};
  Plan plan;
  plan.image_sets = two_small_images(Test::average);
  for (const Algorithm& row : table) plan.algorithms.push_back(&row);
  plan.timing = {1, 3, 10, true, true, false};
  double mhz = 2000;
  plan.read_clock = [&](DeviceKind) { return std::optional(ClockReading{mhz -= 500, {}}); };
  const Results results = measure(plan, {[](double, const std::string&) {}, [](const std::string&) {}});
  REQUIRE(results.clocks.size() == 1);
  const Clocks& clocks = results.clocks.at(DeviceKind::cpu);
  CHECK(clocks.readings == 2);  // one for each image of the algorithm that was timed
  CHECK(clocks.lowest_mhz == 1000);
  CHECK(clocks.highest_mhz == 1500);
}
