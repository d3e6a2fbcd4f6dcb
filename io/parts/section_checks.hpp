#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/objects.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"

// Checks the contents of sections. A checksum detects damage but not a file made by another program, so
// every index is checked against the size of the table that it refers to. Error (data).
namespace gpuccl::io {

/// Boxes that no element fills, or which lie outside of `extent`, which may be that of a slab. Where it is
/// periodic, boxes go on beyond it.
void check_components(const Components& components, const Extent& extent, bool is_periodic = false);

/// Checks the labels of a part in the whole image: 0 maps to 0, and no label is above `most`.
void check_numbers(std::span<const Label> numbers, std::uint64_t most);

/// Checks contacts of labels from 1 to `most`.
void check_contacts(std::span<const Contact> contacts, std::uint64_t most);

void check_border_rows(const BorderRows& rows, const Extent& extent, std::uint64_t most);

}  // namespace gpuccl::io
