#include "app/parts/opened_run.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "app/label/label_checks.hpp"
#include "app/parts/task_options.hpp"
#include "app/parts/task_words.hpp"

namespace gpuccl::app {
namespace {

constexpr std::size_t kMostNamed = 20;

}  // namespace

OpenedRun::OpenedRun(const std::string& folder) : folder_(folder, true), run_(folder_.open()) {
  options_ = io::concerning(folder_.run_path(), [&] { return options_of_words(run_.words); });
  folder_ = TaskFolder(folder, options_.output.file.sync);
  folder_.open();
  files_ = paths_of(options_);
}

LabelInput OpenedRun::open_input() const {
  return io::concerning(files_.input, [&] {
    LabelInput input(files_, options_, nullptr);
    if (const std::optional<std::string> other = input.changed(run_.input))
      throw io::FileError(*other, Failure::data, "has changed since its parts were labeled");
    return input;
  });
}

void OpenedRun::for_part(int part, const std::string& path, const std::function<void()>& work) const {
  with_remedy(path, "run again: --part " + word_of_part(part, folder_.parts()), [&] {
    work();
    return 0;
  });
}

void OpenedRun::for_each_part(const std::function<void(int part)>& work) const {
  std::optional<io::FileError> first;
  std::vector<int> again;
  for (int part = 1; part <= folder_.parts(); ++part) {
    try {
      work(part);
    } catch (const io::FileError& error) {
      if (error.failure() != Failure::data && error.failure() != Failure::no_input) throw;
      if (!first) first = error;
      again.push_back(part);
    }
  }
  if (!first) return;
  std::string reason =
      std::string(first->what()) + "; run again: --part " + word_of_part(again.front(), folder_.parts());
  for (std::size_t i = 1; i < std::min(again.size(), kMostNamed); ++i)
    reason += ", " + word_of_part(again[i], folder_.parts());
  if (again.size() > kMostNamed) reason += " and " + std::to_string(again.size() - kMostNamed) + " more";
  throw io::FileError(first->path(), first->failure(), reason, first->system_code());
}

}  // namespace gpuccl::app
