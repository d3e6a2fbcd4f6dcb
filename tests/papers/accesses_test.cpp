// Accesses to memory by phase, on the emulation of CUDA: where the numbers can be worked out by hand.

#include "cuda/variants.hpp"
#include "emulation.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

PhaseTimes phases_of(const std::string& name, Connectivity connectivity, BitView image) {
  for (const Algorithm& algorithm : instrumented_algorithms())
    if (algorithm.name == name) return timed_phases(*find_variant(algorithm, connectivity)->make(0), image);
  FAIL("no such algorithm");
  return {};
}

Accesses accesses(const PhaseTimes& phases, const std::string& name) {
  for (const PhaseTime& phase : phases)
    if (phase.phase == name) return phase.accesses;
  FAIL("no phase " << name);
  return {};
}

void check(const Accesses& counted, const Accesses& expected) {
  CHECK(counted.image_reads == expected.image_reads);
  CHECK(counted.reads == expected.reads);
  CHECK(counted.writes == expected.writes);
  CHECK(counted.atomics == expected.atomics);
  CHECK(counted.tile_reads == expected.tile_reads);
  CHECK(counted.tile_writes == expected.tile_writes);
  CHECK(counted.tile_atomics == expected.tile_atomics);
}

}  // namespace

TEST_CASE("a chain of three pixels is read as often as its links are long") {
  emulation::configure({.seed = 1});
  const BitVolume image = drawn({"###"});
  const PhaseTimes phases = phases_of("ke-playne", Connectivity::c4, image.view());
  // All three at once; links are stored as pairs.
  check(accesses(phases, "InitLabels"), {.image_reads = 1, .writes = 2});
  check(accesses(phases, "LabelReduction"), {.image_reads = 1});
  // Links 0 <- 1 <- 2: the pixels read 1, 2 and 3 links, the last one is linked anew. Then 1, 2 and 2.
  check(accesses(phases, "ResolveLabels"), {.image_reads = 6, .reads = 11, .writes = 1});
}

TEST_CASE("isolated blocks are read once in Compression, inline or not") {
  emulation::configure({.seed = 2});
  const BitVolume image = drawn({"#...#.", "......", "......", "......", "#...#."});
  constexpr Accesses::Count kBlocks = 9, kFilled = 4, kRowsOfBlocks = 3 * 5;
  const PhaseTimes phases = phases_of("buf", Connectivity::c8, image.view());
  check(accesses(phases, "Initialization"), {.writes = kBlocks});
  check(accesses(phases, "Compression"), {.reads = kBlocks});
  check(accesses(phases, "FinalLabeling"),
        {.image_reads = kRowsOfBlocks, .reads = kFilled, .writes = kRowsOfBlocks});
  CHECK(accesses(phases, "Merge").image_reads > kRowsOfBlocks);
  CHECK(accesses(phases, "Merge").atomics == 0);
  const PhaseTimes inline_compression = phases_of("buf-ic", Connectivity::c8, image.view());
  check(accesses(inline_compression, "Compression"), {.reads = kBlocks});
}

TEST_CASE("a pair of blocks takes one atomic operation") {
  emulation::configure({.seed = 3});
  const BitVolume image = drawn({".##."});
  // Roots are looked for once before it: one read each.
  const Accesses merge = accesses(phases_of("buf", Connectivity::c8, image.view()), "Merge");
  CHECK(merge.atomics == 1);
  CHECK(merge.reads == 2);
  // BKE links the pair without.
  const PhaseTimes bke = phases_of("bke", Connectivity::c8, image.view());
  CHECK(accesses(bke, "Reduction").atomics == 0);
  // Links 0 <- 2: one read and two, twice.
  CHECK(accesses(bke, "Compression").reads == 6);
}

TEST_CASE("coarse labeling spares a full tile all atomic operations") {
  emulation::configure({.seed = 4});
  const BitVolume image = random_image({32, 16}, 1, 1, 1);
  const auto local = [&](const char* name) {
    return accesses(phases_of(name, Connectivity::c4, image.view()), "LocalLabeling");
  };
  CHECK(local("c2fl").tile_atomics == 0);
  CHECK(local("rc2fl").tile_atomics >= 15);   // joins 16 rows
  CHECK(local("cc2fl").tile_atomics >= 31);   // joins 32 columns
  CHECK(local("nc2fl").tile_atomics >= 511);  // joins 512 pixels
  CHECK(local("c2fl").writes == 512);
  CHECK(accesses(phases_of("c2fl", Connectivity::c4, image.view()), "BoundaryMerge").atomics == 0);
}

TEST_CASE(
    "work is counted by thread block: steps along links, those of the busiest thread, atomic operations") {
  emulation::configure({.seed = 6});
  // Three tiles of 32x16; in the second, a run of 8 pixels.
  BitVolume image({96, 16, 1});
  for (int x = 40; x < 48; ++x) image.set(x, 3, 0, true);
  const auto local = [&](const char* name) {
    for (PhaseTime& phase : phases_of(name, Connectivity::c4, image.view()))
      if (phase.phase == "LocalLabeling") return std::move(phase);
    return PhaseTime();
  };
  const PhaseTime none = local("nc2fl");
  REQUIRE(none.blocks.size() == 3);
  CHECK(none.blocks_a_row == 3);
  CHECK(none.blocks[0].steps + none.blocks[0].atomics + none.blocks[2].steps + none.blocks[2].atomics == 0);
  CHECK(none.blocks[1].atomics >= 7);
  CHECK(none.blocks[1].longest <= none.blocks[1].steps);
  CHECK(none.work.blocks == 3);
  CHECK(none.work.atomics.sum == none.blocks[1].atomics);
  CHECK(none.work.atomics.most == none.blocks[1].atomics);
  CHECK(none.work.longest.most == none.blocks[1].longest);
  CHECK(none.accesses.tile_atomics == none.work.atomics.sum);
  // Coarse labeling along rows unites them without any; a thread walks 7 links at most.
  const PhaseTime coarse = local("rc2fl");
  CHECK(coarse.work.atomics.sum == 0);
  CHECK(coarse.blocks[1].longest >= 1);
  CHECK(coarse.blocks[1].longest <= 7);
}

TEST_CASE("algorithms that count label as the others do, and every phase of theirs counts") {
  emulation::configure({.seed = 5});
  const std::vector<CudaVariant> variants = cuda_variants(instrumented_algorithms());
  const BitVolume image = random_image({70, 40}, 0.5, 1, 3), volume = random_image({20, 9, 7}, 0.3, 1, 4);
  expect_all_right(variants, image.view());
  expect_all_right(variants, volume.view());
  CHECK(variants.size() + 10 == cuda_variants().size());  // all but runs and runs-bytes
  for (const CudaVariant& variant : variants) {
    INFO(variant.name << ", " << static_cast<int>(variant.connectivity) << "-connectivity");
    variant.staged()->upload((is_3d(variant.connectivity) ? volume : image).view());
    variant.staged()->allocate();
    PhaseTimes phases;
    variant.staged()->run(Numbering::provisional, &phases);
    Accesses sum;
    for (const PhaseTime& phase : phases) {
      CAPTURE(phase.phase);
      const Accesses& counted = phase.accesses;
      CHECK(counted.reads + counted.writes + counted.tile_reads > 0);
      sum += counted;
    }
    CHECK(sum.image_reads > 0);
    CHECK(sum.writes > 0);
  }
}

TEST_CASE("algorithms for use do not count") {
  const BitVolume image = drawn({"###"});
  const Algorithm& algorithm = *find_algorithm("ke-playne", DeviceKind::cuda);
  const PhaseTimes phases = timed_phases(*find_variant(algorithm, Connectivity::c4)->make(0), image.view());
  CHECK(phases.size() > 3);
  for (const PhaseTime& phase : phases) CHECK(phase.accesses.image_reads + phase.accesses.reads == 0);
}
