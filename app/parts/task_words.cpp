#include "app/parts/task_words.hpp"

#include <algorithm>

#include "app/common/version.hpp"
#include "app/options/command_line.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::app {

void check_for_tasks(const LabelOptions& options) {
  LabelOptions in_parts = options.values.objects ? LabelOptions::for_objects() : LabelOptions();
  OptionTable known;
  in_parts.add_for_parts(Command(known));
  for (const OptionRow& given : given_options(options))
    if (given.effect != Effect::nothing &&
        std::none_of(known.begin(), known.end(),
                     [&](const OptionRow& row) { return row.names == given.names; }))
      throw Error(Failure::usage, "--part cannot be combined with " + given.long_name());
  if (options.every_frame) throw Error(Failure::usage, "--part cannot be combined with --frame all");
  if (!options.files.preview.empty())  // which ranks of MPI write
    throw Error(Failure::usage, "--part cannot be combined with --preview");
  check_for_parts(options);
}

std::vector<std::string> task_words(const LabelOptions& options) {
  std::vector<std::string> words = {"gpuccl", version(), options.values.objects ? "measure" : "label"};
  for (const OptionRow& row : given_options(options))
    if (row.effect != Effect::nothing) words.push_back(word_text(row));
  words.insert(words.end(), {"--", options.inputs.front()});
  return words;
}

LabelOptions options_of_words(const std::vector<std::string>& words) {
  if (words.size() < 3 || words[1] != version())
    throw Error(Failure::data, "was written by another version of gpuccl" +
                                   (words.size() < 2 ? "" : ", " + words[1]) + "; use that version");
  LabelOptions options = words[2] == "measure" ? LabelOptions::for_objects() : LabelOptions();
  CommandLine line("gpuccl", "", "");
  const Command command = line.add_command(words[2] == "measure" ? "measure" : "label", "");
  options.add_for_parts(command);
  command.on_run([] { return 0; });
  line.parse({words.begin() + 2, words.end()});
  if (options.inputs.size() != 1) throw Error(Failure::data, "is damaged");  // or it asks for help
  options.settle(true);
  return options;
}

}  // namespace gpuccl::app
