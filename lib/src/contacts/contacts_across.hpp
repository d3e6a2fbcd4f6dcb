#pragma once

#include <vector>

#include "gpuccl/objects.hpp"
#include "periodic/border_runs.hpp"

namespace gpuccl {

/// Returns the contacts across periodic borders, as find_contacts() does.
std::vector<Contact> contacts_across(const BorderRuns& borders, const Extent& extent,
                                     Connectivity connectivity, const PeriodicAxes& periodic);

}  // namespace gpuccl
