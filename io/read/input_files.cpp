#include "io/read/input_files.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_names.hpp"
#include "io/files/gunzipped_file.hpp"
#include "io/files/input_file.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/image/read_options.hpp"
#include "io/metaimage/metaimage.hpp"
#include "io/nifti/nifti.hpp"
#include "io/nrrd/nrrd.hpp"
#include "io/read/open_samples.hpp"

namespace gpuccl::io {
namespace {

namespace fs = std::filesystem;

/// Limits that allow any input: these headers are read only for the names in them.
Limits no_limits() {
  constexpr std::int64_t kMax = std::numeric_limits<int>::max();
  return {.max_pixels = kMax * kMax, .max_dim = kMax, .max_pages = kMax};
}

/// Returns the name of the file of samples in a header; "" if the samples follow it.
std::string name_of_samples(const std::shared_ptr<const InputFile>& file) {
  const std::string format = recognized_format(*file);
  if (format.empty() ? is_gzip(*file) : format == "nifti") return name_of_nifti_samples(file);
  if (format == "nrrd") return read_nrrd_header(*file, no_limits()).data_file;
  if (format == "metaimage") return read_metaimage_header(*file, no_limits()).data_file;
  return "";
}

/// Returns the file of samples that the header `path` names; "" if there is none or it is not a header.
std::string samples_beside(const std::string& path) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown)) return "";  // a pipe can be read only once
  try {
    const auto file = std::make_shared<const InputFile>(path, 0);
    const std::string name = name_of_samples(file);
    return name.empty() ? "" : companion_path(path, name);
  } catch (const Error&) {
    return "";
  }
}

void add_image(const Source& source, InputFiles& all) {
  if (source.is_store) {
    all.stores.push_back(source);
    return;
  }
  const std::string file = split_input(source).file;
  all.files.push_back(file);
  if (source.is_stream) return;  // read once
  if (std::string samples = samples_beside(file); !samples.empty()) all.files.push_back(std::move(samples));
}

/// Adds the state of the file `path` to a sum, in which the order of files does not matter. `flags` as in
/// fstatat().
void add_state(const std::string& path, const std::string& name, int flags, std::uint64_t& sum) {
  struct stat status {};
  if (::fstatat(AT_FDCWD, path.c_str(), &status, flags) != 0 || !S_ISREG(status.st_mode)) return;
  sum += fingerprint(fmt::format("{} {} {} {} {}", name, status.st_size, status.st_mtim.tv_sec,
                                 status.st_mtim.tv_nsec, status.st_ino));
}

/// Links in a store are not followed.
void add_state_of_store(const std::string& store, std::uint64_t& sum) {
  std::error_code failure;
  const fs::path labels = fs::path(store) / "labels";
  for (fs::recursive_directory_iterator entry(store, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const fs::path& path = entry->path();
    if (entry.depth() == 0 && path == labels)
      entry.disable_recursion_pending();
    else
      add_state(path.string(), path.lexically_relative(store).string(), AT_SYMLINK_NOFOLLOW, sum);
  }
}

}  // namespace

InputFiles files_of_input(const Source& source) {
  InputFiles all;
  if (!source.is_stack) {
    add_image(source, all);
    return all;
  }
  const fs::path folder = source.path;
  all.files = {source.path, (folder / kSliceList).string()};
  try {
    for (const std::string& slice : slice_names(folder)) add_image((folder / slice).string(), all);
  } catch (const Error&) {  // no stack
  }
  return all;
}

std::string state_of_input(const Source& source) {
  const InputFiles all = files_of_input(source);
  std::uint64_t sum = 0;
  for (const std::string& file : all.files) add_state(file, fs::path(file).filename().string(), 0, sum);
  for (const std::string& store : all.stores) add_state_of_store(store, sum);
  return sum == 0 ? "" : fmt::format("{:016x}", sum);
}

namespace {

/// A name and its last number outside of the extension.
struct NumberedName {
  std::string before, after;
  std::int64_t number = 0;
};

std::optional<NumberedName> numbered(const std::string& name) {
  constexpr std::ptrdiff_t kMaxDigits = 18;  // that fit the number
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const std::string stem = name.substr(0, name.size() - lower_extension(name).size());
  const auto end = std::find_if(stem.rbegin(), stem.rend(), is_digit);
  const auto begin = std::find_if_not(end, stem.rend(), is_digit);
  if (end == begin || begin - end > kMaxDigits) return std::nullopt;
  return NumberedName{{stem.begin(), begin.base()},
                      {end.base(), stem.end()},
                      std::stoll(std::string(begin.base(), end.base()))};
}

std::string hint_of_formats(const std::vector<std::string>& names) {
  const auto other = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return !are_of_one_format(name, names.front());
  });
  return other == names.end() ? ""
                              : "all images of the folder are slices, including '" + names.front() +
                                    "' and '" + *other + "'; list the right ones in files.txt";
}

/// Numbers may ascend by any constant step.
std::string hint_of_numbers(const std::vector<std::string>& names) {
  std::vector<std::int64_t> numbers;
  std::optional<NumberedName> first;
  for (const std::string& name : names) {
    std::optional<NumberedName> one = numbered(name);
    if (!one || (first && (one->before != first->before || one->after != first->after))) return "";
    numbers.push_back(one->number);
    if (!first) first = std::move(one);
  }
  std::int64_t step = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 1; i < numbers.size(); ++i) step = std::min(step, numbers[i] - numbers[i - 1]);
  if (step <= 0) return "";
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] - numbers[i - 1] > step)
      return "after '" + names[i - 1] + "' comes '" + names[i] + "'; check for a missing slice";
  return "";
}

}  // namespace

std::vector<std::string> slice_hints(const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (std::string line : {hint_of_formats(names), hint_of_numbers(names)})
    if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

namespace {

namespace fs = std::filesystem;

std::string trimmed(const std::string& line) {
  const char* blanks = " \t\r\n";
  const std::size_t first = line.find_first_not_of(blanks);
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

/// Refuses pipes among the slices, because opening one could wait for ever.
void require_file(const fs::path& slice) {
  std::error_code unknown;
  const fs::file_status status = fs::status(slice, unknown);
  if (fs::exists(status) && fs::is_other(status))
    throw Error(ErrorCode::no_input, "'" + slice.filename().string() + "' is not a file");
}

/// Returns the names in the list, in its order. They must be files of the folder, because a list from
/// elsewhere must not name other files.
std::vector<std::string> listed_names(const fs::path& folder, std::ifstream& list, bool follow) {
  std::vector<std::string> names;
  std::string line;
  while (std::getline(list, line)) {
    const std::string name = trimmed(std::string(without_byte_order_mark(line)));
    if (name.empty()) continue;
    if (name.find('/') != std::string::npos && !follow)
      throw Error(
          ErrorCode::data,
          std::string(kSliceList) + " names '" + name +
              "', which is not a file of this folder; gpuccl label and measure read it with --follow");
    std::error_code failure;
    if (!fs::exists(folder / name, failure))
      throw Error(ErrorCode::no_input,
                  std::string(kSliceList) + " names '" + name + "', which does not exist");
    require_file(folder / name);
    names.push_back(name);
  }
  if (list.bad()) throw Error(ErrorCode::io, std::string("cannot read ") + kSliceList);
  if (names.empty()) throw Error(ErrorCode::data, std::string(kSliceList) + " names no slice");
  return names;
}

std::vector<std::string> sorted_names(const fs::path& folder,
                                      const std::function<void(const std::string&)>& warn) {
  std::vector<std::string> names;
  std::vector<std::string> others;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code unknown;
    const fs::path name = entry->path().filename();
    if (entry->is_directory(unknown) || name.native().starts_with('.')) continue;
    if (!is_image_in_folder(entry->path())) {
      others.push_back(name.string());
      continue;
    }
    require_file(entry->path());
    names.push_back(name.string());
  }
  if (failure)
    throw Error(failure_to_read(failure.value()),
                "cannot read the folder (" + system_reason(failure.value()) + ")");
  if (names.empty())
    throw refusal_of_folder(folder.string())
        .value_or(Error(ErrorCode::data, "the folder contains no " + image_extensions() + " file"));
  if (!others.empty() && warn) warn(skipped_by_name(std::move(others)));
  std::sort(names.begin(), names.end(), natural_less);
  if (warn)
    for (const std::string& line : slice_hints(names)) warn(line);
  return names;
}

}  // namespace

std::string skipped_by_name(std::vector<std::string> names) {
  constexpr std::size_t kNamed = 3;
  std::sort(names.begin(), names.end(), natural_less);
  std::string listed;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) listed += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamed) listed += ", ...";
  return (names.size() == 1
              ? "1 file skipped: not an image by its extension ("
              : std::to_string(names.size()) + " files skipped: not images by their extensions (") +
         listed + ")";
}

std::vector<std::string> slice_names(const fs::path& folder,
                                     const std::function<void(const std::string&)>& warn, bool follow) {
  std::error_code failure;
  const fs::file_status status = fs::status(folder, failure);
  if (status.type() == fs::file_type::not_found)
    throw Error(ErrorCode::no_input, "no such file or directory");
  if (failure) throw Error(failure_to_read(failure.value()), system_reason(failure.value()));
  if (!fs::is_directory(status)) throw Error(ErrorCode::no_input, "not a folder of slices");
  if (const fs::file_status list_status = fs::status(folder / kSliceList, failure); fs::exists(list_status)) {
    constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 28;  // a million names as long as they can be
    if (!follow && fs::is_symlink(folder / kSliceList, failure))
      throw Error(
          ErrorCode::data,
          std::string(kSliceList) + " is a symbolic link; gpuccl label and measure follow it with --follow");
    if (!fs::is_regular_file(list_status))
      throw Error(ErrorCode::no_input, std::string(kSliceList) + " is not a file");
    if (fs::file_size(folder / kSliceList, failure) > kLargest)
      throw Error(ErrorCode::data, std::string(kSliceList) + " is too large for a list of slices");
    std::ifstream list(folder / kSliceList);
    if (!list) throw Error(ErrorCode::no_input, std::string("cannot open ") + kSliceList);
    return listed_names(folder, list, follow);
  }
  return sorted_names(folder, warn);
}

}  // namespace gpuccl::io
