#include "io/read/marker_image.hpp"

#include <algorithm>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::io {
namespace {

constexpr int kRowsAtOnce = 512;

/// Hands on rows of bits, of which the first is row y of its slice.
void send_rows(BitView bits, int y, const IntensityImage::Sink& sink) {
  std::vector<double> samples(static_cast<std::size_t>(bits.extent.width));
  for (int i = 0; i < bits.extent.height; ++i) {
    for (int x = 0; x < bits.extent.width; ++x) samples[static_cast<std::size_t>(x)] = bits(x, i) ? 1 : 0;
    sink(y + i, 1, samples.data());
  }
}

}  // namespace

MarkerImage::MarkerImage(const std::string& path, const ReadOptions& options)
    : path_(path), reader_(open_reader(path, options)) {
  with_path(path, [&] { reader_->find_threshold(); });
}

int MarkerImage::slices_ahead() const {
  constexpr std::int64_t kBitsAtOnce = std::int64_t{1} << 26;
  const Extent all = extent();
  const std::int64_t slice = std::max<std::int64_t>(1, std::int64_t{all.width} * all.height);
  return static_cast<int>(std::clamp<std::int64_t>(kBitsAtOnce / slice, 1, 64));
}

std::int64_t MarkerImage::buffer_bytes() const {
  Extent at_once = extent();
  at_once.depth = std::min(at_once.depth, slices_ahead());
  if (extent().depth == 1) at_once.height = std::min(at_once.height, kRowsAtOnce);
  constexpr std::int64_t kBits = 8;
  return reader_->buffer_bytes() + at_once.elements() / kBits +
         std::int64_t{at_once.width} * static_cast<std::int64_t>(sizeof(double));
}

void MarkerImage::read(int z, const Sink& sink) const {
  with_path(path_, [&] {
    const Extent all = extent();
    if (all.depth == 1) {
      for (int y = 0; y < all.height; y += kRowsAtOnce) {
        const int end = std::min(all.height, y + kRowsAtOnce);
        BitVolume rows({all.width, end - y, 1});
        reader_->read_rows(0, y, end, rows);
        send_rows(rows.view(), y, sink);
      }
      return;
    }
    if (z < begin_ || z >= end_) {
      begin_ = z;
      end_ = std::min(all.depth, z + slices_ahead());
      ahead_ = BitVolume({all.width, all.height, end_ - begin_});
      reader_->read(begin_, end_, ahead_);
    }
    send_rows(ahead_.view().slices(z - begin_, z - begin_ + 1), 0, sink);
  });
}

void MarkerImage::read_long(int, const LongSink&) const {
  throw Error(Failure::internal, "markers are not integers of 64 bits");
}

}  // namespace gpuccl::io
