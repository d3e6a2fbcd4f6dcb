#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/files/gunzipped_file.hpp"
#include "io/files/input_file.hpp"
#include "io/image/raw_volume.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Bytes of the largest header, that of NIfTI-2.
inline constexpr std::size_t kNiftiHeaderBytes = 540;

/// The header of a NIfTI-1 or NIfTI-2. By hand and not by libnifti: that library reads a volume whole, or
/// inflates it again for each part.
struct NiftiHeader {
  RawVolume volume;
  bool is_pair = false;  // samples are in a file of their own
};

/// `start`: the first bytes of a file, as many as a header has if there are so many.
bool is_nifti(std::span<const std::byte> start);
/// Whether it is the header of a pair.
bool is_nifti_pair(std::span<const std::byte> start);

/// Checks what the header specifies but not that the samples are there. Throws Error (data).
NiftiHeader read_nifti_header(std::span<const std::byte> start, const Limits& limits);

bool is_nifti(const InputFile& file);
bool is_nifti(const GunzippedFile& file);

/// The file, in the folder of `file`, that has the samples if that is the header of a pair; "" otherwise.
/// Throws Error (data, io).
std::string name_of_nifti_samples(const std::shared_ptr<const InputFile>& file);

/// A NIfTI-1 or NIfTI-2 of one volume, or the header of one whose samples lie next to it as .img or .img.gz.
/// Throws Error (data, io, memory; no_input if there are no samples).
std::unique_ptr<SampleSource> open_nifti(std::shared_ptr<const InputFile> file, const ReadOptions& options);
/// Opens a NIfTI compressed by gzip. `file` contains the compressed data of `contents`.
std::unique_ptr<SampleSource> open_nifti(const InputFile& file, std::shared_ptr<GunzippedFile> contents,
                                         const ReadOptions& options);

}  // namespace gpuccl::io
