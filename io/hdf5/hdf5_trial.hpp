#pragma once

#include <functional>

namespace gpuccl::io {

/// Does `work` in a process of its own first. libhdf5 is not proof against damaged files: where it would end
/// the program, Error (data) is thrown. What `work` throws is of no interest, as it will be thrown again.
/// Call it with a Hdf5Lock.
void try_hdf5(const std::function<void()>& work);

}  // namespace gpuccl::io
