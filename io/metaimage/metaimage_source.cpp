#include "io/metaimage/metaimage_source.hpp"

#include <algorithm>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/companion_file.hpp"
#include "io/image/limits.hpp"
#include "io/metaimage/metaimage_header.hpp"

namespace gpuccl::io {

std::unique_ptr<SampleSource> open_metaimage(std::shared_ptr<const InputFile> file,
                                             const ReadOptions& options) {
  MetaimageHeader header = read_metaimage_header(*file, options.limits);
  RawVolume& volume = header.volume;
  if (!header.data_file.empty()) {
    file = open_companion(file->path(), header.data_file, options.limits.follow, options.opened.get());
    volume.offset = static_cast<std::uint64_t>(std::max<std::int64_t>(0, header.header_size));
  }
  if (header.compressed) {
    if (header.header_size < 0)
      throw Error(Failure::data, "compressed samples that are counted from the end");
    const std::uint64_t begin = std::exchange(volume.offset, 0);
    return open_raw_volume(volume, std::make_shared<GunzippedFile>(std::move(file), begin), options);
  }
  const double from_end = static_cast<double>(file->size()) - volume.all_bytes();
  if (header.header_size < 0 && from_end >= 0) volume.offset = static_cast<std::uint64_t>(from_end);
  return open_raw_volume(volume, std::move(file), options);
}

}  // namespace gpuccl::io
