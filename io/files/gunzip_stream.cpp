#include "io/files/gunzip_stream.hpp"

#include <utility>

#include "gpuccl/types.hpp"

namespace gpuccl::io {

GunzipStream::GunzipStream(const InputFile& file, std::uint64_t offset, bool is_long)
    : file_(file), offset_(offset), next_(offset) {
  if (is_long) inflater_ = make_fast_inflater(starts_member());
  is_by_zlib_ = inflater_ == nullptr;
  if (is_by_zlib_) inflater_ = make_zlib_inflater();
}

GunzipStream::GunzipStream(const GunzipStream& other)
    : file_(other.file_),
      offset_(other.offset_),
      inflater_(other.inflater_->copy()),
      is_by_zlib_(other.is_by_zlib_),
      next_(other.here()),
      position_(other.position_),
      ended_(other.ended_) {}

void GunzipStream::go_to(std::uint64_t here) {
  next_ = here;
  filled_ = used_ = 0;
}

bool GunzipStream::refill() {
  stored_.resize(kPiece);
  const std::size_t got = file_.read_at(next_, stored_.data(), stored_.size());
  if (got == 0) return false;  // of what there was some may be given back
  filled_ = got;
  used_ = 0;
  next_ += got;
  return true;
}

bool GunzipStream::starts_member() const {
  unsigned char start[2];
  return file_.read_at(here(), start, sizeof start) == sizeof start && start[0] == 0x1f && start[1] == 0x8b;
}

/// ISA-L does not read all headers that come in two pieces.
void GunzipStream::begin_member() {
  constexpr std::size_t kHeader = 1024;
  if (filled_ - used_ < kHeader) go_to(here());
  inflater_->begin_member();
}

/// Decompresses data that other libraries reject from the start with zlib, for its messages.
void GunzipStream::refuse(const std::string& reason) {
  if (is_by_zlib_) throw Error(Failure::data, reason);
  inflater_ = make_zlib_inflater();
  is_by_zlib_ = true;
  go_to(offset_);
  ended_ = false;
  skip(std::exchange(position_, 0));
}

std::size_t GunzipStream::read(void* out, std::size_t count) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // that an inflater makes at once
  auto* const to = static_cast<unsigned char*>(out);
  std::size_t done = 0;
  while (done < count && !ended_) {
    const bool is_all = used_ == filled_ && !refill();  // which may not be all that comes out
    const Inflater::Progress progress = inflater_->inflate({stored_.data() + used_, filled_ - used_},
                                                           {to + done, std::min(count - done, kMost)});
    used_ -= std::min(used_, static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, -progress.taken)));
    used_ += static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, progress.taken));
    done += progress.made;
    position_ += progress.made;
    if (progress.state == Inflater::State::damaged) {
      refuse("damaged (Deflate: " + inflater_->damage() + ")");
    } else if (progress.state == Inflater::State::at_end) {
      ended_ = !starts_member();
      if (!ended_) begin_member();
    } else if (is_all && progress.made == 0) {
      refuse("the compressed samples end early");
    }
  }
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
