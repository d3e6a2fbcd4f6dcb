#include "app/common/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "app/common/messages.hpp"

namespace gpuccl::app {
namespace {

constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

StatusLine::StatusLine(Interval interval)
    : terminal_(::isatty(STDERR_FILENO) != 0),
      interval_(terminal_ ? interval.terminal : interval.elsewhere) {}

void StatusLine::offer(const std::function<std::string()>& line) {
  const std::lock_guard lock(printing_);
  if (since_shown_.milliseconds() >= interval_) draw(line());
}

void StatusLine::show(const std::string& line) {
  const std::lock_guard lock(printing_);
  draw(line);
}

void StatusLine::message(const std::string& line) {
  const std::lock_guard lock(printing_);
  erase();
  print_message(line);
}

void StatusLine::clear() {
  const std::lock_guard lock(printing_);
  erase();
}

void StatusLine::draw(const std::string& line) {
  since_shown_.lap();
  if (!terminal_) return print_message(line);
  std::fprintf(stderr, "%sgpuccl: %s", kEraseLine, printable(line).c_str());
  shown_ = true;
}

void StatusLine::erase() {
  if (shown_) std::fputs(kEraseLine, stderr);
  shown_ = false;
}

Progress::Progress(bool wanted, const std::string& path) : subject_(display_name(path)) {
  constexpr StatusLine::Interval kRedraw{100, std::numeric_limits<double>::infinity()};
  if (wanted) line_.emplace(kRedraw);
}

void Progress::stage(const std::string& name) {
  stage_ = name;
  if (line_) line_->show(subject_ + ": " + name);
}

void Progress::share(double done) {
  if (!line_) return;
  line_->offer([&] { return fmt::format("{}: {} {} %", subject_, stage_, std::lround(100 * done)); });
}

void Progress::clear() {
  if (line_) line_->clear();
}

}  // namespace gpuccl::app
