#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/common/sandbox.hpp"
#include "app/label/label_options.hpp"
#include "io/image/image_info.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {

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

/// Returns the file permissions of labeling: read the inputs and files next to them, write to the folders of
/// outputs and to `parts`. Unrestricted if a GPU may be used or --no-sandbox is given.
Sandbox sandbox_of(const LabelPaths& files, const LabelOptions& options, const std::string& parts = {});
/// Returns the file permissions of a batch. Adds its output folders, or their parents if they are missing.
Sandbox sandbox_of(const std::vector<std::string>& inputs, const std::vector<std::string>& folders,
                   const LabelOptions& options);

/// Restricts gpuccl join to the input and outputs of the run and to its folder of parts. Call it after the
/// file that names them was read, which is trusted because it belongs to the user.
void enter_sandbox_of_join(const LabelPaths& files, const LabelOptions& options, const std::string& parts);

}  // namespace gpuccl::app
