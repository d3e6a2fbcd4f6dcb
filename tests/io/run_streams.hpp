#pragma once

#include <string>

#include "io/deflate/run_deflater.hpp"

namespace tests {

/// Returns the fault of the stream that a RunDeflater makes of `runs`: empty if zlib and libdeflate both
/// decode it, its checksum included, to the samples that the runs say. A stream for PNG is made of two halves
/// of the rows.
std::string problem_of(const gpuccl::io::SampleRow& row, const gpuccl::LabelRuns& runs);

}  // namespace tests
