#include "io/files/gunzip_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "gpuccl/error.hpp"

namespace gpuccl::io {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr int kAnyHeader = 32;  // beside the bits of the window: of gzip or of zlib

}  // namespace

GunzipStream::GunzipStream(const InputFile& file, std::uint64_t offset)
    : file_(file), stream_(std::make_unique<z_stream>()), next_(offset) {
  if (inflateInit2(stream_.get(), MAX_WBITS + kAnyHeader) != Z_OK) throw std::bad_alloc();
}

GunzipStream::GunzipStream(const GunzipStream& other)
    : file_(other.file_),
      stream_(std::make_unique<z_stream>()),
      next_(other.next_ - other.stream_->avail_in),
      position_(other.position_),
      ended_(other.ended_) {
  if (inflateCopy(stream_.get(), other.stream_.get()) != Z_OK) throw std::bad_alloc();
  stream_->next_in = nullptr;
  stream_->avail_in = 0;
}

GunzipStream::~GunzipStream() { inflateEnd(stream_.get()); }

bool GunzipStream::refill() {
  stored_.resize(kPiece);
  const std::size_t got = file_.read_at(next_, stored_.data(), stored_.size());
  next_ += got;
  stream_->next_in = stored_.data();
  stream_->avail_in = static_cast<unsigned>(got);
  return got > 0;
}

bool GunzipStream::starts_member() const {
  unsigned char start[2];
  const std::uint64_t here = next_ - stream_->avail_in;
  return file_.read_at(here, start, sizeof start) == sizeof start && start[0] == 0x1f && start[1] == 0x8b;
}

bool GunzipStream::is_followed() const { return next_ - stream_->avail_in < file_.size(); }

std::size_t GunzipStream::read(void* out, std::size_t count) {
  auto* to = static_cast<unsigned char*>(out);
  std::size_t done = 0;
  while (done < count && !ended_) {
    if (stream_->avail_in == 0 && !refill()) throw Error(Failure::data, "the compressed samples end early");
    const std::size_t most = std::min<std::size_t>(count - done, std::numeric_limits<unsigned>::max());
    stream_->next_out = to + done;
    stream_->avail_out = static_cast<unsigned>(most);
    const int status = inflate(stream_.get(), Z_NO_FLUSH);
    done += most - stream_->avail_out;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      ended_ = !starts_member();
      if (!ended_) inflateReset(stream_.get());
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw Error(Failure::data, std::string("damaged (Deflate: ") +
                                     (stream_->msg != nullptr ? stream_->msg : "no valid data") + ")");
    }
  }
  position_ += done;
  return done;
}

std::uint64_t GunzipStream::skip(std::uint64_t count) {
  std::vector<unsigned char> nowhere(static_cast<std::size_t>(std::min<std::uint64_t>(count, kPiece)));
  std::uint64_t done = 0;
  while (done < count) {
    const std::size_t got =
        read(nowhere.data(), static_cast<std::size_t>(std::min<std::uint64_t>(count - done, nowhere.size())));
    if (got == 0) break;
    done += got;
  }
  return done;
}

}  // namespace gpuccl::io
