#pragma once

#include <optional>
#include <string>

namespace gpuccl::app {

/// Pattern that makes the name of an image from that of another: "*_0000" from any name, "*_D=*_F" from names
/// that end in _D.
class NamePattern {
 public:
  NamePattern() = default;
  explicit NamePattern(const std::string& pattern);
  /// Returns why a text is not a pattern; "" if it is one.
  static std::string problem_with(const std::string& pattern);

  const std::string& from() const { return from_; }
  /// Returns none if `name` does not match.
  std::optional<std::string> name_for(const std::string& name) const { return made(name, from_, to_); }
  /// Returns the name for which name_for() returns `name`; none if there is none.
  std::optional<std::string> name_before(const std::string& name) const { return made(name, to_, from_); }

 private:
  static std::optional<std::string> made(const std::string& name, const std::string& from, std::string to);

  std::string from_ = "*", to_ = "*";
};

}  // namespace gpuccl::app
