#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/label/batch/find_inputs.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"

namespace gpuccl::app {

/// Labels several inputs concurrently, and continues after failures. Returns the exit code.
int label_batch(const LabelOptions& options);

/// One input and where its outputs go.
struct BatchItem {
  LabelPaths files;
  std::optional<Error> problem;
  std::optional<int> frame = {};            // time point, if each of a file is an input
  std::optional<int> intensity_frame = {};  // time point of the files of --intensity with one for each input
  std::set<std::string> movies = {};        // these files
  std::string name = {};                    // of the image, below the folder that was given
  std::string in_plate = {};                // as in BatchInput
};

/// Plans the outputs of all inputs. Error (usage) if two inputs have the same output, or an output is an
/// input of this run or of the next.
std::vector<BatchItem> plan_batch(const FoundInputs& found, const LabelOptions& options);

/// Prints each input with its outputs, or why it cannot be labeled, by its header. Returns the exit code.
int print_plan(std::vector<BatchItem> plan, const LabelOptions& options);

/// Returns the name of the index of the pages of a batch (--view); "" without pages.
std::string index_of_pages(const LabelOptions& options);

}  // namespace gpuccl::app
