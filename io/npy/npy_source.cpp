#include "io/npy/npy_source.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "gpuccl/error.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::io {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr std::size_t kMaxHeader = 65536;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Failure::data, "not a usable .npy file (" + why + ")");
}

/// What stands behind `'key':` in the header, a Python dictionary that numpy always writes in the same form.
std::string value_of(const std::string& header, const std::string& key) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) refuse("no " + key);
  const std::size_t first = header.find_first_not_of(' ', at + key.size() + 3);
  if (first == std::string::npos) refuse("no " + key);
  const std::size_t end = header[first] == '(' ? header.find(')', first) : header.find_first_of(",}", first);
  if (end == std::string::npos) refuse("no end of " + key);
  return header.substr(first, end - first);
}

SampleFormat parse_type(const std::string& type) {
  if (type.size() != 5 || type.front() != '\'' || type.back() != '\'') refuse("type " + type);
  const char order = type[1], kind = type[2];
  SampleFormat format;
  format.bits = (type[3] - '0') * 8;
  format.kind = kind == 'i'   ? SampleKind::signed_integer
                : kind == 'f' ? SampleKind::floating
                              : SampleKind::unsigned_integer;
  const bool known_kind = kind == 'u' || kind == 'i' || kind == 'f' || (kind == 'b' && format.bits == 8);
  const bool known_size = format.bits == 8 || format.bits == 16 || format.bits == 32 || format.bits == 64;
  if (!known_kind || !known_size || (order != '<' && order != '|')) refuse("type " + type);
  if (format.kind == SampleKind::floating && format.bits == 8) refuse("type " + type);
  return format;
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
  if (axes.size() != 2 && axes.size() != 3) refuse(std::to_string(axes.size()) + " axes, not 2 or 3");
  if (axes.size() == 2) axes.insert(axes.begin(), 1);
  return axes;
}

class NpySource final : public SampleSource {
 public:
  NpySource(std::shared_ptr<const InputFile> file, const Limits& limits) : file_(std::move(file)) {
    const std::string header = read_header();
    format_ = parse_type(value_of(header, "descr"));
    if (value_of(header, "fortran_order") != "False") refuse("fortran order");
    const std::vector<std::uint64_t> axes = parse_shape(value_of(header, "shape"));
    check_page_size(axes[2], axes[1], limits);
    if (axes[0] == 0 || axes[0] > static_cast<std::uint64_t>(limits.max_pages))
      refuse("too few or too many slices");
    info_.format = "npy";
    info_.extent = {static_cast<int>(axes[2]), static_cast<int>(axes[1]), static_cast<int>(axes[0])};
    info_.bits_per_sample = format_.bits;
    info_.photometric = name_of(format_.photometric);
    const auto slice_bytes = static_cast<double>(row_bytes()) * info_.extent.height;
    if (slice_bytes * info_.extent.depth > static_cast<double>(file_->size() - data_))
      refuse("the file ends early");
  }

  const ImageInfo& info() const override { return info_; }
  const SampleFormat& format(int) const override { return format_; }
  std::int64_t buffer_bytes() const override { return row_bytes(); }

  void decode(int z, const Sink& sink) const override {
    const int height = info_.extent.height;
    const int batch =
        static_cast<int>(std::clamp<std::int64_t>((std::int64_t{1} << 18) / row_bytes(), 1, height));
    const auto pitch = static_cast<std::size_t>(row_bytes());
    std::vector<std::byte> rows(pitch * static_cast<std::size_t>(batch));
    for (int y = 0; y < height; y += batch) {
      const int count = std::min(batch, height - y);
      const auto row =
          static_cast<std::uint64_t>(z) * static_cast<std::uint64_t>(height) + static_cast<std::uint64_t>(y);
      const std::size_t bytes = pitch * static_cast<std::size_t>(count);
      if (file_->read_at(data_ + row * pitch, rows.data(), bytes) != bytes) refuse("the file ends early");
      sink({format_, y, count, rows.data(), pitch});
    }
  }

 private:
  std::int64_t row_bytes() const { return format_.row_bytes(info_.extent.width); }

  /// Sets data_ too. Version 1 counts the header's bytes in 16 bits, later ones in 32.
  std::string read_header() {
    unsigned char start[12] = {};
    if (file_->read_at(0, start, sizeof start) != sizeof start) refuse("the file ends early");
    const bool is_first_version = start[6] == 1;
    std::size_t length = start[8] | static_cast<std::size_t>(start[9]) << 8;
    if (!is_first_version)
      length |= static_cast<std::size_t>(start[10]) << 16 | static_cast<std::size_t>(start[11]) << 24;
    if (length > kMaxHeader) refuse("header too long");
    const std::size_t begin = is_first_version ? 10 : 12;
    std::string header(length, ' ');
    if (file_->read_at(begin, header.data(), length) != length) refuse("the file ends early");
    data_ = begin + length;
    return header;
  }

  std::shared_ptr<const InputFile> file_;
  std::uint64_t data_ = 0;  // offset of the first element
  ImageInfo info_;
  SampleFormat format_;
};

}  // namespace

bool is_npy(const InputFile& file) {
  char start[6];
  return file.read_at(0, start, sizeof start) == sizeof start &&
         std::memcmp(start, kMagic, sizeof start) == 0;
}

std::unique_ptr<SampleSource> open_npy(std::shared_ptr<const InputFile> file, const Limits& limits) {
  return std::make_unique<NpySource>(std::move(file), limits);
}

}  // namespace gpuccl::io
