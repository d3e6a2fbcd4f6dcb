#include "app/options/plane_options.hpp"

#include <limits>
#include <optional>

#include "app/options/option_helpers.hpp"

namespace gpuccl::app {

void add_planes(const Command& command, const std::string& prefix, io::PlaneChoice& planes,
                const PlanesHelp& help) {
  const auto add_place = [&](const char* name, std::optional<int>& target, const char* said) {
    add_number(command, prefix + name, target, 0, std::numeric_limits<int>::max(), "N", said);
  };
  add_place("channel", planes.channel, help.channel);
  add_place("frame", planes.frame, help.frame);
  add_place("series", planes.series, help.series);
}

}  // namespace gpuccl::app
