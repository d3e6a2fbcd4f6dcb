#pragma once

#include <string>
#include <vector>

namespace tests {

/// File that numpy.save writes.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                       int version = 1, bool fortran = false) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  header.resize(118, ' ');
  header.back() = '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  file += static_cast<char>(header.size());
  file += '\0';
  if (version > 1) file += std::string(2, '\0');
  return file + header + data;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace tests
