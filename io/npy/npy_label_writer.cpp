#include "io/npy/npy_label_writer.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "io/image/strips.hpp"

namespace gpuccl::io {
namespace {

/// Version 1.0 of the format: a Python dictionary, filled up so that the samples start at a multiple of 64.
std::string npy_header(Extent extent, LabelType type) {
  std::string shape = std::to_string(extent.height) + ", " + std::to_string(extent.width);
  if (extent.depth > 1) shape = std::to_string(extent.depth) + ", " + shape;
  const std::string samples = type == LabelType::u8 ? "|u1" : type == LabelType::u16 ? "<u2" : "<u4";
  std::string dictionary = "{'descr': '" + samples + "', 'fortran_order': False, 'shape': (" + shape + "), }";

  std::string header("\x93NUMPY\x01\x00", 8);
  const std::size_t size = (header.size() + 2 + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(size - header.size() - 2 - 1, ' ');
  dictionary += '\n';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace

void write_npy_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                      const WriteOptions& options) {
  const Extent extent = labels.labels.extent();
  const StripLayout strips(extent, bits_per_sample(type), options.strips_at_once);
  const std::string header = npy_header(extent, type);
  file.write(header.data(), header.size());

  using Samples = std::vector<std::byte>;
  const auto make = [&](Samples& samples, std::int64_t strip) {
    samples.resize(strips.bytes(strip));
    render(labels, type, strips.first_row(strip), strips.rows(strip), samples.data());
  };
  const auto take = [&](Samples& samples, std::int64_t strip) {
    file.write(samples.data(), samples.size());
    if (options.progress)
      options.progress(static_cast<double>(strip + 1) / static_cast<double>(strips.count()));
  };
  for_each_strip<Samples>(strips, prepare_rows(labels), make, take);
}

}  // namespace gpuccl::io
