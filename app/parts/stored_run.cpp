#include "app/parts/stored_run.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "app/label/label_checks.hpp"
#include "app/parts/task_options.hpp"
#include "io/files/descriptor.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

constexpr std::size_t kMostNamed = 20;

/// Returns a line that identifies an output file.
std::string line_of(const std::string& path, const struct stat& status) {
  return fmt::format("{} {} {}.{}\n", path, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

}  // namespace

StoredRun::StoredRun(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task,
                     LabelInput::Warn warn)
    : folder_(task.folder, options.output.file.sync), options_(options), files_(files) {
  io::with_path(files_.input, [&] { input_.emplace(files_, options_, std::move(warn)); });
  SoloLink link;
  if (!file(TaskFile::finished).exists())
    LabelOutputs(link, files_, LabelStreams(files_), options_.output);  // can be written
  folder_.begin({task_words(options_), input_->state(), task.parts},
                [&](const std::string& before) { return input_->changed(before); });
  slabs_ = cut_into_parts(extent(), parts());
}

StoredRun::StoredRun(const std::string& folder) : folder_(folder, true) {
  TaskRun run = folder_.open();
  options_ = io::with_path(folder_.run_file().path, [&] { return options_of_words(run.words); });
  folder_ = TaskFolder(folder, options_.output.file.sync);
  folder_.open();
  files_ = paths_of(options_);
  state_ = std::move(run.input);
}

void StoredRun::open_input() {
  io::with_path(files_.input, [&] {
    input_.emplace(files_, options_, nullptr);
    if (const std::optional<std::string> other = input_->changed(state_))
      throw io::FileError(*other, Failure::data, "has changed since its parts were labeled");
  });
  slabs_ = cut_into_parts(extent(), parts());
}

JoinedParts StoredRun::joined(const std::string& remedy) const {
  StoredFile file = this->file(TaskFile::joined);
  file.remedy = remedy;
  return file.need([&](const io::CheckedFile& stored) {
    JoinedParts joined = JoinedParts::take(stored, static_cast<std::size_t>(parts()));
    if (!files_.image.empty() && !options_.values.keep_values && joined.image_largest != joined.count)
      io::CheckedFile::refuse();
    return joined;
  });
}

void StoredRun::for_each_part(const std::function<void(int part)>& work) const {
  std::optional<io::FileError> first;
  std::vector<int> again;
  for (int part = 1; part <= parts(); ++part) {
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
      std::string(first->what()) + "; run again: --part " + word_of_part(again.front(), parts());
  for (std::size_t i = 1; i < std::min(again.size(), kMostNamed); ++i)
    reason += ", " + word_of_part(again[i], parts());
  if (again.size() > kMostNamed) reason += fmt::format(" and {} more", again.size() - kMostNamed);
  throw io::FileError(first->path(), first->failure(), reason, first->system_code());
}

void StoredRun::leave(TaskFile kind, int part, const PieceReport& report, const Piece::Labels& labels) const {
  file(kind, part).write([&](io::CheckedFileWriter& out) {
    put_part(out, report, labels, slab(part), extent());
  });
}

NumberedSlab StoredRun::labels(TaskFile kind, int part, std::uint64_t id, std::vector<Label> numbers) const {
  const StoredFile file = this->file(kind, part);
  return file.need([&](io::CheckedFile opened) {
    opened.verify();
    if (labels_id(opened) != id || numbers.empty())
      throw io::FileError(file.path, Failure::data, "has changed since gpuccl join; run gpuccl join again");
    return take_part(std::make_shared<io::CheckedFile>(std::move(opened)), slab(part), extent(),
                     std::move(numbers));
  });
}

JoinedSlabs StoredRun::join(TaskFile kind, Connectivity connectivity) const {
  std::vector<Slab> slabs;
  for (int part = 1; part <= parts() && !is_empty(part); ++part) slabs.push_back(slab(part));
  const auto labeled = [&](std::size_t i) {
    return file(kind, static_cast<int>(i) + 1).need([&](const io::CheckedFile& stored) {
      return take_part_to_join(stored, slabs[i], *input_, delta(kind));
    });
  };
  return join_slabs(extent(), connectivity, slabs, labeled, options_.values.objects);
}

io::WriteOptions StoredRun::image_options(const JoinedParts& joined) const {
  return io::with_path(files_.image, [&] {
    return write_options(options_, io::label_format(files_.image), joined.image_type, joined.image_largest,
                         input_->info().geometry);
  });
}

io::LabelFile StoredRun::image(const JoinedParts& joined) const {
  const io::WriteOptions write = image_options(joined);
  return io::with_path(files_.image, [&] {
    return io::new_label_file(io::label_format(files_.image), files_.image, extent(), joined.image_largest,
                              write);
  });
}

bool StoredRun::is_finished() const {
  const StoredFile finished = file(TaskFile::finished);
  if (!finished.is_whole()) return false;
  std::string lines;
  for (const std::string& output : files_.outputs()) {
    struct stat status {};
    if (::stat(output.c_str(), &status) == 0) lines += line_of(output, status);
  }
  if (finished.read([](const io::CheckedFile& stored) { return stored.take_text(0); }) == lines) return true;
  if (file(TaskFile::joined).exists()) return false;  // they did not get their names
  throw io::FileError(finished.path, Failure::data,
                      "lists a finished run, but its outputs have changed; remove the folder to start again");
}

void StoredRun::write_finished(const LabelOutputs& outputs) const {
  std::string lines;
  for (const Output output : kOutputs)
    if (const io::AtomicFile* const out = outputs.file(output)) {
      struct stat status {};
      if (::fstat(out->descriptor(), &status) != 0)
        throw io::FileError(out->path(), Failure::io, "cannot write (" + io::system_reason(errno) + ")");
      lines += line_of(out->path(), status);
    }
  file(TaskFile::finished).write([&](io::CheckedFileWriter& out) {
    out.add(lines);
    out.end_section();
  });
}

}  // namespace gpuccl::app
