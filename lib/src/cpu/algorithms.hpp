#pragma once

#include <memory>
#include <vector>

#include "gpuccl/algorithms.hpp"

namespace gpuccl::cpu {

/// The CPU rows of the table.
std::vector<Algorithm> algorithms();

std::unique_ptr<Labeler> make_runs(Connectivity connectivity);
std::unique_ptr<Labeler> make_flood_fill(Connectivity connectivity);
std::unique_ptr<Labeler> make_sauf(Connectivity connectivity);
std::unique_ptr<Labeler> make_hcs2_aremsp(Connectivity connectivity);
std::unique_ptr<Labeler> make_ep(Connectivity connectivity);
std::unique_ptr<Labeler> make_fb(Connectivity connectivity);

}  // namespace gpuccl::cpu
