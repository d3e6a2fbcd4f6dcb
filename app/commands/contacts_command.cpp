#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/common/sandbox.hpp"
#include "app/label/describe.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/memory_plan.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/objects.hpp"
#include "io/files/file_error.hpp"
#include "io/image/formats.hpp"
#include "io/image/limits.hpp"
#include "io/read/label_reader.hpp"
#include "io/report/csv_tables.hpp"

namespace gpuccl::app {
namespace {

struct ContactsOptions {
  std::string input;
  io::Target output = "-";
  AlgorithmOptions neighbors;  // connectivity and per_slice alone
  PeriodicAxes periodic{};
  std::optional<io::GivenSpacing> spacing;
  std::int64_t memory = 0;
  bool round = false;
  OutputOptions file;
};

/// Warns if the image is probably not a label image.
void warn_of_few_labels(const std::string& path, std::uint64_t largest, bool touch) {
  if (touch) return;
  if (largest > 1) {
    print_warning(path, "no two labels touch; components with 8- or 26-connectivity never do");
    return;
  }
  print_warning(path, std::string(largest == 0 ? "contains no label" : "contains only label 1") +
                          "; number the components with 'gpuccl label' first");
}

/// Finds the contacts of labels, or of their numbers, within the memory that remains after reading.
std::vector<Contact> find_within(const MemoryBudget& budget, const io::LabelReader& labels,
                                 Connectivity connectivity, const PeriodicAxes& periodic) {
  const Extent extent = labels.extent();
  const double needed = static_cast<double>(
      labels.bytes() + bytes_to_find_contacts(extent, connectivity, extent.width, periodic));
  budget.check_fits(needed, "to find contacts");
  return find_contacts(labels, connectivity, nullptr, periodic, budget.left_after(needed));
}

/// Replaces numbers by the positions of their labels in ascending order, and returns these labels. `labels`:
/// the label of each number, and of 0.
std::vector<std::uint64_t> sort_by_label(const std::vector<std::uint64_t>& labels,
                                         std::vector<Contact>& contacts) {
  std::vector<std::uint64_t> sorted = labels;
  std::sort(sorted.begin(), sorted.end());
  const auto position = [&](Label number) {
    return static_cast<Label>(std::lower_bound(sorted.begin(), sorted.end(), labels[number]) -
                              sorted.begin());
  };
  for (Contact& contact : contacts)
    std::tie(contact.a, contact.b) = std::minmax({position(contact.a), position(contact.b)});
  std::sort(contacts.begin(), contacts.end(), [](const Contact& one, const Contact& other) {
    return std::pair(one.a, one.b) < std::pair(other.a, other.b);
  });
  sorted.erase(sorted.begin());  // 0
  return sorted;
}

int run_contacts(const ContactsOptions& options) {
  enter_sandbox({options.input}, {options.output});
  LabelPaths paths;
  paths.input = options.input;
  paths.stats = options.output;
  refuse_overlap(paths);
  TextOutput output(options.output, options.file, io::is_contacts_csv);
  const std::int64_t memory = io::memory_limit({.memory = options.memory});
  io::LabelReader labels(options.input, options_of_labels(options.input, memory, options.round));
  io::ImageInfo info = labels.info();
  std::vector<Contact> contacts;
  std::vector<std::uint64_t> long_labels;
  bool volume = false;
  io::with_path(options.input, [&] {
    const Connectivity connectivity =
        options.neighbors.connectivity_for(info.extent, io::holds_volumes(info.format));
    volume = is_3d(connectivity);
    if (options.spacing) io::set_spacing(info.geometry, *options.spacing);
    check_spacing(options.spacing, info, connectivity);
    // Tables of 64-bit labels get a quarter of the memory.
    const bool are_long = labels.has_long_labels();
    io::LabelNumbers numbers(std::max(MemoryBudget::kInAnyCase / 2, memory / 4));
    if (are_long) labels.number_with(numbers);
    contacts =
        find_within(MemoryBudget(are_long ? memory / 4 * 3 : memory), labels, connectivity, options.periodic);
    if (are_long) long_labels = sort_by_label(numbers.labels(), contacts);
    if (labels.any_nan()) print_warning(options.input, io::kHintOfNan);
    if (const std::string hint = hint_of_spacing(info, connectivity); !hint.empty())
      print_warning(options.input, hint);
    warn_of_few_labels(options.input, long_labels.empty() ? labels.count() : long_labels.back(),
                       !contacts.empty());
  });

  io::stream_contacts_csv([&](std::string_view text) { output.write(text); }, volume, info.geometry, contacts,
                          {}, long_labels);
  TextOutput::commit_together({&output});
  return kSuccess;
}

}  // namespace

void setup_contacts(const Command& command) {
  const auto options = std::make_shared<ContactsOptions>();
  add_path(command, "LABELS", options->input, "", "Label image in any format that gpuccl reads", wrong_path)
      .required();
  add_text_path(command, "-o,--output", options->output, "csv", "Table of contacts [- for standard output]");
  add_connectivity(command, options->neighbors.connectivity);
  add_switch(command, "--per-slice", options->neighbors.per_slice,
             "Count contacts within slices only, with 4- or 8-connectivity");
  add_periodic(command, options->periodic, "Connect opposite borders along these axes, as in x,y,z");
  add_round(command, options->round);
  add_spacing(command, options->spacing);
  add_memory(command, options->memory, "Memory limit; larger images are read in slabs");
  options->file.add_to(command);
  command.on_run([options] {
    options->neighbors.check();
    return run_contacts(*options);
  });
}

}  // namespace gpuccl::app
