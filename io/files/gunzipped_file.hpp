#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// Inflates a member of gzip (RFC 1952) or a stream of zlib (RFC 1950), piece by piece, and checks the
/// header, the checksum and the length.
class Inflater {
 public:
  enum class State { inside, at_end, damaged };
  struct Progress {
    std::ptrdiff_t taken;  // of the input; negative if earlier calls took too much
    std::size_t made;
    State state;
  };

  virtual ~Inflater() = default;

  /// Returns an inflater that continues from the same position.
  virtual std::unique_ptr<Inflater> copy() const = 0;
  /// Inflates as much of `in` as fits into `out`; both are below 4 GiB. Throws std::bad_alloc.
  virtual Progress inflate(std::span<const unsigned char> in, std::span<unsigned char> out) = 0;
  /// Begins the next member.
  virtual void begin_member() = 0;
  /// Describes the damage in a few words.
  virtual std::string damage() const = 0;
};

/// Returns an inflater of zlib, whose messages describe damage. Throws std::bad_alloc.
std::unique_ptr<Inflater> make_zlib_inflater();
constexpr std::int64_t kZlibInflaterBytes = 48 << 10;

/// Returns an inflater of ISA-L, three times as fast, of gzip if `is_gzip` and else of zlib; null in a build
/// without ISA-L. Unlike zlib, it accepts incomplete codes of which no missing code occurs. Throws
/// std::bad_alloc.
std::unique_ptr<Inflater> make_fast_inflater(bool is_gzip);
/// Returns the memory of an inflater of ISA-L; 0 in a build without it.
std::int64_t fast_inflater_bytes();
/// Returns the version of ISA-L; empty in a build without it.
std::string fast_inflater_version();

/// Stream of the content of a gzip file (RFC 1952) with one or several members, or of zlib data (RFC 1950),
/// from an offset of a file. A copy continues from the same position.
class GunzipStream {
 public:
  /// If little of the content is needed, pass `is_long` = false: zlib then decompresses no more than that,
  /// while ISA-L reads ahead.
  explicit GunzipStream(const InputFile& file, std::uint64_t offset = 0, bool is_long = true);
  GunzipStream(const GunzipStream& other);
  GunzipStream& operator=(const GunzipStream&) = delete;

  /// Return the memory of a stream that is read, and of a copy that is not.
  static std::int64_t bytes() { return bytes_of_copy() + std::int64_t{kPiece}; }
  static std::int64_t bytes_of_copy() { return std::max(kZlibInflaterBytes, fast_inflater_bytes()); }

  std::uint64_t position() const { return position_; }
  /// Returns whether zlib decompresses it, also after ISA-L rejected it.
  bool is_by_zlib() const { return is_by_zlib_; }
  /// Returns whether a gzip member follows. Other data is not read, as in gzip.
  bool starts_member() const;
  /// Returns whether the file continues after the bytes read.
  bool is_followed() const { return here() < file_.size(); }
  /// Copies the next `count` bytes, fewer only at the end, and returns how many. Throws Error (data, io).
  std::size_t read(void* out, std::size_t count);
  std::uint64_t skip(std::uint64_t count);

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  /// Returns the offset in the file of the first unused byte.
  std::uint64_t here() const { return next_ - (filled_ - used_); }
  void go_to(std::uint64_t here);
  bool refill();
  void begin_member();
  void refuse(const std::string& reason);

  const InputFile& file_;
  std::uint64_t offset_;
  std::unique_ptr<Inflater> inflater_;
  bool is_by_zlib_;
  std::vector<unsigned char> stored_;  // bytes read from the file
  std::size_t filled_ = 0, used_ = 0;  // bytes of stored_
  std::uint64_t next_;                 // offset after them
  std::uint64_t position_ = 0;
  bool ended_ = false;
};

bool is_gzip(const InputFile& file);

/// Streams of the content of a file that several images are read from. An image continues where another has
/// ended. Thread-safe.
class IdleStreams {
 public:
  explicit IdleStreams(std::shared_ptr<const InputFile> file) : file_(std::move(file)) {}

  const std::shared_ptr<const InputFile>& file() const { return file_; }
  /// Takes the stream that is the furthest of those at positions [least, most]; null if there is none.
  std::unique_ptr<GunzipStream> take(std::uint64_t least, std::uint64_t most);
  /// Keeps a stream, and not more than a few of those that are the furthest.
  void give_back(std::unique_ptr<GunzipStream> stream);

  /// Returns whether the content up to this position, or all of it, is known to be valid.
  bool is_valid(std::uint64_t end) const { return end <= valid_; }
  void add_valid(std::uint64_t end);

 private:
  const std::shared_ptr<const InputFile> file_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<GunzipStream>> streams_;  // in ascending order
  std::atomic<std::uint64_t> valid_ = 0;
};

/// Content of a file that is compressed by gzip, or by gzip or zlib from some offset, for one image in it.
/// It is a stream with restart points or, if that is faster and fits in memory, decompressed on first access.
class GunzippedFile final : public ByteSource {
 public:
  explicit GunzippedFile(std::shared_ptr<const InputFile> file, std::uint64_t offset = 0)
      : streams_(std::make_shared<IdleStreams>(std::move(file))), offset_(offset) {}

  /// Returns the number of compressed bytes.
  std::uint64_t stored_bytes() const { return file().size() - std::min(file().size(), offset_); }

  /// Returns the checksum of the content, which reading compares: that of gzip or of zlib.
  const char* checksum() const;
  /// Decompresses only the first bytes.
  std::size_t read_start(void* out, std::size_t count) const;
  /// Announces the number of bytes to read from the start, and whether they are read once in order. Call it
  /// before read_at(). May use a quarter of `memory`. If more bytes follow, the thread that reads the last
  /// one calls `on_more`, unless it is null.
  void expect(std::uint64_t end, std::int64_t memory, bool in_order, std::function<void()> on_more = nullptr);
  /// Announces instead that only bytes from `begin` on are read, because others belong to other images of the
  /// file. Uses their streams if these are kept.
  void expect_part(std::uint64_t begin, std::uint64_t end, std::int64_t memory, bool in_order,
                   const std::shared_ptr<KeptInputs>& kept, std::function<void()> on_more = nullptr);
  /// Returns the memory of read_at() from its first call on.
  std::int64_t held_bytes() const;
  bool is_streamed() const { return streamed_; }
  std::size_t read_at(std::uint64_t offset, void* out, std::size_t count) const override;

 private:
  const InputFile& file() const { return *streams_->file(); }
  std::int64_t bytes_to_hold() const;
  void hold_all() const;
  std::unique_ptr<GunzipStream> stream_before(std::uint64_t offset) const;
  void check_end(std::unique_ptr<GunzipStream> stream) const;
  bool inflate_at_once() const;
  void look_behind(std::uint64_t offset) const;
  std::size_t stream_at(std::uint64_t offset, void* out, std::size_t count) const;
  void go_to(std::uint64_t offset) const;

  std::shared_ptr<IdleStreams> streams_;
  std::uint64_t offset_;
  std::uint64_t begin_ = 0, expected_ = 0;  // bytes that are read
  bool is_part_ = false;
  bool streamed_ = true;
  std::size_t most_places_ = 0;
  std::function<void()> on_more_;

  mutable std::once_flag is_held_;
  mutable std::unique_ptr<std::byte[]> held_;  // not cleared before it is written
  mutable std::size_t held_size_ = 0;

  mutable std::mutex lock_;  // of what follows
  mutable std::unique_ptr<GunzipStream> stream_;
  mutable std::vector<GunzipStream> places_;  // in ascending order
};

}  // namespace gpuccl::io
