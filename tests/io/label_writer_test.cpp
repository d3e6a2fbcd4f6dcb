#include "io/write/label_writer.hpp"

#include "io/image/label_image.hpp"
#include "label_samples.hpp"
#include "png_pixels.hpp"
#include "support/file_size_limit.hpp"
#include "support/read_labels.hpp"
#include "support/test.hpp"

namespace gpuccl::io {
namespace {

using Type = LabelType;
using Format = LabelFormat;

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

TEST_CASE("a PNG wider than libpng allows by default") {
  ScratchFolder folder;
  const LabelImage image = sample_labels({1500000, 2, 1}, 9);
  save_labels(folder / "labels.png", image, {.type = Type::u8, .progress = {}});
  const DecodedPng pixels = read_png(folder / "labels.png");
  CHECK(std::vector<Label>(pixels.values.begin(), pixels.values.end()) == values_of(image));
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

}  // namespace
}  // namespace gpuccl::io
