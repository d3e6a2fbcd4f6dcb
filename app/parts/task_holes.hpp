#pragma once

#include <optional>
#include <vector>

#include "app/label/describe.hpp"
#include "app/label/job.hpp"
#include "app/parts/joined_parts.hpp"
#include "app/parts/opened_run.hpp"
#include "app/parts/task_folder.hpp"

// Holes in job arrays: each task labels the background of its part, joining the backgrounds finds the holes,
// and each task fills its pieces of them before it labels.
namespace gpuccl::app {

/// Reads a part and leaves its background, labeled, in the folder. `input` is its file.
void leave_background(const TaskFolder& folder, int part, Piece& piece, const LabelInput& input,
                      LazyEngine& engine);

/// Fills the holes of a part, of which it was found what they are; it is not read then. Returns what was
/// found when it was read. Error (data, no_input).
PieceReport fill_part(const TaskFolder& folder, int part, Piece& piece, const Extent& whole);

/// The holes, if a join before has found them in the backgrounds that are there, and left word for all parts.
std::optional<HoleCounts> found_holes(const TaskFolder& folder);

/// Finds them in the backgrounds of all parts, of which `slabs` are those that are not empty. io::FileError
/// names those that are to be run again.
HoleCounts find_holes(const OpenedRun& run, const LabelInput& input, const std::vector<Slab>& slabs);

}  // namespace gpuccl::app
