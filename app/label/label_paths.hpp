#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "io/files/file_names.hpp"

namespace gpuccl::app {

/// Outputs of one labeling, in the order in which they are opened and get their names.
enum class Output { image, preview, view, outlines, stats, contacts, summary, report };

/// One T for each output; all are empty at first.
template <class T>
class PerOutput : public std::array<T, 8> {
 public:
  T& operator[](Output output) { return this->at(static_cast<std::size_t>(output)); }
  const T& operator[](Output output) const { return this->at(static_cast<std::size_t>(output)); }
};
inline constexpr Output kOutputs[] = {Output::image, Output::preview,  Output::view,    Output::outlines,
                                      Output::stats, Output::contacts, Output::summary, Output::report};

/// The files of one labeling. An empty name: not wanted.
struct LabelPaths {
  std::string input;                     // "-": standard input
  std::vector<std::string> intensities;  // the same; a folder is a stack
  std::string seeds;                     // the same
  std::string image;
  std::string json;      // a file, or an io::TextStream
  std::string stats;     // the same
  std::string contacts;  // the same
  std::string summary;   // the same
  std::string preview;
  std::string view;              // a page to look at the labels
  std::string outlines;          // polygons or run lengths of an image of one slice
  bool json_by_default = false;  // the report was not asked for: it is a file
  bool in_folders = false;       // outputs are named after their inputs: all are files

  const std::string& path(Output output) const;
  bool any_output() const;
  /// Returns the named outputs, without standard output.
  std::vector<std::string> outputs() const;
  /// Adds what is written without being asked for: the report next to the label image.
  LabelPaths with_defaults() const;
  /// A Zarr that is input and label image gets the labels as a group in it.
  void add_to_own_store();
};

/// Whether `path` is a stream or a device, which may be named twice, for nothing is replaced.
bool is_special(const std::string& path);

/// The report next to the label image `image`, or next to the store that has it as a group: with the name of
/// the group, unless it is the one that gpuccl adds by itself.
std::string default_report(const std::string& image);

/// Refuses outputs that would replace what is read (InputClaims) or each other or go where parts do, under
/// whatever name, and a folder of parts in what is read. Error (usage).
void refuse_overlap(const LabelPaths& files, bool stack, const std::string& folder_of_parts = {});

/// Refuses outputs that exist. Error (cannot_create).
void refuse_existing(const LabelPaths& files);

/// Every file that inputs are read from, which no output may replace, under whatever name.
class InputClaims {
 public:
  void add(const std::string& input, bool stack);
  /// An image of intensities: a folder is a stack.
  void add_intensity(const std::string& path);
  /// A file that is not an image.
  void add_file(const std::string& path);

  /// Error (usage) if an output of `files` is one of these, lies in a Zarr that is read and is not a group of
  /// labels of it, would be a slice of a stack that is read, or is a Zarr that has what is read, or another
  /// output, in it.
  /// `identities`: of files.outputs().
  void refuse_outputs(const LabelPaths& files, std::span<const io::FileIdentity> identities) const;
  /// Error (usage) if this folder, to which files come and from which they go, is or lies in a Zarr that is
  /// read, or has an output of `files` in it.
  void refuse_parts_in(const std::string& folder, const LabelPaths& files) const;
  void refuse_output(const std::string& path, const io::FileIdentity& identity) const;

 private:
  void add_folders_of(const std::string& path);

  std::set<io::FileIdentity> files_, stores_;
  std::set<io::FileIdentity> stacks_;   // folders of which every image is a slice
  std::set<io::FileIdentity> folders_;  // that have these in them
  std::set<std::string> seen_;          // folders by their names
};

}  // namespace gpuccl::app
