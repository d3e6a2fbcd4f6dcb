#include "app/parts/task_folder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <span>
#include <utility>

#include "app/options/number_lists.hpp"
#include "io/files/fingerprint.hpp"
#include "io/files/make_folder.hpp"
#include "io/parts/section_checks.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;
using io::CheckedFile;
using io::CheckedFileWriter;

constexpr io::FileTag kRunTag{'r', 0, 0, 0};

/// Upper halves of a sum of coordinates.
struct High {
  std::uint64_t at;
  std::array<std::uint64_t, 3> sum;
};

std::string joined(const std::vector<std::string>& words, char between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(1, between)) + word;
  return text;
}

bool is_of_part(const std::string& name) {
  return std::regex_match(
      name,
      std::regex("(background|holes|labels|cavities|united|measures|numbers|stretch)-[0-9]+-of-[0-9]+"));
}

/// Returns true for files that tasks leave only until the run is finished.
bool is_passing(const std::string& name) {
  return is_of_part(name) || name == "joined" || name.starts_with(".gpuccl-");
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    names.push_back(at->path().filename().string());
  return names;
}

}  // namespace

std::uint64_t TaskRun::id() const {
  return io::fingerprint(joined(words, '\0') + '\0' + input + '\0' + std::to_string(parts));
}

TaskFolder::TaskFolder(std::string path, bool sync) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  options_.sync = sync;
  options_.guarded = true;
}

void TaskFolder::begin(const TaskRun& mine,
                       const std::function<std::optional<std::string>(const std::string& before)>& changed) {
  io::make_folder(path_);
  use(mine);
  const std::vector<std::string> names = names_in(path_);
  for (const std::string& name : names)
    if (!is_passing(name) && name != "run" && name != "finished")
      throw io::FileError(
          path_, Failure::cannot_create,
          "contains files that are not parts, such as " + name + "; use an empty folder for --parts-dir");
  if (!fs::exists(run_path()) && write(mine, false)) return;
  TaskRun there;
  try {
    there = read_run();
  } catch (const Error& error) {
    if (error.failure() != Failure::data) throw;
    std::error_code is_no_file;
    const bool is_of_ours =
        fs::is_empty(run_path(), is_no_file) || std::any_of(names.begin(), names.end(), is_of_part);
    if (fs::exists(finished_path()) || !is_of_ours)
      throw io::FileError(run_path(), Failure::data,
                          "is damaged or not from gpuccl; remove the folder, or use another one");
    write(mine, true);  // damaged: files of another run have other tags
    return;
  }
  if (there.words != mine.words)
    throw io::FileError(path_, Failure::usage,
                        "contains parts of another command: " + joined(there.words, ' ') + " and not " +
                            joined(mine.words, ' ') + "; use another --parts-dir, or remove this one");
  if (const std::optional<std::string> other = changed(there.input))
    throw io::FileError(path_, Failure::data,
                        "has parts of " + *other + ", which has changed; remove the folder and start again");
  if (there.parts != mine.parts)
    throw io::FileError(path_, Failure::usage,
                        "has parts of " + std::to_string(there.parts) + ", not of " +
                            std::to_string(mine.parts) + "; use another --parts-dir, or remove this one");
}

TaskRun TaskFolder::open() {
  TaskRun run = read_run();
  use(run);
  return run;
}

TaskRun TaskFolder::read_run() const {
  return with_remedy(run_path(), "run gpuccl label --part first", [&] {
    const CheckedFile file(run_path(), kRunTag, sections::kOfRun);
    TaskRun run;
    run.words = split(file.take_text(sections::kWords), '\0');
    const std::string text = file.take_text(sections::kInput);
    const std::size_t end = std::min(text.find('\0'), text.size());
    run.parts = parse_number<int>(text.substr(0, end)).value_or(0);
    if (run.parts < 1 || run.parts > kMostParts) CheckedFile::refuse();
    run.input = text.substr(std::min(end + 1, text.size()));
    return run;
  });
}

void TaskFolder::use(const TaskRun& run) {
  run_ = run.id();
  parts_ = run.parts;
}

/// False if one is there that must stay.
bool TaskFolder::write(const TaskRun& run, bool overwrite) const {
  io::AtomicFile::Options options = options_;
  options.overwrite = overwrite;
  try {
    io::concerning(run_path(), [&] {
      CheckedFileWriter file(run_path(), kRunTag, options);
      file.add(joined(run.words, '\0'));
      file.end_section();
      file.add(std::to_string(run.parts) + '\0' + run.input);
      file.end_section();
      file.commit();
    });
  } catch (const Error& error) {
    if (overwrite || error.failure() != Failure::cannot_create || !fs::exists(run_path())) throw;
    return false;
  }
  return true;
}

void TaskFolder::clean() const {
  std::error_code none;
  for (const std::string& name : names_in(path_))
    if (is_passing(name)) fs::remove(fs::path(path_) / name, none);
}

std::string TaskFolder::of_part(const char* kind, int part) const {
  return path_ + "/" + kind + "-" + std::to_string(part) + "-of-" + std::to_string(parts_);
}

io::FileTag TaskFolder::tag(char kind, std::uint64_t run, int part) const {
  return {static_cast<std::uint64_t>(kind), run, static_cast<std::uint64_t>(part),
          static_cast<std::uint64_t>(parts_)};
}

void put_components(CheckedFileWriter& file, const Components& components, std::size_t begin,
                    std::size_t end) {
  const auto put = [&](const auto& column) {
    const std::span all(column.data(), column.size());
    file.put(all.subspan(begin, end - begin));
  };
  put(components.area);
  put(components.box);
  put(components.sum);
  std::vector<High> highs;
  for (auto at = components.sum_high.lower_bound(begin); at != components.sum_high.end() && at->first < end;
       ++at)
    highs.push_back({at->first - begin, at->second});
  file.put(highs);
}

Components take_components(const CheckedFile& file, std::size_t section, const Extent& extent,
                           bool is_periodic) {
  const auto take = [&](std::size_t i, auto& column) {
    using T = typename std::remove_reference_t<decltype(column)>::value_type;
    const std::vector<T> values = file.take<T>(section + i);
    column.assign(values.begin(), values.end());
  };
  Components components;
  take(0, components.area);
  take(1, components.box);
  take(2, components.sum);
  if (components.box.size() != components.size() || components.sum.size() != components.size())
    throw Error(Failure::data, "is damaged");
  for (const High& high : file.take<High>(section + 3)) components.sum_high[high.at] = high.sum;
  io::check_components(components, extent, is_periodic);
  return components;
}

void put_measured(CheckedFileWriter& file, const Measured& measured, std::size_t begin, std::size_t end) {
  std::vector<std::uint64_t> words, ends;
  for (std::size_t i = begin; i < end && measured.any(); ++i) {
    measured.save(i, words);
    ends.push_back(words.size());
  }
  file.put(words);
  file.put(ends);
}

void add_measured(const CheckedFile& file, std::size_t section, std::span<const std::size_t> components,
                  Measured& measured) {
  const auto words = file.take<std::uint64_t>(section), ends = file.take<std::uint64_t>(section + 1);
  if (ends.size() != components.size() || (ends.empty() ? 0 : ends.back()) != words.size())
    throw Error(Failure::data, "is damaged");
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    if (ends[i] < begin || ends[i] > words.size()) throw Error(Failure::data, "is damaged");
    measured.add_saved(components[i], std::span(words).subspan(begin, ends[i] - begin));
  }
}

bool is_whole(const std::string& path, const io::FileTag& tag, std::size_t sections) {
  try {
    CheckedFile(path, tag, sections).verify();
    return true;
  } catch (const Error& error) {
    if (error.failure() != Failure::data && error.failure() != Failure::no_input) throw;
    return false;
  }
}

}  // namespace gpuccl::app
