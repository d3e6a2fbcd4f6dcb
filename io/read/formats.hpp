#pragma once

#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::io {

// Formats that an input may have. The content of a file selects its loader, so whoever sends a file selects
// the code that it attacks. --formats limits the choice.

/// The words of --formats and GPUCCL_FORMATS, separated by commas.
extern const char* const kFormatWords;
/// Returns the formats allowed by a list of such words, or by "any". Throws Error (usage) for another word.
std::vector<std::string> formats_of_words(const std::string& list);

/// Throws Error (data) if `format`, the format of the content of `path`, is not allowed: by --formats, else
/// by GPUCCL_FORMATS, else because its name has the extension of another format.
void check_format(const std::string& format, const std::string& path, const Limits& limits);

/// Returns the formats that open_file() supports.
std::string read_formats();

/// Returns the formats whose libraries this build lacks, with their names; "" if it lacks none.
std::string formats_not_built_in();

/// Returns the compressions of Zarr and HDF5 that this build has, or lacks.
std::string chunk_codecs(bool built_in);

/// Returns why `file` cannot be read; with its format and a remedy, if its first bytes show them.
Error unknown_format(const InputFile& file);

}  // namespace gpuccl::io
