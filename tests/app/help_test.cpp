#include <regex>
#include <set>
#include <sstream>

#include "binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

// Help, man pages and completion say the same.
namespace gpuccl {
namespace {

const char* const kCommands[] = {"label", "compare", "generate", "list", "info", "bench"};

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.insert(at->str());
  return found;
}

const std::regex kOption("--?[a-zA-Z][-a-zA-Z]*");

/// Options in the first column of --help.
std::set<std::string> options_in_help(const std::string& help) {
  std::set<std::string> options;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  -")) options.merge(matches(line.substr(0, line.find(' ', 2)), kOption));
  return options;
}

/// Options that have an entry of their own: the line after .TP.
std::set<std::string> options_in_page(const std::string& page) {
  const std::string plain = std::regex_replace(page, std::regex(R"(\\f[BIR])"), "");
  std::set<std::string> options;
  std::istringstream lines(std::regex_replace(plain, std::regex(R"(\\-)"), "-"));
  bool entry = false;
  for (std::string line; std::getline(lines, line); entry = line == ".TP")
    if (entry && line.starts_with("-")) options.merge(matches(line, kOption));
  return options;
}

TEST_CASE("each man page has the options of --help, and no other") {
  const std::set<std::string> of_program = options_in_help(succeeds({"--help"}));
  CHECK(of_program == std::set<std::string>{"-h", "--help", "--version"});
  CHECK(of_program == options_in_page(read_file(source_file("man/gpuccl.1"))));
  for (const std::string command : kCommands) {
    CAPTURE(command);
    const std::set<std::string> in_help = options_in_help(succeeds({command, "--help"}));
    const std::string page = read_file(source_file("man/gpuccl-" + command + ".1"));
    CHECK(in_help.contains("--help"));
    CHECK(in_help == options_in_page(page));
    CHECK(succeeds({"--help"}).find("\n  " + command + " ") != std::string::npos);
    CHECK(read_file(source_file("man/gpuccl.1")).find(".BR gpuccl\\-" + command + " (1)") !=
          std::string::npos);
  }
}

/// The words that bash would offer for the last of `words`.
std::set<std::string> completions(const std::string& words) {
  const std::string program = GPUCCL_PROGRAM;
  Command command;
  command.words = {
      "bash", "-c",
      "source '" + source_file("app/completion/gpuccl.bash") + "'; COMP_WORDS=('" + program + "' " + words +
          "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gpuccl; printf '%s\\n' \"${COMPREPLY[@]}\""};
  const Ended ended = run(command);
  CHECK(ended.err == "");
  return matches(ended.out, std::regex("[^\n]+"));
}

TEST_CASE("bash completes commands, options, words and algorithms") {
  CHECK(completions("''") == std::set<std::string>{"label", "compare", "generate", "list", "info", "bench",
                                                   "--help", "--version"});
  for (const std::string command : kCommands)
    CHECK(completions(command + " -") == options_in_help(succeeds({command, "--help"})));
  CHECK(completions("label in.png --device ''") == std::set<std::string>{"auto", "cuda", "cpu"});
  CHECK(completions("label in.png -c 1") == std::set<std::string>{"18"});
  CHECK(completions("label --compress l") == std::set<std::string>{"lzw"});
  CHECK(completions("generate s") == std::set<std::string>{"spiral"});
  std::set<std::string> names = {"auto"};
  for (const Json& algorithm : Json::parse(succeeds({"list", "--json"}))) names.insert(algorithm["name"]);
  CHECK(completions("label in.png --algo ''") == names);
  CHECK(completions("label --algo flood") == std::set<std::string>{"flood-fill"});
  CHECK(completions("label " + source_file("LICEN")) == std::set<std::string>{source_file("LICENSE")});
}

}  // namespace
}  // namespace gpuccl
