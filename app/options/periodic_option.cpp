#include "app/options/periodic_option.hpp"

#include <string_view>

#include "app/options/option_helpers.hpp"

namespace gpuccl::app {

void add_periodic(const Command& command, PeriodicAxes& periodic, const std::string& help) {
  const Option option = command.add_value("--periodic", "AXES", help, [&periodic](const std::string& given) {
    periodic = {};
    for (const std::string& axis : split(given, ',')) {
      const std::size_t place = std::string_view("xyz").find(axis);
      if (axis.size() != 1 || place == std::string_view::npos)
        return "'" + given + "' is not a comma-separated list of x, y and z";
      if (periodic[place]) return "names " + axis + " twice";
      periodic[place] = true;
    }
    return std::string();
  });
  option.prints([&] {
    std::string axes;
    for (const std::string& axis : names_of(periodic)) axes += (axes.empty() ? "" : ",") + axis;
    return axes.empty() ? std::nullopt : std::optional(axes);
  });
}

std::vector<std::string> names_of(const PeriodicAxes& periodic) {
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < periodic.size(); ++axis)
    if (periodic[axis]) names.emplace_back(1, "xyz"[axis]);
  return names;
}

}  // namespace gpuccl::app
