#include "io/jpeg/jpeg_decoder.hpp"

#include <exception>

#include "gpuccl/types.hpp"

namespace gpuccl::io {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr int kMostScans = 200;  // a small file can have many of a large image, and each is work

}  // namespace

JpegDecoder::JpegDecoder(const InputFile& file, std::function<void(const std::string& line)> warn)
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

JpegDecoder::~JpegDecoder() { jpeg_destroy_decompress(&jpeg_); }

/// Requires that no object with a destructor lives in a scope that `work` jumps out of.
template <class Work>
void JpegDecoder::guarded(Work work) {
  if (setjmp(escape_) != 0) {
    if (thrown_) std::rethrow_exception(thrown_);
    throw Error(Failure::data, reason_);
  }
  work();
}

void JpegDecoder::read_header() {
  guarded([this] {
    jpeg_read_header(&jpeg_, TRUE);
    jpeg_.out_color_space = jpeg_.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_calc_output_dimensions(&jpeg_);
  });
}

void JpegDecoder::start() {
  guarded([this] { jpeg_start_decompress(&jpeg_); });
}

void JpegDecoder::read_row(unsigned char* row) {
  guarded([&] { jpeg_read_scanlines(&jpeg_, &row, 1); });
}

void JpegDecoder::finish() {
  guarded([this] { jpeg_finish_decompress(&jpeg_); });
}

void JpegDecoder::fail(j_common_ptr jpeg) {
  JpegDecoder& decoder = of(jpeg);
  char text[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, text);
  decoder.reason_ = std::string("damaged or unsupported (libjpeg: ") + text + ")";
  std::longjmp(decoder.escape_, 1);
}

/// Level -1 is damage that is mended; others are of no interest.
void JpegDecoder::message(j_common_ptr jpeg, int level) {
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

void JpegDecoder::progress(j_common_ptr jpeg) {
  JpegDecoder& decoder = of(jpeg);
  if (decoder.jpeg_.input_scan_number <= kMostScans) return;
  decoder.reason_ = "has more than " + std::to_string(kMostScans) + " scans";
  std::longjmp(decoder.escape_, 1);
}

void JpegDecoder::begin_source(j_decompress_ptr) {}

boolean JpegDecoder::fill(j_decompress_ptr jpeg) {
  JpegDecoder& decoder = *static_cast<JpegDecoder*>(jpeg->client_data);
  std::size_t got = 0;
  try {
    got = decoder.file_.read_at(decoder.next_, decoder.bytes_.data(), decoder.bytes_.size());
    if (got == 0) throw Error(Failure::data, "the file is truncated");
  } catch (...) {
    decoder.thrown_ = std::current_exception();
  }
  if (decoder.thrown_) std::longjmp(decoder.escape_, 1);
  decoder.next_ += got;
  decoder.source_.next_input_byte = decoder.bytes_.data();
  decoder.source_.bytes_in_buffer = got;
  return TRUE;
}

void JpegDecoder::skip(j_decompress_ptr jpeg, long bytes) {
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

}  // namespace gpuccl::io
