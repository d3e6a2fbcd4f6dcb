#include "app/parts/task_options.hpp"

#include <optional>
#include <vector>

#include "app/options/option_helpers.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::app {

void TaskOptions::add_to(const Command& command) {
  command.group("In parts");
  command.add_value("--part", "K/N", "Label part K of N; after gpuccl join, write it",
                    [this](const std::string& given) {
                      const std::vector<std::string> numbers = split(given, '/');
                      const auto number = [&](std::size_t i) {
                        return numbers.size() == 2 ? parse_number<int>(numbers[i]).value_or(0) : 0;
                      };
                      part = number(0);
                      parts = number(1);
                      return part >= 1 && part <= parts && parts <= kMostParts
                                 ? std::string()
                                 : "'" + given + "' is not a part as in 3/16, of " +
                                       std::to_string(kMostParts) + " at most";
                    });
  add_folder(command, "--parts-dir", folder, "DIR", "Folder in which parts exchange data");
}

void TaskOptions::check() const {
  if (parts == 0) throw Error(Failure::usage, "--parts-dir needs --part");
  if (folder.empty()) throw Error(Failure::usage, "--part needs --parts-dir");
}

std::string word_of_part(int part, int parts) { return std::to_string(part) + "/" + std::to_string(parts); }

}  // namespace gpuccl::app
