#pragma once

#include <tiffio.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// Messages of libtiff about one open file. Only the first error and the first warning are kept; warnings
/// about private tags, which are not part of the image, and about the order of tags are ignored.
struct TiffMessages {
  std::string error;
  std::string warning;
  std::string note;            // a warning about a violation that is read as intended
  bool out_of_memory = false;  // was the reason of the error

  /// Records an error: lack of memory by ENOMEM of malloc(), because libtiff has many texts for it.
  void add_error(const char* module, const char* format, va_list arguments);
  void add_warning(const char* module, const char* format, va_list arguments);
};

/// Access of libtiff to the bytes of a file: its mode, and callbacks with `handle`.
/// Nothing is mapped.
struct TiffClient {
  const char* mode;
  thandle_t handle;
  TIFFReadWriteProc read;
  TIFFReadWriteProc write;
  TIFFSeekProc seek;
  TIFFCloseProc close;
  TIFFSizeProc size;
};

/// Opens a file with messages going to `messages`, or returns null. `handle` and `messages` must stay where
/// they are until TIFFClose(). Limits each allocation of libtiff to `max_bytes` (0: no limit).
TIFF* open_tiff(const TiffClient& client, TiffMessages& messages, std::int64_t max_bytes);

/// The stream that libtiff reads; it is not mapped.
struct TiffStream {
  std::shared_ptr<const InputFile> file;
  std::uint64_t position = 0;
  bool at_end = false;  // more bytes were requested than exist
  std::optional<Error> read_failure;
  std::string header;  // read instead of the first bytes of the file
};

/// An entry of a directory, with the offset of its value in the file.
struct StoredTag {
  std::uint64_t type = 0, count = 0, offset = 0;
};

/// An open TIFF file. Not for several threads at once.
class TiffHandle {
 public:
  /// A strip or tile may take `max_bytes`. Tags have an allowance of their own, so that a small limit of
  /// memory drops none of them. Throws Error (data, io, memory).
  TiffHandle(std::shared_ptr<const InputFile> file, std::int64_t max_bytes);
  ~TiffHandle();
  TiffHandle(const TiffHandle&) = delete;
  TiffHandle& operator=(const TiffHandle&) = delete;

  TIFF* get() const { return tiff_; }
  const InputFile& file() const { return *stream_.file; }
  /// Reads the directory at this offset. Returns false if libtiff cannot. Opens the file again there, because
  /// TIFFSetSubDirectory() first walks through all directories.
  bool go_to(std::uint64_t directory);
  bool go_to_first() { return go_to(first_directory_); }
  /// Clears the messages so far, and that the file ended early.
  void clear_messages() {
    messages_ = {};
    stream_.at_end = false;
    errno = 0;
  }
  /// Throws Error (data, io) if libtiff has left out a tag or page that it could not read. It continues
  /// without them.
  void require_whole() const;
  bool has_error() const { return !messages_.error.empty(); }
  const std::string& warning() const { return messages_.warning; }
  const std::string& note() const { return messages_.note; }
  /// Throws `reason` for a directory that cannot be read, with libtiff's words in parentheses if it had any.
  /// Error (data, io, memory).
  [[noreturn]] void fail(const std::string& reason) const;
  /// Throws for a strip or tile; none may need more bytes than its page.
  [[noreturn]] void fail_decoding(const std::string& reason) const;

  /// Returns the value of a tag of a single number, its default, or `otherwise`.
  template <class T>
  T field(ttag_t tag, T otherwise) const {
    T value = otherwise;
    return TIFFGetFieldDefaulted(tiff_, tag, &value) == 1 ? value : otherwise;
  }
  std::string text(ttag_t tag) const;
  /// Returns the text of a private tag, which libtiff reads without knowing it; "" if there is none.
  std::string private_text(ttag_t tag) const;
  /// Returns the entry that the current directory has for a tag which libtiff ignores, if any. Reads the file
  /// only if libtiff lists the tag as met but unknown. Throws Error (io).
  std::optional<StoredTag> stored_tag(ttag_t tag) const;
  /// Returns the number of up to 8 bytes at an offset in the byte order of the file; zeros follow the end.
  std::uint64_t number_at(std::uint64_t offset, int bytes) const;

 private:
  void open();
  [[noreturn]] void fail(const std::string& reason, bool may_need_more) const;

  TiffStream stream_;
  std::int64_t limit_;       // of one allocation of libtiff
  bool tags_may_need_more_;  // than that
  TiffMessages messages_;
  TIFF* tiff_ = nullptr;
  std::uint64_t first_directory_ = 0;  // its offset
};

}  // namespace gpuccl::io
