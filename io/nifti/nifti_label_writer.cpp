#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "io/image/header_numbers.hpp"
#include "io/image/label_streams.hpp"
#include "io/nifti/nifti.hpp"

namespace gpuccl::io {
namespace {

using namespace std::string_view_literals;

constexpr int kMaxNifti1Size = 32767;  // elements of an axis
constexpr int kLabelIntent = 1002;
constexpr int kAligned = 2;  // code of a frame other than that of the scanner

/// Returns the unit of NIfTI in which a length is written.
LengthUnit nifti_unit(LengthUnit unit) {
  using enum LengthUnit;
  constexpr LengthUnit kWritten[] = {unknown, um, um, um, um, mm, mm, mm, m, mm};  // of pm to inch
  return kWritten[static_cast<std::size_t>(unit)];
}

int code_of(LengthUnit unit) {
  return unit == LengthUnit::m ? 1 : unit == LengthUnit::mm ? 2 : unit == LengthUnit::um ? 3 : 0;
}

/// Returns the frame for an input of another format.
NiftiFrame frame_of(const Geometry& given) {
  const Geometry geometry = in_unit(given, nifti_unit(given.unit));
  NiftiFrame frame;
  frame.pixdim = {1, 1, 1, 1, 1, 1, 1, 1};
  frame.xyzt_units = code_of(geometry.unit);
  frame.sform_code = kAligned;
  const Orientation orientation = in_ras(orientation_of(geometry));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (is_spacing(geometry.spacing[axis])) frame.pixdim[axis + 1] = geometry.spacing[axis];
    for (std::size_t i = 0; i < 3; ++i) frame.srow[4 * axis + i] = orientation.steps[i][axis];
    frame.srow[4 * axis + 3] = orientation.origin[axis];
  }
  return frame;
}

class NiftiWriter : public HeaderWriter {
 public:
  explicit NiftiWriter(const NiftiLayout& layout) : HeaderWriter(layout.header_bytes + 4), layout_(layout) {
    whole(0, 4, layout.header_bytes);
  }

  void dim(std::size_t i, int value) {
    whole(layout_.dim + i * layout_.dim_bytes(), layout_.dim_bytes(), static_cast<std::uint64_t>(value));
  }
  void code(std::size_t at, int value) { whole(at, layout_.code_bytes(), static_cast<std::uint64_t>(value)); }
  template <class Reals>
  void reals(std::size_t at, const Reals& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      real(at + i * layout_.real_bytes(), layout_.real_bytes(), values[i]);
  }

 private:
  const NiftiLayout& layout_;
};

/// Returns the code of NIfTI for a type.
std::uint64_t datatype_of(LabelType type) {
  constexpr std::uint64_t kCodes[] = {768, 2, 512, 768, 256, 4, 8, 16, 1280, 1024, 64};
  return kCodes[static_cast<std::size_t>(type)];
}

}  // namespace

std::vector<std::byte> nifti_label_header(const Extent& extent, LabelType type, const Geometry& geometry) {
  const NiftiFrame frame = geometry.nifti ? *geometry.nifti : frame_of(geometry);
  const bool is_large = std::max({extent.width, extent.height, extent.depth}) > kMaxNifti1Size;
  const NiftiLayout& layout = is_large || frame.is_nifti2 ? kNifti2 : kNifti1;
  NiftiWriter header(layout);
  const int sizes[] = {3, extent.width, extent.height, extent.depth, 1, 1, 1, 1};
  for (std::size_t i = 0; i < 8; ++i) header.dim(i, sizes[i]);
  header.code(layout.intent_code, kLabelIntent);
  header.whole(layout.datatype, 2, datatype_of(type));
  header.whole(layout.bitpix, 2, static_cast<std::uint64_t>(bits_per_sample(type)));
  header.reals(layout.pixdim, frame.pixdim);
  const std::size_t data = layout.header_bytes + 4;
  if (layout.is_nifti2) {
    header.whole(layout.vox_offset, 8, data);
  } else {
    header.real(layout.vox_offset, 4, static_cast<double>(data));
  }
  header.real(layout.scl_slope, layout.real_bytes(), 1);
  header.whole(layout.xyzt_units, layout.is_nifti2 ? 4 : 1, static_cast<std::uint64_t>(frame.xyzt_units));
  header.code(layout.qform_code, frame.qform_code);
  header.code(layout.sform_code, frame.sform_code);
  header.reals(layout.quatern, frame.quatern);
  header.reals(layout.srow, frame.srow);
  header.text(layout.magic, layout.is_nifti2 ? "n+2\0\r\n\x1a\n"sv : "n+1\0"sv);
  return header.take();
}

LabelFile nifti_label_file(const Extent& extent, const WriteOptions& options) {
  const std::vector<std::byte> header = nifti_label_header(extent, options.type, options.geometry);
  return raw_label_file({reinterpret_cast<const char*>(header.data()), header.size()}, extent, options);
}

LabelFile nifti_gz_label_file(const Extent& extent, const WriteOptions& options) {
  return gzip_label_file("", nifti_label_header(extent, options.type, options.geometry), extent, options);
}

}  // namespace gpuccl::io
