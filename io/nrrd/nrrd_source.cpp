#include "io/nrrd/nrrd_source.hpp"

#include <algorithm>

#include "gpuccl/types.hpp"
#include "io/files/companion_file.hpp"
#include "io/files/header_lines.hpp"
#include "io/image/limits.hpp"
#include "io/nifti/nifti_source.hpp"
#include "io/nrrd/nrrd_header.hpp"

namespace gpuccl::io {
namespace {

/// Returns the offset of line `lines`, counted from 0, of the text that begins at `offset`.
std::uint64_t after_lines(const InputFile& file, std::uint64_t offset, std::int64_t lines) {
  if (lines == 0) return offset;
  if (offset != 0) throw Error(Failure::data, "lines to be skipped between header and samples");
  HeaderLines text(file);
  for (; lines > 0; --lines)
    if (!text.next())
      throw Error(Failure::data, "the file is truncated: it has fewer lines than are to be skipped");
  return text.position();
}

/// A data file may be any file, from some byte on; samples do not begin in the header of another format.
template <class File>
void check_data_file(const File& file, const NrrdHeader& header) {
  constexpr std::uint64_t kNiftiHeader = 348;
  if (!header.data_file.empty() && header.volume.offset < kNiftiHeader && is_nifti(file))
    throw Error(Failure::data,
                "names a NIfTI, " + header.data_file + ", and its header as samples; read that file itself");
}

}  // namespace

std::unique_ptr<SampleSource> open_nrrd(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  NrrdHeader header = read_nrrd_header(*file, options.limits);
  RawVolume& volume = header.volume;
  if (!header.data_file.empty())
    file = open_companion(file->path(), header.data_file, options.limits.follow, options.opened.get());
  const std::uint64_t begin = after_lines(*file, volume.offset, header.lines);
  if (header.gzip) {
    if (header.bytes < 0) throw Error(Failure::data, "compressed samples that are counted from the end");
    volume.offset = static_cast<std::uint64_t>(header.bytes);
    auto contents = std::make_shared<GunzippedFile>(std::move(file), begin);
    check_data_file(*contents, header);
    return open_raw_volume(volume, std::move(contents), options);
  }
  const double from_end = static_cast<double>(file->size()) - volume.all_bytes();
  if (header.bytes < 0 && from_end >= static_cast<double>(begin))
    volume.offset = static_cast<std::uint64_t>(from_end);
  else
    volume.offset = begin + static_cast<std::uint64_t>(std::max<std::int64_t>(0, header.bytes));
  check_data_file(*file, header);
  return open_raw_volume(volume, std::move(file), options);
}

}  // namespace gpuccl::io
