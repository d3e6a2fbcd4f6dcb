#pragma once

#include <cstdio>
// After it:
#include <jpeglib.h>

#include <csetjmp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/files/input_file.hpp"

namespace gpuccl::io {

/// A libjpeg that reads an InputFile from its beginning. What it does not like, and a file that ends early,
/// is thrown as Error (data); what it mends is told to `warn`.
class JpegDecoder {
 public:
  JpegDecoder(const InputFile& file, std::function<void(const std::string& line)> warn);
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  const jpeg_decompress_struct& header() const { return jpeg_; }
  /// Reads up to the samples; then as gray, or as red, green and blue.
  void read_header();
  void start();
  void read_row(unsigned char* row);
  void finish();

 private:
  template <class Work>
  void guarded(Work work);

  [[noreturn]] static void fail(j_common_ptr jpeg);
  static void message(j_common_ptr jpeg, int level);
  static void progress(j_common_ptr jpeg);
  static void begin_source(j_decompress_ptr jpeg);
  static boolean fill(j_decompress_ptr jpeg);
  static void skip(j_decompress_ptr jpeg, long bytes);
  static JpegDecoder& of(j_common_ptr jpeg) { return *static_cast<JpegDecoder*>(jpeg->client_data); }

  const InputFile& file_;
  std::function<void(const std::string& line)> warn_;
  jpeg_decompress_struct jpeg_{};
  jpeg_error_mgr errors_{};
  jpeg_source_mgr source_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf escape_{};
  std::exception_ptr thrown_;
  std::string reason_;
  std::uint64_t next_ = 0;  // of the file
  std::vector<unsigned char> bytes_;
};

}  // namespace gpuccl::io
