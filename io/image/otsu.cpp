#include "io/image/otsu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace gpuccl::io {
namespace {

/// Calls `use` with every value of the input that is a finite number.
template <class Use>
void for_each_value(const SampleSource& source, const ForegroundOptions& options, Use use) {
  const Extent& extent = source.info().extent;
  std::array<double, 1024> values;
  for (int z = 0; z < extent.depth; ++z)
    source.decode(z, [&](const SampleRows& rows) {
      for (int y = 0; y < rows.count; ++y)
        for (std::int64_t x = 0; x < extent.width; x += static_cast<std::int64_t>(values.size())) {
          const std::int64_t count = std::min(extent.width - x, static_cast<std::int64_t>(values.size()));
          to_values(rows.format, options.raw, rows.data + static_cast<std::size_t>(y) * rows.pitch, x, count,
                    values.data());
          for (std::int64_t i = 0; i < count; ++i)
            if (std::isfinite(values[static_cast<std::size_t>(i)])) use(values[static_cast<std::size_t>(i)]);
        }
    });
}

}  // namespace

std::size_t otsu_split(const std::vector<std::uint64_t>& histogram) {
  double total = 0, total_sum = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    total += static_cast<double>(histogram[i]);
    total_sum += static_cast<double>(histogram[i]) * static_cast<double>(i);
  }
  std::size_t best = 0;
  double best_variance = -1, below = 0, below_sum = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    if (histogram[i] == 0) continue;  // splits the values as the bin before does
    below += static_cast<double>(histogram[i]);
    below_sum += static_cast<double>(histogram[i]) * static_cast<double>(i);
    const double above = total - below;
    if (above <= 0) {
      if (best_variance < 0) best = i;  // the only value there is
      break;
    }
    const double distance = below_sum / below - (total_sum - below_sum) / above;
    const double variance = below * above * distance * distance;
    if (variance > best_variance) {
      best_variance = variance;
      best = i;
    }
  }
  return best;
}

double otsu_threshold(const SampleSource& source, const ForegroundOptions& options) {
  const SampleFormat& format = source.format(0);
  const bool is_gray =
      format.photometric == Photometric::min_is_black || format.photometric == Photometric::min_is_white;
  if (is_gray && format.kind != SampleKind::floating && format.bits <= 16) {
    const int lowest = format.kind == SampleKind::signed_integer ? -(1 << (format.bits - 1)) : 0;
    std::vector<std::uint64_t> histogram(std::size_t{1} << format.bits);
    for_each_value(source, options, [&](double value) {
      ++histogram[static_cast<std::size_t>(static_cast<int>(value) - lowest)];
    });
    return static_cast<double>(otsu_split(histogram)) + lowest;
  }

  double least = std::numeric_limits<double>::infinity(), most = -least;
  for_each_value(source, options, [&](double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  });
  if (!(least < most)) return std::isfinite(least) ? least : 0;
  constexpr int kBins = 256;
  std::vector<std::uint64_t> histogram(kBins);
  const double width = most / kBins - least / kBins;  // the difference of the two may overflow
  for_each_value(source, options, [&](double value) {
    const double bin = value / width - least / width;
    ++histogram[static_cast<std::size_t>(std::clamp(bin, 0.0, kBins - 1.0))];
  });
  return least + (static_cast<double>(otsu_split(histogram)) + 0.5) * width;
}

}  // namespace gpuccl::io
