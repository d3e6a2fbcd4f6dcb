#pragma once

#include <memory>
#include <vector>

#include "app/label/piece.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/value_slabs.hpp"
#include "io/parts/checked_file.hpp"

// File of a part that a task has labeled: sections::OfLabels.
namespace gpuccl::app {

void put_part(io::CheckedFileWriter& file, const PieceReport& report, const Piece::Labels& labels,
              const Slab& slab, const Extent& whole);

/// The part as join_slabs() needs it: the runs of its labels are those of its faces. Error (data).
SlabToJoin take_part_to_join(const io::CheckedFile& file, const Slab& slab, const LabelInput& input,
                             double delta);

/// All rows of it, with other numbers for its labels, and for 0. The file was verified. Error (data).
NumberedSlab take_part(std::shared_ptr<const io::CheckedFile> file, const Slab& slab, const Extent& whole,
                       std::vector<Label> numbers);

}  // namespace gpuccl::app
