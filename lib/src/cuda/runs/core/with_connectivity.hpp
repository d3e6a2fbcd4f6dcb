#pragma once

#include "gpuccl/types.hpp"

namespace gpuccl::cuda::runs {

/// Calls work.operator()<connectivity>().
template <class Work>
auto with_connectivity(Connectivity connectivity, const Work& work) {
  switch (connectivity) {
    case Connectivity::c4:
      return work.template operator()<Connectivity::c4>();
    case Connectivity::c8:
      return work.template operator()<Connectivity::c8>();
    case Connectivity::c6:
      return work.template operator()<Connectivity::c6>();
    case Connectivity::c18:
      return work.template operator()<Connectivity::c18>();
    case Connectivity::c26:
      return work.template operator()<Connectivity::c26>();
  }
  throw Error(Failure::usage, "labeling on a device: no such connectivity");
}

}  // namespace gpuccl::cuda::runs
