#include "app/label/batch/batch_record.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/files/json.hpp"
#include "io/report/csv_tables.hpp"

namespace gpuccl::app {
namespace {

constexpr std::size_t kWriteAtOnce = 1 << 16;

const char* name(Outcome::Status status) {
  constexpr const char* kNames[] = {"labeled", "failed", "skipped", "not started"};
  return kNames[static_cast<std::size_t>(status)];
}

/// Returns the reason of a failure, after the name of the file if that is not the input.
std::string reason(const std::string& input, const io::FileError& error) {
  return error.path() == input ? error.what() : error.path() + ": " + error.what();
}

/// Returns the entry of an input in the index of pages. `page`: name that its page has if it was labeled.
IndexEntry index_entry(const BatchItem& item, const std::string& page, const Outcome& outcome) {
  const std::string& input = item.files.input;
  IndexEntry entry{input,
                   page.substr(0, page.rfind('.')),
                   name(outcome.status),
                   "",
                   "",
                   outcome.components.value_or(0),
                   outcome.foreground,
                   outcome.hints,
                   outcome.thumbnail,
                   item.in_plate};
  if (outcome.error) entry.error = reason(input, *outcome.error);
  if (outcome.status == Outcome::Status::labeled) entry.page = page;
  return entry;
}

/// Returns the outcome of an input as one line of JSON.
std::string report_line(const std::string& input, std::optional<int> frame, const Outcome& outcome) {
  using Json = nlohmann::ordered_json;
  const bool labeled = outcome.status == Outcome::Status::labeled;
  const bool tried = labeled || outcome.error;
  Json line = {{"input", input}};
  if (frame) line["frame"] = *frame;
  line["status"] = name(outcome.status);
  line["code"] = outcome.error ? Json(exit_code(outcome.error->code()))
                 : labeled || outcome.status == Outcome::Status::skipped ? Json(kSuccess)
                                                                         : Json();
  line["error"] = outcome.error ? Json(reason(input, *outcome.error)) : Json();
  line["components"] = outcome.components && !outcome.error ? Json(*outcome.components) : Json();
  line["device"] = labeled ? Json(outcome.device) : Json();
  line["seconds"] = tried ? Json(std::round(outcome.seconds * 1e6) / 1e6) : Json();
  return io::json_text(line) + "\n";
}

}  // namespace

template <class Work>
void GrowingFile::attempt(Work work) {
  if (!output_) return;
  try {
    work();
  } catch (const io::FileError& error) {
    error_ = error;
    output_ = TextOutput({});
  }
}

void GrowingFile::add(std::string_view text) {
  attempt([&] {
    waiting_ += text;
    // A reader of a stream may be waiting for the line.
    if (output_.target().is_stream || waiting_.size() >= kWriteAtOnce) flush();
  });
}

void GrowingFile::commit() {
  attempt([&] {
    flush();
    TextOutput::commit_together({&output_});
  });
}

bool GrowingFile::keep_older() {
  std::error_code none;
  const io::Target& target = output_.target();
  if (!output_ || target.is_stream || !std::filesystem::exists(target.path, none)) return false;
  output_ = TextOutput({});
  return true;
}

void GrowingFile::flush() {
  output_.write(waiting_);
  waiting_.clear();
}

void Tally::count(const Outcome& outcome) {
  ++total;
  if (outcome.status == Outcome::Status::labeled) ++labeled;
  if (outcome.status == Outcome::Status::skipped) ++skipped;
  if (outcome.status == Outcome::Status::not_started) ++not_started;
  if (outcome.error) ++failed[app::exit_code(outcome.error->code())];
}

std::string Tally::text() const {
  std::string line = fmt::format("{} of {} {}", labeled, total, of_objects ? "measured" : "labeled");
  if (skipped > 0) line += fmt::format(", {} skipped", skipped);
  std::size_t failures = 0;
  std::string reasons;
  for (const auto& [code, count] : failed) {
    failures += count;
    reasons += fmt::format("{}{}{} ({})", reasons.empty() ? "" : ", ",
                           failed.size() == 1 ? "" : std::to_string(count) + " ", reason_of(code), code);
  }
  if (failures > 0) line += fmt::format(", {} failed: {}", failures, reasons);
  if (not_started > 0) line += fmt::format(", {} not started", not_started);
  for (const int code : failed_outputs) line += fmt::format(", no report or table ({})", code);
  return line;
}

int Tally::exit_code() const {
  std::set<int> codes = failed_outputs;
  for (const auto& [code, count] : failed) codes.insert(code);
  return app::exit_code(codes);
}

static std::string duration(double seconds) {
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

void BatchProgress::advance(bool failed) {
  if (failed) ++failed_;
  if (++done_ < total_) line_.offer([this] { return text(); });
}

std::string BatchProgress::text() const {
  const std::size_t done = done_, failed = failed_;
  const double rate = static_cast<double>(done) / since_start_.milliseconds() * 1000;
  std::string line = fmt::format("{} of {}", done, total_);
  if (failed > 0) line += fmt::format(", {} failed", failed);
  return line + fmt::format(", {:.{}f}/s, {} left", rate, rate < 10 ? 1 : 0,
                            duration(static_cast<double>(total_ - done) / rate));
}

BatchFiles::BatchFiles(const LabelOptions& options, const std::vector<MeasureColumn>& columns)
    : options_(options),
      columns_(columns),
      report_(options.batch.report),
      table_(options.files.stats),
      summary_(options.batch.summary),
      outlines_(options.files.outlines),
      index_(index_of_pages(options)) {}

void BatchFiles::open() {
  const LabelOptions& options = options_;
  report_.open(options.output, nullptr);
  table_.open(options.output, io::is_stats_csv);
  summary_.open(options.output, io::is_summary_csv);
  outlines_.open(options.output, nullptr);
  if (!options.files.outlines.empty()) {
    if (!options.output.replace_foreign) refuse_foreign_outlines(options.files.outlines);
    io::SpooledText::try_folder();
    coco_.emplace([this](std::string_view text) { outlines_.add(text); });
  }
  index_.open(options.output, nullptr);
  if (!options.output.replace_foreign && !options.files.view.empty())
    refuse_foreign_page(index_of_pages(options), is_batch_page);
  if (!options.batch.summary.empty()) summary_.add(io::summary_header(options.every_frame));
  if (options.files.stats.empty()) return;
  table_.add(io::joint_stats_header(columns_, options.values.has_column(), options.every_frame));
  io::SpooledText::try_folder();
}

void BatchFiles::add(const BatchItem& item, const Outcome& outcome) {
  const bool is_started = outcome.status != Outcome::Status::not_started;
  if (outcome.error || !is_started)
    summary_.add(io::summary_row_of_failure(
        item.files.input, item.frame,
        is_started ? "failed: " + reason(item.files.input, *outcome.error) : "not started"));
  else
    summary_.add(outcome.summary);
  if (outcome.table && !outcome.error)
    outcome.table->copy_to([&](std::string_view rows) { table_.add(rows); });
  ++inputs_;
  if (outcome.coco && !outcome.error)
    coco_->add({inputs_, item.name, item.frame},
               [&](const io::TextSink& sink) { outcome.coco->copy_to(sink); });
  report_.add(report_line(item.files.input, item.frame, outcome));
  if (item.files.view.empty()) return;
  const std::filesystem::path page = item.files.view.path;
  entries_.push_back(index_entry(item, page.lexically_relative(options_.files.view.path).string(), outcome));
}

std::vector<std::string> BatchFiles::keep_older() {
  std::vector<std::string> kept;
  if (table_.keep_older()) kept.push_back(options_.files.stats);
  if (summary_.keep_older()) kept.push_back(options_.batch.summary);
  if (outlines_.keep_older()) kept.push_back(options_.files.outlines);
  return kept;
}

std::vector<io::FileError> BatchFiles::commit() {
  if (!entries_.empty()) index_.add(batch_page(entries_));
  if (coco_) coco_->end();
  std::vector<io::FileError> errors;
  for (GrowingFile* file : {&table_, &summary_, &outlines_, &report_, &index_}) {
    file->commit();
    if (file->error() && !file->is_closed_pipe()) errors.push_back(*file->error());
  }
  return errors;
}

bool BatchFiles::is_pipe_closed() const {
  return table_.is_closed_pipe() || outlines_.is_closed_pipe() || summary_.is_closed_pipe() ||
         report_.is_closed_pipe();
}

}  // namespace gpuccl::app
