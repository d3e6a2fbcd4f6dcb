#pragma once

namespace gpuccl {

/// Starts oneTBB while there is memory for it: when memory runs out in the middle of that, 2022.1 waits for
/// itself for ever. Where the system allows fewer threads than oneTBB would start, it keeps to these: it ends
/// the program when it cannot start one. Error (memory) if there is not enough. An Engine does so when it is
/// made; a program that labels without one, or may run short of memory before, calls it first.
void start_threads();

/// How many more threads, `most` at most, the system lets this program have, less a few for what does not go
/// through oneTBB. Finds out by starting them. For callers that allow oneTBB more than it has by itself.
int count_startable_threads(int most);

}  // namespace gpuccl
