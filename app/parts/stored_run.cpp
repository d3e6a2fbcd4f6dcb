#include "app/parts/stored_run.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <utility>

#include "app/label/label_checks.hpp"
#include "app/options/option_helpers.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_names.hpp"
#include "io/image/formats.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

/// Properties of a TaskFile; kKinds has the order of the enumeration.
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

constexpr std::size_t kMaxNamed = 20;

std::string without_slashes(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

std::string joined_words(const std::vector<std::string>& words, char between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(1, between)) + word;
  return text;
}

/// Returns whether a file has a name such as "labels-3-of-16".
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

/// Returns whether a file is needed only until the run is finished.
bool is_removed_at_end(const std::string& name) {
  return is_of_part(name) || name == "joined" || name.starts_with(".gpuccl-");
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    names.push_back(at->path().filename().string());
  return names;
}

/// Returns a line that identifies an output file.
std::string line_of(const std::string& path, const struct stat& status) {
  return fmt::format("{} {} {}.{}\n", path, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

}  // namespace

StoredRun::StoredRun(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task,
                     WarnAbout warn)
    : folder_(without_slashes(task.folder)), options_(options), files_(files) {
  io::with_path(files_.input, [&] { input_.emplace(files_, options_, std::move(warn)); });
  SoloLink link;
  if (!file(TaskFile::finished).exists())
    LabelOutputs(link, files_, LabelStreams(files_), options_.output);  // throws if they cannot be written
  command_ = {task_words(options_), input_->state(), task.parts};
  claim_folder();
  slabs_ = cut_into_parts(extent(), parts());
}

StoredRun::StoredRun(const std::string& folder) : folder_(without_slashes(folder)), command_(read_command()) {
  options_ = io::with_path(command_file().path, [&] { return options_of_words(command_.words); });
  files_ = paths_of(options_);
}

void StoredRun::open_input() {
  io::with_path(files_.input, [&] {
    input_.emplace(files_, options_, nullptr);
    if (const std::optional<std::string> other = input_->changed(command_.input))
      throw io::FileError(*other, ErrorCode::data, "has changed since its parts were labeled");
  });
  slabs_ = cut_into_parts(extent(), parts());
}

std::uint64_t StoredRun::RunCommand::id() const {
  return io::fingerprint(joined_words(words, '\0') + '\0' + input + '\0' + std::to_string(parts));
}

void StoredRun::claim_folder() {
  io::make_folder(folder_);
  const std::vector<std::string> names = names_in(folder_);
  for (const std::string& name : names)
    if (!is_removed_at_end(name) && name != "run" && name != "finished")
      throw io::FileError(
          folder_, ErrorCode::cannot_create,
          "contains files that are not parts, such as " + name + "; use an empty folder for --parts-dir");
  const StoredFile run = command_file();
  if (!run.exists() && write_command(false)) return;
  RunCommand before;
  try {
    before = read_command();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data) throw;
    std::error_code is_no_file;
    const bool is_of_gpuccl =
        fs::is_empty(run.path, is_no_file) || std::any_of(names.begin(), names.end(), is_of_part);
    if (file(TaskFile::finished).exists() || !is_of_gpuccl)
      throw io::FileError(run.path, ErrorCode::data,
                          "is damaged or not from gpuccl; remove the folder, or use another one");
    write_command(true);  // files of another run have other tags
    return;
  }
  if (before.words != command_.words)
    throw io::FileError(folder_, ErrorCode::usage,
                        "contains parts of another command: " + joined_words(before.words, ' ') +
                            " and not " + joined_words(command_.words, ' ') +
                            "; use another --parts-dir, or remove this one");
  if (const std::optional<std::string> other = input_->changed(before.input))
    throw io::FileError(folder_, ErrorCode::data,
                        "has parts of " + *other + ", which has changed; remove the folder and start again");
  if (before.parts != command_.parts)
    throw io::FileError(folder_, ErrorCode::usage,
                        fmt::format("is for {} parts, not {}; use another --parts-dir, or remove this one",
                                    before.parts, command_.parts));
}

StoredRun::RunCommand StoredRun::read_command() const {
  return command_file().read_required([](const io::CheckedFile& file) {
    RunCommand command;
    command.words = split(file.read_text(sections::kWords), '\0');
    const std::string text = file.read_text(sections::kInput);
    const std::size_t end = std::min(text.find('\0'), text.size());
    command.parts = parse_number<int>(text.substr(0, end)).value_or(0);
    if (command.parts < 1 || command.parts > kMaxParts) io::CheckedFile::throw_damaged();
    command.input = text.substr(std::min(end + 1, text.size()));
    return command;
  });
}

/// Returns false if there is a file that must not be overwritten.
bool StoredRun::write_command(bool overwrite) const {
  StoredFile file = command_file();
  file.options.overwrite = overwrite;
  try {
    file.write([&](io::CheckedFileWriter& out) {
      out.add(joined_words(command_.words, '\0'));
      out.end_section();
      out.add(std::to_string(command_.parts) + '\0' + command_.input);
      out.end_section();
    });
  } catch (const Error& error) {
    if (overwrite || error.code() != ErrorCode::cannot_create || !file.exists()) throw;
    return false;
  }
  return true;
}

io::AtomicFile::Options StoredRun::file_options() const {
  io::AtomicFile::Options options;
  options.sync = options_.output.file.sync;
  options.guarded = true;
  return options;
}

StoredFile StoredRun::command_file() const {
  return {
      folder_ + "/run", {'r', 0, 0, 0}, sections::kOfRun, "run gpuccl label --part first", file_options()};
}

StoredFile StoredRun::file(TaskFile kind, int part, std::uint64_t joined) const {
  const Kind& of = kKinds[static_cast<std::size_t>(kind)];
  std::string path = folder_ + "/" + of.name;
  if (of.is_of_part) path += fmt::format("-{}-of-{}", part, parts());
  const io::FileTag tag{static_cast<std::uint64_t>(of.tag), command_.id() ^ joined,
                        static_cast<std::uint64_t>(part), static_cast<std::uint64_t>(parts())};
  return {std::move(path), tag, of.sections,
          of.is_by_task ? "run again: --part " + word_of_part(part, parts()) : "run gpuccl join again",
          file_options()};
}

void StoredRun::for_each_part(const std::function<void(int part)>& work) const {
  std::optional<io::FileError> first;
  std::vector<int> again;
  for (int part = 1; part <= parts(); ++part) {
    try {
      work(part);
    } catch (const io::FileError& error) {
      if (error.code() != ErrorCode::data && error.code() != ErrorCode::no_input) throw;
      if (!first) first = error;
      again.push_back(part);
    }
  }
  if (!first) return;
  std::string reason =
      std::string(first->what()) + "; run again: --part " + word_of_part(again.front(), parts());
  for (std::size_t i = 1; i < std::min(again.size(), kMaxNamed); ++i)
    reason += ", " + word_of_part(again[i], parts());
  if (again.size() > kMaxNamed) reason += fmt::format(" and {} more", again.size() - kMaxNamed);
  throw io::FileError(first->path(), first->code(), reason, first->system_code());
}

void StoredRun::write_labels(TaskFile kind, int part, const PartFacts& report,
                             const PartLabeler::Labels& labels) const {
  file(kind, part).write([&](io::CheckedFileWriter& out) {
    write_labeled_part(out, report, labels, slab(part), extent());
  });
}

SlabLabels StoredRun::labels(TaskFile kind, int part, std::uint64_t id, std::vector<Label> numbers) const {
  const StoredFile stored = file(kind, part);
  return stored.read_required([&](io::CheckedFile opened) {
    opened.verify();
    if (labels_id(opened) != id || numbers.empty())
      throw io::FileError(stored.path, ErrorCode::data,
                          "has changed since gpuccl join; run gpuccl join again");
    return stored_slab(std::make_shared<io::CheckedFile>(std::move(opened)), slab(part), extent(),
                       std::move(numbers));
  });
}

JoinedSlabs StoredRun::join(TaskFile kind, Connectivity connectivity) const {
  std::vector<Slab> slabs;
  for (const Slab& slab : slabs_)
    if (extent_of(slab, extent()).elements() > 0) slabs.push_back(slab);
  const double delta = kind == TaskFile::labels ? options_.values.most_difference() : 0;
  const auto labeled = [&](std::size_t i) {
    return file(kind, static_cast<int>(i) + 1).read_required([&](const io::CheckedFile& stored) {
      return read_slab_to_join(stored, slabs[i], *input_, delta);
    });
  };
  return join_slabs(extent(), connectivity, slabs, labeled, options_.values.objects);
}

JoinedParts StoredRun::joined(const std::string& remedy) const {
  StoredFile stored = file(TaskFile::joined);
  stored.remedy = remedy;
  return stored.read_required([&](const io::CheckedFile& opened) {
    JoinedParts joined = JoinedParts::read(opened, static_cast<std::size_t>(parts()));
    if (!files_.image.empty() && !options_.values.writes_values() && joined.image_largest != joined.count)
      io::CheckedFile::throw_damaged();
    return joined;
  });
}

io::WriteOptions StoredRun::image_options(const JoinedParts& joined) const {
  return io::with_path(files_.image, [&] {
    return write_options(options_, *files_.image.format, joined.image_type, joined.image_largest,
                         input_->info().geometry);
  });
}

io::LabelFile StoredRun::image(const JoinedParts& joined) const {
  const io::WriteOptions write = image_options(joined);
  return io::with_path(files_.image, [&] {
    return io::new_label_file(*files_.image.format, files_.image, extent(), joined.image_largest, write);
  });
}

bool StoredRun::is_finished() const {
  const StoredFile finished = file(TaskFile::finished);
  if (!finished.is_valid()) return false;
  std::string lines;
  for (const std::string& output : files_.outputs()) {
    struct stat status {};
    if (::stat(output.c_str(), &status) == 0) lines += line_of(output, status);
  }
  if (finished.read([](const io::CheckedFile& stored) { return stored.read_text(0); }) == lines) return true;
  if (file(TaskFile::joined).exists()) return false;  // the outputs were not renamed
  throw io::FileError(finished.path, ErrorCode::data,
                      "lists a finished run, but its outputs have changed; remove the folder to start again");
}

void StoredRun::write_finished(const LabelOutputs& outputs) const {
  std::string lines;
  for (const Output output : kOutputs)
    if (const io::SharedFile* const out = outputs.file(output)) {
      struct stat status {};
      if (::fstat(out->descriptor(), &status) != 0)
        throw io::FileError(out->path(), ErrorCode::io, "cannot write (" + io::system_reason(errno) + ")");
      lines += line_of(out->path(), status);
    }
  file(TaskFile::finished).write([&](io::CheckedFileWriter& out) {
    out.add(lines);
    out.end_section();
  });
}

void StoredRun::remove_files() const {
  std::error_code none;
  for (const std::string& name : names_in(folder_))
    if (is_removed_at_end(name)) fs::remove(fs::path(folder_) / name, none);
}

}  // namespace gpuccl::app
