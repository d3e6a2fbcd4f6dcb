// Pixel Prediction (PRED), 8-connectivity.
//
//   C. Grana, L. Baraldi, F. Bolelli, "Optimized Connected Components Labeling with Pixel Prediction",
//   Advanced Concepts for Intelligent Vision Systems, 2016
//
// FirstScan is that of SAUF, with a decision tree for each thing that the pixel before may have left known:
// what it has seen is not read again. Trees lead to trees; they are made by lib/tools/decision_trees.

#include "cpu/algorithms.hpp"
#include "cpu/slices/two_scans.hpp"

namespace gpuccl::cpu {
namespace {

void label_row(PixelMask at) {
#include "common/pred.inc"
}

void first_scan(const Slice& slice, Equivalences& table) {
  for (int y = 0; y < slice.height; ++y) label_row({slice, y, table});
}

}  // namespace

std::unique_ptr<Labeler> make_pred(Connectivity) {
  return std::make_unique<TwoScans<Scan::pixels, first_scan>>();
}

}  // namespace gpuccl::cpu
