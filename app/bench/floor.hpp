#pragma once

#include <map>
#include <string>
#include <tuple>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/detail/floor.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::bench {

/// Time of a memory system to read an input once and to write 4 bytes per pixel once: the bandwidth bound.
struct FloorKind {
  DeviceKind device = DeviceKind::cpu;
  int bits_per_element = 1;  // of the input: packed bits, or bytes as the papers' algorithms read

  std::string name() const;  // "host-bits", "gpu-bytes", "gpu-bits"
  friend auto operator<=>(const FloorKind&, const FloorKind&) = default;
};

/// The floor of the processors: every word of bits is read once and every row of labels filled by memset, in
/// parallel. Median of `repetitions`, after one that is not counted.
double host_stream_floor_ms(Extent extent, int repetitions);

/// Measures each floor when it is first asked for.
class Floors {
 public:
  Floors(int gpu, int repetitions) : gpu_(gpu), repetitions_(repetitions) {}

  /// With more than one copy, the floor of all copies as one volume, divided: what a cache holds does not
  /// help.
  double milliseconds(FloorKind kind, Extent extent, int copies);

 private:
  StreamFloor measured(DeviceKind device, Extent extent) const;

  int gpu_;
  int repetitions_;
  std::map<std::tuple<DeviceKind, int, int, int>, StreamFloor> known_;
};

}  // namespace gpuccl::bench
