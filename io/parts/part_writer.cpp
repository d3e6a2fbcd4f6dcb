#include "io/parts/part_writer.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "io/files/file_error.hpp"
#include "io/files/spooled_text.hpp"
#include "io/npy/npy_label_writer.hpp"
#include "io/parts/messages.hpp"
#include "io/parts/stretch.hpp"
#include "io/parts/together.hpp"
#include "io/tiff/tiff_label_writer.hpp"

namespace gpuccl::io {
namespace {

/// The labels of a part, and of the rows behind it that its last strip has and that come from other parts.
class LabelsOfStrips final : public LabelSource {
 public:
  LabelsOfStrips(PartLink& link, const LabelSource& labels, const StripLayout& layout)
      : labels_(labels), behind_({labels.extent().width, 0, 1}, labels.count()) {
    const std::vector<Rows> rows = rows_of_parts(labels.extent(), link.parts());
    const auto part = static_cast<std::size_t>(link.part());
    end_ = rows[part].end;
    const auto behind = [&](std::size_t of) {
      const Rows all = OwnStrips(layout, rows[of]).rows;
      return Rows{std::max(all.begin, rows[of].end), all.end};
    };
    for (std::size_t to = 0; to < part; ++to)
      if (const Rows mine = common(behind(to), rows[part]); !mine.empty()) {
        Message message(static_cast<std::size_t>(mine.count() * labels.extent().width) * sizeof(Label));
        labels.render(mine.begin, mine.count(), reinterpret_cast<Label*>(message.data()), nullptr);
        link.send(static_cast<int>(to), std::move(message));
      }
    const Rows missing = behind(part);
    if (missing.empty()) return;
    behind_ = LabelImage({labels.extent().width, static_cast<int>(missing.count()), 1}, labels.count());
    auto* out = reinterpret_cast<std::byte*>(behind_.data());
    for (std::size_t from = part + 1; from < rows.size(); ++from)
      if (!common(missing, rows[from]).empty()) {
        const Message message = link.receive(static_cast<int>(from));
        out = std::copy(message.begin(), message.end(), out);
      }
  }

  Extent extent() const override { return labels_.extent(); }
  Label count() const override { return labels_.count(); }
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override {
    const std::int64_t own = std::clamp<std::int64_t>(end_ - first_row, 0, rows);
    if (own > 0) labels_.render(first_row, own, out, map);
    if (own == rows) return;
    std::visit(
        [&](auto* to) { behind_.render(first_row + own - end_, rows - own, to + own * extent().width, map); },
        out);
  }
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override {
    if (first_row + rows <= end_) return labels_.list_runs(first_row, rows, out, map);
    LabelSource::list_runs(first_row, rows, out, map);
  }

 private:
  const LabelSource& labels_;
  std::int64_t end_ = 0;
  LabelImage behind_;
};

class LabelsWriter {
 public:
  LabelsWriter(PartLink& link, SharedFile& file, const LabelSource& labels, const WriteOptions& options)
      : link_(link), file_(file), labels_(labels), options_(options) {}

  void npy() {
    const std::string header = npy_header(labels_.extent(), options_.type);
    here([&] {
      if (link_.part() == 0) file_.write_at(header.data(), header.size(), 0);
      samples(header.size());
    });
  }

  void tiff() {
    const StripLayout layout(labels_.extent(), bits_per_sample(options_.type), options_.strips_at_once);
    if (options_.compression == Compression::none) return uncompressed(layout);
    const LabelsOfStrips labels(link_, labels_, layout);
    const TiffLabels tiff({labels, unmapped_, labels.count()}, options_.type, options_);
    SpooledText encoded;
    std::vector<std::uint64_t> sizes;
    here([&] {
      check_tiff(tiff.pages);
      sizes = encode_strips(tiff, layout, own_rows(), options_.progress,
                            [&](std::string_view strip) { encoded.add(strip); });
    });
    const PartLink::Sums sums = link_.scan(encoded.size());
    std::vector<std::uint64_t> ends = gathered_in_first(sizes);
    for (std::uint64_t end = kFirstStrip; std::uint64_t & size : ends) size = end += size;
    here([&] {
      TiffSizeLimit(tiff.pages).check(static_cast<std::int64_t>(kFirstStrip + sums.all));
      copy(encoded, kFirstStrip + sums.before);
      if (link_.part() == 0) finish_tiff(write_at(), tiff.pages, ends);
    });
  }

 private:
  template <class Work>
  void here(Work work) {
    together(link_, [&] { concerning(file_.path(), work); });
  }
  Rows own_rows() const {
    return rows_of_parts(labels_.extent(), link_.parts())[static_cast<std::size_t>(link_.part())];
  }
  WriteAt write_at() {
    return [this](const void* data, std::size_t bytes, std::uint64_t offset) {
      file_.write_at(data, bytes, offset);
    };
  }

  void uncompressed(const StripLayout& layout) {
    const TiffLabels tiff({labels_, unmapped_, labels_.count()}, options_.type, options_);
    here([&] {
      check_tiff(tiff.pages);
      samples(kFirstStrip);
      if (link_.part() > 0) return;
      finish_tiff(write_at(), tiff.pages, ends_of_samples(layout));
    });
  }

  /// The samples of this part's rows, where those of all rows begin at `offset`.
  void samples(std::uint64_t offset) {
    const StripLayout layout(labels_.extent(), bits_per_sample(options_.type), options_.strips_at_once);
    make_samples(labels_, options_, own_rows(),
                 [&](std::span<const std::byte> samples, std::int64_t first_row) {
                   file_.write_at(samples.data(), samples.size(),
                                  offset + static_cast<std::uint64_t>(first_row * layout.row_bytes));
                 });
  }

  /// The numbers of all parts, in their order; nothing but in part 0.
  std::vector<std::uint64_t> gathered_in_first(const std::vector<std::uint64_t>& mine) {
    if (link_.part() > 0) {
      link_.send(0, message_of(mine));
      return {};
    }
    std::vector<std::uint64_t> all = mine;
    for (int from = 1; from < link_.parts(); ++from) {
      const std::vector<std::uint64_t> more = list_of<std::uint64_t>(link_.receive(from));
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  void copy(const SpooledText& text, std::uint64_t offset) {
    text.copy_to([&](std::string_view piece) {
      file_.write_at(piece.data(), piece.size(), offset);
      offset += piece.size();
    });
  }

  PartLink& link_;
  SharedFile& file_;
  const LabelSource& labels_;
  const WriteOptions& options_;
  const std::vector<Label> unmapped_;
};

}  // namespace

void write_labels_in_parts(PartLink& link, SharedFile& file, LabelFormat format, const LabelSource& labels,
                           const WriteOptions& options) {
  LabelsWriter writer(link, file, labels, options);
  format == LabelFormat::npy ? writer.npy() : writer.tiff();
}

void write_text_in_parts(PartLink& link, SharedFile& file, const std::function<void(const TextSink&)>& make) {
  SpooledText text;
  together(link,
           [&] { concerning(file.path(), [&] { make([&](std::string_view piece) { text.add(piece); }); }); });
  std::uint64_t offset = link.scan(text.size()).before;
  together(link, [&] {
    concerning(file.path(), [&] {
      text.copy_to([&](std::string_view piece) {
        file.write_at(piece.data(), piece.size(), offset);
        offset += piece.size();
      });
    });
  });
}

}  // namespace gpuccl::io
