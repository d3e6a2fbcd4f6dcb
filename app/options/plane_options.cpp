#include "app/options/plane_options.hpp"

#include <limits>
#include <optional>

#include "app/options/option_helpers.hpp"

namespace gpuccl::app {
namespace {

/// "3", "3..7" with its end.
std::optional<io::PageRange> parse_pages(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto first = parse_number<int>(text.substr(0, dots));
  const auto last = dots == std::string::npos ? first : parse_number<int>(text.substr(dots + 2));
  if (!first || !last || *first < 0 || *last < *first) return std::nullopt;
  return io::PageRange{*first, std::int64_t{*last} + 1};
}

}  // namespace

void add_planes(const Command& command, const std::string& prefix, io::PlaneChoice& planes,
                const PlanesHelp& help) {
  const auto add_place = [&](const char* name, std::optional<int>& target, const char* said) {
    add_number(command, prefix + name, target, 0, std::numeric_limits<int>::max(), "N", said);
  };
  if (help.channel != nullptr) add_place("channel", planes.channel, help.channel);
  if (help.every_frame == nullptr) {
    add_place("frame", planes.frame, help.frame);
  } else {
    command
        .add_value(prefix + "frame", "N|all", help.frame,
                   [&planes, &every = *help.every_frame](const std::string& given) {
                     every = given == "all";
                     planes.frame = every ? std::nullopt : parse_number<int>(given);
                     return every || planes.frame.value_or(-1) >= 0
                                ? std::string()
                                : "'" + given + "' is not an integer of at least 0, nor all";
                   })
        .prints([&planes, &every = *help.every_frame]() -> std::optional<std::string> {
          if (every) return "all";
          return planes.frame ? std::optional(std::to_string(*planes.frame)) : std::nullopt;
        });
  }
  add_place("series", planes.series, help.series);
  command
      .add_value(prefix + "page", "N[..M]", help.page,
                 [&planes](const std::string& given) {
                   planes.pages = parse_pages(given);
                   return planes.pages
                              ? std::string()
                              : "'" + given + "' is neither a page, such as 0, nor a range, such as 0..9";
                 })
      .prints([&planes]() -> std::optional<std::string> {
        if (!planes.pages) return std::nullopt;
        const auto [first, end] = *planes.pages;
        return std::to_string(first) + (end - first > 1 ? ".." + std::to_string(end - 1) : "");
      });
}

}  // namespace gpuccl::app
