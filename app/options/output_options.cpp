#include "app/options/output_options.hpp"

#include "app/options/option_helpers.hpp"

namespace gpuccl::app {

void OutputOptions::add_to(CLI::App& command) {
  CLI::Option* overwrite = add_switch(
      command, "--overwrite", [this] { file.overwrite = true; }, "Replace existing outputs, the default");
  add_switch(
      command, "--no-clobber", [this] { file.overwrite = false; }, "Refuse to replace existing outputs")
      ->excludes(overwrite);
  add_switch(
      command, "--no-fsync", [this] { file.sync = false; },
      "Do not wait until outputs are on the disk: faster, but a power cut may lose them");
}

}  // namespace gpuccl::app
