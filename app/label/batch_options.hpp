#pragma once

#include <cstddef>
#include <string>

#include "io/write/label_writer.hpp"

namespace CLI {
class App;
}

namespace gpuccl::app {

/// What is only of use for several inputs at once.
struct BatchOptions {
  bool recursive = false;
  io::LabelFormat format = io::LabelFormat::tiff;
  std::string json_folder;
  std::string stats_folder;
  std::string report;  // JSON lines, one an input
  bool skip_existing = false;
  bool fail_fast = false;
  bool keep_going = false;  // asked for: not even a full disk ends the batch
  int jobs = 0;             // 0: as suits the machine

  void add_to(CLI::App& command);
  /// The first of these options that was given, "" if none was.
  std::string first_used() const;

 private:
  bool format_given_ = false;
};

}  // namespace gpuccl::app
