#pragma once

namespace gpuccl::io {

/// Removes the folder `name` of an open folder, with all that is in it; links in it are removed, not
/// followed. False if something is left. Safe in a signal handler: it allocates nothing, and tries again a
/// while where others still write.
bool remove_tree(int folder, const char* name) noexcept;

}  // namespace gpuccl::io
