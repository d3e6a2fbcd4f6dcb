#pragma once

#include <optional>
#include <string>

namespace gpuccl::app {

/// Names of images made of those of others: "*_0000" of any name, or "*_D=*_F" of names that end in _D.
class NamePattern {
 public:
  NamePattern() = default;
  explicit NamePattern(const std::string& pattern);
  /// Returns why a text is no pattern; "" if it is one.
  static std::string problem_with(const std::string& pattern);

  const std::string& from() const { return from_; }
  /// Returns none if `name` does not match.
  std::optional<std::string> name_for(const std::string& name) const { return made(name, from_, to_); }
  /// Returns the name that name_for() makes `name` of; none if there is none.
  std::optional<std::string> name_before(const std::string& name) const { return made(name, to_, from_); }

 private:
  static std::optional<std::string> made(const std::string& name, const std::string& from, std::string to);

  std::string from_ = "*", to_ = "*";
};

}  // namespace gpuccl::app
