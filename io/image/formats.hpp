#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/gunzipped_file.hpp"
#include "io/files/input_file.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"

// Formats of images: extensions, magic numbers and capabilities. A format is named by its word in --formats,
// such as "tiff".
namespace gpuccl::io {

class SampleSource;

/// Formats of label images.
enum class LabelFormat { tiff, png, npy, nifti, nifti_gz, nrrd, metaimage, mrc, zarr, ozx };

/// Bytes that every file of a format has at an offset, in a file that has at least so many bytes.
struct Magic {
  std::uint64_t offset = 0;
  std::string_view bytes = {};
  std::size_t least_bytes = 0;
};

/// An extension of the files of a format.
struct FileExtension {
  std::string_view name = {};
  std::optional<LabelFormat> written = {};  // by label images with this extension
  std::string_view for_labels = {};         // of inputs with it, in a batch; "": as options ask
  bool is_header = false;                   // of samples that are in a file of their own
  bool is_shared = false;                   // files of other programs have it too
};

/// A format of inputs. Its folder defines the row.
struct InputFormat {
  std::string_view word, title;  // in --formats, and in messages
  std::array<FileExtension, 7> extensions;
  std::array<Magic, 4> magic = {};              // one of these; none: other properties show the format
  bool (*is)(const InputFile& file) = nullptr;  // if the first bytes do not decide
  std::unique_ptr<SampleSource> (*open)(std::shared_ptr<const InputFile> file,
                                        const ReadOptions& options) = nullptr;
  // Files of the format that are compressed by gzip: `file` has the compressed data of `contents`.
  bool (*is_gunzipped)(const GunzippedFile& contents) = nullptr;
  std::unique_ptr<SampleSource> (*open_gunzipped)(const InputFile& file,
                                                  std::shared_ptr<GunzippedFile> contents,
                                                  const ReadOptions& options) = nullptr;
  bool is_2d = false;
  bool is_one_image = false;
  bool has_pages = false;
  bool selects_planes = false;
  std::string_view lacks = {};                  // the library that this build would need to read it
  std::array<std::string_view, 4> folder = {};  // a folder with one of these files is an image
};

extern const InputFormat kPngFormat, kTiffFormat, kNpyFormat, kJpegFormat, kPnmFormat, kBmpFormat,
    kNiftiFormat, kNrrdFormat, kMetaimageFormat, kMrcFormat, kMghFormat, kHdf5Format, kZarrFormat;
/// All formats, in the order of messages and of recognition: those without a magic number at the start last.
inline constexpr std::array kFormats{&kPngFormat, &kTiffFormat,  &kNpyFormat,  &kJpegFormat,      &kPnmFormat,
                                     &kBmpFormat, &kNiftiFormat, &kNrrdFormat, &kMetaimageFormat, &kMrcFormat,
                                     &kMghFormat, &kHdf5Format,  &kZarrFormat};

/// Returns whether files of a format, or a "stack", may be volumes.
bool holds_volumes(std::string_view format);
/// Returns whether a file has pages, which its reader selects.
bool has_pages(std::string_view format);

/// The first bytes of a file, by which most formats are recognized.
class FileStart {
 public:
  explicit FileStart(const ByteSource& file);
  explicit FileStart(const GunzippedFile& contents);

  /// Returns whether the file begins as files of this format do. True for formats without a magic number.
  bool is_of(const InputFormat& format) const;

 private:
  static constexpr std::size_t kBytes = 540;  // of the longest header that is recognized, that of NIfTI-2

  bool has(std::uint64_t offset, std::string_view magic) const;

  const ByteSource* file_;  // for later bytes; null for compressed contents
  std::array<char, kBytes> bytes_{};
  std::size_t count_;
};

// Names.

/// The extensions of images, for messages: ".png, .tif, ... or .zarr".
const std::string& image_extensions();

/// Returns whether a file in a folder is an image by its name: one of these extensions, in upper or lower
/// case, and not hidden.
bool is_image_name(const std::filesystem::path& name);

/// Returns whether the file `path` of a folder is an image by its name, and by its first bytes if other
/// programs use its extension too.
bool is_image_in_folder(const std::filesystem::path& path);

/// Returns whether the names of two slices are those of one format, with samples in the same file or next to
/// it.
bool are_of_one_format(const std::string& a, const std::string& b);

/// Returns the extension for labels of an input of this name in a batch: that of the input, if the format has
/// a geometry or is an array, and can be written. "" if the format does not decide.
std::string extension_for_labels(const std::string& input);

/// Returns whether a TIFF of this name has OME-XML: .ome.tif, .ome.tiff.
bool is_ome_tiff(const std::string& path);

// Images that are folders.

/// Returns whether the folder `path` is itself an image: a Zarr with an image, or an array.
bool is_store(const std::string& path);

/// Returns an error (data) with a remedy if the folder `path`, which contains no image file, is itself an
/// image of a format that is not read.
std::optional<Error> refusal_of_folder(const std::string& path);

/// Returns whether `path` is IMAGE/labels/NAME of an existing store IMAGE: a label group.
bool is_label_group(const std::string& path);
/// Return IMAGE of such a path, and the path of the label group with the default name, and `more` at its end,
/// in the store `image`.
inline constexpr const char* kOwnLabels = "gpuccl";
inline constexpr const char* kLabelsFolder = "labels";
std::string image_of_labels(const std::string& path);
std::string own_labels_of(const std::string& image, const std::string& more = "");

/// Capabilities of a format of label images.
struct LabelTraits {
  // Each includes those before it; axes: directions along the axes of the world in any order.
  enum class GeometrySupport { nothing, spacing, origin, axes, directions };

  std::string_view title;
  unsigned types = ~0u;  // of samples, a bit for each LabelType
  unsigned compressions = 0;
  GeometrySupport place = GeometrySupport::nothing;
  bool needs_z_spacing = false;  // it cannot be left open
  bool needs_unit = false;       // lengths without a unit are not written
  bool keeps_frame = false;      // copies the frame of a NIfTI unchanged
  bool has_chunks = false;       // of a size that options set
  bool is_store = false;         // a folder of chunks, with smaller scales, and texts about labels

  /// Return whether label images can have this type, or this compression.
  bool holds(LabelType type) const { return (types >> static_cast<unsigned>(type) & 1) != 0; }
  bool has(Compression compression) const {
    return (compressions >> static_cast<unsigned>(compression) & 1) != 0;
  }
};
const LabelTraits& traits_of(LabelFormat format);

/// Returns the format by the extension of `path`: .tif .tiff .png .npy .nii .nii.gz .nrrd .mha .mrc
/// .zarr, or IMAGE.zarr/labels/NAME; an existing store may have any name, and standard output, "-", is .npy.
/// None for any other.
std::optional<LabelFormat> label_format(const std::string& path);

/// Returns the formats of label images, for messages.
std::string written_formats();

// Formats that an input may have. The content of a file selects its loader, so whoever sends a file selects
// the code that it attacks. --formats limits the choice.

/// Returns the formats allowed by a list of words, or by "any". Throws Error (usage) for another word.
std::vector<std::string> formats_of_words(const std::string& list);

/// Throws Error (data) if `format`, the format of the content of `path`, is not allowed: by --formats, else
/// by GPUCCL_FORMATS, else because its name has the extension of another format.
void check_format(std::string_view format, const std::string& path, const Limits& limits);

/// Returns the formats that open_file() supports.
std::string read_formats();

/// Returns the formats whose libraries this build lacks, with their names; "" if it lacks none.
std::string formats_not_built_in();

/// Returns the compressions of Zarr and HDF5 that this build has, or lacks.
std::string chunk_codecs(bool built_in);

/// Returns why `file` cannot be read; with its format and a remedy, if its first bytes show them.
Error unknown_format(const InputFile& file);

}  // namespace gpuccl::io
