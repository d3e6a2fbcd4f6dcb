#include "io/image/formats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "io/files/file_names.hpp"
#include "io/image/chunk_codecs.hpp"

namespace gpuccl::io {
namespace {

namespace fs = std::filesystem;

using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr std::string_view kAny = "any";

template <class Choice>
constexpr unsigned any_of(std::initializer_list<Choice> list) {
  unsigned bits = 0;
  for (const Choice one : list) bits |= 1u << static_cast<unsigned>(one);
  return bits;
}

using GeometrySupport = LabelTraits::GeometrySupport;
constexpr unsigned kDeflate = any_of({Compression::none, Compression::deflate});
/// In the order of LabelFormat.
constexpr LabelTraits kLabelTraits[] = {
    {.title = "TIFF",
     .compressions = kDeflate | any_of({Compression::lzw, Compression::zstd, Compression::packbits}),
     .place = GeometrySupport::spacing},
    {.title = "PNG", .types = any_of({LabelType::u8, LabelType::u16})},
    {.title = ".npy"},
    {.title = "NIfTI", .place = GeometrySupport::directions, .needs_z_spacing = true, .keeps_frame = true},
    {.title = "NIfTI", .place = GeometrySupport::directions, .needs_z_spacing = true, .keeps_frame = true},
    {.title = "NRRD", .compressions = kDeflate, .place = GeometrySupport::directions},
    {.title = "MetaImage",
     .compressions = kDeflate,
     .place = GeometrySupport::directions,
     .needs_z_spacing = true},
    {.title = "MRC",
     .types = any_of({LabelType::i8, LabelType::i16, LabelType::u16, LabelType::f32}),
     .place = GeometrySupport::axes,
     .needs_unit = true},
    {.title = "OME-Zarr",
     .compressions = kDeflate | any_of({Compression::zstd, Compression::blosc}),
     .place = GeometrySupport::origin,
     .needs_z_spacing = true,
     .has_chunks = true,
     .is_store = true},
    {.title = "OME-Zarr",
     .compressions = kDeflate | any_of({Compression::zstd, Compression::blosc}),
     .place = GeometrySupport::origin,
     .needs_z_spacing = true,
     .has_chunks = true},
};

/// Null if there is none.
const InputFormat* find_format(std::string_view word) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const InputFormat* format) { return format->word == word; });
  return found == kFormats.end() ? nullptr : *found;
}

/// Returns the texts of all formats that are not empty, separated by commas.
template <class TextOf>
std::string list_formats(TextOf text_of) {
  std::string list;
  for (const InputFormat* const format : kFormats)
    if (const std::string text(text_of(*format)); !text.empty()) list += (list.empty() ? "" : ", ") + text;
  return list;
}

/// A format, and one of its extensions; null if a name has the extension of no format.
struct FoundExtension {
  const InputFormat* format = nullptr;
  const FileExtension* extension = nullptr;
};

FoundExtension find_extension(const fs::path& name) {
  const std::string extension = lower_extension(name);
  for (const InputFormat* const format : kFormats)
    for (const FileExtension& one : format->extensions)
      if (one.name == extension && !extension.empty()) return {format, &one};
  return {};
}

bool is_directory(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

}  // namespace

bool holds_volumes(std::string_view format) {
  const InputFormat* const found = find_format(format);
  return found == nullptr || !found->is_2d;
}

bool has_pages(std::string_view format) {
  const InputFormat* const found = find_format(format);
  return found != nullptr && found->has_pages;
}

FileStart::FileStart(const ByteSource& file) : file_(&file) {
  count_ = file.read_at(0, bytes_.data(), bytes_.size());
}

FileStart::FileStart(const GunzippedFile& contents) : file_(nullptr) {
  count_ = contents.read_start(bytes_.data(), bytes_.size());
}

bool FileStart::has(std::uint64_t offset, std::string_view magic) const {
  if (offset + magic.size() <= kBytes)
    return std::string_view(bytes_.data(), count_)
        .substr(std::min<std::size_t>(offset, count_))
        .starts_with(magic);
  std::array<char, 8> there{};
  return file_ != nullptr && file_->read_at(offset, there.data(), magic.size()) == magic.size() &&
         std::string_view(there.data(), magic.size()) == magic;
}

bool FileStart::is_of(const InputFormat& format) const {
  const auto* const file = dynamic_cast<const InputFile*>(file_);
  if (has(128, "DICM") && file != nullptr && find_extension(file->path()).format != &format)
    return false;  // the bytes before it may be those of another format
  return format.magic[0].bytes.empty() ||
         std::any_of(format.magic.begin(), format.magic.end(), [&](const Magic& magic) {
           return !magic.bytes.empty() && count_ >= magic.least_bytes && has(magic.offset, magic.bytes);
         });
}

const std::string& image_extensions() {
  static const std::string list = [] {
    std::string text;
    for (const InputFormat* const format : kFormats)
      for (const FileExtension& one : format->extensions)
        if (!one.name.empty())
          text += (text.empty() ? "" : one.name == ".zarr" ? " or " : ", ") + std::string(one.name);
    return text;
  }();
  return list;
}

bool is_image_name(const fs::path& name) {
  return !name.native().starts_with('.') && find_extension(name).format != nullptr;
}

bool is_image_in_folder(const fs::path& path) {
  if (!is_image_name(path.filename())) return false;
  const auto [format, extension] = find_extension(path);
  std::error_code unknown;
  if (!extension->is_shared || !fs::is_regular_file(path, unknown)) return true;
  try {
    return FileStart(InputFile(path.string(), 0)).is_of(*format);
  } catch (const Error&) {
    return true;  // whoever opens it reports why that fails
  }
}

bool are_of_one_format(const std::string& a, const std::string& b) {
  const auto [first, of_a] = find_extension(a);
  const auto [second, of_b] = find_extension(b);
  if (first == nullptr || second == nullptr) return lower_extension(a) == lower_extension(b);
  return first == second && of_a->is_header == of_b->is_header;
}

std::string extension_for_labels(const std::string& input) {
  if (is_ome_tiff(input)) return ".ome.tif";
  const FileExtension* const found = find_extension(fs::path(input).filename()).extension;
  return std::string(found == nullptr ? "" : found->for_labels);
}

bool is_ome_tiff(const std::string& path) {
  const fs::path name = fs::path(path).filename();
  return find_extension(name).format == &kTiffFormat && lower_extension(name.stem()) == ".ome";
}

bool is_store(const std::string& path) {
  if (!is_directory(path)) return false;
  const auto has = [&](std::string_view file) {
    std::error_code unknown;
    return !file.empty() && fs::exists(fs::path(path) / file, unknown);
  };
  return std::any_of(kFormats.begin(), kFormats.end(), [&](const InputFormat* format) {
    return std::any_of(format->folder.begin(), format->folder.end(), has);
  });
}

bool is_label_group(const std::string& path) {
  return fs::path(path).parent_path().filename() == kLabelsFolder && is_store(image_of_labels(path));
}

std::string image_of_labels(const std::string& path) {
  const fs::path image = fs::path(path).parent_path().parent_path();
  return image.empty() ? "." : image.string();
}

std::string own_labels_of(const std::string& image, const std::string& more) {
  return (fs::path(image) / kLabelsFolder / (kOwnLabels + more)).string();
}

const LabelTraits& traits_of(LabelFormat format) { return kLabelTraits[static_cast<std::size_t>(format)]; }

std::optional<LabelFormat> label_format(const std::string& path) {
  if (path == "-") return LabelFormat::npy;
  const FileExtension* const found = find_extension(path).extension;
  if (found != nullptr && found->written) return *found->written;
  if (is_label_group(path) || is_store(path)) return LabelFormat::zarr;
  return std::nullopt;
}

std::string written_formats() {
  std::string names;
  for (const LabelTraits& traits : kLabelTraits)
    if (names.find(traits.title) == std::string::npos)
      names += (names.empty() ? "" : ", ") + std::string(traits.title);
  return names;
}

static const std::vector<std::string>& formats_of_environment() {
  static const std::vector<std::string> allowed = [] {
    const char* const list = std::getenv("GPUCCL_FORMATS");
    if (list == nullptr || *list == '\0') return std::vector<std::string>{};
    try {
      return formats_of_words(list);
    } catch (const Error& error) {
      throw Error(ErrorCode::usage, std::string("GPUCCL_FORMATS: ") + error.what());
    }
  }();
  return allowed;
}

std::vector<std::string> formats_of_words(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string word = lower_case(list.substr(begin, end - begin));
    if (word != kAny && find_format(word) == nullptr)
      throw Error(ErrorCode::usage,
                  fmt::format("'{}' is not a format; use {} or any", word,
                              list_formats([](const InputFormat& one) { return one.word; })));
    words.push_back(word);
    begin = end + 1;
  }
  return words;
}

void check_format(std::string_view format, const std::string& path, const Limits& limits) {
  const std::vector<std::string>& allowed =
      limits.formats.empty() ? formats_of_environment() : limits.formats;
  const std::string_view title = find_format(format)->title;
  if (allowed.empty()) {
    const InputFormat* const named = find_extension(split_input(path).file).format;
    if (named != nullptr && named->word != format)
      throw Error(ErrorCode::data, fmt::format("contains {}, but its name is that of {}; rename it, or set "
                                               "GPUCCL_FORMATS=any if you trust it",
                                               title, named->title));
    return;
  }
  const auto is_allowed = [&](std::string_view word) {
    return std::find(allowed.begin(), allowed.end(), word) != allowed.end();
  };
  if (is_allowed(kAny) || is_allowed(format)) return;
  std::string list;
  for (const std::string& word : allowed) list += (list.empty() ? "" : ", ") + word;
  throw Error(ErrorCode::data, fmt::format("contains {}; {} allows only {}", title,
                                           limits.formats.empty() ? "GPUCCL_FORMATS" : "--formats", list));
}

namespace {

constexpr const char* kToImage = "convert it to PNG or TIFF";
constexpr const char* kToMha = "convert it to .mha with ParaView, or with sitk.WriteImage of SimpleITK";
constexpr const char* kNeedsHeader =
    "has samples without a header; write a .mhd header for them (docs/formats.md shows one) and read that";
constexpr const char* kToNetcdf4 =
    "convert it to netCDF 4 with 'nccopy -k nc4 IN OUT.h5', or MINC to NIfTI with mnc2nii";
constexpr const char* kToOme = "convert it with bioformats2raw to OME-Zarr, or with bfconvert to OME-TIFF";

struct KnownFormat {
  std::size_t offset;
  std::string_view magic;
  const char* what;
  const char* remedy;
};

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
    {0, "SIMPLE  ="sv, "is a FITS file", "convert it to .npy with astropy.io.fits and numpy.save of Python"},
    {0, "# vtk DataFile"sv, "is a VTK file", kToMha},
    {0, "CDF\1"sv, "is a netCDF 3 or MINC 1 file", kToNetcdf4},
    {0, "CDF\2"sv, "is a netCDF 3 file", kToNetcdf4},
    {0, "CDF\5"sv, "is a netCDF 3 file", kToNetcdf4},
    {0, "MATLAB 5.0"sv, "is a MATLAB 5 file",
     "convert it to .npy with scipy.io.loadmat and numpy.save of Python"},
    {4, "ftypavi"sv, "is an AVIF file", kToImage},
    {4, "ftyphei"sv, "is a HEIF file", kToImage},
    {4, "ftypmif1"sv, "is a HEIF file", kToImage},
    {4, "ftyp"sv, "is a movie or photo in a container such as MP4",
     "save its frames with 'ffmpeg -i FILE FOLDER/%06d.png'"},
    {0, "\0\0\0\x0cJXL "sv, "is a JPEG XL file", kToImage},
};

/// A file of a folder that is an image, and a text near its beginning.
struct KnownFolder {
  const char *file, *text, *what;
};

constexpr KnownFolder kKnownFolders[] = {{"attributes.json", "\"blockSize\"", "is an N5 dataset"},
                                         {"attributes.json", "\"n5\"", "is an N5 container"},
                                         {"info", "\"scales\"", "is a Neuroglancer precomputed image"}};

Error refusal(const KnownFormat& known) { return {ErrorCode::data, known.what + ("; "s + known.remedy)}; }

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
      return {ErrorCode::data, "is a compressed NIfTI file, truncated in its header"};
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::data, "is compressed by gzip; unpack it"};
}

/// Describes samples without a header of their own: by the header next to them, if there is one. None for
/// other files.
std::optional<Error> headerless(const fs::path& path) {
  constexpr std::pair<std::string_view, std::string_view> kHeaders[] = {
      {".img", ".hdr"}, {".raw", ".mhd"}, {".raw", ".nhdr"}, {".zraw", ".mhd"}, {".raw.gz", ".nhdr"}};
  constexpr std::string_view kRaw[] = {".raw", ".img", ".bin", ".dat"};
  const std::string extension = lower_extension(path);
  for (const auto& [samples, header] : kHeaders) {
    const fs::path next_to_it = fs::path(without_extension(path.string())) += header;
    std::error_code unknown;
    if (extension == samples && fs::exists(next_to_it, unknown))
      return Error(ErrorCode::data, "has samples without a header; read " + next_to_it.string() + " instead");
  }
  if (std::find(std::begin(kRaw), std::end(kRaw), extension) == std::end(kRaw)) return std::nullopt;
  return Error(ErrorCode::data, kNeedsHeader);
}

/// Whether a header is that of Analyze 7.5, which lacks the magic number of NIfTI.
bool is_analyze(std::string_view start) {
  return start.size() == 348 && start[38] == 'r' &&
         (start.starts_with("\x5c\1\0\0"sv) || start.starts_with("\0\0\1\x5c"sv));
}

/// Whether the first line of a text is the name of an image and nothing else.
bool begins_list_of_images(std::string_view text) {
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  return line.size() < text.size() && is_image_name(std::string(line)) &&
         std::none_of(line.begin(), line.end(), [](unsigned char c) { return std::iscntrl(c) != 0; });
}

}  // namespace

std::string read_formats() {
  return list_formats([](const InputFormat& one) { return one.lacks.empty() ? one.title : ""; });
}

std::string formats_not_built_in() {
  return list_formats([](const InputFormat& one) {
    return one.lacks.empty() ? "" : fmt::format("{} ({})", one.title, one.lacks);
  });
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

std::optional<Error> refusal_of_folder(const std::string& path) {
  for (const KnownFolder& known : kKnownFolders) {
    const fs::path file = fs::path(path) / known.file;
    std::error_code unknown;
    if (!fs::is_regular_file(file, unknown)) continue;
    std::string text(4096, '\0');
    std::ifstream(file).read(text.data(), std::ssize(text));
    if (text.find(known.text) != std::string::npos)
      return Error(ErrorCode::data, known.what +
                                        "; convert it to .npy with tensorstore of Python "
                                        "(docs/formats.md shows how)"s);
  }
  std::error_code failure;
  for (fs::directory_iterator entry(path, failure), end; !failure && entry != end; entry.increment(failure))
    if (lower_extension(entry->path()) == ".dcm")
      return Error(
          ErrorCode::data,
          "contains DICOM files; convert them to NIfTI with dcm2niix, which keeps values and spacing");
  return std::nullopt;
}

Error unknown_format(const InputFile& file) {
  if (file.size() == 0) return {ErrorCode::data, "is empty"};
  std::array<char, 348> bytes{};
  const std::string_view start(bytes.data(), file.read_at(0, bytes.data(), bytes.size()));
  for (const KnownFormat& known : kKnown)
    if (start.size() > known.offset && start.substr(known.offset).starts_with(known.magic))
      return refusal(known);
  if (start.starts_with("\x1f\x8b"sv)) return unknown_contents(file);
  if (is_analyze(start))
    return {ErrorCode::data,
            "is an Analyze header; convert it to NIfTI with 'nib-convert IN.img OUT.nii' of nibabel"};
  if (start.find("<VTKFile"sv) != std::string_view::npos)
    return {ErrorCode::data, std::string("is a VTK file; ") + kToMha};
  if (const std::optional<Error> error = headerless(file.path())) return *error;
  if (begins_list_of_images(start))
    return {ErrorCode::data, "is a list of images; write '@' before its name"};
  return {ErrorCode::data, "is not in a supported format (" + read_formats() + ")"};
}

}  // namespace gpuccl::io
