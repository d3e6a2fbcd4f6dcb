#include "app/options/input_options.hpp"

#include <charconv>
#include <cmath>

#include "app/options/option_helpers.hpp"

namespace gpuccl::app {
namespace {

std::optional<double> parse_threshold(const std::string& text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

void add_threshold(CLI::App& command, io::ForegroundOptions& foreground) {
  const auto set = [&foreground](const std::string& given) {
    foreground.otsu = given == "otsu";
    foreground.threshold = parse_threshold(given);
  };
  CLI::Option* option = command.add_option_function<std::string>(
      "--threshold", set, "Foreground is what is greater than T, or than Otsu's threshold");
  option->type_name("T|otsu");
  option->check([](const std::string& given) {
    return given == "otsu" || parse_threshold(given) ? std::string()
                                                     : "'" + given + "' is neither a number nor otsu";
  });
}

}  // namespace

void InputOptions::add_to(CLI::App& command, const std::string& memory_help) {
  command.option_defaults()->group("Input");
  add_switch(command, "--stack", stack, "A folder is one volume, its files are the slices");
  add_switch(command, "--invert", foreground.invert, "Label the dark part: swap foreground and background");
  add_threshold(command, foreground);
  add_choice<bool>(command, "--foreground", foreground.raw, {{"auto", false}, {"raw", true}},
                   "raw: bits as stored, whatever the photometric tag says [auto]");
  add_amount(command, "--max-pixels", limits.max_pixels, "Refuse pages of more pixels [64G]");
  add_amount(command, "--max-dim", limits.max_dim, "Refuse axes that are longer [2147483647]");
  add_amount(command, "--max-pages", limits.max_pages, "Refuse inputs of more slices [1000000]");
  add_amount(command, "--memory", limits.memory, memory_help + " [three quarters of what is available]");
}

}  // namespace gpuccl::app
