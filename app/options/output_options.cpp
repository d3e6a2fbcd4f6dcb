#include "app/options/output_options.hpp"

#include "app/options/option_helpers.hpp"

namespace gpuccl::app {

void OutputOptions::add_to(const Command& command) {
  const Option overwrite =
      add_switch(command, "--overwrite", replace_foreign,
                 "Replace existing outputs, also tables and reports that gpuccl did not write");
  command
      .add_flag(
          "--no-clobber", [this] { file.overwrite = false; }, "Refuse to replace existing outputs")
      .excludes(overwrite)
      .prints([this] { return switch_text(!file.overwrite); });
  command
      .add_flag(
          "--no-fsync", [this] { file.sync = false; },
          "Do not wait until outputs are on disk: faster, but a power cut may lose them")
      .prints([this] { return switch_text(!file.sync); });
}

}  // namespace gpuccl::app
