#pragma once

namespace gpuccl {

/// Starts oneTBB while there is memory for it: when memory runs out in the middle of that, 2022.1 waits for
/// itself for ever. Error (memory) if there is not enough. An Engine does so when it is made; a program that
/// labels without one, or may run short of memory before, calls it first.
void start_threads();

}  // namespace gpuccl
