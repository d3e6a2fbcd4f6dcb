#include "app/label/label_outputs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "app/common/messages.hpp"
#include "app/label/label_input.hpp"
#include "app/options/input_options.hpp"
#include "app/view/view_page.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/input_file.hpp"
#include "io/image/formats.hpp"
#include "io/parts/collectively.hpp"
#include "io/report/csv_tables.hpp"
#include "io/report/reported_run.hpp"

namespace gpuccl::app {
namespace {

/// Returns the first bytes of the file `path`, without white space; "" if there is no file.
std::string beginning_of(const std::string& path) {
  const io::Descriptor file = io::open_retrying(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (!file && errno == ENOENT) return "";
  if (!file && (errno == EMFILE || errno == ENFILE))
    throw io::system_error(ErrorCode::cannot_create, "cannot create", errno);
  if (!file)
    throw Error(ErrorCode::cannot_create, "exists and cannot be read (" + io::system_reason(errno) +
                                              "); add --overwrite to replace it");
  std::string text(1024, '\0');  // longer than the columns of any table
  text.resize(io::read_all_at(file.get(), text.data(), text.size(), 0));
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

/// Refuses to replace a file that gpuccl did not write. A file with the name of the default report is often
/// data of another program about the image, and tables may have any name.
void refuse_foreign(const std::string& path, bool (*is_ours)(std::string_view), const std::string& reason) {
  const std::string text = io::with_path(path, [&] { return beginning_of(path); });
  if (!text.empty() && !is_ours(text)) throw io::FileError(path, ErrorCode::cannot_create, reason);
}

/// Refuses to replace the report of another input: of vol1/page.png in the folder where vol2/page.png is
/// labeled, or that of cell.tif, which has the name of the one of cell.tiff.
void refuse_report_of_other(const LabelPaths& paths) {
  namespace fs = std::filesystem;
  const std::optional<io::ReportedRun> run = io::read_reported_run(paths.json);
  const auto is_other = [](const std::string& path, const std::string& own) {
    const std::string file = io::split_input(path).file;
    std::error_code none;
    return !file.empty() && fs::exists(file, none) &&
           io::identify(file) != io::identify(io::split_input(own).file);
  };
  if (!run || !is_other(run->input.path, paths.input)) return;
  if (paths.in_folders)
    throw io::FileError(paths.json, ErrorCode::cannot_create,
                        "is the report of another input, " + run->input.path +
                            "; use one output folder for each folder of inputs, or add --overwrite");
  if (!io::is_label_group(paths.image) && is_other(run->output.path, paths.image))
    throw io::FileError(paths.json, ErrorCode::cannot_create,
                        "is the report of another label image, " + run->output.path +
                            "; set another name with --json, or add --overwrite");
}

/// Creates a file without a name in the folder for temporary files.
std::unique_ptr<io::AtomicFile> open_spool(io::AtomicFile::Options options) {
  const std::string folder = io::folder_for_temporary_files();
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
    if (bytes == 0) throw Error(ErrorCode::io, "cannot read the label image that waits for it");
    io::write_all(to, piece.data(), bytes);
    at += bytes;
  }
}

}  // namespace

void refuse_foreign_table(const std::string& path, bool (*is_ours)(std::string_view)) {
  refuse_foreign(path, is_ours,
                 "exists and is not an earlier version of this table; move it, or add --overwrite");
}

void refuse_foreign_outlines(const std::string& path) {
  refuse_foreign(
      path, [](std::string_view text) { return !io::is_report(text); },
      "exists and is a report of gpuccl; set another name with --outlines, or add --overwrite");
  refuse_foreign(path, io::are_outlines, "exists and was not written by gpuccl; move it, or add --overwrite");
}

void refuse_foreign_page(const std::string& path, bool (*is_ours)(std::string_view)) {
  refuse_foreign(
      path, is_ours,
      "exists and was not written by gpuccl; use another folder, or add --overwrite to replace it");
}

TextOutput::TextOutput(const io::Target& target) : target_(target) {
  if (target_.is_stream) stream_.emplace(target_);
}

void TextOutput::open(const OutputOptions& options, bool (*is_ours)(std::string_view)) {
  if (stream_) return stream_->open();
  if (target_.empty()) return;
  file_ = io::with_path(target_, [&] { return std::make_unique<io::AtomicFile>(target_, options.file); });
  if (is_ours != nullptr && !options.replace_foreign) refuse_foreign_table(target_, is_ours);
}

void TextOutput::write(std::string_view text) {
  io::with_path(target_.name(), [&] {
    if (stream_) io::write_all(stream_->descriptor(), text.data(), text.size());
    if (file_) file_->write(text.data(), text.size());
  });
}

void TextOutput::commit_together(std::initializer_list<TextOutput*> outputs,
                                 const std::vector<io::SharedFile>& files) {
  std::vector<io::AtomicFile*> all;
  all.reserve(files.size() + outputs.size());
  for (const io::SharedFile& file : files) all.push_back(file.made());
  for (TextOutput* const output : outputs)
    if (output->file_) all.push_back(output->file_.get());
  if (!all.empty()) io::AtomicFile::commit_together(all);
}

void ComponentTexts::write_stats(const io::TextSink& sink) const {
  io::stream_stats_csv(sink, report.volume, report.input.geometry, part.components, part.measured, stretch,
                       report.value, options.digits);
}

void ComponentTexts::write_report(const io::TextSink& sink) const {
  io::stream_report(sink, report, part.components, part.measured, stretch);
}

void ComponentTexts::write_report_rows(const io::TextSink& sink) const {
  io::stream_report(sink, report, part.components, part.measured, {stretch.first, false, false});
}

void ComponentTexts::write_outlines(const io::TextSink& sink, std::vector<io::OutlineRun> runs,
                                    std::int64_t max_bytes) const {
  io::stream_outlines(sink,
                      files.outlines.empty() ? io::OutlineFormat::coco : io::outline_format(files.outlines),
                      std::move(runs),
                      {files.input, report.input.extent, part.components, report.value, stretch,
                       report.values ? &*report.values : nullptr, part.measured},
                      max_bytes);
}

LabelStreams::LabelStreams(const LabelPaths& paths) {
  if (paths.in_folders) return;
  if (paths.image.is_stdout()) of[Output::image].emplace(paths.image);
  for (const Output text : {Output::stats, Output::contacts, Output::summary, Output::report})
    if (paths.target(text).is_stream && !(text == Output::report && paths.json_by_default))
      of[text].emplace(paths.target(text));
}

LabelOutputs::LabelOutputs(PartLink& link, const LabelPaths& paths, LabelStreams streams,
                           OutputOptions options)
    : link_(link), paths_(paths), overwrite_(options.file.overwrite), streams_(std::move(streams.of)) {
  PerOutput<std::unique_ptr<io::AtomicFile>> made;
  io::collectively(link, paths.input, [&] {
    if (link.part() == 0) made = make(options);
  });
  for (const Output output : kOutputs) {
    if (paths.target(output).empty() || (streams_[output] && output != Output::image)) continue;
    files_[output] = std::make_unique<io::SharedFile>(paths.target(output), std::move(made[output]));
    if (output != Output::preview) files_[output]->open(link);  // which part 0 writes alone
  }
}

/// Makes the files in part 0.
PerOutput<std::unique_ptr<io::AtomicFile>> LabelOutputs::make(const OutputOptions& options) {
  PerOutput<std::unique_ptr<io::AtomicFile>> files;
  for (const Output output : kOutputs) {
    const std::string& path = paths_.target(output);
    std::unique_ptr<io::AtomicFile>& file = files[output];
    if (std::optional<io::TextStream>& stream = streams_[output]) {
      stream->open();
      if (output == Output::image) file = open_spool(options.file);
    } else if (output == Output::image && !path.empty() && io::traits_of(*paths_.image.format).is_store) {
      io::with_path(path, [&] {
        io::refuse_foreign_zarr(path);
        if (io::is_label_group(path)) group_ = std::make_unique<io::LabelGroup>(path, options.file);
        file = std::make_unique<io::AtomicFile>(path, options.file, io::AtomicFile::Kind::folder);
      });
    } else if (!path.empty()) {
      io::with_path(path, [&] { file = std::make_unique<io::AtomicFile>(path, options.file); });
    }
  }
  if (options.replace_foreign) return files;
  if (files[Output::stats]) refuse_foreign_table(paths_.stats, io::is_stats_csv);
  if (files[Output::contacts]) refuse_foreign_table(paths_.contacts, io::is_contacts_csv);
  if (files[Output::summary]) refuse_foreign_table(paths_.summary, io::is_summary_csv);
  if (files[Output::outlines]) refuse_foreign_outlines(paths_.outlines);
  if (files[Output::report] && paths_.json_by_default)
    refuse_foreign(
        paths_.json, io::is_report,
        "exists and is not a report of gpuccl; move it, set another name with --json or --json-dir, "
        "or add --overwrite");
  if (files[Output::report] && (paths_.json_by_default || paths_.in_folders)) refuse_report_of_other(paths_);
  return files;
}

void LabelOutputs::write(Output output, WriteText write) {
  if (files_[output])
    io::write_text(link_, *files_[output], write);
  else if (streams_[output])
    waiting_[output] = std::move(write);
}

void LabelOutputs::finish(Output output) {
  if (io::SharedFile* const file = this->file(output))
    io::collectively(link_, file->path(), [&] { file->finish(); });
}

void LabelOutputs::finish() {
  for (const Output output : kOutputs)
    if (output != Output::report) finish(output);
}

void LabelOutputs::commit() {
  finish(Output::report);
  io::collectively(link_, paths_.input, [&] {
    if (link_.part() == 0) give_names();
  });
}

void LabelOutputs::give_names() {
  for (const Output output :
       {Output::image, Output::summary, Output::stats, Output::contacts, Output::report})
    if (const std::optional<io::TextStream>& stream = streams_[output])
      io::with_path(stream->name(), [&] {
        if (output == Output::image) return copy(*file(output)->made(), stream->descriptor());
        if (waiting_[output]) waiting_[output](io::text_to(stream->descriptor()));
      });
  std::optional<io::FolderLock> lock;
  if (group_)
    io::with_path(file(Output::image)->path(), [&] {
      lock.emplace(group_->lock());
      group_->write(*file(Output::image)->made());
    });
  std::vector<io::AtomicFile*> files;
  for (const Output output : kOutputs) {
    if (file(output) != nullptr && !streams_[output]) files.push_back(file(output)->made());
    if (output == Output::image && group_)
      for (const auto& file : group_->files()) files.push_back(file.get());
  }
  if (!files.empty()) io::AtomicFile::commit_together(files, obsolete_report().get());
}

std::unique_ptr<io::StaleFile> LabelOutputs::obsolete_report() const {
  if (paths_.image.empty() || streams_[Output::image] || !overwrite_) return nullptr;
  const std::string path = default_report(paths_.image);
  if (file(Output::report) != nullptr && io::identify(path) == io::identify(paths_.json)) return nullptr;
  const std::optional<io::ReportedRun> run = io::read_reported_run(path);
  if (!run || run->output.path.empty() || io::identify(run->output.path) != io::identify(paths_.image))
    return nullptr;
  return io::with_path(path, [&] { return std::make_unique<io::StaleFile>(path); });
}

double area_of_largest(const Components& components, std::size_t count) {
  if (components.size() <= count) return 0;
  std::vector<std::uint64_t> areas(components.area.begin(), components.area.end());
  const auto least = areas.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(areas.begin(), least, areas.end(), std::greater<>());
  return static_cast<double>(*least);
}

ImageBelow image_below(const LabelPaths& files, const LabelOptions& options) {
  if (!files.shown.empty()) return {files.shown, {}};
  // An image that a threshold has segmented is shown, and below a mask the first that is measured.
  const io::ForegroundOptions& rule = options.input.foreground;
  const bool is_measured = !files.intensities.empty() && !rule.otsu && !rule.threshold;
  const io::Source& image = is_measured ? files.intensities.front() : files.input;
  if (image.is_stream || (options.values.objects && !is_measured)) return {};
  ImageBelow below{image, {}};
  below.read.limits = options.input.limits;
  below.read.kept = files.kept;
  if (!is_measured) below.read.palette = options.input.palette;
  below.read.planes = is_measured ? planes_of_intensity(image, options, files.kept) : options.planes;
  if (is_measured && !options.measure.intensity_channels.empty())
    parse_channel(options.measure.intensity_channels.front(), below.read.planes);
  else if (is_measured && options.measure.all_channels)
    below.read.planes.channel = 0;
  below.read.pages_apart = !is_measured && options.algorithm.per_slice;
  below.read.foreground.invert = options.input.foreground.invert && image.path == files.input.path;
  return below;
}

std::string write_label_view(io::AtomicFile& file, const ComponentTexts& texts,
                             const io::MappedLabels& labels) {
  const LabelPaths& files = texts.files;
  const io::Report& report = texts.report;
  const PartResult& part = texts.part;
  ViewPage page;
  page.title = std::filesystem::path(display_name(files.input)).filename().string();
  if (const auto& frame = texts.options.planes.frame) page.title += ", time point " + std::to_string(*frame);
  page.components = labels.count;
  page.geometry = report.input.geometry;
  page.hints = report.hints;
  page.input = files.input;
  page.options = report.options;
  const std::string stem = io::without_extension(files.image.path);  // the label image itself is not replaced
  page.output = files.image.empty() ? "kept.tif" : stem + "-kept" + files.image.path.substr(stem.size());
  page.made = true;
  page.in_batch = files.in_folders;
  if (files.in_folders) {
    namespace fs = std::filesystem;
    page.index = (fs::path(texts.options.files.view.path) / "index.html")
                     .lexically_relative(fs::path(files.view.path).parent_path())
                     .string();
  }
  page.about.emplace_back("Input", display_name(files.input));
  ImageBelow below = image_below(files, texts.options);
  if (!below.image.empty() && below.image.path != files.input.path)
    page.about.emplace_back("Image", below.image);
  page.image = std::move(below.image);
  page.read_image = std::move(below.read);
  page.about.emplace_back("Options", page.options.empty() ? "none" : page.options);
  page.about.emplace_back("Foreground", report.input.foreground_rule);
  page.about.emplace_back("Labeled by", report.algorithm + " on " + report.device_name + ", " +
                                            std::to_string(report.connectivity) + "-connectivity");
  page.table.set_least_area(area_of_largest(part.components, kMaxViewRows));
  return io::with_path(file.path(), [&] {
    io::ValueColumn value = report.value;
    value.labels = {};  // planes have the numbers of components
    io::stream_stats_csv([&](std::string_view text) { page.table.add_csv(text); }, report.volume,
                         page.geometry, part.components, part.measured, {}, value);
    page.table.end_csv();
    page.table.keep_largest(kMaxViewRows);
    page.names = report.value.labels;
    if (!page.names.empty()) page.table.name_labels(page.names);
    return write_view(file, labels, std::move(page));
  });
}

}  // namespace gpuccl::app
