#include <memory>
#include <set>

#include "app/bench/generate.hpp"
#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/options/command_line.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/measures.hpp"

namespace gpuccl::app {
namespace {

// Each asks the program, so that there is nothing to keep in step with its options.
const char* const kBash = R"shell(_gpuccl() {
  local IFS=$'\n'
  COMPREPLY=($("$1" completion --words="${COMP_WORDS[*]:0:COMP_CWORD+1}" 2>/dev/null))
}
complete -o default -F _gpuccl gpuccl
)shell";

const char* const kZsh = R"shell(#compdef gpuccl
_gpuccl() {
  local -a found
  found=(${(f)"$("$words[1]" completion --words="${(F)words[1,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _gpuccl gpuccl
)shell";

const char* const kFish = R"shell(function __gpuccl
  set -l before (commandline -opc)
  $before[1] completion --words=(string join \n -- $before | string collect -N)(commandline -ct) 2>/dev/null
end
complete -c gpuccl -a '(__gpuccl)'
)shell";

const Choices<const char*> kShells = {{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};

std::vector<std::string> values_of(const std::string& command, const std::string& option) {
  std::set<std::string> names;
  if (option == "--algo") {
    names.insert(command == "bench" ? "all" : "auto");
    for (const Algorithm& algorithm : algorithms()) names.insert(algorithm.name);
  } else if (option == "--measure") {
    names.insert("all");
    for (const Measure& measure : measures()) {
      names.insert(std::string(measure.name));
      names.insert(std::string(name_of(measure.group)));
    }
  } else if (command == "generate" && option.empty()) {
    for (const GenerateKind& kind : generate_kinds()) names.insert(kind.name);
  } else if (command == "schema" && option.empty()) {
    names = {"report", "stats", "match"};
  } else if (command == "completion" && option.empty()) {
    for (const auto& shell : kShells) names.insert(shell.first);
  }
  return {names.begin(), names.end()};
}

}  // namespace

void setup_completion(const Command& command, CommandLine& line) {
  struct Options {
    const char* script = nullptr;
    std::string words;
    bool are_given = false;
  };
  const auto options = std::make_shared<Options>();
  add_choice<const char*>(command, "SHELL", options->script, kShells, "bash, zsh or fish");
  command.add_value("--words", "WORDS",
                    "Print what the last of these words, each on a line, may become, instead of a script",
                    [options](const std::string& given) {
                      options->words = given;
                      options->are_given = true;
                      return std::string();
                    });
  command.on_run([options, &line] {
    if ((options->script != nullptr) == options->are_given)
      throw Error(ErrorCode::usage, "give a shell: gpuccl completion bash, zsh or fish");
    std::string text = options->are_given ? "" : options->script;
    if (options->are_given)
      for (const std::string& word : line.completions(split(options->words, '\n'), values_of))
        text += word + "\n";
    print_result(text);
    return kSuccess;
  });
}

}  // namespace gpuccl::app
