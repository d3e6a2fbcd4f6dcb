#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Start of a component: its part, and the label of its first element there. Labels of a part are in the
/// raster order of first elements, and so are parts: whatever begins first is the smallest.
struct Origin {
  std::uint64_t part = 0, label = 0;

  auto operator<=>(const Origin&) const = default;
};

/// State of a component in a part, or in several adjacent parts.
struct Piece {
  Origin origin;
  Component known;  // in coordinates of the whole

  void add(const Piece& other);
};

/// Two components that touch.
struct PieceContact {
  std::uint32_t before;  // number of the one before, among the components at the last face there
  std::uint32_t piece;
};

/// Parts that are next to each other: the components that reach beyond them, for all others are finished.
struct Group {
  std::vector<Piece> pieces;
  std::vector<PieceContact> contacts;  // with the last face of what is before the group
  std::vector<std::uint32_t> last;  // pieces of the components at the last face of the group, by their number
};

/// Two groups next to each other that become one, and the way back.
class MergedGroups {
 public:
  MergedGroups(const Group& left, const Group& right);

  /// The two as one. Once.
  Group take() { return std::move(group_); }

  /// Downward pass: given the final pieces of the merged group, returns those of the left and right groups.
  struct Halves {
    std::vector<Piece> left, right;
  };
  Halves split(const std::vector<Piece>& whole) const;

 private:
  Group group_;
  std::size_t left_;                     // pieces of the left group
  std::vector<std::uint32_t> united_;    // what each piece of the left, then of the right group is part of
  std::vector<Piece> pieces_;            // these
  std::vector<std::uint32_t> reaching_;  // those of them that are the pieces of the one group
};

}  // namespace gpuccl
