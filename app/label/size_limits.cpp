#include <cmath>
#include <limits>

#include "app/label/label_options.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::app {
namespace {

/// Parses "100um3", "2.5mm2" and "2.5 mm^2". Returns none for other text.
std::optional<PhysicalSize> parse_size_with_unit(const std::string& text) {
  PhysicalSize size;
  size.text = text;
  if (text.empty() || (text.back() != '2' && text.back() != '3')) return std::nullopt;
  size.axes = text.back() - '0';
  std::string rest = text.substr(0, text.size() - 1);
  if (rest.ends_with('^')) rest.pop_back();
  const std::size_t digits = rest.find_last_of("0123456789.") + 1;  // 0 of none
  const std::size_t unit = rest.find_first_not_of(' ', digits);
  if (digits == 0 || unit == std::string::npos) return std::nullopt;
  const std::optional<double> number = parse_number<double>(rest.substr(0, digits));
  size.unit = io::length_unit(rest.substr(unit));
  if (!number || !std::isfinite(*number) || *number < 0 || size.unit == io::LengthUnit::unknown)
    return std::nullopt;
  size.size = *number;
  return size;
}

void add_limit(const Command& command, const char* name, std::uint64_t& elements,
               std::optional<PhysicalSize>& physical, const char* help) {
  const Option option =
      command.add_value(name, "N|SIZE", help, [&elements, &physical](const std::string& given) {
        if (const auto number = parse_number<std::uint64_t>(given)) {
          elements = *number;
          return std::string();
        }
        physical = parse_size_with_unit(given);
        return physical ? std::string()
                        : "'" + given + "' is neither an integer nor a size such as 100um3 or 2.5mm2";
      });
  option.prints([&] { return std::optional(physical ? physical->text : std::to_string(elements)); });
}

/// Returns the number of pixels that have this size.
double elements_of(const PhysicalSize& size, const io::ImageInfo& input, Connectivity connectivity) {
  const bool is_volume = input.extent.depth > 1 || is_3d(connectivity);
  const int axes = is_volume ? 3 : 2;
  if (size.axes != axes)
    throw Error(ErrorCode::usage, size.text + " is " + (size.axes == 3 ? "a volume" : "an area") +
                                      ", but the input is labeled as " +
                                      (is_volume ? "a volume" : "an image"));
  if (!input.geometry.is_known(axes) || input.geometry.unit == io::LengthUnit::unknown)
    throw Error(ErrorCode::data,
                "has no spacing in a unit of length, which " + size.text + " needs; set it with --spacing");
  double element = 1;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis)
    element *= input.geometry.spacing[axis] * io::unit_ratio(input.geometry.unit, size.unit);
  return size.size / element;
}

/// Relative rounding error up to which a size counts as an integer number of pixels.
constexpr double kTolerance = 1e-9;

std::uint64_t whole(double elements) {
  return elements >= 0x1p63 ? std::numeric_limits<std::uint64_t>::max()
                            : static_cast<std::uint64_t>(elements);
}

}  // namespace

void add_size_limits(const Command& command, SelectionOptions& selection, PhysicalLimits& limits) {
  add_limit(command, "--min-size", selection.min_size, limits.min,
            "Drop components of fewer pixels, or smaller than a size such as 100um3");
  add_limit(command, "--max-size", selection.max_size, limits.max,
            "Drop components of more pixels, or larger than a size");
}

SelectionOptions with_limits(const SelectionOptions& selection, const PhysicalLimits& limits,
                             const io::ImageInfo& input, Connectivity connectivity) {
  SelectionOptions own = selection;
  if (limits.min)
    own.min_size = whole(std::ceil(elements_of(*limits.min, input, connectivity) * (1 - kTolerance)));
  if (limits.max)
    own.max_size = whole(std::floor(elements_of(*limits.max, input, connectivity) * (1 + kTolerance)));
  return own;
}

}  // namespace gpuccl::app
