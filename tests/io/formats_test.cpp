#include "io/image/formats.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "io/files/file_names.hpp"
#include "io/image/paths.hpp"
#include "support/catch.hpp"
#include "support/error_code_of.hpp"
#include "support/files.hpp"
#include "support/scratch_folder.hpp"

namespace gpuccl::io {
namespace {

using Pairs = std::vector<std::pair<const char*, const char*>>;

/// A file with `text` at an offset and zeros elsewhere.
InputFile file_with(std::string_view text, std::size_t offset, std::size_t bytes) {
  std::vector<std::byte> content(bytes);
  std::ranges::copy(std::as_bytes(std::span(text)), content.begin() + static_cast<std::ptrdiff_t>(offset));
  return InputFile(std::move(content));
}

TEST_CASE("messages name every format and extension of the table") {
  CHECK_THROWS_WITH(formats_of_words("png,gif"),
                    "'gif' is not a format; use png, tiff, npy, jpeg, pnm, bmp, nifti, nrrd, "
                    "metaimage, mrc, mgh, hdf5, zarr or any");
  CHECK(image_extensions() ==
        ".png, .tif, .tiff, .stk, .lsm, .npy, .jpg, .jpeg, .pbm, .pgm, .ppm, .pnm, .bmp, .nii, .nii.gz, "
        ".hdr, .nrrd, .nhdr, .mha, .mhd, .mrc, .map, .rec, .st, .mrcs, .mrc.gz, .map.gz, .mgh, .mgz, .h5, "
        ".hdf5, .he5, .nc, .ozx or .zarr");
  CHECK(written_formats() == "TIFF, PNG, .npy, NIfTI, NRRD, MetaImage, MRC, OME-Zarr");
  std::istringstream extensions(image_extensions());
  int count = 0;
  for (std::string word; extensions >> word;) {
    if (word == "or") continue;
    if (word.ends_with(',')) word.pop_back();
    CHECK(is_image_name("a" + word));
    CHECK_FALSE(is_image_name("." + word));
    ++count;
  }
  CHECK(count == 35);
  for (const char* name : {"a", "a.txt", "a.gz", "a.img", ".a.png"}) CHECK_FALSE(is_image_name(name));
  CHECK(is_image_name("A.TIFF"));
}

TEST_CASE("a folder lists files whose extension other programs use by their first bytes") {
  const ScratchFolder scratch;
  for (const char* name : {"a.map", "a.REC", "a.st"}) {
    write_file(scratch / name, R"({"version":3,"sources":["app.js"]})");
    CHECK_FALSE(is_image_in_folder(scratch / name));
    write_file(scratch / name, std::string(208, '\0') + "MAP ");
    CHECK(is_image_in_folder(scratch / name));
  }
  write_file(scratch / "a.png", "");
  for (const char* name : {"a.png", "missing.map"}) CHECK(is_image_in_folder(scratch / name));
  CHECK_FALSE(is_image_in_folder(scratch / "a.txt"));
}

TEST_CASE("slices are of one format if their names say so") {
  for (const auto& [a, b] : Pairs{{"a.tif", "b.TIFF"},
                                  {"a.jpg", "b.jpeg"},
                                  {"a.pbm", "b.pnm"},
                                  {"a.nii", "b.nii.gz"},
                                  {"a.mgh", "b.mgz"},
                                  {"a.mrc", "b.map.gz"},
                                  {"a.h5", "b.he5"}})
    CHECK(are_of_one_format(a, b));
  for (const auto& [a, b] : Pairs{{"a.tif", "b.png"},
                                  {"a.nii", "b.hdr"},
                                  {"a.nrrd", "b.nhdr"},
                                  {"a.mha", "b.mhd"},
                                  {"a.png", "b.txt"}})
    CHECK_FALSE(are_of_one_format(a, b));
}

TEST_CASE("labels of a batch have the extension of the input where it can be written") {
  for (const auto& [input, labels] : Pairs{{"a.nii", ".nii"},
                                           {"a.NII.gz", ".nii.gz"},
                                           {"a.hdr", ".nii"},
                                           {"a.nhdr", ".nrrd"},
                                           {"a.mhd", ".mha"},
                                           {"a.mgz", ".nii.gz"},
                                           {"a.ozx", ".ozx"},
                                           {"a.npy", ".npy"},
                                           {"a.zarr", ".zarr"},
                                           {"a.ome.tiff", ".ome.tif"},
                                           {"a.tif", ""},
                                           {"a.png", ""},
                                           {"a.h5", ""},
                                           {"a.mrc", ""},  // 16 bits may be too few
                                           {"a", ""}})
    CHECK(extension_for_labels(input) == labels);
}

TEST_CASE("files begin with the magic numbers of their formats") {
  constexpr std::string_view kHdf5("\x89HDF\r\n\x1a\n", 8), kNifti2("n+2\0\r\n\x1a\n", 8);
  CHECK(FileStart(file_with("\x89PNG\r\n\x1a\n", 0, 8)).is_of(kPngFormat));
  CHECK_FALSE(FileStart(file_with("\x89PNG\r\n\x1a", 0, 7)).is_of(kPngFormat));
  CHECK_FALSE(FileStart(file_with("", 0, 0)).is_of(kPngFormat));
  CHECK(FileStart(file_with("II*", 0, 4)).is_of(kTiffFormat));
  CHECK(FileStart(file_with(std::string_view("MM\0+", 4), 0, 4)).is_of(kTiffFormat));
  CHECK_FALSE(FileStart(file_with("II+*", 0, 4)).is_of(kTiffFormat));
  for (const std::size_t block : {0, 512, 1024, 2048}) {
    CHECK(FileStart(file_with(kHdf5, block, block + 8)).is_of(kHdf5Format));
    CHECK_FALSE(FileStart(file_with(kHdf5.substr(0, 7), block, block + 7)).is_of(kHdf5Format));
  }
  CHECK_FALSE(FileStart(file_with(kHdf5, 256, 4096)).is_of(kHdf5Format));
  CHECK(FileStart(file_with("n+1", 344, 348)).is_of(kNiftiFormat));
  CHECK_FALSE(FileStart(file_with("n+1", 344, 347)).is_of(kNiftiFormat));
  CHECK(FileStart(file_with(kNifti2, 4, 540)).is_of(kNiftiFormat));
  CHECK_FALSE(FileStart(file_with(kNifti2, 4, 539)).is_of(kNiftiFormat));
  CHECK(FileStart(file_with("MAP ", 208, 212)).is_of(kMrcFormat));
  CHECK(FileStart(file_with("", 0, 0)).is_of(kMghFormat));  // has no magic number
}

TEST_CASE("a folder with the metadata of Zarr is an image") {
  for (const char* file : {"zarr.json", ".zarray", ".zgroup", ".zattrs"}) {
    const ScratchFolder scratch;
    const std::string folder = scratch / "a";
    std::filesystem::create_directory(folder);
    CHECK(Source(folder).is_folder);
    CHECK_FALSE(is_store(folder));
    write_file(folder + "/" + file, "{}");
    CHECK(is_store(folder));
    CHECK_FALSE(Source(folder).is_folder);
    CHECK(label_format(folder) == LabelFormat::zarr);
    CHECK(label_format(folder + "/labels/b") == LabelFormat::zarr);
    CHECK(is_label_group(folder + "/labels/b"));
    CHECK_FALSE(is_label_group(folder + "/other/b"));
    CHECK(own_labels_of(folder) == folder + "/labels/gpuccl");
    CHECK(image_of_labels(folder + "/labels/b") == folder);
  }
  CHECK_FALSE(Source("/nonexistent").is_folder);
  CHECK(image_of_labels("labels/b") == ".");
}

TEST_CASE("sources and targets of files, folders, stores and streams") {
  const ScratchFolder scratch;
  for (const char* folder : {"slices", "cells.zarr", "cells.tif"})
    std::filesystem::create_directory(scratch / folder);
  write_file(scratch / "cells.zarr/.zgroup", "{}");
  REQUIRE(::mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  for (const std::string& stream : {std::string("-"), scratch / "pipe", std::string("/dev/null")}) {
    CHECK(Source(stream).is_stream);
    CHECK(Target(stream).is_stream);
  }
  CHECK(Source::of_image(scratch / "slices").is_stack);
  CHECK_FALSE(Source(scratch / "slices").is_stack);
  CHECK_FALSE(Source::of_image(scratch / "cells.zarr").is_stack);
  CHECK(Source(scratch / "cells.zarr").is_store);
  CHECK(Source::of_image(scratch / "slices/missing.tif").path == scratch / "slices/missing.tif");

  CHECK(Target("missing/").is_folder);
  CHECK(Target(scratch / "slices").is_folder);
  CHECK_FALSE(Target(scratch / "cells.tif").is_folder);  // the name of a label image
  CHECK(Target("a.nii.gz").format == LabelFormat::nifti_gz);
  CHECK_FALSE(Target("a.csv").format);
  CHECK(Target(scratch / "cells.zarr/").path == scratch / "cells.zarr");
  CHECK(Target("-").name() == "standard output");
  CHECK(Target().empty());
}

}  // namespace
}  // namespace gpuccl::io
