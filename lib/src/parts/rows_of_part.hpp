#pragma once

#include <functional>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "parts/message.hpp"
#include "periodic/border_runs.hpp"
#include "slabs/slab_labels.hpp"

namespace gpuccl {

void put(Message& message, const BorderRows& rows);
BorderRows take_border_rows(TakenMessage& message);

/// Keeps all of them.
void keep(BorderRuns& borders, const BorderRows& rows);

/// Collective. Returns the labels of the rows of a part and of its halo rows, which parts exchange. Labels of
/// the whole image are listed as number(label), up to `count`; they are not rendered. `part` must outlive
/// them.
JoinedLabels rows_of_part(PartLink& link, Extent whole, const RowsAround& reach, const NumberedPart& part,
                          const std::function<Label(Label)>& number, Label count);

}  // namespace gpuccl
