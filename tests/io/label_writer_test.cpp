#include "io/write/label_writer.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/label_image.hpp"
#include "label_samples.hpp"
#include "png_pixels.hpp"
#include "support/catch.hpp"
#include "support/error_code_of.hpp"
#include "support/file_size_limit.hpp"
#include "support/files.hpp"
#include "support/read_labels.hpp"
#include "support/scratch_folder.hpp"

namespace gpuccl::io {
namespace {

using Type = LabelType;
using Format = LabelFormat;

TEST_CASE("the extension says the format") {
  CHECK(label_format("a.tif") == Format::tiff);
  CHECK(label_format("a.TIFF") == Format::tiff);
  CHECK(label_format("a.b/c.d.png") == Format::png);
  CHECK(label_format("a.Npy") == Format::npy);
  for (const char* path : {"a", "a.jpg", "a.png/b", ".png", "", "a.tiff.gz"})
    CHECK(error_code_of([=] { label_format(path); }) == ErrorCode::usage);
}

TEST_CASE("the type of labels follows from their number and the option") {
  CHECK(resolve_label_type(Type::automatic, 0, Format::tiff) == Type::u16);
  CHECK(resolve_label_type(Type::automatic, 65535, Format::npy) == Type::u16);
  CHECK(resolve_label_type(Type::automatic, 65536, Format::tiff) == Type::u32);
  CHECK(resolve_label_type(Type::automatic, 65535, Format::png) == Type::u16);
  CHECK(resolve_label_type(Type::u8, 255, Format::png) == Type::u8);
  CHECK(resolve_label_type(Type::u16, 3, Format::tiff) == Type::u16);
  CHECK(resolve_label_type(Type::u32, 3, Format::npy) == Type::u32);

  const auto refusal = [](Type asked, Label count, Format format) {
    return error_code_of([=] { resolve_label_type(asked, count, format); });
  };
  CHECK(refusal(Type::u8, 256, Format::tiff) == ErrorCode::data);
  CHECK(refusal(Type::u16, 65536, Format::npy) == ErrorCode::data);
  CHECK(refusal(Type::automatic, 65536, Format::png) == ErrorCode::data);
  CHECK(refusal(Type::u32, 1, Format::png) == ErrorCode::usage);
}

const Extent kImages[] = {{1, 1, 1}, {1, 2000, 1}, {2000, 1, 1}, {37, 51, 1}, {1024, 1025, 1}};

TEST_CASE("label PNGs hold the labels") {
  ScratchFolder folder;
  const std::string path = folder / "labels.png";
  const Extent extent = GENERATE(from_range(std::begin(kImages), std::end(kImages)));
  const auto [type, bits, count] = GENERATE(std::tuple{Type::u8, 8, 255u}, std::tuple{Type::u16, 16, 65535u},
                                            std::tuple{Type::automatic, 16, 7u});
  const LabelImage image = sample_labels(extent, count);
  save_labels(
      path, image,
      {.type = type, .geometry = {.resolution = {100, 100, ResolutionUnit::centimetre}}, .progress = {}});
  const DecodedPng pixels = read_png(path);
  CHECK(pixels.width == static_cast<std::uint32_t>(extent.width));
  CHECK(pixels.height == static_cast<std::uint32_t>(extent.height));
  CHECK(pixels.bits == bits);
  CHECK(pixels.channels == 1);
  CHECK(pixels.pixels_per_meter == 10000);
  CHECK(std::vector<Label>(pixels.values.begin(), pixels.values.end()) == values_of(image));
}

TEST_CASE("a PNG wider than libpng allows by default") {
  ScratchFolder folder;
  const LabelImage image = sample_labels({1500000, 2, 1}, 9);
  save_labels(folder / "labels.png", image, {.type = Type::u8, .progress = {}});
  CHECK(read_png(folder / "labels.png").width == 1500000);
}

TEST_CASE("a volume is no PNG") {
  ScratchFolder folder;
  CHECK(error_code_of([&] {
          save_labels(folder / "labels.png", sample_labels({5, 5, 2}, 3));
        }) == ErrorCode::data);
  CHECK(count_entries(folder.path()) == 0);
}

TEST_CASE("arrays of numpy start at a multiple of 64 and hold the labels") {
  ScratchFolder folder;
  const std::string path = folder / "labels.npy";
  const LabelImage image = sample_labels({3, 2, 2}, 70000);
  save_labels(path, image);
  const std::string content = read_file(path);
  REQUIRE(content.size() == 128 + 12 * 4);
  CHECK(content.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
  CHECK(content.substr(10, 59) == "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 2, 3)");
  CHECK(content[127] == '\n');
  CHECK(std::equal(content.begin() + 128, content.end(), reinterpret_cast<const char*>(image.data())));
}

TEST_CASE("readers restore written labels") {
  ScratchFolder folder;
  const std::string path = folder / GENERATE("labels.tif", "labels.png", "labels.npy");
  CAPTURE(path);
  const Type type = GENERATE(Type::u8, Type::automatic, Type::u32);
  if (type == Type::u32 && label_format(path) == Format::png) return;
  for (const int depth : {1, 4}) {
    if (depth > 1 && label_format(path) == Format::png) continue;
    const LabelImage image = sample_labels({301, 207, depth}, type == Type::u32 ? 4000000000u : 255u);
    save_labels(path, image, {.type = type, .progress = {}});
    const LabelImage back = read_labels(path);
    CHECK(back.extent() == image.extent());
    CHECK(back.count() == image.count());
    CHECK(values_of(back) == values_of(image));
  }
}

TEST_CASE("a disk that fills up at any time is an error and leaves the old file") {
  ScratchFolder folder;
  const std::string path = folder / GENERATE("labels.tif", "labels.png", "labels.npy");
  const auto compression = GENERATE(Compression::none, Compression::deflate, Compression::lzw);
  const LabelImage image = sample_labels({500, 400, 1}, 5000);
  const WriteOptions options{.compression = compression, .progress = {}};
  save_labels(path, image, options);
  const std::string old = read_file(path);

  const std::size_t limit = GENERATE_COPY(std::size_t{0}, std::size_t{5}, std::size_t{100}, old.size() / 2,
                                          old.size() - 100, old.size() - 1);
  CAPTURE(path, limit);
  {
    const FileSizeLimit full(limit);
    CHECK(error_code_of([&] { save_labels(path, image, options); }) == ErrorCode::io);
  }
  CHECK(read_file(path) == old);
  CHECK(count_entries(folder.path()) == 1);
}

/// The fingerprint by samples, and by runs, which must be the same.
template <class Sample>
std::string fingerprint(LabelType type, Extent extent, const std::vector<Sample>& samples) {
  ContentHash by_samples(type), by_runs(type);
  const auto* const bits = reinterpret_cast<const Label*>(samples.data());  // of 32 bits
  static_assert(sizeof(Sample) == sizeof(Label));
  for (std::int64_t row = extent.rows() - 1; row >= 0; --row) {  // in any order
    const Label* const first = bits + row * extent.width;
    by_samples.add(row, 1, extent.width, first);
    LabelRuns runs;  // not as long as they can be
    for (int x = 0; x < extent.width; ++x)
      if (first[x] != 0) runs.runs.push_back({x, x + 1, first[x]});
    runs.ends.push_back(runs.runs.size());
    by_runs.add(row, runs);
  }
  CHECK(by_samples.sum() == by_runs.sum());
  return by_samples.text(extent);
}

TEST_CASE("a fingerprint is the same in every version") {
  const std::vector<Label> labels = {0, 1, 1, 2, 0,     0, 0, 0, 3, 3, 3, 3,
                                     1, 0, 0, 1, 70000, 0, 5, 5, 0, 0, 0, 0};
  CHECK(fingerprint(Type::u32, {4, 3, 2}, labels) == "0f69be1f7a7d23b6");
  CHECK(fingerprint(Type::i32, {4, 1, 1}, std::vector<std::int32_t>{0, -2, -2, 5}) == "9926fe12904dd82a");
  CHECK(fingerprint(Type::f32, {4, 1, 1}, std::vector<float>{0, -2, -2, 5}) == "9926fe12904dd82a");
  CHECK(fingerprint(Type::u32, {2, 1, 1}, std::vector<Label>{0, 0}) == "8524d2dd128a8f20");
  CHECK(fingerprint(Type::u32, {1, 2, 1}, std::vector<Label>{0, 0}) != "8524d2dd128a8f20");
}

TEST_CASE("a fingerprint finds runs in samples of every size") {
  std::mt19937 random(3);
  for (const int width : {1, 2, 7, 8, 9, 31, 64, 257, 1023, 1024, 1025, 3000}) {
    std::vector<std::uint8_t> small(static_cast<std::size_t>(width));
    for (std::uint8_t& sample : small)
      sample = static_cast<std::uint8_t>(random() % 5 == 0 ? random() % 3 : 1);
    for (std::size_t i = small.size() / 2; i < small.size(); ++i) small[i] = small[i / 2 * 2];
    const std::vector<std::uint16_t> middle(small.begin(), small.end());
    const std::vector<Label> large(small.begin(), small.end());
    ContentHash of_small(Type::u8), of_middle(Type::u16), of_large(Type::u32), by_runs(Type::u32);
    of_small.add(9, 1, width, small.data());
    of_middle.add(9, 1, width, middle.data());
    of_large.add(9, 1, width, large.data());
    LabelRuns runs;
    for (int x = 0; x < width; ++x) runs.add({x, x + 1, large[static_cast<std::size_t>(x)]});
    runs.ends.push_back(runs.runs.size());
    by_runs.add(9, runs);
    CHECK(of_small.sum() == by_runs.sum());
    CHECK(of_middle.sum() == by_runs.sum());
    CHECK(of_large.sum() == by_runs.sum());
  }
}

TEST_CASE("a fingerprint of 16 bits is that of 32, the largest and least included") {
  std::mt19937 random(4);
  for (const int width : {1, 15, 16, 255, 256, 1023, 1024, 5000})
    for (const int of_all : {0, 0x7fff, 0x8000, 0xffff, -1}) {
      std::vector<std::uint16_t> labels(static_cast<std::size_t>(width));
      for (std::uint16_t& label : labels) label = static_cast<std::uint16_t>(of_all < 0 ? random() : of_all);
      std::vector<std::int16_t> values(labels.size());
      std::memcpy(values.data(), labels.data(), labels.size() * sizeof values[0]);
      const std::vector<Label> wide_labels(labels.begin(), labels.end());
      const std::vector<std::int32_t> wide_values(values.begin(), values.end());
      ContentHash hashes[] = {ContentHash(Type::u16), ContentHash(Type::u32), ContentHash(Type::i16),
                              ContentHash(Type::i32)};
      const void* const samples[] = {labels.data(), wide_labels.data(), values.data(), wide_values.data()};
      for (std::size_t i = 0; i < 4; ++i) hashes[i].add(3, 1, width, samples[i]);
      CAPTURE(width, of_all);
      CHECK(hashes[0].sum() == hashes[1].sum());
      CHECK(hashes[2].sum() == hashes[3].sum());
    }
}

TEST_CASE("a fingerprint of negative and fractional values is that of the numbers") {
  std::vector<std::int8_t> small(1100);
  for (std::size_t i = 0; i < small.size(); ++i) small[i] = static_cast<std::int8_t>(i * 37 % 256 - 128);
  const std::vector<std::int16_t> middle(small.begin(), small.end());
  const std::vector<std::int32_t> large(small.begin(), small.end());
  const std::vector<std::int64_t> huge(small.begin(), small.end());
  const std::vector<float> floats(small.begin(), small.end());
  const std::vector<double> doubles(small.begin(), small.end());
  const auto sum_of = [](Type type, const auto& samples) {
    ContentHash hash(type);
    hash.add(5, 2, static_cast<int>(samples.size()) / 2, samples.data());
    return hash.sum();
  };
  const std::uint64_t sum = sum_of(Type::i8, small);
  CHECK(sum_of(Type::i16, middle) == sum);
  CHECK(sum_of(Type::i32, large) == sum);
  CHECK(sum_of(Type::i64, huge) == sum);
  CHECK(sum_of(Type::f32, floats) == sum);
  CHECK(sum_of(Type::f64, doubles) == sum);
}

}  // namespace
}  // namespace gpuccl::io
