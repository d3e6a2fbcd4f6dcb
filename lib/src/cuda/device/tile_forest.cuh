#pragma once

#include "common/union_find.hpp"
#include "cuda/device/memory.cuh"

// Links that a thread block keeps in shared memory, addressed by their index in the tile.
namespace gpuccl::cuda {

/// Forest in which every element is a node.
using TileForest = UnionFind<ZeroBased, SharedByBlock>;

/// Forest in which background is 0.
using TileForestWithBackground = UnionFind<OneBased, SharedByBlock>;

}  // namespace gpuccl::cuda
