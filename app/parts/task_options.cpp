#include "app/parts/task_options.hpp"

#include <algorithm>

#include "app/common/messages.hpp"
#include "app/label/label_checks.hpp"
#include "app/options/command_line.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::app {

void TaskOptions::add_to(const Command& command) {
  command.group("In parts");
  command.add_value(
      "--part", "K/N", "Label part K of N; after gpuccl join, write it", [this](const std::string& given) {
        const std::vector<std::string> numbers = split(given, '/');
        const auto number = [&](std::size_t i) {
          return numbers.size() == 2 ? parse_number<int>(numbers[i]).value_or(0) : 0;
        };
        part = number(0);
        parts = number(1);
        return part >= 1 && part <= parts && parts <= kMaxParts
                   ? std::string()
                   : "'" + given + "' is not a part as in 3/16, of " + std::to_string(kMaxParts) + " at most";
      });
  add_path(command, "--parts-dir", folder, "DIR", "Folder in which parts exchange data", wrong_folder);
}

void TaskOptions::check() const {
  if (parts == 0) throw Error(ErrorCode::usage, "--parts-dir needs --part");
  if (folder.empty()) throw Error(ErrorCode::usage, "--part needs --parts-dir");
}

std::string word_of_part(int part, int parts) { return std::to_string(part) + "/" + std::to_string(parts); }

void check_for_tasks(const LabelOptions& options) {
  LabelOptions in_parts = options.values.objects ? LabelOptions::for_objects() : LabelOptions();
  OptionTable known;
  in_parts.add_for_parts(Command(known));
  for (const OptionRow& given : given_options(options))
    if (given.effect != Effect::nothing &&
        std::none_of(known.begin(), known.end(),
                     [&](const OptionRow& row) { return row.names == given.names; }))
      throw Error(ErrorCode::usage, "--part cannot be combined with " + given.long_name());
  if (options.every_frame) throw Error(ErrorCode::usage, "--part cannot be combined with --frame all");
  if (!options.files.preview.empty())  // supported by MPI ranks
    throw Error(ErrorCode::usage, "--part cannot be combined with --preview");
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
    throw Error(ErrorCode::data, "was written by another version of gpuccl" +
                                     (words.size() < 2 ? "" : ", " + words[1]) + "; use that version");
  LabelOptions options = words[2] == "measure" ? LabelOptions::for_objects() : LabelOptions();
  CommandLine line("gpuccl", "", "");
  const Command command = line.add_command(words[2] == "measure" ? "measure" : "label", "");
  options.add_for_parts(command);
  command.on_run([] { return 0; });
  line.parse({words.begin() + 2, words.end()});
  if (options.inputs.size() != 1) throw Error(ErrorCode::data, "is damaged");  // or contains --help
  options.resolve(true);
  return options;
}

}  // namespace gpuccl::app
