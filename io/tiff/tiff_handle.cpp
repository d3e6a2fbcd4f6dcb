#include "io/tiff/tiff_handle.hpp"

#include "io/tiff/tiff_stream.hpp"

namespace gpuccl::io {

TiffHandle::TiffHandle(std::shared_ptr<const InputFile> file, std::int64_t max_bytes)
    : stream_{std::move(file), 0, false, {}},
      tags_may_need_more_(static_cast<std::uint64_t>(max_bytes) < stream_.file->size()) {
  const TiffClient client{"rm",        &stream_,     read_stream,   write_stream,
                          seek_stream, close_stream, size_of_stream};
  errno = 0;
  tiff_ = open_tiff(client, messages_, max_bytes);
  if (tiff_ == nullptr) {
    if (!has_error()) messages_.error = "no page";
    fail("not a valid TIFF");
  }
}

TiffHandle::~TiffHandle() { close_tiff(tiff_, messages_); }

void TiffHandle::fail(const std::string& reason) const {
  if (stream_.read_failure) throw *stream_.read_failure;
  const std::string& words = has_error() ? messages_.error : messages_.warning;
  if (messages_.out_of_memory) throw Error(Failure::memory, "out of memory (" + words + ")");
  // What the file is large enough to hold may be true; a tag that claims more than that is broken.
  if (tags_may_need_more_ && words.find("byte limit defined in open options") != std::string::npos)
    throw Error(Failure::memory, "its tags need more memory than the limit (" + words + ")");
  throw Error(Failure::data, words.empty() ? reason : reason + " (" + words + ")");
}

void TiffHandle::require_whole() const {
  if (stream_.read_failure) throw *stream_.read_failure;
  if (stream_.at_end) throw Error(Failure::data, "the file ends early");
}

std::string TiffHandle::text(ttag_t tag) const {
  const char* value = nullptr;
  return TIFFGetField(tiff_, tag, &value) == 1 && value != nullptr ? value : "";
}

}  // namespace gpuccl::io
