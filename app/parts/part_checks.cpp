#include "app/parts/part_checks.hpp"

#include <string>

#include "app/label/label_checks.hpp"
#include "gpuccl/error.hpp"
#include "io/files/file_error.hpp"
#include "io/files/text_stream.hpp"

namespace gpuccl::app {

void check_for_parts(const LabelOptions& options) {
  const LabelPaths& files = options.files;
  if (options.inputs.size() > 1)
    throw Error(Failure::usage, "labels one input; use gpuccl label for several");
  const std::string& input = options.inputs.front();
  if (input.starts_with('@'))
    throw io::FileError(input, Failure::usage,
                        "is a list of inputs, but parts label one; for a file of that name use ./" + input);
  if (io::TextStream::is_named(input))
    throw Error(Failure::usage,
                (input == "-" ? "standard input" : input) + " cannot be read in parts; use a file");
  if (io::TextStream::is_named(options.measure.intensity))
    throw Error(Failure::usage,
                "--intensity " + options.measure.intensity + " cannot be read in parts; use a file");
  check_values(options);
  check_borders(options);
  if (!files.any_output())
    throw Error(Failure::usage, "nothing to write; give -o, --json, --stats, --contacts or --preview");
  if (options.selection.min_size > options.selection.max_size)
    throw Error(Failure::usage, "--min-size is above --max-size");
  for (const std::string& path : {files.json, files.stats, files.contacts})
    if (io::TextStream::is_named(path))
      throw Error(Failure::usage, "parts can write only files: " + path + " cannot be an output");
  if (names_folder(files.image))
    throw io::FileError(files.image, Failure::usage,
                        "is a folder, but parts label one input; give -o a file name");
  check_preview(files);
  check_image_format(options, false);
  options.algorithm.check();
}

}  // namespace gpuccl::app
