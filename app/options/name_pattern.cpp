#include "app/options/name_pattern.hpp"

#include <algorithm>

namespace gpuccl::app {

NamePattern::NamePattern(const std::string& pattern) {
  const std::size_t equals = pattern.find('=');
  if (equals != std::string::npos) from_ = pattern.substr(0, equals);
  if (!pattern.empty()) to_ = equals == std::string::npos ? pattern : pattern.substr(equals + 1);
}

std::string NamePattern::problem_with(const std::string& pattern) {
  const std::size_t equals = pattern.find('=');
  const auto is_side = [](const std::string& side) {
    return std::count(side.begin(), side.end(), '*') == 1 && side.find_first_of("/=") == std::string::npos;
  };
  const bool is_good = is_side(pattern.substr(0, equals)) &&
                       (equals == std::string::npos || is_side(pattern.substr(equals + 1)));
  return is_good ? std::string()
                 : "'" + pattern + "' is not a pattern such as *_0000 or *_D=*_F, with one * each";
}

std::optional<std::string> NamePattern::made(const std::string& name, const std::string& from,
                                             std::string to) {
  const std::size_t star = from.find('*'), after = from.size() - star - 1;
  if (name.size() < from.size() - 1 || !name.starts_with(from.substr(0, star)) ||
      !name.ends_with(from.substr(star + 1)))
    return std::nullopt;
  return to.replace(to.find('*'), 1, name.substr(star, name.size() - star - after));
}

}  // namespace gpuccl::app
