#pragma once

#include <optional>
#include <utility>

#include "app/common/messages.hpp"
#include "app/label/label_input.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/part_labeler.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/parts.hpp"
#include "io/image/value_rows.hpp"

namespace gpuccl::app {

/// An image that is labeled to compare, match or show its objects, without outputs of a job. Errors are
/// Error, not yet about the path.
class LabeledImage {
 public:
  /// Opens the image `files.input`. `warn` may be null. Throws as LabelInput.
  LabeledImage(LabelPaths files, LabelOptions options, WarnAbout warn)
      : warn_(std::move(warn)),
        files_(std::move(files)),
        options_(std::move(options)),
        engine_(options_.algorithm.engine, {}),
        input_(files_, options_, warn_) {}

  const LabelInput& input() const { return input_; }
  const LabelOptions& options() const { return options_; }
  /// After label().
  const PartLabeler& piece() const { return *piece_; }

  /// Reads and labels the image, in slabs if memory is too small. The labels refer to this object.
  PartResult label() {
    SoloLink link;
    piece_.emplace(input_, cut_into_parts(input_.extent(), 1).front());
    piece_->read();
    PartLabeler::Labels found = *piece_->label(engine_);  // none only after fill()
    if (options_.values.by_values && piece_->report().any_nan && warn_) warn_(files_.input, io::kHintOfNan);
    PartResult whole = unite_part(link, piece_->slab(), input_.extent(), input_.connectivity(),
                                  std::move(found.labeled), std::move(found.values));
    input_.select(link, whole);
    return whole;
  }

 private:
  WarnAbout warn_;
  LabelPaths files_;
  LabelOptions options_;
  Engine engine_;
  LabelInput input_;
  std::optional<PartLabeler> piece_;
};

}  // namespace gpuccl::app
