#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Attributes of a variable that make values of its stored samples, by the CF conventions.
inline constexpr std::array kCfAttributes = {"scale_factor", "add_offset", "_FillValue", "missing_value",
                                             "_Unsigned"};

/// The texts of these, with spaces between numbers; "" for an attribute that is not there.
using CfAttributes = std::array<std::string, kCfAttributes.size()>;

/// Sets slope, intercept, missing samples and signedness of `format`. Throws Error (data) for a text that is
/// not a number.
void apply_cf(const CfAttributes& attributes, SampleFormat& format);

/// Parses numbers separated by spaces, and leaves NaN out. `name`: for the message. Throws Error
/// (data).
std::vector<SampleValue> sample_values_in(const std::string& text, const std::string& name);

}  // namespace gpuccl::io
