#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/bench/plan.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "files.txt";

std::string dataset_name(const fs::path& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal.filename().string() : normal.parent_path().filename().string();
}

/// How the images of a dataset are read.
struct Reading {
  const io::ReadOptions& options;
  const Look& look;
};

Input image(const fs::path& path, const Reading& reading) {
  std::error_code unknown;  // a path that cannot be looked at is reported when it is opened
  const io::Source source(path.string(), fs::is_directory(path, unknown));
  return {path.string(), [source, options = reading.options, look = reading.look] {
            const std::unique_ptr<io::Reader> reader = io::open_reader(source, options);
            const Extent extent = reader->info().extent;
            BitVolume read(extent);
            reader->read(0, extent.depth, read);
            if (look) look(*reader, read.view());
            return read;
          }};
}

/// The lines of YACCLAB's list, without what Windows editors add.
std::vector<std::string> listed_names(const fs::path& list) {
  std::ifstream file(list);
  if (!file) throw Error(ErrorCode::no_input, list.string() + " cannot be read");
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    const std::string_view name = io::without_byte_order_mark(line);
    const std::size_t last = name.find_last_not_of(" \t\r");
    if (last != std::string::npos) names.emplace_back(name.substr(0, last + 1));
  }
  return names;
}

ImageSet yacclab_dataset(const fs::path& folder, const Reading& reading) {
  ImageSet dataset{dataset_name(folder), {}, 0, 0, {}};
  for (const std::string& name : listed_names(folder / kList))
    dataset.inputs.push_back(image(folder / name, reading));
  return dataset;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::error_code problem;
  std::vector<fs::path> paths;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    paths.push_back(at->path());
  if (problem)
    throw Error(ErrorCode::no_input, folder.string() + " cannot be read (" + problem.message() + ")");
  std::sort(paths.begin(), paths.end(), [](const fs::path& a, const fs::path& b) {
    return io::natural_less(a.filename().string(), b.filename().string());
  });
  return paths;
}

/// Loose images go to `loose`, subfolders with a list become datasets. Links to folders are not followed:
/// they may lead back.
void walk(const fs::path& folder, const Reading& reading, ImageSet& loose, std::vector<ImageSet>& datasets) {
  for (const fs::path& path : entries(folder)) {
    std::error_code unknown;
    if (fs::is_directory(path, unknown)) {
      if (fs::is_symlink(path, unknown)) continue;
      if (fs::exists(path / kList, unknown)) {
        datasets.push_back(yacclab_dataset(path, reading));
      } else {
        walk(path, reading, loose, datasets);
      }
    } else if (io::is_image_name(path.filename())) {
      loose.inputs.push_back(image(path, reading));
    }
  }
}

}  // namespace

std::vector<ImageSet> read_datasets(const io::Source& source, const io::ReadOptions& options,
                                    std::optional<int> most, const Look& look) {
  const std::string& path = source;
  if (!fs::exists(path)) throw Error(ErrorCode::no_input, "no such file or folder");
  const Reading reading{options, look};
  std::vector<ImageSet> datasets;
  if (source.is_stack || !(source.is_folder || source.is_store)) {
    datasets.push_back({dataset_name(path), {}, 0, 0, {image(path, reading)}});
  } else if (fs::exists(fs::path(path) / kList)) {
    datasets.push_back(yacclab_dataset(path, reading));
  } else {
    ImageSet loose{dataset_name(path), {}, 0, 0, {}};
    walk(path, reading, loose, datasets);
    if (!loose.inputs.empty()) datasets.insert(datasets.begin(), std::move(loose));
  }
  std::erase_if(datasets, [](const ImageSet& dataset) { return dataset.inputs.empty(); });
  if (datasets.empty()) throw Error(ErrorCode::no_input, "no PNG or TIFF files in this folder");
  if (most)
    for (ImageSet& dataset : datasets)
      if (dataset.inputs.size() > static_cast<std::size_t>(*most))
        dataset.inputs.resize(static_cast<std::size_t>(*most));
  return datasets;
}

}  // namespace gpuccl::bench
