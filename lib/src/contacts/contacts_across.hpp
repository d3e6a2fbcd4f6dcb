#pragma once

#include <vector>

#include "gpuccl/contacts.hpp"
#include "periodic/border_runs.hpp"

namespace gpuccl {

/// What touches across periodic borders, as find_contacts().
std::vector<Contact> contacts_across(const BorderRuns& borders, const Extent& extent,
                                     Connectivity connectivity, const PeriodicAxes& periodic);

}  // namespace gpuccl
