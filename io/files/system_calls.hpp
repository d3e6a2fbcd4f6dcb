#pragma once

#include <span>

namespace gpuccl::io {

enum class ListedCalls { allowed, refused };

/// Makes system calls fail (EPERM) in this thread and those that it starts: the listed ones, or all others.
/// Returns false on other machines than x86-64 and 64-bit ARM, or if the kernel has no seccomp.
bool restrict_system_calls(std::span<const int> calls, ListedCalls listed);

}  // namespace gpuccl::io
