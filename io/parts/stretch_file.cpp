#include "io/parts/stretch_file.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuccl/parts.hpp"
#include "io/files/file_error.hpp"
#include "io/npy/npy_label_writer.hpp"
#include "io/tiff/tiff_label_writer.hpp"

namespace gpuccl::io {
namespace {

enum Section : std::size_t { kBytes, kSizes };

bool has_samples(LabelFormat format, const WriteOptions& options) {
  return format == LabelFormat::npy || options.compression == Compression::none;
}

StripLayout layout_of(const Extent& extent, const WriteOptions& options) {
  return {extent, bits_per_sample(options.type), options.strips_at_once};
}

}  // namespace

Rows rows_of_stretch(const Extent& whole, LabelFormat format, const WriteOptions& options, const Rows& own) {
  if (has_samples(format, options)) return own;
  const Rows strips = OwnStrips(layout_of(whole, options), own).rows;
  return {own.begin, std::max(own.end, strips.end)};
}

void put_label_stretch(CheckedFileWriter& file, LabelFormat format, const LabelSource& labels,
                       const WriteOptions& options, const Rows& own) {
  std::vector<std::uint64_t> sizes;
  if (has_samples(format, options)) {
    make_samples(labels, options, own, [&](std::span<const std::byte> samples, std::int64_t) {
      file.add({reinterpret_cast<const char*>(samples.data()), samples.size()});
    });
  } else {
    const std::vector<Label> unmapped;
    const TiffLabels tiff({labels, unmapped, labels.count()}, options.type, options);
    check_tiff(tiff.pages);
    sizes = encode_strips(tiff, layout_of(labels.extent(), options), own, options.progress,
                          [&](std::string_view strip) { file.add(strip); });
  }
  file.end_section();
  file.put(sizes);
}

void join_label_stretches(AtomicFile& out, LabelFormat format, const Extent& extent, Label count,
                          const WriteOptions& options, std::size_t stretches,
                          const ReadStretch& read_stretch) {
  std::uint64_t end = kFirstStrip;
  if (format == LabelFormat::npy) {
    const std::string header = npy_header(extent, options.type);
    out.write_at(header.data(), header.size(), 0);
    end = header.size();
  }
  std::vector<std::uint64_t> strip_ends;
  for (std::size_t i = 0; i < stretches; ++i)
    read_stretch(i, [&](const CheckedFile& file) {
      std::uint64_t strip_end = end;
      for (const std::uint64_t size : file.take<std::uint64_t>(kSizes))
        strip_ends.push_back(strip_end += size);
      file.copy(kBytes, [&](std::string_view piece) {
        concerning(out.path(), [&] { out.write_at(piece.data(), piece.size(), end); });
        end += piece.size();
      });
    });
  if (format == LabelFormat::npy) return;
  const StripLayout layout = layout_of(extent, options);
  if (has_samples(format, options)) strip_ends = ends_of_samples(layout);
  const std::unique_ptr<LabelSource> none = joined_labels(extent, {}, count);
  const std::vector<Label> unmapped;
  const TiffLabels tiff({*none, unmapped, count}, options.type, options);
  check_tiff(tiff.pages);
  TiffSizeLimit(tiff.pages).check(static_cast<std::int64_t>(end));
  finish_tiff(
      [&](const void* data, std::size_t bytes, std::uint64_t offset) { out.write_at(data, bytes, offset); },
      tiff.pages, strip_ends);
}

}  // namespace gpuccl::io
