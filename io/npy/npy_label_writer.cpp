#include "io/npy/npy_label_writer.hpp"

#include <string>

#include "io/image/label_samples_writer.hpp"

namespace gpuccl::io {

/// Version 1.0 of the format: a Python dictionary, filled up so that the samples start at a multiple of 64.
std::string npy_header(Extent extent, LabelType type) {
  std::string shape = std::to_string(extent.height) + ", " + std::to_string(extent.width);
  if (extent.depth > 1) shape = std::to_string(extent.depth) + ", " + shape;
  std::string dictionary =
      "{'descr': '" + numpy_name(type) + "', 'fortran_order': False, 'shape': (" + shape + "), }";

  std::string header("\x93NUMPY\x01\x00", 8);
  const std::size_t size = (header.size() + 2 + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(size - header.size() - 2 - 1, ' ');
  dictionary += '\n';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

void write_npy_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                      const WriteOptions& options) {
  const std::string header = npy_header(labels.labels.extent(), type);
  file.write(header.data(), header.size());
  write_label_samples(file, labels, type, options);
}

}  // namespace gpuccl::io
