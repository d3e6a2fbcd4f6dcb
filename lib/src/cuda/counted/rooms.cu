// The rooms once more, in namespace gpuccl::counted, where memory.cuh means the one that counts.
//
// All in one file, since what takes long is to read the headers. A room's file says `namespace gpuccl::cuda`;
// meanwhile that word stands for a namespace of the room's own, as kernels of different rooms share names.
// What comes before the first definition is not renamed and serves both.

#include <algorithm>
#include <map>
#include <type_traits>

#include "common/neighborhood.hpp"
#include "cuda/algorithms/algorithms.hpp"
#include "cuda/counted/memory.cuh"
#include "cuda/counted/rooms.hpp"
#include "cuda/runtime/device_flag.hpp"

// clang-format off: the order matters
#define cuda counted
#include "cuda/device/pixel_quad.cuh"
#include "cuda/labelers/block_labeler.cuh"
#include "cuda/phases/block_phases.cuh"
#include "cuda/phases/coarse_to_fine.cuh"
#include "cuda/phases/pixel_labels.cu"
#undef cuda

#define cuda counted::be
#include "cuda/algorithms/be.cu"
#undef cuda
#define cuda counted::bke_2d
#include "cuda/algorithms/bke_2d.cu"
#undef cuda
#define cuda counted::bke_3d
#include "cuda/algorithms/bke_3d.cu"
#undef cuda
#define cuda counted::buf_2d
#include "cuda/algorithms/buf_2d.cu"
#undef cuda
#define cuda counted::buf_3d
#include "cuda/algorithms/buf_3d.cu"
#undef cuda
#define cuda counted::c2fl
#include "cuda/algorithms/c2fl.cu"
#undef cuda
#define cuda counted::dlp
#include "cuda/algorithms/dlp.cu"
#undef cuda
#define cuda counted::ke
#include "cuda/algorithms/ke.cu"
#undef cuda
#define cuda counted::ke_playne
#include "cuda/algorithms/ke_playne.cu"
#undef cuda
#define cuda counted::lbuf
#include "cuda/algorithms/lbuf.cu"
#undef cuda
#define cuda counted::le
#include "cuda/algorithms/le.cu"
#undef cuda
#define cuda counted::np
#include "cuda/algorithms/np.cu"
#undef cuda
#define cuda counted::ole
#include "cuda/algorithms/ole.cu"
#undef cuda
#define cuda counted::ouf
#include "cuda/algorithms/ouf.cu"
#undef cuda
#define cuda counted::rcu
#include "cuda/algorithms/rcu.cu"
#undef cuda
#define cuda counted::smccl
#include "cuda/algorithms/smccl.cu"
#undef cuda
#define cuda counted::uf_2d
#include "cuda/algorithms/uf_2d.cu"
#undef cuda
#define cuda counted::uf_3d
#include "cuda/algorithms/uf_3d.cu"
#undef cuda

namespace gpuccl::counted {
using namespace be;
using namespace bke_2d;
using namespace bke_3d;
using namespace buf_2d;
using namespace buf_3d;
using namespace c2fl;
using namespace dlp;
using namespace ke;
using namespace ke_playne;
using namespace lbuf;
using namespace le;
using namespace np;
using namespace ole;
using namespace ouf;
using namespace rcu;
using namespace smccl;
using namespace uf_2d;
using namespace uf_3d;
}  // namespace gpuccl::counted

#define cuda counted
#include "cuda/algorithms/algorithms.cpp"
#undef cuda
