#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "io/files/file_names.hpp"
#include "io/files/input_file.hpp"
#include "io/image/paths.hpp"
#include "io/image/read_options.hpp"

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

/// The files of one labeling. An empty name means that the output is not wanted.
struct LabelPaths {
  io::Source input;
  std::vector<io::Source> intensities;
  io::Source seeds;
  io::Target image;
  io::Target json, stats, contacts, summary;  // files, or streams
  const char* stats_option = "--stats";       // for messages
  io::Target preview;
  io::Target view;                       // a page to look at the labels
  io::Source shown;                      // image below the labels of the page, if it is not an input
  io::Target outlines;                   // polygons or run lengths of an image of one slice
  bool in_coco = false;                  // outlines go to a file of several images, too
  bool json_by_default = false;          // the report was not asked for: it is a file
  bool in_folders = false;               // outputs are named after their inputs: all are files
  std::shared_ptr<io::KeptInputs> kept;  // of the other time points of the input; may be null

  const io::Target& target(Output output) const;
  /// Returns what is read, the input first.
  std::vector<io::Source> sources() const;
  bool any_output() const;
  /// Returns the named outputs, without standard output.
  std::vector<io::Target> outputs() const;
  /// Returns io::state_of_input() of a file that is read. Thread-safe.
  std::string state_of(const io::Source& source) const;
  /// Adds the default output: the report next to the label image.
  LabelPaths with_defaults() const;
  /// If the label image is the input's Zarr, makes it a label group in this Zarr, named after the channel,
  /// time point and series that options select.
  void add_to_own_store(const io::PlaneChoice& planes);
};

/// Returns the name of the report next to the label image `image`, or next to the store that has it as a
/// group. It contains the name of the group, unless this is the default, "gpuccl".
std::string default_report(const std::string& image);

/// Refuses outputs that are inputs (InputClaims), or in the folder of parts, by any of their names; and a
/// folder of parts inside an input. Error (usage).
void refuse_overlap(const LabelPaths& files, const std::string& folder_of_parts = {});

/// Returns whether two names with the same identity are the same file. Another process may replace outputs
/// meanwhile, and a new file may get the inode of an earlier one.
bool are_still_one(const std::string& a, const std::string& b);

/// Refuses outputs that exist. Error (cannot_create).
void refuse_existing(const LabelPaths& files);

/// The files that inputs are read from. No output may replace one, by any of its names.
class InputClaims {
 public:
  void add(const io::Source& input);
  /// Adds a file that is not an image.
  void add_file(const std::string& path);

  /// Error (usage) if an output of `files` is an input, is inside an input Zarr but is not its label group,
  /// would become a slice of an input stack, is a Zarr that contains an input or another output, or is the
  /// same file as another output. Returns the identities of files.outputs().
  std::vector<io::FileIdentity> refuse_outputs(const LabelPaths& files) const;
  /// Error (usage) if this folder of parts is an input Zarr or inside one, or contains an output of `files`.
  void refuse_parts_in(const std::string& folder, const LabelPaths& files) const;
  void refuse_output(const std::string& path, const io::FileIdentity& identity) const;

 private:
  void add_folders_of(const std::string& path);

  std::set<io::FileIdentity> files_, stores_;
  std::set<io::FileIdentity> stacks_;   // folders of which every image is a slice
  std::set<io::FileIdentity> folders_;  // that contain these files
  std::set<std::string> seen_;          // folders by their names
};

}  // namespace gpuccl::app
