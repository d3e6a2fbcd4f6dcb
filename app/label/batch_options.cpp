#include "app/label/label_options.hpp"
#include "app/options/option_helpers.hpp"

namespace gpuccl::app {
namespace {

const Choices<std::string>& formats() {
  static const Choices<std::string> choices = [] {
    Choices<std::string> all;
    for (const char* const extension :
         {"tiff", "ome.tif", "png", "npy", "nii", "nii.gz", "nrrd", "mha", "zarr"})
      all.emplace_back(extension, extension);
    return all;
  }();
  return choices;
}

}  // namespace

void BatchOptions::add_to(const Command& command, bool with_contacts) {
  command.group("Several inputs", Effect::run);
  add_switch(command, "--recursive", recursive, "Search folders with their subfolders");
  add_choice<std::string>(command, "--format", given_format, formats(),
                          "Format of the label images [that of a volume or array, else tiff]");
  add_folder(command, "--json-dir", json_folder, "DIR", "Folder for reports [that of the label images]");
  add_folder(command, "--stats-dir", stats_folder, "DIR", "Folder for one table of components per input");
  if (with_contacts)
    add_folder(command, "--contacts-dir", contacts_folder, "DIR",
               "Folder for one table of contacts per input");
  add_folder(command, "--preview-dir", preview_folder, "DIR", "Folder for one color picture per input");
  add_folder(command, "--outlines-dir", outlines_folder, "DIR",
             "Folder for the outlines of each input, in GeoJSON");
  add_text_path(command, "--report", report, "json",
                "Status of each input, one line of JSON each; - for standard output");
  add_text_path(command, "--summary", summary, "csv",
                "Table with one row per input: counts, areas, rule, hints; - for standard output");
  add_switch(command, "--skip-existing", skip_existing,
             "Skip inputs whose outputs are current and made with the same options")
      .excludes("--view");
  const Option keep = add_switch(command, "--keep-going", keep_going,
                                 "Continue after a failure (the default), even when the disk is full");
  add_switch(command, "--fail-fast", fail_fast, "Start no further inputs after a failure").excludes(keep);
  add_number(command, "--jobs", jobs, 1, 255, "N", "Inputs to process at once [threads + 8]");
}

std::string BatchOptions::first_used() const {
  BatchOptions given = *this, usual;
  OptionTable now, as_usual;
  given.add_to(Command(now));
  usual.add_to(Command(as_usual));
  for (const OptionRow& row : given_options(now, as_usual))
    if (row.long_name() != "--summary") return row.long_name();
  return "";
}

}  // namespace gpuccl::app
