#include "io/image/paths.hpp"

#include <filesystem>
#include <system_error>

#include "io/files/input_file.hpp"
#include "io/files/text_stream.hpp"
#include "io/image/formats.hpp"

namespace gpuccl::io {

static bool is_directory(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

static bool is_regular_file(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown);
}

Source::Source(std::string given, bool stack)
    : path(std::move(given)),
      is_stream(TextStream::is_named(path)),
      is_store(io::is_store(path)),
      is_folder(!is_store && is_directory(path)),
      is_file(!is_stream && is_regular_file(split_input(path).file)),
      is_stack(stack) {}

Source Source::of_image(const std::string& given) {
  Source source(given);
  source.is_stack = source.is_folder;
  return source;
}

/// Removes the slash that shells append to the name of a Zarr, because it is a folder.
static std::string without_slash_of_zarr(std::string path) {
  if (path.ends_with('/') && label_format(path.substr(0, path.size() - 1)) == LabelFormat::zarr)
    path.pop_back();
  return path;
}

Target::Target(std::string given)
    : path(without_slash_of_zarr(std::move(given))),
      is_stream(TextStream::is_named(path)),
      is_folder(path.ends_with('/')),
      format(label_format(path)) {
  is_folder |= !format && is_directory(path);
}

}  // namespace gpuccl::io
