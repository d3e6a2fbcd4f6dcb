// TIFF files as other programs write them, made here by libtiff.

#include <oneapi/tbb/global_control.h>

#include <bit>
#include <mutex>

#include "io/image/image_axes.hpp"
#include "io/tiff/tiff.hpp"
#include "support/bits.hpp"
#include "support/reading.hpp"
#include "support/test.hpp"
#include "support/tiff_bytes.hpp"
#include "support/tiff_file.hpp"

using namespace gpuccl;
using namespace gpuccl::io;
using tests::noise;
using tests::Options;
using tests::Read;
using tests::read;
using tests::refusal;
using tests::same_bits;
using tests::samples_of;
using tests::TiffPageToWrite;
using tests::write_tiff;

namespace {

struct OneFile {
  tests::MemoryFile file;
  const std::string path = file.path();
};

TiffPageToWrite page_of(const BitVolume& image, int z = 0, std::uint64_t foreground = 1, int bits = 1) {
  TiffPageToWrite page;
  page.width = static_cast<std::uint32_t>(image.extent().width);
  page.height = static_cast<std::uint32_t>(image.extent().height);
  page.bits = bits;
  page.samples = samples_of<std::uint64_t>(image, foreground, 0, z);
  return page;
}

std::vector<TiffPageToWrite> pages_of(const BitVolume& image) {
  std::vector<TiffPageToWrite> pages;
  for (int z = 0; z < image.extent().depth; ++z) pages.push_back(page_of(image, z));
  return pages;
}

void describe(TiffPageToWrite& page, const std::string& description, const std::string& software = {}) {
  page.more = [=](TIFF* tiff) {
    if (!description.empty()) TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description.c_str());
    if (!software.empty()) TIFFSetField(tiff, TIFFTAG_SOFTWARE, software.c_str());
  };
}

/// The samples of a TIFF of one page, by one thread or several, or the reason why there are none.
struct Samples {
  std::vector<std::byte> samples;
  std::string error;
  std::vector<std::string> warnings;

  bool operator==(const Samples&) const = default;
};

Samples samples_in(const std::string& path, bool threads) {
  Samples result;
  std::mutex mutex;
  ReadOptions options;
  options.warn = [&](const std::string& line) { result.warnings.push_back(line); };
  const auto source = open_tiff(std::make_shared<const InputFile>(path, 0), options);
  const auto pitch = static_cast<std::size_t>(source->format(0).row_bytes(source->info().extent.width));
  const auto height = static_cast<std::size_t>(source->info().extent.height);
  result.samples.resize(pitch * height);
  std::vector<int> handed_over(height);
  const auto sink = [&](const SampleRows& rows) {
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i) {
      const std::size_t y = static_cast<std::size_t>(rows.y) + i;
      ++handed_over[y];
      std::memcpy(result.samples.data() + y * pitch, rows.data + i * rows.pitch, pitch);
    }
  };
  try {
    if (threads) {
      source->decode(0, sink);
    } else {
      source->decode_from_top(0, sink);
    }
    CHECK(handed_over == std::vector<int>(height, 1));
  } catch (const Error& error) {
    result = {{}, error.what(), {}};
  }
  return result;
}

/// Enough for several parts.
TiffPageToWrite large_page(std::uint32_t seed, int channels = 1) {
  TiffPageToWrite page;
  page.width = 1500;
  page.height = 700;
  page.bits = 8;
  page.channels = channels;
  if (channels == 3) page.photometric = PHOTOMETRIC_RGB;
  std::mt19937 random(seed);
  page.samples.resize(std::size_t{1500} * 700 * static_cast<std::size_t>(channels));
  for (std::uint64_t& sample : page.samples) sample = random() % 8 == 0 ? random() % 256 : 0;
  return page;
}

/// `image` as a TIFF, a page a slice, the first one with `description`.
void write_described(const std::string& path, const BitVolume& image, const std::string& description) {
  std::vector<TiffPageToWrite> pages = pages_of(image);
  describe(pages.front(), description);
  write_tiff(path, pages);
}

}  // namespace

TEST_CASE_METHOD(OneFile, "strips, tiles, compressions, byte and bit orders make no difference") {
  const BitVolume image = noise({131, 53, 1}, 1);
  for (const char* mode : {"wl", "wb", "wl8", "wb8"})
    for (const int compression :
         {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS,
          COMPRESSION_ZSTD, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4, COMPRESSION_CCITTRLE}) {
      if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression)) == 0) continue;
      for (const int fill_order : {FILLORDER_MSB2LSB, FILLORDER_LSB2MSB})
        for (const int photometric : {PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE})
          for (const std::uint32_t rows_per_strip : {0u, 1u, 7u, 1000u, ~0u})
            for (const std::uint32_t tile_size : {0u, 16u, 64u, 144u}) {
              if (tile_size != 0 && rows_per_strip != 0) continue;
              if (rows_per_strip == ~0u && compression != COMPRESSION_NONE) continue;
              TiffPageToWrite page = page_of(image);
              page.compression = compression;
              page.fill_order = fill_order;
              page.photometric = photometric;
              page.rows_per_strip = rows_per_strip;
              page.tile_size = tile_size;
              if (photometric == PHOTOMETRIC_MINISWHITE)
                page.samples = samples_of<std::uint64_t>(image, 0, 1);
              write_tiff(path, {page}, mode);
              const Read result = read(path);
              CAPTURE(mode, compression, fill_order, photometric, rows_per_strip, tile_size);
              REQUIRE(same_bits(result.image, image));
              REQUIRE(result.warnings.empty());
            }
    }
}

TEST_CASE_METHOD(OneFile, "samples of any depth make the same image") {
  const BitVolume image = noise({37, 51, 1}, 2);
  for (const char* mode : {"wl", "wb"})
    for (const int bits : {1, 2, 4, 8, 12, 16, 24, 32, 64})
      for (const int format : {SAMPLEFORMAT_UINT, SAMPLEFORMAT_INT, SAMPLEFORMAT_IEEEFP}) {
        if (format == SAMPLEFORMAT_IEEEFP && bits < 32) continue;
        for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW})
          for (const std::uint32_t tile_size : {0u, 16u}) {
            TiffPageToWrite page = page_of(image, 0, 1, bits);
            page.sample_format = format;
            page.compression = compression;
            page.tile_size = tile_size;
            page.rows_per_strip = 5;
            write_tiff(path, {page}, mode);
            CAPTURE(mode, bits, format, compression, tile_size);
            const Read result = read(path);
            REQUIRE(same_bits(result.image, image));
            REQUIRE(result.info.bits_per_sample == bits);
          }
      }
}

TEST_CASE_METHOD(OneFile, "an index is foreground if its color is not black") {
  const BitVolume image = noise({45, 20, 1}, 6);
  for (const int bits : {1, 2, 4, 8}) {
    TiffPageToWrite page = page_of(image, 0, 0, bits);
    page.photometric = PHOTOMETRIC_PALETTE;
    page.samples = samples_of<std::uint64_t>(image, 0, 1);  // index 0 is bright
    page.more = [](TIFF* tiff) {
      std::vector<std::uint16_t> bright(256, 0), black(256, 0);
      bright[0] = 514;  // 2 of 255
      TIFFSetField(tiff, TIFFTAG_COLORMAP, black.data(), black.data(), bright.data());
    };
    write_tiff(path, {page});
    CAPTURE(bits);
    REQUIRE(same_bits(read(path).image, image));
    REQUIRE(same_bits(read(path, Options().above(0.227)).image, image));  // 0.114 * 2 is more
    REQUIRE(same_bits(read(path, Options().raw().invert()).image, image));
  }
}

TEST_CASE_METHOD(OneFile, "inks are the opposite of light") {
  const BitVolume image = noise({20, 20, 1}, 7);
  TiffPageToWrite page = page_of(image, 0, 1, 8);
  page.photometric = PHOTOMETRIC_SEPARATED;
  page.channels = 4;
  page.samples.clear();
  for (const std::uint64_t foreground : samples_of<std::uint64_t>(image, 1, 0))
    page.samples.insert(page.samples.end(), {0, 0, 0, foreground != 0 ? 100u : 255u});
  write_tiff(path, {page});
  REQUIRE(same_bits(read(path).image, image));
}

TEST_CASE_METHOD(OneFile, "an array of booleans that tifffile wrote is read as it is stored") {
  const BitVolume image = noise({45, 20, 1}, 8);
  const std::pair<const char*, const char*> origins[] = {
      {"{\"shape\": [20, 45]}", ""},
      {"", "tifffile.py"},
      {"<?xml version=\"1.0\"?><OME></OME>", "tifffile.py"}};
  for (const auto& [description, software] : origins) {
    TiffPageToWrite page = page_of(image);
    page.photometric = PHOTOMETRIC_MINISWHITE;
    describe(page, description, software);
    write_tiff(path, {page});
    CAPTURE(description, software);
    const Read result = read(path);
    REQUIRE(same_bits(result.image, image));
    REQUIRE(result.info.foreground_rule == "nonzero as stored (MinIsWhite of tifffile)");
    page.photometric = PHOTOMETRIC_MINISBLACK;  // nothing is to be explained
    write_tiff(path, {page});
    REQUIRE(same_bits(read(path).image, image));
    REQUIRE(read(path).info.foreground_rule == "nonzero");
  }
  TiffPageToWrite page = page_of(image);
  page.photometric = PHOTOMETRIC_MINISWHITE;
  write_tiff(path, {page});
  REQUIRE(!same_bits(read(path).image, image));
  REQUIRE(same_bits(read(path, Options().raw()).image, image));
}

TEST_CASE_METHOD(OneFile, "an index with transparency is read, and the transparency reported") {
  const BitVolume image = noise({45, 20, 1}, 6);
  for (const std::uint32_t tile_size : {0u, 16u}) {
    TiffPageToWrite page = page_of(image, 0, 0, 8);
    page.photometric = PHOTOMETRIC_PALETTE;
    page.channels = 2;
    page.tile_size = tile_size;
    page.samples.clear();
    for (const std::uint64_t index : samples_of<std::uint64_t>(image, 3, 4))
      page.samples.insert(page.samples.end(), {index, 4 - index});
    page.more = [](TIFF* tiff) {
      std::vector<std::uint16_t> bright(256, 0), black(256, 0);
      bright[3] = 514;
      TIFFSetField(tiff, TIFFTAG_COLORMAP, black.data(), black.data(), bright.data());
      const std::uint16_t kind = EXTRASAMPLE_UNASSALPHA;
      TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    };
    write_tiff(path, {page});
    CAPTURE(tile_size);
    const Read result = read(path);
    REQUIRE(same_bits(result.image, image));
    REQUIRE(result.warnings == std::vector<std::string>{"transparency ignored (channel 1)"});
    REQUIRE(result.info.foreground_rule == "palette luma > 0");
  }
}

TEST_CASE_METHOD(OneFile, "a predictor that the compression has not is ignored and reported") {
  const BitVolume image = noise({45, 20, 1}, 6);
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_PACKBITS, COMPRESSION_LZW}) {
    TiffPageToWrite page = page_of(image, 0, 1, 8);
    page.compression = COMPRESSION_LZW;
    page.more = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL); };
    if (compression != COMPRESSION_LZW) {
      // libtiff does not write such files: the tag of another name becomes it.
      page.compression = compression;
      page.more = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_THRESHHOLDING, 2); };
    }
    write_tiff(path, {page}, "wl");
    std::string content = read_file(path);
    if (compression != COMPRESSION_LZW) {
      const std::size_t at = content.find(std::string("\x07\x01\x03\0\x01\0\0\0\x02", 9));
      REQUIRE(at != std::string::npos);
      content.replace(at, 2, "\x3d\x01");
      file.write(content);
    }
    CAPTURE(compression);
    const Read result = read(path);
    REQUIRE(same_bits(result.image, image));
    REQUIRE(result.warnings ==
            (compression == COMPRESSION_LZW
                 ? std::vector<std::string>{}
                 : std::vector<std::string>{"predictor 2 ignored, its compression has none"}));
  }
}

namespace {

/// A JPEG-compressed TIFF of blocks of black and white, large enough to survive.
TiffPageToWrite jpeg_page(const BitVolume& blocks) {
  constexpr int kBlock = 16;
  TiffPageToWrite page;
  page.width = static_cast<std::uint32_t>(blocks.extent().width * kBlock);
  page.height = static_cast<std::uint32_t>(blocks.extent().height * kBlock);
  page.bits = 8;
  page.compression = COMPRESSION_JPEG;
  page.more = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_JPEGQUALITY, 100); };
  const auto values = samples_of<std::uint64_t>(blocks, 255, 0);
  for (std::uint32_t y = 0; y < page.height; ++y)
    for (std::uint32_t x = 0; x < page.width; ++x)
      page.samples.push_back(
          values[y / kBlock * static_cast<std::size_t>(blocks.extent().width) + x / kBlock]);
  return page;
}

std::uint16_t word_at(const std::string& bytes, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[at]) |
                                    static_cast<unsigned char>(bytes[at + 1]) << 8);
}

/// The offset of a tag's entry in the only directory of a little-endian TIFF.
std::size_t find_tag(const std::string& bytes, std::uint16_t tag) {
  const std::size_t directory = word_at(bytes, 4) | static_cast<std::size_t>(word_at(bytes, 6)) << 16;
  for (std::size_t i = 0; i < word_at(bytes, directory); ++i)
    if (word_at(bytes, directory + 2 + i * 12) == tag) return directory + 2 + i * 12;
  throw std::runtime_error("no such tag");
}

}  // namespace

TEST_CASE_METHOD(OneFile, "a strip of JPEG that is longer than its page is read and reported") {
  if (TIFFIsCODECConfigured(COMPRESSION_JPEG) == 0) return;
  const BitVolume blocks = noise({5, 4, 1}, 19);
  const Options options = Options().above(128);
  write_tiff(path, {jpeg_page(blocks)}, "wl");
  const Read whole = read(path, options);
  REQUIRE(whole.info.extent == Extent{80, 64, 1});
  REQUIRE(count_foreground(whole.image.view()) == count_foreground(blocks.view()) * 256);

  std::string content = read_file(path);
  content[find_tag(content, TIFFTAG_IMAGELENGTH) + 8] = 49;
  file.write(content);
  const Read cut = read(path, options);
  REQUIRE(cut.info.extent == Extent{80, 49, 1});
  REQUIRE(std::memcmp(cut.image.view().words, whole.image.view().words,
                      static_cast<std::size_t>(cut.image.bytes())) == 0);
  REQUIRE(cut.warnings.size() == 1);
  REQUIRE(cut.warnings[0].find("JPEG strip size exceeds expected dimensions") != std::string::npos);

  // A file whose end is cut off is damaged, and the first warning does not hide it.
  const std::size_t at = find_tag(content, TIFFTAG_STRIPBYTECOUNTS) + 8;
  const int half = word_at(content, at) / 2;
  content[at] = static_cast<char>(half);
  content[at + 1] = static_cast<char>(half >> 8);
  file.write(content);
  REQUIRE(error_code_of([&] { read(path, options); }) == ErrorCode::data);
}

TEST_CASE_METHOD(OneFile, "colors of a JPEG stream are those of RGB, subsampled or not") {
  if (TIFFIsCODECConfigured(COMPRESSION_JPEG) == 0) return;
  const BitVolume blocks = noise({5, 4, 1}, 29);
  const TiffPageToWrite gray = jpeg_page(blocks);
  for (const std::uint32_t tile_size : {0u, 32u})
    for (const int subsampling : {1, 2})
      for (const bool is_rgb : {false, true}) {
        TiffPageToWrite page = gray;
        page.channels = 3;
        page.photometric = is_rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_YCBCR;
        page.tile_size = tile_size;
        page.more = [=](TIFF* tiff) {
          TIFFSetField(tiff, TIFFTAG_JPEGQUALITY, 100);
          if (is_rgb) return;
          TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
          TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, subsampling, subsampling);
        };
        page.samples.clear();
        // Red or blue, of luma 59.8 and 29.07; of the three channels of YCbCr it is not so.
        for (const std::uint64_t sample : gray.samples)
          for (const std::uint64_t color : {sample != 0 ? 200u : 0u, 0u, sample != 0 ? 0u : 255u})
            page.samples.push_back(color);
        write_tiff(path, {page}, "wl");
        CAPTURE(tile_size, subsampling, is_rgb);
        const Read result = read(path, Options().above(45));
        REQUIRE(result.info.extent == Extent{80, 64, 1});
        REQUIRE(result.info.photometric == "rgb");
        REQUIRE(result.warnings.empty());
        std::int64_t unlike = 0;
        for (int y = 0; y < 64; ++y)
          for (int x = 0; x < 80; ++x) unlike += result.image(x, y) != blocks(x / 16, y / 16);
        REQUIRE(unlike == 0);
        REQUIRE(same_bits(read(path, Options().channel(0).above(100)).image, result.image));
      }
}

TEST_CASE_METHOD(OneFile, "YCbCr that is not of JPEG counts by its Y, and is refused if it is subsampled") {
  const BitVolume image = noise({16, 8, 1}, 30);
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW})
    for (const int planar : {PLANARCONFIG_CONTIG, PLANARCONFIG_SEPARATE})
      for (const int across : {1, 2}) {
        TiffPageToWrite page = page_of(image, 0, 1, 8);
        page.channels = 3;
        page.photometric = PHOTOMETRIC_YCBCR;
        page.compression = compression;
        page.planar = planar;
        page.samples.clear();
        for (const std::uint64_t luma : samples_of<std::uint64_t>(image, 101, 99))
          page.samples.insert(page.samples.end(), {luma, luma == 101 ? 0u : 255u, 128});
        // Samples of whole bytes, which a reader of blocks would misread.
        page.more = [=](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 1, 1); };
        write_tiff(path, {page}, "wl");
        if (across == 2) {
          std::string content = read_file(path);
          content[find_tag(content, TIFFTAG_YCBCRSUBSAMPLING) + 8] = 2;
          file.write(content);
        }
        CAPTURE(compression, planar, across);
        if (across == 2) {
          REQUIRE(refusal(path) == "subsampled ycbcr images are not supported unless compressed as jpeg");
          continue;
        }
        const Read result = read(path, Options().above(100));
        REQUIRE(same_bits(result.image, image));
        REQUIRE(result.info.photometric == "ycbcr");
        REQUIRE(result.info.foreground_rule == "luma > 100");
        REQUIRE(same_bits(read(path, Options().above(100).channel(1).invert()).image, image));
      }
}

TEST_CASE_METHOD(OneFile, "a JPEG stream of lossless coding is not called damaged") {
  if (TIFFIsCODECConfigured(COMPRESSION_JPEG) == 0) return;
  write_tiff(path, {jpeg_page(noise({5, 4, 1}, 20))}, "wl");
  std::string content = read_file(path);
  const std::size_t frame = content.find("\xff\xc0");
  REQUIRE(frame != std::string::npos);
  content[frame + 1] = '\xc3';
  file.write(content);
  REQUIRE(refusal(path) == "compression lossless JPEG is not supported");
}

TEST_CASE_METHOD(OneFile,
                 "the coefficients of a progressive JPEG stream count as memory before they are decoded") {
  if (TIFFIsCODECConfigured(COMPRESSION_JPEG) == 0) return;
  write_tiff(path, {jpeg_page(noise({5, 4, 1}, 21))}, "wl");
  std::string content = read_file(path);
  const std::int64_t baseline = open_reader(path, {})->buffer_bytes();
  const std::size_t frame = content.find("\xff\xc0");
  REQUIRE(frame != std::string::npos);
  content[frame + 1] = '\xc2';
  content[frame + 5] = content[frame + 6] = '\xff';  // 65535 rows
  file.write(content);
  const std::int64_t coefficients = open_reader(path, {})->buffer_bytes() - baseline;
  REQUIRE(coefficients >= std::int64_t{80} * 65535 * 2);
  REQUIRE(error_code_of([&] { open_reader(path, Options().memory(coefficients)); }) == ErrorCode::memory);

  content[frame + 7] = '\x01';  // 256 columns and more in a strip of 80
  file.write(content);
  REQUIRE(error_code_of([&] { open_reader(path, {}); }) == ErrorCode::data);
}

namespace {

TiffPageToWrite marked(TiffPageToWrite page, std::uint32_t type) {
  page.more = [type](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, type); };
  return page;
}

}  // namespace

TEST_CASE_METHOD(OneFile, "pages of a described stack that differ are refused with the difference") {
  for (const char* description :
       {"ImageJ=1.53t\nimages=2\nslices=2\n",
        "<OME><Image><Pixels SizeC=\"1\" SizeZ=\"2\" SizeT=\"1\"></Pixels></Image></OME>"}) {
    TiffPageToWrite first = page_of(noise({40, 30, 1}, 11));
    describe(first, description);
    const auto reason = [&](const TiffPageToWrite& second, const Options& options = {}) {
      write_tiff(path, {first, second});
      return refusal(path, options);
    };
    const TiffPageToWrite higher = page_of(noise({40, 31, 1}, 11));
    REQUIRE(reason(higher) == "page 1 is 40x31 but page 0 is 40x30");
    REQUIRE(reason(higher, Options().apart()) == "page 1 is 40x31 but page 0 is 40x30");
    REQUIRE(reason(page_of(noise({40, 30, 1}, 11), 0, 1, 8)) ==
            "page 1 has 1 samples of 8 bits per pixel, unlike page 0 with 1 of 1");
    TiffPageToWrite white = page_of(noise({40, 30, 1}, 11));
    white.photometric = PHOTOMETRIC_MINISWHITE;
    REQUIRE(reason(white) ==
            "page 1 is min-is-white but page 0 is min-is-black; --page N selects one, from 0");
  }
  TiffPageToWrite colour = page_of(noise({40, 30, 1}, 11), 0, 1, 8), with_alpha = colour;
  for (TiffPageToWrite* page : {&colour, &with_alpha}) {
    page->photometric = PHOTOMETRIC_RGB;
    page->planar = PLANARCONFIG_SEPARATE;
    page->channels = page == &colour ? 3 : 4;
    page->samples.assign(std::size_t{40} * 30 * static_cast<std::size_t>(page->channels), 1);
  }
  with_alpha.more = [](TIFF* tiff) {
    const std::uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
  };
  describe(colour, "ImageJ=1.53t\nimages=2\nslices=2\n");
  write_tiff(path, {colour, with_alpha});
  REQUIRE(refusal(path, {}) == "page 1 has 4 samples of 8 bits per pixel, unlike page 0 with 3 of 8");

  TiffPageToWrite first = page_of(noise({40, 30, 1}, 11));
  const std::string ome_image = "<Image><Pixels SizeC=\"1\" SizeZ=\"1\" SizeT=\"1\"></Pixels></Image>";
  describe(first, "<OME>" + ome_image + ome_image + "</OME>");
  write_tiff(path, {first, page_of(noise({40, 31, 1}, 11))});
  for (const Options& options : {Options(), Options().apart()})  // which helps no one here
    REQUIRE(refusal(path, options) == "contains 2 images; --series N selects one, from 0");
}

TEST_CASE_METHOD(OneFile, "pages that are alike and follow each other are an image of several") {
  const BitVolume volume = noise({40, 30, 3}, 20), small = noise({10, 8, 1}, 21),
                  gray = noise({40, 30, 1}, 22);
  const TiffPageToWrite thumbnail = marked(page_of(noise({20, 15, 1}, 23)), FILETYPE_REDUCEDIMAGE);
  const auto chosen = [&](int series) { return Options().series(series); };
  const TiffPageToWrite a = page_of(volume, 0), b = page_of(volume, 1), c = page_of(volume, 2);

  write_tiff(path, {page_of(small), a, thumbnail, b, c});
  REQUIRE(
      refusal(path) ==
      "contains 2 images (10x8, 3 pages of 40x30); --series N selects one, from 0, --per-slice labels each "
      "page separately");
  REQUIRE(same_bits(read(path, chosen(0)).image, small));
  REQUIRE(same_bits(read(path, chosen(1)).image, volume));
  REQUIRE(refusal(path, chosen(2)) == "has no series 2: there are 2 images, numbered from 0");

  write_tiff(path, {a, b, c, page_of(gray, 0, 200, 8), a});
  REQUIRE(
      refusal(path) ==
      "contains 3 images (3 pages of 40x30 of 1 bit min-is-black, 40x30 of 8 bits min-is-black, 40x30 of 1 "
      "bit min-is-black); --series N selects one, from 0");
  REQUIRE(same_bits(read(path, chosen(0)).image, volume));
  REQUIRE(same_bits(read(path, chosen(1)).image, gray));
  REQUIRE(refusal(path, Options().apart()) == refusal(path));

  // A page of an image that is not chosen need not be one that can be read.
  TiffPageToWrite other = page_of(small);
  other.compression = COMPRESSION_SGILOG;
  other.photometric = PHOTOMETRIC_LOGL;
  other.bits = 16;
  other.sample_format = SAMPLEFORMAT_INT;
  write_tiff(path, {other, a, b, c});
  REQUIRE(same_bits(read(path, chosen(1)).image, volume));
  REQUIRE(refusal(path, chosen(0)).find("not supported") != std::string::npos);

  // A single image need not be chosen, but may be; thumbnails alone are read.
  write_tiff(path, {thumbnail, marked(a, FILETYPE_PAGE), marked(b, FILETYPE_MASK), b, thumbnail, c});
  REQUIRE(same_bits(read(path).image, volume));
  write_tiff(path, {a, b, c});
  REQUIRE(same_bits(read(path, chosen(0)).image, volume));
  REQUIRE(refusal(path, chosen(1)) == "has no series 1: there is one, number 0");
  write_tiff(path, {thumbnail, marked(page_of(small), FILETYPE_REDUCEDIMAGE)});
  REQUIRE(same_bits(read(path, chosen(1)).image, small));
}

TEST_CASE_METHOD(OneFile, "pages of different size are slices with background around them") {
  const BitVolume wide = noise({150, 20, 1}, 26), high = noise({33, 90, 1}, 27), small = noise({5, 4, 1}, 28);
  std::vector<TiffPageToWrite> pages;
  for (const BitVolume* image : {&small, &wide, &high}) pages.push_back(page_of(*image, 0, 200, 8));
  pages[1].compression = COMPRESSION_LZW;
  pages[1].rows_per_strip = 7;
  write_tiff(path, pages);
  const auto on_page = [&](const BitVolume& image, bool inverted, int z, BitVolume& out) {
    for (int y = 0; y < image.extent().height; ++y)
      for (int x = 0; x < image.extent().width; ++x) out.set(x, y, z, image(x, y) != inverted);
  };
  for (const bool inverted : {false, true})
    for (const bool otsu : {false, true}) {
      Options options = Options().apart();
      options.foreground.invert = inverted;
      options.foreground.otsu = otsu;
      BitVolume expected({150, 90, 3});
      on_page(small, inverted, 0, expected);
      on_page(wide, inverted, 1, expected);
      on_page(high, inverted, 2, expected);
      CAPTURE(inverted, otsu);
      const Read result = read(path, options);
      REQUIRE(same_bits(result.image, expected));
      REQUIRE(result.info.has_smaller_pages);
      REQUIRE(result.warnings ==
              std::vector<std::string>{
                  "pages have different sizes; smaller ones are at the upper left of 150x90"});
      const auto reader = open_reader(path, options);
      for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 90; y += 30) {
          BitVolume rows({150, 30, 1});
          reader->read_rows(z, y, y + 30, rows);
          CAPTURE(z, y);
          REQUIRE(std::memcmp(rows.row(0), expected.row(y, z), static_cast<std::size_t>(rows.bytes())) == 0);
        }
      if (inverted) continue;
      const ValueImage values = reader->read_values(0, 3, 1);
      std::int64_t foreground = count_foreground(expected.view());
      REQUIRE(values.count_foreground() == foreground);
      for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 90; y += 18) {
          const ValueImage rows = reader->read_value_rows(z, y, y + 18, 1);
          for (std::int64_t row = 0; row < 18; ++row)
            REQUIRE(std::memcmp(rows.elements(row), values.elements(z * 90 + y + row), 150) == 0);
          foreground -= rows.count_foreground();
        }
      REQUIRE(foreground == 0);
    }
  Options limited = Options().apart();
  limited.limits.max_pixels = 3000;
  REQUIRE(refusal(path, limited).find("header claims 150x90") != std::string::npos);
}

TEST_CASE_METHOD(OneFile, "a stack of ImageJ has one directory for all slices") {
  const BitVolume image = noise({33, 14, 5}, 12);
  for (const char* mode : {"wl", "wb"}) {
    TiffPageToWrite page = page_of(image, 0, 300, 16);
    page.rows_per_strip = 4;
    describe(page, "ImageJ=1.53t\nimages=5\nslices=5\nunit=um\nspacing=2.5\nloop=false\n");
    // ImageJ writes the pixels of all slices before or after the directory, so the first strip is near the
    // start.
    write_tiff(path, {page}, mode);
    std::string content = read_file(path);
    const std::size_t slice_bytes = 33 * 14 * 2;
    std::string pixels;
    for (int z = 0; z < 5; ++z)
      for (const std::uint64_t sample : samples_of<std::uint64_t>(image, 300, 0, z)) {
        const char high = static_cast<char>(sample >> 8), low = static_cast<char>(sample & 255);
        pixels += mode[1] == 'b' ? std::string{high, low} : std::string{low, high};
      }
    // Here they go to the end of the file; the offsets of the four strips are moved there.
    const std::size_t at = content.find(pixels.substr(0, slice_bytes));
    REQUIRE(at != std::string::npos);
    REQUIRE(at < 256);
    const std::size_t moved = content.size();
    content += pixels;
    const auto number = [&](std::size_t value) {
      std::string bytes;
      for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 255));
      return mode[1] == 'b' ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
    };
    for (std::size_t strip = 0; strip < 4; ++strip) {
      const std::size_t offset = content.find(number(at + strip * 4 * 33 * 2), at + slice_bytes);
      REQUIRE(offset < moved);
      content.replace(offset, 4, number(moved + strip * 4 * 33 * 2));
    }
    write_file(path, content);
    const Read result = read(path);
    CAPTURE(mode);
    REQUIRE(same_bits(result.image, image));
    REQUIRE(result.info.geometry.spacing[2] == 2.5);
    REQUIRE(result.info.geometry.unit == io::LengthUnit::um);
    REQUIRE(result.warnings.empty());

    write_file(path, content.substr(0, content.size() - 1));
    REQUIRE(error_code_of([&] { read(path); }) == ErrorCode::data);
  }
}

TEST_CASE_METHOD(OneFile, "planes that differ along more than one axis are refused") {
  const BitVolume image = noise({20, 10, 6}, 13);
  for (const char* description :
       {"ImageJ=1.53t\nimages=6\nchannels=2\nslices=3\n", "ImageJ=1.53t\nimages=6\nframes=2\nslices=3\n",
        "<OME><Image><Pixels SizeX='20' SizeC='2' SizeZ='3' SizeT='1'></Pixels></Image></OME>",
        "<OME><Image><Pixels SizeX='20' SizeC='1' SizeZ='3' SizeT='2'></Pixels></Image></OME>",
        "<OME><Image><Pixels SizeC='1' SizeZ='7' SizeT='1'></Pixels></Image></OME>",
        "<OME><Image><Pixels SizeC='1' SizeZ='1' SizeT='6'></Pixels></Image></OME>"}) {
    CAPTURE(description);
    write_described(path, image, description);
    refusal(path);
  }

  write_described(
      path, image,
      "<OME><Image><Pixels SizeC=\"1\" SizeZ=\"6\" SizeT=\"1\" PhysicalSizeX=\"0.5\" PhysicalSizeY=\"0.25\" "
      "PhysicalSizeZ=\"3\"></Pixels></Image></OME>");
  const Read ome = read(path);
  REQUIRE(same_bits(ome.image, image));
  REQUIRE(ome.warnings.empty());
  REQUIRE(ome.info.geometry.spacing == io::Vector3{0.5, 0.25, 3});
  REQUIRE(ome.info.geometry.unit == io::LengthUnit::um);

  const auto geometry_of = [&](const std::string& units) {
    write_described(path, image,
                    "<OME><Image><Pixels SizeZ=\"6\" PhysicalSizeX=\"250\" PhysicalSizeY=\"250\" "
                    "PhysicalSizeZ=\"2\" " +
                        units + "></Pixels></Image></OME>");
    return read(path).info.geometry;
  };
  const io::Geometry converted =
      geometry_of("PhysicalSizeXUnit=\"nm\" PhysicalSizeYUnit=\"nm\" PhysicalSizeZUnit=\"\xc2\xb5m\"");
  REQUIRE(converted.unit == io::LengthUnit::nm);
  REQUIRE(converted.spacing == io::Vector3{250, 250, 2000});
  REQUIRE(geometry_of("PhysicalSizeXUnit=\"nm\" PhysicalSizeYUnit=\"nm\"").spacing[2] == 2000);
  REQUIRE(geometry_of("PhysicalSizeZUnit=\"pixel\"").spacing[2] == 0);
  REQUIRE_FALSE(geometry_of("PhysicalSizeXUnit='pixel' PhysicalSizeYUnit='mm'").is_known());

  // A unit without both sides of a pixel would be that of something else.
  for (const char* size :
       {"PhysicalSizeX=\"0.5\"", "PhysicalSizeZ=\"3\"", "PhysicalSizeX='0' PhysicalSizeY='2'"}) {
    write_described(path, image,
                    std::string("<OME><Image><Pixels SizeZ=\"6\" ") + size + "></Pixels></Image></OME>");
    const io::Geometry geometry = read(path).info.geometry;
    REQUIRE(geometry.unit == io::LengthUnit::unknown);
    REQUIRE(geometry.spacing == io::Vector3{});
  }
}

TEST_CASE_METHOD(OneFile, "channels and time points of ImageJ are no slices, also where there is one slice") {
  BitVolume image = noise({20, 10, 6}, 13);
  const auto slice = [&](int z) {
    BitVolume one({20, 10, 1});
    for (int y = 0; y < 10; ++y) std::copy_n(image.row(y, z), words_per_row(20), one.row(y));
    return one;
  };
  const auto write = [&](const char* axes) {
    write_described(path, image, std::string("ImageJ=1.53t\nimages=6\n") + axes);
  };
  const std::string apart = ", --per-slice labels each page separately";
  write("channels=6\nhyperstack=true\n");
  REQUIRE(refusal(path) == "contains 6 channels; --channel N selects one, from 0, --page 0..5 all as slices");
  REQUIRE(same_bits(read(path, Options().channel(4)).image, slice(4)));
  write("frames=6\n");
  REQUIRE(refusal(path) ==
          "contains 6 time points; --frame N selects one, from 0, --page 0..5 all as slices" + apart);
  REQUIRE(same_bits(read(path, Options().frame(2)).image, slice(2)));
  write("channels=2\nframes=3\n");
  REQUIRE(refusal(path, Options().channel(0)) == "contains 3 time points; --frame N selects one, from 0");
  // Pages that are labeled each on its own may be of any time, those chosen as such whatever they are.
  REQUIRE(refusal(path, Options().apart()) ==
          "contains 2 channels; --channel and --frame select what to read");
  REQUIRE(same_bits(read(path, Options().pages(0, 6)).image, image));
  REQUIRE(same_bits(read(path, Options().pages(3, 4)).image, slice(3)));
  REQUIRE(refusal(path, Options().pages(5, 8)) == "has no page 6: there are 6, numbered from 0");
  write("slices=2\nframes=3\n");
  REQUIRE(same_bits(read(path, Options().apart()).image, image));
}

TEST_CASE_METHOD(OneFile, "pages are chosen of a file whose pages are of any size") {
  const BitVolume first = noise({20, 10, 1}, 13), second = noise({33, 7, 1}, 14);
  write_tiff(path, {page_of(first), page_of(second)});
  REQUIRE(same_bits(read(path, Options().pages(1, 2)).image, second));
  REQUIRE(refusal(path, Options().pages(2, 3)) == "has no page 2: there are 2, numbered from 0");
  write_tiff(path, {page_of(first)});
  REQUIRE(refusal(path, Options().pages(2, 3)) == "has no page 2: there is one, number 0");
}

TEST_CASE_METHOD(OneFile, "a composite of ImageJ with its channels in each pixel is read by channel") {
  const BitVolume image = noise({20, 10, 1}, 17);
  TiffPageToWrite page = page_of(image, 0, 500, 16);
  std::vector<std::uint64_t> samples;
  for (const std::uint64_t sample : page.samples) samples.insert(samples.end(), {7, 0, sample});
  page.samples = samples;
  page.channels = 3;
  page.photometric = PHOTOMETRIC_RGB;
  // Fiji writes, for a composite with one slice, the number of channels or only the mode, but no images=.
  for (const char* text :
       {"ImageJ=1.54f\nimages=3\nchannels=3\nmode=composite\n",
        "ImageJ=1.53t\nchannels=3\nmode=composite\nloop=false\nmin=0.0\nmax=100.0\n",
        "ImageJ=1.53t\nchannels=3\nmode=color\nunit=micron\n", "ImageJ=1.54f\nmode=color\n"}) {
    CAPTURE(text);
    describe(page, text);
    write_tiff(path, {page});
    REQUIRE(refusal(path) == "contains 3 channels; --channel N selects one, from 0");
    const Read blue = read(path, Options().channel(2));
    REQUIRE(same_bits(blue.image, image));
    REQUIRE(blue.warnings.empty());
  }
  describe(page, "ImageJ=1.54f\n");  // colors
  write_tiff(path, {page});
  REQUIRE(read(path).info.foreground_rule == "luma > 0");
}

TEST_CASE_METHOD(OneFile, "ImageJ omits a slice distance of 1, which the unit implies") {
  const auto spacing_with = [&](int depth, const std::string& text) {
    std::vector<TiffPageToWrite> pages = pages_of(noise({20, 10, depth}, 13));
    pages.front().more = [text](TIFF* tiff) {
      TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, text.c_str());
      TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 2.0);
      TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 4.0);
    };
    write_tiff(path, pages);
    return read(path).info.geometry.spacing;
  };
  CHECK(spacing_with(3, "ImageJ=1.53t\nimages=3\nslices=3\nunit=micron\n") == Vector3{0.5, 0.25, 1});
  CHECK(spacing_with(3, "ImageJ=1.53t\nimages=3\nunit=mm\n") == Vector3{0.5, 0.25, 1});
  CHECK(spacing_with(3, "ImageJ=1.53t\nimages=3\nunit=mm\nspacing=3\n") == Vector3{0.5, 0.25, 3});
  CHECK(spacing_with(3, "ImageJ=1.54p\nslices=3\nunit=cm\nyunit=mm\nzunit=um\nspacing=20\n") ==
        Vector3{0.5, 0.025, 0.002});
  CHECK(spacing_with(1, "ImageJ=1.54p\nunit=\\u03BCm\nyunit=nm\n") == Vector3{0.5, 0.00025, 0});
  CHECK(spacing_with(1, "ImageJ=1.54p\nunit=um\nyunit=pixel\n") == Vector3{});
  CHECK(spacing_with(3, "ImageJ=1.53t\nimages=3\n") == Vector3{});
  CHECK(spacing_with(1, "ImageJ=1.53t\nunit=mm\n") == Vector3{0.5, 0.25, 0});
}

namespace {

/// A page of 8-bit samples, 4 x 2 x `channels` in planes, for tiff_of_pages().
struct VendorPage {
  std::string samples = {};
  int channels = 1;
  bool is_thumbnail = false;
  std::string text = {};
  std::vector<std::pair<tests::TiffTag, std::string>> tags = {};  // with their values, of more than 4 bytes
};

/// A little-endian TIFF with private tags. The samples of the first page end the file, so that others may
/// follow.
std::string tiff_of_pages(const std::vector<VendorPage>& pages) {
  constexpr std::uint32_t kStrips = 273, kBytes = 279, kDescription = 270;
  std::string bytes = tests::tiff_of_tags({}).substr(0, 4);
  tests::append_number(bytes, 8, 4);
  std::vector<std::size_t> samples_of_first;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const VendorPage& page = pages[i];
    const auto channels = static_cast<std::uint32_t>(page.channels);
    std::vector<std::pair<tests::TiffTag, std::string>> tags = page.tags;
    const auto number = [&](std::uint16_t tag, std::uint32_t value) {
      tags.push_back({{tag, 3, 1, value}, {}});
    };
    const auto numbers = [&](std::uint32_t tag, std::uint32_t first, std::uint32_t step) {
      std::string list;
      for (std::uint32_t k = 0; k < channels; ++k) tests::append_number(list, first + k * step, 4);
      tags.push_back({{static_cast<std::uint16_t>(tag), 4, channels, first}, channels > 1 ? list : ""});
    };
    if (page.is_thumbnail) tags.push_back({{254, 4, 1, FILETYPE_REDUCEDIMAGE}, {}});
    for (const auto& [tag, value] :
         {std::pair{256, 4}, {257, 2}, {258, 8}, {259, 1}, {262, 1}, {278, 2}, {284, 2}})
      number(static_cast<std::uint16_t>(tag), static_cast<std::uint32_t>(value));
    number(277, channels);
    if (channels > 1) tags.push_back({{338, 3, channels - 1, 0}, {}});
    if (!page.text.empty())
      tags.push_back({{kDescription, 2, static_cast<std::uint32_t>(page.text.size() + 1), 0},
                      page.text + std::string(1, '\0')});
    numbers(kBytes, 8, 0);
    numbers(kStrips, 0, 0);
    std::sort(tags.begin(), tags.end(),
              [](const auto& a, const auto& b) { return a.first.tag < b.first.tag; });

    std::size_t end = bytes.size() + 2 + tags.size() * 12 + 4, at_strips = 0;
    std::string values, directory;
    tests::append_number(directory, tags.size(), 2);
    for (const auto& [tag, value] : tags) {
      tests::append_number(directory, tag.tag, 2);
      tests::append_number(directory, tag.type, 2);
      tests::append_number(directory, tag.count, 4);
      if (tag.tag == kStrips)
        at_strips = value.empty() ? bytes.size() + directory.size() : end + values.size();
      tests::append_number(directory, value.empty() ? tag.value : end + values.size(), 4);
      values += value;
    }
    end += values.size();
    const std::string other_samples = i == 0 ? "" : page.samples;
    tests::append_number(directory, i + 1 < pages.size() ? end + other_samples.size() : 0, 4);
    bytes += directory + values + other_samples;
    for (std::uint32_t k = 0; k < channels; ++k) {
      if (i == 0) samples_of_first.push_back(at_strips + std::size_t{4} * k);
      std::string offset;
      tests::append_number(offset, end + std::size_t{8} * k, 4);
      bytes.replace(at_strips + std::size_t{4} * k, 4, offset);
    }
  }
  for (std::size_t k = 0; k < samples_of_first.size(); ++k) {
    std::string offset;
    tests::append_number(offset, bytes.size() + 8 * k, 4);
    bytes.replace(samples_of_first[k], 4, offset);
  }
  return bytes + pages.front().samples;
}

std::pair<tests::TiffTag, std::string> long_tag(int tag, const std::string& value) {
  return {{static_cast<std::uint16_t>(tag), 1, static_cast<std::uint32_t>(value.size()), 0}, value};
}

/// UIC2Tag of MetaMorph with these distances in z, and times.
std::pair<tests::TiffTag, std::string> metamorph_tag(const std::vector<std::pair<int, int>>& planes) {
  std::string value;
  for (const auto& [distance, time] : planes)
    for (const int number : {distance, 1000, 2450000, time, 2450000, 0})
      tests::append_number(value, static_cast<std::uint64_t>(number), 4);
  return {{33629, 5, static_cast<std::uint32_t>(planes.size()), 0}, value};
}

/// CZ_LSMINFO of Zeiss.
std::pair<tests::TiffTag, std::string> zeiss_tag(int scan, int slices, int channels, int frames,
                                                 int positions = 1) {
  std::string value(512, '\0');
  const auto put = [&](std::size_t offset, std::uint64_t number, int bytes) {
    std::string text;
    tests::append_number(text, number, bytes);
    value.replace(offset, text.size(), text);
  };
  put(16, static_cast<std::uint64_t>(slices), 4);
  put(20, static_cast<std::uint64_t>(channels), 4);
  put(24, static_cast<std::uint64_t>(frames), 4);
  for (const std::size_t i : {0, 1, 2})
    put(40 + 8 * i, std::bit_cast<std::uint64_t>(i == 2 ? 1e-6 : 0.25e-6), 8);
  put(88, static_cast<std::uint64_t>(scan), 2);
  put(264, static_cast<std::uint64_t>(positions), 4);
  return long_tag(34412, value);
}

/// Eight samples, of which only sample `place` is foreground.
std::string one_at(std::size_t place) {
  std::string samples(8, '\0');
  samples[place] = 1;
  return samples;
}

/// The places of the only foreground sample in each slice that is read.
std::vector<int> image_places(const std::string& path, const ReadOptions& options = {}) {
  const BitVolume image = read(path, options).image;
  std::vector<int> places;
  for (int z = 0; z < image.extent().depth; ++z)
    for (int i = 0; i < 8; ++i)
      if (image(i % 4, i / 4, z)) places.push_back(i);
  return places;
}

}  // namespace

TEST_CASE_METHOD(OneFile, "planes of MetaMorph and NIH Image follow the only page") {
  const auto write = [&](const std::pair<tests::TiffTag, std::string>& tag, const std::string& behind) {
    write_file(path, tiff_of_pages({{.samples = one_at(1), .tags = {tag}}}) + behind);
  };
  const std::string behind = one_at(3) + one_at(6);
  write(metamorph_tag({{500, 0}, {500, 9}, {500, 20}}), behind);
  REQUIRE(image_places(path) == std::vector{1, 3, 6});
  write(metamorph_tag({{0, 7}, {0, 7}, {0, 7}}), behind);
  REQUIRE(image_places(path) == std::vector{1, 3, 6});
  write(metamorph_tag({{0, 0}, {0, 9}, {0, 20}}), behind);
  REQUIRE(refusal(path) ==
          "contains 3 time points; --frame N selects one, from 0, --page 0..2 all as slices, "
          "--per-slice labels each page separately");
  REQUIRE(image_places(path, Options().frame(2)) == std::vector{6});
  REQUIRE(image_places(path, Options().pages(1, 3)) == std::vector{3, 6});
  write(metamorph_tag({{500, 0}, {500, 9}, {500, 20}}), one_at(3));
  REQUIRE(refusal(path) == "its description lists 3 images, but the file ends after 2");

  const auto nih_tag = [](int type) {
    std::string header(512, '\0');
    header[260] = 3;
    header[310] = static_cast<char>(type);
    return long_tag(43314, header);
  };
  write(nih_tag(0), behind);
  REQUIRE(image_places(path) == std::vector{1, 3, 6});
  write(nih_tag(2), behind);
  REQUIRE(refusal(path).starts_with("contains 3 time points; "));
  REQUIRE(image_places(path, Options().frame(1)) == std::vector{3});
  write(nih_tag(1), behind);
  REQUIRE(refusal(path).starts_with("contains 3 channels; "));
  REQUIRE(image_places(path, Options().channel(2)) == std::vector{6});
}

TEST_CASE_METHOD(OneFile, "planes of MetaMorph that are compressed are refused, not dropped") {
  std::string content = tiff_of_pages({{.samples = one_at(1), .tags = {metamorph_tag({{5, 0}, {5, 1}})}}});
  std::string compression;
  for (const int number : {259, 3}) tests::append_number(compression, static_cast<std::uint64_t>(number), 2);
  tests::append_number(compression, 1, 4);
  const std::size_t at = content.find(compression);
  REQUIRE(at != std::string::npos);
  content[at + 8] = static_cast<char>(32773 & 255);
  content[at + 9] = static_cast<char>(32773 >> 8);
  write_file(path, content + one_at(3));
  REQUIRE(refusal(path) ==
          "contains 2 planes behind its only page, compressed or in an unknown order; convert it to OME-TIFF "
          "with bfconvert, --page 0 reads the first");
}

TEST_CASE_METHOD(OneFile, "channels, slices and time points of a Zeiss LSM are those of its tag") {
  const VendorPage thumbnail = {.samples = one_at(0), .is_thumbnail = true};
  const auto write = [&](const std::pair<tests::TiffTag, std::string>& tag, int pages, int channels) {
    std::vector<VendorPage> all;
    for (int i = 0; i < pages; ++i) {
      VendorPage page = {.samples = "", .channels = channels};
      for (int k = 0; k < channels; ++k) page.samples += one_at(static_cast<std::size_t>(i + 3 * k) % 8);
      if (i == 0) page.tags = {tag};
      all.push_back(page);
      all.push_back(thumbnail);
    }
    write_file(path, tiff_of_pages(all));
  };
  write(zeiss_tag(3, 1, 1, 3), 3, 1);
  REQUIRE(refusal(path) ==
          "contains 3 time points; --frame N selects one, from 0, --page 0..2 all as slices, "
          "--per-slice labels each page separately");
  REQUIRE(image_places(path, Options().frame(1)) == std::vector{1});
  write(zeiss_tag(0, 3, 1, 1), 3, 1);
  REQUIRE(image_places(path) == std::vector{0, 1, 2});
  const Geometry geometry = read(path).info.geometry;
  REQUIRE(geometry.unit == LengthUnit::um);
  REQUIRE(geometry.spacing == Vector3{0.25, 0.25, 1});
  write(zeiss_tag(6, 2, 2, 3), 6, 2);
  REQUIRE(refusal(path) == "contains 2 channels; --channel N selects one, from 0");
  REQUIRE(refusal(path, Options().channel(1)) == "contains 3 time points; --frame N selects one, from 0");
  REQUIRE(image_places(path, Options().channel(1).frame(2)) == std::vector{7, 0});
  write(zeiss_tag(6, 2, 1, 3), 5, 1);
  REQUIRE(refusal(path, Options().frame(2)) ==
          "its description lists 6 planes or more, but the file contains 5");
  write(zeiss_tag(3, 1, 1, 2, 2), 4, 1);
  REQUIRE(refusal(path).starts_with("contains 4 pages, whose axes only the private tags of Zeiss LSM with "));
}

TEST_CASE_METHOD(OneFile, "pages whose axes only private tags of other vendors specify are refused") {
  const auto check = [&](VendorPage page, const std::string& vendor) {
    CAPTURE(vendor);
    page.samples = one_at(2);
    write_file(path, tiff_of_pages({page, {.samples = one_at(5)}}));
    REQUIRE(refusal(path) ==
            "contains 2 pages, whose axes only the private tags of " + vendor +
                " specify; --page N selects one, from 0, --page 0..1 all as slices, --per-slice "
                "labels each page separately");
    REQUIRE(image_places(path, Options().pages(0, 2)) == std::vector{2, 5});
    REQUIRE(read(path, Options().apart()).info.extent.depth == 2);
    write_file(path, tiff_of_pages({page}));
    REQUIRE(image_places(path) == std::vector{2});
  };
  check({.tags = {long_tag(33560, "SIS0 data")}}, "Olympus SIS");
  check({.tags = {long_tag(34361, "FluoView")}}, "Olympus FluoView");
  check({.tags = {long_tag(4864, "12345678")}}, "Andor");
  check({.tags = {long_tag(51123, "{\"Frames\": 2}")}}, "Micro-Manager");
  check({.text = "state.configPath='C:/'"}, "ScanImage");
}

TEST_CASE_METHOD(OneFile, "a palette in which ImageJ displays one channel is no data") {
  const BitVolume image = noise({20, 10, 1}, 18);
  using Color = std::array<double, 3>;
  const auto write = [&](const std::function<Color(int)>& color, const char* description) {
    TiffPageToWrite page = page_of(image, 0, 120, 8);
    for (std::uint64_t& sample : page.samples) sample = sample == 0 ? 80 : sample;
    page.photometric = PHOTOMETRIC_PALETTE;
    page.more = [=](TIFF* tiff) {
      std::vector<std::uint16_t> map[3];
      for (int i = 0; i < 256; ++i)
        for (std::size_t c = 0; c < 3; ++c)
          map[c].push_back(static_cast<std::uint16_t>(std::lround(color(i)[c]) * 257));
      TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0].data(), map[1].data(), map[2].data());
      TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description);
    };
    write_tiff(path, {page});
  };
  const auto above_100 = [&](PaletteUse palette) {
    Options options = Options().above(100);
    options.palette = palette;
    return read(path, options);
  };
  const char* const imagej = "ImageJ=1.53t\n";
  const std::function<Color(int)> red = [](int i) { return Color{i * 1.0, 0, 0}; };
  const std::function<Color(int)> teal = [](int i) { return Color{0, i * 0.6, i * 0.8}; };
  const std::function<Color(int)> inverted = [](int i) { return Color{255.0 - i, 255.0 - i, 255.0 - i}; };
  const std::function<Color(int)> steep = [](int i) {  // a display range
    const double gray = std::clamp(2.0 * i - 80, 0.0, 255.0);
    return Color{gray, gray, gray};
  };
  for (const auto& color : {red, teal, inverted, steep}) {
    write(color, imagej);
    const Read result = above_100(PaletteUse::automatic);
    REQUIRE(same_bits(result.image, image));
    REQUIRE(result.info.photometric == "palette");
    REQUIRE(result.info.foreground_rule == "value > 100");
    REQUIRE(result.warnings.empty());
  }
  write(red, imagej);
  REQUIRE(count_foreground(above_100(PaletteUse::luma).image.view()) == 0);  // 0.299 of 120
  write(red, "a camera");
  const Read by_luma = above_100(PaletteUse::automatic);
  REQUIRE(count_foreground(by_luma.image.view()) == 0);
  REQUIRE(by_luma.warnings.size() == 1);
  REQUIRE(same_bits(above_100(PaletteUse::index).image, image));
  write([](int i) { return Color{i * 1.0, i * 1.0, i * 1.0}; }, "a camera");
  REQUIRE(same_bits(above_100(PaletteUse::automatic).image, image));
  REQUIRE(above_100(PaletteUse::automatic).warnings.empty());
  write([](int i) { return Color{i * 1.0, 255.0 - i, 0}; }, imagej);
  REQUIRE(read(path).warnings ==
          std::vector<std::string>{
              "has a palette of several colors; their luma is read, --palette index reads the samples"});
}

TEST_CASE_METHOD(OneFile,
                 "tags larger than the limit of memory are read, and tags that libtiff drops get a warning") {
  const BitVolume image = noise({20, 10, 6}, 19);
  const Options options = Options().memory(64 << 10);
  write_described(path, image, "ImageJ=1.53t\nimages=6\nslices=6\nInfo=" + std::string(200'000, 'x') + "\n");
  REQUIRE(read(path, options).image.extent() == image.extent());

  TiffPageToWrite page = page_of(image, 0, 0, 16);
  page.photometric = PHOTOMETRIC_PALETTE;
  page.samples = samples_of<std::uint64_t>(image, 40'000, 0);
  page.more = [](TIFF* tiff) {
    std::vector<std::uint16_t> map(65536, 0);
    map[40'000] = 65535;
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data(), map.data());
  };
  write_tiff(path, {page});
  REQUIRE(count_foreground(read(path, options).image.view()) > 0);

  // A tag that no memory is enough for is an error, and one that libtiff drops for its type is said.
  write_described(path, image, std::string(17 << 20, 'x'));
  refusal(path, Options().memory(1 << 20), ErrorCode::memory);
  write_described(path, noise({20, 10, 1}, 19), "12345678");
  std::string content = read_file(path);
  const std::string entry = {0x0e, 0x01, 0x02, 0x00};  // ImageDescription, text
  const std::size_t at = content.find(entry);
  REQUIRE(at != std::string::npos);
  content[at + 2] = 0x0c;  // a double
  write_file(path, content);
  REQUIRE(read(path).warnings.size() == 1);
  REQUIRE(read(path).warnings[0].starts_with("libtiff: "));
}

TEST_CASE_METHOD(OneFile, "a private tag that libtiff cannot read is said, and the image is read") {
  const std::uint32_t pixels = tests::tiff_data_offset(9);
  write_file(path, tests::tiff_of_tags({{256, 3, 1, 2},
                                        {257, 3, 1, 1},
                                        {258, 3, 1, 8},
                                        {259, 3, 1, 1},
                                        {262, 3, 1, 1},
                                        {273, 4, 1, pixels},
                                        {278, 3, 1, 1},
                                        {279, 4, 1, 2},
                                        {34022, 1, 0, 0}},
                                       std::string{9, 0}));
  const auto found = read(path);
  REQUIRE(count_foreground(found.image.view()) == 1);
  REQUIRE(found.warnings.size() == 1);
  REQUIRE(found.warnings[0].find("34022") != std::string::npos);
}

TEST_CASE_METHOD(OneFile,
                 "OME-XML is read by its elements, in any namespace, and in time that its length bounds") {
  const BitVolume image = noise({20, 10, 6}, 13);
  const auto depth_with = [&](const std::string& xml, const ReadOptions& options) {
    write_described(path, image, xml);
    return read(path, options).info;
  };
  const std::string pixels =
      "<OME:Pixels DimensionOrder='XYZCT' SizeC='2' SizeZ='3' SizeT='1' PhysicalSizeX='2' "
      "PhysicalSizeY='2'/>";
  const std::string text =
      "<?xml version='1.0'?><!-- <Pixels SizeC='9'/> --><OME:OME xmlns:OME='x'><OME:Image>" + pixels +
      "</OME:Image></OME:OME>";
  REQUIRE(depth_with(text, Options().channel(1)).extent.depth == 3);
  REQUIRE(depth_with(text, Options().channel(1)).geometry.spacing[0] == 2);
  // The root may follow anything that XML allows, in a namespace of any name.
  for (const std::string& before :
       {"\n <?xml version='1.0'?>\n<!--" + std::string(1000, 'x') + "-->", std::string(),
        std::string("<?xml version='1.0' encoding='UTF-8'?><?style x?><!DOCTYPE OME>")})
    for (const std::string& prefix : {std::string(), std::string("ome:"), std::string("a-b:")}) {
      CAPTURE(before, prefix);
      const std::string pixels_of = "<" + prefix +
                                    "Pixels DimensionOrder='XYZCT' SizeC='2' SizeZ='3' SizeT='1'></" +
                                    prefix + "Pixels>";
      write_described(path, image,
                      before + "<" + prefix + "OME><" + prefix + "Image>" + pixels_of + "</" + prefix +
                          "Image></" + prefix + "OME>");
      REQUIRE(refusal(path) == "contains 2 channels; --channel N selects one, from 0");
    }
  write_described(path, image, "<html><OME><Image><Pixels SizeC='2' SizeZ='3'/></Image></OME></html>");
  REQUIRE(read(path).info.extent.depth == 6);
  // Channels have names.
  const std::string named =
      "<OME><Image><Pixels SizeC='2' SizeZ='3'><Channel Name='DAPI'/><Channel Name='GFP'/></Pixels></Image>"
      "</OME>";
  REQUIRE(depth_with(named, Options().channel("GFP")).extent.depth == 3);
  REQUIRE(same_bits(read(path, Options().channel(1)).image, read(path, Options().channel("GFP")).image));
  REQUIRE(refusal(path) == "contains 2 channels (0 DAPI, 1 GFP); --channel N selects one, from 0");
  REQUIRE(refusal(path, Options().channel("RFP")) ==
          "has no 'RFP' among its channels (0 DAPI, 1 GFP); --channel N selects one, from 0");
  REQUIRE(refusal(path, Options().channel("GFP").pages(0, 1)) ==
          "--page numbers the pages of the file, over all channels and time points; leave out --page or "
          "--channel, whose pages are 3, 4, 5");
  REQUIRE(refusal(path, Options().channel(0).frame(0).pages(0, 1))  // of one time point
              .ends_with("leave out --page or --channel, whose pages are 0, 1, 2"));
  REQUIRE(read(path, Options().frame(0).pages(0, 1)).info.extent.depth == 1);
  const std::string long_name(39, 'x');
  CHECK(channels_in_words({"", long_name + "\u00e9"}) == "channels (0, 1 " + long_name + "...)");
  write_described(path, image, text);
  REQUIRE(refusal(path, Options().channel("RFP")) ==
          "does not name its channels; --channel N selects one, from 0");
  // The size of pixels is that of the image that is chosen.
  const auto image_of = [](const char* size) {
    return "<Image><Pixels SizeZ='3' PhysicalSizeX='" + std::string(size) + "' PhysicalSizeY='1'/></Image>";
  };
  const std::string two_images = "<OME>" + image_of("0.5") + image_of("4") + "</OME>";
  REQUIRE(depth_with(two_images, Options().series(1)).geometry.spacing[0] == 4);
  write_described(path, image,
                  "<OME><Image><Pixels SizeZ='6'><TiffData IFD='3' FirstZ='0'/><TiffData IFD='0' FirstZ='3'/>"
                  "</Pixels></Image></OME>");
  REQUIRE(refusal(path).starts_with("stores its planes in other files or in an unsupported order"));

  std::string many = "<OME><Image><Pixels SizeZ='6'>";
  for (int i = 0; i < 20'000; ++i) many += "<TiffData FirstZ='0'/><Pixels /><Pixels ";
  const auto begin = std::chrono::steady_clock::now();
  write_described(path, image, many);
  try {
    read(path);
  } catch (const Error&) {
  }
  REQUIRE(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

TEST_CASE("the name of an OME-TIFF without OME-XML, and OME-XML in another file, are warned of") {
  const ScratchFolder folder;
  const BitVolume image = noise({20, 10, 2}, 13);
  const std::string warning = "is named as an OME-TIFF, but contains no OME-XML";
  const auto warnings_of = [&](const std::string& name, const std::string& description) {
    write_described(folder / name, image, description);
    return read(folder / name).warnings;
  };
  CHECK(warnings_of("a.ome.tif", "") == std::vector{warning});
  CHECK(warnings_of("a.OME.TIFF", "ImageJ=1.53t\nimages=2\nslices=2\n") == std::vector{warning});
  CHECK(warnings_of("a.tif", "").empty());
  CHECK(warnings_of("b.ome.tif", "<OME><Image><Pixels SizeZ='2'/></Image></OME>").empty());
  CHECK(warnings_of("c.ome.tif", "<OME><BinaryOnly MetadataFile='x.companion.ome'/></OME>") ==
        std::vector<std::string>{
            "its OME-XML is in x.companion.ome, which is not read; pages are read as slices"});
}

TEST_CASE_METHOD(
    OneFile, "several images, and arrays of more than three axes, are named and not joined into one volume") {
  const BitVolume image = noise({20, 10, 6}, 13);
  const auto refused = [&](const std::string& description) {
    write_described(path, image, description);
    return refusal(path);
  };
  const std::string apart = ", --per-slice labels each page separately";
  const std::string take_frame = "; --frame N selects one, from 0" + apart;
  const auto ome_image = [](int slices) {
    return "<Image ID=\"x\"><Pixels ID=\"y\" SizeC=\"1\" SizeT=\"1\" SizeZ=\"" + std::to_string(slices) +
           "\"></Pixels></Image>";
  };
  REQUIRE(refused("<OME>" + ome_image(3) + ome_image(3) + "</OME>") ==
          "contains 2 images; --series N selects one, from 0" + apart);
  write_described(path, image, "<OME>" + ome_image(6) + ome_image(6) + "</OME>");  // the other is elsewhere
  REQUIRE(same_bits(read(path).image, image));
  REQUIRE(refused("{\"shape\": [2, 3, 10, 20]}") == "contains 2x3 planes" + take_frame);
  REQUIRE(refused("{\"shape\": [2, 3, 10, 20], \"axes\": \"TZYX\"}") ==
          "contains 2x3 planes (axes TZ)" + take_frame);
  for (const std::string axis : {"P", "A", "E"})
    REQUIRE(refused("{\"shape\": [6, 10, 20], \"axes\": \"" + axis + "YX\"}") ==
            "contains 6 planes (axes " + axis +
                "); --frame N selects one, from 0, --page 0..5 all as slices, --per-slice labels each page "
                "separately");
  REQUIRE(refused("{\"shape\": [3, 2, 10, 20], \"axes\": \"ZCYX\"}") ==
          "contains 3x2 planes (axes ZC); --channel N selects one, from 0");
  REQUIRE(refused("{\"shape\": [2, 1, 3, 10, 20], \"axes\": \"TZCYX\"}") ==
          "contains 2x3 planes (axes TC); --channel and --frame select what to read");
  write_described(path, noise({20, 10, 16}, 13), "{\"shape\": [2, 2, 2, 2, 10, 20]}");
  REQUIRE(refusal(path) == "contains 2x2x2x2 planes; save the image to label as a separate file");
  for (const char* single : {"{\"shape\": [6, 10, 20]}", "{\"shape\": [1, 6, 1, 10, 20, 1]}",
                             "{\"shape\": [6, 10, 20], \"axes\": \"ZYX\"}", "{\"shape\": [10, 20]}",
                             "{\"shape\": [2, 3, 10, 21]}", "{\"shape\": \"none\"}"}) {
    CAPTURE(single);
    write_described(path, image, single);
    REQUIRE(same_bits(read(path).image, image));
    REQUIRE(read(path).warnings.empty());
  }
  write_described(path, image, "{\"shape\": [6, 10, 20], \"axes\": \"TYX\"}");
  REQUIRE(refusal(path) ==
          "contains 6 time points; --frame N selects one, from 0, --page 0..5 all as slices" + apart);
  write_described(path, image, "<OME>" + ome_image(4) + "</OME>");
  REQUIRE(read(path).warnings ==
          std::vector<std::string>{"its description lists 4 images, but the file contains 6"});
  const std::string array = "{\"shape\": [3, 10, 20]}";
  write_described(path, image, array);
  REQUIRE(read(path).warnings ==
          std::vector<std::string>{"its description lists 3 images, but the file contains 6"});
  // Two arrays of tifffile are two images, though their pages are alike.
  std::vector<TiffPageToWrite> pages = pages_of(image);
  describe(pages[0], array);
  describe(pages[3], array);
  write_tiff(path, pages);
  REQUIRE(
      refusal(path) ==
      "contains 2 images (3 pages of 20x10, 3 pages of 20x10); --series N selects one, from 0, --per-slice "
      "labels each page separately");
  const BitVolume second = read(path, Options().series(1)).image;
  REQUIRE(second.extent() == Extent{20, 10, 3});
  for (int row = 0; row < 30; ++row)
    REQUIRE(std::equal(second.row(row), second.row(row) + words_per_row(20), image.row(30 + row)));
  REQUIRE(same_bits(read(path, Options().apart()).image, image));
  // One of a single page between them is one, too.
  pages = pages_of(image);
  describe(pages[0], "{\"shape\": [2, 10, 20]}");
  describe(pages[2], "{\"shape\": [10, 20]}");
  describe(pages[3], array);
  write_tiff(path, pages);
  REQUIRE(refusal(path).starts_with("contains 3 images (2 pages of 20x10, 20x10, 3 pages of 20x10); "));
}

TEST_CASE_METHOD(OneFile,
                 "slices that tifffile stores as planes of color are not taken for color in silence") {
  const auto write = [&](const std::string& description, int planar) {
    TiffPageToWrite page = large_page(3, 3);
    page.planar = planar;
    describe(page, description, "tifffile.py");
    write_tiff(path, {page});
  };
  const std::string shape = "{\"shape\": [3, 700, 1500]";
  const std::string unnamed =
      "stores an array of tifffile without names of axes, perhaps slices, as planes of color; --channel N "
      "selects one, from 0, or write it with photometric='minisblack'";
  for (const std::string& text : {shape + "}", std::string()}) {
    write(text, PLANARCONFIG_SEPARATE);
    CHECK(read(path).warnings == std::vector{unnamed});
    CHECK(read(path, Options().channel(1)).warnings.empty());
    write(text, PLANARCONFIG_CONTIG);
    CHECK(read(path).warnings.empty());
  }
  for (const std::string axis : {"Z", "T", "Q"}) {
    write(shape + ", \"axes\": \"" + axis + "YX\"}", PLANARCONFIG_SEPARATE);
    CHECK(refusal(path) == "stores its axis " + axis +
                               " as planes of color; --channel N selects one, from 0, or write it with "
                               "photometric='minisblack'");
  }
  for (const std::string axis : {"C", "S"}) {
    write(shape + ", \"axes\": \"" + axis + "YX\"}", PLANARCONFIG_SEPARATE);
    CHECK(read(path).warnings.empty());
  }
}

TEST_CASE_METHOD(OneFile, "resolution and orientation of a TIFF") {
  TiffPageToWrite page = page_of(noise({20, 10, 1}, 14));
  page.more = [](TIFF* tiff) {
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 300.0);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 150.0);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_BOTRIGHT);
  };
  write_tiff(path, {page});
  const Read result = read(path);
  const io::Resolution resolution = result.info.geometry.resolution;
  REQUIRE(resolution.x == 300);
  REQUIRE(resolution.y == 150);
  REQUIRE(resolution.unit == io::ResolutionUnit::centimetre);
  REQUIRE(result.warnings == std::vector<std::string>{"orientation 3 ignored, read as stored"});
  REQUIRE(result.info.format == "tiff");
  REQUIRE(result.info.path == path);
}

TEST_CASE_METHOD(OneFile, "several threads decode the same page as one", "[native]") {
  for (const int channels : {1, 3})
    for (const int planar : {PLANARCONFIG_CONTIG, PLANARCONFIG_SEPARATE}) {
      if (channels == 1 && planar == PLANARCONFIG_SEPARATE) continue;
      TiffPageToWrite page = large_page(20, channels);
      page.planar = planar;
      for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE})
        for (const std::uint32_t rows_per_strip : {0u, 1u, 16u, 333u})
          for (const std::uint32_t tile_size : {0u, 48u, 512u}) {
            if (tile_size != 0 && rows_per_strip != 0) continue;
            page.compression = compression;
            page.rows_per_strip = rows_per_strip;
            page.tile_size = tile_size;
            write_tiff(path, {page});
            CAPTURE(channels, planar, compression, rows_per_strip, tile_size);
            const Samples one = samples_in(path, false);
            REQUIRE(one.error.empty());
            REQUIRE(samples_in(path, true) == one);
            bool as_written = true;
            for (std::size_t i = 0; i < page.samples.size(); ++i)
              as_written = as_written && std::to_integer<std::uint64_t>(one.samples[i]) == page.samples[i];
            REQUIRE(as_written);

            const Options options = Options().above(127.5);
            const BitVolume bits = [&] {
              const oneapi::tbb::global_control alone(oneapi::tbb::global_control::max_allowed_parallelism,
                                                      1);
              return read_image(path, options);
            }();
            for (int i = 0; i < 3; ++i) REQUIRE(same_bits(read_image(path, options), bits));
          }
    }
}

TEST_CASE_METHOD(OneFile, "whichever thread meets it, the first strip that is damaged is named") {
  TiffPageToWrite page = large_page(21);
  page.compression = COMPRESSION_ADOBE_DEFLATE;
  page.rows_per_strip = 10;
  write_tiff(path, {page});
  std::vector<std::uint64_t> strips;
  TIFF* tiff = TIFFOpen(path.c_str(), "r");
  for (std::uint32_t i = 0; i < 70; ++i) strips.push_back(TIFFGetStrileOffset(tiff, i));
  TIFFClose(tiff);
  for (const std::size_t damaged : {65u, 40u, 39u, 18u, 17u}) {  // more and more of them
    std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(strips[damaged]));
    bytes << "no zlib";
    bytes.close();
    const Samples one = samples_in(path, false);
    REQUIRE(one.error.starts_with("strip " + std::to_string(damaged) + " is damaged"));
    for (int i = 0; i < 10; ++i) REQUIRE(samples_in(path, true) == one);
  }
}

TEST_CASE_METHOD(OneFile, "every slice is looked at once, when it has been read") {
  const BitVolume image = noise({70, 11, 40}, 18);
  write_tiff(path, pages_of(image));
  BitVolume into = noise(image.extent(), 19);
  std::mutex mutex;
  std::vector<int> looks(40);
  const auto look = [&](BitView slice) {
    const auto z = static_cast<int>((slice.words - into.view().words) / (into.row_pitch() * 11));
    const bool is_read = slice.extent == Extent{70, 11, 1} && slice.row_pitch == image.row_pitch() &&
                         std::memcmp(slice.words, image.view().row(0, z),
                                     static_cast<std::size_t>(image.row_pitch()) * 11 * 4) == 0;
    const std::lock_guard lock(mutex);
    looks[static_cast<std::size_t>(z)] += is_read ? 1 : 100;
  };
  open_reader(path, {})->read(0, 40, into, look);
  REQUIRE(looks == std::vector<int>(40, 1));
}

TEST_CASE_METHOD(OneFile, "a volume of thousands of pages") {
  const BitVolume image = noise({9, 4, 3000}, 18);
  std::vector<TiffPageToWrite> pages = pages_of(image);
  for (std::size_t z = 0; z < pages.size(); z += 2) pages[z].compression = COMPRESSION_CCITTFAX4;
  for (TiffPageToWrite& page : pages) page.photometric = PHOTOMETRIC_MINISBLACK;
  write_tiff(path, pages);
  REQUIRE(same_bits(read(path).image, image));
}

namespace {

/// A page of noise whose samples do not compress well, so that damage finds other samples.
TiffPageToWrite compressed_page(int compression, int predictor, int bits, int format, int channels = 1) {
  TiffPageToWrite page;
  page.width = 53;
  page.height = 37;
  page.bits = bits;
  page.sample_format = format;
  page.channels = channels;
  page.photometric = channels == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  page.compression = compression;
  page.rows_per_strip = 10;
  std::mt19937_64 random(static_cast<unsigned>(bits));
  for (int i = 0; i < 53 * 37 * channels; ++i)
    page.samples.push_back(i % 5 == 0 ? random() >> (64 - bits) : 3);
  page.more = [=](TIFF* tiff) {
    if (predictor != PREDICTOR_NONE) TIFFSetField(tiff, TIFFTAG_PREDICTOR, predictor);
  };
  return page;
}

/// Offset and bytes of each strip or tile.
std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces_in(const std::string& path) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
  TIFF* tiff = TIFFOpen(path.c_str(), "r");
  const std::uint32_t count = TIFFIsTiled(tiff) != 0 ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
  for (std::uint32_t i = 0; i < count; ++i)
    pieces.emplace_back(TIFFGetStrileOffset(tiff, i), TIFFGetStrileByteCount(tiff, i));
  TIFFClose(tiff);
  return pieces;
}

void flip(const std::string& path, std::uint64_t at, int bit) {
  std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(static_cast<std::streamoff>(at));
  const int byte = bytes.get() ^ (1 << bit);
  bytes.seekp(static_cast<std::streamoff>(at));
  bytes.put(static_cast<char>(byte));
}

/// Flips bits of a piece one by one. Each flip is an error that names the piece, or changes nothing: a few
/// bits after the end of the codes have no meaning. Returns the number of errors among `flips`.
int count_found(const std::string& path, std::size_t piece, int flips) {
  const Samples before = samples_in(path, false);
  const auto [offset, bytes] = pieces_in(path)[piece];
  const std::string name = std::to_string(piece);
  int found = 0;
  for (int i = 0; i < flips; ++i) {
    const std::uint64_t at =
        offset + bytes * static_cast<std::uint64_t>(i) / static_cast<std::uint64_t>(flips);
    flip(path, at, i % 8);
    const Samples after = samples_in(path, i % 2 == 0);
    const bool is_named = after.error.starts_with("strip " + name) || after.error.starts_with("tile " + name);
    CAPTURE(i, after.error);
    CHECK((is_named || after.samples == before.samples));
    found += is_named ? 1 : 0;
    flip(path, at, i % 8);
  }
  CHECK(samples_in(path, false) == before);
  return found;
}

}  // namespace

TEST_CASE_METHOD(OneFile, "compressed samples with a checksum are those without compression") {
  for (const char* mode : {"wl", "wb", "wl8"})
    for (const int compression : {COMPRESSION_ADOBE_DEFLATE, COMPRESSION_ZSTD})
      for (const int bits : {8, 16, 32, 64})
        for (const int format : {SAMPLEFORMAT_UINT, SAMPLEFORMAT_IEEEFP})
          for (const int channels : {1, 3})
            for (const int planar : {PLANARCONFIG_CONTIG, PLANARCONFIG_SEPARATE})
              for (const std::uint32_t tile : {0u, 16u})
                for (const int predictor : {PREDICTOR_NONE, PREDICTOR_HORIZONTAL, PREDICTOR_FLOATINGPOINT}) {
                  const bool is_float = format == SAMPLEFORMAT_IEEEFP;
                  if ((is_float && bits < 32) || (predictor == PREDICTOR_FLOATINGPOINT && !is_float))
                    continue;
                  // libtiff swaps the bytes of these before it predicts them, which it does not undo.
                  if (predictor == PREDICTOR_FLOATINGPOINT && mode == std::string("wb")) continue;
                  if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression)) == 0) continue;
                  TiffPageToWrite page = compressed_page(compression, predictor, bits, format, channels);
                  page.planar = planar;
                  if (tile > 0) page.tile_size = tile, page.rows_per_strip = 0;
                  write_tiff(path, {page}, mode);
                  const Samples read = samples_in(path, false);
                  page.compression = COMPRESSION_NONE;
                  page.more = nullptr;
                  write_tiff(path, {page}, mode);
                  CAPTURE(mode, compression, bits, format, channels, planar, tile, predictor);
                  REQUIRE(read == samples_in(path, false));
                }
}

TEST_CASE_METHOD(OneFile, "a flipped bit in Deflate data is an error that names the strip or tile") {
  for (const int predictor : {PREDICTOR_NONE, PREDICTOR_HORIZONTAL})
    for (const int bits : {8, 16, 32})
      for (const std::uint32_t tile : {0u, 16u})
        for (const int fill_order : {FILLORDER_MSB2LSB, FILLORDER_LSB2MSB}) {
          TiffPageToWrite page =
              compressed_page(COMPRESSION_ADOBE_DEFLATE, predictor, bits, SAMPLEFORMAT_UINT);
          page.fill_order = fill_order;
          if (tile > 0) page.tile_size = tile, page.rows_per_strip = 0;
          write_tiff(path, {page});
          CAPTURE(predictor, bits, tile, fill_order);
          for (const std::size_t piece : {0u, 1u, 3u}) CHECK(count_found(path, piece, 60) >= 58);
        }
}

TEST_CASE_METHOD(OneFile, "a flipped bit in a large strip of Deflate data is an error that names it") {
  const BitVolume image = noise({2100, 2051, 1}, 17);
  TiffPageToWrite page = page_of(image, 0, 1, 64);  // 34 MB of samples
  page.compression = COMPRESSION_ADOBE_DEFLATE;
  write_tiff(path, {page});
  REQUIRE(same_bits(read(path).image, image));
  CHECK(count_found(path, 0, 4) >= 3);
  const auto [offset, bytes] = pieces_in(path).front();
  flip(path, offset + bytes - 1, 3);  // of the checksum
  CHECK(samples_in(path, false).error.starts_with("strip 0"));
}

TEST_CASE_METHOD(OneFile, "the last strip may be stored with the rows below the page") {
  TiffPageToWrite page =
      compressed_page(COMPRESSION_ADOBE_DEFLATE, PREDICTOR_HORIZONTAL, 16, SAMPLEFORMAT_UINT);
  page.height = 40;
  page.samples.resize(40 * 53, 5);
  write_tiff(path, {page});
  const Samples whole = samples_in(path, false);
  TIFF* tiff = TIFFOpen(path.c_str(), "r+");
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 37);
  TIFFRewriteDirectory(tiff);
  TIFFClose(tiff);
  const Samples cut = samples_in(path, false);
  CHECK(cut.error.empty());
  CHECK(std::equal(cut.samples.begin(), cut.samples.end(), whole.samples.begin()));
  CHECK(cut.samples.size() == 37 * 53 * 2);
  CHECK(count_found(path, 3, 40) >= 38);
}
