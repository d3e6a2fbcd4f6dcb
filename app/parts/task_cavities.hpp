#pragma once

#include <vector>

#include "app/label/job.hpp"
#include "app/parts/opened_run.hpp"
#include "app/parts/task_folder.hpp"
#include "gpuccl/parts.hpp"
#include "io/parts/checked_file.hpp"

// Tasks count cavities in the backgrounds of their parts, which they label besides; joining these says what
// of them is a cavity, and in which part that begins.
namespace gpuccl::app {

/// Labels the background of a part and leaves it in the folder. `labels`: of the part, null if it has no
/// rows.
void leave_cavities(const TaskFolder& folder, int part, Piece& piece, const Extent& whole,
                    const LabelSource* labels, LazyEngine& engine);

/// That file, which is as a part of binary images. Error (data, no_input).
io::CheckedFile open_cavities(const TaskFolder& folder, int part);

/// What a part is to know of the cavities of the whole.
struct CavitiesOfPart {
  std::vector<Label> numbers = {0};  // of each label of its background; 0 if that is none
  Label before = 0;                  // begin in parts before it
  Components components;             // that begin in it
};
/// Of the parts that are not empty, which are `slabs`.
std::vector<CavitiesOfPart> find_cavities(const OpenedRun& run, const LabelInput& input,
                                          const std::vector<Slab>& slabs);

/// MeasureRequest::background of a part by its sections::OfUnited. io::FileError if its background is not the
/// one that was joined.
Labeled take_cavities(const TaskFolder& folder, int part, const io::CheckedFile& united, const Slab& slab,
                      const Extent& whole);

}  // namespace gpuccl::app
