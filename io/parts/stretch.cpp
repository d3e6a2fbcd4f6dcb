#include "io/parts/stretch.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "io/files/file_error.hpp"

namespace gpuccl::io {
namespace {

/// The first strip that begins at this row or after it.
std::int64_t strip_from(const StripLayout& layout, std::int64_t row) {
  const std::int64_t height = layout.extent.height, slice = row / height;
  if (slice % layout.slices_per_strip > 0)
    return (slice / layout.slices_per_strip + 1) * layout.strips_per_slice;
  return slice / layout.slices_per_strip * layout.strips_per_slice +
         (row % height + layout.rows_per_strip - 1) / layout.rows_per_strip;
}

enum Section : std::size_t { kBytes, kEntries, kHash };

/// The strips of a folder, which come in pieces of any size, one by one.
class StripCutter {
 public:
  StripCutter(StripFile& image, int folder, std::int64_t first, const std::vector<StripEntry>& entries)
      : image_(image), folder_(folder), first_(first), entries_(entries) {
    write_complete();
  }

  void take(std::string_view piece) {
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

/// Throws Error (data) unless these are all strips of `own` rows, and all bytes.
void check_entries(const std::vector<StripEntry>& entries, std::uint64_t bytes, const StripLayout& layout,
                   const RowRange& own) {
  const StripRange strips = OwnStrips(layout, own).strips;
  if (static_cast<std::int64_t>(entries.size()) != std::max<std::int64_t>(0, strips.end - strips.begin))
    CheckedFile::refuse();
  for (const StripEntry& entry : entries) {
    if (entry.bytes > bytes) CheckedFile::refuse();
    bytes -= entry.bytes;
  }
  if (bytes != 0) CheckedFile::refuse();
}

}  // namespace

OwnStrips::OwnStrips(const StripLayout& layout, const RowRange& own)
    : strips{strip_from(layout, own.begin), strip_from(layout, own.end)} {
  if (strips.begin >= strips.end) return;
  const std::int64_t last = strips.end - 1;
  rows = {layout.first_row(strips.begin), layout.first_row(last) + layout.rows(last)};
}

RowRange rows_of_stretch(const LabelFile& image, const RowRange& own) {
  const RowRange strips = OwnStrips(image.file->strips(), own).rows;
  return {own.begin, std::max(own.end, strips.end)};
}

void put_label_stretch(CheckedFileWriter& file, const LabelFile& image, LabelType type,
                       const LabelSource& labels, std::span<const std::uint64_t> wide, const RowRange& own) {
  const StripLayout& strips = image.file->strips();
  ContentHash hash(type);
  const MappedLabels mapped{labels, {}, labels.count(), wide, &hash};
  std::vector<StripEntry> entries;
  encode_strips(
      strips, OwnStrips(strips, own).strips, prepare_rows(mapped),
      [&] { return image.new_encoder(mapped, -1); },
      [&](std::int64_t /*strip*/, const EncodedStrip& encoded) {
        file.add({reinterpret_cast<const char*>(encoded.bytes.data()), encoded.bytes.size()});
        entries.push_back({encoded.bytes.size(), encoded.checksum});
      },
      {});
  file.end_section();
  file.put(entries);
  file.put(std::vector{hash.sum()});
}

std::uint64_t join_label_stretches(AtomicFile& out, const LabelFile& image, std::size_t stretches,
                                   const ReadStretch& read_stretch) {
  std::uint64_t hash = 0;
  StripFile& strips = *image.file;
  strips.write_head(out.descriptor());
  std::uint64_t end = strips.head().size();
  std::int64_t strip = 0;
  const std::vector<RowRange> own = rows_of_parts(strips.strips().extent, static_cast<int>(stretches));
  for (std::size_t i = 0; i < stretches; ++i)
    read_stretch(i, [&](const CheckedFile& file) {
      const auto entries = file.take<StripEntry>(kEntries);
      check_entries(entries, file.bytes(kBytes), strips.strips(), own[i]);
      hash += file.take_one<std::uint64_t>(kHash);
      if (strips.places() == StripFile::Places::own_files) {
        StripCutter cutter(strips, out.descriptor(), strip, entries);
        file.copy(kBytes, [&](std::string_view piece) { cutter.take(piece); });
      } else {
        file.copy(kBytes, [&](std::string_view piece) {
          with_path(out.path(), [&] { out.write_at(piece.data(), piece.size(), end); });
          end += piece.size();
        });
      }
      for (const StripEntry& entry : entries) {
        if (strips.places() == StripFile::Places::after_others) strips.append(strip, entry);
        ++strip;
      }
    });
  if (strip != strips.strips().count()) throw Error(Failure::data, "lacks some of its strips");
  strips.check_end(end);
  strips.write_tail(out.descriptor(), end);
  return hash;
}

}  // namespace gpuccl::io
