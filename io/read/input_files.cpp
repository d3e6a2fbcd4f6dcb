#include "io/read/input_files.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/files/input_file.hpp"
#include "io/image/read_options.hpp"
#include "io/metaimage/metaimage.hpp"
#include "io/nifti/nifti.hpp"
#include "io/nrrd/nrrd.hpp"
#include "io/read/slice_names.hpp"
#include "io/zarr/ome_image.hpp"

namespace gpuccl::io {
namespace {

namespace fs = std::filesystem;

/// Limits that allow any input: these headers are read only for the names in them.
Limits no_limits() {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  return {.max_pixels = kMost * kMost, .max_dim = kMost, .max_pages = kMost};
}

/// The file of samples that the header `path` names; "" if it names none, or is none.
std::string samples_beside(const std::string& path) {
  std::error_code unknown;
  if (path == "-" || !fs::is_regular_file(path, unknown)) return "";  // a pipe is read but once
  try {
    const auto file = std::make_shared<const InputFile>(path, 0);
    std::string name = name_of_nifti_samples(file);
    if (is_nrrd(*file)) name = read_nrrd_header(*file, no_limits()).data_file;
    if (is_metaimage(*file)) name = read_metaimage_header(*file, no_limits()).data_file;
    return name.empty() ? "" : companion_path(path, name);
  } catch (const Error&) {
    return "";
  }
}

void add_image(const std::string& path, InputFiles& all) {
  if (is_zarr(path)) {
    all.stores.push_back(path);
    return;
  }
  const std::string file = split_input(path).file;
  all.files.push_back(file);
  if (std::string samples = samples_beside(file); !samples.empty()) all.files.push_back(std::move(samples));
}

void look_at(const fs::directory_entry& entry, const std::string& name, InputState& state) {
  std::error_code unknown;
  if (entry.is_symlink(unknown)) return;  // it is not followed in a store
  const InputState::Time time = entry.last_write_time(unknown);
  if (!unknown) {
    InputState::Time& last = entry.is_directory(unknown) ? state.last_change_of_folders : state.last_change;
    last = std::max(last, time);
  }
  if (!entry.is_regular_file(unknown)) return;
  state.fingerprint += fingerprint(name + ' ' + std::to_string(entry.file_size(unknown)) + ' ' +
                                   std::to_string(time.time_since_epoch().count()));
}

/// A folder changes when files come and go; that of the image itself also when it gets labels.
void look_into(const std::string& store, InputState& state) {
  std::error_code failure;
  const fs::path labels = fs::path(store) / "labels";
  if (!fs::exists(labels, failure)) look_at(fs::directory_entry(store, failure), "", state);
  for (fs::recursive_directory_iterator entry(store, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry.depth() == 0 && entry->path() == labels)
      entry.disable_recursion_pending();
    else
      look_at(*entry, entry->path().lexically_relative(store).string(), state);
  }
}

}  // namespace

InputFiles files_of_input(const std::string& path, bool stack) {
  InputFiles all;
  if (!stack) {
    add_image(path, all);
    return all;
  }
  const fs::path folder = path;
  all.files = {path, (folder / kSliceList).string()};
  try {
    for (const std::string& slice : slice_names(folder)) add_image((folder / slice).string(), all);
  } catch (const Error&) {  // no stack
  }
  return all;
}

InputState state_of_input(const std::string& path, bool stack) {
  const InputFiles all = files_of_input(path, stack);
  InputState state;
  for (const std::string& file : all.files) {
    std::error_code unknown;
    const fs::directory_entry entry(fs::canonical(file, unknown), unknown);
    if (!unknown) look_at(entry, fs::path(file).filename().string(), state);
  }
  for (const std::string& store : all.stores) look_into(store, state);
  return state;
}

}  // namespace gpuccl::io
