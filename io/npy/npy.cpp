#include "io/npy/npy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "io/image/formats.hpp"
#include "io/image/label_streams.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"

namespace gpuccl::io {
namespace {

constexpr std::size_t kMaxHeader = 65536;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::data, "not a usable .npy file (" + why + ")");
}

/// Returns the text after `'key':` in the header.
std::string value_of(const std::string& header, const std::string& key) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) refuse("no " + key);
  if (header.find("'" + key + "'", at + 1) != std::string::npos) refuse("several values of " + key);
  const std::size_t first = header.find_first_not_of(' ', at + key.size() + 3);
  if (first == std::string::npos) refuse("no " + key);
  const std::size_t end = header[first] == '(' ? header.find(')', first) : header.find_first_of(",}", first);
  if (end == std::string::npos) refuse("no end of " + key);
  return header.substr(first, end - first);
}

/// "'<u2'": byte order, kind and bytes of a sample.
void parse_type(const std::string& type, NpyHeader& header) {
  if (type.starts_with('[')) refuse("records; save one field as a separate array");
  if (type == "'|O'") refuse("Python objects, such as _seg.npy of Cellpose; save the masks as PNG or TIFF");
  if (type.size() != 5 || type.front() != '\'' || type.back() != '\'') refuse("type " + type);
  const char order = type[1], kind = type[2];
  SampleFormat& format = header.format;
  format.bits = (type[3] - '0') * 8;
  format.kind = kind == 'i'   ? SampleKind::signed_integer
                : kind == 'f' ? SampleKind::floating
                              : SampleKind::unsigned_integer;
  const bool known_kind = kind == 'u' || kind == 'i' || kind == 'f' || (kind == 'b' && format.bits == 8);
  const bool known_size = format.bits == 8 || format.bits == 16 || format.bits == 32 || format.bits == 64;
  const bool known_order = order == '<' || order == '>' || (order == '|' && format.bits == 8);
  if (!known_kind || !known_size || !known_order) refuse("type " + type);
  if (format.kind == SampleKind::floating && format.bits == 8) refuse("type " + type);
  header.swapped = order == '>';
}

std::vector<std::uint64_t> parse_shape(const std::string& shape) {
  std::vector<std::uint64_t> axes;
  const char* at = shape.data();
  const char* const end = at + shape.size();
  while (at != end) {
    std::uint64_t axis = 0;
    const auto [next, failure] = std::from_chars(at, end, axis);
    if (failure == std::errc()) {
      axes.push_back(axis);
      at = next;
    } else if (*at == '(' || *at == ',' || *at == ' ') {
      ++at;
    } else {
      refuse("shape " + shape + ")");
    }
  }
  if (axes.size() != 2 && axes.size() != 3)
    refuse(std::to_string(axes.size()) +
           (axes.size() == 1 ? " axis, not 2 or 3" : " axes, not 2 or 3: (y, x) or (z, y, x)"));
  return axes;
}

/// The dictionary, and where it ends. Version 1 counts its bytes in 16 bits, later ones in 32.
std::string read_dictionary(const InputFile& file, std::uint64_t& end) {
  unsigned char start[12] = {};
  if (file.read_at(0, start, sizeof start) != sizeof start) refuse("the file is truncated");
  const int version = start[6];
  if (version < 1 || version > 3) refuse("version " + std::to_string(version));
  std::size_t length = start[8] | static_cast<std::size_t>(start[9]) << 8;
  if (version > 1)
    length |= static_cast<std::size_t>(start[10]) << 16 | static_cast<std::size_t>(start[11]) << 24;
  if (length > kMaxHeader) refuse("header too long");
  const std::size_t begin = version == 1 ? 10 : 12;
  std::string dictionary(length, ' ');
  if (file.read_at(begin, dictionary.data(), length) != length) refuse("the file is truncated");
  end = begin + length;
  return dictionary;
}

}  // namespace

NpyHeader read_npy_header(const InputFile& file, const Limits& limits) {
  NpyHeader header;
  const std::string dictionary = read_dictionary(file, header.data);
  parse_type(value_of(dictionary, "descr"), header);
  const std::string fortran = value_of(dictionary, "fortran_order");
  if (fortran != "False" && fortran != "True") refuse("fortran_order " + fortran);
  header.fortran = fortran == "True";
  std::vector<std::uint64_t> axes = parse_shape(value_of(dictionary, "shape"));
  header.has_slice_axis = axes.size() == 3;
  if (!header.has_slice_axis) axes.insert(axes.begin(), 1);
  check_page_size(axes[2], axes[1], limits);
  header.extent = {static_cast<int>(axes[2]), static_cast<int>(axes[1]),
                   checked_slices(static_cast<double>(axes[0]), limits)};
  const auto row_bytes = static_cast<double>(header.format.row_bytes(header.extent.width));
  if (row_bytes * header.extent.height * header.extent.depth > static_cast<double>(file.size() - header.data))
    refuse("the file is truncated");
  return header;
}

namespace {

constexpr std::int64_t kMaxBlockBytes = std::int64_t{1} << 22;
constexpr std::int64_t kMaxColumns = 64;  // of a block: as many lines of the cache are being read

/// Slices of a volume whose axes are stored in reverse, z fastest: the samples of one are all over the file.
/// Each pass over the file composes the slices that fit in an eighth of the memory.
class FortranSlices {
 public:
  /// Samples are in whole bytes. `format` must outlive this.
  FortranSlices(const RawSamples& raw, const SampleFormat& format, const Extent& extent, std::int64_t memory);

  std::int64_t held_bytes() const;
  /// One slice at a time, fastest in ascending order. Throws Error (data, io).
  void decode(int z, const SampleSource::Sink& sink);

 private:
  void gather(int first);
  template <class Sample>
  void transpose(int x, int columns, int y, int rows);

  const RawSamples raw_;
  const SampleFormat& format_;
  const Extent extent_;
  int at_once_ = 1;             // slices
  int columns_ = 1, rows_ = 1;  // whose samples of all slices are read together
  std::mutex lock_;             // of what follows
  int first_ = 0;               // of the slices that are held
  std::vector<std::byte> slices_, block_;
};

FortranSlices::FortranSlices(const RawSamples& raw, const SampleFormat& format, const Extent& extent,
                             std::int64_t memory)
    : raw_(raw), format_(format), extent_(extent) {
  const std::int64_t line = std::int64_t{format.bits / 8} * extent.depth;
  const std::int64_t block = std::min(kMaxBlockBytes, memory / 8);
  at_once_ = static_cast<int>(std::clamp<std::int64_t>(
      memory / 8 / (format.row_bytes(extent.width) * extent.height), 1, extent.depth));
  columns_ = static_cast<int>(
      std::clamp<std::int64_t>(block / line, 1, std::min<std::int64_t>(kMaxColumns, extent.width)));
  rows_ = static_cast<int>(std::clamp<std::int64_t>(block / (line * columns_), 1, extent.height));
}

std::int64_t FortranSlices::held_bytes() const {
  return format_.row_bytes(extent_.width) * extent_.height * at_once_ +
         std::int64_t{format_.bits / 8} * extent_.depth * columns_ * rows_;
}

void FortranSlices::decode(int z, const SampleSource::Sink& sink) {
  const std::lock_guard lock(lock_);
  const auto pitch = static_cast<std::size_t>(format_.row_bytes(extent_.width));
  const std::size_t slice = pitch * static_cast<std::size_t>(extent_.height);
  if (slices_.empty() || z < first_ || z >= first_ + at_once_) gather(z);
  sink({format_, 0, extent_.height, slices_.data() + static_cast<std::size_t>(z - first_) * slice, pitch});
}

void FortranSlices::gather(int first) {
  const auto sample = static_cast<std::size_t>(format_.bits / 8);
  const std::size_t line = sample * static_cast<std::size_t>(extent_.depth);
  slices_.resize(sample * static_cast<std::size_t>(extent_.width) * static_cast<std::size_t>(extent_.height) *
                 static_cast<std::size_t>(at_once_));
  block_.resize(line * static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_));
  first_ = first;
  for (int x = 0; x < extent_.width; x += columns_) {
    const int columns = std::min(columns_, extent_.width - x);
    for (int y = 0; y < extent_.height; y += rows_) {
      const int rows = std::min(rows_, extent_.height - y);
      const std::size_t bytes = line * static_cast<std::size_t>(rows);
      for (int i = 0; i < columns; ++i) {
        const std::uint64_t at =
            static_cast<std::uint64_t>(x + i) * static_cast<std::uint64_t>(extent_.height) +
            static_cast<std::uint64_t>(y);
        if (raw_.bytes->read_at(raw_.offset + at * line, block_.data() + static_cast<std::size_t>(i) * bytes,
                                bytes) != bytes) {
          slices_.clear();
          throw Error(ErrorCode::data, "the file is truncated");
        }
      }
      if (sample == 1) transpose<std::uint8_t>(x, columns, y, rows);
      if (sample == 2) transpose<std::uint16_t>(x, columns, y, rows);
      if (sample == 4) transpose<std::uint32_t>(x, columns, y, rows);
      if (sample == 8) transpose<std::uint64_t>(x, columns, y, rows);
    }
  }
  if (raw_.swapped) swap_bytes(format_.bits, slices_.data(), slices_.size());
}

/// Puts the samples of the slices at hand from the block, (x, y, z) with z fastest, into their rows.
template <class Sample>
void FortranSlices::transpose(int x, int columns, int y, int rows) {
  const auto depth = static_cast<std::size_t>(extent_.depth), width = static_cast<std::size_t>(extent_.width);
  const std::size_t column = depth * static_cast<std::size_t>(rows);
  const int last = std::min(first_ + at_once_, extent_.depth);
  for (int j = 0; j < rows; ++j)
    for (int z = first_; z < last; ++z) {
      const std::byte* from =
          block_.data() +
          (static_cast<std::size_t>(j) * depth + static_cast<std::size_t>(z)) * sizeof(Sample);
      const std::size_t row =
          static_cast<std::size_t>(z - first_) * static_cast<std::size_t>(extent_.height) +
          static_cast<std::size_t>(y + j);
      std::byte* to = slices_.data() + (row * width + static_cast<std::size_t>(x)) * sizeof(Sample);
      for (int i = 0; i < columns; ++i, from += column * sizeof(Sample), to += sizeof(Sample))
        std::memcpy(to, from, sizeof(Sample));
    }
}

class NpySource final : public SampleSource {
 public:
  NpySource(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
    const NpyHeader header = read_npy_header(*file, options.limits);
    describe("npy", header.extent, header.format);
    info_.geometry.has_slice_axis = header.has_slice_axis;
    const std::uint64_t slice_bytes = static_cast<std::uint64_t>(format_.row_bytes(info_.extent.width)) *
                                      static_cast<std::uint64_t>(info_.extent.height);
    if (options.warn &&
        file->size() - header.data > slice_bytes * static_cast<std::uint64_t>(info_.extent.depth))
      options.warn(kBytesIgnored);
    raw_ = {std::move(file), header.data, header.swapped};
    memory_ = memory_limit(options.limits);
    if (header.fortran) fortran_ = std::make_unique<FortranSlices>(raw_, format_, info_.extent, memory_);
    check_memory(info_.extent, buffer_bytes() + held_bytes(), options);
  }

  std::int64_t buffer_bytes() const override { return raw_buffer_bytes(format_, info_.extent); }
  std::int64_t held_bytes() const override { return fortran_ ? fortran_->held_bytes() : 0; }
  bool in_order() const override { return fortran_ != nullptr; }

  void decode(int z, const Sink& sink) const override {
    decode(z, decoding_memory(info_.extent, memory_), sink);
  }
  void decode_from_top(int z, const Sink& sink) const override { decode(z, 0, sink); }

 private:
  void decode(int z, std::int64_t memory, const Sink& sink) const {
    if (fortran_) {
      fortran_->decode(z, sink);
    } else {
      decode_raw(raw_, format_, info_.extent, z, memory, sink);
    }
  }

  RawSamples raw_;
  std::int64_t memory_ = 0;
  std::unique_ptr<FortranSlices> fortran_;
};

}  // namespace

/// An array of numpy: truth values, whole or floating-point numbers, either byte order, C or Fortran order,
/// 2 axes (y, x) or 3 (z, y, x). Throws Error (data, io, memory).
static std::unique_ptr<SampleSource> open_npy(std::shared_ptr<const InputFile> file,
                                              const ReadOptions& options) {
  auto source = std::make_unique<NpySource>(std::move(file), options);
  const Extent& extent = source->info().extent;
  if (options.warn && extent.depth > 1 && (extent.width == 3 || extent.width == 4) && extent.height > 16)
    options.warn(
        fmt::format("its last axis has {} elements, as colors have, but is read as x; save one color "
                    "with numpy.save(FILE, array[..., 0])",
                    extent.width));
  return source;
}

/// Version 1.0 of the format: a Python dictionary, filled up so that the samples start at a multiple of 64.
static std::string npy_header(const Extent& extent, LabelType type, bool has_slice_axis) {
  std::string shape = std::to_string(extent.height) + ", " + std::to_string(extent.width);
  if (extent.depth > 1 || has_slice_axis) shape = std::to_string(extent.depth) + ", " + shape;
  std::string dictionary =
      "{'descr': '" + numpy_name(type) + "', 'fortran_order': False, 'shape': (" + shape + "), }";

  std::string header("\x93NUMPY\x01\x00", 8);
  const std::size_t size = (header.size() + 2 + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(size - header.size() - 2 - 1, ' ');
  dictionary += '\n';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

LabelFile npy_label_file(const Extent& extent, const WriteOptions& options) {
  return raw_label_file(npy_header(extent, options.type, options.geometry.has_slice_axis), extent, options);
}

const InputFormat kNpyFormat{.word = "npy",
                             .title = ".npy",
                             .extensions = {{{".npy", LabelFormat::npy, ".npy"}}},
                             .magic = {{{0, "\x93NUMPY"}}},
                             .open = open_npy,
                             .is_one_image = true};

}  // namespace gpuccl::io
