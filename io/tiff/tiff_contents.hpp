#pragma once

#include <cstdint>
#include <vector>

#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/tiff/tiff_format.hpp"
#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {

/// A page, and where its rows are.
struct TiffSlice {
  std::uint64_t directory = 0;  // offset of the page's directory
  std::uint64_t rows = 0;       // offset of all rows, if they lie uncompressed in one piece, else 0
  std::size_t format = 0;       // index into TiffContents::formats
  int width = 0, height = 0;
};

/// Directories of a file, checked.
struct TiffContents {
  ImageInfo info;
  std::vector<SampleFormat> formats;
  std::vector<TiffSlice> slices;  // no thumbnails, no masks
  bool swapped = false;           // uncompressed samples have the other byte order
  bool reversed = false;          // uncompressed bytes have their first pixel in the lowest bit
  TiffReading reading;
  int channel = 0;                // of a pixel, if all its channels are read
  int planes = 1;                 // stored one after the other instead of pixel by pixel
  std::int64_t buffer_bytes = 0;  // for decoding one slice
};

/// Reads all directories. Throws Error (data, io, memory).
TiffContents read_tiff_contents(TiffHandle& tiff, const InputFile& file, const ReadOptions& options);

/// After a directory was read: makes libtiff decode colours as colours.
void prepare_page(TIFF* tiff);

}  // namespace gpuccl::io
