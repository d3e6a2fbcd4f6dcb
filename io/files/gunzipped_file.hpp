#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "io/files/byte_source.hpp"
#include "io/files/gunzip_stream.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

bool is_gzip(const InputFile& file);

/// Content of a file that is compressed by gzip, or by gzip or zlib from some offset.
/// It is a stream with restart points or, if that is faster and fits in memory, decompressed on first access,
/// in one pass or by all threads.
class GunzippedFile final : public ByteSource {
 public:
  explicit GunzippedFile(std::shared_ptr<const InputFile> file, std::uint64_t offset = 0)
      : file_(std::move(file)), offset_(offset) {}

  /// Bytes that it is compressed in.
  std::uint64_t stored_bytes() const { return file_->size() - std::min(file_->size(), offset_); }

  /// Its first bytes, decompressed alone.
  std::size_t read_start(void* out, std::size_t count) const;
  /// Says, before read_at(), how many bytes from the start will be asked for, and whether in their order and
  /// once. A quarter of `memory` may be taken. `on_more`, if not null, is called, from whatever thread reads
  /// the last of them, if more follow.
  void expect(std::uint64_t bytes, std::int64_t memory, bool in_order,
              std::function<void()> on_more = nullptr);
  /// Memory that read_at() takes from its first call on.
  std::int64_t held_bytes() const;
  bool is_streamed() const { return streamed_; }
  /// Decompresses by all threads what is not a stream. To be called, if at all, before several threads read.
  void prepare() const;
  std::size_t read_at(std::uint64_t offset, void* out, std::size_t count) const override;

 private:
  void hold_all(bool by_all_threads) const;
  void check_end(GunzipStream& stream) const;
  bool inflate_at_once(bool by_all_threads) const;
  void look_behind(std::uint64_t offset) const;
  bool may_end_with(std::uint64_t bytes) const;
  std::size_t stream_at(std::uint64_t offset, void* out, std::size_t count) const;
  void go_to(std::uint64_t offset) const;

  std::shared_ptr<const InputFile> file_;
  std::uint64_t offset_;
  std::uint64_t expected_ = 0;
  bool streamed_ = true;
  std::size_t most_places_ = 0;
  std::size_t by_threads_bytes_ = 0;  // that all threads need to inflate it; 0: one does
  std::function<void()> on_more_;

  mutable std::once_flag is_held_;
  mutable std::unique_ptr<std::byte[]> held_;  // not cleared before it is written
  mutable std::size_t held_size_ = 0;

  mutable std::mutex lock_;  // of what follows
  mutable std::unique_ptr<GunzipStream> stream_;
  mutable std::vector<GunzipStream> places_;  // in ascending order
};

}  // namespace gpuccl::io
