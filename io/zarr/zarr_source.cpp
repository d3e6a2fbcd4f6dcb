#include <utility>

#include "io/image/chunk_source.hpp"
#include "io/image/limits.hpp"
#include "io/zarr/ome_image.hpp"
#include "io/zarr/zarr.hpp"
#include "io/zarr/zarr_chunks.hpp"

namespace gpuccl::io {

std::unique_ptr<SampleSource> open_zarr(const std::string& path, const ReadOptions& options) {
  auto store = std::make_shared<const ZarrFolder>(path, options.limits.follow);
  if (options.opened) options.opened->add(path, std::nullopt);  // all of its files
  return open_zarr(std::move(store), options);
}

std::unique_ptr<SampleSource> open_zarr(std::shared_ptr<const ZarrStore> store, const ReadOptions& options) {
  OmeImage found = find_ome_image(*store, memory_limit(options.limits), options.planes);
  const ChunkedImage image{"zarr", std::move(found.axes), found.geometry};
  return open_chunks(
      std::make_unique<ZarrChunks>(std::move(store), std::move(found.path), std::move(found.array)), image,
      options);
}

}  // namespace gpuccl::io
