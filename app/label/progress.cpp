#include "app/label/progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "app/common/messages.hpp"

namespace gpuccl::app {
namespace {

constexpr double kRedrawMs = 100;
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

Progress::Progress(bool wanted, const std::string& path)
    : wanted_(wanted), terminal_(::isatty(STDERR_FILENO) != 0), subject_(display_name(path)) {}

Progress::~Progress() { clear(); }

void Progress::stage(const std::string& name) {
  if (!wanted_) return;
  const std::lock_guard lock(drawing_);
  stage_ = name;
  if (terminal_) {
    draw(name);
  } else {
    print_message(subject_ + ": " + name);
  }
}

void Progress::share(double done) {
  if (!wanted_ || !terminal_) return;
  const std::lock_guard lock(drawing_);
  if (since_drawn_.milliseconds() < kRedrawMs) return;
  draw(stage_ + " " + std::to_string(std::lround(100 * done)) + " %");
}

void Progress::clear() {
  if (wanted_ && terminal_) std::fputs(kEraseLine, stderr);
}

void Progress::draw(const std::string& line) {
  since_drawn_.lap();
  std::fprintf(stderr, "%sgpuccl: %s: %s", kEraseLine, printable(subject_).c_str(), line.c_str());
}

}  // namespace gpuccl::app
