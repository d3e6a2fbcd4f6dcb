#pragma once

#include <string>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::bench {

/// Expected result of every algorithm for one image: the labels and statistics of the CPU engine, `runs`.
class Reference {
 public:
  Reference(BitView image, Connectivity connectivity);

  Label count() const { return labels_.count(); }
  /// In what `labeled` differs, as words; empty if it is exactly the same.
  std::string difference(const Labeled& labeled) const;
  /// Whether these are the components.
  bool has(const Components& components) const { return components == components_; }

 private:
  explicit Reference(Labeled labeled);

  LabelImage labels_;
  Components components_;
};

}  // namespace gpuccl::bench
