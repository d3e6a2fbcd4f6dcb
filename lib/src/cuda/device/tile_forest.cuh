#pragma once

#include "common/union_find.hpp"
#include "cuda/device/memory.cuh"

// Links that a thread block keeps in shared memory, by their index in the tile.
namespace gpuccl::cuda {

/// All of them are nodes.
using TileForest = UnionFind<ZeroBased, SharedByBlock>;

/// Forest in which background is 0.
using TileForestWithBackground = UnionFind<OneBased, SharedByBlock>;

}  // namespace gpuccl::cuda
