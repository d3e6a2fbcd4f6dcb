#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/view/batch_page.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/read/open_samples.hpp"
#include "io/write/contact_sheet.hpp"

namespace gpuccl::app {

/// The labels of an image as runs of its rows. If these are too many: of every `factor`-th element along x
/// and y in every `step`-th slice.
class ViewLabels {
 public:
  explicit ViewLabels(const io::MappedLabels& labels);

  /// Returns the runs in the format of the page, thinned out until they take at most `most_bytes` bytes.
  std::vector<std::string> pack(std::size_t most_bytes);

  int factor() const { return factor_; }
  int step() const { return step_; }
  int width() const { return shown(extent_.width, factor_); }
  int height() const { return shown(extent_.height, factor_); }
  int depth() const { return shown(extent_.depth, step_); }

  /// Returns an upper bound of the bytes for an image with `rows` rows and `runs` runs.
  static std::int64_t most_bytes(std::int64_t rows, std::int64_t runs);

 private:
  struct Row {
    int y, z;
    std::size_t end;  // of its runs
  };

  static int shown(int size, int step) { return (size + step - 1) / step; }
  bool is_shown(int y, int z) const { return y % factor_ == 0 && z % step_ == 0; }
  void add(const LabelRun& run, int by, std::size_t row_begin);
  void thin_out();
  std::vector<std::vector<std::uint8_t>> streams() const;

  Extent extent_;
  int factor_ = 1, step_ = 1;
  std::vector<LabelRun> runs_;
  std::vector<Row> rows_;
};

/// Opens an image to be shown below labels; a folder is a stack. FileError.
io::OpenSamples open_below(const io::Source& image, io::ReadOptions options);

/// An image below the labels of a page: one byte per pixel, the mean of `factor` by `factor` elements, of
/// every `step`-th slice.
class ViewImage {
 public:
  /// Returns an upper bound of the bytes for packing an image of `pixels` pixels.
  static std::int64_t most_bytes(std::int64_t pixels);

  /// Opens the image; FileError.
  ViewImage(const io::Source& image, const io::ReadOptions& options);

  const Extent& extent() const { return source_->info().extent; }
  const io::Geometry& geometry() const { return source_->info().geometry; }
  /// Reads the image, and reduces it until it fits into `most_bytes` bytes.
  std::vector<std::string> pack(int step, std::size_t most_bytes);

  int factor() const { return factor_; }
  int width() const { return (extent().width + factor_ - 1) / factor_; }
  int height() const { return (extent().height + factor_ - 1) / factor_; }
  /// Returns the samples that are shown as black and as white.
  const io::GrayRange& range() const { return range_; }
  /// Returns the middle slice of what pack() has packed.
  GrayPicture middle() { return {width(), height(), std::move(middle_)}; }

 private:
  std::vector<float> read(int step) const;
  std::vector<std::vector<std::uint8_t>> pixels(const std::vector<float>& means, int depth);

  std::string path_;
  std::unique_ptr<io::SampleSource> source_;
  std::int64_t memory_ = 0;
  int factor_ = 1;
  io::GrayRange range_;
  std::vector<std::uint8_t> middle_;
};

}  // namespace gpuccl::app
