#include "app/parts/task_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "app/options/option_helpers.hpp"
#include "app/parts/task_files.hpp"
#include "app/parts/task_options.hpp"
#include "io/files/file_names.hpp"
#include "io/files/folders.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;
using io::CheckedFile;
using io::CheckedFileWriter;

/// By TaskFile.
struct Kind {
  const char* name;
  char tag;
  std::size_t sections;
  bool is_of_part, is_by_task;
};
constexpr Kind kKinds[] = {
    {"background", 'b', sections::kOfLabels, true, true},
    {"holes", 'h', sections::kOfHoles, true, false},
    {"labels", 'l', sections::kOfLabels, true, true},
    {"cavities", 'c', sections::kOfLabels, true, true},
    {"united", 'u', sections::kOfUnited, true, false},
    {"measures", 'm', sections::kOfMeasures, true, true},
    {"numbers", 'n', sections::kOfNumbers, true, false},
    {"stretch", 's', sections::kOfStretch, true, true},
    {"joined", 'j', sections::kOfJoinedParts, false, false},
    {"finished", 'f', 1, false, false},
};

std::string joined(const std::vector<std::string>& words, char between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(1, between)) + word;
  return text;
}

/// "labels-3-of-16".
bool is_of_part(const std::string& name) {
  const std::vector<std::string> words = split(name, '-');
  const auto is_number = [](const std::string& word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  return words.size() == 4 && words[2] == "of" && is_number(words[1]) && is_number(words[3]) &&
         std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const Kind& kind) { return kind.is_of_part && words[0] == kind.name; });
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

bool StoredFile::exists() const { return fs::exists(path); }

bool StoredFile::is_whole(const std::function<void(const CheckedFile& file)>& check) const {
  try {
    read(check);
    return true;
  } catch (const Error& error) {
    if (error.failure() != Failure::data && error.failure() != Failure::no_input) throw;
    return false;
  }
}

void StoredFile::write(const std::function<void(CheckedFileWriter& file)>& put) const {
  io::with_path(path, [&] {
    CheckedFileWriter file(path, tag, options);
    put(file);
    file.commit();
  });
}

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
  const StoredFile run = run_file();
  if (!run.exists() && write(mine, false)) return;
  TaskRun there;
  try {
    there = read_run();
  } catch (const Error& error) {
    if (error.failure() != Failure::data) throw;
    std::error_code is_no_file;
    const bool is_of_ours =
        fs::is_empty(run.path, is_no_file) || std::any_of(names.begin(), names.end(), is_of_part);
    if (file(TaskFile::finished, 0, 0).exists() || !is_of_ours)
      throw io::FileError(run.path, Failure::data,
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
                        fmt::format("is for {} parts, not {}; use another --parts-dir, or remove this one",
                                    there.parts, mine.parts));
}

TaskRun TaskFolder::open() {
  TaskRun run = read_run();
  use(run);
  return run;
}

TaskRun TaskFolder::read_run() const {
  return run_file().need([](const CheckedFile& file) {
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
  StoredFile file = run_file();
  file.options.overwrite = overwrite;
  try {
    file.write([&](CheckedFileWriter& out) {
      out.add(joined(run.words, '\0'));
      out.end_section();
      out.add(std::to_string(run.parts) + '\0' + run.input);
      out.end_section();
    });
  } catch (const Error& error) {
    if (overwrite || error.failure() != Failure::cannot_create || !file.exists()) throw;
    return false;
  }
  return true;
}

StoredFile TaskFolder::run_file() const {
  return {path_ + "/run", {'r', 0, 0, 0}, sections::kOfRun, "run gpuccl label --part first", options_};
}

StoredFile TaskFolder::file(TaskFile kind, int part, std::uint64_t joined) const {
  const Kind& of = kKinds[static_cast<std::size_t>(kind)];
  std::string path = path_ + "/" + of.name;
  if (of.is_of_part) path += fmt::format("-{}-of-{}", part, parts_);
  const io::FileTag tag{static_cast<std::uint64_t>(of.tag), run_ ^ joined, static_cast<std::uint64_t>(part),
                        static_cast<std::uint64_t>(parts_)};
  return {std::move(path), tag, of.sections,
          of.is_by_task ? "run again: --part " + word_of_part(part, parts_) : "run gpuccl join again",
          options_};
}

void TaskFolder::clean() const {
  std::error_code none;
  for (const std::string& name : names_in(path_))
    if (is_passing(name)) fs::remove(fs::path(path_) / name, none);
}

}  // namespace gpuccl::app
