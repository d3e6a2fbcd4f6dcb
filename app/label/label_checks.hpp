#pragma once

#include <string>
#include <vector>

#include "app/label/label_options.hpp"
#include "io/image/image_info.hpp"

namespace gpuccl::app {

/// "labels/", or a folder that is there and is not called like a label image.
bool names_folder(const std::string& path);

/// Whether the command line asks for a batch, and not for one input with outputs of its own. Looks at what is
/// on the disk: to be asked once.
bool is_batch(const LabelOptions& options);

/// Refuses what contradicts itself before any file is touched. `batch`: what is_batch() has said. Error
/// (usage).
void check(const LabelOptions& options, bool batch);
/// Refuses the same for one input that is labeled in parts. Error (usage).
void check_for_parts(const LabelOptions& options);

/// Refuses what needs to know where the smaller pages of an input end. Error (usage).
void check_pages(const io::ImageInfo& input, const LabelOptions& options);

/// Refuses an algorithm that does not label the background, too, which `work` needs. Error (usage).
void check_labels_background(const EngineOptions& engine, Connectivity connectivity, const std::string& work);

/// The files of a single input, with those that are written without being asked for.
LabelPaths paths_of(const LabelOptions& options);
/// Refuses outputs of a single input as refuse_overlap() does, and as refuse_existing() with --no-clobber.
void check_outputs(const LabelPaths& files, const LabelOptions& options,
                   const std::string& folder_of_parts = {});

/// Folders that outputs go to.
std::vector<std::string> output_folders(const LabelOptions& options);

}  // namespace gpuccl::app
