#include "io/write/label_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/deflate/run_deflater.hpp"
#include "io/files/file_names.hpp"
#include "io/image/samples.hpp"
#include "io/image/strips.hpp"
#include "io/metaimage/metaimage.hpp"
#include "io/mrc/mrc.hpp"
#include "io/nifti/nifti.hpp"
#include "io/npy/npy.hpp"
#include "io/nrrd/nrrd.hpp"
#include "io/png/png.hpp"
#include "io/tiff/tiff.hpp"
#include "io/tiff/tiff_output.hpp"
#include "io/zarr/zarr.hpp"
#include "io/zarr/zarr_label_metadata.hpp"

namespace gpuccl::io {
namespace {

template <class T>
bool fits(Label count) {
  return count <= std::numeric_limits<T>::max();
}

}  // namespace

LabelType resolve_label_type(LabelType requested, Label count, LabelFormat format) {
  const LabelTraits& traits = traits_of(format);
  const std::string title(traits.title);
  if (requested == LabelType::u8 && !traits.holds(requested)) requested = LabelType::u16;
  if (requested != LabelType::automatic && !traits.holds(requested))
    throw Error(requested == LabelType::u32 ? ErrorCode::usage : ErrorCode::data,
                title + " cannot hold " + long_name(requested) + "; write a .tiff");
  if (!traits.holds(LabelType::u32) && requested != LabelType::f32 && !fits<std::uint16_t>(count))
    throw Error(ErrorCode::data,
                std::to_string(count) + " labels do not fit the 16 bits of " + title + "; write a .tiff");
  const auto refuse = [count](const std::string& type, const std::string& larger) {
    throw Error(ErrorCode::data,
                std::to_string(count) + " labels do not fit " + type + "; ask for " + larger);
  };
  if (requested == LabelType::u8 && !fits<std::uint8_t>(count))
    refuse("u8", fits<std::uint16_t>(count) ? "u16" : "u32");
  if (requested == LabelType::u16 && !fits<std::uint16_t>(count)) refuse("u16", "u32");
  if (requested != LabelType::automatic) return requested;
  return fits<std::uint16_t>(count) ? LabelType::u16 : LabelType::u32;
}

std::string lost_geometry(LabelFormat format, const Geometry& geometry, int depth) {
  using GeometrySupport = LabelTraits::GeometrySupport;
  const LabelTraits& traits = traits_of(format);
  const std::string cannot = std::string(traits.title) + " cannot hold ";
  const bool is_placed = geometry.orientation && !is_plain(*geometry.orientation);
  if (traits.place == GeometrySupport::nothing && (geometry.is_known() || is_placed))
    return cannot + "the pixel size; use TIFF, NIfTI, NRRD, MetaImage, MRC or Zarr";
  if (traits.needs_unit && geometry.is_known() && geometry.unit == LengthUnit::unknown)
    return cannot + "a pixel size without a unit; set one with --spacing X,Y,Z,UNIT";
  if (traits.place == GeometrySupport::spacing && is_placed)
    return cannot + "origin and directions; use NIfTI, NRRD or MetaImage";
  const bool is_turned = geometry.orientation && !is_unturned(*geometry.orientation);
  if ((traits.place == GeometrySupport::origin && is_turned) ||
      (traits.place == GeometrySupport::axes && geometry.orientation &&
       !world_axes(in_lps(*geometry.orientation))))
    return cannot + "directions; use NIfTI, NRRD or MetaImage";
  const bool needs_z = traits.needs_z_spacing && !(traits.keeps_frame && geometry.nifti);
  if (needs_z && depth > 1 && geometry.is_known() && !geometry.is_known(3))
    return "its z spacing is unknown and is written as 1; use NRRD to leave it open";
  return "";
}

std::int64_t bytes_of_strip(LabelFormat format, const WriteOptions& options, Extent extent,
                            std::int64_t runs) {
  const int bits = bits_per_sample(options.type);
  const bool has_chunks = traits_of(format).has_chunks;
  const ZarrLabelLayout chunks(extent, options);
  const StripLayout strips = has_chunks ? chunks.strips : StripLayout(extent, bits);
  const SampleRow row{.width = has_chunks ? chunks.width : extent.width, .sample_bytes = bits / 8};
  const std::int64_t rows = strips.rows_per_strip * strips.slices_per_strip;
  const std::int64_t samples = rows * row.width * row.sample_bytes;
  const bool is_raw = options.compression == Compression::none || format == LabelFormat::npy ||
                      format == LabelFormat::nifti || format == LabelFormat::mrc;
  if (is_raw && !has_chunks) return samples;
  const std::int64_t all = rows * runs, pay = RunDeflater::most_that_pay(row, rows);
  const bool is_tiff = format == LabelFormat::tiff,
             by_library = is_tiff && options.compression != Compression::deflate;
  // Copies of the samples: of libtiff and its output, of chunks and scales, where runs do not pay, in gzip.
  const std::int64_t copies = by_library ? 5 : has_chunks ? 4 : bits > 32 || all > pay ? 2 : 1;
  const std::int64_t index = options.shards || options.geometry.zarr_shards ? 16 * chunks.columns : 0;
  constexpr std::int64_t kWhileTheyGrow = 2;  // lists of runs
  return index + copies * samples + kWhileTheyGrow * all * std::int64_t{sizeof(LabelRun)} +
         RunDeflater::bytes_of(is_tiff || has_chunks ? std::min(all, pay) : all);
}

int slices_of_strip(LabelFormat format, const WriteOptions& options, Extent extent) {
  return traits_of(format).has_chunks ? ZarrLabelLayout(extent, options).depth : 1;
}

LabelFile new_label_file(LabelFormat format, const std::string& path, const Extent& extent, Label count,
                         const WriteOptions& options) {
  switch (format) {
    case LabelFormat::tiff:
      return tiff_label_file(path, extent, count, options);
    case LabelFormat::png:
      return png_label_file(extent, options);
    case LabelFormat::npy:
      return npy_label_file(extent, options);
    case LabelFormat::nifti:
      return nifti_label_file(extent, options);
    case LabelFormat::nifti_gz:
      return nifti_gz_label_file(extent, options);
    case LabelFormat::nrrd:
      return nrrd_label_file(extent, options);
    case LabelFormat::metaimage:
      return metaimage_label_file(extent, options);
    case LabelFormat::mrc:
      return mrc_label_file(extent, options);
    case LabelFormat::zarr:
      return zarr_label_file(path, extent, options);
    case LabelFormat::ozx:
      return ozx_label_file(extent, options);
  }
  throw Error(ErrorCode::internal, "unknown format");
}

namespace {

constexpr int kBits = 1;
constexpr int kLevel = 6;  // images are made once and read often

/// One row with the first pixel in the most significant bit.
void store_row(const std::uint32_t* words, std::byte* out, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, words + at / 4, sizeof word);
    word = reverse_bits_of_bytes(word);
    std::memcpy(out + at, &word, std::min(sizeof word, bytes - at));
  }
}

void store_strip(BitView image, const StripLayout& strips, std::int64_t strip, std::byte* samples) {
  const auto row_bytes = static_cast<std::size_t>(strips.row_bytes);
  for (std::int64_t i = 0; i < strips.rows(strip); ++i, samples += row_bytes)
    store_row(image.row(strips.first_row(strip) + i), samples, row_bytes);
}

void write_tiff_image(AtomicFile& file, BitView image) {
  const TiffPages pages{.strips = StripLayout(image.extent, kBits),
                        .bits_per_sample = kBits,
                        .compression = Compression::deflate,
                        .deflate_level = kLevel,
                        .resolution = {},
                        // So that nobody takes slices for pages of a scan.
                        .description = image.extent.depth > 1 ? imagej_description(image.extent, 1, {}) : ""};
  const FillStrip fill = [&](std::int64_t strip, std::byte* samples) {
    store_strip(image, pages.strips, strip, samples);
  };
  TiffFile tiff(pages);
  tiff.write_head(file.descriptor());
  std::size_t end = tiff.head().size();
  encode_strips(
      pages.strips, {0, pages.strips.count()}, {},
      [&] { return std::make_unique<TiffStripEncoder>(tiff.pages(), fill); },
      [&](std::int64_t strip, const EncodedStrip& encoded) {
        file.write_at(encoded.bytes.data(), encoded.bytes.size(), end);
        end += encoded.bytes.size();
        tiff.append(strip, {encoded.bytes.size(), encoded.checksum});
      },
      {});
  tiff.write_tail(file.descriptor(), end);
}

void write_png_image(AtomicFile& file, BitView image) {
  if (image.extent.depth > 1)
    throw Error(ErrorCode::usage,
                "PNG can hold only one slice, not " + std::to_string(image.extent.depth) + "; write a .tiff");
  const StripLayout strips(image.extent, kBits);
  PngOutput png(file, {.width = image.extent.width,
                       .height = image.extent.height,
                       .bits = kBits,
                       .level = kLevel,
                       .resolution = {}});
  std::vector<std::byte> samples;
  for (std::int64_t strip = 0; strip < strips.count(); ++strip) {
    samples.resize(strips.bytes(strip));
    store_strip(image, strips, strip, samples.data());
    png.write_rows(samples.data(), static_cast<std::size_t>(strips.row_bytes),
                   static_cast<std::size_t>(strips.rows(strip)));
  }
  png.finish();
}

}  // namespace

void write_image(AtomicFile& file, BitView image) {
  const std::string extension = lower_extension(file.path());
  if (extension == ".png") return write_png_image(file, image);
  if (extension == ".tif" || extension == ".tiff") return write_tiff_image(file, image);
  throw Error(ErrorCode::usage, "has the wrong extension for a binary image; use .tiff, .tif or .png");
}

}  // namespace gpuccl::io
