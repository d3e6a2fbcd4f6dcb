#include <memory>
#include <string>

#include "app/commands/commands.hpp"
#include "app/common/exit_code.hpp"
#include "app/common/messages.hpp"
#include "app/options/number_lists.hpp"
#include "app/options/option_helpers.hpp"
#include "app/options/output_options.hpp"
#include "gpuccl/generate.hpp"
#include "io/files/file_error.hpp"
#include "io/write/image_writer.hpp"

namespace gpuccl::app {
namespace {

struct GenerateCommandOptions {
  GenerateOptions image;
  std::string output;
  OutputOptions file;
};

void add_size(const Command& command, Extent& extent) {
  command.add_value("--size", "WxH[xD]", "Size in elements [1024x1024]", [&extent](const std::string& given) {
    const std::optional<Extent> size = parse_size(given);
    if (!size) return "'" + given + "' is not a size such as 640x480 or 64x64x32, of axes up to 2147483647";
    extent = *size;
    return std::string();
  });
}

void add_kind(const Command& command, std::string& kind) {
  Choices<std::string> kinds;
  std::string help = "What to draw:";
  for (const GenerateKind& known : generate_kinds()) {
    kinds.emplace_back(known.name, known.name);
    help += "\n" + known.name + ": " + known.title;
  }
  add_choice<std::string>(command, "KIND", kind, kinds, help).required();
}

int run_generate(const GenerateCommandOptions& options) {
  const BitVolume image = generate(options.image);
  io::concerning(options.output, [&] {
    io::AtomicFile file(options.output, options.file.file);
    io::write_image(file, image.view());
    file.commit();
  });
  return kSuccess;
}

}  // namespace

void setup_generate(CommandLine& line) {
  const Command command = line.add_command("generate", "Make a binary test image or volume");
  const auto options = std::make_shared<GenerateCommandOptions>();
  add_kind(command, options->image.kind);
  add_size(command, options->image.extent);
  const auto number = [&](const char* name, auto& target, const char* type, const char* help) {
    using Number = std::numeric_limits<std::remove_reference_t<decltype(target)>>;
    add_number(command, name, target, Number::min(), Number::max(), type, help);
  };
  add_real(command, "--density", options->image.density, 1, "D",
           "Share of foreground, 0 to 1 [0.5] (random, blobs)");
  number("--granularity", options->image.granularity, "G",
         "Side of squares of equal value [1] (random, blobs)");
  number("--seed", options->image.seed, "S", "Start of the random numbers [1]");
  number("--order", options->image.order, "N", "Order of the curve [4] (hilbert)");
  add_path(command, "-o,--output", options->output, "FILE", "1-bit image: .png, .tif or .tiff").required();
  options->file.add_to(command);
  command.on_run([options] { return run_generate(*options); });
}

}  // namespace gpuccl::app
