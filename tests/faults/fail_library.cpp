// A library to be preloaded: one call of a library that decodes or encodes fails, as that library says that
// it fails.
//
//   GPUCCL_FAIL_LIBRARY=FUNCTION:K   the K-th call of that function
//   GPUCCL_FAILED=FILE               a pipe that gets a byte when that has happened
//
// What the functions take is known to their callers alone: no more than twelve words.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Word = long;
using Function = Word (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

struct Plan {
  char function[64] = "";
  long number = 0;

  Plan() {
    const char* text = std::getenv("GPUCCL_FAIL_LIBRARY");
    if (text == nullptr || std::sscanf(text, "%63[^:]:%ld", function, &number) != 2) function[0] = 0;
  }
};

const Plan plan;

void say_so(int file) {
  if (file >= 0 && ::write(file, "1", 1) != 1) std::abort();
}

int open_to_say_so() {
  const char* const file = std::getenv("GPUCCL_FAILED");
  return file == nullptr ? -1 : ::open(file, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

bool is_turn(const char* name) {
  static std::atomic<long> calls = 0;
  if (std::strcmp(name, plan.function) != 0 || ++calls != plan.number) return false;
  const int file = open_to_say_so();
  say_so(file);
  ::close(file);
  return true;
}

Function real(const char* name) { return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name)); }

// Failures of libraries other than return values. An error of libpng and libjpeg does not return.
void returns(const char*, Word) {}
void png_fails(const char*, Word png) {
  real("png_error")(png, reinterpret_cast<Word>("injected"), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
/// The first member of a decoder is its struct of errors, whose first is the function that does not return.
void jpeg_fails(const char*, Word jpeg) { (**reinterpret_cast<void (***)(Word)>(jpeg))(jpeg); }

#define FAIL(name, how, value)                                                                         \
  extern "C" Word name(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, \
                       Word k, Word l) {                                                               \
    if (is_turn(#name)) {                                                                              \
      how(#name, a);                                                                                   \
      return value;                                                                                    \
    }                                                                                                  \
    return real(#name)(a, b, c, d, e, f, g, h, i, j, k, l);                                            \
  }

}  // namespace

FAIL(TIFFClientOpenExt, returns, 0)
FAIL(TIFFReadDirectory, returns, 0)
FAIL(TIFFReadEncodedStrip, returns, -1)
FAIL(TIFFReadEncodedTile, returns, -1)
FAIL(TIFFReadScanline, returns, -1)
FAIL(TIFFWriteEncodedStrip, returns, -1)
FAIL(png_create_read_struct, returns, 0)
FAIL(png_create_write_struct, returns, 0)
FAIL(png_create_info_struct, returns, 0)
FAIL(png_read_info, png_fails, 0)
FAIL(png_read_update_info, png_fails, 0)
FAIL(png_read_row, png_fails, 0)
FAIL(png_read_end, png_fails, 0)
FAIL(png_write_info, png_fails, 0)
FAIL(png_write_row, png_fails, 0)
FAIL(png_write_end, png_fails, 0)
FAIL(jpeg_CreateDecompress, jpeg_fails, 0)
FAIL(jpeg_read_header, jpeg_fails, 0)
FAIL(jpeg_start_decompress, jpeg_fails, 0)
FAIL(jpeg_read_scanlines, jpeg_fails, 0)
FAIL(jpeg_finish_decompress, jpeg_fails, 0)
FAIL(ZSTD_createDCtx, returns, 0)
FAIL(ZSTD_decompressDCtx, returns, -20)  // corruption_detected
FAIL(blosc_cbuffer_validate, returns, -1)
FAIL(blosc_decompress_ctx, returns, -1)
FAIL(LZ4_decompress_safe, returns, -1)
FAIL(libdeflate_alloc_decompressor, returns, 0)
FAIL(libdeflate_alloc_compressor, returns, 0)
FAIL(libdeflate_zlib_decompress, returns, 1)  // LIBDEFLATE_BAD_DATA
FAIL(libdeflate_zlib_decompress_ex, returns, 1)
FAIL(libdeflate_gzip_decompress, returns, 1)
FAIL(libdeflate_gzip_decompress_ex, returns, 1)
FAIL(libdeflate_zlib_compress, returns, 0)
FAIL(libdeflate_gzip_compress, returns, 0)
FAIL(isal_inflate, returns, -1)  // ISAL_INVALID_BLOCK
FAIL(inflate, returns, -3)       // Z_DATA_ERROR

namespace {

/// Opened before the process of libhdf5 opens nothing more.
int failed_hdf5 = -1;

/// libhdf5 is opened and asked for its functions; all return what is below 0 when they fail.
Word hdf5_fails() {
  say_so(failed_hdf5);
  return -1;
}

}  // namespace

extern "C" void* dlsym(void* library, const char* name) noexcept {
  using Find = void* (*)(void*, const char*);
  static const auto find = reinterpret_cast<Find>(::dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
  if (std::strncmp(name, "H5", 2) == 0 && std::strcmp(name, plan.function) == 0) {
    failed_hdf5 = open_to_say_so();
    return reinterpret_cast<void*>(hdf5_fails);
  }
  return find(library, name);
}
