#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/formats.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 14;

/// The words of a Netpbm file: numbers with white space and comments, from # to the end of the line, between
/// them.
class PnmText {
 public:
  PnmText(const ByteSource& file, std::uint64_t begin) : file_(file), position_(begin) {}

  /// Returns none at the end of the text, or if the next word is not a number below 2^31.
  std::optional<int> number();
  /// The next digit alone: in a PBM nothing need be between them.
  std::optional<int> digit();
  /// Returns the offset of the byte after the last number.
  std::uint64_t position() const { return position_; }

 private:
  static constexpr int kEnd = -1;

  int peek();
  void skip_blanks();

  const ByteSource& file_;
  std::uint64_t position_;
  std::uint64_t first_ = 0;  // of the bytes at hand
  std::vector<unsigned char> bytes_;
};

int PnmText::peek() {
  if (position_ < first_ || position_ >= first_ + bytes_.size()) {
    bytes_.resize(kPiece);
    bytes_.resize(file_.read_at(position_, bytes_.data(), bytes_.size()));
    first_ = position_;
  }
  return bytes_.empty() ? kEnd : bytes_[static_cast<std::size_t>(position_ - first_)];
}

void PnmText::skip_blanks() {
  for (bool is_comment = false;; ++position_) {
    const int next = peek();
    if (next == kEnd) return;
    if (next == '#') is_comment = true;
    if (next == '\n' || next == '\r') is_comment = false;
    if (!is_comment && std::isspace(next) == 0) return;
  }
}

std::optional<int> PnmText::number() {
  constexpr std::int64_t kMax = 2147483647;
  skip_blanks();
  std::optional<std::int64_t> value;
  for (; std::isdigit(peek()) != 0; ++position_) {
    value = value.value_or(0) * 10 + (peek() - '0');
    if (*value > kMax) return std::nullopt;
  }
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<int> PnmText::digit() {
  skip_blanks();
  if (std::isdigit(peek()) == 0) return std::nullopt;
  const int value = peek() - '0';
  ++position_;
  return value;
}

constexpr int kMaxSample = 65535;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::data, "not a usable PNM (" + why + ")");
}

struct PnmHeader {
  RawVolume image;
  bool is_text = false;
  bool is_bitmap = false;
};

PnmHeader read_header(const InputFile& file, const Limits& limits) {
  char magic[2] = {};
  file.read_at(0, magic, sizeof magic);
  const int kind = magic[1] - '0';
  PnmHeader header;
  header.is_text = kind <= 3;
  header.is_bitmap = kind % 3 == 1;
  PnmText text(file, sizeof magic);
  const auto needed = [&](const char* what) {
    const std::optional<int> number = text.number();
    if (!number) refuse(std::string("no ") + what);
    return *number;
  };
  RawVolume& image = header.image;
  image.format_name = "pnm";
  const int width = needed("width"), height = needed("height");
  image.extent = checked_extent({static_cast<double>(width), static_cast<double>(height), 1}, limits);
  if (header.is_bitmap) {
    image.format.bits = 1;
    image.format.photometric = Photometric::min_is_white;
  } else {
    const int most = needed("largest value");
    if (most < 1 || most > kMaxSample) refuse("largest value " + std::to_string(most));
    image.format.bits = most > 255 ? 16 : 8;
    image.swapped = !header.is_text && image.format.bits == 16;
  }
  if (kind % 3 == 0) {
    image.format.channels = 3;
    image.format.photometric = Photometric::rgb;
  }
  image.offset = text.position() + (header.is_text ? 0 : 1);  // one white space before bytes
  return header;
}

/// Samples as numbers in text.
class PnmTextSource final : public SampleSource {
 public:
  PnmTextSource(const PnmHeader& header, std::shared_ptr<const InputFile> file, const ReadOptions& options)
      : header_(header), file_(std::move(file)) {
    const RawVolume& image = header_.image;
    describe(image.format_name, image.extent, image.format);
    const auto samples = static_cast<double>(image.extent.elements()) * image.format.channels;
    // A digit each, and something between numbers.
    const double least = header_.is_bitmap ? samples : 2 * samples - 1;
    if (least > static_cast<double>(file_->size()))
      throw Error(ErrorCode::data, "the file is truncated: " + claim(least, file_->size()));
    check_memory(info_.extent, buffer_bytes(), options);
  }

  std::int64_t buffer_bytes() const override { return header_.image.format.row_bytes(info_.extent.width); }

  void decode_from_top(int, const Sink& sink) const override {
    const SampleFormat& format = header_.image.format;
    PnmText text(*file_, header_.image.offset);
    std::vector<std::byte> row(static_cast<std::size_t>(buffer_bytes()));
    for (int y = 0; y < info_.extent.height; ++y) {
      header_.is_bitmap ? read_bits(text, row) : read_numbers(text, row);
      sink({format, y, 1, row.data(), row.size()});
    }
  }

 private:
  void read_bits(PnmText& text, std::vector<std::byte>& row) const {
    std::fill(row.begin(), row.end(), std::byte{0});
    for (std::size_t x = 0; x < static_cast<std::size_t>(info_.extent.width); ++x) {
      const std::optional<int> bit = text.digit();
      if (!bit || *bit > 1) refuse("a sample that is neither 0 nor 1, or too few samples");
      row[x / 8] |= static_cast<std::byte>(*bit << (7 - x % 8));
    }
  }

  void read_numbers(PnmText& text, std::vector<std::byte>& row) const {
    const std::size_t sample = header_.image.format.bits == 8 ? 1 : 2;
    for (std::size_t at = 0; at < row.size(); at += sample) {
      const std::optional<int> number = text.number();
      if (!number || *number > (sample == 1 ? 255 : kMaxSample))
        refuse("a sample that is too large, or too few samples");
      const auto value = static_cast<std::uint16_t>(*number);
      const auto byte = static_cast<std::uint8_t>(value);
      sample == 1 ? std::memcpy(&row[at], &byte, 1) : std::memcpy(&row[at], &value, 2);
    }
  }

  PnmHeader header_;
  std::shared_ptr<const InputFile> file_;
};

bool is_pnm(const InputFile& file) {
  unsigned char start[3];
  return file.read_at(0, start, sizeof start) == sizeof start && start[0] == 'P' && start[1] >= '1' &&
         start[1] <= '6' && (std::isspace(start[2]) != 0 || start[2] == '#');
}

/// An image in one of the formats of Netpbm: PBM, PGM or PPM, as numbers (P1 to P3) or as bytes (P4 to P6).
/// In a PBM 1 is black, so that it is min-is-white. Of several images in a file the first. Throws Error
/// (data, io, memory).
std::unique_ptr<SampleSource> open_pnm(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  const PnmHeader header = read_header(*file, options.limits);
  if (header.is_text) return std::make_unique<PnmTextSource>(header, std::move(file), options);
  ReadOptions whole = options;
  whole.planes.channel.reset();  // open_file() chooses it, as from text
  return open_raw_volume(header.image, std::move(file), whole);
}

}  // namespace

const InputFormat kPnmFormat{.word = "pnm",
                             .title = "PNM",
                             .extensions = {{{".pbm"}, {".pgm"}, {".ppm"}, {".pnm"}}},
                             .magic = {{{0, "P"}}},
                             .is = is_pnm,
                             .open = open_pnm,
                             .is_one_image = true};

}  // namespace gpuccl::io
