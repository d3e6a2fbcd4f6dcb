#include "app/options/option_helpers.hpp"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>

#include "io/read/slice_names.hpp"

namespace gpuccl::app {
namespace {

std::optional<std::int64_t> parse_amount(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || number < 1) return std::nullopt;
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (suffix.empty()) return number;

  const std::size_t power = std::string_view("KMGTkmgt").find(suffix[0]) % 4 + 1;
  const bool known = std::string_view("KMGTkmgt").find(suffix[0]) != std::string_view::npos;
  if (!known || suffix.size() != 1) return std::nullopt;
  const std::int64_t factor = std::int64_t{1} << (10 * power);
  if (number > std::numeric_limits<std::int64_t>::max() / factor) return std::nullopt;
  return number * factor;
}

}  // namespace

CLI::Option* add_switch(CLI::App& command, const std::string& names, bool& target, const std::string& help) {
  return add_switch(
      command, names, [&target] { target = true; }, help);
}

CLI::Option* add_switch(CLI::App& command, const std::string& names, const std::function<void()>& turn_on,
                        const std::string& help) {
  return command.add_flag_callback(names, turn_on, help)->disable_flag_override();
}

CLI::Option* add_path(CLI::App& command, const std::string& names, std::string& target,
                      const std::string& type, const std::string& help) {
  CLI::Option* option = add_path_or_stream(command, names, target, type, help);
  option->check([](const std::string& given) {
    return given == "-" ? "goes to a file, not to standard output; a file called - is ./-" : std::string();
  });
  return option;
}

CLI::Option* add_path_or_stream(CLI::App& command, const std::string& names, std::string& target,
                                const std::string& type, const std::string& help) {
  CLI::Option* option = command.add_option(names, target, help)->type_name(type);
  option->check([](const std::string& given) {
    if (given.empty()) return std::string("a name is missing");
    if (given.size() > 1 && given.front() == '-')
      return "'" + given + "' looks like an option; a file of that name is ./" + given;
    return std::string();
  });
  return option;
}

CLI::Option* add_text_path(CLI::App& command, const std::string& names, std::string& target,
                           const std::string& help) {
  CLI::Option* option = add_path_or_stream(command, names, target, "FILE", help);
  option->check([](const std::string& given) {
    const std::filesystem::path name = std::filesystem::path(given).filename();
    return io::is_image_name(name) || name.extension() == ".npy"
               ? "'" + given + "' is the name of an image, and this is text"
               : std::string();
  });
  return option;
}

CLI::Option* add_amount(CLI::App& command, const std::string& names, std::int64_t& target,
                        const std::string& help) {
  CLI::Option* option = command.add_option_function<std::string>(
      names, [&target](const std::string& given) { target = parse_amount(given).value(); }, help);
  option->type_name("SIZE");
  option->check([](const std::string& given) {
    return parse_amount(given) ? std::string() : "'" + given + "' is not a size such as 500, 64K, 2M, 4G";
  });
  return option;
}

}  // namespace gpuccl::app
