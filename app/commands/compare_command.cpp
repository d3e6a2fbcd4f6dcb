#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/common/sandbox.hpp"
#include "app/label/memory_plan.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/objects.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/image/limits.hpp"
#include "io/read/label_reader.hpp"

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
std::string describe(const Comparison& comparison, const LabelRows& a, const LabelRows& b) {
  if (!comparison.same_extent)
    return "different sizes: " + io::to_string(a.extent()) + " and " + io::to_string(b.extent());
  if (!comparison.differs) return "same labels";
  const char* verdict = comparison.same_partition    ? "same components, different numbers"
                        : comparison.same_background ? "different components"
                                                     : "different foreground";
  return fmt::format("{}: {}first at ({}, {}, {}): {} and {}", verdict, describe_foreground(comparison),
                     comparison.x, comparison.y, comparison.z, comparison.a, comparison.b);
}

int run_compare(const CompareOptions& options) {
  if (io::are_one_stream(options.a, options.b))
    throw io::FileError(options.b, ErrorCode::usage, "is a stream and can be read only once");
  enter_sandbox({options.a, options.b});
  // Each image gets half of the memory, of which its slabs take a quarter; the tables get a quarter each.
  const std::int64_t memory = io::memory_limit({.memory = options.memory});
  const auto reading = [&](const std::string& path) {
    io::ReadOptions read = options_of_labels(path, memory / 2, options.round);
    if (options.quiet) read.warn = nullptr;
    return read;
  };
  io::LabelReader a(options.a, reading(options.a)), b(options.b, reading(options.b));
  const std::int64_t of_table = std::max(MemoryBudget::kInAnyCase / 2, memory / 4);
  io::LabelNumbers numbers(of_table);
  const bool are_long = a.has_long_labels() || b.has_long_labels();
  for (io::LabelReader* const image : {&a, &b})
    if (are_long) image->number_with(numbers);
  Comparison comparison =
      io::with_path(options.b, [&] { return compare(a, b, std::max(of_table, memory / 2)); });
  if (are_long) {
    const std::vector<std::uint64_t> labels = numbers.labels();
    comparison.a = labels[comparison.a];
    comparison.b = labels[comparison.b];
  }
  for (const auto& [image, path] : {std::pair(&a, &options.a), {&b, &options.b}})
    if (image->any_nan() && !options.quiet) print_warning(*path, io::kHintOfNan);
  if (!options.quiet) print_result(describe(comparison, a, b) + "\n");
  const bool same =
      comparison.same_extent && (options.partition ? comparison.same_partition : comparison.same_numbers);
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
