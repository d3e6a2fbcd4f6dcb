#include "cpu/runs/run_sums.hpp"

#include <random>
#include <vector>

#include "support/catch.hpp"

using namespace gpuccl;

namespace {

struct Seen {
  int begin, end;
  std::uint64_t area, in_next_y, in_next_z, sum_x;
  friend bool operator==(const Seen&, const Seen&) = default;
};

/// Element by element.
template <cpu::RowSet set>
std::vector<Seen> expected(const std::vector<std::vector<std::uint32_t>>& rows, int width) {
  std::vector<Seen> runs;
  bool open = false;
  for (int x = 0; x < width; ++x) {
    bool any = false;
    for (std::size_t row = 0; row < 4; ++row) {
      if ((set >> row & 1) == 0 || (rows[row][static_cast<std::size_t>(x) / 32] >> x % 32 & 1) == 0) continue;
      if (!open && !any) runs.push_back({x, x, 0, 0, 0, 0});
      any = true;
      ++runs.back().area;
      runs.back().in_next_y += row & 1;
      runs.back().in_next_z += row >> 1;
      runs.back().sum_x += static_cast<std::uint64_t>(x);
    }
    open = any;
    if (any) runs.back().end = x + 1;
  }
  return runs;
}

template <cpu::RowSet set>
void check_rows(const std::vector<std::vector<std::uint32_t>>& rows, int words) {
  std::vector<Seen> seen;
  cpu::for_each_run_sums<set>(
      {rows[0].data(), rows[1].data(), rows[2].data(), rows[3].data()}, words,
      [&](std::size_t run, int begin, int end, const cpu::RunSums& sums) {
        if (run == seen.size()) {
          seen.push_back({begin, end, sums.area, sums.in_next_y, sums.in_next_z, sums.sum_x});
          return;
        }
        REQUIRE(run + 1 == seen.size());  // it goes on
        REQUIRE(seen.back().end == begin);
        seen.back().end = end;
        seen.back().area += sums.area;
        seen.back().in_next_y += sums.in_next_y;
        seen.back().in_next_z += sums.in_next_z;
        seen.back().sum_x += sums.sum_x;
      });
  REQUIRE_FALSE(seen.empty());
  REQUIRE(seen == expected<set>(rows, words * cpu::kWordBits));
}

}  // namespace

TEST_CASE("sums over the runs of bundles are those of their elements") {
  constexpr int kWords = 5;
  std::mt19937 random(1);
  for (const double density : {0.02, 0.1, 0.5, 0.9, 0.99, 1.0})
    for (const int longest : {1, 3, 40, 200})  // of runs
      for (int repetition = 0; repetition < 20; ++repetition) {
        INFO("density " << density << ", " << longest << " at a time, repetition " << repetition);
        std::vector<std::vector<std::uint32_t>> rows(4, std::vector<std::uint32_t>(2 * kWords));
        for (auto& row : rows)
          for (int x = 0; x < kWords * cpu::kWordBits;) {
            const bool set = std::bernoulli_distribution(density)(random);
            for (int end = x + std::uniform_int_distribution(1, longest)(random);
                 x < end && x < kWords * cpu::kWordBits; ++x)
              row[static_cast<std::size_t>(x) / 32] |= (set ? 1u : 0u) << x % 32;
          }
        rows[0][0] |= 1;
        check_rows<0b0001>(rows, kWords);
        check_rows<0b0011>(rows, kWords);
        check_rows<0b1111>(rows, kWords);
      }
}

TEST_CASE("the sum of positions in a word") {
  CHECK(cpu::sum_of_positions(0) == 0);
  CHECK(cpu::sum_of_positions(~cpu::Word{0}) == 63 * 64 / 2);
  for (int bit = 0; bit < cpu::kWordBits; ++bit)
    CHECK(cpu::sum_of_positions(cpu::Word{1} << bit) == static_cast<std::uint64_t>(bit));
}
