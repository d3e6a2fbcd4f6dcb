#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/commands/match.hpp"
#include "app/common/messages.hpp"
#include "app/common/sandbox.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/labeled_image.hpp"
#include "app/label/memory_plan.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/parts.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::app {
namespace {

struct CompareOptions {
  std::string a, b;
  std::int64_t memory = 0;
  bool round = false;
  bool partition = false;
  bool quiet = false;
};

/// Describes how many foreground pixels differ, with the Dice coefficient.
std::string describe_foreground(const Comparison& comparison) {
  const std::uint64_t elements = comparison.other_foreground;
  if (elements == 0) return "";
  return fmt::format("{}, Dice coefficient {:.6g}, ", counted(elements, "pixel"), comparison.dice());
}

/// One line: how the two differ, and where first.
std::string describe(const Comparison& comparison) {
  if (!comparison.differs) return "same labels";
  const char* verdict = comparison.same_partition    ? "same components, different numbers"
                        : comparison.same_background ? "different components"
                                                     : "different foreground";
  return fmt::format("{}: {}first at ({}, {}, {}): {} and {}", verdict, describe_foreground(comparison),
                     comparison.x, comparison.y, comparison.z, comparison.a, comparison.b);
}

/// Returns the labels of an image, which are in raster order, as numbers: i stands for the value ids[i].
std::unique_ptr<LabelRows> renumber(PartResult& part, const Extent& extent,
                                    const std::vector<std::uint64_t>& ids) {
  std::vector<Label>& numbers = part.labels.numbers;
  numbers.assign(1, 0);
  for (const ValueBits value : part.values)
    numbers.push_back(static_cast<Label>(std::lower_bound(ids.begin() + 1, ids.end(), value) - ids.begin()));
  std::vector<SlabLabels> whole;
  whole.push_back(std::move(part.labels));
  part = {};
  return joined_labels(extent, std::move(whole), static_cast<Label>(ids.size() - 1));
}

int run_compare(const CompareOptions& options) {
  if (io::are_one_stream(options.a, options.b))
    throw io::FileError(options.b, ErrorCode::usage, "is a stream and can be read only once");
  enter_sandbox({options.a, options.b});
  // Each image gets three eighths of the memory, the tables get a quarter.
  const std::int64_t memory = io::memory_limit({.memory = options.memory});
  LabelOptions read = LabelOptions::for_objects();
  read.planes.options.instead = kSaveLabels;
  read.selection.order = LabelOrder::raster;
  read.values.round = options.round;
  read.input.limits.memory = std::max<std::int64_t>(1, memory / 8 * 3);
  read.resolve();
  const auto open = [&](const std::string& path) {
    LabelPaths files;
    files.input = path;
    return io::with_path(path, [&] {
      return std::make_unique<LabeledImage>(
          files, read, options.quiet ? WarnAbout() : [](const auto&... about) { print_warning(about...); });
    });
  };
  const std::unique_ptr<LabeledImage> a = open(options.a), b = open(options.b);
  const Extent extent = a->input().extent();
  if (extent != b->input().extent()) {
    if (!options.quiet)
      print_result("different sizes: " + io::to_string(extent) + " and " +
                   io::to_string(b->input().extent()) + "\n");
    return kDifferent;
  }
  if (!options.quiet)
    warn_of_grids(options.a, a->input().info().geometry, options.b, b->input().info().geometry, extent,
                  "labels");
  PartResult of_a = io::with_path(options.a, [&] { return a->label(); });
  PartResult of_b = io::with_path(options.b, [&] { return b->label(); });
  std::vector<std::uint64_t> ids{0};
  for (const PartResult* const part : {&of_a, &of_b})
    ids.insert(ids.end(), part->values.begin(), part->values.end());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const std::unique_ptr<LabelRows> rows_a = renumber(of_a, extent, ids), rows_b = renumber(of_b, extent, ids);
  Comparison comparison = io::with_path(
      options.b, [&] { return compare(*rows_a, *rows_b, std::max(MemoryBudget::kInAnyCase, memory / 4)); });
  comparison.a = ids[comparison.a];
  comparison.b = ids[comparison.b];
  if (!options.quiet) print_result(describe(comparison) + "\n");
  const bool same = options.partition ? comparison.same_partition : comparison.same_numbers;
  return same ? kSuccess : kDifferent;
}

}  // namespace

void setup_compare(const Command& command) {
  const auto options = std::make_shared<CompareOptions>();
  add_path(command, "A", options->a, "", "Label image in any format that gpuccl reads", wrong_path)
      .required();
  add_path(command, "B", options->b, "", "Label image to compare it with", wrong_path).required();
  add_switch(command, "--partition", options->partition, "Ignore labels: compare components only");
  add_round(command, options->round);
  add_memory(command, options->memory, "Memory limit; larger images are read in slabs");
  add_switch(command, "--quiet", options->quiet, "Print nothing; return the exit code only");
  command.on_run([options] { return run_compare(*options); });
}

}  // namespace gpuccl::app
