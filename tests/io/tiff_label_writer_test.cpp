#include <oneapi/tbb/global_control.h>
#include <tiffio.h>

#include "io/tiff/tiff_output.hpp"
#include "io/write/label_writer.hpp"
#include "label_samples.hpp"
#include "support/file_size_limit.hpp"
#include "support/test.hpp"
#include "tiff_pages.hpp"

namespace gpuccl::io {
namespace {

std::vector<Label> joined(const std::vector<DecodedTiffPage>& pages) {
  std::vector<Label> values;
  for (const DecodedTiffPage& page : pages)
    values.insert(values.end(), page.values.begin(), page.values.end());
  return values;
}

std::uint16_t scheme(Compression compression) {
  switch (compression) {
    case Compression::none:
      return COMPRESSION_NONE;
    case Compression::lzw:
      return COMPRESSION_LZW;
    case Compression::zstd:
      return COMPRESSION_ZSTD;
    case Compression::packbits:
      return COMPRESSION_PACKBITS;
    default:
      return COMPRESSION_ADOBE_DEFLATE;
  }
}

// Sides of one element, odd sizes, one row more or less than a strip of 1 MiB holds, several strips a page.
const Extent kExtents[] = {{1, 1, 1},      {1, 3000, 1},   {3000, 1, 1},  {37, 51, 1}, {1024, 512, 1},
                           {1024, 513, 1}, {1023, 511, 2}, {700, 801, 2}, {5, 3, 60}};

TEST_CASE("label TIFFs of every type and compression hold the labels") {
  ScratchFolder folder;
  const std::string path = folder / "labels.tiff";
  const Extent extent = GENERATE(from_range(std::begin(kExtents), std::end(kExtents)));
  const auto compression = GENERATE(Compression::none, Compression::deflate, Compression::lzw,
                                    Compression::zstd, Compression::packbits);
  const auto [type, bits, count] =
      GENERATE(std::tuple{LabelType::u8, 8, 255u}, std::tuple{LabelType::u16, 16, 65535u},
               std::tuple{LabelType::u32, 32, 4294967295u});
  if (TIFFIsCODECConfigured(scheme(compression)) == 0) {
    WARN("skipped: libtiff lacks compression " << scheme(compression));
    return;
  }
  CAPTURE(extent.width, extent.height, extent.depth, scheme(compression), bits);
  const LabelImage image = sample_labels(extent, count);
  save_labels(path, image, {.type = type, .compression = compression, .progress = {}});

  const std::vector<DecodedTiffPage> pages = read_tiff_pages(path);
  REQUIRE(pages.size() == static_cast<std::size_t>(extent.depth));
  CHECK(joined(pages) == values_of(image));
  CHECK_FALSE(is_big_tiff(path));
  CHECK(read_file(path).substr(0, 2) == "II");
  for (const DecodedTiffPage& page : pages) {
    CHECK(page.width == static_cast<std::uint32_t>(extent.width));
    CHECK(page.height == static_cast<std::uint32_t>(extent.height));
    CHECK(page.bits == bits);
    CHECK(page.samples == 1);
    CHECK(page.photometric == PHOTOMETRIC_MINISBLACK);
    CHECK(page.sample_format == SAMPLEFORMAT_UINT);
    CHECK(page.compression == scheme(compression));
  }
}

TEST_CASE("an almost empty volume compresses to next to nothing") {
  ScratchFolder folder;
  const std::string path = folder / "labels.tiff";
  const Extent extent{1000, 1700, 3};
  LabelImage image(extent, 0);
  std::fill_n(image.data(), extent.elements(), 0u);
  if (GENERATE(false, true)) image.data()[extent.elements() / 2] = 1;  // one strip is not empty
  save_labels(path, image);
  CHECK(joined(read_tiff_pages(path)) == values_of(image));
  CHECK(read_file(path).size() < 20000);
}

TEST_CASE("noise, and images that resemble noise, keep their labels") {
  ScratchFolder folder;
  const std::string path = folder / "labels.tiff";
  LabelImage image({1000, 1100, 1}, 60000);
  const int dense = GENERATE(1, 2, 31);  // every row, every second one, those that are looked at first
  for (int y = 0; y < 1100; ++y)
    for (int x = 0; x < 1000; ++x)
      image.data()[y * 1000 + x] =
          y % dense == 0 && x % 2 == 0 ? static_cast<Label>(1 + (y * 7 + x) % 60000) : 0;
  save_labels(path, image);
  CHECK(joined(read_tiff_pages(path)) == values_of(image));
}

TEST_CASE("progress goes from strip to strip up to all of it") {
  ScratchFolder folder;
  std::vector<double> shares;
  save_labels(folder / "labels.tiff", sample_labels({1024, 3000, 1}, 9),
              {.progress = [&](double share) { shares.push_back(share); }});
  CHECK(shares.size() == 6);
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.back() == 1.0);
}

TiffPages pages_of(Extent extent, int bits, Compression compression) {
  return {.strips = StripLayout(extent, bits),
          .bits_per_sample = bits,
          .compression = compression,
          .resolution = {},
          .description = {}};
}

TEST_CASE("an uncompressed stack is one block of samples, which ImageJ reads without looking at its pages") {
  ScratchFolder folder;
  const std::string path = folder / "labels.tiff";
  const Extent extent = GENERATE(Extent{40, 30, 7}, Extent{1023, 700, 5}, Extent{3, 1, 300});
  const bool big = GENERATE(false, true);
  const LabelImage image = sample_labels(extent, 60000);
  save_labels(path, image,
              {.compression = Compression::none,
               .big_tiff = big ? BigTiff::yes : BigTiff::automatic,
               .progress = {}});
  CHECK(is_big_tiff(path) == big);
  CHECK(joined(read_tiff_pages(path)) == values_of(image));

  const std::string content = read_file(path);
  const std::size_t slice = static_cast<std::size_t>(extent.width) * static_cast<std::size_t>(extent.height);
  const std::size_t first = first_strip_of(path);
  REQUIRE(content.size() >= first + slice * static_cast<std::size_t>(extent.depth) * 2);
  for (std::size_t i = 0; i < slice * static_cast<std::size_t>(extent.depth); ++i) {
    std::uint16_t value = 0;
    std::memcpy(&value, content.data() + first + i * 2, 2);
    if (value != image.data()[i]) FAIL("another label in slice " << i / slice);
  }
}

TEST_CASE("a resolution is stored as the fraction that it is") {
  ScratchFolder folder;
  const std::string path = folder / "labels.tiff";
  const double value = GENERATE(1.0, 72.0, 0.1, 300.5, 1.0 / 3, 3937.0078740157, 1e-9, 4294967295.0, 1e12);
  save_labels(path, sample_labels({4, 3, 1}, 3),
              {.geometry = {.resolution = {value, 2, ResolutionUnit::inch}}, .progress = {}});
  const DecodedTiffPage page = read_tiff_pages(path).at(0);
  CHECK(page.x_resolution == Approx(std::min(value, 4294967295.0)));
  CHECK(page.y_resolution == 2);
}

TEST_CASE("offsets of 64 bits are taken where 32 do not do, or when asked for") {
  // Compressed strips may end up to here, so many bytes of directories before 4 GiB.
  const auto last = [](Extent extent) {
    return last_classic_strip_end(pages_of(extent, 16, Compression::deflate));
  };
  const std::int64_t limit = std::int64_t{1} << 32;
  CHECK(last({1, 1, 1}) < limit);
  CHECK(last({1, 1, 1}) > limit - 300);
  CHECK(last({1, 1, 1000001}) < limit - 150'000'000);
  CHECK(last({1, 1, 1000001}) > limit - 250'000'000);
  CHECK(last({1, 1, 2000000000}) < 0);  // the pages themselves are too many

  ScratchFolder folder;
  const std::string path = folder / "labels.tiff";
  const LabelImage image = sample_labels({300, 200, 3}, 400);
  const BigTiff big = GENERATE(BigTiff::automatic, BigTiff::yes, BigTiff::no);
  const auto compression = GENERATE(Compression::none, Compression::deflate, Compression::lzw);
  save_labels(path, image, {.compression = compression, .big_tiff = big, .progress = {}});
  CHECK(is_big_tiff(path) == (big == BigTiff::yes));
  CHECK(joined(read_tiff_pages(path)) == values_of(image));
}

/// Labels that are nowhere in memory: background but for one label at the end.
class EmptyLabels final : public LabelRows {
 public:
  explicit EmptyLabels(Extent extent) : extent_(extent) {}
  Extent extent() const override { return extent_; }
  Label count() const override { return 1; }
  void render(std::int64_t row, std::int64_t rows, LabelsOut out, const Label*) const override {
    std::visit([&](auto* to) { fill(row, rows, to); }, out);
  }

 private:
  template <class T>
  void fill(std::int64_t row, std::int64_t rows, T* out) const {
    std::fill_n(out, rows * extent_.width, T{0});
    if (row + rows == extent_.rows()) out[rows * extent_.width - 1] = 1;
  }
  Extent extent_;
};

void save_empty(const std::string& path, Extent extent, const WriteOptions& options) {
  const EmptyLabels labels(extent);
  const std::vector<Label> no_map;
  SharedFile file(path, std::make_unique<AtomicFile>(path));
  SoloLink link;
  write_labels(link, file, LabelFormat::tiff, extent, {labels, no_map, 1}, options);
  file.made()->commit();
}

TEST_CASE("a classic TIFF that would pass 4 GiB is refused, without compression before anything is written") {
  ScratchFolder folder;
  const std::string path = folder / "labels.tiff";
  const WriteOptions options{.compression = Compression::none, .big_tiff = BigTiff::no, .progress = {}};
  const FileSizeLimit nothing(0);
  CHECK(error_code_of([&] { save_empty(path, {32768, 32768, 4}, options); }) == ErrorCode::data);
  CHECK(count_entries(folder.path()) == 0);
}

TEST_CASE("a compressed volume of more than 4 GiB of samples is a classic TIFF", "[.long]") {
  ScratchFolder folder;
  const std::string path = folder / "labels.tiff";
  save_empty(path, {20000, 20000, 6}, {});
  CHECK_FALSE(is_big_tiff(path));
  CHECK(read_file(path).size() < 30000000);
}

TEST_CASE("an uncompressed volume of more than 4 GiB is a BigTIFF", "[.long]") {
  ScratchFolder folder;
  const std::string path = folder / "labels.tiff";
  save_empty(path, {20000, 20000, 6}, {.compression = Compression::none, .progress = {}});
  CHECK(is_big_tiff(path));
}

}  // namespace
}  // namespace gpuccl::io
