#include "app/label/batch/batch_record.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/common/messages.hpp"
#include "io/files/json.hpp"

namespace gpuccl::app {
namespace {

constexpr std::size_t kWriteAtOnce = 1 << 16;

const char* name(Outcome::Status status) {
  switch (status) {
    case Outcome::Status::labeled:
      return "labeled";
    case Outcome::Status::failed:
      return "failed";
    case Outcome::Status::skipped:
      return "skipped";
    case Outcome::Status::not_started:
      break;
  }
  return "not started";
}

/// Returns the reason that an exit code stands for.
std::string reason_of(int code) {
  constexpr std::pair<Failure, const char*> kReasons[] = {
      {Failure::usage, "wrong usage"},     {Failure::data, "bad data"},
      {Failure::no_input, "missing"},      {Failure::unavailable, "no GPU"},
      {Failure::memory, "out of memory"},  {Failure::cannot_create, "cannot create"},
      {Failure::io, "reading or writing"}, {Failure::temporary, "GPU lost"}};
  for (const auto& [failure, reason] : kReasons)
    if (exit_code(failure) == code) return reason;
  return "internal error";
}

/// Returns the reason of a failure, after the name of the file if that is not the input.
std::string reason(const std::string& input, const io::FileError& error) {
  return error.path() == input ? error.what() : error.path() + ": " + error.what();
}

}  // namespace

GrowingFile::GrowingFile(const std::string& path) : path_(path) {
  if (!path.empty() && io::TextStream::is_named(path)) stream_.emplace(path);
}

void GrowingFile::open(const io::AtomicFile::Options& options) {
  if (stream_) return stream_->open();
  if (!path_.empty())
    file_ = io::with_path(path_, [&] { return std::make_unique<io::AtomicFile>(path_, options); });
}

template <class Work>
void GrowingFile::attempt(Work work) {
  if (!file_ && !stream_) return;
  try {
    io::with_path(file_ ? file_->path() : stream_->name(), work);
  } catch (const io::FileError& error) {
    error_ = error;
    file_.reset();
    stream_.reset();
  }
}

void GrowingFile::add(std::string_view text) {
  attempt([&] {
    waiting_ += text;
    if (stream_ || waiting_.size() >= kWriteAtOnce) flush();  // a reader may be waiting for the line
  });
}

void GrowingFile::commit() {
  attempt([&] {
    flush();
    if (file_) file_->commit();
  });
}

bool GrowingFile::keep_older() {
  std::error_code none;
  if (!file_ || !std::filesystem::exists(path_, none)) return false;
  file_.reset();
  return true;
}

void GrowingFile::flush() {
  if (file_)
    file_->write(waiting_.data(), waiting_.size());
  else
    io::write_all(stream_->descriptor(), waiting_.data(), waiting_.size());
  waiting_.clear();
}

void Tally::count(const Outcome& outcome) {
  ++total;
  if (outcome.status == Outcome::Status::labeled) ++labeled;
  if (outcome.status == Outcome::Status::skipped) ++skipped;
  if (outcome.status == Outcome::Status::not_started) ++not_started;
  if (outcome.error) ++failed[app::exit_code(outcome.error->failure())];
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
  for (const int code : failed_beside) line += fmt::format(", no report or table ({})", code);
  return line;
}

int Tally::exit_code() const {
  std::set<int> codes = failed_beside;
  for (const auto& [code, count] : failed) codes.insert(code);
  return app::exit_code(codes);
}

IndexEntry index_entry(const std::string& input, const std::string& page, const Outcome& outcome) {
  IndexEntry entry{
      input,         name(outcome.status), "", "", outcome.components.value_or(0), outcome.foreground,
      outcome.hints, outcome.thumbnail};
  if (outcome.error) entry.error = reason(input, *outcome.error);
  if (outcome.status == Outcome::Status::labeled) entry.page = page;
  return entry;
}

std::string report_line(const std::string& input, std::optional<int> frame, const Outcome& outcome) {
  using Json = nlohmann::ordered_json;
  const bool labeled = outcome.status == Outcome::Status::labeled;
  const bool tried = labeled || outcome.error;
  Json line = {{"input", input}};
  if (frame) line["frame"] = *frame;
  line["status"] = name(outcome.status);
  line["code"] = outcome.error ? Json(exit_code(outcome.error->failure()))
                 : labeled     ? Json(kSuccess)
                               : Json();
  line["error"] = outcome.error ? Json(reason(input, *outcome.error)) : Json();
  line["components"] = outcome.components && !outcome.error ? Json(*outcome.components) : Json();
  line["device"] = labeled ? Json(outcome.device) : Json();
  line["seconds"] = tried ? Json(std::round(outcome.seconds * 1e6) / 1e6) : Json();
  return io::json_text(line) + "\n";
}

}  // namespace gpuccl::app
