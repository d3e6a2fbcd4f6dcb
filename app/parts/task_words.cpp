#include "app/parts/task_words.hpp"

#include <utility>

#include "app/common/version.hpp"
#include "app/label/deciding_options.hpp"
#include "app/options/command_line.hpp"
#include "app/options/number_lists.hpp"
#include "app/parts/part_checks.hpp"
#include "gpuccl/error.hpp"

namespace gpuccl::app {

namespace {

/// The words of a line, of which what is in quotes is one.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, begins = true;
  for (const char letter : line) {
    if (letter == '\'') {
      quoted = !quoted;
    } else if (letter == ' ' && !quoted) {
      begins = true;
    } else {
      if (begins) words.emplace_back();
      begins = false;
      words.back() += letter;
    }
  }
  return words;
}

}  // namespace

void check_for_tasks(const LabelOptions& options) {
  const std::pair<bool, const char*> whole[] = {
      {!options.files.preview.empty(), "--preview"},
      {options.planes.any(), "--channel, --frame and --series"},
      {!options.batch.first_used().empty(), "an option for several inputs"},
  };
  for (const auto& [given, name] : whole)
    if (given) throw Error(Failure::usage, std::string("--part cannot be combined with ") + name);
  check_for_parts(options);
  options_of_words(task_words(options));  // nothing is left out that decides what the outputs hold
}

std::vector<std::string> task_words(const LabelOptions& options) {
  std::vector<std::string> words = {"gpuccl", version(), "label"};
  const auto add = [&](bool given, const std::string& word) {
    if (given) words.push_back(word);
  };
  const LabelPaths& files = options.files;
  add(!files.image.empty(), "--output=" + files.image);
  add(!files.json.empty(), "--json=" + files.json);
  add(!files.stats.empty(), "--stats=" + files.stats);
  add(!files.contacts.empty(), "--contacts=" + files.contacts);
  add(options.output.replace_foreign, "--overwrite");
  add(!options.output.file.overwrite, "--no-clobber");
  add(!options.output.file.sync, "--no-fsync");
  LabelOptions deciding = options;
  deciding.measure.intensity.clear();  // a path may have any letters
  for (const std::string& word : words_of(deciding_options(deciding))) add(true, word);
  add(!options.measure.intensity.empty(), "--intensity=" + options.measure.intensity);
  const io::Limits &limits = options.input.limits, usual;
  const auto add_limit = [&](const char* name, std::int64_t limit, std::int64_t otherwise) {
    add(limit != otherwise, name + std::to_string(limit));
  };
  add_limit("--max-pixels=", limits.max_pixels, usual.max_pixels);
  add_limit("--max-dim=", limits.max_dim, usual.max_dim);
  add_limit("--max-pages=", limits.max_pages, usual.max_pages);
  add(options.algorithm.engine.algorithm != EngineOptions().algorithm,
      "--algo=" + options.algorithm.engine.algorithm);
  words.insert(words.end(), {"--", options.inputs.front()});
  return words;
}

LabelOptions options_of_words(const std::vector<std::string>& words) {
  if (words.size() < 3 || words[1] != version())
    throw Error(Failure::data, "is of another version of gpuccl" + (words.size() < 2 ? "" : ", " + words[1]) +
                                   "; use that one");
  LabelOptions options;
  CommandLine line("gpuccl", "", "");
  const Command command = line.add_command("label", "");
  options.add_for_parts(command);
  command.on_run([] { return 0; });
  line.parse({words.begin() + 2, words.end()});
  options.settle();
  return options;
}

}  // namespace gpuccl::app
