#pragma once

#include <string>
#include <vector>

#include "app/label/label_options.hpp"
#include "io/image/image_info.hpp"

namespace gpuccl::app {

/// Returns whether `path` is a folder: "labels/", or an existing one without the extension of a label image.
bool names_folder(const std::string& path);

/// Returns whether the command line asks for a batch instead of one input. Depends on files that exist, so
/// call it once.
bool is_batch(const LabelOptions& options);

/// Refuses contradictory options before any file is opened. `batch`: result of is_batch(). Error
/// (usage).
void check(const LabelOptions& options, bool batch);
/// As check(), for one input that is labeled in parts.
void check_for_parts(const LabelOptions& options);

/// Refuses options that depend on the size of each page if an input has smaller pages. Error (usage).
void check_pages(const io::ImageInfo& input, const LabelOptions& options);

/// Refuses an algorithm that cannot label the background, if `work` needs that. Error (usage).
void check_labels_background(const EngineOptions& engine, Connectivity connectivity, const std::string& work);

/// Returns the files of a single input, including default outputs.
LabelPaths paths_of(const LabelOptions& options);
/// Refuses outputs of a single input as refuse_overlap() does, and as refuse_existing() with --no-clobber.
void check_outputs(const LabelPaths& files, const LabelOptions& options,
                   const std::string& folder_of_parts = {});

/// Returns the output folders of a batch.
std::vector<std::string> output_folders(const LabelOptions& options);

}  // namespace gpuccl::app
