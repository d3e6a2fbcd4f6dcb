#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/files/input_file.hpp"
#include "io/read/formats.hpp"

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

}  // namespace gpuccl::io
