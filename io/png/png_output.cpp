#include "io/png/png_output.hpp"

#include <png.h>

#include <bit>
#include <cmath>
#include <csetjmp>
#include <new>
#include <utility>

#include "gpuccl/types.hpp"

namespace gpuccl::io {

// libpng reports errors by longjmp. No function that calls setjmp has locals with destructors, and no
// exception passes through libpng: the first one is kept in failure_.

PngOutput::PngOutput(AtomicFile& file, const PngHeader& header)
    : PngOutput([&file](const void* data, std::size_t bytes) { file.write(data, bytes); }, header) {}

PngOutput::PngOutput(Sink sink, const PngHeader& header) : sink_(std::move(sink)) {
  png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
  if (png_ != nullptr) info_ = png_create_info_struct(png_);
  if (info_ == nullptr) {
    png_destroy_write_struct(&png_, nullptr);
    throw std::bad_alloc();
  }
  try {
    write_header(header);
  } catch (...) {
    png_destroy_write_struct(&png_, &info_);
    throw;
  }
}

PngOutput::~PngOutput() { png_destroy_write_struct(&png_, &info_); }

void PngOutput::write_header(const PngHeader& header) {
  if (setjmp(png_jmpbuf(png_)) != 0) rethrow();
  png_set_write_fn(png_, this, write, flush);
  png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  // Labels and bits are flat: filters help nothing, and runs of equal samples are what deflate is best at.
  png_set_filter(png_, 0, header.is_flat ? PNG_FILTER_NONE : PNG_FILTER_SUB | PNG_FILTER_UP);
  png_set_compression_level(png_, header.level);
  png_set_IHDR(png_, info_, static_cast<png_uint_32>(header.width), static_cast<png_uint_32>(header.height),
               header.bits, header.color == PngColor::rgb ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  const Resolution& resolution = header.resolution;
  if (resolution.unit != ResolutionUnit::none && resolution.is_known()) {
    const double per_meter = resolution.unit == ResolutionUnit::inch ? 1 / 0.0254 : 100;
    const double x = std::round(resolution.x * per_meter), y = std::round(resolution.y * per_meter);
    if (x <= PNG_UINT_31_MAX && y <= PNG_UINT_31_MAX)
      png_set_pHYs(png_, info_, static_cast<png_uint_32>(x), static_cast<png_uint_32>(y),
                   PNG_RESOLUTION_METER);
  }
  png_write_info(png_, info_);
  if (header.bits == 16 && std::endian::native == std::endian::little) png_set_swap(png_);
}

void PngOutput::write_rows(const void* data, std::size_t row_bytes, std::size_t rows) {
  if (setjmp(png_jmpbuf(png_)) != 0) rethrow();
  const auto* row = static_cast<const png_byte*>(data);
  for (const png_byte* end = row + row_bytes * rows; row != end; row += row_bytes) png_write_row(png_, row);
}

void PngOutput::finish() {
  if (setjmp(png_jmpbuf(png_)) != 0) rethrow();
  png_write_end(png_, info_);
}

void PngOutput::write(png_struct_def* png, unsigned char* data, std::size_t bytes) {
  auto& output = *static_cast<PngOutput*>(png_get_io_ptr(png));
  try {
    output.sink_(data, bytes);
    return;
  } catch (...) {
    output.failure_ = std::current_exception();
  }
  png_error(png, "write error");
}

void PngOutput::flush(png_struct_def*) {}

void PngOutput::fail(png_struct_def* png, const char* message) {
  auto& output = *static_cast<PngOutput*>(png_get_error_ptr(png));
  output.message_ = message;
  png_longjmp(png, 1);
}

void PngOutput::ignore(png_struct_def*, const char*) {}

void PngOutput::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
  throw Error(Failure::io, "cannot write (" + message_ + ")");
}

}  // namespace gpuccl::io
