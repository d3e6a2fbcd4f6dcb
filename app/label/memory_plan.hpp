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
  bool selects = false;            // components are chosen from or put into another order
  bool wraps = false;              // components across periodic borders are united
  bool labels_background = false;  // also labels the background, for holes or cavities
  MeasureRequest measures = {};
  std::optional<ValueType> values = {};  // of an image of these
  double delta = 0;
  bool by_object = false;    // each value is one component
  bool sums_values = false;  // the components of each value are counted
};

/// Plan for labeling an input within a memory limit.
struct MemoryPlan {
  std::vector<Slab> slabs;    // empty: all at once
  double slab_bytes = 0;      // that labeling one of them takes at most
  std::int64_t max_kept = 0;  // bytes for what is kept of slabs
  bool looks_ahead = false;   // SlabWork::looks_ahead: smaller slabs are left to be tried
  int halvings = 0;           // of the whole that slabs come from
};

/// Bytes of the host that labeling at once takes at most, components left out.
double bytes_at_once(const LabelWork& work);

/// Bytes of an image that was labeled at once and its labels, while they are written.
double bytes_of_labels(const LabelWork& work, std::int64_t runs);

/// Bytes of the components at most, of which there are no more than `most`.
double bytes_of_components(const LabelWork& work, std::int64_t most);

/// By arithmetic on the header. `memory`: bytes of the host, of which `held` are taken already. The memory of
/// a GPU that is going to be used bounds slabs too. Error (memory) when not even the smallest slab fits.
MemoryPlan plan_memory(const LabelWork& work, std::int64_t memory, std::int64_t held);

/// Plans the largest slabs that fit, for an image whose components may not fit in addition to it: there are
/// no more than `most`.
MemoryPlan plan_large_slabs(const LabelWork& work, std::int64_t memory, std::int64_t held,
                            std::int64_t most = 0);

/// Returns the next plan if there were too many components: smaller slabs, which leave more memory for
/// components. Each slab counts its own, so their number grows. None if slabs cannot be smaller: those of
/// values have whole slices.
std::optional<MemoryPlan> plan_smaller_slabs(const LabelWork& work, std::int64_t memory, std::int64_t held,
                                             const MemoryPlan& than);

/// Whether an image that is labeled at once fits, with its components, of which there are no more
/// than `most`, or the maximum possible.
bool components_fit(const LabelWork& work, std::int64_t memory, std::int64_t most = INT64_MAX);

/// Returns the number of objects that fit in addition to an image that is labeled at once.
std::int64_t most_that_fit(const LabelWork& work, std::int64_t memory);

}  // namespace gpuccl::app
