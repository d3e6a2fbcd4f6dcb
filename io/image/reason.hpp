#pragma once

#include <string>

namespace gpuccl::io {

/// A reason with the part of the input that it is about: "page 2 is 40x31 but page 1 is 40x30",
/// "page 2: strip 3 is missing".
inline std::string reason_about(const std::string& part, const std::string& reason) {
  const bool lacks_subject =
      reason.starts_with("is ") || reason.starts_with("has ") || reason.starts_with("contains ");
  return part + (lacks_subject ? " " : ": ") + reason;
}

}  // namespace gpuccl::io
