#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/files/descriptor.hpp"
#include "io/hdf5/hdf5_connection.hpp"
#include "io/hdf5/hdf5_dataset.hpp"
#include "io/hdf5/hdf5_message.hpp"

namespace gpuccl::io {
namespace {

/// Returns false at the end of the stream.
bool read_all(int socket, void* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = ::read(socket, static_cast<std::byte*>(data) + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<Hdf5Message> receive(int socket) {
  Hdf5Message::Head head;
  if (!read_all(socket, &head, sizeof head) || head.bytes > Hdf5Message::kMostBytes) return std::nullopt;
  Hdf5Message message(head);
  if (!read_all(socket, message.body().data(), message.body().size())) return std::nullopt;
  return message;
}

void send(int socket, const Hdf5Message& message) {
  const Hdf5Message::Head head = message.head();
  write_all(socket, &head, sizeof head);
  write_all(socket, message.body().data(), message.body().size());
}

/// File whose bytes the other end of the socket sends.
class FileBySocket final : public ByteSource {
 public:
  explicit FileBySocket(int socket) : socket_(socket) {}

  std::size_t read_at(std::uint64_t offset, void* out, std::size_t count) const override {
    std::size_t done = 0;
    while (done < count) {
      const std::size_t wanted = std::min<std::size_t>(count - done, Hdf5Message::kMostBytes);
      Hdf5Message request(Hdf5Word::read);
      request.put(offset + done);
      request.put(static_cast<std::uint64_t>(wanted));
      send(socket_, request);
      const std::optional<Hdf5Message> bytes = receive(socket_);
      if (!bytes || bytes->body().size() > wanted) ::_exit(1);  // the other end is gone
      std::copy(bytes->body().begin(), bytes->body().end(), static_cast<std::byte*>(out) + done);
      done += bytes->body().size();
      if (bytes->body().size() < wanted) break;
    }
    return done;
  }

 private:
  int socket_;
};

class Server {
 public:
  explicit Server(int socket) : socket_(socket), file_(socket) {}

  void run() {
    while (std::optional<Hdf5Message> request = receive(socket_)) send(socket_, answer(*request));
  }

 private:
  Hdf5Message answer(Hdf5Message& request) {
    try {
      return request.word() == Hdf5Word::open ? open(request) : find(request);
    } catch (const Error& error) {
      return refusal(error.failure(), error.what());
    } catch (const std::bad_alloc&) {
      return refusal(Failure::data, "damaged or too complex (libhdf5 takes too much memory)");
    }
  }
  static Hdf5Message refusal(Failure failure, const std::string& reason) {
    Hdf5Message message(Hdf5Word::refusal);
    message.put(failure);
    message.put_list(reason);
    return message;
  }

  Hdf5Message open(Hdf5Message& request) {
    dataset_.reset();
    opened_.reset();
    const auto bytes = request.take<std::uint64_t>();
    const auto name = request.take_list<std::string>();
    opened_.emplace(open_hdf5_file(file_, bytes));
    dataset_.emplace(find_hdf5_dataset(opened_->get(), name));
    array_ = read_hdf5_array(dataset_->get());
    Hdf5Message message(Hdf5Word::answer);
    put(message, array_);
    return message;
  }

  /// Finds the requested chunk and some after it, up to the first with an error.
  Hdf5Message find(Hdf5Message& request) {
    auto at = request.take_list<std::vector<std::uint64_t>>();
    if (!dataset_ || at.size() != array_.shape.size()) Hdf5Message::refuse();
    std::vector<Hdf5Place> places = {find_hdf5_chunk(dataset_->get(), array_, at)};
    try {
      while (places.size() < kPlacesAtOnce && to_next_chunk(array_, at))
        places.push_back(find_hdf5_chunk(dataset_->get(), array_, at));
    } catch (const Error&) {  // reported when that chunk is requested
    }
    Hdf5Message message(Hdf5Word::answer);
    message.put_list(places);
    return message;
  }

  int socket_;
  FileBySocket file_;
  std::optional<Hdf5Id> opened_, dataset_;
  Hdf5Array array_;
};

}  // namespace

void serve_hdf5(int socket) { Server(socket).run(); }

}  // namespace gpuccl::io
