// Parts that label their rows slab by slab, within a limit of memory: the files of the whole, byte for byte.

#include "app/label/part_labeler.hpp"

#include "app/binary.hpp"
#include "app/label/job.hpp"
#include "app/label/memory_plan.hpp"
#include "app/options/option_helpers.hpp"
#include "io/files/file_error.hpp"
#include "parts/run_parts.hpp"
#include "parts/saved_values.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::app;
using namespace tests;

namespace {

LazyEngine cpu_engine() { return {{.device = DeviceChoice::cpu}, nullptr}; }

LabelPaths outputs(const std::string& input, const std::string& base, const LabelOptions& options) {
  LabelPaths files;
  files.input = input;
  files.intensities = options.measure.intensities;
  files.image = base + ".tiff";
  files.stats = base + ".csv";
  files.contacts = base + "-contacts.csv";
  return files.with_defaults();
}

LabelOptions quiet_options() {
  LabelOptions options;
  options.quiet = true;
  options.output.file.sync = false;
  options.algorithm.engine.device = DeviceChoice::cpu;
  return options;
}

std::size_t most_slabs(const LabelPaths& files, const LabelOptions& options, int parts) {
  std::size_t most = 0;
  LabelInput input(files, options, nullptr);
  for (const Slab& slab : cut_into_parts(input.extent(), parts))
    most = std::max(most, PartLabeler(input, slab).slabs());
  return most;
}

Json components_of(const std::string& report) {
  const Json json = Json::parse(read_file(report));
  Json kept;
  for (const char* const key : {"input", "components", "values", "hints"})
    if (json.contains(key)) kept[key] = json[key];
  return kept;
}

/// `memory`: bytes for each part, which then needs several slabs.
void expect_files_of_the_whole(const ScratchFolder& scratch, const std::string& input, LabelOptions options,
                               std::int64_t memory) {
  options.resolve();
  const LabelPaths whole = outputs(input, scratch / "whole", options);
  LazyEngine engine = cpu_engine();
  label_file(whole, options, engine);
  options.input.limits.memory = memory;
  for (const int parts : {1, 2, 3}) {
    INFO(parts << " parts");
    const LabelPaths files = outputs(input, scratch / "parts", options);
    REQUIRE(most_slabs(files, options, parts) > 1);
    run_parts(parts, [&](PartLink& link) {
      LazyEngine own = cpu_engine();
      label_file(link, files, options, own);
    });
    CHECK((read_file(files.image) == read_file(whole.image)));
    CHECK((read_file(files.stats) == read_file(whole.stats)));
    CHECK((read_file(files.contacts) == read_file(whole.contacts)));
    CHECK((components_of(files.json) == components_of(whole.json)));
  }
}

}  // namespace

TEST_CASE("parts label a volume by slabs") {
  const ScratchFolder scratch;
  const Extent extent{90, 70, 48};
  const std::string input = save(scratch / "in.tif", random_image(extent, 0.45, 2, 3).view());
  constexpr std::int64_t kMemory = 60'000;
  LabelOptions options = quiet_options();
  SECTION("nothing else") {}
  SECTION("filled holes") {
    options.algorithm.connectivity = Connectivity::c26;
    options.fill_holes = 9;
  }
  SECTION("measures, cavities too") {
    options.algorithm.connectivity = Connectivity::c6;
    options.measure.wanted = measures_of(MeasureGroup::shape) | measures_of(MeasureGroup::topology) |
                             measures_of(MeasureGroup::border);
    options.measure.words = "shape,border,topology";
    options.selection.keep = parse_condition("extent > 0.3");
  }
  expect_files_of_the_whole(scratch, input, options, kMemory);
}

TEST_CASE("parts label values by slabs") {
  const ScratchFolder scratch;
  const std::string input = save_values(scratch / "in.tif", {70, 60, 40}, 8, SAMPLEFORMAT_UINT, 7);
  LabelOptions options = quiet_options();
  options.values.by_values = true;
  options.algorithm.connectivity = Connectivity::c6;
  SECTION("equal ones") {}
  SECTION("written back") {
    options.values.keep_values = true;
    options.selection.min_size = 4;
  }
  SECTION("a delta") { options.values.delta = 1; }
  expect_files_of_the_whole(scratch, input, options, 700'000);
}

TEST_CASE("a budget adds up the memory of steps") {
  MemoryBudget budget(1000 << 20);
  budget.claims.labels = 300 << 20;
  budget.claims.components = 300 << 20;
  budget.claims.strip = 50 << 20;
  CHECK(budget.writing(0) == 600 << 20);
  CHECK(budget.writing(2) == 700 << 20);
  budget.claims.preview = 80 << 20;  // written before or after the label image
  CHECK(budget.writing(1) == 680 << 20);
  budget.claims.contacts = 40 << 20;
  CHECK(budget.finding_contacts() == 720 << 20);

  CHECK(budget.can_write(8));
  CHECK(budget.can_write(9) == false);
  budget.claims.preview = 0;
  CHECK(budget.fits(static_cast<double>(budget.limit() + MemoryBudget::kInAnyCase)));
  CHECK_FALSE(budget.fits(static_cast<double>(budget.limit() + MemoryBudget::kInAnyCase + 1)));
}

TEST_CASE("as many strips are written at a time as a budget allows") {
  MemoryBudget budget(1000);
  budget.claims.labels = 400;
  budget.claims.strip = 100;
  CHECK(budget.strips_at_once() == 1);  // nothing is allowed yet
  budget.allow(2000);
  CHECK(budget.allowed() == 1000);
  CHECK_FALSE(budget.is_shared());
  CHECK(budget.strips_at_once() == 6);
  budget.allow(700);
  CHECK(budget.is_shared());
  CHECK(budget.strips_at_once() == 3);
  budget.allow(10);
  CHECK(budget.strips_at_once() == 1);
}

TEST_CASE("a budget reserves for the largest step, with buffers, up to the limit") {
  constexpr std::int64_t kMib = 1 << 20;
  MemoryBudget budget(100 * kMib);
  budget.claims.labeling = 22 * kMib;
  budget.claims.components = 5 * kMib;
  budget.claims.contacts = 3 * kMib;
  budget.claims.input = 2 * kMib;
  CHECK(budget.expected() == 30 * kMib);
  CHECK(budget.needed(budget.expected()) == 40 * kMib);
  CHECK(budget.at_once() == 27 * kMib);
  budget.claims.labels = 30 * kMib;
  CHECK(budget.at_once() == 38 * kMib);  // finding contacts
  CHECK(budget.needed(1e18) == 100 * kMib);
  budget.allow(40 * kMib);
  CHECK(budget.allows(30 * kMib));
  CHECK_FALSE(budget.allows(30 * kMib + 1));
}

TEST_CASE("measuring gets the memory that labels and components leave, and a minimum") {
  MemoryBudget budget(1 << 30);
  budget.claims.labels = 100 << 20;
  CHECK(budget.left_after(budget.writing(0), 300 << 20) == 200 << 20);
  CHECK(budget.left_after(budget.writing(0), 110 << 20) == MemoryBudget::kInAnyCase);
}
