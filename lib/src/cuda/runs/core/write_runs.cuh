#pragma once

#include "cuda/runs/core/bundle.cuh"
#include "cuda/runs/core/tile_labels.cuh"
#include "cuda/runtime/launch.cuh"
#include "gpuccl/labels.hpp"

// WriteRuns: one label for each run of a bundle, in the order that the host has runs in (run_starts.cuh). It
// takes the place of WriteLabels where labels go to the host, which has the bits: 4 bytes a run are written
// and cross the bus, not 4 bytes an element. Of the pieces of a word all begin a run but the first one, which
// may go on from the word to the left.
namespace gpuccl::cuda::runs {

template <class Tile, class Link>
__global__ void __launch_bounds__(Tile::kThreads)
    write_runs(Frame frame, Tables<Link> tables, CountedBits starts, Label* labels_of_runs) {
  __shared__ Label labels[Tile::kNodes];
  const auto place = Place<Tile>::mine(frame);
  const std::int64_t tile = place.tile(frame);
  const Word all = Bundle<Tile>::load(frame, place.image_word(), place.y(), place.z()).all();
  wait_for_launch_before();
  const int first_node = tables.first_node[tile * Tile::kThreads + threadIdx.x];
  find_labels<Tile>(tables, tile, labels);
  if (all == 0) return;  // as words outside of the image are

  const std::int64_t bundles_a_layer = (frame.height - 1) / Tile::kRowsY + 1;
  const std::int64_t bundle = place.z() / Tile::kRowsZ * bundles_a_layer + place.y() / Tile::kRowsY;
  const std::int64_t word = bundle * frame.pitch + place.image_word();
  const Word begins = starts.words[word];
  if (begins == 0) return;
  const int goes_on = static_cast<int>(all & ~begins & 1u);
  Label* const to = labels_of_runs + starts.up_to(word * kWordBits + lowest_bit(begins)) - 1;
  const int runs = count_bits(begins);
  for (int i = 0; i < runs; ++i) to[i] = labels[first_node + goes_on + i];
}

}  // namespace gpuccl::cuda::runs
