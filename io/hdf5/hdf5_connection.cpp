#include "io/hdf5/hdf5_connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>

#include "io/hdf5/hdf5.hpp"

namespace gpuccl::io {
namespace {

using std::chrono::milliseconds, std::chrono::seconds;

constexpr seconds kLongest{20};  // for an answer, because some damage makes libhdf5 loop forever
constexpr seconds kMoment{1};    // for an answer, if the program is to end
constexpr seconds kLongestReading{200};
std::atomic<bool> is_to_end = false;

[[noreturn]] void refuse_to_wait() {
  if (is_to_end) throw Error(ErrorCode::io, "was not read, because the program was interrupted");
  throw Error(ErrorCode::data, "libhdf5 did not find its samples within " + std::to_string(kLongest.count()) +
                                   " s; copy them to another file, for example with h5repack");
}

}  // namespace

/// Returns the remaining time for the answer. Reading the file does not count, because disks may be slow.
/// Throws Error after a timeout.
Hdf5Connection::Clock::duration Hdf5Connection::time_left() const {
  const Clock::duration used = Clock::now() - asked_ - std::min<Clock::duration>(reading_, kLongestReading);
  const Clock::duration left = (is_to_end ? kMoment : kLongest) - used;
  if (left <= Clock::duration::zero()) refuse_to_wait();
  return left;
}

/// Waits until the socket accepts or has bytes, or is closed.
void Hdf5Connection::wait_for(short events) const {
  constexpr milliseconds kLook{100};
  for (;;) {
    const auto most = std::min(kLook, std::chrono::ceil<milliseconds>(time_left()));
    pollfd waiting{child_.socket(), events, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(most.count()));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) Hdf5Message::refuse();
  }
}

/// Calls `move(offset, bytes)`, which returns the number of bytes moved, until all are.
template <class Move>
void Hdf5Connection::move_all(std::size_t bytes, short events, Move move) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t moved = move(done, bytes - done);
    if (moved > 0) {
      done += static_cast<std::size_t>(moved);
    } else if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
      wait_for(events);
    } else {
      Hdf5Message::refuse();
    }
  }
}

void Hdf5Connection::send(const Hdf5Message& message) {
  const Hdf5Message::Head head = message.head();
  const auto send_bytes = [&](const void* data, std::size_t bytes) {
    move_all(bytes, POLLOUT, [&](std::size_t at, std::size_t count) {
      return ::send(child_.socket(), static_cast<const std::byte*>(data) + at, count,
                    MSG_DONTWAIT | MSG_NOSIGNAL);
    });
  };
  send_bytes(&head, sizeof head);
  send_bytes(message.body().data(), message.body().size());
}

Hdf5Message Hdf5Connection::receive() {
  const auto receive_bytes = [&](void* data, std::size_t bytes) {
    move_all(bytes, POLLIN, [&](std::size_t at, std::size_t count) {
      return ::recv(child_.socket(), static_cast<std::byte*>(data) + at, count, MSG_DONTWAIT);
    });
  };
  Hdf5Message::Head head;
  receive_bytes(&head, sizeof head);
  if (head.bytes > Hdf5Message::kMaxBytes) Hdf5Message::refuse();
  Hdf5Message message(head);
  receive_bytes(message.body().data(), message.body().size());
  return message;
}

/// Returns the requested bytes: fewer at the end of the file, none if they cannot be read.
Hdf5Message Hdf5Connection::bytes_for(Hdf5Message& read) {
  const auto offset = read.take<std::uint64_t>(), count = read.take<std::uint64_t>();
  if (count > Hdf5Message::kMaxBytes) Hdf5Message::refuse();
  Hdf5Message bytes(Hdf5Message::Head{Hdf5Word::bytes, static_cast<std::uint32_t>(count)});
  const Clock::time_point begin = Clock::now();
  std::size_t there = 0;
  try {
    there = file_->read_at(offset, bytes.body().data(), bytes.body().size());
  } catch (...) {
    thrown_ = std::current_exception();
  }
  reading_ += Clock::now() - begin;
  bytes.body().resize(there);
  return bytes;
}

Hdf5Message Hdf5Connection::ask_child(const Hdf5Message& request) {
  send(request);
  for (;;) {
    time_left();
    Hdf5Message said = receive();
    if (said.word() == Hdf5Word::read) {
      send(bytes_for(said));
      continue;
    }
    if (said.word() != Hdf5Word::answer && said.word() != Hdf5Word::refusal) Hdf5Message::refuse();
    return said;
  }
}

Hdf5Message Hdf5Connection::ask(const Hdf5Message& request) {
  if (failed_) std::rethrow_exception(failed_);
  asked_ = Clock::now();
  reading_ = {};
  Hdf5Message said;
  try {
    if (is_to_end && request.word() == Hdf5Word::open) refuse_to_wait();
    said = ask_child(request);
  } catch (...) {  // the child may be in the middle of a message
    failed_ = std::current_exception();
    child_.end();
    throw;
  }
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (said.word() == Hdf5Word::answer) return said;
  constexpr std::size_t kLongestReason = 2000;
  const auto failure = said.take<ErrorCode>();
  auto reason = said.take_list<std::string>();
  if (failure != ErrorCode::data && failure != ErrorCode::no_input && failure != ErrorCode::memory)
    Hdf5Message::refuse();
  if (reason.empty()) Hdf5Message::refuse();
  reason.resize(std::min(reason.size(), kLongestReason));
  throw Error(failure, reason);
}

void end_hdf5() noexcept { is_to_end = true; }

}  // namespace gpuccl::io
