#include "io/hdf5/hdf5_source.hpp"

#include <utility>

#include "gpuccl/types.hpp"
#include "io/hdf5/hdf5_array.hpp"
#include "io/hdf5/hdf5_chunks.hpp"
#include "io/hdf5/hdf5_find.hpp"
#include "io/hdf5/hdf5_metadata.hpp"
#include "io/hdf5/hdf5_trial.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::io {

namespace {

struct Opened {
  std::unique_ptr<const Hdf5Chunks> chunks;
  ChunkedImage image;
};

Opened open_dataset(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  Hdf5Id opened = open_hdf5_file(*file, file->size());
  Hdf5Id dataset = find_hdf5_dataset(opened.get(), file->inside());
  Hdf5Array array = read_hdf5_array(dataset.get(), file);
  ChunkedImage image = read_hdf5_metadata(dataset.get(), array.shape, options.planes);
  return {
      std::make_unique<Hdf5Chunks>(std::move(file), std::move(opened), std::move(dataset), std::move(array)),
      std::move(image)};
}

}  // namespace

std::unique_ptr<SampleSource> open_hdf5(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  const Hdf5Lock lock;
  try_hdf5(file->descriptor(), memory_limit(options.limits),
           [&] { open_dataset(file, options).chunks->find_chunks(); });
  Opened opened = open_dataset(std::move(file), options);
  return open_chunks(std::move(opened.chunks), opened.image, options);
}

}  // namespace gpuccl::io
