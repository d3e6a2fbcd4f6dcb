#include "io/tiff/tiff_contents.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "io/files/file_error.hpp"
#include "io/image/cf_attributes.hpp"
#include "io/image/exif.hpp"
#include "io/image/formats.hpp"
#include "io/image/image_axes.hpp"
#include "io/image/limits.hpp"
#include "io/tiff/tiff_page_decoder.hpp"

namespace gpuccl::io {
namespace {

/// Reads one directory after the other into TiffContents.
class ContentsScanner {
 public:
  ContentsScanner(TiffHandle& tiff, SharedTiff& file, const ReadOptions& options)
      : tiff_(tiff), tiff_file_(file), file_(*file.bytes()), options_(options) {}

  TiffContents scan(PageRange range) {
    const bool is_whole = !options_.planes.pages && range.begin == 0 && range.end == PageRange().end;
    if (const auto known = is_whole ? tiff_file_.pages() : nullptr) {
      known_ = known;
      if (scan_wanted(known->pages)) return std::move(result_);
    }
    const auto all = std::make_shared<DescribedPages>();
    for_each_page(tiff_, options_.limits, [&](std::int64_t page) {
      all->pages.push_back(TIFFCurrentDirOffset(tiff_.get()));
      // The first page of an image describes it; the first page of the file describes pages chosen by --page.
      if (page == (options_.planes.pages ? 0 : range.begin))
        with_page(page, [&] {
          all->description = read_description(tiff_);
          all->samples = tiff_.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
          known_ = all;
          choose_planes();
        });
      if (range.begin <= page && page < range.end) with_page(page, [&] { add_page(page); });
    });
    pages_ = std::ssize(all->pages);
    if (is_whole) tiff_file_.remember(all);
    return std::move(result_);
  }

  /// Adds spacing, and slices without their own directory, from the description.
  void describe(TiffContents& contents) const {
    const Extent& extent = contents.info.extent;
    const TiffDescription& description = this->description();
    if (is_ome_tiff(file_.path()) && description.writer != TiffDescription::Writer::ome)
      warn("is named as an OME-TIFF, but contains no OME-XML");
    if (!description.metadata_file.empty() && pages_ > 1)
      warn("its OME-XML is in " + description.metadata_file +
           ", which is not read; pages are read as slices");
    contents.info.is_described_stack = description.writer != TiffDescription::Writer::unknown;
    add_spacing(of_series_ ? *of_series_ : description, contents.info.geometry);
    check_color_planes(contents);
    if (options_.planes.pages) return keep_pages(contents, *options_.planes.pages);
    const auto found = static_cast<std::int64_t>(contents.slices.size());
    if (description.writer == TiffDescription::Writer::tifffile && !description.series.empty() &&
        !description.single_directory && description.series.front().planes() != planes_)
      warn_of_images(description.series.front().planes(), planes_);
    if (wanted_) return keep_wanted(contents);
    check_axes(description, found, true, options_.pages_apart, options_.planes.options);
    if (!options_.pages_apart && !description.series.empty())
      check_order(description.series.front(), options_.planes.options);
    const TiffSlice first = contents.slices.front();
    check_hidden(first);
    if (has_hidden() && found == 1 && description.planes > 1 && first.rows != 0) {
      add_hidden_slices(contents, first);
    } else if (description.planes > found && description.writer != TiffDescription::Writer::imagej &&
               description.says_images()) {
      throw Error(ErrorCode::data, fmt::format("its description lists {} planes, but the file contains {}",
                                               description.planes, found));
    } else if (description.planes != found && description.planes > 0) {
      warn_of_images(description.planes, found);
    }
    contents.info.extent = {extent.width, extent.height, static_cast<int>(contents.slices.size())};
  }

  /// Returns the number of pages that are slices, wanted or not.
  std::int64_t planes() const { return planes_; }

  /// Returns the number of pages of the file.
  std::int64_t pages() const { return pages_; }

  bool has_unlike_pages() const { return has_unlike_pages_; }
  const TiffDescription& description() const { return known_->description; }

 private:
  bool has_hidden() const { return description().has_hidden(); }

  /// Refuses slices without a directory that cannot be found. Other writers than ImageJ always write them so.
  void check_hidden(const TiffSlice& first) const {
    const bool is_only_page = has_hidden() && description().writer != TiffDescription::Writer::imagej &&
                              planes_ == 1 && description().planes > 1;
    if (is_only_page && first.rows == 0)
      throw Error(ErrorCode::data,
                  fmt::format("contains {} planes behind its only page, compressed or in an unknown order; "
                              "convert it to OME-TIFF with bfconvert{}",
                              description().planes,
                              options_.planes.options.instead.empty()
                                  ? ", " + options_.planes.options.prefix + "page 0 reads the first"
                                  : ""));
  }

  /// Adds the wanted pages of a file whose pages are known. Returns false if all are wanted.
  bool scan_wanted(const std::vector<std::uint64_t>& known) {
    choose_planes();
    if (!wanted_) return false;
    are_pages_known_ = true;
    const auto add = [&](std::int64_t plane) {
      if (plane >= std::ssize(known)) return;
      planes_ = plane;
      at_page(tiff_, known[static_cast<std::size_t>(plane)], plane,
              [&] { with_page(plane, [&] { add_page(plane); }); });
    };
    if (has_hidden() && wanted_->front() != 0) add(0);
    for (const std::int64_t plane : *wanted_) add(plane);
    planes_ = pages_ = std::ssize(known);
    return true;
  }

  /// Returns the first pages of a choice without its pages: "1, 3, ..."; "" if they are not known.
  std::string pages_without(PlaneChoice choice) const {
    constexpr std::size_t kMax = 4;
    choice.pages.reset();
    std::string list;
    try {
      choice = with_channel_number(choice, chosen_series(description().series, choice).channel_names);
      const std::vector<std::int64_t> planes = chosen_planes(description().series, choice);
      for (std::size_t i = 0; i < std::min(kMax, planes.size()); ++i)
        list += (i == 0 ? "" : ", ") + std::to_string(planes[i]);
      if (planes.size() > kMax) list += ", ...";
    } catch (const Error&) {  // the remedy is to leave out --page
    }
    return list;
  }

  /// Refuses --page together with a channel or time point that the description lists: each page has one.
  void check_page_alone(const PlaneChoice& choice) const {
    const auto has_several = [&](std::int64_t TiffSeries::*size) {
      return std::any_of(description().series.begin(), description().series.end(),
                         [&](const TiffSeries& series) { return series.*size > 1; });
    };
    std::string others;
    const std::string& prefix = choice.options.prefix;
    if (!choice.channel_name.empty() || (choice.channel && has_several(&TiffSeries::channels)))
      others = prefix + "channel";
    if (choice.frame && (*choice.frame > 0 || has_several(&TiffSeries::frames)))
      others += (others.empty() ? "" : " and ") + prefix + "frame";
    if (others.empty()) return;
    const std::string those = pages_without(choice);
    throw Error(
        ErrorCode::data,
        fmt::format("{0}page numbers the pages of the file, over all channels and time points; leave out "
                    "{0}page or {1}",
                    prefix, others) +
            (those.empty() ? "" : ", whose pages are " + those));
  }

  /// Chooses planes by the description of the first page.
  void choose_planes() {
    PlaneChoice choice = options_.planes;
    result_.reading = {false, description().writer == TiffDescription::Writer::imagej, options_.palette,
                       options_.planes.options};
    if (description().samples_are_channels && known_->samples > 1 && !choice.channel)
      throw Error(ErrorCode::data,
                  fmt::format("contains {} channels; {}", known_->samples, choice.options.remedy("channel")));
    if (!choice.any()) return;
    const std::vector<TiffSeries> undescribed(1);
    if (choice.pages) check_page_alone(choice);
    const bool is_described = !description().series.empty() && !choice.pages;
    const std::vector<TiffSeries>& series = is_described ? description().series : undescribed;
    const TiffSeries& chosen = chosen_series(series, choice);
    choice = with_channel_number(choice, chosen.channel_names);
    PlaneChoice of_pages = choice;
    if (chosen.channels == 1 && choice.channel) {
      of_pages.channel.reset();
      result_.reading.all_channels = true;
      result_.channel = *choice.channel;
    }
    std::vector<std::int64_t> planes = chosen_planes(series, of_pages);
    if (!is_described) return;
    wanted_ = std::move(planes);
    if (description().writer != TiffDescription::Writer::ome) return;
    of_series_.emplace();
    of_series_->spacing = chosen.spacing;
    of_series_->unit = chosen.unit;
  }

  /// Keeps the pages of `range`, which may have no directory of their own.
  void keep_pages(TiffContents& contents, const PageRange& range) const {
    const TiffSlice first = contents.slices.front();
    std::int64_t pages = pages_;
    if (has_hidden() && pages_ == 1 && description().planes > 1 && first.rows != 0) {
      add_hidden_slices(contents, first);
      pages = description().planes;
    }
    check_range(range, pages);
    if (pages > pages_) {
      contents.slices.erase(contents.slices.begin() + range.end, contents.slices.end());
      contents.slices.erase(contents.slices.begin(), contents.slices.begin() + range.begin);
    }
    contents.info.extent.depth = static_cast<int>(contents.slices.size());
  }

  bool is_wanted(std::int64_t plane) const {
    return !wanted_ || (plane == 0 && has_hidden()) ||
           std::binary_search(wanted_->begin(), wanted_->end(), plane);
  }

  /// Keeps the slices that are wanted, and finds those that have no directory of their own.
  void keep_wanted(TiffContents& contents) const {
    const TiffSlice first = contents.slices.front();
    check_hidden(first);
    if (has_hidden() && planes_ == 1 && description().planes > 1 && first.rows != 0)
      add_hidden_slices(contents, first);
    else if (wanted_->back() >= planes_)
      throw Error(ErrorCode::data, "its description lists " + std::to_string(wanted_->back() + 1) +
                                       " planes or more, but the file contains " + std::to_string(planes_));
    else if (contents.slices.size() > wanted_->size())
      contents.slices.erase(contents.slices.begin());
    if (contents.slices.size() > wanted_->size()) {
      std::vector<TiffSlice> slices;
      for (const std::int64_t plane : *wanted_) {
        if (plane >= static_cast<std::int64_t>(contents.slices.size()))
          throw Error(ErrorCode::data, "its description lists a different number of images than of slices");
        slices.push_back(contents.slices[static_cast<std::size_t>(plane)]);
      }
      contents.slices = std::move(slices);
    }
    contents.info.extent.depth = static_cast<int>(contents.slices.size());
  }

  /// Refuses slices that tifffile stored as planes of color, as it does with 3 or 4 of them.
  void check_color_planes(const TiffContents& contents) const {
    const char axis = description().samples_axis;
    if (contents.planes == 1 || options_.planes.channel || axis == 'S' || axis == 'C') return;
    const std::string remedy =
        options_.planes.options.remedy("channel", ", or write it with photometric='minisblack'");
    if (axis != '?')
      throw Error(ErrorCode::data, fmt::format("stores its axis {} as planes of color; {}", axis, remedy));
    warn("stores an array of tifffile without names of axes, perhaps slices, as planes of color; " + remedy);
  }

  void warn(const std::string& line) const {
    if (options_.warn) options_.warn(line);
  }

  void warn_of_images(std::int64_t told, std::int64_t found) const {
    warn(fmt::format("its description lists {} images, but the file contains {}", told, found));
  }

  /// Checks that the image fits in memory. Some codecs expand a few bytes to any number of rows, so an image
  /// that is implausibly large for its file must fit as a whole, even if it is read in parts.
  void check_size(const Extent& extent, std::int64_t buffer_bytes) const {
    constexpr double kElementsOfByte = 1 << 14;
    const auto plausible = static_cast<double>(file_.size()) * kElementsOfByte;
    ReadOptions options = options_;
    options.in_parts = options.in_parts && static_cast<double>(extent.elements()) <= plausible;
    check_memory(extent, buffer_bytes, options);
  }

  /// Limits how often pages share stored data, so that a small file cannot cause hours of work.
  void check_sharing(const TiffPieces& pieces) {
    constexpr std::uint64_t kShared = 16;
    constexpr std::uint64_t kBytesOfPiece = 4;  // in the tables of offsets and sizes, at least
    stored_ += pieces.stored + static_cast<std::uint64_t>(pieces.count) * kBytesOfPiece;
    if (stored_ / kShared > file_.size())
      throw Error(ErrorCode::data, "the pages up to this one claim " + std::to_string(kShared) +
                                       " times as much as the file contains");
  }

  template <class Work>
  static void with_page(std::int64_t page, Work work) {
    try {
      work();
    } catch (const Error& error) {
      if (page == 0) throw;
      throw Error(error.code(), reason_about(fmt::format("page {}", page), error.what()));
    }
  }

  void add_page(std::int64_t page) {
    prepare_page(tiff_.get());
    const bool begins_array = !are_pages_known_ && arrays_.begin_at(tiff_);
    if (planes_ > 0 && begins_array && !options_.pages_apart && !options_.planes.pages) {
      refuse_unlike("starts another array of tifffile");
    }
    if (!is_wanted(planes_++)) return;
    const auto width = tiff_.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
    const auto height = tiff_.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
    check_page_size(width, height, options_.limits);
    const Extent extent = {static_cast<int>(width), static_cast<int>(height), 1};
    const bool is_first = result_.slices.empty();
    Extent& largest = result_.info.extent;
    if (!is_first) compare(extent);
    TiffFormat format = read_tiff_format(tiff_, result_.reading, is_first ? options_.warn : nullptr);
    is_first ? start(format) : compare(format);
    format.samples.inverted_by_name_only = description().by_tifffile && format.samples.bits == 1 &&
                                           format.samples.photometric == Photometric::min_is_white;
    read_values(format.samples);
    if (result_.formats.empty() || result_.formats.back() != format.samples)
      result_.formats.push_back(format.samples);

    const TiffLayout layout = read_tiff_layout(tiff_, format);
    const TiffPieces pieces = check_pieces(tiff_, format, layout, file_);
    check_sharing(pieces);
    std::uint64_t rows = pieces.rows;
    if (is_reversed() != result_.reversed) rows = 0;  // libtiff reverses the bits
    result_.buffer_bytes =
        std::max(result_.buffer_bytes, TiffPageDecoder::buffer_bytes(layout, format.planes, pieces));
    if (!tiff_.warning().empty()) warn("libtiff: " + tiff_.warning());
    result_.slices.push_back({TIFFCurrentDirOffset(tiff_.get()), rows, result_.formats.size() - 1,
                              extent.width, extent.height, page});
    largest = {std::max(largest.width, extent.width), std::max(largest.height, extent.height), 1};
    check_page_size(static_cast<std::uint64_t>(largest.width), static_cast<std::uint64_t>(largest.height),
                    options_.limits);
    check_size({largest.width, largest.height, static_cast<int>(result_.slices.size())},
               result_.buffer_bytes);
  }

  /// Reads which values the samples of this page have: ImageJ's calibration, and GDAL's samples without one.
  void read_values(SampleFormat& samples) const {
    constexpr ttag_t kGdalNodata = 42113;
    constexpr int kStraightLine = 0, kNone = 20;
    samples.set_missing(sample_values_in(tiff_.private_text(kGdalNodata), "GDAL_NODATA"));
    const std::vector<SampleValue> line =
        sample_values_in(description().calibration, "calibration of ImageJ");
    const bool may_be_calibrated = samples.kind != SampleKind::floating && samples.channels == 1 &&
                                   (samples.bits == 8 || samples.bits == 16);
    if (line.empty() || line[0].number() == kNone || !may_be_calibrated) return;
    if (line[0].number() != kStraightLine || line.size() != 3)
      return warn(fmt::format("its calibration, function {} of ImageJ, is not a straight line and is ignored",
                              line[0].text()));
    samples.intercept = line[1].number();
    samples.slope = line[2].number();
  }

  void start(const TiffFormat& format) {
    result_.info.format = "tiff";
    if (CheckedCodec::is_deflate(tiff_)) result_.info.checksums = {checksum_of(ChunkCodec::zlib)};
    result_.info.bits_per_sample = format.samples.bits;
    result_.info.photometric = name_of(format.stored);
    result_.info.geometry.resolution = read_resolution(tiff_);
    channels_ = format.channels;
    result_.planes = format.planes;
    result_.swapped = TIFFIsByteSwapped(tiff_.get()) != 0;
    result_.reversed = is_reversed();
    warn_of_orientation(tiff_.field<std::uint16_t>(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT), options_.warn);
  }

  bool is_reversed() const {
    return tiff_.field<std::uint16_t>(TIFFTAG_FILLORDER, FILLORDER_MSB2LSB) == FILLORDER_LSB2MSB;
  }

  /// Checks the size of a page. Slices of a volume have one size; separate pages may have any.
  void compare(const Extent& extent) {
    const TiffSlice& slice = result_.slices.front();
    if (const Extent first = {slice.width, slice.height}; extent != first) {
      if (!options_.pages_apart || description().says_images())
        refuse_unlike("is " + to_string(extent) + " but " + first_page() + " is " + to_string(first));
      result_.info.has_smaller_pages = true;
    }
  }
  void compare(const TiffFormat& format) {
    const SampleFormat& samples = result_.formats.front();
    if (format.samples.bits != samples.bits || format.samples.kind != samples.kind ||
        format.channels != channels_ || format.planes != result_.planes)
      refuse_unlike(fmt::format("has {} samples of {} bits per pixel, unlike {} with {} of {}",
                                format.channels, format.samples.bits, first_page(), channels_, samples.bits));
    if (format.samples.photometric != samples.photometric)
      refuse_unlike(fmt::format(
          "is {} but {} is {}; {}", name_of(format.samples.photometric), first_page(),
          name_of(samples.photometric),
          options_.planes.options.remedy(
              "page", format.stored == Photometric::palette ? ", --palette index reads all" : "")));
  }
  std::string first_page() const { return fmt::format("page {}", result_.slices.front().page); }
  [[noreturn]] void refuse_unlike(const std::string& why) {
    has_unlike_pages_ = true;
    throw Error(ErrorCode::data, why);
  }

  /// Makes slices without a directory, the wanted ones. ImageJ writes volumes of 4 GiB and more with one
  /// directory and consecutive slices.
  void add_hidden_slices(TiffContents& contents, const TiffSlice& first) const {
    if (description().planes > options_.limits.max_pages)
      throw Error(ErrorCode::data,
                  fmt::format("contains more pages than --max-pages {}", options_.limits.max_pages));
    const Extent& extent = contents.info.extent;
    const auto slice_bytes = static_cast<std::uint64_t>(contents.formats.front().row_bytes(extent.width)) *
                             static_cast<std::uint64_t>(extent.height);
    const std::uint64_t whole = (file_.size() - first.rows) / slice_bytes;
    if (whole < static_cast<std::uint64_t>(description().planes))
      throw Error(ErrorCode::data, fmt::format("its description lists {} images, but the file ends after {}",
                                               description().planes, whole));
    contents.slices.clear();
    const auto add = [&](std::int64_t plane) {
      if (plane >= description().planes)
        throw Error(ErrorCode::data, "its description lists a different number of images than of slices");
      contents.slices.push_back({first.directory,
                                 first.rows + static_cast<std::uint64_t>(plane) * slice_bytes, first.format,
                                 first.width, first.height, plane});
    };
    if (wanted_)
      std::for_each(wanted_->begin(), wanted_->end(), add);
    else
      for (std::int64_t plane = 0; plane < description().planes; ++plane) add(plane);
    check_size({extent.width, extent.height, static_cast<int>(contents.slices.size())},
               contents.buffer_bytes);
  }

  TiffHandle& tiff_;
  SharedTiff& tiff_file_;
  const InputFile& file_;
  const ReadOptions& options_;
  std::shared_ptr<const DescribedPages> known_ = std::make_shared<DescribedPages>();
  std::optional<TiffDescription> of_series_;  // only spacing and unit of the chosen image of OME
  TiffContents result_;
  TiffArrays arrays_;
  bool has_unlike_pages_ = false;
  bool are_pages_known_ = false;
  std::uint64_t stored_ = 0;                         // by all pages so far
  int channels_ = 1;                                 // of a pixel of the first slice, as it is stored
  std::int64_t pages_ = 0;                           // of the file
  std::int64_t planes_ = 0;                          // so far
  std::optional<std::vector<std::int64_t>> wanted_;  // of them, if not all
};

std::int64_t beside_pages(const TiffContents& contents) {
  std::int64_t beside = contents.info.extent.elements();
  for (const TiffSlice& slice : contents.slices) beside -= Extent{slice.width, slice.height}.elements();
  return beside;
}

/// Returns the pages to scan: the run of pages that --series selects in a file without a description,
/// removing the choice from `options`; with --page those pages if there are several, because the description
/// may list pages without a directory; otherwise all.
PageRange choose_run(TiffHandle& tiff, ReadOptions& options) {
  std::optional<int>& series = options.planes.series;
  if (!options.planes.pages && !series) return {};
  if (!tiff.go_to_first()) tiff.fail("not a valid TIFF");
  if (options.planes.pages && TIFFLastDirectory(tiff.get()) == 0) return *options.planes.pages;
  if (!series || read_description(tiff).says_images()) return {};
  const std::vector<TiffRun> runs = runs_of_pages(tiff, options.limits);
  if (runs.size() == 1) return {};
  const TiffRun& run = runs[static_cast<std::size_t>(resolve_index(
      static_cast<std::int64_t>(runs.size()), series, "images", "series", options.planes.options))];
  series.reset();
  return {run.begin, run.end};
}

/// Scans the pages. If they differ, throws Error (data) with a list of the images.
TiffContents scan(ContentsScanner& scanner, PageRange range, TiffHandle& tiff, const ReadOptions& options) {
  try {
    return scanner.scan(range);
  } catch (const Error&) {
    if (!scanner.has_unlike_pages()) throw;
    if (scanner.description().says_images()) {
      check_axes(scanner.description(), scanner.planes(), false, false, options.planes.options);
      throw;
    }
    const std::vector<TiffRun> runs = runs_of_pages(tiff, options.limits);
    if (runs.size() == 1) throw;
    const bool may_be_apart = have_like_samples(runs) && !options.pages_apart;
    const PlaneOptions& of_planes = options.planes.options;
    throw Error(ErrorCode::data,
                "contains " + to_string(runs) + "; " +
                    of_planes.remedy("series", may_be_apart ? of_planes.each_page() : std::string()));
  }
}

}  // namespace

void prepare_page(TIFF* tiff) {
  std::uint16_t compression = 0, photometric = 0;
  if (TIFFGetField(tiff, TIFFTAG_COMPRESSION, &compression) == 1 && compression == COMPRESSION_JPEG &&
      TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric) == 1 && photometric == PHOTOMETRIC_YCBCR)
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
}

TiffContents read_tiff_contents(TiffHandle& tiff, SharedTiff& file, const ReadOptions& requested) {
  ReadOptions options = requested;
  const PageRange range = choose_run(tiff, options);
  ContentsScanner scanner(tiff, file, options);
  TiffContents contents = scan(scanner, range, tiff, options);
  if (contents.slices.empty() && options.planes.pages) check_range(*options.planes.pages, scanner.pages());
  if (contents.slices.empty())
    throw Error(ErrorCode::data,
                fmt::format("contains {} planes, but not the chosen ones", scanner.planes()));
  scanner.describe(contents);
  if (contents.info.has_smaller_pages) contents.info.beside_pages = beside_pages(contents);
  if (contents.info.has_smaller_pages && options.warn)
    options.warn("pages have different sizes; smaller ones are at the upper left of " +
                 to_string({contents.info.extent.width, contents.info.extent.height}));
  return contents;
}

}  // namespace gpuccl::io
