#include "app/output_options.hpp"

#include "app/option_helpers.hpp"

namespace gpuccl::app {

void OutputOptions::add_to(CLI::App& command) {
  CLI::Option* overwrite = command.add_flag_function(
      "--overwrite", [this](std::int64_t) { file.overwrite = true; },
      "Replace existing outputs, the default");
  command
      .add_flag_function(
          "--no-clobber", [this](std::int64_t) { file.overwrite = false; },
          "Refuse to replace existing outputs")
      ->excludes(overwrite);
  command.add_flag_function(
      "--no-fsync", [this](std::int64_t) { file.sync = false; },
      "Do not wait until outputs are on the disk: faster, but a power cut may lose them");
}

}  // namespace gpuccl::app
