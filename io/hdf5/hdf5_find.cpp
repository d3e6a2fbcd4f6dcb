#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/hdf5/hdf5_dataset.hpp"
#include "io/image/chunks.hpp"

namespace gpuccl::io {
namespace {

constexpr int kMostVisited = 100000;

struct Found {
  std::string path;
  std::string about;  // "8 bit, 10x640x480"
};

/// Datasets below a group, each once, however many links lead to it.
struct Search {
  std::string group;  // "" or ending in "/"
  std::vector<Found> images;
  int visited = 0;
  std::exception_ptr failure;

  void look_at(hid_t object, const char* name, const H5O_info_t& info) {
    if (info.type != H5O_TYPE_DATASET) return;
    const Hdf5Id dataset(h5().H5Dopen2(object, name, H5P_DEFAULT));
    const Hdf5Id type(h5().H5Dget_type(dataset.get()));
    const std::vector<std::uint64_t> shape = hdf5_shape(dataset.get());
    const auto samples = hdf5_samples(type.get());
    if (!samples || std::count_if(shape.begin(), shape.end(), [](auto size) { return size > 1; }) < 2) return;
    images.push_back(
        {group + "/" + name, std::to_string(samples->format.bits) + " bit, " + sizes_in_words(shape)});
  }

  static herr_t visit(hid_t object, const char* name, const H5O_info_t* info, void* data) {
    auto& search = *static_cast<Search*>(data);
    try {
      if (++search.visited > kMostVisited)
        throw Error(Failure::data,
                    "contains too many objects to search; name the dataset, as in file.h5:/name");
      search.look_at(object, name, *info);
      return 0;
    } catch (...) {
      search.failure = std::current_exception();
      return -1;
    }
  }
};

std::string list(const std::vector<Found>& images) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, images.size()); ++i)
    text += (i > 0 ? ", " : "") + images[i].path + " (" + images[i].about + ")";
  return text + (images.size() > kMost ? fmt::format(" and {} more", images.size() - kMost) : "");
}

std::vector<Found> images_in(hid_t group, const std::string& name) {
  Search search;
  search.group = name == "/" ? "" : name;
  const herr_t result = h5().H5Ovisit_by_name2(group, ".", H5_INDEX_NAME, H5_ITER_INC, Search::visit, &search,
                                               H5O_INFO_BASIC, H5P_DEFAULT);
  if (search.failure) std::rethrow_exception(search.failure);
  checked_hdf5(result);
  return search.images;
}

[[noreturn]] void refuse_missing(hid_t file, const std::string& name) {
  if (h5().H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0)
    throw Error(Failure::data, "'" + name + "' is a link that leads to nothing in this file");
  const std::vector<Found> images = images_in(file, "/");
  throw Error(Failure::no_input,
              "has no dataset '" + name + "'" + (images.empty() ? "" : "; it has " + list(images)));
}

}  // namespace

Hdf5Id find_hdf5_dataset(hid_t file, const std::string& name) {
  const std::string path = name.empty() ? "/" : name;
  const hid_t opened = h5().H5Oopen(file, path.c_str(), H5P_DEFAULT);
  if (path == "/") checked_hdf5(opened);
  if (opened < 0) refuse_missing(file, path);
  Hdf5Id object(opened);
  const H5I_type_t kind = h5().H5Iget_type(object.get());
  if (kind == H5I_DATASET) return object;
  if (kind != H5I_GROUP) throw Error(Failure::data, "'" + path + "' is not a dataset");
  const std::vector<Found> images = images_in(object.get(), path);
  if (images.empty()) throw Error(Failure::data, "contains no numeric dataset with two or more axes");
  if (images.size() > 1)
    throw Error(Failure::data, fmt::format("contains {} datasets; name one of them, as in file.h5:/name: {}",
                                           images.size(), list(images)));
  return Hdf5Id(h5().H5Oopen(file, images.front().path.c_str(), H5P_DEFAULT));
}

}  // namespace gpuccl::io
