#pragma once

#include "app/label/label_file.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "gpuccl/parts.hpp"

namespace gpuccl::app {

/// Labels one part of the input and writes its stretch of the outputs; all parts of `link` call it with the
/// same options. The outputs are those of label_file(), and either all of them are complete afterwards or
/// none was touched. Messages for the user come from part 0. Throws as io::together().
LabelSummary label_part(PartLink& link, const LabelPaths& files, const LabelOptions& options,
                        LazyEngine& engine);

}  // namespace gpuccl::app
