#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "app/view/pages.hpp"
#include "app/view/view_layers.hpp"
#include "io/files/file_error.hpp"
#include "io/image/each_slice.hpp"
#include "io/image/formats.hpp"
#include "io/read/one_image.hpp"

namespace gpuccl::app {
namespace {

constexpr std::int64_t kMostPixels = 24 << 20;  // that are held, 4 bytes each

/// Sums of the pixels that one shown pixel averages, for one slice.
struct Slice {
  std::vector<double> sums;
  std::vector<std::uint32_t> counts;
  std::mutex lock;  // rows come from several threads
};

}  // namespace

std::int64_t ViewImage::most_bytes(std::int64_t pixels) {
  // The mean and its copy, the gray value and that of the middle slice, and its share of what is packed.
  constexpr std::int64_t kEach = 11;
  return kEach * std::min(kMostPixels, pixels);
}

io::OpenSamples open_below(const io::Source& image, io::ReadOptions options) {
  return io::with_path(image, [&] {
    options.any_order = true;
    options.in_parts = true;
    return io::open_without_per_slice([&] { return io::open_samples(image, options); });
  });
}

ViewImage::ViewImage(const io::Source& image, const io::ReadOptions& options) : path_(image) {
  io::OpenSamples opened = open_below(image, options);
  source_ = std::move(opened.source);
  memory_ = opened.memory;
}

std::vector<float> ViewImage::read(int step) const {
  const int w = width(), h = height(), depth = (extent().depth + step - 1) / step;
  const std::size_t each = static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
  std::vector<float> means(each * static_cast<std::size_t>(depth));
  const auto read_group = [&](int begin, int end) {
    const int first = (begin + step - 1) / step * step;
    if (first >= end && !source_->in_order()) return;
    std::vector<Slice> slices(static_cast<std::size_t>(end - begin));
    for (int z = first; z < end; z += step) {
      Slice& slice = slices[static_cast<std::size_t>(z - begin)];
      slice.sums.resize(each);
      slice.counts.resize(each);
    }
    source_->decode_group(begin, end, [&](int z, const io::SampleRows& rows) {
      if (z % step != 0) return;
      Slice& slice = slices[static_cast<std::size_t>(z - begin)];
      std::vector<double> values(static_cast<std::size_t>(source_->slice_extent(z).width));
      for (int i = 0; i < rows.count; ++i) {
        io::to_values(rows.format, false, rows.data + static_cast<std::size_t>(i) * rows.pitch, 0,
                      std::ssize(values), values.data());
        const std::size_t row =
            static_cast<std::size_t>((rows.y + i) / factor_) * static_cast<std::size_t>(w);
        const std::lock_guard locked(slice.lock);
        for (std::size_t x = 0; x < values.size(); ++x) {
          if (!std::isfinite(values[x])) continue;
          const std::size_t pixel = row + x / static_cast<std::size_t>(factor_);
          slice.sums[pixel] += values[x];
          ++slice.counts[pixel];
        }
      }
    });
    for (int z = first; z < end; z += step) {
      const Slice& slice = slices[static_cast<std::size_t>(z - begin)];
      float* const to = means.data() + static_cast<std::size_t>(z / step) * each;
      for (std::size_t i = 0; i < each; ++i)
        to[i] = slice.counts[i] == 0 ? std::numeric_limits<float>::quiet_NaN()
                                     : static_cast<float>(slice.sums[i] / slice.counts[i]);
    }
  };
  const std::int64_t bytes = source_->buffer_bytes() + static_cast<std::int64_t>(each * 12);
  io::for_each_group(*source_, 0, extent().depth, bytes, memory_, read_group);
  return means;
}

/// Returns the pixels in parts of about a MiB, as differences from the mean of the pixels to the left and
/// above, which compress better. NaN is black.
std::vector<std::vector<std::uint8_t>> ViewImage::pixels(const std::vector<float>& means, int depth) {
  const auto w = static_cast<std::size_t>(width()), h = static_cast<std::size_t>(height()), each = w * h;
  const std::size_t slices_each = std::max<std::size_t>(1, (std::size_t{1} << 20) / each);
  std::vector<std::vector<std::uint8_t>> parts((static_cast<std::size_t>(depth) + slices_each - 1) /
                                               slices_each);
  const double scale = 255 / (range_.white - range_.black);
  const auto gray = [&](float mean) {
    const double value = std::isnan(mean) ? 0 : std::clamp((mean - range_.black) * scale, 0.0, 255.0);
    return static_cast<std::uint8_t>(std::lround(value));
  };
  std::vector<std::uint8_t> slice(each);
  for (std::size_t z = 0; z < static_cast<std::size_t>(depth); ++z) {
    std::transform(means.begin() + static_cast<std::ptrdiff_t>(z * each),
                   means.begin() + static_cast<std::ptrdiff_t>((z + 1) * each), slice.begin(), gray);
    if (z == static_cast<std::size_t>(depth) / 2) middle_ = slice;
    std::vector<std::uint8_t>& part = parts[z / slices_each];
    for (std::size_t i = 0; i < each; ++i) {
      const unsigned left = i % w > 0 ? slice[i - 1] : 0u, up = i >= w ? slice[i - w] : 0u;
      part.push_back(static_cast<std::uint8_t>(slice[i] - (left + up) / 2));
    }
  }
  return parts;
}

std::vector<std::string> ViewImage::pack(int step, std::size_t most_bytes) {
  return io::with_path(path_, [&] {
    const int depth = (extent().depth + step - 1) / step;
    const double all = static_cast<double>(extent().width) * extent().height * depth;
    factor_ = std::max(1, static_cast<int>(std::ceil(std::sqrt(all / kMostPixels))));
    for (;;) {
      const std::vector<float> means = read(step);
      range_ = io::gray_range(means);
      std::vector<std::string> lines = packed(pixels(means, depth));
      const double size = static_cast<double>(bytes_of(lines)),
                   most = static_cast<double>(std::max<std::size_t>(1, most_bytes));
      if (size <= most || (width() == 1 && height() == 1)) return lines;
      factor_ = std::max(factor_ + 1, static_cast<int>(factor_ * std::min(4.0, std::sqrt(size / most))));
    }
  });
}

}  // namespace gpuccl::app
