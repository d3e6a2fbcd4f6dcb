#include "io/tiff/tiff_handle.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace gpuccl::io {
namespace {

/// Returns a message of libtiff in one line: "module: message".
std::string tiff_message(const char* module, const char* format, va_list arguments) {
  std::array<char, 300> text;
  std::vsnprintf(text.data(), text.size(), format, arguments);
  std::string line = text.data();
  if (line.starts_with(": ")) line.erase(0, 2);  // after the name of the file, which libtiff does not know
  if (module != nullptr && *module != '\0') line = std::string(module) + ": " + line;
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  while (!line.empty() && (line.back() == '.' || line.back() == ' ')) line.pop_back();
  return line;
}

/// Returns whether an error is about a tag that libtiff calls "Tag N": private data, which no reader uses.
bool is_of_private_tag(const std::string& line) {
  for (const char* const begin : {"\"Tag ", "(Tag "})
    if (const std::size_t at = line.find(begin); at != std::string::npos)
      if (std::isdigit(static_cast<unsigned char>(line[at + std::strlen(begin)])) != 0) return true;
  return false;
}

// Callbacks through which libtiff reads a TiffStream.

tmsize_t read_stream(thandle_t handle, void* out, tmsize_t count) {
  auto& stream = *static_cast<TiffStream*>(handle);
  try {
    const std::size_t got = stream.file->read_at(stream.position, out, static_cast<std::size_t>(count));
    if (stream.position < stream.header.size())
      std::memcpy(out, stream.header.data() + stream.position,
                  std::min(got, stream.header.size() - static_cast<std::size_t>(stream.position)));
    stream.position += got;
    stream.at_end = stream.at_end || got < static_cast<std::size_t>(count);
    return static_cast<tmsize_t>(got);
  } catch (const Error& failure) {
    stream.read_failure = failure;
    return -1;
  }
}

tmsize_t write_stream(thandle_t, void*, tmsize_t) { return -1; }

toff_t seek_stream(thandle_t handle, toff_t offset, int whence) {
  auto& stream = *static_cast<TiffStream*>(handle);
  const std::uint64_t base = whence == SEEK_CUR   ? stream.position
                             : whence == SEEK_END ? stream.file->size()
                                                  : 0;
  return stream.position = base + offset;
}

int close_stream(thandle_t) { return 0; }

toff_t size_of_stream(thandle_t handle) { return static_cast<TiffStream*>(handle)->file->size(); }

int on_error(TIFF*, void* messages, const char* module, const char* format, va_list arguments) {
  static_cast<TiffMessages*>(messages)->add_error(module, format, arguments);
  return 1;
}

int on_warning(TIFF*, void* messages, const char* module, const char* format, va_list arguments) {
  static_cast<TiffMessages*>(messages)->add_warning(module, format, arguments);
  return 1;
}

}  // namespace

TIFF* open_tiff(const TiffClient& client, TiffMessages& messages, std::int64_t max_bytes) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  if (!options) throw std::bad_alloc();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), max_bytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, &messages);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, &messages);
  return TIFFClientOpenExt("", client.mode, client.handle, client.read, client.write, client.seek,
                           client.close, client.size, nullptr, nullptr, options.get());
}

void TiffMessages::add_error(const char* module, const char* format, va_list arguments) {
  if (!error.empty()) return;
  std::string line = tiff_message(module, format, arguments);
  if (errno != ENOMEM && is_of_private_tag(line)) {
    if (warning.empty()) warning = std::move(line);
    return;
  }
  out_of_memory = errno == ENOMEM;
  error = std::move(line);
}

void TiffMessages::add_warning(const char* module, const char* format, va_list arguments) {
  const std::string line = tiff_message(module, format, arguments);
  if (line.find("Unknown field with tag") != std::string::npos ||
      line.find("tags are not sorted in ascending order") != std::string::npos)
    return;
  // A last strip encoded at full height; several scans in a strip.
  const bool is_harmless = line.find("JPEG strip size exceeds expected dimensions") != std::string::npos ||
                           line.find("encoded with progressive mode") != std::string::npos;
  std::string& kept = is_harmless ? note : warning;
  if (kept.empty()) kept = line;
}

/// libtiff's text for allocations that TIFFOpenOptionsSetMaxSingleMemAlloc refuses.
constexpr const char* kBeyondLimit = "byte limit defined in open options";
/// Tags up to this size are read with any memory limit: OME descriptions with a line for each of many
/// thousand planes, and palettes of 16 bits.
constexpr std::int64_t kTagBytes = std::int64_t{16} << 20;

TiffHandle::TiffHandle(std::shared_ptr<const InputFile> file, std::int64_t max_bytes)
    : stream_{std::move(file), 0, false, {}, ""},
      limit_(std::max(max_bytes, kTagBytes)),
      tags_may_need_more_(static_cast<std::uint64_t>(limit_) < stream_.file->size()) {
  errno = 0;
  open();
  if (tiff_ == nullptr) {
    require_whole();
    if (!has_error()) messages_.error = "no page";
    fail("not a valid TIFF");
  }
  first_directory_ = TIFFCurrentDirOffset(tiff_);
}

TiffHandle::~TiffHandle() {
  if (tiff_ != nullptr) TIFFClose(tiff_);
}

void TiffHandle::open() {
  const TiffClient client{"rm",        &stream_,     read_stream,   write_stream,
                          seek_stream, close_stream, size_of_stream};
  tiff_ = open_tiff(client, messages_, limit_);
}

bool TiffHandle::go_to(std::uint64_t directory) {
  if (TIFFCurrentDirOffset(tiff_) == directory) return true;
  const bool is_big = TIFFIsBigTIFF(tiff_) != 0, is_big_endian = TIFFIsBigEndian(tiff_) != 0;
  const std::size_t bytes = is_big ? 8 : 4;  // of an offset, and before the first
  stream_.header.resize(2 * bytes);
  stream_.file->read_at(0, stream_.header.data(), bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    stream_.header[bytes + i] = static_cast<char>(directory >> 8 * (is_big_endian ? bytes - 1 - i : i));
  stream_.position = 0;
  TIFFClose(tiff_);
  open();
  return tiff_ != nullptr;
}

// A tag that claims more than the file can contain is broken; other claims may be true.
void TiffHandle::fail(const std::string& reason) const { fail(reason, tags_may_need_more_); }

void TiffHandle::fail_decoding(const std::string& reason) const { fail(reason, true); }

void TiffHandle::fail(const std::string& reason, bool may_need_more) const {
  if (stream_.read_failure) throw *stream_.read_failure;
  const std::string& words = has_error() ? messages_.error : messages_.warning;
  if (messages_.out_of_memory) throw Error(ErrorCode::memory, "out of memory (" + words + ")");
  if (may_need_more && words.find(kBeyondLimit) != std::string::npos)
    throw Error(ErrorCode::memory, "needs more memory than the limit (" + words + ")");
  throw Error(ErrorCode::data, words.empty() ? reason : reason + " (" + words + ")");
}

void TiffHandle::require_whole() const {
  if (stream_.read_failure) throw *stream_.read_failure;
  if (stream_.at_end) throw Error(ErrorCode::data, "the file is truncated");
}

std::string TiffHandle::text(ttag_t tag) const {
  const char* value = nullptr;
  return TIFFGetField(tiff_, tag, &value) == 1 && value != nullptr ? value : "";
}

std::string TiffHandle::private_text(ttag_t tag) const {
  const TIFFField* field = TIFFFindField(tiff_, tag, TIFF_ASCII);
  if (field == nullptr || TIFFFieldDataType(field) != TIFF_ASCII || TIFFFieldPassCount(field) == 0) return "";
  std::uint32_t count = 0;
  const char* value = nullptr;
  if (TIFFGetField(tiff_, tag, &count, &value) != 1 || value == nullptr) return "";
  return std::string(value, std::find(value, value + count, '\0'));
}

std::uint64_t TiffHandle::number_at(std::uint64_t offset, int bytes) const {
  std::uint64_t value = 0;
  std::uint8_t stored[8] = {};
  stream_.file->read_at(offset, stored, static_cast<std::size_t>(bytes));
  const bool big_endian = TIFFIsBigEndian(tiff_) != 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | stored[big_endian ? i : bytes - 1 - i];
  return value;
}

std::optional<StoredTag> TiffHandle::stored_tag(ttag_t tag) const {
  const TIFFField* field = TIFFFindField(tiff_, tag, TIFF_ANY);
  if (field == nullptr || TIFFFieldIsAnonymous(field) == 0) return std::nullopt;
  const bool big = TIFFIsBigTIFF(tiff_) != 0;
  const std::uint64_t directory = TIFFCurrentDirOffset(tiff_);
  const int count_bytes = big ? 8 : 2, entry_bytes = big ? 20 : 12, offset_bytes = big ? 8 : 4;
  const std::uint64_t count = std::min<std::uint64_t>(number_at(directory, count_bytes), 4096);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t entry =
        directory + static_cast<std::uint64_t>(count_bytes) + i * static_cast<std::uint64_t>(entry_bytes);
    if (number_at(entry, 2) != tag) continue;
    StoredTag found = {number_at(entry + 2, 2), number_at(entry + 4, offset_bytes),
                       entry + 4 + static_cast<std::uint64_t>(offset_bytes)};
    const auto element = static_cast<std::uint64_t>(TIFFDataWidth(static_cast<TIFFDataType>(found.type)));
    if (found.count > static_cast<std::uint64_t>(offset_bytes) / std::max<std::uint64_t>(element, 1))
      found.offset = number_at(found.offset, offset_bytes);
    return found;
  }
  return std::nullopt;
}

}  // namespace gpuccl::io
