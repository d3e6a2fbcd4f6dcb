#include "io/read/formats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/files/gunzipped_file.hpp"
#include "io/files/input_file.hpp"
#include "io/image/chunk_codecs.hpp"
#include "io/read/input_files.hpp"

namespace gpuccl::io {
namespace {

constexpr std::string_view kAny = "any";

struct Format {
  std::string_view word, title;
  std::vector<std::string_view> extensions;
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {"png", "PNG", {".png"}},
      {"tiff", "TIFF", {".tif", ".tiff"}},
      {"npy", ".npy", {".npy"}},
      {"nifti", "NIfTI", {".nii", ".nii.gz", ".hdr"}},
      {"nrrd", "NRRD", {".nrrd", ".nhdr"}},
      {"metaimage", "MetaImage", {".mha", ".mhd"}},
      {"zarr", "Zarr", {".zarr"}},
      {"hdf5", "HDF5", {".h5", ".hdf5", ".he5"}},
      {"pnm", "PNM", {".pbm", ".pgm", ".ppm", ".pnm"}},
      {"bmp", "BMP", {".bmp"}},
      {"jpeg", "JPEG", {".jpg", ".jpeg"}},
      {"mgh", "MGH", {".mgh", ".mgz"}},
  };
  return all;
}

const Format& format_of_word(std::string_view word) {
  const auto found = std::find_if(formats().begin(), formats().end(),
                                  [&](const Format& format) { return format.word == word; });
  if (found == formats().end()) throw Error(Failure::internal, "no format " + std::string(word));
  return *found;
}

const std::vector<std::string>& formats_of_environment() {
  static const std::vector<std::string> allowed = [] {
    const char* const list = std::getenv("GPUCCL_FORMATS");
    if (list == nullptr || *list == '\0') return std::vector<std::string>{};
    try {
      return formats_of_words(list);
    } catch (const Error& error) {
      throw Error(Failure::usage, std::string("GPUCCL_FORMATS: ") + error.what());
    }
  }();
  return allowed;
}

/// The format that the extension is one of; null if it is of none.
const Format* format_of_name(const std::string& path) {
  const std::string extension = lower_extension(split_input(path).file);
  for (const Format& format : formats())
    if (std::find(format.extensions.begin(), format.extensions.end(), extension) != format.extensions.end())
      return &format;
  return nullptr;
}

}  // namespace

const char* const kFormatWords = "png, tiff, npy, nifti, nrrd, metaimage, zarr, hdf5, pnm, bmp, jpeg, mgh";

std::vector<std::string> formats_of_words(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string word = lower_case(list.substr(begin, end - begin));
    const bool is_known = word == kAny || std::any_of(formats().begin(), formats().end(),
                                                      [&](const Format& one) { return one.word == word; });
    if (!is_known)
      throw Error(Failure::usage, "'" + word + "' is not a format; use " + kFormatWords + " or any");
    words.push_back(word);
    begin = end + 1;
  }
  return words;
}

void check_format(const std::string& format, const std::string& path, const Limits& limits) {
  const std::vector<std::string>& allowed =
      limits.formats.empty() ? formats_of_environment() : limits.formats;
  const Format& found = format_of_word(format);
  if (allowed.empty()) {
    const Format* const named = path == "-" ? nullptr : format_of_name(path);
    if (named != nullptr && named != &found)
      throw Error(Failure::data, "contains " + std::string(found.title) + ", but its name is that of " +
                                     std::string(named->title) +
                                     "; rename it, or set GPUCCL_FORMATS=any if you trust it");
    return;
  }
  const auto is_allowed = [&](std::string_view word) {
    return std::find(allowed.begin(), allowed.end(), word) != allowed.end();
  };
  if (is_allowed(kAny) || is_allowed(format)) return;
  std::string list;
  for (const std::string& word : allowed) list += (list.empty() ? "" : ", ") + word;
  throw Error(Failure::data, fmt::format("contains {}; {} allows only {}", found.title,
                                         limits.formats.empty() ? "GPUCCL_FORMATS" : "--formats", list));
}

namespace {

constexpr const char* kToImage = "convert it to PNG or TIFF";
constexpr const char* kUnpack = "unpack it";
constexpr const char* kToOme = "convert it with bioformats2raw to OME-Zarr, or with bfconvert to OME-TIFF";

struct KnownFormat {
  std::size_t offset;
  std::string_view magic;
  const char* what;
  const char* remedy;
};

using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr KnownFormat kKnown[] = {
    {0, "\0\0\0\x0cjP  "sv, "is a JPEG 2000 file", kToImage},
    {0, "GIF8"sv, "is a GIF file", kToImage},
    {8, "WEBP"sv, "is a WebP file", kToImage},
    {0, "%PDF-"sv, "is a PDF file", "convert its pages to PNG or TIFF"},
    {128, "DICM"sv, "is a DICOM file", "convert it to NIfTI with dcm2niix, which keeps values and spacing"},
    {0, "ZISRAWFILE"sv, "is a CZI file (Zeiss)", kToOme},
    {0, "\x70\0\0\0"sv, "is a LIF file (Leica)", kToOme},
    {0, "\xda\xce\xbe\x0a"sv, "is an ND2 file (Nikon)", kToOme},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "is an OLE file, such as OIB or ZVI", kToOme},
    {0, "PK\3\4"sv, "is a zip archive", kUnpack},
};

struct OptionalFormat {
  const char *name, *library;
  bool is_built_in;
};
#ifdef GPUCCL_HAS_JPEG
constexpr bool kHasJpeg = true;
#else
constexpr bool kHasJpeg = false;
#endif
#ifdef GPUCCL_HAS_HDF5
constexpr bool kHasHdf5 = true;
#else
constexpr bool kHasHdf5 = false;
#endif
constexpr OptionalFormat kOptional[] = {{"JPEG", "libjpeg", kHasJpeg}, {"HDF5", "libhdf5", kHasHdf5}};

Error refusal(const KnownFormat& known) { return {Failure::data, known.what + ("; "s + known.remedy)}; }

/// Describes gzip data in a format that no reader supports.
Error unknown_contents(const InputFile& file) {
  constexpr std::size_t kHeader = 348;
  constexpr std::string_view kStarts[] = {"\x5c\1\0\0"sv, "\0\0\1\x5c"sv, "\x1c\2\0\0"sv, "\0\0\2\x1c"sv};
  std::array<char, kHeader> bytes{};
  try {
    const std::string_view start(bytes.data(), GunzipStream(file, 0, false).read(bytes.data(), bytes.size()));
    const bool is_nifti = std::any_of(std::begin(kStarts), std::end(kStarts),
                                      [&](std::string_view size) { return start.starts_with(size); });
    if (start.size() < kHeader && is_nifti)
      return {Failure::data, "is a compressed NIfTI file, truncated in its header"};
  } catch (const Error& error) {
    return error;
  }
  return {Failure::data, "is compressed by gzip; unpack it"};
}

/// Whether the first line of a text is the name of an image and nothing else.
bool begins_list_of_images(std::string_view text) {
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  return line.size() < text.size() && is_image_name(std::string(line)) &&
         std::none_of(line.begin(), line.end(), [](unsigned char c) { return std::iscntrl(c) != 0; });
}

}  // namespace

std::string read_formats() {
  std::string names = "PNG, TIFF, .npy, NIfTI, NRRD, MetaImage, MGH, OME-Zarr, PNM, BMP";
  for (const OptionalFormat& format : kOptional)
    if (format.is_built_in) names += std::string(", ") + format.name;
  return names;
}

std::string formats_not_built_in() {
  std::string names;
  for (const OptionalFormat& format : kOptional)
    if (!format.is_built_in)
      names += std::string(names.empty() ? "" : ", ") + format.name + " (" + format.library + ")";
  return names;
}

std::string chunk_codecs(bool built_in) {
  constexpr std::pair<ChunkCodec, const char*> kCodecs[] = {{ChunkCodec::zlib, "zlib"},
                                                            {ChunkCodec::gzip, "gzip"},
                                                            {ChunkCodec::zstd, "zstd"},
                                                            {ChunkCodec::blosc, "blosc"},
                                                            {ChunkCodec::lz4, "lz4"}};
  std::string names;
  for (const auto& [codec, name] : kCodecs)
    if (is_built_in(codec) == built_in) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

Error unknown_format(const InputFile& file) {
  if (file.size() == 0) return {Failure::data, "is empty"};
  std::array<char, 348> bytes{};
  const std::string_view start(bytes.data(), file.read_at(0, bytes.data(), bytes.size()));
  for (const KnownFormat& known : kKnown)
    if (start.size() > known.offset && start.substr(known.offset).starts_with(known.magic))
      return refusal(known);
  if (start.starts_with("\x1f\x8b"sv)) return unknown_contents(file);
  if (begins_list_of_images(start)) return {Failure::data, "is a list of images; write '@' before its name"};
  return {Failure::data, "is not in a supported format (" + read_formats() + ")"};
}

}  // namespace gpuccl::io
