#include "app/label/batch/batch_progress.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <limits>

namespace gpuccl::app {
namespace {

constexpr double kRedrawMs = 200;   // a terminal
constexpr double kUsualMs = 10000;  // a log
constexpr double kOftenMs = 1000;   // a log, with --progress
constexpr double kNever = std::numeric_limits<double>::infinity();

StatusLine::Interval interval(BatchProgress::Manner manner) {
  switch (manner) {
    case BatchProgress::Manner::silent:
      return {kNever, kNever};
    case BatchProgress::Manner::usual:
      return {kRedrawMs, kUsualMs};
    case BatchProgress::Manner::often:
      return {kRedrawMs, kOftenMs};
  }
  return {kNever, kNever};
}

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

BatchProgress::BatchProgress(std::size_t total, Manner manner) : total_(total), line_(interval(manner)) {}

void BatchProgress::advance(bool failed) {
  if (failed) ++failed_;
  if (++done_ < total_) line_.offer([this] { return text(); });
}

void BatchProgress::message(const std::string& line) { line_.message(line); }

std::string BatchProgress::text() const {
  const std::size_t done = done_, failed = failed_;
  const double rate = static_cast<double>(done) / since_start_.milliseconds() * 1000;
  char per_second[32];
  std::snprintf(per_second, sizeof per_second, rate < 10 ? "%.1f/s" : "%.0f/s", rate);
  std::string line = fmt::format("{} of {}", done, total_);
  if (failed > 0) line += fmt::format(", {} failed", failed);
  return line + ", " + per_second + ", " + duration(static_cast<double>(total_ - done) / rate) + " left";
}

}  // namespace gpuccl::app
