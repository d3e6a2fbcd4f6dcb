// Hard cases of single algorithms of the papers, on the emulation of CUDA.

#include "cuda/variants.hpp"
#include "emulation.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

std::vector<CudaVariant> variants_of(const std::set<std::string>& names) {
  std::vector<CudaVariant> variants = cuda_variants();
  std::erase_if(variants, [&](const CudaVariant& variant) { return !names.contains(variant.name); });
  return variants;
}

const std::set<std::string> kTiled = {"uf",    "lbuf", "dlp",  "dlp-ruf", "dlp-lazy",
                                      "smccl", "ouf",  "c2fl", "rc2fl",   "cc2fl",
                                      "nc2fl", "ha4",  "ha8",  "tuf",     "brb"};

int launches(const PhaseTimes& times, const std::string& phase) {
  for (const PhaseTime& time : times)
    if (time.phase == phase) return time.launches;
  return 0;
}

int iterations(const std::string& algorithm, Connectivity connectivity, BitView image,
               const std::string& phase) {
  const auto labeler = find_variant(*find_algorithm(algorithm, DeviceKind::cuda), connectivity)->make(0);
  return launches(timed_phases(*labeler, image), phase);
}

}  // namespace

TEST_CASE("algorithms have the phases that the table says") {
  emulation::configure({.seed = 10});
  for (const CudaVariant& variant : cuda_variants()) {
    const Algorithm& algorithm = *find_algorithm(variant.name, DeviceKind::cuda);
    if (algorithm.phases.empty()) continue;
    INFO(variant.name << ", " << static_cast<int>(variant.connectivity) << "-connectivity");
    const bool volume = is_3d(variant.connectivity);
    const BitVolume image = random_image({70, 40, volume ? 3 : 1}, 0.5, 1, 1);
    variant.staged()->upload(image.view());
    variant.staged()->allocate();
    PhaseTimes times;
    variant.staged()->run(Numbering::provisional, &times);
    std::vector<std::string> names, expected;  // each once
    for (const PhaseTime& time : times) names.push_back(time.phase);
    for (const Phase& phase : find_phases(algorithm, variant.connectivity))
      if (std::find(expected.begin(), expected.end(), phase.name) == expected.end())
        expected.push_back(phase.name);
    CHECK(names == expected);
  }
}

TEST_CASE("tiles meet at every offset of a shape") {
  emulation::configure({.seed = 11});
  const std::vector<CudaVariant> variants = variants_of(kTiled);
  const BitVolume shape = drawn({"#.#...#", ".#.#.#.", "#...#..", "##.#..#", "..#.#.#", "#####.."});
  for (int dx = 0; dx < 33; dx += 1 + dx % 2)
    for (int dy = 0; dy < 17; dy += 1 + dy % 3) {
      INFO("moved by " << dx << " " << dy);
      BitVolume image({dx + 9 + 33, dy + 8 + 17});
      for (const int right : {0, 33})  // crosses the borders of tiles 32 and 64 wide
        for (int y = 0; y < 6; ++y)
          for (int x = 0; x < 7; ++x)
            if (shape(x, y)) image.set(dx + x + right, dy + y + right / 2);
      expect_all_right(variants, image.view());
    }
}

TEST_CASE("smccl merges tiles of tiles, and again where one pass is not enough") {
  emulation::configure({.seed = 12, .switch_one_in = 200});
  const std::vector<CudaVariant> variants = variants_of({"smccl"});
  for (const char* kind : {"spiral", "comb", "hilbert"}) {
    INFO(kind);
    expect_all_right(variants, generated(kind, {135, 70}).view());
    expect_all_right(variants, transposed(generated(kind, {70, 135}).view()).view());
  }
  // Levels of 128 x 64, 512 x 256 and 2048 x 1024.
  const BitVolume image = random_image({530, 70}, 0.55, 1, 5);
  expect_all_right(variants, image.view());
  CHECK(iterations("smccl", Connectivity::c4, image.view(), "BorderMerge") == 3);
}

TEST_CASE("iterative algorithms report how often they iterate, and end") {
  emulation::configure({.seed = 13});
  const BitVolume spiral = generated("spiral", {29, 29});
  const BitVolume full = random_image({40, 20}, 1, 1, 1);
  const BitVolume empty({40, 20});
  for (const Connectivity connectivity : {Connectivity::c4, Connectivity::c8}) {
    INFO(static_cast<int>(connectivity) << "-connectivity");
    expect_all_right(variants_of({"np", "rcu", "le", "ole", "8dls", "m8dls", "rasmusson", "be"}),
                     spiral.view());
    const int longest = 29 * 29 / 2 + 1;  // of a component, in pixels
    CHECK(iterations("np", connectivity, spiral.view(), "Propagate") <= longest + 1);
    CHECK(iterations("rcu", connectivity, spiral.view(), "Rows") <= 29 / 2 + 2);
    for (const char* algorithm : {"le", "ole"}) {
      INFO(algorithm);
      // Each part along a path links to a smaller one or is left as the only one of two or three.
      CHECK(iterations(algorithm, connectivity, spiral.view(), "Scan") <= 11);
      CHECK(iterations(algorithm, connectivity, full.view(), "Scan") == 2);
      CHECK(iterations(algorithm, connectivity, empty.view(), "Scan") == 1);
    }
  }
  // One iteration for each straight part of the path, and one that changes nothing.
  CHECK(iterations("8dls", Connectivity::c8, spiral.view(), "Scan") <= 29 + 1);
  CHECK(iterations("8dls", Connectivity::c8, full.view(), "Scan") <= 4);
  CHECK(iterations("8dls", Connectivity::c8, empty.view(), "Scan") == 1);
  CHECK(iterations("m8dls", Connectivity::c8, empty.view(), "Scan") == 2);  // of both kinds
  CHECK(iterations("rasmusson", Connectivity::c8, empty.view(), "Propagate") == 1);
  // The primary pixel of all is the first one, and diagonals, columns and rows lead far in one iteration.
  CHECK(iterations("rasmusson", Connectivity::c8, full.view(), "Propagate") <= 4);
  CHECK(iterations("be", Connectivity::c8, full.view(), "Scan") == 2);
  CHECK(iterations("be", Connectivity::c8, empty.view(), "Scan") == 1);
}

TEST_CASE("m8dls looks again where two labels meet whose origins have not changed") {
  emulation::configure({.seed = 17});
  // Hooks, each with the smallest label of its own part at its end, around a bar that they touch late.
  const std::vector<CudaVariant> variants = variants_of({"m8dls", "8dls"});
  for (const char* kind : {"spiral", "comb", "hilbert"}) {
    INFO(kind);
    const BitVolume image = generated(kind, {47, 33});
    expect_all_right(variants, image.view());
    BitVolume turned = transposed(image.view());
    expect_all_right(variants, turned.view());
  }
  expect_all_right(variants, random_image({90, 60}, 0.45, 1, 6).view());
}

TEST_CASE("propagation sizes reach the pixels around a tile, and no further") {
  emulation::configure({.seed = 18});
  const std::vector<CudaVariant> variants = variants_of({"rasmusson"});
  for (int x = 30; x < 34; ++x)
    for (const int y : {31, 32}) {
      CAPTURE(x, y);
      BitVolume cross({70, 67}), gap({70, 67});
      for (int i = -40; i <= 40; ++i)
        for (const auto& [dx, dy] : {std::pair(1, 0), {0, 1}, {1, 1}, {-1, 1}}) {
          const int at_x = x + i * dx, at_y = y + i * dy;
          if (at_x < 0 || at_x >= 70 || at_y < 0 || at_y >= 67) continue;
          cross.set(at_x, at_y);
          if (i != 0 && i % 5 != 0) gap.set(at_x, at_y);
        }
      expect_all_right(variants, cross.view());
      expect_all_right(variants, gap.view());
    }
}

TEST_CASE("brb scans rows that shared memory has no room for, and runs that votes cut") {
  emulation::configure({.seed = 20});
  const std::vector<CudaVariant> variants = variants_of({"brb"});
  expect_all_right(variants, random_image({2100, 19}, 0.55, 1, 7).view());
  expect_all_right(variants, generated("comb", {2053, 21}).view());
  for (const int width : {63, 64, 65, 127, 128, 129, 1025, 2048, 2049}) {
    CAPTURE(width);
    expect_all_right(variants, random_image({width, 33}, 0.8, 2, 8).view());
    expect_all_right(variants, random_image({width, 9}, 1, 1, 9).view());
  }
}

TEST_CASE("accl relabels all that has a label, in the rows above too") {
  emulation::configure({.seed = 19});
  const std::vector<CudaVariant> variants = variants_of({"accl"});
  // The teeth of a comb are joined at its foot, the last row; upside down each row has one span more.
  BitVolume comb({1101, 9}), nested({41, 21}), arms({300, 7});
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 1101; x += y == 8 ? 1 : 2) comb.set(x, y);
  for (int i = 0; i < 20; i += 2)
    for (int j = i; j < 21; ++j) nested.set(i, j), nested.set(40 - i, j);
  for (int x = 0; x < 41; ++x) nested.set(x, 20);
  for (int y = 0; y < 7; ++y)
    for (int x = y; x < 300; x += 9) arms.set(x, y), arms.set(std::min(299, x + 12 - 2 * y), y);
  for (const BitVolume* image : {&comb, &nested, &arms}) {
    expect_all_right(variants, image->view());
    expect_all_right(variants, transposed(image->view()).view());
  }
}

TEST_CASE("lines longer than a thread block are joined") {
  emulation::configure({.seed = 14});
  const std::vector<CudaVariant> variants = variants_of({"lbuf", "rcu", "ha4", "ha8", "accl"});
  expect_all_right(variants, random_image({1100, 2}, 0.97, 1, 3).view());
  expect_all_right(variants, random_image({1100, 6}, 0.97, 1, 4).view());
  expect_all_right(variants, generated("comb", {1030, 3}).view());
}

TEST_CASE("segments touch diagonally where 32 columns and strips meet") {
  emulation::configure({.seed = 15});
  const std::vector<CudaVariant> variants = variants_of({"ha4", "ha8"});
  for (int y = 0; y < 9; ++y)
    for (const int x : {31, 63}) {
      CAPTURE(x, y);
      for (const int lengths : {0b00, 0b01, 0b10, 0b11}) {
        BitVolume down({96, 10}), up({96, 10});
        for (int i = 0; i <= ((lengths & 1) != 0 ? 40 : 0); ++i)
          if (x - i >= 0) down.set(x - i, y), up.set(x - i, y + 1);
        for (int i = 0; i <= ((lengths & 2) != 0 ? 40 : 0); ++i)
          if (x + 1 + i < 96) down.set(x + 1 + i, y + 1), up.set(x + 1 + i, y);
        expect_all_right(variants, down.view());
        expect_all_right(variants, up.view());
      }
    }
}
