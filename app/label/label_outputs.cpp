#include "app/label/label_outputs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_identity.hpp"
#include "io/report/contacts_csv.hpp"
#include "io/report/outlines.hpp"
#include "io/report/reported_run.hpp"
#include "io/report/stats_csv.hpp"
#include "io/report/summary_csv.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

/// The first bytes of the file `path`, white space left out; "" if there is none.
std::string beginning_of(const std::string& path) {
  const io::Descriptor file = io::open_again(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (!file && errno == ENOENT) return "";
  if (!file)
    throw Error(Failure::cannot_create, "exists and cannot be read (" + io::system_reason(errno) +
                                            "); add --overwrite to replace it");
  std::string text(256, '\0');
  text.resize(io::read_all_at(file.get(), text.data(), text.size(), 0));
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

/// Refuses to replace what is not surely of our making. Data about an image often lies next to it under the
/// name that its report would get, and tables are kept under any name.
void refuse_foreign(const std::string& path, bool (*is_ours)(std::string_view), const std::string& reason) {
  const std::string text = io::with_path(path, [&] { return beginning_of(path); });
  if (!text.empty() && !is_ours(text)) throw io::FileError(path, Failure::cannot_create, reason);
}

/// Creates a file without a name in the folder for temporary files.
std::unique_ptr<io::AtomicFile> open_spool(io::AtomicFile::Options options) {
  const std::string folder = std::filesystem::temp_directory_path().string();
  options.overwrite = true;
  options.sync = options.sync_folder = options.guarded = false;
  return io::with_path(folder, [&] {
    return std::make_unique<io::AtomicFile>(folder + "/gpuccl-" + std::to_string(::getpid()), options);
  });
}

void copy(const io::AtomicFile& file, int to) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  std::vector<char> piece(std::min(file.size(), kAtOnce));
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t bytes = io::read_all_at(file.descriptor(), piece.data(), piece.size(), at);
    if (bytes == 0) throw Error(Failure::io, "cannot read the label image that waits for it");
    io::write_all(to, piece.data(), bytes);
    at += bytes;
  }
}

std::optional<io::TextStream> stream(const std::string& path) {
  if (path.empty() || !io::TextStream::is_named(path)) return std::nullopt;
  return io::TextStream(path);
}

}  // namespace

void refuse_foreign_table(const std::string& path, bool (*is_ours)(std::string_view)) {
  refuse_foreign(path, is_ours, "exists and is not a table of gpuccl; add --overwrite to replace it");
}

void refuse_foreign_page(const std::string& path, bool (*is_ours)(std::string_view)) {
  refuse_foreign(
      path, is_ours,
      "exists and was not written by gpuccl; use another folder, or add --overwrite to replace it");
}

LabelStreams::LabelStreams(const LabelPaths& paths) {
  if (paths.in_folders) return;
  if (paths.image == "-") image.emplace(paths.image);
  stats = stream(paths.stats);
  contacts = stream(paths.contacts);
  summary = stream(paths.summary);
  if (!paths.json_by_default) report = stream(paths.json);
}

LabelOutputs::LabelOutputs(const LabelPaths& paths, LabelStreams streams, const OutputOptions& options,
                           int digits)
    : paths_(paths), overwrite_(options.file.overwrite), digits_(digits), streams_(std::move(streams)) {
  const auto open = [&](const std::string& path) -> File {
    if (path.empty()) return nullptr;
    return io::with_path(path, [&] { return std::make_unique<io::AtomicFile>(path, options.file); });
  };
  const auto open_text = [&](const std::string& path, std::optional<io::TextStream>& stream) -> File {
    if (!stream) return open(path);
    stream->open();
    return nullptr;
  };
  if (streams_.image) {
    streams_.image->open();
    image_ = open_spool(options.file);
  } else if (!paths.image.empty() && io::label_format(paths.image) == io::LabelFormat::zarr) {
    io::with_path(paths.image, [&] {
      io::refuse_foreign_zarr(paths.image);
      if (io::is_label_group(paths.image))
        group_ = std::make_unique<io::LabelGroup>(paths.image, options.file);
      image_ = std::make_unique<io::AtomicFile>(paths.image, options.file, io::AtomicFile::Kind::folder);
    });
  } else {
    image_ = open(paths.image);
  }
  preview_ = open(paths.preview);
  view_ = open(paths.view);
  outlines_ = open(paths.outlines);
  stats_ = open_text(paths.stats, streams_.stats);
  contacts_ = open_text(paths.contacts, streams_.contacts);
  summary_ = open_text(paths.summary, streams_.summary);
  report_ = open_text(paths.json, streams_.report);
  if (options.replace_foreign) return;
  if (stats_) refuse_foreign_table(paths.stats, io::is_stats_csv);
  if (contacts_) refuse_foreign_table(paths.contacts, io::is_contacts_csv);
  if (summary_) refuse_foreign_table(paths.summary, io::is_summary_csv);
  if (outlines_)
    refuse_foreign(paths.outlines, io::are_outlines,
                   "exists and was not written by gpuccl; add --overwrite to replace it");
  if (report_ && paths.json_by_default)
    refuse_foreign(paths.json, io::is_report,
                   "exists and is not a report of gpuccl; set another name with --json or --json-dir, or add "
                   "--overwrite");
}

void LabelOutputs::finish() {
  for (const File* file : {&image_, &preview_, &view_, &outlines_, &stats_, &contacts_, &summary_})
    if (*file) io::with_path((*file)->path(), [&] { (*file)->finish(); });
}

void LabelOutputs::commit(const io::Report& report, const Components& components, const Measured& measured,
                          const std::vector<Contact>& contacts, const std::string& summary) {
  if (report_)
    io::with_path(report_->path(), [&] { io::write_report(*report_, report, components, measured); });
  if (const auto& stream = streams_.image)
    io::with_path(stream->name(), [&] { copy(*image_, stream->descriptor()); });
  if (const auto& stream = streams_.summary)
    io::with_path(stream->name(),
                  [&] { io::write_all(stream->descriptor(), summary.data(), summary.size()); });
  if (const auto& stream = streams_.stats)
    io::with_path(stream->name(), [&] {
      io::stream_stats_csv(io::text_to(stream->descriptor()), report.volume, report.input.geometry,
                           components, measured, {}, report.value, digits_);
    });
  if (const auto& stream = streams_.contacts)
    io::with_path(stream->name(), [&] {
      io::stream_contacts_csv(io::text_to(stream->descriptor()),
                              is_3d(static_cast<Connectivity>(report.connectivity)), report.input.geometry,
                              contacts, report.value, report.value.labels);
    });
  if (const auto& stream = streams_.report)
    io::with_path(stream->name(),
                  [&] { io::write_report(stream->descriptor(), report, components, measured); });
  commit();
}

void LabelOutputs::commit() {
  std::optional<io::FolderLock> lock;
  if (group_)
    io::with_path(image_->path(), [&] {
      lock.emplace(group_->lock());
      group_->write(*image_);
    });
  std::vector<io::AtomicFile*> files;
  if (image_ && !streams_.image) files.push_back(image_.get());
  if (group_)
    for (const File& file : group_->files()) files.push_back(file.get());
  for (const File* file : {&preview_, &view_, &outlines_, &stats_, &contacts_, &summary_, &report_})
    if (*file) files.push_back(file->get());
  if (!files.empty()) io::AtomicFile::commit_together(files, obsolete_report().get());
}

std::unique_ptr<io::StaleFile> LabelOutputs::obsolete_report() const {
  if (!image_ || streams_.image || !overwrite_) return nullptr;
  const std::string path = default_report(paths_.image);
  if (report_ && io::identify(path) == io::identify(paths_.json)) return nullptr;
  const std::optional<io::ReportedRun> run = io::read_reported_run(path);
  if (!run || run->output.path.empty() || io::identify(run->output.path) != io::identify(paths_.image))
    return nullptr;
  return io::with_path(path, [&] { return std::make_unique<io::StaleFile>(path); });
}

}  // namespace gpuccl::app
