#include "app/bench/bench_progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "app/common/messages.hpp"

namespace gpuccl::app {
namespace {

constexpr double kTerminalMs = 100;
constexpr double kLogMs = 10000;
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

BenchProgress::BenchProgress() : terminal_(::isatty(STDERR_FILENO) != 0) {}

void BenchProgress::at(double done, const std::string& what) {
  if (since_shown_.milliseconds() < (terminal_ ? kTerminalMs : kLogMs)) return;
  since_shown_.lap();
  const std::string line = std::to_string(std::lround(100 * done)) + " %, " + what;
  if (terminal_) {
    std::fprintf(stderr, "%sgpuccl: %s", kEraseLine, printable(line).c_str());
  } else {
    print_message(line);
  }
}

void BenchProgress::warn(const std::string& line) {
  clear();
  print_warning(line);
}

void BenchProgress::problem(const std::string& line) {
  clear();
  print_message(line);
}

void BenchProgress::clear() const {
  if (terminal_) std::fputs(kEraseLine, stderr);
}

}  // namespace gpuccl::app
