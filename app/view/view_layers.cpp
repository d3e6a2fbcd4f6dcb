#include "app/view/view_layers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "app/view/pages.hpp"
#include "io/files/file_error.hpp"
#include "io/image/each_slice.hpp"
#include "io/image/formats.hpp"

namespace gpuccl::app {
namespace {

constexpr std::int64_t kMaxPixels = 24 << 20;  // that are held, 4 bytes each

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
  return kEach * std::min(kMaxPixels, pixels);
}

io::OpenSamples open_below(const io::Source& image, io::ReadOptions options) {
  return io::with_path(image, [&] {
    options.any_order = true;
    options.in_parts = true;
    return io::open_samples(image, options);
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
    factor_ = std::max(1, static_cast<int>(std::ceil(std::sqrt(all / kMaxPixels))));
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

namespace {

constexpr std::size_t kMaxRuns = 4u << 20, kMaxRows = 2u << 20;
constexpr int kFewSlices = 64;  // if there are more, slices are left out before elements

void append_number(std::vector<std::uint8_t>& out, std::uint64_t number) {
  for (; number >= 128; number >>= 7) out.push_back(static_cast<std::uint8_t>(number | 128));
  out.push_back(static_cast<std::uint8_t>(number));
}

}  // namespace

std::int64_t ViewLabels::most_bytes(std::int64_t rows, std::int64_t runs) {
  // Vectors that grow have twice as much, and what is packed from them is smaller.
  return 2 * (std::min<std::int64_t>(kMaxRuns, runs) * static_cast<std::int64_t>(sizeof(LabelRun)) +
              std::min<std::int64_t>(kMaxRows, rows) * static_cast<std::int64_t>(sizeof(Row)));
}

ViewLabels::ViewLabels(const io::MappedLabels& labels) : extent_(labels.labels.extent()) {
  LabelRuns row;
  std::int64_t ready = 0;
  for (int z = 0; z < extent_.depth; ++z)
    for (int y = 0; y < extent_.height; ++y) {
      if (!is_shown(y, z)) continue;
      const std::int64_t r = std::int64_t{z} * extent_.height + y;
      if (r >= ready) ready = labels.labels.prepare(r, 1);
      io::list_runs(labels, r, 1, row);
      const std::size_t begin = runs_.size();
      for (const LabelRun& run : row.runs) add(run, factor_, begin);
      rows_.push_back({y, z, runs_.size()});
      while (runs_.size() > kMaxRuns || rows_.size() > kMaxRows) thin_out();
    }
}

/// Adds every `by`-th element of a run to the row whose runs begin at `row_begin`.
void ViewLabels::add(const LabelRun& run, int by, std::size_t row_begin) {
  const auto first_from = [by](int x) { return static_cast<int>((std::int64_t{x} + by - 1) / by); };
  const LabelRun left{first_from(run.begin), first_from(run.end), run.label};
  if (left.begin == left.end) return;
  if (runs_.size() > row_begin && runs_.back().end == left.begin && runs_.back().label == left.label)
    runs_.back().end = left.end;
  else
    runs_.push_back(left);
}

void ViewLabels::thin_out() {
  const bool by_slices = depth() > kFewSlices;
  (by_slices ? step_ : factor_) *= 2;
  const std::vector<LabelRun> runs = std::exchange(runs_, {});
  std::vector<Row> rows = std::exchange(rows_, {});
  std::size_t begin = 0;
  for (const Row& row : rows) {
    if (is_shown(row.y, row.z)) {
      const std::size_t first = runs_.size();
      for (std::size_t i = begin; i < row.end; ++i) add(runs[i], by_slices ? 1 : 2, first);
      rows_.push_back({row.y, row.z, runs_.size()});
    }
    begin = row.end;
  }
}

/// Returns four streams: the number of runs of each row; the distance of a run from the one before, or from
/// the beginning of its row; its length minus 1; and the difference of its label from the one before, n as 2
/// n and -n as 2 n - 1.
std::vector<std::vector<std::uint8_t>> ViewLabels::streams() const {
  std::vector<std::vector<std::uint8_t>> out(4);
  std::size_t i = 0;
  std::int64_t last = 0;
  for (const Row& row : rows_) {
    append_number(out[0], row.end - i);
    int x = 0;
    for (; i < row.end; ++i) {
      const LabelRun& run = runs_[i];
      append_number(out[1], static_cast<std::uint64_t>(run.begin - x));
      append_number(out[2], static_cast<std::uint64_t>(run.end - run.begin - 1));
      const std::int64_t more = std::int64_t{run.label} - last;
      append_number(out[3], static_cast<std::uint64_t>(more < 0 ? -2 * more - 1 : 2 * more));
      x = run.end;
      last = run.label;
    }
  }
  return out;
}

std::vector<std::string> ViewLabels::pack(std::size_t most_bytes) {
  for (;;) {
    std::vector<std::string> lines = packed(streams());
    if (bytes_of(lines) <= most_bytes || (width() == 1 && height() == 1 && depth() == 1)) return lines;
    thin_out();
  }
}

}  // namespace gpuccl::app
