#include "app/label/batch_options.hpp"

#include "app/options/option_helpers.hpp"

namespace gpuccl::app {
namespace {

const Choices<io::LabelFormat>& formats() {
  using io::LabelFormat;
  static const Choices<LabelFormat> choices = {
      {"tiff", LabelFormat::tiff},     {"png", LabelFormat::png},         {"npy", LabelFormat::npy},
      {"nii", LabelFormat::nifti},     {"nii.gz", LabelFormat::nifti_gz}, {"nrrd", LabelFormat::nrrd},
      {"mha", LabelFormat::metaimage}, {"zarr", LabelFormat::zarr}};
  return choices;
}

}  // namespace

void BatchOptions::add_to(const Command& command) {
  command.group("Several inputs", Effect::run);
  add_switch(command, "--recursive", recursive, "Folders with all that is below them");
  add_choice<io::LabelFormat>(command, "--format", given_format, formats(),
                              "Format of the label images [tiff]");
  add_folder(command, "--json-dir", json_folder, "DIR", "Folder for the reports [that of the label images]");
  add_folder(command, "--stats-dir", stats_folder, "DIR", "Folder for a table of components for each input");
  add_folder(command, "--contacts-dir", contacts_folder, "DIR",
             "Folder for a table of each input's components that touch");
  add_folder(command, "--preview-dir", preview_folder, "DIR",
             "Folder for a color picture of each input's labels");
  add_text_path(command, "--report", report, "json",
                "What became of each input, a line of JSON each, in order; - for standard output");
  add_switch(command, "--skip-existing", skip_existing,
             "Leave out inputs whose outputs are all there and made with the same options");
  const Option keep = add_switch(command, "--keep-going", keep_going,
                                 "Go on after a failure, the default; if given, even when the disk is full");
  add_switch(command, "--fail-fast", fail_fast, "Start nothing more after a failure").excludes(keep);
  add_number(command, "--jobs", jobs, 1, 255, "N",
             "How many inputs are worked on at once [eight more than threads]");
}

std::string BatchOptions::first_used() const {
  BatchOptions given = *this, usual;
  OptionTable now, as_usual;
  given.add_to(Command(now));
  usual.add_to(Command(as_usual));
  const std::vector<OptionRow> used = given_options(now, as_usual);
  return used.empty() ? "" : used.front().long_name();
}

std::string BatchOptions::extension() const { return "." + word_of(formats(), format()); }

}  // namespace gpuccl::app
