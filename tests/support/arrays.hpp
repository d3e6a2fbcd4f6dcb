#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "gpuccl/image.hpp"

namespace tests {

/// The binary arrays of other projects' tests in the shared folder, with the counts, labels and components
/// that are right for them. Empty without that folder.
std::vector<nlohmann::json> published_arrays();
/// Expects the same for arrays of values, in which equal values connect.
std::vector<nlohmann::json> published_arrays_of_values();

gpuccl::BitVolume image_of(const nlohmann::json& array);

}  // namespace tests
