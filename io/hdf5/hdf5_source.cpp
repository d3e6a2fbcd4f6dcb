#include <utility>

#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/hdf5_array.hpp"
#include "io/hdf5/hdf5_chunks.hpp"
#include "io/hdf5/hdf5_connection.hpp"
#include "io/hdf5/hdf5_metadata.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::io {

std::unique_ptr<SampleSource> open_hdf5(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  auto connection = std::make_unique<Hdf5Connection>(file, memory_limit(options.limits));
  const std::uint64_t bytes = file->size();
  Hdf5Message request(Hdf5Word::open);
  request.put(bytes);
  request.put_list(file->inside());
  Hdf5Message answer = connection->ask(request);
  Hdf5Array array = take_hdf5_array(answer, bytes);
  const ChunkedImage image = image_of(array, options.planes);
  return open_chunks(
      std::make_unique<Hdf5Chunks>(std::move(file), bytes, std::move(connection), std::move(array)), image,
      options);
}

}  // namespace gpuccl::io
