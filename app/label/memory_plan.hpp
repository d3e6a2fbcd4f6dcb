#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpuccl/engine.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::app {

/// Image properties and engine of one labeling.
struct LabelWork {
  Extent extent;
  Connectivity connectivity = Connectivity::c8;
  EngineOptions engine;
  bool selects = false;            // components are filtered or sorted
  bool wraps = false;              // components across periodic borders are united
  bool labels_background = false;  // also labels the background, for holes or cavities
  MeasureRequest measures = {};
  std::optional<ValueType> values = {};  // of a label map
  double delta = 0;
  bool by_object = false;    // each value is one component
  bool sums_values = false;  // the components of each value are counted
};

/// Plan for labeling an input within a memory limit.
struct MemoryPlan {
  std::vector<Slab> slabs;    // empty: all at once
  double slab_bytes = 0;      // that labeling one of them takes at most
  std::int64_t max_kept = 0;  // bytes for the components of all slabs
  bool looks_ahead = false;   // SlabWork::looks_ahead: smaller slabs can still be tried
  int halvings = 0;           // how often the whole was halved
};

/// Returns an upper bound of the host memory for labeling at once, without components.
double bytes_at_once(const LabelWork& work);

/// Bytes of an image that was labeled at once and its labels, while they are written.
double bytes_of_labels(const LabelWork& work, std::int64_t runs);

/// Returns an upper bound of the bytes of at most `most` components.
double bytes_of_components(const LabelWork& work, std::int64_t most);

/// Plans from the header alone. `memory`: bytes of the host, of which `held` are already in use. The memory
/// of the GPU, if one is used, limits slabs too. Error (memory) if not even the smallest slab fits.
MemoryPlan plan_memory(const LabelWork& work, std::int64_t memory, std::int64_t held);

/// Plans the largest slabs that fit, for an image whose components may not fit in addition to it: there are
/// no more than `most`.
MemoryPlan plan_large_slabs(const LabelWork& work, std::int64_t memory, std::int64_t held,
                            std::int64_t most = 0);

/// Returns the next plan if there were too many components: smaller slabs, which leave more memory for
/// components. Smaller slabs have more components in total, because each counts its own. None if slabs
/// cannot be smaller; slabs of label maps have whole slices.
std::optional<MemoryPlan> plan_smaller_slabs(const LabelWork& work, std::int64_t memory, std::int64_t held,
                                             const MemoryPlan& than);

/// Returns whether an image that is labeled at once fits, with at most `most` components (by default, the
/// maximum possible).
bool components_fit(const LabelWork& work, std::int64_t memory, std::int64_t most = INT64_MAX);

/// Returns the number of objects that fit in addition to an image that is labeled at once.
std::int64_t most_that_fit(const LabelWork& work, std::int64_t memory);

}  // namespace gpuccl::app
