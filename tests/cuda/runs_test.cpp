// The fast engine on the emulation of CUDA: its formulas for words, and images that cross the edges of its
// tiles.

#include <cuda_runtime.h>

#include "cuda/runs/host/labeler.cuh"
#include "cuda/variants.hpp"
#include "emulation.hpp"
#include "gpuccl/algorithms.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;
using cuda::runs::Word;

namespace {

std::unique_ptr<Labeler> runs_on(DeviceKind device, Connectivity connectivity) {
  return find_variant(*find_algorithm("runs", device), connectivity)->make(0);
}

/// Compares the engine with the CPU's at every connectivity.
class Engines {
 public:
  Engines() {
    for (const Connectivity connectivity : kConnectivities) {
      on_gpu_.push_back(runs_on(DeviceKind::cuda, connectivity));
      on_cpu_.push_back(runs_on(DeviceKind::cpu, connectivity));
    }
  }

  void expect_same(BitView image) {
    for (std::size_t i = 0; i < on_gpu_.size(); ++i) {
      INFO(static_cast<int>(kConnectivities[i]) << "-connectivity, " << to_string(image.extent));
      const Labeling expected = on_cpu_[i]->label(image);
      tests::expect_same(on_gpu_[i]->label(image), expected);
      expect_image(dynamic_cast<StagedLabeler&>(*on_gpu_[i]), image, expected);
    }
  }

 private:
  std::vector<std::unique_ptr<Labeler>> on_gpu_, on_cpu_;
};

bool bit(Word word, int i) { return (word >> i & 1u) != 0; }

/// Words of every density.
Word random_word(std::mt19937& random) {
  const auto next = [&] { return static_cast<Word>(random()); };
  const Word a = next(), b = next(), c = next();
  switch (random() % 4) {
    case 0:
      return a;
    case 1:
      return a & b;
    case 2:
      return a | b;
    default:
      return a & b & c;
  }
}

}  // namespace

TEST_CASE("pieces of a word are numbered from its lowest bit") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const Word word = random_word(random);
    const Word starts = cuda::runs::piece_starts(word);
    int piece = -1;
    Word elements = 0;
    for (int i = 0; i < 32; ++i) {
      if (!bit(word, i)) continue;
      if (i == 0 || !bit(word, i - 1)) {
        ++piece;
        REQUIRE(bit(starts, i));
        elements = 0;
        for (int j = i; j < 32 && bit(word, j); ++j) elements |= 1u << j;
        REQUIRE(cuda::runs::whole_piece(word, 1u << i) == elements);
      } else {
        REQUIRE(!bit(starts, i));
      }
      REQUIRE(cuda::runs::piece_at(starts, i) == piece);
      REQUIRE((cuda::runs::last_start(starts & cuda::runs::up_to(i)) & elements & starts) != 0);
      if (i < 31 && !bit(word, i + 1)) REQUIRE(cuda::runs::piece_at(starts, i + 1) == piece);
    }
  }
}

TEST_CASE("nonzero bytes become bits") {
  for (std::uint32_t byte = 0; byte < 256; ++byte)
    for (int i = 0; i < 4; ++i) {
      REQUIRE(cuda::runs::pack_bytes(byte << 8 * i) == (byte != 0 ? 1u << i : 0));
      REQUIRE(cuda::runs::pack_bytes(~(byte << 8 * i)) == (byte == 255 ? 15 ^ 1u << i : 15));
    }
}

TEST_CASE("contacts name every pair of pieces that touch, and no other") {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    const bool diagonal = round % 2 == 0;
    const Word a = random_word(random), b = random_word(random);
    const Word starts_a = cuda::runs::piece_starts(a), starts_b = cuda::runs::piece_starts(b);
    const Word touching = diagonal ? cuda::runs::touching_corners(a, b) : a & b;
    const Word contacts = cuda::runs::contacts_of_pieces(touching, starts_a, starts_b);

    bool expected[16][16]{}, found[16][16]{};
    for (int i = 0; i < 32; ++i)
      for (int j = 0; j < 32; ++j)
        if (bit(a, i) && bit(b, j) && std::abs(i - j) <= (diagonal ? 1 : 0))
          expected[cuda::runs::piece_at(starts_a, i)][cuda::runs::piece_at(starts_b, j)] = true;
    for (int i = 0; i < 32; ++i)
      if (bit(contacts, i))
        found[cuda::runs::piece_at(starts_a, i)][cuda::runs::piece_at(starts_b, i)] = true;
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) REQUIRE(found[i][j] == expected[i][j]);
  }
}

TEST_CASE("a contact with a witness anywhere along it is dropped") {
  std::mt19937 random(3);
  for (int round = 0; round < 4000; ++round) {
    const Word a = random_word(random), b = random_word(random), witnesses = random_word(random);
    const Word touching = cuda::runs::touching_corners(a, b);
    const Word contacts =
        cuda::runs::contacts_of_pieces(touching, cuda::runs::piece_starts(a), cuda::runs::piece_starts(b));
    Word expected = 0;
    for (int i = 0; i < 32; ++i) {
      if (!bit(contacts, i)) continue;
      bool dropped = false;
      for (int j = i; j < 32 && bit(touching, j) && (j == i || !bit(contacts, j)); ++j)
        dropped = dropped || bit(witnesses, j);
      if (!dropped) expected |= 1u << i;
    }
    REQUIRE(cuda::runs::without_witnesses(contacts, touching, witnesses) == expected);
  }
}

TEST_CASE("runs on CUDA labels images of every width") {
  Engines engines;
  for (int width = 1; width <= 300; width += kOneIn) {
    emulation::configure({.seed = static_cast<std::uint32_t>(width)});
    const Extent extent{width, 1 + width % 5, width % 8 == 0 ? 3 : 1};
    engines.expect_same(random_image(extent, 0.3 + 0.1 * (width % 5), 1, 7).view());
  }
}

TEST_CASE("runs on CUDA labels every pattern across the edges of tiles") {
  Engines engines;
  std::uint32_t seed = 0;
  // Tiles are 256 x 64 and 256 x 32 elements in 2D, 256 x 16 x 16 and 128 x 16 x 8 in 3D.
  for (const Extent extent :
       {Extent{257, 65, 1}, Extent{530, 66, 1}, Extent{129, 18, 10}, Extent{258, 17, 17}})
    for (const NamedImage& named : every_pattern(extent)) {
      if (++seed % kOneIn != 0) continue;
      emulation::configure({.seed = seed, .switch_one_in = seed % 4 == 0 ? 20u : 0u});
      INFO(named.name);
      engines.expect_same(named.image.view());
    }
}

TEST_CASE("runs on CUDA measures tiles with thousands of components of two pieces") {
  Engines engines;
  std::uint32_t seed = 0;
  for (const Extent extent : {Extent{300, 70, 1}, Extent{130, 20, 18}}) {
    emulation::configure({.seed = ++seed});
    BitVolume image(extent);
    for (int z = 0; z < extent.depth; z += 2)
      for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; x += 2)
          if (y % 4 == 0 || y % 4 == 3) image.set(x, y, z);  // across the edges of bundles, and of tiles
    engines.expect_same(image.view());
    engines.expect_same(random_image(extent, 0.1, 1, seed).view());
    engines.expect_same(random_image(extent, 0.4, 1, seed).view());
  }
}

TEST_CASE("runs on CUDA gives the same labels with links of 64 bits") {
  const auto check = [](StagedLabeler& wide, Connectivity connectivity, Extent extent) {
    for (std::uint32_t seed = 1; seed <= 12; seed += kOneIn) {
      emulation::configure({.seed = seed});
      const BitVolume image = random_image(extent, 0.08 * seed, 1, seed);
      const auto on_cpu = runs_on(DeviceKind::cpu, connectivity);
      const Labeling expected = on_cpu->label(image.view());
      expect_same(wide.label(image.view()), expected);
      expect_image(wide, image.view(), expected);
    }
  };
  using cuda::runs::LinkWidth;
  cuda::runs::RunsLabeler<Connectivity::c8> flat(0, Connectivity::c8, LinkWidth::wide);
  check(flat, Connectivity::c8, {290, 70, 1});
  cuda::runs::RunsLabeler<Connectivity::c26> deep(0, Connectivity::c26, LinkWidth::wide);
  check(deep, Connectivity::c26, {270, 20, 18});
}

TEST_CASE("runs on CUDA gives the same labels with thread blocks on several processors", "[processors]") {
  Engines engines;
  for (std::uint32_t seed = 1; seed <= 6; seed += kOneIn) {
    emulation::configure({.seed = seed, .host_threads = 3, .switch_one_in = 50});
    engines.expect_same(random_image({200, 50, 1}, 0.15 * seed, 1 + static_cast<int>(seed % 3), seed).view());
    engines.expect_same(random_image({100, 15, 7}, 0.05 * seed, 1 + static_cast<int>(seed % 2), seed).view());
  }
}
