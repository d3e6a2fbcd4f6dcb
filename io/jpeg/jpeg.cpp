#include <csetjmp>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/exif.hpp"
#include "io/image/formats.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

#ifdef GPUCCL_HAS_JPEG
#include <jpeglib.h>  // needs the headers above
#endif

namespace gpuccl::io {
namespace {

#ifdef GPUCCL_HAS_JPEG
constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr int kMaxScans = 200;  // a small file can have many of a large image, and each is work

/// libjpeg reading an InputFile from its beginning. Throws Error (data) for damage and truncated files;
/// damage that libjpeg repairs goes to `warn`.
class JpegDecoder {
 public:
  JpegDecoder(const InputFile& file, std::function<void(const std::string& line)> warn)
      : file_(file), warn_(std::move(warn)), bytes_(kPiece) {
    jpeg_.err = jpeg_std_error(&errors_);
    jpeg_.client_data = this;
    errors_.error_exit = fail;
    errors_.emit_message = message;
    source_.init_source = begin_source;
    source_.fill_input_buffer = fill;
    source_.skip_input_data = skip;
    source_.resync_to_restart = jpeg_resync_to_restart;
    source_.term_source = begin_source;
    progress_.progress_monitor = progress;
    guarded([this] {
      jpeg_create_decompress(&jpeg_);
      jpeg_.src = &source_;
      jpeg_.progress = &progress_;
    });
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&jpeg_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  const jpeg_decompress_struct& header() const { return jpeg_; }

  /// Reads up to the samples, and selects gray, or red, green and blue.
  void read_header() {
    guarded([this] {
      jpeg_read_header(&jpeg_, TRUE);
      jpeg_.out_color_space = jpeg_.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
      jpeg_calc_output_dimensions(&jpeg_);
    });
  }

  void start() {
    guarded([this] { jpeg_start_decompress(&jpeg_); });
  }

  void read_row(unsigned char* row) {
    guarded([&] { jpeg_read_scanlines(&jpeg_, &row, 1); });
  }

  void finish() {
    guarded([this] { jpeg_finish_decompress(&jpeg_); });
  }

 private:
  /// Requires that no object with a destructor lives in a scope that `work` jumps out of.
  template <class Work>
  void guarded(Work work) {
    if (setjmp(escape_) != 0) {
      if (thrown_) std::rethrow_exception(thrown_);
      throw Error(ErrorCode::data, reason_);
    }
    work();
  }

  static JpegDecoder& of(j_common_ptr jpeg) { return *static_cast<JpegDecoder*>(jpeg->client_data); }

  [[noreturn]] static void fail(j_common_ptr jpeg) {
    JpegDecoder& decoder = of(jpeg);
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    decoder.reason_ = std::string("damaged or unsupported (libjpeg: ") + text + ")";
    std::longjmp(decoder.escape_, 1);
  }

  /// Level -1 is repaired damage; other levels are ignored.
  static void message(j_common_ptr jpeg, int level) {
    JpegDecoder& decoder = of(jpeg);
    if (level >= 0 || jpeg->err->num_warnings++ > 0 || !decoder.warn_) return;
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    try {
      decoder.warn_(std::string("damaged in part (libjpeg: ") + text + ")");
    } catch (...) {
      decoder.thrown_ = std::current_exception();
    }
    if (decoder.thrown_) std::longjmp(decoder.escape_, 1);
  }

  static void progress(j_common_ptr jpeg) {
    JpegDecoder& decoder = of(jpeg);
    if (decoder.jpeg_.input_scan_number <= kMaxScans) return;
    decoder.reason_ = "has more than " + std::to_string(kMaxScans) + " scans";
    std::longjmp(decoder.escape_, 1);
  }

  static void begin_source(j_decompress_ptr) {}

  static boolean fill(j_decompress_ptr jpeg) {
    JpegDecoder& decoder = *static_cast<JpegDecoder*>(jpeg->client_data);
    std::size_t got = 0;
    try {
      got = decoder.file_.read_at(decoder.next_, decoder.bytes_.data(), decoder.bytes_.size());
      if (got == 0) throw Error(ErrorCode::data, "the file is truncated");
    } catch (...) {
      decoder.thrown_ = std::current_exception();
    }
    if (decoder.thrown_) std::longjmp(decoder.escape_, 1);
    decoder.next_ += got;
    decoder.source_.next_input_byte = decoder.bytes_.data();
    decoder.source_.bytes_in_buffer = got;
    return TRUE;
  }

  static void skip(j_decompress_ptr jpeg, long bytes) {
    JpegDecoder& decoder = *static_cast<JpegDecoder*>(jpeg->client_data);
    if (bytes <= 0) return;
    const auto count = static_cast<std::size_t>(bytes);
    jpeg_source_mgr& source = decoder.source_;
    if (count <= source.bytes_in_buffer) {
      source.next_input_byte += count;
      source.bytes_in_buffer -= count;
      return;
    }
    decoder.next_ += count - source.bytes_in_buffer;
    source.bytes_in_buffer = 0;
  }

  const InputFile& file_;
  std::function<void(const std::string& line)> warn_;
  jpeg_decompress_struct jpeg_{};
  jpeg_error_mgr errors_{};
  jpeg_source_mgr source_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf escape_{};
  std::exception_ptr thrown_;
  std::string reason_;
  std::uint64_t next_ = 0;  // of the file
  std::vector<unsigned char> bytes_;
};

class JpegSource final : public SampleSource {
 public:
  JpegSource(std::shared_ptr<const InputFile> file, const ReadOptions& options)
      : file_(std::move(file)), warn_(options.warn) {
    const std::optional<JpegFrame> frame = read_jpeg_frame(*file_, 0, file_->size());
    if (!frame) throw Error(ErrorCode::data, "damaged (no frame in a JPEG)");
    check_page_size(static_cast<std::uint64_t>(frame->width), static_cast<std::uint64_t>(frame->height),
                    options.limits);
    if (frame->is_lossless()) throw Error(ErrorCode::data, "a lossless JPEG; convert it to PNG or TIFF");
    if (frame->components != 1 && frame->components != 3)
      throw Error(ErrorCode::data, "a JPEG of " + std::to_string(frame->components) +
                                       " channels, neither gray nor color; convert it to PNG or TIFF");
    SampleFormat format;
    format.channels = frame->components;
    if (frame->components == 3) format.photometric = Photometric::rgb;
    describe("jpeg", {static_cast<int>(frame->width), static_cast<int>(frame->height), 1}, format);
    constexpr std::int64_t kRowsOfDecoder = 64;  // of blocks, before and after their colors are made
    buffer_bytes_ = frame->coefficient_bytes() + kRowsOfDecoder * format_.row_bytes(info_.extent.width);
    check_memory(info_.extent, buffer_bytes_, options);
    if (frame->exif != 0) warn_of_orientation(exif_orientation(*file_, frame->exif), options.warn);
    if (frame->has_more && options.warn) options.warn(kFirstImageOnly);

    JpegDecoder decoder(*file_, nullptr);
    decoder.read_header();
    const jpeg_decompress_struct& header = decoder.header();
    if (header.output_width != static_cast<JDIMENSION>(info_.extent.width) ||
        header.output_height != static_cast<JDIMENSION>(info_.extent.height) ||
        header.num_components != format_.channels)
      throw Error(ErrorCode::data, "damaged (two frames in a JPEG)");
    if (header.density_unit != 0 && header.X_density > 0 && header.Y_density > 0)
      info_.geometry.resolution = {
          double{1} * header.X_density, double{1} * header.Y_density,
          header.density_unit == 1 ? ResolutionUnit::inch : ResolutionUnit::centimetre};
  }

  std::int64_t buffer_bytes() const override { return buffer_bytes_; }

  void decode_from_top(int, const Sink& sink) const override {
    JpegDecoder decoder(*file_, warn_);
    decoder.read_header();
    decoder.start();
    std::vector<std::byte> row(static_cast<std::size_t>(format_.row_bytes(info_.extent.width)));
    for (int y = 0; y < info_.extent.height; ++y) {
      decoder.read_row(reinterpret_cast<unsigned char*>(row.data()));
      sink({format_, y, 1, row.data(), row.size()});
    }
    decoder.finish();
  }

 private:
  std::shared_ptr<const InputFile> file_;
  std::function<void(const std::string& line)> warn_;
  std::int64_t buffer_bytes_ = 0;
};

/// Opens a JPEG of 8 bits, gray or color. Throws Error (data) if it is damaged, truncated, lossless, of 12
/// bits or CMYK; (io, memory).
std::unique_ptr<SampleSource> open_jpeg(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  return std::make_unique<JpegSource>(std::move(file), options);
}
#else
std::unique_ptr<SampleSource> open_jpeg(std::shared_ptr<const InputFile>, const ReadOptions&) {
  throw Error(ErrorCode::data, "is a JPEG, but this build has no libjpeg; convert it to PNG or TIFF");
}
#endif

}  // namespace

const InputFormat kJpegFormat{
    .word = "jpeg",
    .title = "JPEG",
    .extensions = {{{".jpg"}, {".jpeg"}}},
    .magic = {{{0, "\xff\xd8\xff"}}},
    .open = open_jpeg,
    .is_one_image = true,
#ifndef GPUCCL_HAS_JPEG
    .lacks = "libjpeg",
#endif
};

}  // namespace gpuccl::io
