#include "app/label/label_outputs.hpp"

#include <fstream>
#include <string_view>

#include "app/common/messages.hpp"
#include "io/files/file_error.hpp"
#include "io/files/text_stream.hpp"
#include "io/report/stats_csv.hpp"

namespace gpuccl::app {
namespace {

/// The beginning of every report.
constexpr std::string_view kReport = "{\n  \"gpuccl\"";

/// Nobody asked for a report by the name of `path`: then what is there may be replaced only if it is one.
/// Data about an image often lies beside it under that name.
void refuse_foreign(const std::string& path) {
  std::ifstream file(path);
  std::string begin(kReport.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  const std::size_t first = begin.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const bool is_json =
      file.gcount() > 0 && first != std::string::npos && (begin[first] == '{' || begin[first] == '[');
  if (is_json && begin != kReport)
    throw io::FileError(path, Failure::cannot_create,
                        "exists and is no report of gpuccl; --json or --json-dir says where the report goes");
}

}  // namespace

LabelOutputs::LabelOutputs(const LabelPaths& files, const io::AtomicFile::Options& options) {
  const auto open = [&](const std::string& path) -> File {
    if (path.empty()) return nullptr;
    return io::concerning(path, [&] { return std::make_unique<io::AtomicFile>(path, options); });
  };
  image_ = open(files.image);
  preview_ = open(files.preview);
  const auto open_text = [&](const std::string& path, std::string& stream) -> File {
    if (!io::TextStream::is_named(path)) return open(path);
    stream = path;
    return nullptr;
  };
  stats_ = open_text(files.stats, stats_stream_);
  if (files.json_by_default) refuse_foreign(files.json);
  report_ = open_text(files.json, report_stream_);
}

void LabelOutputs::finish() {
  for (const File* file : {&image_, &preview_, &stats_})
    if (*file) io::concerning((*file)->path(), [&] { (*file)->finish(); });
}

void LabelOutputs::commit(const io::Report& report, const Components& components) {
  if (report_) {
    io::concerning(report_->path(), [&] {
      io::write_report(*report_, report, components);
      report_->finish();
    });
  }
  if (!stats_stream_.empty()) {
    const io::TextStream stream(stats_stream_);
    io::concerning(stream.name(),
                   [&] { io::write_stats_csv(stream.descriptor(), report.volume, components); });
  }
  if (!report_stream_.empty()) {
    const io::TextStream stream(report_stream_);
    io::concerning(stream.name(), [&] { io::write_report(stream.descriptor(), report, components); });
  }
  for (const File* file : {&image_, &preview_, &stats_, &report_})
    if (*file) io::concerning((*file)->path(), [&] { (*file)->commit(); });
}

}  // namespace gpuccl::app
