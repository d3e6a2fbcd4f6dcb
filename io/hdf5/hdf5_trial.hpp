#pragma once

#include <cstdint>
#include <functional>

namespace gpuccl::io {

/// Does `work` in a process of its own first. libhdf5 is not proof against damaged files: where it would end
/// the program, or takes too long, Error (data) is thrown. What `work` throws is of no interest, as it will
/// be thrown again. Call it with a Hdf5Lock. `input`: the only descriptor that `work` needs, -1 if it needs
/// none; `memory`: bytes that it may use in addition.
void try_hdf5(int input, std::int64_t memory, const std::function<void()>& work);

/// Ends such processes, and lets no more begin: a program that is to end does not wait for them. They throw
/// Error (io) then. May be called by a signal handler.
void end_hdf5_trials() noexcept;

}  // namespace gpuccl::io
