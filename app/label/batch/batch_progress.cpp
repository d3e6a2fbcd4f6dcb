#include "app/label/batch/batch_progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "app/common/messages.hpp"

namespace gpuccl::app {
namespace {

constexpr double kRedrawMs = 200;   // a terminal
constexpr double kUsualMs = 10000;  // a log
constexpr double kOftenMs = 1000;   // a log, with --progress
constexpr const char* kEraseLine = "\r\x1b[K";

std::string duration(double seconds) {
  char text[32];
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 60)
    std::snprintf(text, sizeof text, "%lld s", whole);
  else if (whole < 3600)
    std::snprintf(text, sizeof text, "%lld:%02lld min", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%lld:%02lld h", whole / 3600, whole / 60 % 60);
  return text;
}

}  // namespace

BatchProgress::BatchProgress(std::size_t total, Manner manner)
    : total_(total), manner_(manner), terminal_(::isatty(STDERR_FILENO) != 0) {}

BatchProgress::~BatchProgress() { clear(); }

void BatchProgress::advance(bool failed) {
  const std::lock_guard lock(printing_);
  ++done_;
  if (failed) ++failed_;
  const double interval = terminal_ ? kRedrawMs : manner_ == Manner::often ? kOftenMs : kUsualMs;
  if (manner_ == Manner::silent || done_ == total_ || since_shown_.milliseconds() < interval) return;
  since_shown_.lap();
  shown_ = terminal_;
  if (terminal_)
    std::fprintf(stderr, "%sgpuccl: %s", kEraseLine, text().c_str());
  else
    print_message(text());
}

void BatchProgress::message(const std::string& line) {
  const std::lock_guard lock(printing_);
  clear();
  print_message(line);
}

std::string BatchProgress::text() const {
  const double rate = static_cast<double>(done_) / since_start_.milliseconds() * 1000;
  char per_second[32];
  std::snprintf(per_second, sizeof per_second, rate < 10 ? "%.1f/s" : "%.0f/s", rate);
  std::string line = std::to_string(done_) + " of " + std::to_string(total_);
  if (failed_ > 0) line += ", " + std::to_string(failed_) + " failed";
  return line + ", " + per_second + ", " + duration(static_cast<double>(total_ - done_) / rate) + " left";
}

void BatchProgress::clear() {
  if (shown_) std::fputs(kEraseLine, stderr);
  shown_ = false;
}

}  // namespace gpuccl::app
