#include <regex>

#include "app/label/label_options.hpp"
#include "app/options/command_line.hpp"
#include "binary.hpp"
#include "support/test.hpp"

// Help, man pages and completion say the same.
namespace gpuccl {
namespace {

const char* const kCommands[] = {"label",    "measure", "join", "compare", "contacts", "match",     "view",
                                 "generate", "list",    "info", "bench",   "schema",   "completion"};

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.insert(at->str());
  return found;
}

const std::regex kOption("--?[a-zA-Z][-a-zA-Z]*");

/// Options by the group that they stand in.
using Groups = std::map<std::string, std::set<std::string>>;

/// Options in the first column of --help.
Groups options_in_help(const std::string& help) {
  Groups groups;
  std::string group;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, std::regex("[A-Z][a-z ]+:"))) group = line.substr(0, line.size() - 1);
    if (line.starts_with("  -")) groups[group].merge(matches(line.substr(0, line.find(' ', 2)), kOption));
  }
  return groups;
}

/// Options that have an entry of their own: the line after .TP.
Groups options_in_page(const std::string& page) {
  const std::string plain = std::regex_replace(page, std::regex(R"(\\f[BIR])"), "");
  Groups groups;
  std::string group;
  std::istringstream lines(std::regex_replace(plain, std::regex(R"(\\-)"), "-"));
  bool entry = false;
  for (std::string line; std::getline(lines, line); entry = line == ".TP") {
    if (line == ".SH OPTIONS") group = "Options";
    if (line.starts_with(".SS ")) group = line.substr(4);
    if (entry && line.starts_with("-")) groups[group].merge(matches(line, kOption));
  }
  return groups;
}

std::set<std::string> all(const Groups& groups) {
  std::set<std::string> options;
  for (const auto& [group, some] : groups) options.insert(some.begin(), some.end());
  return options;
}

TEST_CASE("each man page has the options of --help in the same groups, and no other") {
  const Groups of_program = options_in_help(succeeds({"--help"}));
  CHECK(all(of_program) == std::set<std::string>{"-h", "--help", "-V", "--version"});
  CHECK(of_program == options_in_page(read_file(source_file("man/gpuccl.1"))));
  for (const std::string command : kCommands) {
    CAPTURE(command);
    const Groups in_help = options_in_help(succeeds({command, "--help"}));
    const std::string page = read_file(source_file("man/gpuccl-" + command + ".1"));
    CHECK(in_help.at("Options").contains("--help"));
    CHECK(in_help == options_in_page(page));
    CHECK(succeeds({"--help"}).find("\n  " + command + " ") != std::string::npos);
    CHECK(read_file(source_file("man/gpuccl.1")).find(".BR gpuccl\\-" + command + " (1)") !=
          std::string::npos);
  }
}

TEST_CASE("the man page of gpuccl-mpi has the options of its --help") {
  app::LabelOptions options;
  app::CommandLine line("gpuccl-mpi", "", "", app::CommandLine::Pages::of_program);
  options.add_for_parts(line.add_command("label", ""));
  CHECK(options_in_help(line.parse({"label", "--help"}).text) ==
        options_in_page(read_file(source_file("man/gpuccl-mpi.1"))));
}

TEST_CASE("help names manual pages that there are") {
  const auto pages = [](app::CommandLine::Pages which, const Words& words) {
    app::CommandLine line("prog", "", "", which);
    line.add_command("label", "");
    return matches(line.parse(words).text, std::regex("'man [^']+'"));
  };
  using Found = std::set<std::string>;
  using enum app::CommandLine::Pages;
  CHECK(pages(of_commands, {"--help"}) == Found{"'man prog-COMMAND'"});
  CHECK(pages(of_commands, {"label", "--help"}) == Found{"'man prog-label'"});
  CHECK(pages(of_program, {"--help"}) == Found{"'man prog'"});
  CHECK(pages(of_program, {"label", "--help"}) == Found{"'man prog'"});
}

std::vector<std::string> man_pages() {
  std::vector<std::string> pages;
  for (const auto& file : std::filesystem::directory_iterator(source_file("man")))
    if (file.path().extension() == ".1") pages.push_back(file.path().string());
  REQUIRE(pages.size() == std::size(kCommands) + 2);  // gpuccl, gpuccl-mpi
  return pages;
}

TEST_CASE(
    "man pages have a date, the version and short lines, and the formatter has nothing to say of them") {
  const std::string version = succeeds({"--version"});
  const std::string name = version.substr(0, version.find_first_of(" \n", version.find(' ') + 1));
  CHECK(std::regex_match(name, std::regex("gpuccl [0-9.]+")));
  const std::regex head("[.]TH GPUCCL[-\\\\A-Z]* 1 \"20[0-9-]{8}\" \"" + name + "\" \"User Commands\"");
  Command formatter;
  formatter.words = {"groff", "-ww", "-man", "-Tutf8", "-z"};
  for (const std::string& page : man_pages()) {
    CAPTURE(page);
    std::istringstream lines(read_file(page));
    std::string line;
    std::getline(lines, line);
    CHECK(std::regex_match(line, head));
    while (std::getline(lines, line)) {
      CAPTURE(line);
      CHECK(line.size() <= 120);
    }
    formatter.words.push_back(page);
  }
  const Ended ended = run(formatter);
  if (ended.code != 127) CHECK(ended.err == "");  // 127: there is no groff
}

TEST_CASE("help fits a terminal of 80 columns") {
  for (const std::string command : {"", "label", "measure", "join", "compare", "contacts", "match", "view",
                                    "generate", "list", "info", "bench", "schema", "completion"}) {
    const std::string help = succeeds(command.empty() ? Words{"--help"} : Words{command, "--help"});
    CHECK(help == succeeds(command.empty() ? Words{"help"} : Words{"help", command}));
    std::istringstream lines(help);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
    CAPTURE(command);
    CHECK(longest <= 80);
    CHECK(longest > 60);
  }
}

/// The words that bash would offer for the last of `words`.
std::set<std::string> completions(const std::string& words) {
  const std::string program = GPUCCL_PROGRAM;
  Command command;
  command.words = {"bash", "-c",
                   "source <('" + program + "' completion bash); COMP_WORDS=('" + program + "' " + words +
                       "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gpuccl '" + program +
                       "'; printf '%s\\n' \"${COMPREPLY[@]}\""};
  const Ended ended = run(command);
  CHECK(ended.err == "");
  return matches(ended.out, std::regex("[^\n]+"));
}

TEST_CASE("bash completes commands, options, words and algorithms") {
  CHECK(completions("''") == std::set<std::string>{"label", "measure", "join", "compare", "contacts", "match",
                                                   "view", "generate", "list", "info", "bench", "schema",
                                                   "completion", "--help", "--version"});
  for (const std::string command : kCommands)
    CHECK(completions(command + " -") == all(options_in_help(succeeds({command, "--help"}))));
  CHECK(completions("label in.png --device ''") == std::set<std::string>{"auto", "cuda", "cpu"});
  CHECK(completions("label in.png -c 1") == std::set<std::string>{"18"});
  CHECK(completions("label --compress l") == std::set<std::string>{"lzw"});
  CHECK(completions("generate s") == std::set<std::string>{"spiral"});
  CHECK(completions("bench --algo ep,flo") == std::set<std::string>{"ep,flood-fill"});
  CHECK(completions("bench --test b") == std::set<std::string>{"blocks"});
  std::set<std::string> names = {"auto"};
  for (const Json& algorithm : Json::parse(succeeds({"list", "--json"}))) names.insert(algorithm["name"]);
  CHECK(completions("label in.png --algo ''") == names);
  CHECK(completions("label --algo flood") == std::set<std::string>{"flood-fill"});
  CHECK(completions("label --measure sha") == std::set<std::string>{"shape"});
  CHECK(completions("label --measure border_sid") == std::set<std::string>{"border_sides"});
  CHECK(completions("label --device = c") == std::set<std::string>{"cuda", "cpu"});
  CHECK(completions("label --device =") == std::set<std::string>{"auto", "cuda", "cpu"});
  CHECK(completions("schema ''") == std::set<std::string>{"report", "stats", "match"});
  CHECK(completions("completion ''") == std::set<std::string>{"bash", "fish", "zsh"});
  CHECK(completions("label " + source_file("LICEN")).empty());  // bash then completes names of files
}

/// Returns what `shell` prints for a script; none if the shell is missing.
std::optional<std::string> printed_by(const std::string& shell, const std::string& script) {
  Command command;
  command.words = {"sh", "-c", "command -v " + shell + " >/dev/null || exit 77; exec " + shell + " -c \"$1\"",
                   "sh", script};
  const Ended ended = run(command);
  if (ended.code == 77) return std::nullopt;
  CHECK(ended.err == "");
  return ended.out;
}

TEST_CASE("zsh and fish complete the same words, where they are installed") {
  const ScratchFolder empty;  // else fish lists files, too
  const std::string program = GPUCCL_PROGRAM, folder = std::filesystem::path(program).parent_path();
  const auto fish = printed_by(
      "fish", "cd '" + (empty / ".") + "'; set -x PATH '" + folder +
                  "' $PATH; gpuccl completion fish | source\n"
                  "for line in 'label --device ' 'label --device=c' 'compa' 'bench --algo ep,flo'\n"
                  "complete -C \"gpuccl $line\"\nend");
  if (fish) CHECK(*fish == "auto\ncpu\ncuda\n--device=cpu\n--device=cuda\ncompare\nep,flood-fill\n");
  const auto zsh = printed_by(
      "zsh", "PATH='" + folder +
                 "':$PATH; compdef() { :; }; source <(gpuccl completion zsh); _files() { print files; }\n"
                 "compadd() { print -r -- \"${(@P)2}\"; }\n"
                 "offer() { words=(\"$@\"); CURRENT=$#; _gpuccl; }\n"
                 "offer gpuccl label --device ''; offer gpuccl label --device=c; offer gpuccl compa; offer "
                 "gpuccl label in.\n"
                 "offer gpuccl bench --algo ep,flo");
  if (zsh) CHECK(*zsh == "auto cuda cpu\n--device=cuda --device=cpu\ncompare\nfiles\nep,flood-fill\n");
}

}  // namespace
}  // namespace gpuccl
