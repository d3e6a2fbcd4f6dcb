#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "io/files/atomic_file.hpp"
#include "io/files/input_file.hpp"
#include "io/image/image_info.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

struct png_struct_def;
struct png_info_def;

namespace gpuccl::io {

/// Reads the header. Throws Error (data, io, memory).
std::unique_ptr<SampleSource> open_png(std::shared_ptr<const InputFile> file, const ReadOptions& options);

enum class PngColor { gray, rgb };

/// Header of a PNG, and its compression level.
struct PngHeader {
  int width = 0;
  int height = 0;
  int bits = 8;  // a channel; samples of 16 bits are given in the order of this machine
  PngColor color = PngColor::gray;
  int level = 1;  // of zlib: 1 fastest, 9 smallest
  Resolution resolution;
  bool is_flat = true;  // runs of equal samples; false: an image, which filters make smaller
};

/// A PNG written through libpng, row by row.
class PngOutput {
 public:
  /// Takes the bytes of the PNG, in their order.
  using Sink = std::function<void(const void* data, std::size_t bytes)>;
  PngOutput(Sink sink, const PngHeader& header);
  PngOutput(AtomicFile& file, const PngHeader& header);
  ~PngOutput();
  PngOutput(const PngOutput&) = delete;
  PngOutput& operator=(const PngOutput&) = delete;

  /// `rows` rows of `row_bytes` each.
  void write_rows(const void* data, std::size_t row_bytes, std::size_t rows);
  void finish();

 private:
  static void write(png_struct_def* png, unsigned char* data, std::size_t bytes);
  static void flush(png_struct_def* png);
  [[noreturn]] static void fail(png_struct_def* png, const char* message);
  static void ignore(png_struct_def* png, const char* message);
  void write_header(const PngHeader& header);
  [[noreturn]] void rethrow() const;

  Sink sink_;
  png_struct_def* png_ = nullptr;
  png_info_def* info_ = nullptr;
  std::exception_ptr failure_;  // thrown while libpng, which is C, was on the stack
  std::string message_;         // of libpng
};

/// A label image as PNG; options.type is resolved and fits the format. Throws Error (data).
LabelFile png_label_file(const Extent& extent, const WriteOptions& options);

}  // namespace gpuccl::io
