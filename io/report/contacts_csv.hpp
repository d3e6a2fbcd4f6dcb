#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpuccl/objects.hpp"
#include "io/image/geometry.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::io {

/// The table of contacts: label_a,label_b,faces_x,faces_y,faces_z,edges,corners, and where the size of an
/// element is known area_physical,unit: what all faces are together, in squares of that unit. Of slices or an
/// image: label_a,label_b,faces_x,faces_y,edges and length_physical,unit. Of an image of values these follow:
/// value_a,value_b. With `labels`, in ascending order, labels of contacts are their places there, from 1 on.
void stream_contacts_csv(const TextSink& sink, bool volume, const Geometry& geometry,
                         const std::vector<Contact>& contacts, const ValueColumn& value = {},
                         std::span<const std::uint64_t> labels = {});

/// Whether a text that begins like this, white space left out, is a table of contacts.
bool is_contacts_csv(std::string_view beginning);

}  // namespace gpuccl::io
