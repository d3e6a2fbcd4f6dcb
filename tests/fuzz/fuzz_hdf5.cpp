#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>

#include "decode.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/hdf5_connection.hpp"
#include "io/image/formats.hpp"

// The reader of HDF5. Bytes that are an HDF5 file are read by libhdf5 in another process, as in the product,
// which starts one for every file: that takes ten times as long as all the rest. Here one process reads many.
// All other bytes are what a process says that a file has taken over.

// libhdf5 does not free what it has read of an object of which the rest is damaged: of an object's header in
// H5O_protect(), of a message in H5O_msg_read(). It has no frame pointers, so that the name of the library is
// all that tells its own leaks from others. It is refused memory beyond what libFuzzer takes for an error.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=8:max_allocation_size_mb=512:allocator_may_return_null=1";
}

namespace gpuccl {
namespace {

/// The process of libhdf5.
class Server {
 public:
  int socket() {
    constexpr int kMaxFiles = 20000;  // of one process: damaged files leave memory behind
    if (process_ != 0 && (++files_ % kMaxFiles == 0 || ::waitpid(process_, nullptr, WNOHANG) != 0)) stop();
    if (process_ == 0) start();
    return socket_;
  }

  void stop() {
    if (process_ == 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    ::close(socket_);
    process_ = 0;
  }

 private:
  void start() {
    int sockets[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) std::abort();
    process_ = ::fork();
    if (process_ < 0) std::abort();
    ::close(sockets[process_ == 0 ? 0 : 1]);
    socket_ = sockets[0];
    if (process_ != 0) return;
    constexpr rlimit kLongest = {4, 4};  // some damage is gone round without end
    ::setrlimit(RLIMIT_CPU, &kLongest);
    ::__sanitizer_set_death_callback(nullptr);  // by which libFuzzer would note an input as one that failed
    ::close(STDERR_FILENO);
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGXCPU}) ::signal(signal, SIG_DFL);
    io::serve_hdf5(sockets[1]);
    ::_exit(0);
  }

  pid_t process_ = 0;
  int socket_ = -1, files_ = 0;
};

Server server;
std::string said;  // by one that is taken over; "": by libhdf5

}  // namespace

// Definitions that replace those of the product.

io::Hdf5Child::Hdf5Child(std::int64_t) {
  if (said.empty()) {
    socket_ = Descriptor(::fcntl(server.socket(), F_DUPFD_CLOEXEC, 0));
    return;
  }
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) std::abort();
  socket_ = Descriptor(sockets[0]);
  if (::write(sockets[1], said.data(), said.size()) != static_cast<ssize_t>(said.size())) std::abort();
  ::shutdown(sockets[1], SHUT_WR);
  process_ = sockets[1];  // read by nobody
}

io::Hdf5Child::~Hdf5Child() {
  if (process_ != 0) ::close(process_);
}

void io::Hdf5Child::end() {
  if (said.empty()) server.stop();
}

}  // namespace gpuccl

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  constexpr std::size_t kMaxSaid = 1 << 15;  // fits a socket, and so does what is answered
  said.clear();
  const bool is_file = io::FileStart(*fuzz::file_of(data, size)).is_of(io::kHdf5Format);
  if (!is_file) said.assign(reinterpret_cast<const char*>(data), std::min(size, kMaxSaid));
  if (!is_file && said.empty()) return 0;
  static constexpr std::uint8_t kFile[] = "16 bytes of it.";
  const auto file = is_file ? fuzz::file_of(data, size) : fuzz::file_of(kFile, sizeof kFile);
  fuzz::decode(size > 0 ? data[size - 1] : 0,
               [&](const io::ReadOptions& options) { return io::open_hdf5(file, options); });
  return 0;
}
