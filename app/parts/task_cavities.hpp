#pragma once

#include <vector>

#include "app/label/job.hpp"
#include "app/parts/opened_run.hpp"
#include "app/parts/task_folder.hpp"
#include "gpuccl/parts.hpp"
#include "io/parts/checked_file.hpp"

// Cavities in job arrays: each task also labels the background of its part. Joining the backgrounds finds
// the cavities, and the part in which each begins.
namespace gpuccl::app {

/// Labels the background of a part and leaves it in the folder. `labels`: of the part, null if it has no
/// rows.
void leave_cavities(const TaskFolder& folder, int part, Piece& piece, const Extent& whole,
                    const LabelSource* labels, LazyEngine& engine);

/// Opens the file of cavities of a part, in the format of binary parts. Error (data, no_input).
io::CheckedFile open_cavities(const TaskFolder& folder, int part);

/// Cavities of the whole image, as one part needs them.
struct CavitiesOfPart {
  std::vector<Label> numbers = {0};  // of each label of its background; 0 if that is none
  Label before = 0;                  // begin in parts before it
  Components components;             // that begin in it
};
/// Returns the cavities for all non-empty parts, which are `slabs`.
std::vector<CavitiesOfPart> find_cavities(const OpenedRun& run, const LabelInput& input,
                                          const std::vector<Slab>& slabs);

/// MeasureRequest::background of a part by its sections::OfUnited. io::FileError if its background is not the
/// one that was joined.
Labeled take_cavities(const TaskFolder& folder, int part, const io::CheckedFile& united, const Slab& slab,
                      const Extent& whole);

}  // namespace gpuccl::app
