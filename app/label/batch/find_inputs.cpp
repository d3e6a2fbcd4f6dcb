#include "app/label/batch/find_inputs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "app/common/messages.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"
#include "io/files/input_file.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/read/input_files.hpp"
#include "io/report/reported_run.hpp"
#include "io/zarr/zarr.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

/// Removes the extension of an image. Keeps any other: "scan.001" and "scan.002" need different names.
std::string name_of_outputs(const fs::path& name) {
  return io::is_image_name(name) ? io::without_extension(name) : name.string();
}

/// Returns the last part of a path, also of "scans/" and "..".
fs::path last_part(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  if (normal.has_filename() && normal.filename() != "." && normal.filename() != "..")
    return normal.filename();
  return fs::absolute(path).lexically_normal().parent_path().filename();
}

/// Returns the name of an input's outputs: "cells-volume-raw" for "cells.h5:/volume/raw".
std::string name_of_input(const std::string& path) {
  const io::InputName name = io::split_input(path);
  std::string inside = name.inside;
  std::replace(inside.begin(), inside.end(), '/', '-');
  return name_of_outputs(last_part(name.file)) + inside;
}

/// Returns true for files whose reading may never end, and which are not inputs in a folder.
bool is_pipe_or_device(const fs::path& path) {
  std::error_code unknown;
  return fs::is_other(fs::status(path, unknown));
}

struct Listing {
  std::vector<std::string> images, folders, others;
  std::size_t links = 0;  // to folders
  bool failed = false;
};

class Finder {
 public:
  explicit Finder(const FindOptions& options) : options_(options) {}

  void add(const io::Source& given) {
    const std::string& path = given;
    if (!given.is_folder && !(options_.stack && given.is_store)) {
      add(path, name_of_input(path));
    } else if (options_.stack) {
      add_stacks(path, last_part(path), true);
    } else {
      const std::size_t before = found_.inputs.size();
      add_images(path, "");
      if (found_.inputs.size() > before) return;
      if (const std::optional<Error> problem = io::refusal_of_folder(path))
        add(path, name_of_input(path), problem);
      else
        warn(path, "contains no " + io::image_extensions() + " file");
    }
  }

  FoundInputs found() { return std::move(found_); }

 private:
  void add(const fs::path& path, const fs::path& name, const std::optional<Error>& problem = {},
           bool is_found = false) {
    found_.inputs.push_back({{path.string(), options_.stack}, name.string(), problem, is_found});
  }

  /// Adds a folder with images as a stack. Searches a folder without images for stacks.
  void add_stacks(const fs::path& folder, const fs::path& name, bool given) {
    const Listing listing = list(folder, name);
    if (listing.failed) return;
    warn_of_links(folder, listing);
    if (!listing.images.empty() || listing.folders.empty()) {
      if (!listing.folders.empty())
        warn(folder, counted(listing.folders.size(), "folder") +
                         " ignored, because the folder also contains images and is a stack");
      return add(folder, name);
    }
    for (const std::string& inner : listing.folders) {
      const fs::path inner_name = given ? fs::path(inner) : name / inner;
      if (options_.recursive) {
        add_stacks(folder / inner, inner_name, false);
      } else {
        add(folder / inner, inner_name);
      }
    }
  }

  void add_images(const fs::path& folder, const fs::path& name) {
    const Listing listing = list(folder, name);
    for (const std::string& image : listing.images)
      add(folder / image, name_of_outputs(name / image),
          is_pipe_or_device(folder / image) ? std::optional<Error>({ErrorCode::no_input, "is not a file"})
                                            : std::nullopt,
          true);
    warn_of_links(folder, listing);
    if (std::vector<std::string> others = others_in(listing); !others.empty())
      warn(folder, io::skipped_by_name(std::move(others)));
    if (options_.recursive) {
      for (const std::string& inner : listing.folders) add_images(folder / inner, name / inner);
    } else if (!listing.folders.empty()) {
      warn(folder, counted(listing.folders.size(), "folder") + " ignored; add --recursive to search them");
      found_.folders_left_out = true;
    }
  }

  /// Lists a folder in natural order. Links to folders are not followed: they may form a cycle.
  Listing list(const fs::path& folder, const fs::path& name) {
    Listing listing;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      const std::string file = entry->path().filename().string();
      std::error_code unknown;
      if (file.front() == '.') continue;
      if (!options_.stack && entry->is_directory(unknown) && io::is_store(entry->path())) {
        listing.images.push_back(file);
      } else if (!entry->is_directory(unknown)) {
        if (io::is_image_in_folder(entry->path()))
          listing.images.push_back(file);
        else
          listing.others.push_back(entry->path().string());
      } else if (entry->is_symlink(unknown)) {
        ++listing.links;
      } else if (!is_output(entry->path())) {
        listing.folders.push_back(file);
      }
    }
    found_.searched.insert(io::identify(folder.string()));
    listing.failed = static_cast<bool>(failure);
    if (listing.failed)
      add(folder, name,
          Error(io::failure_to_read(failure.value()),
                "cannot read the folder (" + io::system_reason(failure.value()) + ")"));
    std::sort(listing.images.begin(), listing.images.end(), io::natural_less);
    std::sort(listing.folders.begin(), listing.folders.end(), io::natural_less);
    return listing;
  }

  /// Returns the names of files that are neither images nor outputs: reports and tables have the names of
  /// images.
  std::vector<std::string> others_in(const Listing& listing) const {
    std::set<std::string> names;
    std::vector<std::string> others;
    for (const std::string& image : listing.images) names.insert(io::without_extension(image));
    for (const fs::path other : listing.others) {
      const std::string extension = io::lower_extension(other.filename()), name = other.filename().string();
      const bool is_of_image = names.contains(io::without_extension(name));
      if (!((extension == ".json" || extension == ".csv") && is_of_image) && !is_output(other))
        others.push_back(name);
    }
    return others;
  }

  void warn_of_links(const fs::path& folder, const Listing& listing) {
    if (listing.links > 0) warn(folder, counted(listing.links, "link") + " to folders ignored");
  }

  bool is_output(const fs::path& folder) const {
    return !options_.outputs.empty() && std::find(options_.outputs.begin(), options_.outputs.end(),
                                                  io::identify(folder.string())) != options_.outputs.end();
  }

  void warn(const fs::path& folder, const std::string& line) {
    found_.warnings.push_back(folder.string() + ": " + line);
  }

  const FindOptions& options_;
  FoundInputs found_;
};

/// Returns a name per line, or per NUL if there is any, as `find -print0` writes them.
std::vector<std::string> names_in(std::istream& list, const std::string& path) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20, kMaxNames = std::size_t{1} << 20;
  constexpr std::size_t kPiece = 1 << 16;
  const auto require = [&](bool is_list) {
    if (!is_list)
      throw io::FileError(path, ErrorCode::data,
                          "exceeds the limits of a list of inputs, 64 MiB and 1048576 names");
  };
  std::string text;
  for (std::array<char, kPiece> piece{}; list.good();) {
    list.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(list.gcount()));
    require(text.size() <= kMaxBytes);
  }
  const char separator = text.find('\0') == std::string::npos ? '\n' : '\0';
  text.erase(0, text.size() - io::without_byte_order_mark(text).size());
  std::istringstream parts(std::move(text));
  std::vector<std::string> names;
  for (std::string name; std::getline(parts, name, separator);) {
    if (separator == '\n' && !name.empty() && name.back() == '\r') name.pop_back();
    if (!name.empty()) names.push_back(name);
    require(names.size() <= kMaxNames);
  }
  return names;
}

std::vector<std::string> read_list(const std::string& path) {
  if (path == "-") return names_in(std::cin, "standard input");
  errno = 0;
  std::ifstream list(path);
  std::error_code problem;
  if (const int code = !list ? errno : fs::is_directory(path, problem) ? EISDIR : 0; !list || code != 0)
    throw io::FileError(path, io::failure_to_read(code),
                        "cannot open the list of inputs (" + io::system_reason(code) + ")", code);
  std::vector<std::string> names = names_in(list, path);
  if (list.bad()) throw io::FileError(path, ErrorCode::io, "cannot read the list of inputs");
  return names;
}

}  // namespace

FoundInputs find_inputs(const std::vector<io::Source>& given, const FindOptions& options) {
  Finder finder(options);
  for (const io::Source& word : given) {
    if (word.path.starts_with('@')) {
      const std::string list = word.path.substr(1);
      for (const std::string& path : read_list(list)) {
        if (path == "-")
          throw io::FileError(list, ErrorCode::usage, "contains '-', but standard input is one image");
        finder.add(path);
      }
    } else {
      finder.add(word);
    }
  }
  return finder.found();
}

std::vector<BatchInput> images_in(const std::string& folder, bool recursive, bool or_none) {
  FindOptions options;
  options.recursive = recursive;
  FoundInputs found = find_inputs({folder}, options);
  for (const BatchInput& image : found.inputs)
    if (image.problem) throw io::FileError(image.path, image.problem->code(), image.problem->what());
  if (!found.inputs.empty()) return std::move(found.inputs);
  const io::FileError error(folder, ErrorCode::no_input,
                            std::string("contains no images") +
                                (found.folders_left_out ? "; add --recursive to search its folders" : ""));
  if (!or_none) throw io::FileError(error);
  print_warning(folder, error.what());
  return std::move(found.inputs);
}

std::string name_of_frame(const std::string& name, int frame) {
  return fmt::format("{}-t{:04}", name, frame);
}

IntensityImages::IntensityImages(std::string folder, const std::string& pattern, const io::Limits& limits,
                                 const std::string& option)
    : folder_(std::move(folder)),
      what_(option == "--seeds" ? "mask of seeds" : "intensity image"),
      pattern_(pattern),
      remedy_(option == "--intensity" && pattern.empty() ? "; --intensity-name PATTERN pairs other names"
                                                         : "") {
  std::error_code none;
  for (const io::PlateImage& image : io::images_of_plate(folder_, limits))
    if (!image.problem) plate_.insert(image.path);
  if (!folder_.empty() && plate_.empty() && !fs::is_directory(folder_, none))
    throw io::FileError(
        folder_, ErrorCode::usage,
        "is not a folder; for several inputs use " + option + " FOLDER/, with images of the same names");
}

io::Source IntensityImages::find(const BatchInput& input, bool stack) {
  if (folder_.empty()) return {};
  if (!plate_.empty()) {
    const std::string path = io::path_in_plate(folder_, input.in_plate);
    if (plate_.contains(input.in_plate)) return io::Source::of_image(path);
    throw Error(ErrorCode::no_input, input.in_plate.empty() ? "is not from a plate, but " + folder_ +
                                                                  " is one; name an image in it"
                                                            : "has no " + what_ + "; missing: " + path);
  }
  const std::optional<std::string> name = pattern_.name_for(input.name);
  if (!name)
    throw Error(ErrorCode::no_input,
                "has a name that does not match " + pattern_.from() + ", the pattern of --intensity-name");
  const fs::path path = fs::path(folder_) / *name;
  if (io::Source folder = io::Source::of_image(path.string()); stack && (folder.is_folder || folder.is_store))
    return folder;
  const auto [first, last] = names_in(path.parent_path()).equal_range(path.filename().string());
  if (first == last)
    throw Error(ErrorCode::no_input,
                "has no " + what_ + "; missing: " + path.string() + " of any format" + remedy_);
  if (std::next(first) != last)
    throw Error(ErrorCode::no_input, "has more than one " + what_ + ": " + first->second + " and " +
                                         std::next(first)->second + " in " + path.parent_path().string());
  return io::Source::of_image((path.parent_path() / first->second).string());
}

void skip_unmatched(FoundInputs& found, const std::vector<std::string>& patterns) {
  for (const std::string& text : patterns) {
    const NamePattern pattern(text);
    const std::size_t left_out = std::erase_if(found.inputs, [&](const BatchInput& input) {
      return input.is_found && !input.problem && !pattern.name_for(input.name);
    });
    if (left_out > 0)
      found.warnings.push_back(counted(left_out, "image") + " skipped: not named " + pattern.from() +
                               ", as --intensity-name asks");
  }
}

/// Returns whether the report next to an image says that its run wrote the image, from another one.
static bool is_written(const BatchInput& input) {
  const fs::path image(input.path.path);
  const auto run =
      io::read_reported_run((image.parent_path() / name_of_outputs(image.filename())).string() + ".json");
  return run && fs::path(run->output.path).filename() == image.filename() &&
         run->output.bytes == io::bytes_of_regular_file(image.string()) &&
         io::identify(run->input.path) != io::identify(image);
}

void warn_of_written(FoundInputs& found) {
  std::uint64_t count = 0;
  std::string first;
  for (const BatchInput& input : found.inputs)
    if (input.is_found && !input.problem && is_written(input) && count++ == 0) first = input.path;
  if (count > 0 && count < found.inputs.size())
    found.warnings.push_back(counted(count, "input") +
                             (count > 1 ? " are label images" : " is a label image") +
                             " of an earlier run (" + first + (count > 1 ? ", ..." : "") +
                             "); keep outputs in a folder outside of the inputs");
}

const IntensityImages::Names& IntensityImages::names_in(const fs::path& folder) {
  const auto [searched, is_new] = searched_.try_emplace(folder);
  if (!is_new) return searched->second;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (const std::string file = entry->path().filename().string(); io::is_image_in_folder(entry->path()))
      searched->second.emplace(io::without_extension(file), file);
  if (failure && failure != std::errc::no_such_file_or_directory) {
    searched_.erase(searched);
    throw Error(io::failure_to_read(failure.value()), "its " + what_ + " cannot be found, because " +
                                                          folder.string() + " cannot be read (" +
                                                          io::system_reason(failure.value()) + ")");
  }
  return searched->second;
}

}  // namespace gpuccl::app
