// Pixel Prediction (PRED), 8-connectivity.
//
//   C. Grana, L. Baraldi, F. Bolelli, "Optimized Connected Components Labeling with Pixel Prediction",
//   Advanced Concepts for Intelligent Vision Systems, 2016
//
// FirstScan is that of SAUF with several decision trees, one for each state of knowledge after the previous
// pixel, so no pixel is read twice. The leaves of a tree lead to the next tree. lib/papers/trees
// generates them.

#include "cpu/algorithms.hpp"
#include "papers/cpu/slices/two_scans.hpp"

namespace gpuccl::cpu {
namespace {

void label_row(PixelMask at) {
#include "papers/trees/pred.inc"
}

void first_scan(const Slice& slice, Equivalences& table) {
  for (int y = 0; y < slice.height; ++y) label_row({slice, y, table});
}

}  // namespace

std::unique_ptr<Labeler> make_pred(Connectivity) {
  return std::make_unique<TwoScans<Scan::pixels, first_scan>>();
}

}  // namespace gpuccl::cpu
