#include "io/tiff/tiff_format.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/image/limits.hpp"

namespace gpuccl::io {
namespace {

/// Compressions whose decoders use memory bounded by the size of a strip or tile, and report failures to the
/// caller. libjbig ends the process if there is no memory for the size in its own header; LERC and WebP
/// allocate for the size in theirs, LZMA for a dictionary, before anything is compared with the page.
constexpr std::array<int, 11> kReadCompressions = {
    COMPRESSION_NONE,      COMPRESSION_CCITTRLE, COMPRESSION_CCITTRLEW,     COMPRESSION_CCITTFAX3,
    COMPRESSION_CCITTFAX4, COMPRESSION_LZW,      COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE,
    COMPRESSION_PACKBITS,  COMPRESSION_ZSTD,     COMPRESSION_JPEG};

void check_compression(int compression) {
  const auto scheme = static_cast<std::uint16_t>(compression);
  const bool is_read =
      std::find(kReadCompressions.begin(), kReadCompressions.end(), compression) != kReadCompressions.end();
  if (is_read && TIFFIsCODECConfigured(scheme) != 0) return;
  const TIFFCodec* codec = TIFFFindCODEC(scheme);
  throw Error(ErrorCode::data,
              "compression " + (codec != nullptr ? std::string(codec->name) : std::to_string(compression)) +
                  " is not supported" + (is_read ? " by this libtiff" : ""));
}

/// Returns the predictor of a page whose codec has none, which libtiff ignores silently.
int unused_predictor(const TiffHandle& tiff, int compression) {
  const bool is_used = compression == COMPRESSION_LZW || compression == COMPRESSION_ADOBE_DEFLATE ||
                       compression == COMPRESSION_DEFLATE || compression == COMPRESSION_ZSTD;
  if (is_used) return PREDICTOR_NONE;
  const std::optional<StoredTag> stored = tiff.stored_tag(TIFFTAG_PREDICTOR);
  const bool is_short = stored && stored->type == TIFF_SHORT;
  return is_short ? static_cast<std::uint16_t>(tiff.number_at(stored->offset, 2))
                  : std::uint16_t{PREDICTOR_NONE};
}

SampleKind kind_of(const TiffHandle& tiff) {
  switch (tiff.field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT)) {
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID:
      return SampleKind::unsigned_integer;
    case SAMPLEFORMAT_INT:
      return SampleKind::signed_integer;
    case SAMPLEFORMAT_IEEEFP:
      return SampleKind::floating;
    default:
      throw Error(ErrorCode::data, "complex samples are not supported");
  }
}

/// Blocks of pixels share their color unless this field changes that.
void check_subsampling(const TiffHandle& tiff) {
  std::uint16_t across = 2, down = 2;
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_YCBCRSUBSAMPLING, &across, &down);
  if (across != 1 || down != 1)
    throw Error(ErrorCode::data, "subsampled ycbcr images are not supported unless compressed as jpeg");
}

Photometric photometric_of(const TiffHandle& tiff, int compression, int channels) {
  std::uint16_t photometric = 0;
  if (TIFFGetField(tiff.get(), TIFFTAG_PHOTOMETRIC, &photometric) != 1)  // required, but sometimes missing
    photometric = is_fax(compression) ? PHOTOMETRIC_MINISWHITE
                  : channels < 3      ? PHOTOMETRIC_MINISBLACK
                                      : PHOTOMETRIC_RGB;
  switch (photometric) {
    case PHOTOMETRIC_MINISWHITE:
      return Photometric::min_is_white;
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MASK:  // 1 is inside
      return Photometric::min_is_black;
    case PHOTOMETRIC_PALETTE:
      return Photometric::palette;
    case PHOTOMETRIC_RGB:
      return Photometric::rgb;
    case PHOTOMETRIC_SEPARATED:
      return Photometric::cmyk;
    case PHOTOMETRIC_YCBCR:
      if (compression == COMPRESSION_JPEG) return Photometric::rgb;  // libtiff converts it, see prepare_page
      check_subsampling(tiff);
      return Photometric::ycbcr;
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
    case PHOTOMETRIC_ITULAB:
      throw Error(ErrorCode::data, "has colors (CIE L*a*b*) that are not read; convert them to RGB");
    default:
      throw Error(ErrorCode::data, fmt::format("photometric interpretation {} is not supported; convert the "
                                               "image to gray or RGB",
                                               photometric));
  }
}

/// Red, green and blue of every index.
struct Colormap {
  std::array<const std::uint16_t*, 3> channels{};
  std::size_t count = 0;

  std::uint16_t largest(const std::uint16_t* channel) const {
    return *std::max_element(channel, channel + count);
  }
};

Colormap read_colormap(const TiffHandle& tiff, int bits) {
  std::uint16_t *red = nullptr, *green = nullptr, *blue = nullptr;
  if (bits > 16 || TIFFGetField(tiff.get(), TIFFTAG_COLORMAP, &red, &green, &blue) != 1)
    throw Error(ErrorCode::data, "palette image without a usable palette");
  return {{red, green, blue}, std::size_t{1} << bits};
}

std::vector<double> luma_of_colormap(const Colormap& map) {
  const auto& [red, green, blue] = map.channels;
  // Some programs write maps of 8 bits instead of 16.
  const double scale = std::max({map.largest(red), map.largest(green), map.largest(blue)}) < 256 ? 1 : 257;
  std::vector<double> palette(map.count);
  for (std::size_t i = 0; i < map.count; ++i) palette[i] = luma(red[i], green[i], blue[i]) / scale;
  return palette;
}

/// Returns whether colors are shades of one hue, such as gray, in order of lightness: a palette that displays
/// one channel.
bool has_one_hue(const Colormap& map) {
  std::array<double, 3> hue{};
  for (std::size_t i = 0; i < 3; ++i) hue[i] = map.largest(map.channels[i]);
  const double lightest = *std::max_element(hue.begin(), hue.end());
  if (lightest == 0) return false;
  const double tolerance = lightest / 128;  // colors are rounded, of ImageJ to 8 bits
  bool rises = true, falls = true;
  double last = 0;
  for (std::size_t index = 0; index < map.count; ++index) {
    double light = 0;
    for (const std::uint16_t* channel : map.channels) light = std::max<double>(light, channel[index]);
    for (std::size_t i = 0; i < 3; ++i)
      if (std::abs(map.channels[i][index] - light * hue[i] / lightest) > tolerance) return false;
    if (index > 0) {
      rises = rises && light >= last;
      falls = falls && light <= last;
    }
    last = light;
  }
  return rises || falls;
}

/// Returns whether the color of every index is the gray of this value, so luma equals index.
bool is_gray_ramp(const Colormap& map) {
  if (map.count != 256) return false;
  for (const std::uint16_t* channel : map.channels) {
    const int shift = map.largest(channel) < 256 ? 0 : 8;  // some programs write maps of 8 bits
    for (std::size_t index = 0; index < map.count; ++index)
      if (static_cast<std::size_t>(channel[index] >> shift) != index) return false;
  }
  return true;
}

/// Decides by the palette whether samples are read as indices, in gray.
void read_palette(const TiffHandle& tiff, const TiffReading& reading, SampleFormat& samples,
                  const std::function<void(const std::string&)>& warn) {
  const Colormap map = read_colormap(tiff, samples.bits);
  const bool displays = reading.by_imagej && reading.palette == PaletteUse::automatic && has_one_hue(map);
  if (displays || reading.palette == PaletteUse::index || is_gray_ramp(map)) {
    samples.photometric = Photometric::min_is_black;
    return;
  }
  samples.palette = luma_of_colormap(map);
  if (reading.by_imagej && reading.palette == PaletteUse::automatic && warn)
    warn("has a palette of several colors; their luma is read, --palette index reads the samples");
}

/// Refuses channels after the color that are not transparency, because they may be the ones to label.
void check_extra_channels(const TiffHandle& tiff, int channels, int colors, const PlaneOptions& options,
                          const std::function<void(const std::string&)>& warn) {
  if (channels <= colors) return;
  std::uint16_t count = 0;
  const std::uint16_t* kinds = nullptr;
  const bool is_stated = TIFFGetField(tiff.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) == 1 && count > 0;
  const bool is_alpha =
      is_stated && (kinds[0] == EXTRASAMPLE_ASSOCALPHA || kinds[0] == EXTRASAMPLE_UNASSALPHA);
  if (colors == 1 && (!is_alpha || channels > 2))
    throw Error(ErrorCode::data,
                fmt::format("contains {} channels; {}", channels, options.remedy("channel")));
  if (warn)
    warn(is_alpha ? fmt::format("transparency ignored (channel {})", colors)
                  : "channels other than color are ignored");
}

}  // namespace

bool is_fax(int compression) {
  return compression == COMPRESSION_CCITTRLE || compression == COMPRESSION_CCITTRLEW ||
         compression == COMPRESSION_CCITTFAX3 || compression == COMPRESSION_CCITTFAX4;
}

TiffFormat read_tiff_format(const TiffHandle& tiff, const TiffReading& reading,
                            const std::function<void(const std::string&)>& warn) {
  const int compression = tiff.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  check_compression(compression);
  if (std::max(tiff.field<std::uint32_t>(TIFFTAG_IMAGEDEPTH, 1),
               tiff.field<std::uint32_t>(TIFFTAG_TILEDEPTH, 1)) > 1)
    throw Error(ErrorCode::data, "several slices in a page are not supported");

  const int predictor = unused_predictor(tiff, compression);
  if (predictor != PREDICTOR_NONE && warn)
    warn(fmt::format("predictor {} ignored, its compression has none", predictor));
  const int channels = tiff.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
  TiffFormat format;
  SampleFormat& samples = format.samples;
  samples.bits = tiff.field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
  samples.kind = kind_of(tiff);
  samples.photometric = photometric_of(tiff, compression, channels);
  format.stored = samples.photometric;
  const int colors = reading.all_channels ? channels : colors_of(samples.photometric);
  check_extra_channels(tiff, channels, colors, reading.options, warn);

  const bool separate =
      channels > 1 &&
      tiff.field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
  samples.channels = separate ? std::min(channels, colors) : channels;
  format.channels = channels;
  format.planes = separate ? samples.channels : 1;
  if (samples.photometric == Photometric::palette) read_palette(tiff, reading, samples, warn);
  check_format(samples);
  if (format.planes > 1 && samples.bits % 8 != 0)
    throw Error(ErrorCode::data,
                fmt::format("{}-bit samples in separate planes are not supported", samples.bits));
  return format;
}

constexpr double kMaxTilePixels = static_cast<double>(std::int64_t{1} << 36);
// Limit for all channels of a row of strips or tiles; times a few planes, it is below 2^63.
constexpr double kMaxBandBytes = static_cast<double>(std::int64_t{1} << 56);

/// Refuses a page that claims more bytes than its compression can make of the stored ones, before memory is
/// allocated.
static void check_expansion(int compression, double claimed_bytes, std::int64_t rows,
                            std::uint64_t stored_bytes) {
  const auto stored = static_cast<double>(stored_bytes);
  if (compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE)
    check_deflate_ratio(claimed_bytes, stored_bytes);
  // A code of PackBits is two bytes for 128, one of LZW at least 9 bits for less than 4096 bytes. A row of a
  // fax is at least one bit, however wide it is.
  const bool is_impossible = (compression == COMPRESSION_PACKBITS && claimed_bytes > stored * 64 + 128) ||
                             (compression == COMPRESSION_LZW && claimed_bytes > stored * 4096) ||
                             (is_fax(compression) && static_cast<double>(rows) > stored * 8);
  if (is_impossible) throw Error(ErrorCode::data, claim(claimed_bytes, stored_bytes));
}

/// Returns the memory of libjpeg for coefficients of several scans. Checks the header of the stream, because
/// libjpeg trusts it even if it claims more than a strip or tile contains.
static std::int64_t check_jpeg(const TiffLayout& layout, const InputFile& file, std::uint64_t offset,
                               std::uint64_t bytes) {
  const std::optional<JpegFrame> frame = read_jpeg_frame(file, offset, bytes);
  if (!frame) return 0;
  if (frame->is_lossless()) throw Error(ErrorCode::data, "compression lossless JPEG is not supported");
  if (frame->width > layout.width)
    throw Error(ErrorCode::data, fmt::format("contains a JPEG stream {} pixels wide in strips or tiles of {}",
                                             frame->width, layout.width));
  return frame->coefficient_bytes();
}

std::string piece_name(const TiffLayout& layout, std::int64_t index) {
  return (layout.tiled ? "tile " : "strip ") + std::to_string(index);
}

TiffLayout read_tiff_layout(const TiffHandle& tiff, const TiffFormat& format) {
  const std::int64_t page_width = tiff.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
  const std::int64_t page_height = tiff.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  SampleFormat plane = format.samples;
  if (format.planes > 1) plane.channels = 1;

  TiffLayout layout;
  layout.tiled = TIFFIsTiled(tiff.get()) != 0;
  if (!layout.tiled) {
    layout.width = page_width;
    layout.height = std::min<std::int64_t>(tiff.field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP, ~0u), page_height);
  } else {
    layout.width = tiff.field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0);
    layout.height = tiff.field<std::uint32_t>(TIFFTAG_TILELENGTH, 0);
    const double pixels = static_cast<double>(layout.width) * static_cast<double>(layout.height);
    if (layout.width == 0 || layout.width > INT32_MAX || layout.height > INT32_MAX || pixels > kMaxTilePixels)
      throw Error(ErrorCode::data, "impossible tiles");
    layout.across = (page_width + layout.width - 1) / layout.width;
    if (layout.across > 1 && layout.width * plane.bits * plane.channels % 8 != 0)
      throw Error(ErrorCode::data, "rows of tiles that do not end on a byte are not supported");
  }
  if (layout.height == 0) throw Error(ErrorCode::data, "strips or tiles without a row");
  layout.down = (page_height + layout.height - 1) / layout.height;
  layout.piece_row_bytes = plane.row_bytes(layout.width);
  layout.row_bytes = layout.piece_row_bytes * layout.across;
  if (static_cast<double>(layout.row_bytes) * static_cast<double>(layout.height) > kMaxBandBytes)
    throw Error(ErrorCode::data, "impossible strips or tiles");
  return layout;
}

TiffPieces check_pieces(const TiffHandle& tiff, const TiffFormat& format, const TiffLayout& layout,
                        const InputFile& file) {
  const int compression = tiff.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  const std::int64_t page_height = tiff.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  const bool uncompressed = compression == COMPRESSION_NONE;
  const std::int64_t in_plane = layout.across * layout.down;
  const std::int64_t count = in_plane * format.planes;
  if (layout.across > INT32_MAX / layout.down || count > INT32_MAX)
    throw Error(ErrorCode::data, "too many strips or tiles");

  std::uint64_t rows = 0, end_of_last = 0, stored = 0;
  std::int64_t largest = 0, coefficients = 0;
  bool in_one_piece = uncompressed && !layout.tiled && format.planes == 1;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t offset = TIFFGetStrileOffset(tiff.get(), static_cast<std::uint32_t>(i));
    const std::uint64_t bytes = TIFFGetStrileByteCount(tiff.get(), static_cast<std::uint32_t>(i));
    if (offset == 0 || bytes == 0) throw Error(ErrorCode::data, piece_name(layout, i) + " is missing");
    std::uint64_t needed = bytes;
    if (uncompressed) {
      const std::int64_t row = i % in_plane / layout.across * layout.height;
      const std::int64_t height = layout.tiled ? layout.height : std::min(layout.height, page_height - row);
      needed = static_cast<std::uint64_t>(height * layout.piece_row_bytes);
      if (bytes < needed) throw Error(ErrorCode::data, piece_name(layout, i) + " is too short");
    }
    if (offset >= file.size() || needed > file.size() - offset)
      throw Error(ErrorCode::data,
                  piece_name(layout, i) + " lies beyond the end of the file, which may be truncated");
    stored += bytes;
    if (!uncompressed) largest = std::max(largest, static_cast<std::int64_t>(bytes));
    if (compression == COMPRESSION_JPEG)
      coefficients = std::max(coefficients, check_jpeg(layout, file, offset, bytes));
    if (i == 0) rows = offset;
    in_one_piece = in_one_piece && (i == 0 || offset == end_of_last);
    end_of_last = offset + needed;
  }
  const double claimed =
      static_cast<double>(layout.row_bytes) * static_cast<double>(page_height) * format.planes;
  check_expansion(compression, claimed, page_height, stored);
  return {in_one_piece ? rows : 0, count, stored, largest, coefficients};
}

}  // namespace gpuccl::io
