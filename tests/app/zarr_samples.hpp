#pragma once

#include <filesystem>
#include <string>

#include "support/files.hpp"

namespace gpuccl {

/// A store with an image of two boxes, in four chunks.
inline std::string add_store(const std::string& path) {
  std::filesystem::create_directories(path + "/0");
  write_file(path + "/.zgroup", R"({"zarr_format":2})");
  write_file(path + "/.zattrs",
             R"({"multiscales":[{"version":"0.4","axes":["y","x"],"datasets":[{"path":"0"}]}]})");
  write_file(
      path + "/0/.zarray",
      R"({"zarr_format":2,"shape":[4,4],"chunks":[2,2],"dtype":"|u1","compressor":null,"fill_value":0})");
  write_file(path + "/0/0.0", std::string(4, '\1'));
  write_file(path + "/0/1.1", std::string(4, '\1'));
  return path;
}

}  // namespace gpuccl
