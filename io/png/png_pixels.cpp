#include "io/png/png_pixels.hpp"

#include <libdeflate.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace gpuccl::io {
namespace {

void restore_up(std::size_t bytes, const std::uint8_t* above, std::uint8_t* row) {
  constexpr std::size_t kBlock = 64;  // a number that compilers know makes a loop of vectors
  std::size_t i = 0;
  for (; i + kBlock <= bytes; i += kBlock) {
    std::uint8_t sum[kBlock];
    std::memcpy(sum, row + i, kBlock);
    for (std::size_t k = 0; k < kBlock; ++k) sum[k] = static_cast<std::uint8_t>(sum[k] + above[i + k]);
    std::memcpy(row + i, sum, kBlock);
  }
  for (; i < bytes; ++i) row[i] = static_cast<std::uint8_t>(row[i] + above[i]);
}

/// Returns the one of `left`, `above` and `corner` that is nearest to left + above - corner.
int paeth(int left, int above, int corner) {
  const int to_left = std::abs(above - corner);
  const int to_above = std::abs(left - corner);
  const int to_corner = std::abs(left + above - 2 * corner);
  const int nearer = to_above <= to_corner ? above : corner;
  return to_left <= to_above && to_left <= to_corner ? left : nearer;
}

/// Adds predict(left, above, corner) to every byte; those outside of the image are 0.
template <std::size_t pixel, class Predict>
void restore(std::size_t bytes, const std::uint8_t* above, std::uint8_t* row, Predict predict) {
  int left[pixel] = {}, corner[pixel] = {};
  for (std::size_t i = 0; i < bytes; i += pixel)
    for (std::size_t k = 0; k < pixel; ++k) {
      const int up = above != nullptr ? above[i + k] : 0;
      const auto restored = static_cast<std::uint8_t>(row[i + k] + predict(left[k], up, corner[k]));
      row[i + k] = restored;
      left[k] = restored;
      corner[k] = up;
    }
}

template <std::size_t pixel>
void restore_row(PngFilter filter, std::size_t bytes, const std::uint8_t* above, std::uint8_t* row) {
  switch (filter) {
    case PngFilter::none:
      return;
    case PngFilter::sub:
      return restore<pixel>(bytes, nullptr, row, [](int left, int, int) { return left; });
    case PngFilter::up:
      if (above != nullptr) restore_up(bytes, above, row);
      return;
    case PngFilter::average:
      return restore<pixel>(bytes, above, row, [](int left, int up, int) { return (left + up) / 2; });
    case PngFilter::paeth:
      return restore<pixel>(bytes, above, row, paeth);
  }
}

}  // namespace

void restore_row(PngFilter filter, std::size_t pixel_bytes, std::size_t bytes, const std::uint8_t* above,
                 std::uint8_t* row) {
  switch (pixel_bytes) {
    case 1:
      return restore_row<1>(filter, bytes, above, row);
    case 2:
      return restore_row<2>(filter, bytes, above, row);
    case 3:
      return restore_row<3>(filter, bytes, above, row);
    case 4:
      return restore_row<4>(filter, bytes, above, row);
    case 6:
      return restore_row<6>(filter, bytes, above, row);
    default:
      return restore_row<8>(filter, bytes, above, row);
  }
}

namespace {

constexpr std::size_t kHead = 8, kChecksum = 4;  // bytes around those of a chunk

std::unique_ptr<std::byte[]> allocate(std::size_t bytes) {
  return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes]);
}

std::uint32_t read_big_endian(const std::byte* bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}

/// Concatenated contents of the IDAT chunks.
struct ZlibStream {
  std::unique_ptr<std::byte[]> data;
  std::size_t bytes = 0;
};

/// Returns the maximum of bytes after the header, unless there is much other data or chunks have a few bytes.
std::uint64_t most_stored(const PngLayout& layout) {
  return layout.bytes() + layout.bytes() / 8 + PngDecoder::kMaxChunkBytes;
}

/// Collects the IDAT chunks, and checks their order and that of the chunks after them.
std::optional<ZlibStream> collect(const InputFile& file, std::uint64_t offset, const PngLayout& layout) {
  if (offset >= file.size() || file.size() - offset > most_stored(layout)) return std::nullopt;
  const auto size = static_cast<std::size_t>(file.size() - offset);
  ZlibStream stream{allocate(size), 0};
  std::byte* const data = stream.data.get();
  if (data == nullptr || file.read_at(offset, data, size) != size) return std::nullopt;

  bool is_over = false;
  for (std::size_t at = 0; size - at >= kHead + kChecksum;) {
    const std::size_t length = read_big_endian(data + at);
    if (length > size - at - kHead - kChecksum) return std::nullopt;
    const std::byte* const checksum = data + at + kHead + length;
    if (libdeflate_crc32(0, data + at + 4, length + 4) != read_big_endian(checksum)) return std::nullopt;
    const std::string_view type(reinterpret_cast<const char*>(data + at + 4), 4);
    if (type == "IDAT") {
      if (is_over || length > std::max(PngDecoder::kMaxChunkBytes, layout.bytes())) return std::nullopt;
      std::memmove(data + stream.bytes, data + at + kHead, length);
      stream.bytes += length;
    } else if (type == "IEND") {
      if (length != 0) return std::nullopt;
      return stream;
    } else {
      if (!PngDecoder::is_ignored(type) || length > PngDecoder::kMaxChunkBytes) return std::nullopt;
      is_over = true;
    }
    at += kHead + length + kChecksum;
  }
  return std::nullopt;
}

/// Returns whether no match can exceed the window that the stream declares. zlib rejects such matches;
/// libdeflate does not check them.
bool is_within_window(const ZlibStream& stream, std::size_t bytes) {
  if (stream.bytes == 0) return false;
  constexpr unsigned kLargest = 7;
  const unsigned window = std::to_integer<unsigned>(stream.data[0]) >> 4;
  return window == kLargest || bytes <= std::size_t{256} << window;
}

/// Inflates exactly `bytes` bytes. libdeflate reads codes 286 and 287, which RFC 1951 excludes, as lengths of
/// 258. A stream with them is accepted if its checksum is right.
bool inflate_exactly(const ZlibStream& stream, std::byte* out, std::size_t bytes) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflater(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  std::size_t taken = 0, made = 0;
  return inflater != nullptr &&
         libdeflate_zlib_decompress_ex(inflater.get(), stream.data.get(), stream.bytes, out, bytes, &taken,
                                       &made) == LIBDEFLATE_SUCCESS &&
         taken == stream.bytes && made == bytes;
}

}  // namespace

std::uint64_t PngPixels::most_bytes(const InputFile& file, const PngLayout& layout) {
  return layout.bytes() + std::min(file.size(), most_stored(layout));
}

std::optional<PngPixels> PngPixels::inflate(const InputFile& file, std::uint64_t offset,
                                            const PngLayout& layout) {
  const std::optional<ZlibStream> stream = collect(file, offset, layout);
  if (!stream || !is_within_window(*stream, layout.bytes())) return std::nullopt;
  PngPixels pixels(layout, allocate(layout.bytes()));
  if (pixels.data_ == nullptr || !inflate_exactly(*stream, pixels.data_.get(), layout.bytes()))
    return std::nullopt;
  for (std::size_t row = 0; row < layout.height; ++row)
    if (pixels.filter(row) > PngFilter::paeth) return std::nullopt;
  return pixels;
}

void PngPixels::restore(std::size_t begin, std::size_t end) {
  for (std::size_t y = begin; y < end; ++y) {
    const auto* above = y > 0 ? reinterpret_cast<const std::uint8_t*>(row(y - 1)) : nullptr;
    restore_row(filter(y), layout_.pixel_bytes, layout_.row_bytes, above,
                reinterpret_cast<std::uint8_t*>(row(y)));
  }
}

void PngPixels::forget(std::size_t begin, std::size_t end) {
  constexpr std::size_t kWorthIt = std::size_t{1} << 20;
  if (layout_.bytes() < kWorthIt) return;
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  const auto first =
      reinterpret_cast<std::uintptr_t>(data_.get() + begin * layout_.pitch() + page - 1) / page;
  const auto last = reinterpret_cast<std::uintptr_t>(data_.get() + end * layout_.pitch()) / page;
  if (first < last) madvise(reinterpret_cast<void*>(first * page), (last - first) * page, MADV_DONTNEED);
}

/// Chunks that are ignored; some of them can decompress to gigabytes. What stays is PLTE, tRNS and
/// pHYs.
constexpr png_byte kIgnoredChunks[] =
    "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME\0zTXt";
constexpr int kIgnoredCount = sizeof kIgnoredChunks / 5;

bool PngDecoder::is_ignored(std::string_view type) {
  for (int i = 0; i < kIgnoredCount; ++i)
    if (type == reinterpret_cast<const char*>(kIgnoredChunks + i * 5)) return true;
  return false;
}

PngDecoder::PngDecoder(const InputFile& file) : file_(file) {
  png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
  if (png_ == nullptr) throw std::bad_alloc();
  info_ = png_create_info_struct(png_);
  if (info_ == nullptr) {
    png_destroy_read_struct(&png_, nullptr, nullptr);
    throw std::bad_alloc();
  }
  png_set_read_fn(png_, this, on_read);
  png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // the caller has limits, and better messages
  png_set_chunk_malloc_max(png_, kMaxChunkBytes);
  png_set_chunk_cache_max(png_, 128);
  png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
  png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, kIgnoredChunks, kIgnoredCount);
}

PngDecoder::~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }

void PngDecoder::read_header() {
  guarded([this] { png_read_info(png_, info_); });
}

int PngDecoder::start_rows() {
  int passes = 1;
  guarded([this, &passes] {
    if (png_get_bit_depth(png_, info_) == 16) png_set_swap(png_);
    passes = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  });
  return passes;
}

void PngDecoder::read_row(std::byte* row) {
  guarded([this, row] { png_read_row(png_, reinterpret_cast<png_bytep>(row), nullptr); });
}

void PngDecoder::finish() {
  guarded([this] {
    png_set_benign_errors(png_, 0);
    png_set_check_for_invalid_index(png_, 0);
    png_read_end(png_, nullptr);
  });
}

void PngDecoder::fail() const {
  if (read_failure_) throw *read_failure_;
  const char* message = message_[0] != '\0' ? message_.data() : "damaged";
  // libpng and zlib report it only by text: "Out of memory", "insufficient memory".
  if (std::strstr(message, " memory") != nullptr)
    throw Error(ErrorCode::memory, "not enough memory to read it");
  throw Error(ErrorCode::data, std::string("not a valid PNG (") + message + ")");
}

void PngDecoder::on_error(png_structp png, png_const_charp message) {
  auto& self = *static_cast<PngDecoder*>(png_get_error_ptr(png));
  std::strncpy(self.message_.data(), message, self.message_.size() - 1);
  png_longjmp(png, 1);
}

/// Makes an error of some warnings: libpng only warns if the checksum of the image is wrong or missing.
void PngDecoder::on_warning(png_structp png, png_const_charp message) {
  constexpr std::string_view kOfImage = "IDAT: ";
  const std::string_view said = message;
  const bool is_surplus = said.ends_with("Extra compressed data") || said.ends_with("Too much image data");
  if (said.starts_with(kOfImage) && !is_surplus) on_error(png, message);
  auto& self = *static_cast<PngDecoder*>(png_get_error_ptr(png));
  if (self.warning_[0] == '\0') std::strncpy(self.warning_.data(), message, self.warning_.size() - 1);
}

void PngDecoder::on_read(png_structp png, png_bytep out, png_size_t count) {
  auto& self = *static_cast<PngDecoder*>(png_get_io_ptr(png));
  if (!self.copy(reinterpret_cast<std::byte*>(out), count)) png_error(png, "the file is truncated");
}

/// Returns false at the end of the file, and on a failure to read, which read_failure_ contains.
bool PngDecoder::copy(std::byte* out, std::size_t count) {
  while (count > 0) {
    if (begin_ == end_) {
      try {
        end_ = file_.read_at(offset_, buffer_.data(), buffer_.size());
      } catch (const Error& failure) {
        read_failure_ = failure;
        return false;
      }
      begin_ = 0;
      offset_ += end_;
      if (end_ == 0) return false;
    }
    const std::size_t piece = std::min(count, end_ - begin_);
    std::memcpy(out, buffer_.data() + begin_, piece);
    begin_ += piece;
    out += piece;
    count -= piece;
  }
  return true;
}

}  // namespace gpuccl::io
