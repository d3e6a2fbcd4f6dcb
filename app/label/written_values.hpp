#pragma once

#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/value_type.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::app {

/// Values to write instead of labels (--keep-values).
struct WrittenValues {
  io::LabelType type = io::LabelType::automatic;
  std::vector<Label> map;  // from labels to values, as the bits of an unsigned type
  Label largest = 0;       // of those that are not negative
};

/// `values`: of each component that stays; `selected`: Selection::map. Values of 64 bits get 32 where they
/// fit these, else Error (data).
WrittenValues written_values(ValueType type, std::span<const ValueBits> values,
                             const std::vector<Label>& selected);

/// Returns the values to write for a part of an image whose labels have `values`. Labels whose `numbers` are
/// 0 are dropped.
WrittenValues written_values_of_part(ValueType type, std::span<const ValueBits> values,
                                     const std::vector<Label>& numbers);

}  // namespace gpuccl::app
