#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpuccl/objects.hpp"
#include "io/image/geometry.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::io {

/// Writes the table of contacts: label_a,label_b,faces_x,faces_y,faces_z,edges,corners and, if the spacing is
/// known, area_physical,unit: the area of all faces in squares of the unit. For images and slices:
/// label_a,label_b,faces_x,faces_y,edges and length_physical,unit. For label maps value_a,value_b follow.
/// With `labels`, in ascending order, labels of contacts are indices of it, counted from 1.
void stream_contacts_csv(const TextSink& sink, bool volume, const Geometry& geometry,
                         const std::vector<Contact>& contacts, const ValueColumn& value = {},
                         std::span<const std::uint64_t> labels = {});

/// Returns whether a text with this beginning, without white space, is a table of contacts.
bool is_contacts_csv(std::string_view beginning);

}  // namespace gpuccl::io
