#include <numbers>

#include "measure/neighbors.hpp"

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

/// Words of counts from 0 to 4, by their binary digits.
struct Counts {
  Word ones, twos, fours;

  Counts(Word a, Word b, Word c, Word d) {
    const Word one_of_ab = a ^ b, one_of_cd = c ^ d;
    ones = one_of_ab ^ one_of_cd;
    twos = (a & b) ^ (c & d) ^ (one_of_ab & one_of_cd);
    fours = a & b & c & d;
  }
  Word are(int count) const {
    return (count % 2 == 1 ? ones : ~ones) & (count / 2 % 2 == 1 ? twos : ~twos) &
           (count == 4 ? fours : ~fours);
  }
};

/// The length of a line through the centres of the elements at the edge, by how many others at the edge are
/// beside each. An element is at the edge if one of its four neighbors is background.
class Perimeter final : public Group {
 public:
  explicit Perimeter(const Labeling& labeling) : connectivity_(labeling.request.connectivity) {}

  std::size_t words() const override { return 3; }

  void add(const LabeledRow& row) override {
    std::array<std::vector<Word>, 3> edges;
    for (int dy = -1; dy <= 1; ++dy) edges[static_cast<std::size_t>(dy + 1)] = edge(row, dy);
    const RowBits above(edges[0].data() + 1), here(edges[1].data() + 1), below(edges[2].data() + 1);
    const Neighbors neighbors(row, connectivity_);
    for (const Stretch& stretch : row.stretches) {
      std::uint64_t* const sums = stretch.sums + offset;
      stretch.for_each_word([&](int word, Word mask) {
        const Word at_edge = here[word] & mask;
        if (at_edge == 0) return;
        const Counts beside(here.left(word), here.right(word), above[word], below[word]);
        const auto corner = [&]<Direction to>(const RowBits& edge_of_row) {
          return neighbors.joined<to>(word, edge_of_row.beside(word, to.dx) & at_edge, stretch.label);
        };
        const Counts corners(
            corner.operator()<Direction{-1, -1, 0}>(above), corner.operator()<Direction{1, -1, 0}>(above),
            corner.operator()<Direction{-1, 1, 0}>(below), corner.operator()<Direction{1, 1, 0}>(below));
        const Word straight =
            (beside.are(2) | beside.are(3)) & (corners.are(0) | corners.are(1) | corners.are(2));
        const Word diagonal = (beside.are(0) & corners.are(2)) | (beside.are(1) & corners.are(3));
        const Word bent = beside.are(1) & (corners.are(1) | corners.are(2));
        sums[0] += static_cast<std::uint64_t>(std::popcount(at_edge & straight));
        sums[1] += static_cast<std::uint64_t>(std::popcount(at_edge & diagonal));
        sums[2] += static_cast<std::uint64_t>(std::popcount(at_edge & bent));
      });
    }
  }

  void derive(const Sums& sums, MeasureValues& values) const override {
    using std::numbers::sqrt2;
    const auto count = [&](std::size_t i) { return static_cast<double>(sums.sums[i]); };
    values[perimeter] = count(0) + count(1) * sqrt2 + count(2) * ((1 + sqrt2) / 2);
  }

 private:
  static std::vector<Word> edge(const LabeledRow& row, int dy) {
    const Around around(row);
    const RowBits here = around(dy, 0), above = around(dy - 1, 0), below = around(dy + 1, 0);
    std::vector<Word> edge(static_cast<std::size_t>(row.words) + 2);
    for (int word = 0; word < row.words; ++word)
      edge[static_cast<std::size_t>(word) + 1] =
          here[word] & ~(here.left(word) & here.right(word) & above[word] & below[word]);
    return edge;
  }

  Connectivity connectivity_;
};

}  // namespace

std::unique_ptr<Group> make_perimeter(const Labeling& labeling) {
  if (labeling.is_volume() || !wants(labeling, {perimeter})) return nullptr;
  return std::make_unique<Perimeter>(labeling);
}

}  // namespace gpuccl::measuring
