#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpuccl/image.hpp"
#include "io/image/read_options.hpp"
#include "io/read/reader.hpp"
#include "support/error_code_of.hpp"
#include "support/memory_file.hpp"

namespace tests {

/// Options of a reader, set one after the other: Options().channel(1).above(3).
struct Options : gpuccl::io::ReadOptions {
  Options& channel(int number) { return planes.channel = number, *this; }
  Options& channel(const std::string& name) { return planes.channel_name = name, *this; }
  Options& frame(int number) { return planes.frame = number, *this; }
  Options& series(int number) { return planes.series = number, *this; }
  Options& pages(int begin, int end) { return planes.pages = gpuccl::io::PageRange{begin, end}, *this; }
  Options& apart() { return pages_apart = true, *this; }
  Options& above(double threshold) { return foreground.threshold = threshold, *this; }
  Options& raw() { return foreground.raw = true, *this; }
  Options& invert() { return foreground.invert = true, *this; }
  Options& otsu() { return foreground.otsu = true, *this; }
  Options& memory(std::int64_t bytes) { return limits.memory = bytes, *this; }
  Options& parts() { return in_parts = true, *this; }
};

/// Result and warnings of read_image().
struct Read {
  gpuccl::BitVolume image;
  gpuccl::io::ImageInfo info;
  std::vector<std::string> warnings;
};

inline Read read(const std::string& path, gpuccl::io::ReadOptions options = {}) {
  Read result;
  options.warn = [&](const std::string& line) { result.warnings.push_back(line); };
  result.image = gpuccl::io::read_image(path, options, &result.info);
  return result;
}
inline Read read_bytes(const std::string& content, const gpuccl::io::ReadOptions& options = {}) {
  return read(MemoryFile(content).path(), options);
}

/// The reason why a file is not read.
inline std::string refusal(const std::string& path, const gpuccl::io::ReadOptions& options = {},
                           gpuccl::ErrorCode code = gpuccl::ErrorCode::data) {
  return gpuccl::reason_of([&] { gpuccl::io::read_image(path, options); }, code);
}
inline std::string refusal_of_bytes(const std::string& content, const gpuccl::io::ReadOptions& options = {},
                                    gpuccl::ErrorCode code = gpuccl::ErrorCode::data) {
  return refusal(MemoryFile(content).path(), options, code);
}

inline gpuccl::io::ImageInfo info_of_bytes(const std::string& content) {
  const MemoryFile file(content);
  return gpuccl::io::open_reader(file.path(), {})->info();
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tests
