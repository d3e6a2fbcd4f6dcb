// Memory bounds of algorithms, compared with what they allocate.

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <new>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/surfaces.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

std::atomic<std::int64_t> held = 0, peak = 0;

constexpr std::size_t kHead = alignof(std::max_align_t);  // before each block, its size

/// The most that was held at once while `work` was done, beyond what was held before.
template <class Work>
std::int64_t peak_of(Work work) {
  const std::int64_t before = held;
  peak = before;
  work();
  return peak - before;
}

BitVolume image_of(const std::string& kind, Extent extent) {
  if (kind == "dots") return generated(kind, extent);
  BitVolume image(extent);
  for (std::int64_t row = 0; row < extent.rows(); ++row)
    for (int x = 0; x < extent.width; x += kind == "stripes" ? 2 : 1)
      image.row(row)[x / 32] |= 1u << (x % 32);
  return image;
}

}  // namespace

void* operator new(std::size_t size) {
  void* const block = std::malloc(size + kHead);
  if (block == nullptr) throw std::bad_alloc();
  *static_cast<std::size_t*>(block) = size;
  const std::int64_t now = held += static_cast<std::int64_t>(size);
  for (std::int64_t was = peak; was < now && !peak.compare_exchange_weak(was, now);) {
  }
  return static_cast<char*>(block) + kHead;
}
void operator delete(void* at) noexcept {
  if (at == nullptr) return;
  void* const block = static_cast<char*>(at) - kHead;
  held -= static_cast<std::int64_t>(*static_cast<std::size_t*>(block));
  std::free(block);
}
void operator delete(void* at, std::size_t) noexcept { operator delete(at); }

TEST_CASE("no image takes more memory than an algorithm says, and the worst of `runs` about that") {
  constexpr std::int64_t kElse = 100000;  // strips, tasks, objects
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.device != DeviceKind::cpu) continue;
    for (const Variant& variant : algorithm.variants)
      for (const Extent extent : {Extent{301, 201, 1}, Extent{1, 1001, 1}, Extent{41, 30, 21}})
        for (const std::string kind : {"dots", "stripes", "full"}) {
          INFO(algorithm.name << ", " << static_cast<int>(variant.connectivity) << "-connectivity, " << kind
                              << " " << to_string(extent));
          const BitVolume image = image_of(kind, extent);
          Labeling labeled = variant.make(0)->label(image.view());  // oneTBB keeps some for itself
          labeled = {};
          const auto labeler = variant.make(0);
          const std::int64_t taken = peak_of([&] { labeled = labeler->label(image.view()); });
          const auto components =
              static_cast<std::int64_t>(labeled.components.size() * Components::kBytesEach);
          const std::int64_t allowed = host_workspace_bytes(algorithm, variant.connectivity, extent);
          CHECK(taken <= allowed + 3 * components + kElse);
          if (algorithm.name == "runs" && kind == "stripes" && extent.width > 1)
            CHECK(taken + kElse >= allowed / 2);
        }
  }
}

TEST_CASE("components that pass through many strips take no more memory than the runs that they are of") {
  constexpr std::int64_t kElse = 1000000;  // strips, tasks, objects
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena(4).execute([] {
    for (const Extent extent : {Extent{40000, 100, 1}, Extent{4000, 20, 60}}) {
      const Connectivity connectivity = extent.depth > 1 ? Connectivity::c26 : Connectivity::c8;
      const BitVolume image = image_of("stripes", extent);
      const Algorithm& runs = *find_algorithm("runs", DeviceKind::cpu);
      const auto labeler = find_variant(runs, connectivity)->make(0);
      Labeling labeled = labeler->label(image.view());  // oneTBB keeps some for itself
      labeled = {};
      const std::int64_t taken = peak_of([&] { labeled = labeler->label(image.view()); });
      REQUIRE(labeled.components.size() == static_cast<std::size_t>(extent.width / 2));
      const auto components = static_cast<std::int64_t>(labeled.components.size() * Components::kBytesEach);
      CHECK(taken <= host_workspace_bytes(runs, connectivity, extent) + components + kElse);
    }
  });
}

TEST_CASE("a GPU algorithm has the CPU workspace of `runs`") {
  const Extent extent{1000, 1000, 3};
  CHECK(host_workspace_bytes(*find_algorithm("bke", DeviceKind::cuda), Connectivity::c8, extent) ==
        host_workspace_bytes(*find_algorithm("runs", DeviceKind::cpu), Connectivity::c8, extent));
  // Two of 4 bytes for every second element of a pair of rows, and what goes by rows.
  CHECK(host_workspace_bytes(*find_algorithm("runs", DeviceKind::cpu), Connectivity::c8, extent) >
        2 * 3000000);
}

TEST_CASE("distances of many small pairs take no more memory than allowed, with any number of threads") {
  constexpr int kCount = 24, kSide = 60;
  LabelImage truth({kSide, kSide, kCount * kSide}, kCount), prediction(truth.extent(), kCount);
  std::vector<Match> pairs;
  for (std::int64_t i = 0; i < truth.extent().elements(); ++i) {
    const std::int64_t x = i % kSide, z = i / (kSide * kSide);
    const auto object = static_cast<Label>(z / kSide + 1);
    truth.data()[i] = x == 0 && z % kSide % 7 == 0 ? object : 0;
    prediction.data()[i] = x == kSide - 1 && z % kSide % 3 == 0 ? object : 0;  // far
  }
  for (std::uint32_t i = 0; i < kCount; ++i) pairs.push_back({i, i, 0});
  std::vector<SurfaceDistances> expected;
  for (const std::int64_t max_bytes : {std::int64_t{1} << 40, std::int64_t{8} << 20, std::int64_t{2} << 20})
    for (const int threads : {1, 4, 16}) {
      const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                        static_cast<std::size_t>(threads));
      tbb::task_arena(threads).execute([&] {
        CAPTURE(max_bytes, threads);
        std::vector<SurfaceDistances> found;
        const std::int64_t taken =
            peak_of([&] { found = Surfaces(truth, prediction, {.max_bytes = max_bytes}).of_matches(pairs); });
        CHECK(taken <= max_bytes + 200'000);
        if (expected.empty()) expected = found;
        for (std::size_t i = 0; i < kCount; ++i) CHECK(found[i].assd == expected[i].assd);
      });
    }
}
