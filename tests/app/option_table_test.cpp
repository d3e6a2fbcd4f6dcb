#include <cstdlib>
#include <optional>
#include <string>

#include "app/label/label_options.hpp"
#include "app/options/command_line.hpp"
#include "app/parts/task_options.hpp"
#include "support/test.hpp"

// Options are parsed, printed and parsed again: what is printed decides --skip-existing and what tasks do.
namespace gpuccl::app {
namespace {

using Words = std::vector<std::string>;

LabelOptions parsed(Words words, bool in_parts = false) {
  LabelOptions options;
  CommandLine line("gpuccl", "", "");
  const Command command = line.add_command("label", "");
  in_parts ? options.add_for_parts(command) : options.add_to(command);
  command.on_run([] { return 0; });
  words.insert(words.begin(), "label");
  words.emplace_back("in.tif");
  line.parse(words);
  options.resolve();
  return options;
}

/// Values that are not as usual, of the options that take one.
const std::map<std::string, std::string> kExamples = {
    {"--output", "out.tif"},
    {"--json", "a report.json"},
    {"--stats", "out.csv"},
    {"--contacts", "it's.csv"},
    {"--preview", "out.png"},
    {"--view", "a page.html"},
    {"--outlines", "o.geojson"},
    {"--label-type", "u16"},
    {"--compress", "zstd"},
    {"--digits", "6"},
    {"--compress-level", "7"},
    {"--chunks", "64,32,16"},
    {"--zarr-format", "3"},
    {"--bigtiff", "yes"},
    {"--threshold", "9223372036854775807"},
    {"--value", "-3,1..5,18446744073709551615"},
    {"--foreground", "raw"},
    {"--palette", "index"},
    {"--max-pixels", "1000"},
    {"--max-dim", "2000"},
    {"--max-pages", "3000"},
    {"--formats", "png,tiff"},
    {"--memory", "1048576"},
    {"--delta", "0.1"},
    {"--channel", "2"},
    {"--frame", "3"},
    {"--series", "4"},
    {"--page", "5..7"},
    {"--spacing", "0.1,0.25,3,um"},
    {"--connectivity", "18"},
    {"--algo", "runs"},
    {"--device", "cuda"},
    {"--gpus", "0,2"},
    {"--threads", "3"},
    {"--periodic", "x,z"},
    {"--fill-holes", "7"},
    {"--min-size", "8"},
    {"--max-size", "90"},
    {"--largest", "10"},
    {"--keep", "area > 2 and (x0 < 3 or extent >= 0.5)"},
    {"--order", "size"},
    {"--measure", "extent,border"},
    {"--seeds", "the mask.png"},
    {"--intensity", "the samples.tif"},
    {"--intensity-channel", "1"},
    {"--intensity-frame", "2"},
    {"--intensity-series", "3"},
    {"--intensity-page", "4..5"},
    {"--intensity-name", "*_D=*_F"},
    {"--format", "npy"},
    {"--json-dir", "a"},
    {"--stats-dir", "b"},
    {"--contacts-dir", "c"},
    {"--preview-dir", "d"},
    {"--outlines-dir", "e"},
    {"--report", "lines.jsonl"},
    {"--summary", "inputs.csv"},
    {"--jobs", "5"},
};

std::string with_example(const std::string& name) {
  const auto example = kExamples.find(name);
  return name + (example == kExamples.end() ? "" : "=" + example->second);
}

OptionTable table_of(LabelOptions options) {
  OptionTable table;
  options.add_to(Command(table));
  return table;
}

/// Options that make sense only with others.
Words with_others(const std::string& name) {
  if (name.starts_with("--intensity-")) return {"--intensity=samples.tif"};
  return {};
}

TEST_CASE("every option of label is printed as it is parsed") {
  for (const OptionRow& row : table_of({})) {
    const std::string name = row.long_name();
    if (!name.starts_with("--")) continue;  // the input
    CAPTURE(name);
    CHECK(row.has_printer);
    Words words = with_others(name);
    words.push_back(with_example(name));
    const std::vector<OptionRow> given = given_options(parsed(words));
    REQUIRE(given.size() == words.size());
    CHECK(given.back().long_name() == name);
    CHECK(word_text(given.back()) == words.back());
    CHECK(given_options(parsed({words.begin(), words.end() - 1})).size() == words.size() - 1);
  }
}

TEST_CASE("texts of parts have names of texts, too") {
  for (const auto& [option, name] : std::map<std::string, std::string>{
           {"--json", "mine.tif"}, {"--stats", "s.json"}, {"--contacts", "c.npy"}}) {
    CAPTURE(option);
    CHECK_THROWS_AS(parsed({option, name}, true), Error);
    CHECK_THROWS_AS(parsed({option, name}), Error);
    CHECK_NOTHROW(parsed({option, option == "--json" ? "mine.json" : "mine.csv"}, true));
  }
}

TEST_CASE("an option that is given its usual value says nothing") {
  for (const OptionRow& row : table_of({}))
    if (row.has_printer && row.value && !row.value->empty() && row.value != "0") {  // 0: as suits the machine
      CAPTURE(row.names);
      CHECK(given_options(parsed({row.long_name() + "=" + *row.value})).empty());
    }
  CHECK(signature_of(parsed({"--compress", "deflate", "--bigtiff", "auto", "--label-type", "auto"})) == "");
}

TEST_CASE("a signature is words for a shell, first options of labels, then of their file") {
  CHECK(signature_of(parsed({"--compress", "none", "--keep", "area > 3", "--connectivity", "8",
                             "--fill-holes", "--threads", "3", "--intensity", "it's.tif", "--stats",
                             "out.csv", "--memory", "4M", "--jobs", "2"})) ==
        R"(-c 8 --fill-holes --keep 'area > 3' --intensity 'it'\''s.tif' --compress none)");
}

TEST_CASE("tasks get every option that changes a file, in words that say the same") {
  Words words;
  for (const OptionRow& row : table_of({})) {
    const std::string name = row.long_name();
    OptionTable in_parts;
    LabelOptions().add_for_parts(Command(in_parts));
    const bool known = std::any_of(in_parts.begin(), in_parts.end(),
                                   [&](const OptionRow& other) { return other.names == row.names; });
    // One of several options that exclude each other is given; these measures do not work with --periodic.
    if (!known || !name.starts_with("--") || name == "--value" || name == "--no-clobber" ||
        name == "--periodic")
      continue;
    words.push_back(with_example(name));
  }
  const LabelOptions options = parsed(words);
  const Words first = task_words(options);
  CHECK(first.size() > 30);
  CHECK(task_words(options_of_words(first)) == first);
  CHECK(signature_of(options_of_words(first)) == signature_of(options));
}

/// Returns the message of check_rules() for a command line, or "".
std::string refusal_of(const Words& words) {
  try {
    check_rules(given_options(parsed(words)));
    return "";
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::usage);
    return error.what();
  }
}

TEST_CASE("options that need another one, or exclude it, are refused") {
  std::size_t rules = 0;
  for (const OptionRow& row : table_of({})) {
    const auto name_of = [](const OptionRow::Rule& rule) {
      return rule.other.substr(0, rule.other.find(' '));
    };
    for (const OptionRow::Rule& rule : row.rules) {
      CAPTURE(row.names, rule.other);
      Words words = {with_example(row.long_name())};
      for (const OptionRow::Rule& other : row.rules)
        if (other.is_needed && other.other != rule.other && name_of(other) != "--output")
          words.push_back(with_example(name_of(other)));
      if (name_of(rule) != "--output") words.push_back(with_example("--output"));  // others may need it
      Words with_other = words;
      with_other.push_back(with_example(name_of(rule)));
      const std::string reason = rule.reason.empty() ? "" : "; " + rule.reason;
      CHECK(refusal_of(rule.is_needed ? words : with_other) ==
            row.long_name() + (rule.is_needed ? " needs " + rule.other
                                              : " and " + rule.other + " cannot be combined" + reason));
      CHECK(refusal_of(rule.is_needed ? with_other : words) == "");
      ++rules;
    }
  }
  CHECK(rules > 10);
}

/// The result of a command line: its text, its error, or the values of its options.
std::string outcome(const Words& words) {
  std::string value, text;
  CommandLine line("prog", "Does things.", "prog 1");
  line.add_command("other", "Another command", [](const Command&) {});
  line.add_command("make", "Makes something", [&](const Command& command) {
    const auto take = [](std::string& to) {
      return [&to](const std::string& given) {
        to += given;
        return given == "bad" ? "is bad" : std::string();
      };
    };
    value.clear();
    text.clear();
    command.add_values("INPUT", "", "Inputs", take(text));
    const Option out = command.add_value("-o,--output", "FILE", "Output", take(value)).required();
    command.add_value("--colour", "NAME", "Color", take(value)).excludes(out);
    command.add_flag(
        "-q,--quiet", [&] { value += "quiet"; }, "No messages");
    command.add_flag(
        "-v,--verbose", [&] { value += "verbose"; }, "More messages");
    command.on_run([&] { return 0; });
  });
  try {
    const CommandLine::Parsed parsed = line.parse(words);
    return parsed.run ? value + "|" + text : parsed.text;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_CASE("options that are not given are known to help and errors") {
  const std::string help = outcome({"make", "--help"});
  for (const char* option : {"--output", "--colour", "--quiet", "--verbose", "INPUT"})
    CHECK(help.find(option) != std::string::npos);
  CHECK(help == outcome({"help", "make"}));
  CHECK(help == outcome({"make", "-o", "x", "--help"}));
  CHECK(help == outcome({"make", "-qh"}));
  CHECK(outcome({"--help"}).find("other") != std::string::npos);
  CHECK(outcome({"--version"}) == "prog 1\n");
  CHECK(outcome({"make", "a", "-o", "x"}) == "x|a");
  CHECK(outcome({"make", "a", "-qvo", "x"}) == "xquietverbose|a");
  CHECK(outcome({"make", "a", "-ox.y"}) == "x.y|a");
  CHECK(outcome({"make", "--output=x", "--", "-q"}) == "x|./-q");
  CHECK(outcome({"make", "a"}).find("--output is required") != std::string::npos);
  CHECK(outcome({"make", "a", "-o", "bad"}) == "--output: is bad (see 'prog make --help')");
  CHECK(outcome({"make", "a", "-o", "x", "--verbos"}) ==
        "no option '--verbos'; did you mean --verbose? (see 'prog make --help')");
  CHECK(outcome({"make", "a", "-output", "x"}) == "no option '-output'; did you mean --output?");
  CHECK(outcome({"make", "-o", "x", "\u2013quiet"}) ==
        "'\u2013quiet' does not begin with a hyphen; did you mean --quiet?");
  CHECK(outcome({"make", "-o", "x", "--colour", "red"}).find("excludes") != std::string::npos);
  CHECK(outcome({"-q", "make"}).find("before 'make'") != std::string::npos);
  CHECK(outcome({"mak"}).find("did you mean make?") != std::string::npos);
  CHECK(outcome({"make", "make", "-o", "x"}) == "x|make");
}

}  // namespace

TEST_CASE("the chosen GPUs are the only visible ones, by their place among those visible before") {
  CHECK(visible_devices(nullptr, {0, 2}) == "0,2");
  CHECK(visible_devices("3,1", {1}) == "1");
  CHECK(visible_devices("GPU-1ab,MIG-2cd", {1, 0}) == "MIG-2cd,GPU-1ab");
  CHECK(visible_devices(nullptr, {}).empty());
  for (const char* const none_of_them : {"", "3", "3,-1,0"})
    CHECK(visible_devices(none_of_them, {0, 1}).empty());
  const char* const before = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::optional<std::string> kept =
      before == nullptr ? std::nullopt : std::optional<std::string>(before);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  AlgorithmOptions options;
  options.engine.gpus = {7};
  options.engine.device = DeviceChoice::cpu;
  options.hide_other_gpus();
  CHECK(!options.engine.hides_gpus);
  options.engine.device = DeviceChoice::automatic;
  options.hide_other_gpus();
  CHECK(options.engine.hides_gpus);
  CHECK(std::string(std::getenv("CUDA_VISIBLE_DEVICES")) == "7");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  if (kept) ::setenv("CUDA_VISIBLE_DEVICES", kept->c_str(), 1);
}

}  // namespace gpuccl::app
