#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

#include "cuda/runs/core/boundary_merge.cuh"
#include "cuda/runs/core/local_merge.cuh"
#include "cuda/runs/core/write_labels.cuh"
#include "cuda/runs/host/table_memory.cuh"
#include "cuda/runs/statistics/component_memory.cuh"
#include "cuda/runs/statistics/dense_statistics.cuh"
#include "cuda/runs/statistics/measure.cuh"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda::runs {

/// Returns the image on the device as tiles. `pitch`: words between rows.
template <class Tile>
TiledImage frame_of(const Word* words, const Extent& extent, int pitch) {
  const auto tiles = [](int elements, int of_tile) { return (elements - 1) / of_tile + 1; };
  return {words,
          extent.width,
          extent.height,
          extent.depth,
          pitch,
          tiles(extent.width, Tile::kWidth),
          tiles(extent.height, Tile::kHeight),
          tiles(extent.depth, Tile::kDepth),
          0,
          0};
}

/// Enqueues the phases that find components and number them.
template <class Tile, class Link, class Source>
void enqueue_numbering(const TiledImage& whole, const Source& source, const LabelState<Link>& tables,
                       PhaseClock& phase) {
  const unsigned faces = FaceThreads<Tile>::threads(whole.tile(0, 0, whole.tiles_z));

  for_all_tiles<Tile>(whole, [&](const TiledImage& part, const LaunchShape& shape) {
    phase("LocalMerge", local_merge<Tile, Link, Source>, shape, part, source, tables);
  });
  // BoundaryMerge may start early and read the image, unless LocalMerge produces its bits.
  constexpr bool kBitsAreThere = std::is_same_v<Source, FromBits>;
  phase("BoundaryMerge", boundary_merge<Tile, Link>,
        LaunchShape{dim3(ceil_div(faces, kBoundaryThreads)), dim3(kBoundaryThreads), 0, kBitsAreThere}, whole,
        tables);
  count_bits("Numbering", tables.first, phase);
}

/// Enqueues the last phase. `labels`: output rows of write_labels.cuh.
template <class Tile, class Link, class Rows>
void enqueue_labels(const TiledImage& whole, const LabelState<Link>& tables, const Rows& labels,
                    PhaseClock& phase) {
  for_all_tiles<Tile>(whole, [&](const TiledImage& part, LaunchShape shape) {
    shape.early = true;
    phase("WriteLabels", write_labels<Tile, Link, Rows>, shape, part, tables, labels);
  });
}

/// Replaces enqueue_labels() if labels go to the host: one per run.
template <class Tile, class Link>
void enqueue_run_labels(const TiledImage& whole, const LabelState<Link>& tables, CountedBits starts,
                        Label* labels, PhaseClock& phase) {
  for_all_tiles<Tile>(whole, [&](const TiledImage& part, LaunchShape shape) {
    shape.early = true;
    phase("WriteRuns", write_runs<Tile, Link>, shape, part, tables, starts, labels);
  });
}

/// Enqueues the statistics of up to `components.capacity` components. `count`: N on the device if the
/// capacity may exceed it, otherwise null.
template <class Tile, class Link>
void enqueue_statistics(const TiledImage& whole, const LabelState<Link>& tables,
                        const ComponentSums& components, const unsigned long long* count, PhaseClock& phase) {
  if (components.capacity == 0) return;
  const auto tiles = static_cast<std::size_t>(whole.tile(0, 0, whole.tiles_z));
  const bool crowded = components.capacity / tiles >= kDense;
  if (crowded) {
    for_all_tiles<Tile>(whole, [&](const TiledImage& part, const LaunchShape& shape) {
      phase("Statistics: store", dense_statistics<Tile, Link>, shape, part, tables, components);
    });
  } else {
    clear_components(components, count, Tile::kDepth == 1, phase);
  }
  for_all_tiles<Tile>(whole, [&](const TiledImage& part, LaunchShape shape) {
    shape.early = true;
    phase("Statistics: gather",
          crowded ? measure<Tile, Link, LabelScope::foreign> : measure<Tile, Link, LabelScope::all>, shape,
          part, tables, components);
  });
}

/// Returns true if 32 bits are too few for links.
template <class Tile>
bool needs_wide_links(const TiledImage& frame, LinkWidth width) {
  constexpr std::int64_t kLimit = Links<NarrowLink>::kLinked;
  return width == LinkWidth::wide || frame.row(0, frame.depth) * frame.pitch * kWordBits > kLimit ||
         frame.tile(0, 0, frame.tiles_z) * Tile::kNodes > kLimit;
}

/// Calls work.operator()<Link>() with wide or narrow links.
template <class Work>
void with_links(bool wide, const Work& work) {
  if (wide)
    work.template operator()<WideLink>();
  else
    work.template operator()<NarrowLink>();
}

/// Returns N, the number of bits that Numbering has counted. Waits only until the device has counted them.
inline Label count_components(const BitmapMemory& first, const Stream& stream) {
  const unsigned long long count = first.total(stream);
  if (count >= kLabelLimit)
    throw Error(ErrorCode::memory, std::to_string(count) + " components are too many for the GPU engine");
  return static_cast<Label>(count);
}

}  // namespace gpuccl::cuda::runs
