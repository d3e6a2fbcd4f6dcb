#include "cuda/device/thread_grid.cuh"
#include "cuda/runs/values/find_planes.cuh"
#include "cuda/runs/values/planes.cuh"

namespace gpuccl::cuda::runs {
namespace {

template <class T>
ValueRows<T> rows_of(const DeviceValues& values) {
  constexpr std::int64_t kValue = sizeof(T);
  return {static_cast<const T*>(values.data), values.row_pitch / kValue, values.slice_pitch / kValue};
}

template <Connectivity connectivity, class Same, class T>
void launch_with(const TiledImage& frame, const ValueRows<T>& rows, const Same& same, Word* planes,
                 PhaseClock& phase) {
  const auto blocks = [](int length, int of_block) {
    return (static_cast<unsigned>(length) - 1) / static_cast<unsigned>(of_block) + 1;
  };
  const unsigned all = blocks(frame.pitch, PlaneBlock::kWords) * blocks(frame.height, PlaneBlock::kRows) *
                       static_cast<unsigned>(frame.depth);
  phase("FindPlanes", find_planes<connectivity, T, Same>, LaunchShape{dim3(all), dim3(PlaneBlock::kThreads)},
        frame, rows, same, planes);
}

template <Connectivity connectivity>
void find_planes_of(const TiledImage& frame, const DeviceValues& values, Word* planes, PhaseClock& phase) {
  with_type(values.type, [&](auto value) {
    using T = decltype(value);
    if (values.delta > 0) {
      launch_with<connectivity>(frame, rows_of<T>(values), NearValues<T>(values.delta), planes, phase);
    } else {
      // Equality of integers does not depend on signedness.
      using Whole = typename std::conditional_t<std::is_floating_point_v<T>, std::type_identity<T>,
                                                std::make_unsigned<T>>::type;
      launch_with<connectivity>(frame, rows_of<Whole>(values), EqualValues<Whole>{}, planes, phase);
    }
  });
}

/// One thread per word.
template <class T>
__global__ void find_values_kernel(TiledImage frame, ValueRows<T> values, Bitmap first, ValueBits* to,
                                   std::size_t capacity) {
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  if (i >= static_cast<std::uint64_t>(first.lengths.words)) return;
  Word rest = first.words[i];
  if (rest == 0) return;
  const std::uint64_t row = i / static_cast<unsigned>(frame.pitch);
  const auto x = static_cast<std::int64_t>(i % static_cast<unsigned>(frame.pitch)) * kWordBits;
  const T* const at = values.row(static_cast<int>(row % static_cast<unsigned>(frame.height)),
                                 static_cast<int>(row / static_cast<unsigned>(frame.height))) +
                      x;
  std::uint32_t component =
      first.counted().up_to(i * kWordBits + static_cast<unsigned>(lowest_bit(rest))) - 1;
  for (; rest != 0 && component < capacity; rest &= rest - 1, ++component)
    to[component] = bits_of_value(at[lowest_bit(rest)]);
}

/// One thread per word.
__global__ void mark_runs_kernel(TiledImage frame, Bitmap starts) {
  using Planes = ValuePlanes<Connectivity::c4>;  // its planes kSet and kLeft are those of all connectivities
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  if (i >= static_cast<std::uint64_t>(starts.lengths.words)) return;
  starts.words[i] = frame.words[frame.plane(Planes::kSet) + static_cast<std::int64_t>(i)] &
                    ~frame.words[frame.plane(Planes::kLeft) + static_cast<std::int64_t>(i)];
}

}  // namespace

void find_planes(Connectivity connectivity, const TiledImage& frame, const DeviceValues& values, Word* planes,
                 PhaseClock& phase) {
  with_connectivity(connectivity,
                    [&]<Connectivity one>() { find_planes_of<one>(frame, values, planes, phase); });
}

void find_values(const TiledImage& frame, const DeviceValues& values, const Bitmap& first, ValueBits* to,
                 std::size_t capacity, PhaseClock& phase) {
  if (capacity == 0) return;
  with_type(values.type, [&](auto value) {
    using T = decltype(value);
    phase("FindValues", find_values_kernel<T>,
          ThreadLine<>::shape(static_cast<std::uint64_t>(first.lengths.words)), frame, rows_of<T>(values),
          first, to, capacity);
  });
}

void mark_runs(const TiledImage& frame, const Bitmap& starts, PhaseClock& phase) {
  phase("MarkRuns", mark_runs_kernel, ThreadLine<>::shape(static_cast<std::uint64_t>(starts.lengths.words)),
        frame, starts);
}

}  // namespace gpuccl::cuda::runs
