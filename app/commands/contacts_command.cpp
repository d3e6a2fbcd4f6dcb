#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/common/sandbox.hpp"
#include "app/label/describe.hpp"
#include "app/label/label_paths.hpp"
#include "app/options/algorithm_options.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/objects.hpp"
#include "io/files/file_error.hpp"
#include "io/image/formats.hpp"
#include "io/read/label_reader.hpp"
#include "io/report/csv_tables.hpp"

namespace gpuccl::app {
namespace {

struct ContactsOptions {
  std::string input, output = "-";
  AlgorithmOptions neighbors;  // connectivity and per_slice alone
  PeriodicAxes periodic{};
  std::optional<io::GivenSpacing> spacing;
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

int run_contacts(const ContactsOptions& options) {
  enter_sandbox({options.input}, {options.output});
  LabelPaths paths;
  paths.input = options.input;
  paths.stats = options.output;
  refuse_overlap(paths, false);
  TextOutput output(options.output, options.file, io::is_contacts_csv);
  io::ImageInfo info;
  std::vector<Contact> contacts;
  std::vector<std::uint64_t> long_labels;
  bool volume = false;
  io::with_path(options.input, [&] {
    const LabelImage labels =
        io::read_labels(options.input, &long_labels, {}, &info,
                        [&](const std::string& line) { print_warning(options.input, line); });
    const Connectivity connectivity =
        options.neighbors.connectivity_for(info.extent, io::holds_volumes(info.format));
    volume = is_3d(connectivity);
    if (options.spacing) io::set_spacing(info.geometry, *options.spacing);
    check_spacing(options.spacing, info, connectivity);
    if (const std::string hint = hint_of_spacing(info, connectivity); !hint.empty())
      print_warning(options.input, hint);
    contacts = find_contacts(labels, connectivity, nullptr, options.periodic);
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
  add_path_or_stream(command, "LABELS", options->input, "", "Label image in any format that gpuccl reads")
      .required();
  add_text_path(command, "-o,--output", options->output, "csv", "Table of contacts [- for standard output]");
  add_connectivity(command, options->neighbors.connectivity);
  add_switch(command, "--per-slice", options->neighbors.per_slice,
             "Count contacts within slices only, with 4- or 8-connectivity");
  add_periodic(command, options->periodic, "Connect opposite borders along these axes, as in x,y,z");
  add_spacing(command, options->spacing);
  options->file.add_to(command);
  command.on_run([options] {
    options->neighbors.check();
    return run_contacts(*options);
  });
}

}  // namespace gpuccl::app
