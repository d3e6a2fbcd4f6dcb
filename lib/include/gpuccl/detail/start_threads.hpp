#pragma once

#pragma GCC visibility push(default)
namespace gpuccl {

/// Starts oneTBB while there is memory for it, because oneTBB 2022.1 hangs if memory runs out during
/// its start. Limits it to the number of threads the system allows. Engine calls it; programs that
/// label without one should call it first. Throws Error (memory).
void start_threads();

/// Returns how many more threads, at most `most`, the system allows, less a few for other uses. Starts
/// threads to find out.
int count_startable_threads(int most);

}  // namespace gpuccl
#pragma GCC visibility pop
