#include "io/nifti/nifti_label_writer.hpp"

#include <string>

#include "io/image/label_streams.hpp"
#include "io/nifti/nifti_label_header.hpp"

namespace gpuccl::io {

LabelFile nifti_label_file(const Extent& extent, const WriteOptions& options) {
  const std::vector<std::byte> header = nifti_label_header(extent, options.type, options.geometry);
  return raw_label_file({reinterpret_cast<const char*>(header.data()), header.size()}, extent, options);
}

LabelFile nifti_gz_label_file(const Extent& extent, const WriteOptions& options) {
  return gzip_label_file("", nifti_label_header(extent, options.type, options.geometry), extent, options);
}

}  // namespace gpuccl::io
