#include "app/label/batch/intensity_images.hpp"

#include <system_error>
#include <utility>

#include "app/common/messages.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/read/slice_names.hpp"

namespace gpuccl::app {

namespace fs = std::filesystem;

IntensityImages::IntensityImages(std::string folder, const std::string& pattern, const std::string& option)
    : folder_(std::move(folder)),
      what_(option == "--seeds" ? "mask of seeds" : "intensity image"),
      pattern_(pattern) {
  std::error_code none;
  if (!folder_.empty() && !fs::is_directory(folder_, none))
    throw io::FileError(
        folder_, Failure::usage,
        "is not a folder; for several inputs use " + option + " FOLDER/, with images of the same names");
}

std::string IntensityImages::find(const std::string& input, bool stack) {
  if (folder_.empty()) return "";
  const fs::path named(input);
  const std::optional<std::string> made = pattern_.name_for(named.filename().string());
  if (!made)
    throw Error(Failure::no_input,
                "has a name that does not match " + pattern_.from() + ", the pattern of --intensity-name");
  const std::string name = (named.parent_path() / *made).string();
  const fs::path path = fs::path(folder_) / name;
  std::error_code none;
  if (stack && fs::is_directory(path, none)) return path.string();
  const auto [first, last] = names_in(path.parent_path()).equal_range(path.filename().string());
  if (first == last)
    throw Error(Failure::no_input, "has no " + what_ + "; missing: " + path.string() + " of any format");
  if (std::next(first) != last)
    throw Error(Failure::no_input, "has more than one " + what_ + ": " + first->second + " and " +
                                       std::next(first)->second + " in " + path.parent_path().string());
  return (path.parent_path() / first->second).string();
}

void leave_out_unmatched(FoundInputs& found, const std::vector<std::string>& patterns) {
  for (const std::string& text : patterns) {
    const NamePattern pattern(text);
    const std::size_t left_out = std::erase_if(found.inputs, [&](const BatchInput& input) {
      return input.is_found && !input.problem && !pattern.name_for(fs::path(input.name).filename().string());
    });
    if (left_out > 0)
      found.warnings.push_back(counted(left_out, "image") + " skipped: not named " + pattern.from() +
                               ", as --intensity-name asks");
  }
}

const IntensityImages::Names& IntensityImages::names_in(const fs::path& folder) {
  const auto [searched, is_new] = searched_.try_emplace(folder);
  if (!is_new) return searched->second;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (const std::string file = entry->path().filename().string(); io::is_image_name(file))
      searched->second.emplace(io::without_extension(file), file);
  if (failure && failure != std::errc::no_such_file_or_directory) {
    searched_.erase(searched);
    throw Error(io::failure_to_read(failure.value()), "its " + what_ + " cannot be found, because " +
                                                          folder.string() + " cannot be read (" +
                                                          io::system_reason(failure.value()) + ")");
  }
  return searched->second;
}

}  // namespace gpuccl::app
