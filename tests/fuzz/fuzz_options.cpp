#include <cstdint>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "app/common/messages.hpp"
#include "app/label/label_checks.hpp"
#include "app/label/label_options.hpp"
#include "app/options/command_line.hpp"
#include "gpuccl/types.hpp"

namespace {

/// The command, made once for many lines: that takes a hundred times as long as to parse one. Not for all:
/// CLI11 remembers every option that it ever parsed.
struct LabelCommand {
  gpuccl::app::CommandLine line{"gpuccl", "", ""};
  gpuccl::app::LabelOptions options;

  LabelCommand() {
    const gpuccl::app::Command command = line.add_command("label", "");
    options.add_to(command);
    command.on_run([] { return 0; });
  }
};

}  // namespace

// The command line of `gpuccl label`, a word a line, as far as it goes without reading an input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  std::vector<std::string> words = {"label"};
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  for (std::string line; std::getline(text, line);) words.push_back(line.substr(0, line.find('\0')));
  for (const std::string& word : words)
    if (app::printable(word).find('\n') != std::string::npos) __builtin_trap();
  constexpr int kLines = 10000;
  static std::unique_ptr<LabelCommand> kept;
  static int lines = 0;
  if (lines++ % kLines == 0) kept = std::make_unique<LabelCommand>();
  LabelCommand& command = *kept;
  command.options = {};
  try {
    if (!command.line.parse(words).run) return 0;  // help
    app::check(command.options, app::is_batch(command.options));
    if (command.options.inputs.empty()) __builtin_trap();
  } catch (const Error& error) {
    if (std::strlen(error.what()) == 0) __builtin_trap();
  }
  return 0;
}
