#include "io/tiff/tiff_handle.hpp"

#include <algorithm>

#include "io/tiff/tiff_stream.hpp"

namespace gpuccl::io {
namespace {

/// In libtiff's words for what TIFFOpenOptionsSetMaxSingleMemAlloc refuses.
constexpr const char* kBeyondLimit = "byte limit defined in open options";
/// The largest tags that are read whatever the limit of memory: descriptions of OME with a line for each of
/// many thousand planes, and palettes of 16 bits.
constexpr std::int64_t kTagBytes = std::int64_t{16} << 20;

}  // namespace

TiffHandle::TiffHandle(std::shared_ptr<const InputFile> file, std::int64_t max_bytes)
    : stream_{std::move(file), 0, false, {}},
      limit_(std::max(max_bytes, kTagBytes)),
      tags_may_need_more_(static_cast<std::uint64_t>(limit_) < stream_.file->size()) {
  const TiffClient client{"rm",        &stream_,     read_stream,   write_stream,
                          seek_stream, close_stream, size_of_stream};
  errno = 0;
  tiff_ = open_tiff(client, messages_, limit_);
  if (tiff_ == nullptr) {
    require_whole();
    if (!has_error()) messages_.error = "no page";
    fail("not a valid TIFF");
  }
  first_directory_ = TIFFCurrentDirOffset(tiff_);
}

TiffHandle::~TiffHandle() { close_tiff(tiff_, messages_); }

// A tag that claims more than the file can contain is broken; other claims may be true.
void TiffHandle::fail(const std::string& reason) const { fail(reason, tags_may_need_more_); }

void TiffHandle::fail_decoding(const std::string& reason) const { fail(reason, true); }

void TiffHandle::fail(const std::string& reason, bool may_need_more) const {
  if (stream_.read_failure) throw *stream_.read_failure;
  const std::string& words = has_error() ? messages_.error : messages_.warning;
  if (messages_.out_of_memory) throw Error(Failure::memory, "out of memory (" + words + ")");
  if (may_need_more && words.find(kBeyondLimit) != std::string::npos)
    throw Error(Failure::memory, "needs more memory than the limit (" + words + ")");
  throw Error(Failure::data, words.empty() ? reason : reason + " (" + words + ")");
}

void TiffHandle::require_whole() const {
  if (stream_.read_failure) throw *stream_.read_failure;
  if (stream_.at_end) throw Error(Failure::data, "the file is truncated");
}

std::string TiffHandle::text(ttag_t tag) const {
  const char* value = nullptr;
  return TIFFGetField(tiff_, tag, &value) == 1 && value != nullptr ? value : "";
}

std::uint16_t TiffHandle::stored_number(ttag_t tag, std::uint16_t otherwise) const {
  const TIFFField* field = TIFFFindField(tiff_, tag, TIFF_ANY);
  if (field == nullptr || TIFFFieldIsAnonymous(field) == 0) return otherwise;
  const bool big = TIFFIsBigTIFF(tiff_) != 0;
  const auto number = [this](std::uint64_t offset, int bytes) {
    std::uint64_t value = 0;
    std::uint8_t stored[8] = {};
    stream_.file->read_at(offset, stored, static_cast<std::size_t>(bytes));
    const bool big_endian = TIFFIsBigEndian(tiff_) != 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | stored[big_endian ? i : bytes - 1 - i];
    return value;
  };
  const std::uint64_t directory = TIFFCurrentDirOffset(tiff_);
  const int count_bytes = big ? 8 : 2, entry_bytes = big ? 20 : 12;
  const std::uint64_t count = std::min<std::uint64_t>(number(directory, count_bytes), 4096);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t entry =
        directory + static_cast<std::uint64_t>(count_bytes) + i * static_cast<std::uint64_t>(entry_bytes);
    if (number(entry, 2) != tag) continue;
    const bool is_short = number(entry + 2, 2) == TIFF_SHORT;
    return is_short ? static_cast<std::uint16_t>(number(entry + (big ? 12 : 8), 2)) : otherwise;
  }
  return otherwise;
}

}  // namespace gpuccl::io
