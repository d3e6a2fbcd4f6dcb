#pragma once

#include "gpuccl/parts.hpp"
#include "parts/message.hpp"
#include "periodic/border_runs.hpp"

namespace gpuccl {

void put(Message& message, const BorderRows& rows);
BorderRows take_border_rows(TakenMessage& message);

/// Keeps all of them.
void keep(BorderRuns& borders, const BorderRows& rows);

}  // namespace gpuccl
