#pragma once

#include <array>
#include <cstddef>

#include "common/shape.hpp"

// Bit planes of a label map, one bit per element and each as large as the bit-packed image, stored one after
// the other. find_planes.cuh makes them from the values; labeling reads only the planes.
//
//   set              the value is not 0
//   same as left     the element connects to the one on its left: a run ends where this is 0
//   same as other    it connects to the element in the same column of the row at side 0; and at side 1
//   lists            for each word, one bit for each list below that is not empty in it
//   one per list     contacts of one kind with the row at one side that no other contact makes redundant
//
// Contacts in lists are rare: they are corners at which two components meet two others. Words without any are
// neither written nor read. Rows are not combined into bundles, because touching elements of two rows need
// not connect.
namespace gpuccl::cuda::runs {

template <Connectivity connectivity>
struct ValueShape {
  static constexpr cpu::RowSet rows = 0b0001;
  static constexpr auto sides = cpu::Shape<connectivity>::sides;
};

template <>
struct ValueShape<Connectivity::c26> {
  static constexpr cpu::RowSet rows = 0b0001;
  static constexpr std::array<cpu::Side, 4> sides{
      {{-1, 0, 1, 1, true}, {0, -1, 1, 1, true}, {-1, -1, 1, 1, true}, {1, -1, 1, 1, true}}};
};

/// Kinds of contacts between elements of two rows, at bit x of the own row: both elements in column x; the
/// other element in column x - 1; or the own element in column x - 1.
enum ContactShift { kNoShift, kOtherLeft, kOwnLeft };
inline constexpr int kShifts = 3;

template <Connectivity connectivity>
class ValuePlanes {
  using Shape = ValueShape<connectivity>;
  static constexpr bool has_list(int side, int shift) {
    return shift == kNoShift ? side >= 2 : Shape::sides[static_cast<std::size_t>(side)].diagonal;
  }
  static constexpr int lists_before(int side, int shift) {
    int lists = 0;
    for (int i = 0; i < side * kShifts + shift; ++i) lists += has_list(i / kShifts, i % kShifts) ? 1 : 0;
    return lists;
  }

 public:
  static constexpr int kSides = static_cast<int>(Shape::sides.size());

  static constexpr int kSet = 0, kLeft = 1;
  static constexpr int kSameAsOther = 2;  // of side 0, followed by side 1
  static constexpr int kDense = kSameAsOther + (kSides < 2 ? kSides : 2);

  /// Whether contacts of a kind at a side have a list, and the number of lists before it.
  template <int side, int shift>
  static constexpr bool kHasList = has_list(side, shift);
  template <int side, int shift>
  static constexpr int kList = lists_before(side, shift);
  static constexpr int kLists = lists_before(kSides, 0);

  static constexpr int kListMask = kDense;  // present if there are lists
  static constexpr int kFirstList = kDense + 1;
  /// Number of planes that are written completely, and of all planes.
  static constexpr int kWhole = kDense + (kLists > 0 ? 1 : 0);
  static constexpr int kAll = kWhole + kLists;
};

}  // namespace gpuccl::cuda::runs
