#include "io/files/gunzipped_file.hpp"

#include <fmt/core.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "gpuccl/detail/system.hpp"
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
  if (is_by_zlib_) throw Error(ErrorCode::data, reason);
  inflater_ = make_zlib_inflater();
  is_by_zlib_ = true;
  go_to(offset_);
  ended_ = false;
  skip(std::exchange(position_, 0));
}

std::size_t GunzipStream::read(void* out, std::size_t count) {
  constexpr std::size_t kMax = std::size_t{1} << 30;  // that an inflater makes at once
  auto* const to = static_cast<unsigned char*>(out);
  std::size_t done = 0;
  while (done < count && !ended_) {
    const bool is_all = used_ == filled_ && !refill();  // which may not be all that comes out
    const Inflater::Progress progress = inflater_->inflate({stored_.data() + used_, filled_ - used_},
                                                           {to + done, std::min(count - done, kMax)});
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

namespace {

constexpr std::int64_t kMaxPlaces = 64;
constexpr std::uint64_t kMinStep = std::uint64_t{8} << 20;    // from one place to the next
constexpr std::uint64_t kMinStream = std::uint64_t{1} << 20;  // less is inflated faster at once

}  // namespace

bool is_gzip(const InputFile& file) {
  constexpr std::size_t kMinFile = 18;  // header and trailer
  unsigned char start[2];
  return file.size() >= kMinFile && file.read_at(0, start, sizeof start) == sizeof start &&
         start[0] == 0x1f && start[1] == 0x8b;
}

std::unique_ptr<GunzipStream> IdleStreams::take(std::uint64_t least, std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  const auto after = std::upper_bound(
      streams_.begin(), streams_.end(), most,
      [](std::uint64_t position, const auto& stream) { return position < stream->position(); });
  if (after == streams_.begin() || (*std::prev(after))->position() < least) return nullptr;
  std::unique_ptr<GunzipStream> found = std::move(*std::prev(after));
  streams_.erase(std::prev(after));
  return found;
}

void IdleStreams::give_back(std::unique_ptr<GunzipStream> stream) {
  constexpr std::size_t kMax = 32;
  const std::lock_guard lock(mutex_);
  const auto place = std::upper_bound(
      streams_.begin(), streams_.end(), stream->position(),
      [](std::uint64_t position, const auto& other) { return position < other->position(); });
  streams_.insert(place, std::move(stream));
  if (streams_.size() > kMax) streams_.erase(streams_.begin());
}

void IdleStreams::add_valid(std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  valid_ = std::max<std::uint64_t>(valid_, end);
}

const char* GunzippedFile::checksum() const {
  unsigned char first = 0;
  return file().read_at(offset_, &first, 1) == 1 && first == 0x1f ? "CRC-32" : "Adler-32";
}

std::size_t GunzippedFile::read_start(void* out, std::size_t count) const {
  return GunzipStream(file(), offset_, false).read(out, count);
}

void GunzippedFile::expect(std::uint64_t end, std::int64_t memory, bool in_order,
                           std::function<void()> on_more) {
  on_more_ = std::move(on_more);
  expected_ = end;
  const std::uint64_t bytes = end - begin_;
  const double both = static_cast<double>(bytes) + static_cast<double>(bytes_to_hold());
  // A fast stream is packed to bits while it is in the cache. Most of the memory is left to others.
  const bool streams_well = in_order && bytes >= kMinStream && fast_inflater_bytes() > 0;
  streamed_ = streams_well || both > static_cast<double>(memory) / 4;
  most_places_ = static_cast<std::size_t>(std::min(kMaxPlaces, memory / 32 / GunzipStream::bytes_of_copy()));
}

void GunzippedFile::expect_part(std::uint64_t begin, std::uint64_t end, std::int64_t memory, bool in_order,
                                const std::shared_ptr<KeptInputs>& kept, std::function<void()> on_more) {
  begin_ = begin;
  is_part_ = true;
  // Samples of a detached header have no path of their own.
  struct stat status {};
  if (file().descriptor() >= 0 && ::fstat(file().descriptor(), &status) == 0)
    streams_ = KeptInputs::get<IdleStreams>(
        kept, fmt::format("{} {} {}", status.st_dev, status.st_ino, offset_), [&] { return streams_; });
  expect(end, memory, in_order, std::move(on_more));
}

std::int64_t GunzippedFile::held_bytes() const {
  return streamed_ ? (is_part_ ? bytes_to_hold() : GunzipStream::bytes()) +
                         static_cast<std::int64_t>(most_places_) * GunzipStream::bytes_of_copy()
                   : static_cast<std::int64_t>(expected_ - begin_) + bytes_to_hold();
}

/// Returns the memory of hold_all() in addition to what it holds: two streams, or the compressed bytes.
std::int64_t GunzippedFile::bytes_to_hold() const {
  return is_part_ ? 2 * GunzipStream::bytes() : static_cast<std::int64_t>(stored_bytes());
}

std::size_t GunzippedFile::read_at(std::uint64_t offset, void* out, std::size_t count) const {
  if (streamed_) return stream_at(offset, out, count);
  std::call_once(is_held_, [this] { hold_all(); });
  offset -= begin_;
  if (offset >= held_size_) return 0;
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, held_size_ - offset));
  std::memcpy(out, held_.get() + offset, count);
  return count;
}

void GunzippedFile::hold_all() const {
  held_size_ = static_cast<std::size_t>(expected_ - begin_);
  held_ = make_large_for_overwrite<std::byte>(held_size_);
  if (!is_part_ && inflate_at_once()) return;
  // A part, damaged, or longer than its header specifies: the stream knows which.
  std::unique_ptr<GunzipStream> stream = stream_before(begin_);
  stream->skip(begin_ - stream->position());
  held_size_ = stream->read(held_.get(), held_size_);
  check_end(std::move(stream));
}

/// Returns a stream at this position or before it.
std::unique_ptr<GunzipStream> GunzippedFile::stream_before(std::uint64_t offset) const {
  std::unique_ptr<GunzipStream> idle = streams_->take(0, offset);
  return idle ? std::move(idle) : std::make_unique<GunzipStream>(file(), offset_);
}

/// The checksum follows the last byte. Reads at most 1 MiB of unexpected data after the samples. If these are
/// of other images, another stream reads them, once for all images.
void GunzippedFile::check_end(std::unique_ptr<GunzipStream> stream) const {
  constexpr std::uint64_t kMaxUnexpected = 1 << 20;
  const std::uint64_t end = stream->position(), most = end + kMaxUnexpected;
  if (is_part_) {
    const bool is_valid = streams_->is_valid(most) && !on_more_;
    std::unique_ptr<GunzipStream> ahead = is_valid ? nullptr : streams_->take(end, most);
    if (!is_valid && !ahead) ahead = std::make_unique<GunzipStream>(*stream);
    streams_->give_back(std::move(stream));
    if (is_valid) return;
    stream = std::move(ahead);
  }
  stream->skip(most - stream->position());
  const bool is_at_end = stream->position() < most;
  if ((stream->position() > end || stream->is_followed()) && on_more_) on_more_();
  if (!is_part_) return;
  streams_->add_valid(is_at_end ? std::numeric_limits<std::uint64_t>::max() : most);
  streams_->give_back(std::move(stream));
}

/// Reports content after the expected bytes, which end at `offset` of the stored ones.
void GunzippedFile::look_behind(std::uint64_t offset) const {
  if (offset == stored_bytes()) return;
  if (auto more = std::make_unique<GunzipStream>(file(), offset_ + offset); more->starts_member()) {
    check_end(std::move(more));
  } else if (on_more_) {
    on_more_();
  }
}

bool GunzippedFile::inflate_at_once() const {
  const auto most = static_cast<std::size_t>(stored_bytes());
  const auto stored = make_large_for_overwrite<std::byte>(most);
  const std::size_t size = file().read_at(offset_, stored.get(), most);
  const bool is_gzip = size > 1 && stored[0] == std::byte{0x1f} && stored[1] == std::byte{0x8b};
  const auto decompress = is_gzip ? libdeflate_gzip_decompress_ex : libdeflate_zlib_decompress_ex;
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  for (std::size_t from = 0, to = 0; to < held_size_;) {  // a member at a time
    std::size_t used = 0, made = 0;
    if (decompress(decompressor.get(), stored.get() + from, size - from, held_.get() + to, held_size_ - to,
                   &used, &made) != LIBDEFLATE_SUCCESS)
      return false;
    from += used;
    to += made;
    if ((from == size || !is_gzip) && to < held_size_) return false;  // of zlib there is one
    if (to == held_size_) look_behind(from);
  }
  return true;
}

std::size_t GunzippedFile::stream_at(std::uint64_t offset, void* out, std::size_t count) const {
  const std::lock_guard lock(lock_);
  try {
    go_to(offset);
    if (stream_->position() < offset) return 0;
    const std::size_t got = stream_->read(out, count);
    if (stream_->position() >= expected_) check_end(std::move(stream_));
    return got;
  } catch (...) {
    stream_.reset();
    throw;
  }
}

void GunzippedFile::go_to(std::uint64_t offset) const {
  if (!stream_ || stream_->position() > offset) {
    const auto after = std::find_if(places_.begin(), places_.end(),
                                    [=](const GunzipStream& place) { return place.position() > offset; });
    stream_ =
        after == places_.begin() ? stream_before(offset) : std::make_unique<GunzipStream>(*std::prev(after));
  }
  const std::uint64_t step = std::max(kMinStep, expected_ / std::max<std::uint64_t>(1, most_places_));
  for (;;) {
    const std::uint64_t here = stream_->position();
    const std::uint64_t last = places_.empty() ? 0 : places_.back().position();
    if (here >= last + step && places_.size() < most_places_) places_.push_back(*stream_);
    if (here >= offset || stream_->skip(std::min(step, offset - here)) == 0) return;
  }
}

namespace {

class ZlibInflater final : public Inflater {
 public:
  ZlibInflater() {
    constexpr int kAnyHeader = 32;  // added to the bits of the window: gzip or zlib
    if (inflateInit2(&stream_, MAX_WBITS + kAnyHeader) != Z_OK) throw std::bad_alloc();
  }
  ZlibInflater(const ZlibInflater& other) : Inflater() {
    if (inflateCopy(&stream_, const_cast<z_stream*>(&other.stream_)) != Z_OK) throw std::bad_alloc();
  }
  ZlibInflater& operator=(const ZlibInflater&) = delete;
  ~ZlibInflater() override { inflateEnd(&stream_); }

  std::unique_ptr<Inflater> copy() const override { return std::make_unique<ZlibInflater>(*this); }
  void begin_member() override { inflateReset(&stream_); }
  std::string damage() const override { return stream_.msg != nullptr ? stream_.msg : "no valid data"; }

  Progress inflate(std::span<const unsigned char> in, std::span<unsigned char> out) override {
    stream_.next_in = const_cast<unsigned char*>(in.data());
    stream_.avail_in = static_cast<unsigned>(in.size());
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<unsigned>(out.size());
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    return {stream_.next_in - in.data(), static_cast<std::size_t>(stream_.next_out - out.data()),
            status == Z_STREAM_END                    ? State::at_end
            : status == Z_OK || status == Z_BUF_ERROR ? State::inside
                                                      : State::damaged};
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Inflater> make_zlib_inflater() { return std::make_unique<ZlibInflater>(); }

}  // namespace gpuccl::io
