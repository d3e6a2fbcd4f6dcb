#include "io/parts/part_writer.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "io/files/file_error.hpp"
#include "io/files/number_text.hpp"
#include "io/files/text_stream.hpp"
#include "io/parts/checked_file.hpp"
#include "io/parts/collectively.hpp"

namespace gpuccl::io {

void SharedFile::open(PartLink& link) {
  const std::string name = text_of(link.gather(message_of(made_ ? made_->temporary_path() : "")).front());
  collectively(link, [&] {
    if (made_) return;
    opened_ = open_retrying(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    is_folder_ = !opened_ && errno == EISDIR;
    if (is_folder_) opened_ = open_retrying(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (!opened_)
      throw FileError(path_, ErrorCode::cannot_create,
                      "cannot be opened by part " + std::to_string(link.part()) + " (" +
                          system_reason(errno) + "); its folder must be the same for all");
  });
}

void SharedFile::write_at(const void* data, std::size_t bytes, std::uint64_t offset) {
  write_all_at(descriptor(), data, bytes, offset);
}

void SharedFile::finish() {
  if (made_) return made_->finish();
  if (!opened_) return;
  const auto sync = is_folder_ ? ::syncfs : ::fsync;  // of a folder, all that is in it
  while (sync(opened_.get()) != 0) {
    if (errno == EINVAL) break;  // some file systems cannot
    if (errno != EINTR) throw system_error(ErrorCode::io, "cannot write", errno);
  }
  if (!opened_.close()) throw system_error(ErrorCode::io, "cannot write", errno);
}

namespace {

/// Returns the first strip that begins at this row or after it.
std::int64_t strip_from(const StripLayout& layout, std::int64_t row) {
  const std::int64_t height = layout.extent.height, slice = row / height;
  if (slice % layout.slices_per_strip > 0)
    return (slice / layout.slices_per_strip + 1) * layout.strips_per_slice;
  return slice / layout.slices_per_strip * layout.strips_per_slice +
         (row % height + layout.rows_per_strip - 1) / layout.rows_per_strip;
}

RowRange own_rows(const PartLink& link, const Extent& whole) {
  return rows_of_parts(whole, link.parts())[static_cast<std::size_t>(link.part())];
}

/// The strips that begin in rows of a part, and all rows of these strips.
struct PartStrips {
  StripRange strips;
  RowRange rows;

  PartStrips(const StripLayout& layout, const RowRange& own)
      : strips{strip_from(layout, own.begin), strip_from(layout, own.end)} {
    if (strips.begin >= strips.end) return;
    const std::int64_t last = strips.end - 1;
    rows = {layout.first_row(strips.begin), layout.first_row(last) + layout.rows(last)};
  }
};

/// Encodes strips of labels and passes them to `take`. `file`: as LabelFile::new_encoder() takes it.
void encode_labels(const LabelFile& image, StripRange strips, const LabelRows& labels,
                   std::span<const std::uint64_t> wide, int file, const TakeStrip& take,
                   const TellProgress& progress) {
  const MappedLabels mapped{labels, {}, labels.count(), wide};
  encode_strips(
      image.file->strips(), strips, prepare_rows(mapped), [&] { return image.new_encoder(mapped, file); },
      take, progress);
}

/// Labels of the rows of a part, and of later rows in its last strip, which other parts send.
class LabelsOfStrips final : public LabelRows {
 public:
  /// `own`: the labels of the part's rows.
  LabelsOfStrips(PartLink& link, const MappedLabels& own, const StripLayout& layout)
      : own_(own), extent_(layout.extent), behind_({extent_.width, 0, 1}, own.count) {
    const std::vector<RowRange> rows = rows_of_parts(extent_, link.parts());
    const auto part = static_cast<std::size_t>(link.part());
    rows_ = rows[part];
    const auto behind = [&](std::size_t of) {
      const RowRange all = PartStrips(layout, rows[of]).rows;
      return RowRange{std::max(all.begin, rows[of].end), all.end};
    };
    for (std::size_t to = 0; to < part; ++to)
      if (const RowRange mine = common_rows(behind(to), rows_); !mine.empty()) {
        Message message(static_cast<std::size_t>(mine.count() * extent_.width) * sizeof(Label));
        prepare(mine.begin, mine.count());
        render(mine.begin, mine.count(), reinterpret_cast<Label*>(message.data()), nullptr);
        link.send(static_cast<int>(to), std::move(message));
      }
    const RowRange missing = behind(part);
    if (missing.empty()) return;
    behind_ = LabelImage({extent_.width, static_cast<int>(missing.count()), 1}, own.count);
    auto* out = reinterpret_cast<std::byte*>(behind_.data());
    for (std::size_t from = part + 1; from < rows.size(); ++from)
      if (!common_rows(missing, rows[from]).empty()) {
        const Message message = link.receive(static_cast<int>(from));
        out = std::copy(message.begin(), message.end(), out);
      }
  }

  Extent extent() const override { return extent_; }
  Label count() const override { return own_.count; }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override {
    if (first_row >= rows_.end) return extent_.rows();
    const std::int64_t first = first_row - rows_.begin;
    const std::int64_t ready =
        rows_.begin + own_.labels.prepare(first, std::min(rows, rows_.end - first_row));
    return ready < rows_.end ? ready : extent_.rows();
  }
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* /*map*/) const override {
    const std::int64_t own = std::clamp<std::int64_t>(rows_.end - first_row, 0, rows);
    if (own > 0) own_.labels.render(first_row - rows_.begin, own, out, map());
    if (own == rows) return;
    std::visit(
        [&](auto* to) {
          behind_.render(first_row + own - rows_.end, rows - own, to + own * extent_.width, nullptr);
        },
        out);
  }
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                 const Label* /*map*/) const override {
    if (first_row + rows <= rows_.end)
      return own_.labels.list_runs(first_row - rows_.begin, rows, out, map());
    LabelRows::list_runs(first_row, rows, out, nullptr);
  }

 private:
  const Label* map() const { return own_.map.empty() ? nullptr : own_.map.data(); }

  const MappedLabels own_;
  const Extent extent_;
  RowRange rows_;
  LabelImage behind_;
};

/// Bytes that a part adds to a file that grows. Part 0 writes them at once, others when they know the offset.
class Addition {
 public:
  Addition(PartLink& link, SharedFile& file, std::uint64_t begin) : link_(link), file_(file), begin_(begin) {}

  void add(std::string_view piece) {
    if (link_.part() > 0) return waiting_.add(piece);
    write(piece, begin_ + written_);
    written_ += piece.size();
  }
  /// Collective. Returns the end of all additions. Throws as collectively().
  std::uint64_t finish() {
    const PartLink::Sums sums = link_.scan(written_ + waiting_.size());
    std::uint64_t offset = begin_ + sums.before;
    collectively(link_, [&] {
      waiting_.copy_to([&](std::string_view piece) {
        write(piece, offset);
        offset += piece.size();
      });
    });
    return begin_ + sums.all;
  }

 private:
  void write(std::string_view piece, std::uint64_t offset) {
    with_path(file_.path(), [&] { file_.write_at(piece.data(), piece.size(), offset); });
  }

  PartLink& link_;
  SharedFile& file_;
  std::uint64_t begin_, written_ = 0;
  SpooledText waiting_;
};

std::string_view view_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void write_labels(PartLink& link, SharedFile& file, LabelFormat format, const Extent& extent,
                  const MappedLabels& labels, const WriteOptions& given) {
  const auto run_local = [&](const auto& work) { collectively(link, file.path(), work); };
  const bool first = link.part() == 0;
  LabelFile image;
  run_local([&] {
    WriteOptions options = given;
    options.type = resolve_label_type(given.type, labels.count, format);
    image = new_label_file(format, file.path(), extent, labels.count, options);
    if (first) image.file->write_head(file.descriptor());
  });
  StripFile& whole = *image.file;
  const StripLayout& layout = whole.strips();
  const PartStrips own(layout, own_rows(link, extent));
  const LabelsOfStrips labels_of_strips(link, labels, layout);

  const bool is_listed = whole.places() == StripFile::StripPlacement::after_others;
  const std::uint64_t head = whole.head().size();
  std::uint64_t end = head;  // of listed strips, the least possible
  if (!is_listed) end += static_cast<std::uint64_t>(own.rows.begin * layout.row_bytes);
  Addition listed(link, file, head);
  std::vector<StripEntry> entries;
  const auto take = [&](std::int64_t /*strip*/, const EncodedStrip& strip) {
    whole.check_end(end + strip.bytes.size());
    if (is_listed) {
      entries.push_back({strip.bytes.size(), strip.checksum});
      listed.add(view_of(strip.bytes));
    } else {
      file.write_at(strip.bytes.data(), strip.bytes.size(), end);
    }
    end += strip.bytes.size();
  };
  run_local([&] {
    encode_labels(image, own.strips, labels_of_strips, labels.wide, file.descriptor(), take, given.progress);
  });
  std::uint64_t strips_end = head + static_cast<std::uint64_t>(layout.row_bytes * layout.extent.rows());
  if (is_listed) {
    strips_end = listed.finish();
    std::int64_t strip = 0;
    for (const StripEntry& entry : gather_lists(link, entries)) whole.append(strip++, entry);
  }
  run_local([&] {
    whole.check_end(strips_end);
    if (first) whole.write_tail(file.descriptor(), strips_end);
  });
}

void write_preview(PartLink& link, SharedFile& file, const Extent& whole, const MappedLabels& labels,
                   const std::function<Preview()>& start) {
  const auto run_local = [&](const auto& work) { collectively(link, file.path(), work); };
  const RowRange own = own_rows(link, whole);
  std::optional<Preview> preview;
  Message message;
  run_local([&] {
    if (link.part() == 0) preview.emplace(start());
    if (!own.empty())
      reduce_for_preview(labels, whole, own.begin,
                         [&](const PreviewRow& row) { preview ? preview->add(row) : append(message, row); });
  });
  if (link.part() > 0) link.send(0, std::move(message));
  for (int from = 1; from < link.parts() && link.part() == 0; ++from)
    for_each_row(link.receive(from), [&](const PreviewRow& row) { preview->add(row); });
  run_local([&] {
    if (preview) preview->write(*file.made());
  });
}

void write_text(PartLink& link, SharedFile& file, const std::function<void(const TextSink&)>& make) {
  Addition text(link, file, 0);
  collectively(link, file.path(), [&] { make([&](std::string_view piece) { text.add(piece); }); });
  text.finish();
}

std::vector<OutlineRun> gather_outline_runs(PartLink& link, const std::string& path, const Extent& whole,
                                            const MappedLabels& labels, std::uint64_t first,
                                            std::int64_t max_bytes) {
  const auto run_local = [&](const auto& work) { collectively(link, path, work); };
  const auto parts = static_cast<std::size_t>(link.parts()), part = static_cast<std::size_t>(link.part());
  const RowRange own = own_rows(link, whole);
  std::vector<OutlineRun> runs;
  run_local([&] {
    if (own.empty()) return;
    runs = list_outline_runs(
        labels, {.rows = own.count(), .y = static_cast<int>(own.begin), .count = labels.count}, max_bytes);
  });
  if (parts == 1) return runs;
  const std::vector<std::uint64_t> firsts = gather_lists(link, std::vector{first});
  std::vector<std::vector<OutlineRun>> runs_of(parts);  // by the part that their components belong to
  std::vector<std::uint64_t> counts(parts);
  run_local([&] {
    for (const OutlineRun& run : std::exchange(runs, {})) {
      const auto after = std::upper_bound(firsts.begin(), firsts.end(), run.label - std::uint64_t{1});
      runs_of[static_cast<std::size_t>(after - firsts.begin()) - 1].push_back(run);
    }
    for (std::size_t i = 0; i < parts; ++i) counts[i] = runs_of[i].size();
  });
  const std::vector<std::uint64_t> all_counts = gather_lists(link, counts);
  run_local([&] {
    std::uint64_t all = 0;  // that are sent, and that are received
    for (std::size_t i = 0; i < parts; ++i) all += counts[i] + all_counts[i * parts + part];
    const double needed = 2.0 * sizeof(OutlineRun) * static_cast<double>(all);
    if (needed > static_cast<double>(max_bytes))
      throw Error(ErrorCode::memory,
                  fmt::format("needs {} of memory for outlines in this part; set a larger --memory",
                              bytes_in_words(needed)));
  });
  for (std::size_t to = 0; to < parts; ++to)
    link.send(static_cast<int>(to), message_of(std::exchange(runs_of[to], {})));
  for (std::size_t from = 0; from < parts; ++from) {
    const auto more = list_of<OutlineRun>(link.receive(static_cast<int>(from)));
    runs.insert(runs.end(), more.begin(), more.end());
  }
  return runs;
}

namespace {

/// Sections of a stretch.
enum Section : std::size_t { kBytes, kEntries };

/// Writes strips into a folder; receives their bytes in pieces of any size.
class StripCutter {
 public:
  StripCutter(StripFile& image, int folder, std::int64_t first, const std::vector<StripEntry>& entries)
      : image_(image), folder_(folder), first_(first), entries_(entries) {
    write_complete();
  }

  void add(std::string_view piece) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(piece.data());
    waiting_.insert(waiting_.end(), bytes, bytes + piece.size());
    write_complete();
  }

 private:
  void write_complete() {
    std::size_t at = 0;
    for (; next_ < entries_.size() && entries_[next_].bytes <= waiting_.size() - at; ++next_) {
      image_.write_strip(folder_, first_ + static_cast<std::int64_t>(next_),
                         std::span(waiting_).subspan(at, entries_[next_].bytes));
      at += entries_[next_].bytes;
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  StripFile& image_;
  int folder_;
  std::int64_t first_;
  const std::vector<StripEntry>& entries_;
  std::size_t next_ = 0;
  std::vector<std::byte> waiting_;
};

/// Throws Error (data) unless these are the strips of `own` rows and have this number of bytes.
void check_entries(const std::vector<StripEntry>& entries, std::uint64_t bytes, const StripLayout& layout,
                   const RowRange& own) {
  const StripRange strips = PartStrips(layout, own).strips;
  if (static_cast<std::int64_t>(entries.size()) != std::max<std::int64_t>(0, strips.end - strips.begin))
    CheckedFile::throw_damaged();
  for (const StripEntry& entry : entries) {
    if (entry.bytes > bytes) CheckedFile::throw_damaged();
    bytes -= entry.bytes;
  }
  if (bytes != 0) CheckedFile::throw_damaged();
}

}  // namespace

RowRange rows_of_stretch(const LabelFile& image, const RowRange& own) {
  const RowRange strips = PartStrips(image.file->strips(), own).rows;
  return {own.begin, std::max(own.end, strips.end)};
}

void write_label_stretch(CheckedFileWriter& file, const LabelFile& image, const LabelRows& labels,
                         std::span<const std::uint64_t> wide, const RowRange& own) {
  std::vector<StripEntry> entries;
  encode_labels(image, PartStrips(image.file->strips(), own).strips, labels, wide, -1,
                [&](std::int64_t /*strip*/, const EncodedStrip& encoded) {
                  file.add(view_of(encoded.bytes));
                  entries.push_back({encoded.bytes.size(), encoded.checksum});
                },
                {});
  file.end_section();
  file.add_section(entries);
}

void join_label_stretches(SharedFile& out, const LabelFile& image, std::size_t stretches,
                          const ReadSection& read_stretch) {
  StripFile& strips = *image.file;
  strips.write_head(out.descriptor());
  std::uint64_t end = strips.head().size();
  std::int64_t strip = 0;
  const std::vector<RowRange> own = rows_of_parts(strips.strips().extent, static_cast<int>(stretches));
  for (std::size_t i = 0; i < stretches; ++i)
    read_stretch(i, [&](const CheckedFile& file) {
      const auto entries = file.read<StripEntry>(kEntries);
      check_entries(entries, file.bytes(kBytes), strips.strips(), own[i]);
      if (strips.places() == StripFile::StripPlacement::own_files) {
        StripCutter cutter(strips, out.descriptor(), strip, entries);
        file.copy(kBytes, [&](std::string_view piece) { cutter.add(piece); });
      } else {
        file.copy(kBytes, [&](std::string_view piece) {
          with_path(out.path(), [&] { out.write_at(piece.data(), piece.size(), end); });
          end += piece.size();
        });
      }
      for (const StripEntry& entry : entries) {
        if (strips.places() == StripFile::StripPlacement::after_others) strips.append(strip, entry);
        ++strip;
      }
    });
  if (strip != strips.strips().count()) throw Error(ErrorCode::data, "lacks some of its strips");
  strips.check_end(end);
  strips.write_tail(out.descriptor(), end);
}

}  // namespace gpuccl::io
