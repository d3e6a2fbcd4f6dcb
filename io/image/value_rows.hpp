#pragma once

#include "gpuccl/values.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// The type in which samples are compared with each other, as they are stored: the narrowest that holds them,
/// of scaled ones f64, of a palette that of its indices. Error (data) for colours.
ValueType value_type(const SampleFormat& format);

/// Gives rows of a slice to an image of values of this type, in which the slice begins at row `first_row`.
/// Where they are narrower than the image, what is next to them is 0.
void add_rows(ValueImage& image, std::int64_t first_row, int width, const SampleRows& rows);

}  // namespace gpuccl::io
