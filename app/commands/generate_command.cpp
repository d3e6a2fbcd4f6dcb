#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "app/bench/generate.hpp"
#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

struct GenerateCommandOptions {
  GenerateOptions image;
  std::string output;
  OutputOptions file;
  std::map<std::string, Option> of_kinds;  // by name; options that only some kinds have
};

bool has_option(const GenerateKind& kind, const std::string& option) {
  return std::find(kind.options.begin(), kind.options.end(), option) != kind.options.end();
}

/// Returns "random, blobs".
std::string kinds_with(const std::string& option) {
  std::string names;
  for (const GenerateKind& kind : generate_kinds())
    if (has_option(kind, option)) names += (names.empty() ? "" : ", ") + kind.name;
  return names;
}

void refuse_other_kinds(const GenerateCommandOptions& options) {
  for (const GenerateKind& kind : generate_kinds())
    for (const auto& [name, option] : options.of_kinds)
      if (kind.name == options.image.kind && option.is_given() && !has_option(kind, name))
        throw Error(ErrorCode::usage, "--" + name + " is for " + kinds_with(name) + ", not for " + kind.name);
}

void add_size(const Command& command, Extent& extent) {
  command.add_value("--size", "WxH[xD]", "Size in pixels [1024x1024]", [&extent](const std::string& given) {
    const std::optional<Extent> size = parse_size(given);
    if (!size) return "'" + given + "' is not a size such as 640x480 or 64x64x32, of axes up to 2147483647";
    extent = *size;
    return std::string();
  });
}

void add_kind(const Command& command, std::string& kind) {
  Choices<std::string> kinds;
  std::string help = "Kind of image:";
  for (const GenerateKind& known : generate_kinds()) {
    kinds.emplace_back(known.name, known.name);
    help += "\n" + known.name + ": " + known.title;
  }
  add_choice<std::string>(command, "KIND", kind, kinds, help).required();
}

void add_options_of_kinds(const Command& command, GenerateCommandOptions& options) {
  const auto help = [](const char* name, const char* text) {
    return std::string(text) + " (" + kinds_with(name) + ")";
  };
  const auto number = [&](const char* name, auto& target, const char* type, const char* text) {
    using Number = std::numeric_limits<std::remove_reference_t<decltype(target)>>;
    options.of_kinds.emplace(name, add_number(command, std::string("--") + name, target, Number::min(),
                                              Number::max(), type, help(name, text)));
  };
  GenerateOptions& image = options.image;
  options.of_kinds.emplace("density", add_real(command, "--density", image.density, 1, "D",
                                               help("density", "Fraction of foreground, 0 to 1 [0.5]")));
  number("granularity", image.granularity, "G", "Side of the squares in pixels [1]");
  number("seed", image.seed, "S", "Seed of the random numbers [1]");
  number("order", image.order, "N", "Order of the curve [4]");
}

int run_generate(const GenerateCommandOptions& options) {
  refuse_other_kinds(options);
  const BitVolume image = generate(options.image);
  io::with_path(options.output, [&] {
    io::AtomicFile file(options.output, options.file.file);
    io::write_image(file, image.view());
    file.commit();
  });
  return kSuccess;
}

}  // namespace

void setup_generate(const Command& command) {
  const auto options = std::make_shared<GenerateCommandOptions>();
  add_kind(command, options->image.kind);
  add_size(command, options->image.extent);
  add_options_of_kinds(command, *options);
  add_path(command, "-o,--output", options->output, "FILE", "1-bit image: .png, .tif or .tiff").required();
  options->file.add_to(command);
  command.on_run([options] { return run_generate(*options); });
}

}  // namespace gpuccl::app
