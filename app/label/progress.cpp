#include "app/label/progress.hpp"

#include <cmath>
#include <limits>

#include "app/common/messages.hpp"

namespace gpuccl::app {

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
  line_->offer(
      [&] { return subject_ + ": " + stage_ + " " + std::to_string(std::lround(100 * done)) + " %"; });
}

void Progress::clear() {
  if (line_) line_->clear();
}

}  // namespace gpuccl::app
