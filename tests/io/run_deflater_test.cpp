#include "io/deflate/run_deflater.hpp"

#include "io/deflate/deflate_symbols.hpp"
#include "run_streams.hpp"
#include "support/test.hpp"

namespace gpuccl::io {
namespace {

/// Rows of runs of which some are those of the row above, moved or not, and some are one run.
LabelRuns random_runs(std::mt19937& random, int width, int rows, Label count) {
  const auto draw = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  const auto label = [&] { return static_cast<Label>(1 + random() % count); };
  LabelRuns result;
  std::vector<LabelRun> row;
  for (int y = 0; y < rows; ++y) {
    const int kind = draw(9);
    if (kind == 0) {
      row.clear();
    } else if (kind == 1) {
      row = {{0, width, label()}};
    } else if (kind < 6) {
      for (LabelRun& run : row) {  // ends of some runs move
        const int room = run.end - run.begin - 1;
        if (draw(3) == 0 && room > 0) run.begin += draw(std::min(room, 2));
        if (draw(5) == 0) run.label = label();
      }
    } else if (kind < 8) {
      const int longest = 1 << draw(9);
      row.clear();
      for (int x = draw(longest); x < width;) {
        const int end = std::min(width, x + 1 + draw(longest));
        row.push_back({x, end, label()});
        x = end + draw(longest) * draw(1);  // next to it, another label
      }
    }
    result.runs.insert(result.runs.end(), row.begin(), row.end());
    result.ends.push_back(result.runs.size());
  }
  return result;
}

void check(const SampleRow& row, const LabelRuns& runs) {
  const std::string problem = tests::problem_of(row, runs);
  if (!problem.empty())
    FAIL(problem << ": width " << row.width << ", " << row.sample_bytes << " bytes, " << runs.ends.size()
                 << " rows, " << runs.runs.size() << " runs" << (row.png ? ", PNG" : ""));
}

void check_all(int width, int rows, std::mt19937& random) {
  for (const auto& [bytes, count] : {std::pair{1, 1u}, std::pair{1, 255u}, std::pair{2, 256u},
                                     std::pair{2, 65535u}, std::pair{4, 65536u}, std::pair{4, 4294967295u}})
    check({width, bytes, false}, random_runs(random, width, rows, count));
  for (const auto& [bytes, count] : {std::pair{1, 255u}, std::pair{2, 65535u}})
    check({width, bytes, true}, random_runs(random, width, rows, count));
}

TEST_CASE("decoders restore labels from streams of runs") {
  std::mt19937 random(1);
  SECTION("every small width") {
    for (int width = 1; width <= 300; ++width) check_all(width, 1 + width % 20, random);
  }
  SECTION("rows around the longest match and the farthest distance") {
    for (const int around : {258, 258 / 2, 258 / 4 + 1, 516, 32768, 32768 / 2, 32768 / 4})
      for (int width = around - 3; width <= around + 3; ++width) check_all(width, 7, random);
  }
  SECTION("one row a strip") {
    for (const int width : {1, 2, 3, 1000, 70000, 1 << 20}) check_all(width, 1, random);
  }
  SECTION("many rows") {
    for (const int width : {1, 3, 40, 1000}) check_all(width, 3000, random);
  }
}

TEST_CASE("streams of rows of one value, of equal rows and of values with equal bytes") {
  for (const int width : {1, 2, 3, 86, 87, 129, 130, 258, 259, 260, 5000})
    for (const int bytes : {1, 2, 4})
      for (const bool png : {false, true}) {
        if (png && bytes == 4) continue;
        const SampleRow row{width, bytes, png};
        for (const Label label : {0u, 1u, 255u, 256u, 257u, 65535u, 65536u, 0x01010101u, 0xffffffffu}) {
          if (label >> 16 >> 16 != 0 || (bytes < 4 && label >> 8 * bytes != 0)) continue;
          LabelRuns runs;
          for (int y = 0; y < 5; ++y) {
            if (label != 0) runs.runs.push_back({0, width, label});
            runs.ends.push_back(runs.runs.size());
          }
          check(row, runs);
          if (label == 0) continue;
          runs = {};
          for (int y = 0; y < 40; ++y) {  // one element a run
            for (int x = y / 8; x < width; x += 2) runs.runs.push_back({x, x + 1, label});
            runs.ends.push_back(runs.runs.size());
          }
          check(row, runs);
        }
      }
}

TEST_CASE("the stream of a strip depends on its runs alone, not on the strips before it") {
  std::mt19937 random(5);
  const SampleRow row{500, 2, false};
  RunDeflater used(row);
  for (int i = 0; i < 50; ++i) {
    const LabelRuns runs = random_runs(random, 500, 1 + i, 70);
    used.clear();
    used.add(runs);
    const std::span<const std::byte> again = used.stream();
    RunDeflater fresh(row);
    fresh.add(runs);
    const std::span<const std::byte> first = fresh.stream();
    REQUIRE(std::equal(again.begin(), again.end(), first.begin(), first.end()));
  }
}

TEST_CASE("runs are compressed where they are long, by their number") {
  const RunDeflater two({100, 2, false}), four({100, 4, false});
  CHECK(two.pays(100, 7));
  CHECK_FALSE(four.pays(100, 7));
  CHECK_FALSE(two.pays(100, 6));
}

TEST_CASE("codes are complete and within their lengths for all frequencies") {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::uint32_t> frequencies(2 + random() % 285);
    const unsigned shape = random() % 4;
    for (std::size_t s = 0; s < frequencies.size(); ++s)
      frequencies[s] = shape == 0   ? 1u << s % 31  // as uneven as can be
                       : shape == 1 ? 1
                       : shape == 2 ? static_cast<std::uint32_t>(random() % 3 == 0 ? random() % 1000 : 0)
                                    : static_cast<std::uint32_t>(random() >> random() % 32);
    frequencies.front() = frequencies.back() = 1;
    const int most = frequencies.size() <= 19 && i % 2 == 0 ? 7 : 15;
    std::vector<std::uint8_t> lengths(frequencies.size());
    find_code_lengths(frequencies, most, lengths);
    std::uint32_t share = 0;
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      REQUIRE((lengths[s] != 0) == (frequencies[s] != 0));
      REQUIRE(lengths[s] <= most);
      if (lengths[s] != 0) share += 1u << (15 - lengths[s]);
      for (std::size_t other = 0; other < s; ++other)
        if (frequencies[other] > frequencies[s] && frequencies[s] != 0) REQUIRE(lengths[other] <= lengths[s]);
    }
    REQUIRE(share == 1u << 15);
  }
}

TEST_CASE("ten million strips", "[.long]") {
  std::mt19937 random(7);
  for (int i = 0; i < 10'000'000; ++i) {
    const int bytes = 1 << random() % 3, width = 1 + static_cast<int>(random() % (1u << random() % 10));
    const Label count = bytes == 4 ? 4294967295u : (1u << 8 * bytes) - 1;
    check({width, bytes, bytes < 4 && random() % 2 == 0},
          random_runs(random, width, 1 + static_cast<int>(random() % 12),
                      1 + static_cast<Label>(random()) % count));
  }
}

}  // namespace
}  // namespace gpuccl::io
