#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/common/sandbox.hpp"
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
std::string describe(const Comparison& comparison, const LabelImage& a, const LabelImage& b) {
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
  std::vector<std::uint64_t> long_a, long_b;
  const auto read = [&](const std::string& path, std::vector<std::uint64_t>& long_labels) {
    return io::with_path(path, [&] {
      return io::read_labels(path, &long_labels, {}, nullptr, [&](const std::string& line) {
        if (!options.quiet) print_warning(path, line);
      });
    });
  };
  const LabelImage a = read(options.a, long_a), b = read(options.b, long_b);
  const Comparison comparison = compare(a, b, long_a, long_b);
  if (!options.quiet) print_result(describe(comparison, a, b) + "\n");
  const bool same =
      comparison.same_extent && (options.partition ? comparison.same_partition : comparison.same_numbers);
  return same ? kSuccess : kDifferent;
}

}  // namespace

void setup_compare(const Command& command) {
  const auto options = std::make_shared<CompareOptions>();
  add_path_or_stream(command, "A", options->a, "", "Label image in any format that gpuccl reads").required();
  add_path_or_stream(command, "B", options->b, "", "Label image to compare it with").required();
  add_switch(command, "--partition", options->partition, "Ignore labels: compare components only");
  add_switch(command, "--quiet", options->quiet, "Print nothing; return the exit code only");
  command.on_run([options] { return run_compare(*options); });
}

}  // namespace gpuccl::app
