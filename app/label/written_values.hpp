#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::app {

/// Values to write instead of labels (--keep-values).
struct WrittenValues {
  io::LabelType type = io::LabelType::automatic;
  std::vector<Label> map;       // from labels to values, as bits of an unsigned type, or to indices of `wide`
  std::vector<ValueBits> wide;  // values of 64 bits, that of the background first; empty if 32 are enough
  Label largest = 0;            // largest value that is not negative
};

/// Returns whether values of `type` can be written with 32 bits at most.
bool fit_32_bits(ValueType type, std::span<const ValueBits> values);

/// Returns the values to write for an image. `values`: of each remaining component; `selected`:
/// Selection::map. Types of 64 bits are written with 32 bits if all values fit.
WrittenValues written_values(ValueType type, std::span<const ValueBits> values,
                             const std::vector<Label>& selected);

/// Replaces the numbers of a part's labels, which have `values`, by what is written of them: samples of 32
/// bits at most, or indices into `wide`, which the values are added to. Labels whose number is 0 are dropped.
void replace_by_values(ValueType type, std::span<const ValueBits> values, std::vector<Label>& numbers,
                       std::vector<ValueBits>* wide = nullptr);

/// Returns the values of --split-values: the largest component of a value keeps it (the first of equally
/// large ones), and the others get values above `last`, the largest of the input, in their order. Throws
/// Error (data) for negative values, and if the values of 64 bits do not suffice.
std::vector<ValueBits> split_values(ValueType type, std::span<const ValueBits> values,
                                    std::span<const std::uint64_t> areas, ValueBits last);

/// Returns the largest of these values, 0 if all are below it.
ValueBits largest_value(ValueType type, std::span<const ValueBits> values);

/// Returns the smallest type that holds values of `type` and `ids`.
ValueType type_of_ids(ValueType type, std::span<const ValueBits> ids);

}  // namespace gpuccl::app
