#pragma once

#include <optional>
#include <string>
#include <utility>

#include "io/image/formats.hpp"

// The paths of inputs and outputs. What they name is found once, where a path is given.
namespace gpuccl::io {

/// An input image: a file, a dataset in a file, a store, a folder of slices or a stream. An empty path means
/// that there is none.
struct Source {
  Source() = default;
  /// `stack`: it is a folder whose files are slices.
  Source(std::string given, bool stack = false);
  Source(const char* given) : Source(std::string(given)) {}
  /// Returns the source of an image for which no option says that it is a stack: any folder is one.
  static Source of_image(const std::string& given);

  std::string path;
  bool is_stream = false;  // "-", which is standard input, another descriptor, a pipe or a device: read once
  bool is_store = false;   // a folder that is itself an image
  bool is_folder = false;  // another folder
  bool is_file = false;    // a regular file, or a dataset in one
  bool is_stack = false;

  bool empty() const { return path.empty(); }
  operator const std::string&() const { return path; }
};

/// An output: a file, a store, a label group, a folder or a stream. An empty path means that it is not
/// wanted.
struct Target {
  Target() = default;
  Target(std::string given);
  Target(const char* given) : Target(std::string(given)) {}

  std::string path;
  /// "-", which is standard output, another descriptor, a pipe or a device. It is not replaced, so it may be
  /// named twice.
  bool is_stream = false;
  bool is_folder = false;             // "labels/", or an existing one without the name of a label image
  std::optional<LabelFormat> format;  // label_format() of the path

  bool empty() const { return path.empty(); }
  bool is_stdout() const { return path == "-"; }
  /// Returns the name for messages.
  std::string name() const { return is_stdout() ? "standard output" : path; }
  operator const std::string&() const { return path; }
};

}  // namespace gpuccl::io
