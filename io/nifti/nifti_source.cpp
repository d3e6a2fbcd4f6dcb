#include "io/nifti/nifti_source.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/companion_file.hpp"
#include "io/files/file_names.hpp"
#include "io/image/limits.hpp"
#include "io/image/raw_volume.hpp"
#include "io/nifti/nifti_header.hpp"

namespace gpuccl::io {
namespace {

namespace fs = std::filesystem;

using Start = std::array<std::byte, kNiftiHeaderBytes>;

bool is_there(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

/// The name of the samples of a pair: a.img or a.img.gz next to a.hdr or a.hdr.gz.
std::string name_of_samples(const std::string& path) {
  fs::path name = path;
  if (lower_extension(name) == ".gz") name.replace_extension();
  if (lower_extension(name) != ".hdr")
    throw Error(Failure::data, "is the header of a NIfTI pair; name it .hdr, and the file of samples .img");
  const std::string plain = name.filename().replace_extension(".img").string(), zipped = plain + ".gz";
  return is_there(name.parent_path() / plain) || !is_there(name.parent_path() / zipped) ? plain : zipped;
}

std::unique_ptr<SampleSource> open_pair(const RawVolume& volume, const std::string& path,
                                        const ReadOptions& options) {
  const std::string name = name_of_samples(path);
  auto samples = open_companion(path, name, options.limits.follow, options.opened.get());
  if (!name.ends_with(".gz")) return open_raw_volume(volume, std::move(samples), options);
  return open_raw_volume(volume, std::make_shared<GunzippedFile>(std::move(samples)), options);
}

void warn_of_unit(const RawVolume& volume, const ReadOptions& options) {
  if (options.spacing && options.warn && needs_unit(volume.geometry, *options.spacing))
    options.warn("has no unit of length; mm is assumed, set another with --spacing X,Y,Z,UNIT");
}

}  // namespace

bool is_nifti(const InputFile& file) {
  Start start;
  return is_nifti(std::span(start.data(), file.read_at(0, start.data(), start.size())));
}

bool is_nifti(const GunzippedFile& file) {
  Start start;
  return is_nifti(std::span(start.data(), file.read_start(start.data(), start.size())));
}

std::string name_of_nifti_samples(const std::shared_ptr<const InputFile>& file) {
  Start start;
  std::span bytes(start.data(), file->read_at(0, start.data(), start.size()));
  if (is_gzip(*file)) bytes = {start.data(), GunzippedFile(file).read_start(start.data(), start.size())};
  return is_nifti_pair(bytes) ? name_of_samples(file->path()) : "";
}

std::unique_ptr<SampleSource> open_nifti(std::shared_ptr<const InputFile> file, const ReadOptions& options) {
  Start start;
  const NiftiHeader header = read_nifti_header(
      std::span(start.data(), file->read_at(0, start.data(), start.size())), options.limits);
  warn_of_unit(header.volume, options);
  if (header.is_pair) return open_pair(header.volume, file->path(), options);
  return open_raw_volume(header.volume, std::move(file), options);
}

std::unique_ptr<SampleSource> open_nifti(const InputFile& file, std::shared_ptr<GunzippedFile> contents,
                                         const ReadOptions& options) {
  Start start;
  const NiftiHeader header = read_nifti_header(
      std::span(start.data(), contents->read_start(start.data(), start.size())), options.limits);
  warn_of_unit(header.volume, options);
  if (header.is_pair) return open_pair(header.volume, file.path(), options);
  return open_raw_volume(header.volume, std::move(contents), options);
}

}  // namespace gpuccl::io
