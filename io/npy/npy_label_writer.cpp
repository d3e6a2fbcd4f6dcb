#include "io/npy/npy_label_writer.hpp"

#include <string>

#include "io/image/label_streams.hpp"

namespace gpuccl::io {
namespace {

/// Version 1.0 of the format: a Python dictionary, filled up so that the samples start at a multiple of 64.
std::string npy_header(const Extent& extent, LabelType type, bool has_slice_axis) {
  std::string shape = std::to_string(extent.height) + ", " + std::to_string(extent.width);
  if (extent.depth > 1 || has_slice_axis) shape = std::to_string(extent.depth) + ", " + shape;
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

}  // namespace

LabelFile npy_label_file(const Extent& extent, const WriteOptions& options) {
  return raw_label_file(npy_header(extent, options.type, options.geometry.has_slice_axis), extent, options);
}

}  // namespace gpuccl::io
