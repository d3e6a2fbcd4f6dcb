#pragma once

#include <optional>
#include <string>

#include "app/common/status_line.hpp"

namespace gpuccl::app {

/// Says on stderr what is being done with a file, a line a stage; on a terminal with the share that is done.
class Progress {
 public:
  Progress(bool wanted, const std::string& path);

  void stage(const std::string& name);
  /// Sets the completed fraction of the stage, 0 to 1. Thread-safe, and cheap to call often.
  void share(double done);
  /// Takes the line away, so that a message can be printed.
  void clear();

 private:
  std::string subject_;
  std::string stage_;
  std::optional<StatusLine> line_;  // if it is wanted
};

}  // namespace gpuccl::app
