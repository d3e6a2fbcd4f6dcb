#include "io/hdf5/hdf5_source.hpp"

#include <utility>

#include "gpuccl/error.hpp"
#include "io/hdf5/hdf5_array.hpp"
#include "io/hdf5/hdf5_chunks.hpp"
#include "io/hdf5/hdf5_find.hpp"
#include "io/hdf5/hdf5_metadata.hpp"

namespace gpuccl::io {

std::unique_ptr<SampleSource> open_hdf5(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  const Hdf5Lock lock;
  Hdf5Id opened = open_hdf5_file(*file, file->size());
  Hdf5Id dataset = find_hdf5_dataset(opened.get(), file->inside());
  Hdf5Array array = read_hdf5_array(dataset.get(), file);
  const ChunkedImage image = read_hdf5_metadata(dataset.get(), array.shape, options.planes);
  return open_chunks(
      std::make_unique<Hdf5Chunks>(std::move(file), std::move(opened), std::move(dataset), std::move(array)),
      image, options);
}

}  // namespace gpuccl::io
