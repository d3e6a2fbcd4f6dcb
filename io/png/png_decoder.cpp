#include "io/png/png_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace gpuccl::io {
namespace {

/// Chunks that are ignored; some of them can decompress to gigabytes. What stays is PLTE, tRNS and
/// pHYs.
constexpr png_byte kIgnoredChunks[] =
    "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME\0zTXt";
constexpr int kIgnoredCount = sizeof kIgnoredChunks / 5;

}  // namespace

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
  png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // the caller has limits, and better words
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
  // libpng and zlib have no other way to say it: "Out of memory", "insufficient memory".
  if (std::strstr(message, " memory") != nullptr)
    throw Error(Failure::memory, "not enough memory to read it");
  throw Error(Failure::data, std::string("not a valid PNG (") + message + ")");
}

void PngDecoder::on_error(png_structp png, png_const_charp message) {
  auto& self = *static_cast<PngDecoder*>(png_get_error_ptr(png));
  std::strncpy(self.message_.data(), message, self.message_.size() - 1);
  png_longjmp(png, 1);
}

/// libpng only warns of a checksum of the image that is wrong or missing, once all rows are made.
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

/// False at the end of the file and when it cannot be read, which read_failure_ then tells.
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
