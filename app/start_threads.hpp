#pragma once

namespace gpuccl::app {

/// Starts oneTBB while there is memory for it: when memory runs out in the middle of that, 2022.1 waits for
/// itself for ever. Error (memory) if there is not enough.
void start_threads();

}  // namespace gpuccl::app
