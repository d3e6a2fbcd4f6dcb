#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/components.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/extent.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"

// A checksum tells damage from what was written, not what was written by gpuccl from what was written by
// somebody else. So what a section holds is compared with all that it is an index into. Error (data).
namespace gpuccl::io {

/// Boxes that no element fills, or which lie outside of `extent`, which may be that of a slab. Where it is
/// periodic, boxes go on beyond it.
void check_components(const Components& components, const Extent& extent, bool is_periodic = false);

/// What labels of a part are in the whole: 0 is 0, and none is above `most`.
void check_numbers(std::span<const Label> numbers, std::uint64_t most);

/// Of labels from 1 to `most`.
void check_contacts(std::span<const Contact> contacts, std::uint64_t most);

void check_border_rows(const BorderRows& rows, const Extent& extent, std::uint64_t most);

}  // namespace gpuccl::io
