// Label images read back: those of this program and those of others.

#include "io/read/label_reader.hpp"

#include "io/label_samples.hpp"
#include "io/npy_bytes.hpp"
#include "support/memory_file.hpp"
#include "support/png_file.hpp"
#include "support/read_labels.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

using namespace gpuccl;
using namespace gpuccl::io;
using tests::bytes_of;
using tests::npy;

TEST_CASE("labels of other programs are read as they are stored") {
  const tests::MemoryFile file;
  const std::vector<std::uint64_t> values = {0, 1, 7, 3, 2, 0};
  const std::vector<Label> labels(values.begin(), values.end());
  for (const int bits : {4, 8, 16, 32, 64})
    for (const int format : {SAMPLEFORMAT_UINT, SAMPLEFORMAT_INT})
      for (const int photometric : {PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_PALETTE}) {
        if (photometric == PHOTOMETRIC_PALETTE && (bits > 8 || format != SAMPLEFORMAT_UINT)) continue;
        tests::TiffPageToWrite page;
        page.width = 3;
        page.height = 2;
        page.bits = bits;
        page.sample_format = format;
        page.photometric = photometric;
        page.samples = values;
        page.more = [&](TIFF* tiff) {
          const std::vector<std::uint16_t> map(256, 9);
          if (photometric == PHOTOMETRIC_PALETTE)
            TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data(), map.data());
        };
        tests::write_tiff(file.path(), {page});
        CAPTURE(bits, format, photometric);
        const LabelImage read = read_labels(file.path());
        REQUIRE(values_of(read) == labels);
        REQUIRE(read.count() == 7);
      }
  for (const int bits : {4, 8, 16}) {
    tests::PngToWrite png;
    png.width = 3;
    png.height = 2;
    png.bits = bits;
    png.samples.assign(values.begin(), values.end());
    write_png(file.path(), png);
    REQUIRE(values_of(read_labels(file.path())) == labels);
  }
}

TEST_CASE("labels of 64 bits are read as numbers, as many as fit") {
  constexpr int kWidth = 300, kHeight = 200;
  constexpr std::uint64_t kStep = (std::uint64_t{1} << 50) + 12345;
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < kWidth * kHeight; ++i) values.push_back((i * 7919 / 3 % 20011) * kStep);
  const tests::MemoryFile file(npy("<u8", "(200, 300)", bytes_of(values)));
  LabelNumbers numbers(1 << 24);
  LabelReader reader(file.path());
  REQUIRE(reader.has_long_labels());
  reader.number_with(numbers);
  const LabelImage image = render_all(reader);
  const std::vector<std::uint64_t> labels = numbers.labels();
  REQUIRE(labels.size() == std::set(values.begin(), values.end()).size());
  REQUIRE(labels[0] == 0);
  bool all_right = true;
  for (std::size_t i = 0; i < values.size(); ++i)
    all_right = all_right && labels[image.data()[i]] == values[i];
  REQUIRE(all_right);

  // Another image has the same numbers for the same labels, whatever its samples.
  const tests::MemoryFile narrow(
      npy("<f8", "(1, 3)", bytes_of<double>({0, static_cast<double>(1ull << 31), 0})));
  LabelReader other(narrow.path());
  REQUIRE(other.has_long_labels());
  other.number_with(numbers);
  REQUIRE(numbers.labels().size() == labels.size());
  REQUIRE(render_all(other)(1, 0) == labels.size());
  REQUIRE(numbers.labels().back() == 1ull << 31);

  LabelNumbers few(1000 * LabelNumbers::kBytesOfLabel);
  LabelReader again(file.path());
  again.number_with(few);
  REQUIRE(error_code_of([&] { render_all(again); }) == ErrorCode::memory);
}

TEST_CASE("labels are read if a few rows fit") {
  constexpr int kWidth = 1 << 20;
  constexpr std::int64_t kRow = std::int64_t{kWidth} * sizeof(Label);
  const tests::MemoryFile file(npy("|u1", "(1, 1048576)", std::string(kWidth, '\1')));
  const auto read_within = [&](std::int64_t memory) {
    ReadOptions options;
    options.limits.memory = memory;
    return read_labels(file.path(), options).extent().width;
  };
  REQUIRE(error_code_of([&] { read_within(10 * kRow - 1); }) == ErrorCode::memory);
  REQUIRE(read_within(12 * kRow) == kWidth);
}

TEST_CASE("rows that are read in slabs are those of the whole image, also with gaps and overlaps") {
  const ScratchFolder folder;
  const Extent extent{301, 207, 9};
  const LabelImage labels = sample_labels(extent, 300);
  LabelImage page({extent.width, extent.height, 1}, 300);
  std::copy_n(labels.data(), page.extent().elements(), page.data());
  for (const std::string name :
       {"a.tif", "a.npy", "a.nii", "a.nii.gz", "a.nrrd", "a.mha", "page.tif", "page.png", "page.npy"}) {
    const LabelImage& written = name.starts_with("page") ? page : labels;
    save_labels(folder / name, written);
    std::set<std::int64_t> sizes;
    for (const std::int64_t memory : {1 << 15, 1 << 17, 1 << 18, 1 << 20, 1 << 22, 1 << 28}) {
      CAPTURE(name, memory);
      ReadOptions options;
      options.limits.memory = memory;
      std::vector<Label> values;
      try {
        values = values_of(read_labels(folder / name, options));
      } catch (const Error& error) {
        REQUIRE((error.code() == ErrorCode::memory && memory < 1 << 20));
        continue;
      }
      REQUIRE(values == values_of(written));
      sizes.insert(LabelReader(folder / name, options).bytes());
      for (const auto& [count, step] : {std::pair(100, 64), {1, 3}, {207, 207}, {500, 1}}) {
        const LabelReader reader(folder / name, options);
        std::vector<Label> rows(static_cast<std::size_t>(count * extent.width));
        const std::int64_t all = written.extent().rows();
        for (std::int64_t first = 0; first < all; first += step) {
          const std::int64_t some = std::min<std::int64_t>(count, all - first);
          REQUIRE(reader.prepare(first, some) >= first + some);
          reader.render(first, some, rows.data(), nullptr);
          REQUIRE(std::equal(rows.begin(), rows.begin() + some * extent.width,
                             written.data() + first * extent.width));
        }
      }
    }
    REQUIRE(sizes.size() >= 2);
  }
}
