#pragma once

#include <string_view>

namespace gpuccl::io {

enum class LengthUnit { unknown, pm, angstrom, nm, um, mm, cm, dm, m, inch };

/// The names of these, for messages.
inline constexpr const char* kLengthUnits = "pm, angstrom, nm, um, mm, cm, dm, m or inch";

/// "um"; "" if unknown.
std::string_view name_of(LengthUnit unit);

/// "micrometer"; "" if unknown.
std::string_view word_of(LengthUnit unit);

/// By the name that any program writes: "um", "micron", "micrometer", with the letter mu or its escape.
/// Unknown if it is none, such as "pixel".
LengthUnit length_unit(std::string_view name);

/// Returns the factor that converts lengths in `from` to `to`; neither may be unknown.
double unit_ratio(LengthUnit from, LengthUnit to);

}  // namespace gpuccl::io
