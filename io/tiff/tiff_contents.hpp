#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/tiff/tiff_description.hpp"
#include "io/tiff/tiff_format.hpp"
#include "io/tiff/tiff_handle.hpp"

namespace gpuccl::io {

/// Reads the description in the current page.
TiffDescription read_description(const TiffHandle& tiff);

/// Finds the arrays of several pages that tifffile wrote one after the other.
class TiffArrays {
 public:
  /// Returns whether the current page begins an array. Call it for all pages in order.
  bool begin_at(const TiffHandle& tiff);

 private:
  std::int64_t left_ = 0;         // pages of the array
  bool follows_several_ = false;  // the last array had several
};

/// Calls `visit(page)` with each page as the current directory; `page` counts from 0, as --page does.
/// Skips thumbnails (reduced images) and masks, unless the file has nothing else. Throws Error (data, io).
void for_each_page(TiffHandle& tiff, const Limits& limits,
                   const std::function<void(std::int64_t page)>& visit);

/// All pages that for_each_page() visits, and the description of the first.
struct DescribedPages {
  std::vector<std::uint64_t> pages;  // offset of the directory of each
  TiffDescription description;
  int samples = 1;  // of a pixel of the first page
};

/// A TIFF file, which several images may be read from. Thread-safe.
class SharedTiff {
 public:
  /// `max_bytes`: as of TiffHandle.
  SharedTiff(std::shared_ptr<const InputFile> file, std::int64_t max_bytes)
      : file_(std::move(file)), max_bytes_(max_bytes) {}

  const std::shared_ptr<const InputFile>& bytes() const { return file_; }
  /// Returns an idle handle, which is at any directory, or a new one. Throws as TiffHandle does.
  std::unique_ptr<TiffHandle> take_handle();
  void give_back(std::unique_ptr<TiffHandle> handle);
  /// Returns all pages if they were seen before; otherwise null. So time points that are read one by one do
  /// not walk through all directories each time.
  std::shared_ptr<const DescribedPages> pages() const;
  void remember(std::shared_ptr<const DescribedPages> pages);

 private:
  const std::shared_ptr<const InputFile> file_;
  const std::int64_t max_bytes_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<TiffHandle>> idle_;
  std::shared_ptr<const DescribedPages> pages_;
};

/// Calls `visit` with a page, whose directory is at an offset, as the current directory. Throws Error (data,
/// io).
void at_page(TiffHandle& tiff, std::uint64_t directory, std::int64_t page,
             const std::function<void()>& visit);

/// Consecutive pages of equal size and samples, in one array if tifffile wrote them. In a file without a
/// description of its pages, each run is an image.
struct TiffRun {
  std::int64_t begin = 0, end = 0;  // of the pages that for_each_page() visits, from 0
  std::uint32_t width = 0, height = 0;
  std::uint16_t bits = 1, kind = 0, channels = 1, photometric = 0, planar = 0;

  bool is_like(const TiffRun& other) const;
};

std::vector<TiffRun> runs_of_pages(TiffHandle& tiff, const Limits& limits);

bool have_like_samples(const std::vector<TiffRun>& runs);

/// Returns "2 images (2 pages of 640x480, 320x240)": the first few, with their samples if these differ.
std::string to_string(const std::vector<TiffRun>& runs);

/// A page, and where its rows are.
struct TiffSlice {
  std::uint64_t directory = 0;  // offset of the page's directory
  std::uint64_t rows = 0;       // offset of all rows, if they lie uncompressed in one piece, else 0
  std::size_t format = 0;       // index into TiffContents::formats
  int width = 0, height = 0;
  std::int64_t page = 0;  // of the file, as --page counts
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

/// Reads all directories with a handle of `file`. Throws Error (data, io, memory).
TiffContents read_tiff_contents(TiffHandle& tiff, SharedTiff& file, const ReadOptions& options);

/// Makes libtiff decode YCbCr in JPEG as RGB. Call it after reading a directory.
void prepare_page(TIFF* tiff);

}  // namespace gpuccl::io
