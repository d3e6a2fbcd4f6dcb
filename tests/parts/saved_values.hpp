#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "support/tiff_file.hpp"

namespace tests {

/// Values from a few, many of them like the one before along some axis, as pages of a TIFF.
inline std::string save_values(const std::string& path, gpuccl::Extent extent, int bits, int format,
                               std::uint32_t seed) {
  std::mt19937 random(seed);
  const std::uint64_t kinds = 2 + random() % 5, largest = (std::uint64_t{1} << (bits - 1)) - 1;
  const auto width = static_cast<std::size_t>(extent.width),
             slice = width * static_cast<std::size_t>(extent.height);
  std::vector<std::uint64_t> all(slice * static_cast<std::size_t>(extent.depth));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t before[] = {1, width, slice, 0};
    const std::size_t step = before[random() % 4];
    all[i] = step > 0 && step <= i ? all[i - step] : random() % kinds;
    if (all[i] == 1) all[i] = largest;
  }
  std::vector<TiffPageToWrite> pages;
  for (std::size_t begin = 0; begin < all.size(); begin += slice) {
    TiffPageToWrite page;
    page.width = static_cast<std::uint32_t>(extent.width);
    page.height = static_cast<std::uint32_t>(extent.height);
    page.bits = bits;
    page.sample_format = format;
    page.rows_per_strip = 7;
    page.samples.assign(all.begin() + static_cast<std::ptrdiff_t>(begin),
                        all.begin() + static_cast<std::ptrdiff_t>(begin + slice));
    pages.push_back(std::move(page));
  }
  write_tiff(path, pages);
  return path;
}

}  // namespace tests
