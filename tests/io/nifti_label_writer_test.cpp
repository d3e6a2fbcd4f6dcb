// Frames of label images as NIfTI, byte by byte. nibabel reads the rest (interop.py).

#include <libdeflate.h>

#include "io/label_samples.hpp"
#include "io/read/reader.hpp"
#include "support/memory_file.hpp"
#include "support/nifti_file.hpp"
#include "support/read_labels.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

namespace {

/// The one member that all of the file must be.
std::string gunzipped(const std::string& file) {
  std::string out(std::size_t{1} << 24, '\0');
  libdeflate_decompressor* const decompressor = libdeflate_alloc_decompressor();
  std::size_t used = 0, made = 0;
  const libdeflate_result result = libdeflate_gzip_decompress_ex(decompressor, file.data(), file.size(),
                                                                 out.data(), out.size(), &used, &made);
  libdeflate_free_decompressor(decompressor);
  REQUIRE(result == LIBDEFLATE_SUCCESS);
  REQUIRE(used == file.size());
  out.resize(made);
  return out;
}

template <class T>
T at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("the frame of the input is in the label image bit for bit") {
  const ScratchFolder folder;
  tests::NiftiToWrite nifti;
  nifti.dim = {3, 4, 3, 2, 1, 1, 1, 1};
  nifti.samples = std::string(24, '\1');
  nifti.units = 2 | 8;
  nifti.pixdim = {-1, 0.1, 1.0 / 3, 2.7, 1.5, 1e-40, -0.0, std::numeric_limits<double>::infinity()};
  nifti.qform = 1;
  nifti.sform = 4;
  nifti.quatern = {0.1, -0.2, 0.3, -90.123456789, 126.7, 1e-300};
  for (std::size_t i = 0; i < 12; ++i) nifti.srow[i] = 0.1 * static_cast<double>(i) - 0.7;
  for (const bool nifti2 : {false, true})
    for (const bool big_endian : {false, true}) {
      nifti.nifti2 = nifti2;
      nifti.big_endian = big_endian;
      const tests::MemoryFile input(nifti.bytes());
      nifti.big_endian = false;
      const std::string expected = nifti.bytes();
      WriteOptions options;
      options.geometry = open_reader(input.path(), {})->info().geometry;
      CHECK(options.geometry.spacing[2] == (nifti2 ? 2.7 : double{2.7f}));
      CHECK(options.geometry.unit == LengthUnit::mm);
      save_labels(folder / "a.nii", sample_labels({4, 3, 2}, 5), options);
      const std::string written = read_file(folder / "a.nii");
      const auto same = [&](std::size_t from, std::size_t bytes) {
        return written.substr(from, bytes) == expected.substr(from, bytes);
      };
      if (nifti2) {
        CHECK(at<std::int32_t>(written, 0) == 540);
        CHECK(same(4, 8));      // magic
        CHECK(same(104, 64));   // pixdim
        CHECK(same(344, 152));  // qform_code to srow_z
        CHECK(same(500, 4));    // xyzt_units
        CHECK(at<std::int32_t>(written, 504) == 1002);
        CHECK(at<std::int64_t>(written, 168) == 544);
      } else {
        CHECK(same(76, 32));   // pixdim
        CHECK(same(123, 1));   // xyzt_units
        CHECK(same(252, 76));  // qform_code to srow_z
      }
    }
}

TEST_CASE("an axis of more elements than NIfTI-1 can say makes a NIfTI-2") {
  const ScratchFolder folder;
  for (const int width : {32767, 32768}) {
    save_labels(folder / "a.nii.gz", sample_labels({width, 2, 1}, 9));
    const std::string written = gunzipped(read_file(folder / "a.nii.gz"));
    CHECK(at<std::int32_t>(written, 0) == (width == 32767 ? 348 : 540));
    REQUIRE(read_labels(folder / "a.nii.gz").extent() == Extent{width, 2, 1});
  }
}
