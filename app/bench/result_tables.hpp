#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/bench/results.hpp"
#include "app/bench/table.hpp"

namespace gpuccl::bench {

/// Returns the measurements of one group, if the experiment has a table for each.
std::optional<Table> table_of(const Group& group, Test test);
/// Tables of all groups together, algorithms to the right.
std::vector<Table> joint_tables(const Results& results);
/// The results as tables, in the shape that suits the experiment: those of groups, then joint ones.
std::vector<Table> tables(const Results& results);

}  // namespace gpuccl::bench
