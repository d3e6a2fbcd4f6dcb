#pragma once

#include "gpuccl/phase_times.hpp"

namespace gpuccl::bench {

/// One kind of access to memory, under its name in reports.
struct AccessKind {
  const char* name;  // as a key; blanks for underscores make it a title
  Accesses::Count Accesses::*count;
};

/// In the order of reports.
inline constexpr AccessKind kAccessKinds[] = {
    {"image_reads", &Accesses::image_reads},
    {"reads", &Accesses::reads},
    {"writes", &Accesses::writes},
    {"atomics", &Accesses::atomics},
    {"tile_reads", &Accesses::tile_reads},
    {"tile_writes", &Accesses::tile_writes},
    {"tile_atomics", &Accesses::tile_atomics},
};

}  // namespace gpuccl::bench
