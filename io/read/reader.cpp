#include "io/read/reader.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "gpuccl/types.hpp"
#include "io/image/each_slice.hpp"
#include "io/image/foreground.hpp"
#include "io/image/samples.hpp"
#include "io/image/value_rows.hpp"
#include "io/read/open_samples.hpp"

namespace gpuccl::io {
namespace {

/// Rows of bits that a separate thread decodes from first to last, a few MiB ahead of the caller. It lets a
/// decoder and its caller work at their own pace.
class RowStream {
 public:
  /// `decode` passes all rows to send(), in order. take() and finish() rethrow its exceptions.
  RowStream(std::int64_t row_words, std::function<void(RowStream&)> decode)
      : row_words_(static_cast<std::size_t>(row_words)), decode_(std::move(decode)) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      throw Error(ErrorCode::memory, "cannot start a thread");
    }
  }
  ~RowStream() {
    {
      const std::lock_guard lock(lock_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// Called by `decode`: waits while enough rows are ready. Throws through `decode` if no more are needed.
  void send(std::vector<std::uint32_t> rows) {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return stopped_ || sent_words_ < kWordsAhead; });
    if (stopped_) throw Stopped();
    sent_words_ += rows.size();
    sent_.push_back(std::move(rows));
    changed_.notify_all();
  }

  /// Returns the first row that was not taken yet.
  int next() const { return next_; }
  void skip(int rows) { take(rows, nullptr); }
  void take(int rows, std::uint32_t* out) {
    for (std::size_t left = static_cast<std::size_t>(rows) * row_words_; left > 0;) {
      if (taken_ == rows_.size()) {
        rows_ = receive();
        taken_ = 0;
      }
      const std::size_t words = std::min(left, rows_.size() - taken_);
      if (out != nullptr) {
        std::memcpy(out, rows_.data() + taken_, words * sizeof *out);
        out += words;
      }
      taken_ += words;
      left -= words;
    }
    next_ += rows;
  }
  /// Call it after the last row: waits for `decode`, which checks the rest of the file.
  void finish() {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return ended_; });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  static constexpr std::size_t kWordsAhead = std::size_t{1} << 21;
  struct Stopped {};

  void run() {
    std::exception_ptr failure;
    try {
      decode_(*this);
    } catch (const Stopped&) {
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(lock_);
    failure_ = failure;
    ended_ = true;
    changed_.notify_all();
  }
  std::vector<std::uint32_t> receive() {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return ended_ || !sent_.empty(); });
    if (sent_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      throw Error(ErrorCode::data, "the file is truncated");
    }
    std::vector<std::uint32_t> rows = std::move(sent_.front());
    sent_.pop_front();
    sent_words_ -= rows.size();
    changed_.notify_all();
    return rows;
  }

  std::size_t row_words_;
  std::function<void(RowStream&)> decode_;

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::vector<std::uint32_t>> sent_;
  std::size_t sent_words_ = 0;
  bool ended_ = false, stopped_ = false;
  std::exception_ptr failure_;

  std::vector<std::uint32_t> rows_;  // being taken
  std::size_t taken_ = 0;            // words of them
  int next_ = 0;
  std::thread thread_;  // last, because it uses the others
};

class SampleReader final : public Reader {
 public:
  SampleReader(OpenSamples opened, const std::string& path, const ReadOptions& requested)
      : source_(std::move(opened.source)),
        options_(requested.foreground),
        threshold_(options_.threshold),
        value_rows_(requested),
        info_(source_->info()),
        memory_(opened.memory),
        held_bytes_(opened.held_bytes + source_->held_bytes()) {
    info_.path = path;
    info_.value_rule = value_rule(source_->format(0));
    if (requested.spacing) set_spacing(info_.geometry, *requested.spacing);
    if (requested.pages_apart && requested.planes.pages)
      info_.geometry.first_slice = static_cast<int>(requested.planes.pages->begin);
    if (!options_.otsu) state_rule();
  }

  const ImageInfo& info() const override { return info_; }
  std::vector<double> first_values() const override { return values_.values(); }
  bool has_nan() const override { return has_nan_ || value_rows_.any_nan(); }
  std::int64_t held_bytes() const override { return held_bytes_; }
  std::int64_t buffer_bytes() const override { return source_->buffer_bytes(); }
  int group_depth() const override { return source_->group_depth(); }

  void find_threshold() override {
    if (!options_.otsu || threshold_) return;
    const auto [found, cuts_peak] = otsu_threshold(*source_, options_, memory_);
    info_.otsu_cuts_peak = cuts_peak;
    threshold_ = found.number();
    if (std::abs(found.number()) >= 0x1p53) options_.whole_threshold = found;
    state_rule();
  }

  void read(int z0, int z1, BitVolume& out, const Look& look) override {
    find_threshold();
    for_each_group(*source_, z0, z1, source_->buffer_bytes(), memory_, [&](int begin, int end) {
      read_group(begin, end, z0, out);
      if (look)
        for (int z = begin; z < end; ++z) look(out.view().slices(z - z0, z - z0 + 1));
    });
  }

  ValueType value_type() const override {
    const ValueType type = value_rows_.type(source_->format(0));
    for (int z = 1; z < info_.extent.depth; ++z)
      if (value_rows_.type(source_->format(z)) != type)
        throw Error(ErrorCode::data, "has slices of different sample types; save them with one type");
    return type;
  }

  ValueImage read_values(int z0, int z1, double delta) override {
    const Extent& extent = info_.extent;
    ValueImage image({extent.width, extent.height, z1 - z0}, value_rows_.type(source_->format(0)), delta);
    for_each_group(*source_, z0, z1, source_->buffer_bytes(), memory_, [&](int begin, int end) {
      source_->decode_group(begin, end, [&](int z, const SampleRows& rows) {
        value_rows_.add(image, std::int64_t{z - z0} * extent.height, source_->slice_extent(z).width, rows);
      });
      for (int z = begin; z < end; ++z) add_zeros(image, std::int64_t{z - z0} * extent.height, z);
    });
    return image;
  }

  ValueImage read_value_rows(int z, int y0, int y1, double delta) override {
    ValueImage image({info_.extent.width, y1 - y0, 1}, value_rows_.type(source_->format(0)), delta);
    std::vector<std::uint32_t> row(words_of_values());
    RowStream& rows = rows_from(z, y0, row.size(), &SampleReader::send_values);
    for (int y = y0; y < y1; ++y) {
      rows.take(1, row.data());
      image.add_rows(y - y0, 1, reinterpret_cast<const std::byte*>(row.data()));
    }
    finish_slice(y1);
    return image;
  }

  void read_rows(int z, int y0, int y1, BitVolume& out) override {
    find_threshold();
    rows_from(z, y0, static_cast<std::size_t>(out.row_pitch()), &SampleReader::send_bits)
        .take(y1 - y0, out.row(0));
    finish_slice(y1);
  }

 private:
  void state_rule() { info_.foreground_rule = foreground_rule(source_->format(0), options_, threshold_); }

  /// Packs rows of samples of slice z to `bits`.
  void pack(const Foreground& foreground, int z, const SampleRows& rows, std::uint32_t* bits) {
    const Extent slice = source_->slice_extent(z);
    const std::int64_t pitch = words_per_row(info_.extent.width), packed = words_per_row(slice.width);
    for (int i = 0; i < rows.count; ++i) {
      std::uint32_t* const row = bits + i * pitch;
      const std::byte* const samples = rows.data + static_cast<std::size_t>(i) * rows.pitch;
      value_rows_.look_for_missing(rows.format, samples, slice.width);
      if (foreground.pack(samples, slice.width, row)) has_nan_ = true;
      std::fill(row + packed, row + pitch, 0);
    }
    if (!options_.has_rule()) values_.look_at(rows, slice);
  }

  /// Fills the rows of slice z that are below its page with zeros. Its row 0 is row `first_row` of `image`.
  void add_zeros(ValueImage& image, std::int64_t first_row, int z) const {
    const int begin = source_->slice_extent(z).height;
    if (begin == info_.extent.height) return;
    const std::vector<std::byte> zeros(static_cast<std::size_t>(info_.extent.width) * bytes_of(image.type()));
    for (int y = begin; y < info_.extent.height; ++y) image.add_rows(first_row + y, 1, zeros.data());
  }

  void read_group(int begin, int end, int first, BitVolume& out) {
    std::once_flag once;
    std::optional<Foreground> foreground;  // a slice may have a palette of its own
    source_->decode_group(begin, end, [&](int z, const SampleRows& rows) {
      std::call_once(once, [&] { foreground.emplace(rows.format, options_, threshold_); });
      pack(*foreground, z, rows, out.row(rows.y, z - first));
    });
    for (int z = begin; z < end; ++z)
      for (int y = source_->slice_extent(z).height; y < info_.extent.height; ++y)
        std::fill_n(out.row(y, z - first), words_per_row(info_.extent.width), 0);
  }

  using SendSlice = void (SampleReader::*)(int z, std::size_t row_words, RowStream& stream);

  /// Returns the rows of slice z from row y on, which `send` sends.
  RowStream& rows_from(int z, int y, std::size_t row_words, SendSlice send) {
    if (!rows_ || rows_slice_ != z || rows_->next() > y) {
      rows_.reset();
      rows_.emplace(static_cast<std::int64_t>(row_words), [this, z, row_words, send](RowStream& stream) {
        (this->*send)(z, row_words, stream);
        for (int below = source_->slice_extent(z).height; below < info_.extent.height; ++below)
          stream.send(std::vector<std::uint32_t>(row_words));
      });
      rows_slice_ = z;
    }
    rows_->skip(y - rows_->next());
    return *rows_;
  }

  /// Call it when rows up to y1 were taken.
  void finish_slice(int y1) {
    if (y1 < info_.extent.height) return;
    rows_->finish();
    rows_.reset();
  }

  /// Decodes slice z from the top, and passes on few rows at a time. A row of a narrow image takes more bytes
  /// as words than in its strip or chunk, which may have all rows.
  void decode_in_batches(int z, std::size_t row_words, const SampleSource::Sink& sink) {
    constexpr std::size_t kWords = std::size_t{1} << 16;
    const int most = static_cast<int>(std::max<std::size_t>(kWords / row_words, 1));
    source_->decode_from_top(z, [&](const SampleRows& rows) {
      for (int i = 0; i < rows.count; i += most)
        sink({rows.format, rows.y + i, std::min(most, rows.count - i),
              rows.data + static_cast<std::size_t>(i) * rows.pitch, rows.pitch});
    });
  }

  void send_bits(int z, std::size_t row_words, RowStream& stream) {
    std::optional<Foreground> foreground;
    decode_in_batches(z, row_words, [&](const SampleRows& rows) {
      if (!foreground) foreground.emplace(rows.format, options_, threshold_);
      std::vector<std::uint32_t> bits(static_cast<std::size_t>(rows.count) * row_words);
      pack(*foreground, z, rows, bits.data());
      stream.send(std::move(bits));
    });
  }

  /// Returns the words of a row of values.
  std::size_t words_of_values() const {
    const std::size_t bytes =
        static_cast<std::size_t>(info_.extent.width) * bytes_of(value_rows_.type(source_->format(0)));
    return (bytes + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t);
  }

  void send_values(int z, std::size_t row_words, RowStream& stream) {
    const ValueType type = value_rows_.type(source_->format(0));
    const int width = source_->slice_extent(z).width;
    decode_in_batches(z, row_words, [&](const SampleRows& rows) {
      std::vector<std::uint32_t> values(static_cast<std::size_t>(rows.count) * row_words);
      for (int row = 0; row < rows.count; ++row)
        value_rows_.write(
            type, width, rows, row,
            reinterpret_cast<std::byte*>(values.data() + static_cast<std::size_t>(row) * row_words));
      stream.send(std::move(values));
    });
  }

  std::unique_ptr<SampleSource> source_;
  ForegroundOptions options_;
  std::optional<double> threshold_;
  ValueRows value_rows_;
  ImageInfo info_;
  std::int64_t memory_;
  std::int64_t held_bytes_;
  TwoValueDetector values_;
  std::atomic<bool> has_nan_ = false;
  int rows_slice_ = 0;
  std::optional<RowStream> rows_;
};

}  // namespace

std::unique_ptr<Reader> open_reader(const Source& source, const ReadOptions& requested) {
  const ForegroundOptions& foreground = requested.foreground;
  if (foreground.threshold && std::isnan(*foreground.threshold))
    throw Error(ErrorCode::usage, "the threshold is not a number");
  if (foreground.threshold && foreground.otsu)
    throw Error(ErrorCode::usage, "a threshold and otsu cannot be combined");
  if (!foreground.values.empty() && (foreground.threshold || foreground.otsu))
    throw Error(ErrorCode::usage, "values and a threshold cannot be combined");
  return std::make_unique<SampleReader>(open_samples(source, requested), source, requested);
}

BitVolume read_image(const Source& source, const ReadOptions& options, ImageInfo* info) {
  const std::unique_ptr<Reader> reader = open_reader(source, options);
  try {
    BitVolume image(reader->info().extent);
    reader->read(0, reader->info().extent.depth, image);
    if (info != nullptr) *info = reader->info();
    return image;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::memory, "not enough memory to read it");
  }
}

}  // namespace gpuccl::io
