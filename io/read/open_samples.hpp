#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gpuccl/types.hpp"
#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::io {

/// Returns the format of a file, by its first bytes: "png". "" for other formats, and for files compressed by
/// gzip.
std::string recognized_format(const InputFile& file);

/// Opens an image in one of the formats in read_formats(), recognized by its first bytes. Throws Error.
std::unique_ptr<SampleSource> open_file(std::shared_ptr<const InputFile> file, const ReadOptions& options);

struct OpenSamples {
  std::unique_ptr<SampleSource> source;
  std::int64_t held_bytes = 0;  // of a pipe
  std::int64_t memory = 0;      // the limit
};

/// Opens the samples of a source. Throws Error as open_reader() does. Passes on every warning once.
OpenSamples open_samples(const Source& source, const ReadOptions& options);

/// The remedy for a label image.
inline constexpr const char* kSaveLabels =
    "'gpuccl measure FILE OPTION N -o labels.tif' saves one, or label an image with "
    "'gpuccl label --threshold otsu --view PAGE.html'";

/// Returns a message about an input with several images for a command without options to select one. It then
/// ends in `remedy`, in which OPTION is replaced by the option to select one.
inline std::string with_remedy(const std::string& remedy, std::string reason) {
  for (const std::string option : {"--channel", "--frame", "--series", "--page"}) {
    const std::size_t end = reason.find("; " + option);
    if (end == std::string::npos) continue;
    const std::size_t note = std::min(reason.find(" (any", end), reason.size());
    reason.replace(end, note - end, "; " + remedy);
    if (const std::size_t at = reason.find("OPTION"); at != std::string::npos)
      reason.replace(at, std::string("OPTION").size(), option);
    break;
  }
  return reason;
}

/// Calls open() for a command that has no options to select one of several images, as with_remedy().
template <class Open>
auto open_one_image(const std::string& remedy, Open open) {
  try {
    return open();
  } catch (const Error& error) {
    const std::string reason = with_remedy(remedy, error.what());
    if (reason == error.what()) throw;
    throw Error(error.code(), reason);
  }
}

/// Calls open() for a command without --per-slice. Messages then do not name it; it is always their last
/// remedy.
template <class Open>
auto open_without_per_slice(Open open) {
  try {
    return open();
  } catch (const Error& error) {
    const std::string reason = error.what();
    for (const char* const remedy : {", --per-slice", ", or --per-slice", ", or use --per-slice"})
      if (const std::size_t at = reason.find(remedy); at != std::string::npos)
        throw Error(error.code(), reason.substr(0, at));
    throw;
  }
}

/// Calls open() for an image that is selected by options with a prefix, such as --intensity-channel. Messages
/// that name --channel, --frame, --series and --page then have this prefix.
template <class Open>
auto open_with_options_of(const std::string& prefix, Open open) {
  try {
    return open_without_per_slice(open);
  } catch (const Error& error) {
    std::string reason = error.what();
    for (const std::string option : {"--channel", "--frame", "--series", "--page"})
      for (std::size_t at = 0; (at = reason.find(option, at)) != std::string::npos;)
        reason.replace(at, 2, prefix);
    if (reason == error.what()) throw;
    throw Error(error.code(), reason);
  }
}

/// Calls open() for a command with --frame all. Messages then name it, too.
template <class Open>
auto open_with_every_frame(Open open) {
  try {
    return open();
  } catch (const Error& error) {
    const std::string one = "--frame N selects one, from 0";
    std::string reason = error.what();
    const std::size_t at = reason.find(one);
    if (at == std::string::npos) throw;
    throw Error(error.code(), reason.insert(at + one.size(), ", --frame all each"));
  }
}

}  // namespace gpuccl::io
