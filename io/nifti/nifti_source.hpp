#pragma once

#include <memory>
#include <string>

#include "io/files/gunzipped_file.hpp"
#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

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
