#include "io/npy/npy_header.hpp"

#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::io {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr std::size_t kMaxHeader = 65536;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Failure::data, "not a usable .npy file (" + why + ")");
}

/// Returns the text after `'key':` in the header.
std::string value_of(const std::string& header, const std::string& key) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) refuse("no " + key);
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

bool is_npy(const InputFile& file) {
  char start[6];
  return file.read_at(0, start, sizeof start) == sizeof start &&
         std::memcmp(start, kMagic, sizeof start) == 0;
}

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

}  // namespace gpuccl::io
