#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/descriptor.hpp"
#include "io/hdf5/hdf5_connection.hpp"
#include "io/hdf5/hdf5_dataset.hpp"
#include "io/image/chunks.hpp"

namespace gpuccl::io {
namespace {

constexpr int kMaxVisited = 100000;

struct Found {
  std::string path;
  std::string about;  // "8 bit, 10x640x480"
};

/// Datasets below a group, each once, however many links lead to it.
struct Search {
  std::string group;  // "" or ending in "/"
  std::vector<Found> images;
  int visited = 0;
  std::exception_ptr failure;

  void look_at(hid_t object, const char* name, const H5O_info_t& info) {
    if (info.type != H5O_TYPE_DATASET) return;
    const Hdf5Id dataset(h5().H5Dopen2(object, name, H5P_DEFAULT));
    const Hdf5Id type(h5().H5Dget_type(dataset.get()));
    const std::vector<std::uint64_t> shape = hdf5_shape(dataset.get());
    const auto samples = hdf5_samples(type.get());
    if (!samples || std::count_if(shape.begin(), shape.end(), [](auto size) { return size > 1; }) < 2) return;
    images.push_back(
        {group + "/" + name, std::to_string(samples->format.bits) + " bit, " + sizes_in_words(shape)});
  }

  static herr_t visit(hid_t object, const char* name, const H5O_info_t* info, void* data) {
    auto& search = *static_cast<Search*>(data);
    try {
      if (++search.visited > kMaxVisited)
        throw Error(ErrorCode::data,
                    "contains too many objects to search; name the dataset, as in file.h5:/name");
      search.look_at(object, name, *info);
      return 0;
    } catch (...) {
      search.failure = std::current_exception();
      return -1;
    }
  }
};

std::string list(const std::vector<Found>& images) {
  constexpr std::size_t kMax = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMax, images.size()); ++i)
    text += (i > 0 ? ", " : "") + images[i].path + " (" + images[i].about + ")";
  return text + (images.size() > kMax ? fmt::format(" and {} more", images.size() - kMax) : "");
}

std::vector<Found> images_in(hid_t group, const std::string& name) {
  Search search;
  search.group = name == "/" ? "" : name;
  const herr_t result = h5().H5Ovisit_by_name2(group, ".", H5_INDEX_NAME, H5_ITER_INC, Search::visit, &search,
                                               H5O_INFO_BASIC, H5P_DEFAULT);
  if (search.failure) std::rethrow_exception(search.failure);
  checked_hdf5(result);
  return search.images;
}

[[noreturn]] void refuse_missing(hid_t file, const std::string& name) {
  if (h5().H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0)
    throw Error(ErrorCode::data, "'" + name + "' is a link that leads to nothing in this file");
  const std::vector<Found> images = images_in(file, "/");
  throw Error(ErrorCode::no_input,
              "has no dataset '" + name + "'" + (images.empty() ? "" : "; it has " + list(images)));
}

/// Returns the dataset `name`, or the only one in the group `name` that may be an image, with two or more
/// axes and numeric samples. Links to other files are not followed. Throws Error: no_input if there is no
/// object of that name, data if there are no or several datasets, which it lists.
Hdf5Id find_hdf5_dataset(hid_t file, const std::string& name) {
  const std::string path = name.empty() ? "/" : name;
  if (path == "/" && h5().H5Lexists(file, "minc-2.0", H5P_DEFAULT) > 0)
    throw Error(ErrorCode::data,
                "is a MINC 2 file; convert it to NIfTI with mnc2nii, which scales its values");
  const hid_t opened = h5().H5Oopen(file, path.c_str(), H5P_DEFAULT);
  if (path == "/") checked_hdf5(opened);
  if (opened < 0) refuse_missing(file, path);
  Hdf5Id object(opened);
  const H5I_type_t kind = h5().H5Iget_type(object.get());
  if (kind == H5I_DATASET) return object;
  if (kind != H5I_GROUP) throw Error(ErrorCode::data, "'" + path + "' is not a dataset");
  const std::vector<Found> images = images_in(object.get(), path);
  if (images.empty())
    throw Error(ErrorCode::data,
                "contains no numeric dataset with two axes longer than 1; name one, as in file.h5:/name");
  if (images.size() > 1)
    throw Error(ErrorCode::data,
                fmt::format("contains {} datasets; name one of them, as in file.h5:/name: {}", images.size(),
                            list(images)));
  return Hdf5Id(h5().H5Oopen(file, images.front().path.c_str(), H5P_DEFAULT));
}

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
  if (!read_all(socket, &head, sizeof head) || head.bytes > Hdf5Message::kMaxBytes) return std::nullopt;
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
      const std::size_t wanted = std::min<std::size_t>(count - done, Hdf5Message::kMaxBytes);
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
      return refusal(error.code(), error.what());
    } catch (const std::bad_alloc&) {
      return refusal(ErrorCode::data, "damaged or too complex (libhdf5 takes too much memory)");
    }
  }
  static Hdf5Message refusal(ErrorCode failure, const std::string& reason) {
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
