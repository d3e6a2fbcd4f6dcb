// Label images of other programs.

#include "support/read_labels.hpp"

#include "support/memory_file.hpp"
#include "support/png_file.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

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
