#include "io/nifti/nifti_label_writer.hpp"

#include "io/image/label_samples_writer.hpp"
#include "io/nifti/nifti_label_header.hpp"

namespace gpuccl::io {

void write_nifti_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                        const WriteOptions& options) {
  const std::vector<std::byte> head = nifti_label_header(labels.labels.extent(), type, options.geometry);
  file.write(head.data(), head.size());
  write_label_samples(file, labels, type, options);
}

void write_nifti_gz_labels(AtomicFile& file, const MappedLabels& labels, LabelType type,
                           const WriteOptions& options) {
  const std::vector<std::byte> head = nifti_label_header(labels.labels.extent(), type, options.geometry);
  write_gzip_label_samples(file, head, labels, type, options);
}

}  // namespace gpuccl::io
