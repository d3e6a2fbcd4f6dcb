#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpuccl/phase_times.hpp"

namespace gpuccl::app {

/// What the report says of the labeling of a part.
struct FoundPart {
  std::string foreground_rule;
  std::uint64_t foreground = 0;  // elements
  bool more_than_two_values = false;
  std::string algorithm, device_kind, device_name;
  std::vector<int> gpus;
  double total_ms = 0, start_up_ms = 0, read_ms = 0, fill_ms = 0, label_ms = 0, statistics_ms = 0;
  PhaseTimes phases;

  /// Adds what was found before the part was labeled, when it was read and its background was.
  void add_before(const FoundPart& background);

  /// As text, and back. Error (data) if it is none.
  std::string text() const;
  static FoundPart of_text(const std::string& text);
};

}  // namespace gpuccl::app
