#pragma once

namespace gpuccl::io {

/// Answers what Hdf5Connection asks over the socket, until its other end is closed. Bytes of the file come
/// over the socket, too. libhdf5 may do anything meanwhile.
void serve_hdf5(int socket);

}  // namespace gpuccl::io
