#include "app/options/spacing_option.hpp"

#include <string>
#include <vector>

#include "app/options/command_line.hpp"
#include "app/options/number_lists.hpp"
#include "gpuccl/types.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::app {
namespace {

/// Returns none for other text.
std::optional<io::GivenSpacing> parse_spacing(const std::string& text) {
  std::vector<std::string> words = split(text, ',');
  io::GivenSpacing given;
  if (words.size() > 2 && !parse_number<double>(words.back())) {
    given.unit = io::length_unit(words.back());
    if (given.unit == io::LengthUnit::unknown) return std::nullopt;
    words.pop_back();
  }
  if (words.size() < 2 || words.size() > given.spacing.size()) return std::nullopt;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::optional<double> length = parse_number<double>(words[i]);
    if (!length || !io::is_spacing(*length)) return std::nullopt;
    given.spacing[i] = *length;
  }
  return given;
}

std::string text_of(const io::GivenSpacing& given) {
  std::string text = io::shortest(given.spacing[0]) + "," + io::shortest(given.spacing[1]);
  if (given.spacing[2] > 0) text += "," + io::shortest(given.spacing[2]);
  if (given.unit != io::LengthUnit::unknown) text += "," + std::string(io::name_of(given.unit));
  return text;
}

}  // namespace

void add_spacing(const Command& command, std::optional<io::GivenSpacing>& spacing) {
  const Option option = command.add_value(
      "--spacing", "X,Y[,Z][,UNIT]",
      "Pixel size, instead of that of the file; UNIT is nm, um, mm or another length",
      [&spacing](const std::string& given) {
        spacing = parse_spacing(given);
        return spacing ? std::string()
                       : "'" + given + "' is not X,Y or X,Y,Z or X,Y,Z,UNIT, numbers above 0 and " +
                             io::kLengthUnits;
      });
  option.prints([&] { return spacing ? std::optional(text_of(*spacing)) : std::nullopt; });
}

void check_spacing(const std::optional<io::GivenSpacing>& given, const io::ImageInfo& input,
                   Connectivity connectivity) {
  const bool is_volume = is_3d(connectivity) && input.extent.depth > 1;
  if (given && given->spacing[2] <= 0 && is_volume && !input.geometry.is_known(3))
    throw Error(Failure::usage, "--spacing X,Y does not set the z spacing of a volume; use --spacing X,Y,Z");
}

}  // namespace gpuccl::app
