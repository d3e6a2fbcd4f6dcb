#pragma once

namespace gpuccl::io {

/// Answers requests of Hdf5Connection until the other end of the socket is closed. Requests bytes of the file
/// over the socket, too. Its process may crash or hang.
void serve_hdf5(int socket);

}  // namespace gpuccl::io
