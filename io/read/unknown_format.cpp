#include "io/read/unknown_format.hpp"

#include <array>
#include <string_view>

namespace gpuccl::io {
namespace {

struct KnownFormat {
  std::size_t offset;
  std::string_view magic;
  const char* reason;
};

using namespace std::string_view_literals;

constexpr KnownFormat kKnown[] = {
    {0, "\xff\xd8\xff"sv, "a JPEG; convert it to PNG or TIFF"},
    {0, "\0\0\0\x0cjP  "sv, "a JPEG 2000; convert it to PNG or TIFF"},
    {0, "GIF8"sv, "a GIF; convert it to PNG or TIFF"},
    {8, "WEBP"sv, "a WebP; convert it to PNG or TIFF"},
    {0, "%PDF-"sv, "a PDF; convert its pages to PNG or TIFF"},
    {344, "n+1\0"sv, "a NIfTI; convert it to TIFF"},
    {344, "ni1\0"sv, "the header of a NIfTI; convert it to TIFF"},
    {128, "DICM"sv, "a DICOM; convert it to PNG or TIFF"},
    {0, "NRRD"sv, "an NRRD; convert it to TIFF"},
    {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file; write the array in it as TIFF"},
    {0, "\x93NUMPY"sv, "a .npy file, which gpuccl compare alone reads; convert it to PNG or TIFF"},
    {0, "PK\3\4"sv, "a zip archive; unpack it"},
    {0, "\x1f\x8b"sv, "compressed by gzip; unpack it"},
};

}  // namespace

Error unknown_format(const InputFile& file, const std::string& otherwise) {
  if (file.size() == 0) return {Failure::data, "is empty"};
  std::array<char, 348> bytes{};
  const std::string_view start(bytes.data(), file.read_at(0, bytes.data(), bytes.size()));
  // A bitmap: two letters are too few to tell by, behind its size are two reserved fields.
  if (start.starts_with("BM") && start.size() > 6 && start.substr(6).starts_with("\0\0\0\0"sv))
    return {Failure::data, "a BMP; convert it to PNG or TIFF"};
  for (const KnownFormat& known : kKnown)
    if (start.size() > known.offset && start.substr(known.offset).starts_with(known.magic))
      return {Failure::data, known.reason};
  return {Failure::data, otherwise};
}

}  // namespace gpuccl::io
