#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "decode.hpp"
#include "io/hdf5/hdf5_source.hpp"
#include "io/hdf5/hdf5_trial.hpp"

// The reader of HDF5, above libhdf5. What libhdf5 might fail on is tried in another process before, as it is
// in the product, which starts one for every file: that takes ten times as long as all the rest. Here one
// process tries many.

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

struct Tried {};  // what follows the trial is not the process's that tries

/// Whether this is the process that tries.
bool is_trial = false;

class Trials {
 public:
  Trials() {
    void* const shared =
        ::mmap(nullptr, kMostBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) std::abort();
    bytes_ = static_cast<std::uint8_t*>(shared);
  }

  /// To be called before libhdf5 is locked, for the lock would be a thread's of another process.
  void get_ready() {
    constexpr int kMostTrials = 20000;  // of one process: damaged files leave memory behind
    if (++trials_ % kMostTrials == 0) stop();
    if (process_ == 0) start();
  }

  /// Whether the process opens the bytes without its end.
  bool pass(const std::uint8_t* data, std::size_t size) {
    if (size > kMostBytes) return false;
    std::memcpy(bytes_, data, size);
    bool passed = false;
    if (::send(socket_, &size, sizeof size, MSG_NOSIGNAL) == sizeof size &&
        ::recv(socket_, &passed, sizeof passed, 0) == sizeof passed)
      return true;
    stop();
    return false;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  void start() {
    constexpr timeval kLongest = {2, 0};  // some damage is gone round without end
    int sockets[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) != 0) std::abort();
    process_ = ::fork();
    if (process_ < 0) std::abort();
    ::close(sockets[process_ == 0 ? 0 : 1]);
    if (process_ == 0) answer(sockets[1]);
    socket_ = sockets[0];
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kLongest, sizeof kLongest);
  }

  void stop() {
    if (process_ == 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    ::close(socket_);
    process_ = 0;
  }

  [[noreturn]] void answer(int socket) const {
    is_trial = true;
    ::__sanitizer_set_death_callback(nullptr);  // by which libFuzzer would note an input as one that failed
    ::close(STDERR_FILENO);
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) ::signal(signal, SIG_DFL);
    std::size_t size = 0;
    while (::recv(socket, &size, sizeof size, 0) == sizeof size) {
      try {
        io::open_hdf5(fuzz::file_of(bytes_, size), fuzz::small_options());
      } catch (const Tried&) {
      }
      const bool passed = true;
      if (::send(socket, &passed, sizeof passed, MSG_NOSIGNAL) != sizeof passed) break;
    }
    ::_exit(0);
  }

  std::uint8_t* bytes_ = nullptr;
  pid_t process_ = 0;
  int socket_ = -1, trials_ = 0;
};

Trials& trials() {
  static Trials all;
  return all;
}

const std::uint8_t* input = nullptr;
std::size_t input_size = 0;

}  // namespace

/// In the place of the product's.
void io::try_hdf5(int, std::int64_t, const std::function<void()>& work) {
  if (!is_trial) {
    if (!trials().pass(input, input_size)) throw Error(Failure::data, "damaged (libhdf5 fails on it)");
    return;
  }
  try {
    work();
  } catch (...) {
  }
  throw Tried();
}

}  // namespace gpuccl

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  input = data;
  input_size = size;
  trials().get_ready();
  fuzz::decode_if([](const io::InputFile& file) { return io::is_hdf5(file); }, data, size);
  return 0;
}
