#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "app/label_options.hpp"
#include "app/messages.hpp"
#include "gpuccl/error.hpp"

// The command line of `gpuccl label`, a word a line, as far as it goes without reading an input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  std::vector<std::string> words;
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  for (std::string line; std::getline(lines, line);) words.push_back(line.substr(0, line.find('\0')));
  for (const std::string& word : words)
    if (app::printable(word).find('\n') != std::string::npos) __builtin_trap();
  try {
    CLI::App command;
    app::LabelOptions options;
    options.add_to(command);
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    command.parse(words);
    options.check();
    if (options.inputs.empty()) __builtin_trap();
  } catch (const CLI::Error& error) {
    if (std::strlen(error.what()) == 0) __builtin_trap();
  } catch (const Error& error) {
    if (std::strlen(error.what()) == 0) __builtin_trap();
  }
  return 0;
}
