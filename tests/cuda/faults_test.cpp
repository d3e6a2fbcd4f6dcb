// Failing CUDA calls: errors of the right kind, no leaks, and the CPU instead of the GPU.

#include <tbb/task_arena.h>

#include "cuda/cuda.hpp"
#include "cuda/variants.hpp"
#include "cuda_runtime_api.h"
#include "emulation.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/values.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

const Algorithm& named(const std::string& name) { return *find_algorithm(name, DeviceKind::cuda); }

/// Labels with the k-th CUDA call failing, for every k, or one in kOneIn from another first one each time,
/// until none fails. visit() labels.
template <class Visit>
void for_each_failing_call(int error, bool sticky, Visit visit) {
  const emulation::Machine repair;
  static int rounds = 0;
  for (int call = 1 + rounds++ % kOneIn;; call += kOneIn) {
    INFO("error " << error << " at call " << call);
    emulation::fail_call(static_cast<std::uint64_t>(call), error, sticky);
    visit();
    const bool failed = emulation::has_failed();
    emulation::fail_call(0, cudaSuccess);
    if (!failed) return;
  }
}

}  // namespace

TEST_CASE("a failing CUDA call gives an error of its kind, wherever it happens, and leaks nothing") {
  const BitVolume image = random_image({70, 20, 3}, 0.5, 1, 1);
  const struct {
    int error;
    bool sticky;
    ErrorCode failure;
  } faults[] = {{cudaErrorMemoryAllocation, false, ErrorCode::memory},
                {cudaErrorIllegalAddress, true, ErrorCode::internal},
                {cudaErrorLaunchFailure, true, ErrorCode::internal},
                {cudaErrorLaunchTimeout, true, ErrorCode::temporary},
                {cudaErrorECCUncorrectable, true, ErrorCode::temporary},
                {cudaErrorDevicesUnavailable, false, ErrorCode::unavailable},
                {cudaErrorNoKernelImageForDevice, false, ErrorCode::unavailable}};
  for (const std::string name : {"runs", "uf", "bke"}) {
    const Variant& variant = *find_variant(named(name), Connectivity::c8);
    const Labeling expected = flood_fill(image.view(), Connectivity::c8);
    for (const auto& fault : faults)
      for_each_failing_call(fault.error, fault.sticky, [&] {
        const std::int64_t live = emulation::live_objects();
        try {
          const auto labeler = variant.make(0);
          expect_same(labeler->label(image.view()), expected);
          REQUIRE(!emulation::has_failed());
        } catch (const Error& error) {
          CAPTURE(error.what());
          REQUIRE(error.code() == fault.failure);
        }
        REQUIRE(emulation::live_objects() == live);
      });
  }
}

TEST_CASE("a labeler that ran out of memory labels the next image") {
  const BitVolume large = random_image({200, 30}, 0.5, 1, 1), small = random_image({30, 20}, 0.5, 1, 2);
  for (const CudaVariant& variant : cuda_variants())
    for_each_failing_call(cudaErrorMemoryAllocation, false, [&] {
      INFO(variant.name);
      try {
        variant.labeler->label(large.view());
      } catch (const Error& error) {
        REQUIRE(error.code() == ErrorCode::memory);
      }
      if (!emulation::has_failed()) emulation::fail_call(0, cudaSuccess);  // the next image is not to fail
      expect_same_as_flood_fill(*variant.labeler, small.view(), variant.connectivity);
    });
}

TEST_CASE("the engine goes on with the CPU, with one warning, wherever CUDA fails") {
  const BitVolume image = random_image({90, 40}, 0.5, 1, 5);
  const Labeling expected = flood_fill(image.view(), Connectivity::c8);
  for (const int error : {cudaErrorMemoryAllocation, cudaErrorIllegalAddress})
    for_each_failing_call(error, error == cudaErrorIllegalAddress, [&] {
      int warnings = 0;
      bool given_up = false;
      Engine engine({.algorithm = "bke"}, [&](const std::string&) { ++warnings; });
      for (int i = 0; i < 3; ++i) {
        // The engine's own thread may make the failing call before the first image is labeled.
        const bool failed_before = i > 0 && emulation::has_failed();
        EngineReport report;
        const Labeling labeled = engine.label(image.view(), Connectivity::c8, &report);
        expect_same(labeled, expected);
        // After the first image there is memory to give back, and to try again with.
        if (emulation::has_failed() && !failed_before)
          given_up = error != cudaErrorMemoryAllocation || i == 0;
        REQUIRE(report.device_kind == (given_up ? DeviceKind::cpu : DeviceKind::cuda));
        REQUIRE(report.algorithm == (given_up ? "runs" : "bke"));
        REQUIRE(warnings == (given_up ? 1 : 0));
      }
    });
}

TEST_CASE("threads share the GPU", "[processors]") {
  const emulation::Machine repair;
  constexpr int kThreads = 4, kImages = 5;
  Engine engine({.algorithm = "runs", .device = DeviceChoice::cuda}, nullptr);
  struct Outcome {
    BitVolume image;
    Labeling labeled;
    EngineReport report;
  };
  std::vector<Outcome> outcomes(kThreads * kImages);
  std::vector<std::thread> threads;
  const auto label_some = [&](int t) {
    for (int i = 0; i < kImages; ++i) {
      Outcome& outcome = outcomes[static_cast<std::size_t>(t * kImages + i)];
      // Volumes do not go with others.
      const bool volume = t == 2 && i % 2 == 1;
      const Extent extent = volume ? Extent{20, 9, 5} : Extent{20 + 30 * t, 10 + 9 * i, 1};
      const Connectivity connectivity = volume ? Connectivity::c26 : Connectivity::c8;
      outcome.image = random_image(extent, 0.4, 2, static_cast<std::uint32_t>(t * kImages + i));
      outcome.labeled = engine.label(outcome.image.view(), connectivity, &outcome.report);
    }
  };
  // Each alone, as in a batch; and ThreadSanitizer does not know what threads of oneTBB have agreed on.
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] { tbb::task_arena(1).execute([&] { label_some(t); }); });
  for (std::thread& thread : threads) thread.join();
  for (const Outcome& outcome : outcomes) {
    REQUIRE(outcome.report.device_kind == DeviceKind::cuda);
    expect_same(outcome.labeled, flood_fill(outcome.image.view(), outcome.report.connectivity));
  }
}

TEST_CASE("an image that the memory of the GPU is too small for is labeled there in parts") {
  const emulation::Machine repair;
  for (const auto& [extent, connectivity, mebibytes] :
       {std::tuple{Extent{4096, 2100, 1}, Connectivity::c8, std::size_t{16}},
        std::tuple{Extent{512, 128, 140}, Connectivity::c26, std::size_t{9}}}) {
    const BitVolume image = random_image(extent, 0.4, 8, 5);
    const Labeling expected = runs_on_cpu(connectivity)->label(image.view());
    int warnings = 0;
    Engine engine({.algorithm = "runs", .device = DeviceChoice::cuda},
                  [&](const std::string&) { ++warnings; });
    emulation::set_memory(mebibytes << 20);
    const std::uint64_t before = emulation::early_launches();
    EngineReport report;
    const Labeling labeled = engine.label(image.view(), connectivity, &report);
    REQUIRE(emulation::early_launches() - before > 5);  // of one part
    REQUIRE(report.device_kind == DeviceKind::cuda);
    REQUIRE(report.connectivity == connectivity);
    REQUIRE(warnings == 0);

    // All labels are here: nothing more is asked of the GPU.
    emulation::fail_call(1, cudaErrorECCUncorrectable, true);
    REQUIRE(labeled.components == expected.components);
    REQUIRE(compare(*labeled.labels, *expected.labels).same_numbers);
    REQUIRE(!emulation::has_failed());
    emulation::fail_call(0, cudaSuccess);
    emulation::set_memory(SIZE_MAX);
  }

  const BitVolume image = random_image({4096, 2100}, 0.4, 8, 5);
  Engine engine({.algorithm = "runs", .device = DeviceChoice::cuda}, nullptr);
  emulation::set_memory(std::size_t{1} << 20);
  REQUIRE(error_code_of([&] { engine.label(image.view(), Connectivity::c8); }) == ErrorCode::memory);
}

TEST_CASE("values that the memory of the GPU is too small for are refused, and the next image is labeled") {
  const emulation::Machine repair;
  Engine engine({.device = DeviceChoice::cuda}, nullptr);
  const auto label = [&](Extent extent) {
    ValueImage image(extent, ValueType::u8);
    const std::vector<std::byte> row(static_cast<std::size_t>(extent.width), std::byte{7});
    for (std::int64_t i = 0; i < extent.rows(); ++i) image.add_rows(i, 1, row.data());
    return engine.label_values(std::move(image), Connectivity::c8).labeled.components.size();
  };
  emulation::set_memory(std::size_t{1} << 20);
  REQUIRE(error_code_of([&] { label({2048, 2048}); }) == ErrorCode::memory);
  emulation::set_memory(SIZE_MAX);
  REQUIRE(label({300, 200}) == 1);
}

TEST_CASE("memory that other labelers hold is given back before an image is refused") {
  const emulation::Machine repair;
  const BitVolume image = random_image({300, 200}, 0.5, 1, 5);
  const EngineOptions on_gpu{.algorithm = "bke", .device = DeviceChoice::cuda};
  constexpr Connectivity kBoth[] = {Connectivity::c26, Connectivity::c8};
  const auto each_fits_alone = [&](std::size_t memory) {
    emulation::set_memory(memory);
    return std::all_of(std::begin(kBoth), std::end(kBoth), [&](Connectivity connectivity) {
      try {
        Engine(on_gpu, nullptr).label(image.view(), connectivity);
        return true;
      } catch (const Error&) {
        return false;
      }
    });
  };
  std::size_t memory = 1 << 16;
  while (!each_fits_alone(memory)) memory += 1 << 16;  // so that both do not
  Engine engine(on_gpu, nullptr);
  for (const Connectivity connectivity : kBoth)
    expect_same(engine.label(image.view(), connectivity), flood_fill(image.view(), connectivity));
}

TEST_CASE("sums that the memory of the GPU is too small for are left to the host") {
  const emulation::Machine repair;
  const BitVolume image = random_image({300, 200}, 0.1, 1, 5);  // a thousand components
  const SumsLayout wanted{.moments = 0, .crofton = 3, .words = 7};
  constexpr Connectivity kConnectivity = Connectivity::c8;
  const auto label = [&](std::size_t memory, const SumsLayout& gathered) -> std::optional<Labeling> {
    emulation::set_memory(memory);
    try {
      return Engine({.algorithm = "runs", .device = DeviceChoice::cuda}, nullptr)
          .label(image.view(), kConnectivity, nullptr, gathered);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::memory) throw;
      return std::nullopt;
    }
  };
  std::size_t memory = 1 << 16;
  while (!label(memory, {})) memory += 1 << 12;
  const std::optional<Labeling> without_sums = label(memory, wanted);
  REQUIRE(without_sums);
  REQUIRE(without_sums->sums.words.empty());
  expect_same(*without_sums, flood_fill(image.view(), kConnectivity));
  const std::optional<Labeling> with_sums = label(SIZE_MAX, wanted);
  REQUIRE(with_sums->sums.words.size() ==
          with_sums->components.size() * static_cast<std::size_t>(wanted.words));
}

TEST_CASE("option --device cuda passes the failure on") {
  const emulation::Machine repair;
  const BitVolume image = random_image({90, 40}, 0.5, 1, 5);
  Engine engine({.algorithm = "bke", .device = DeviceChoice::cuda}, nullptr);
  engine.label(image.view(), Connectivity::c8);
  emulation::fail_call(1, cudaErrorMemoryAllocation, true);
  const BitVolume larger = random_image({900, 40}, 0.5, 1, 5);
  REQUIRE(error_code_of([&] { engine.label(larger.view(), Connectivity::c8); }) == ErrorCode::memory);
}

TEST_CASE("machines without a usable GPU are told apart") {
  const emulation::Machine repair;
  const auto problem = [](int devices, int driver) {
    emulation::set_machine(devices, driver);
    return cuda_status().problem;
  };
  REQUIRE(problem(1, 13000).empty());
  REQUIRE(problem(1, 0) == "no NVIDIA driver is installed");
  REQUIRE_THAT(problem(0, 13000), containing("no CUDA-capable device"));

  emulation::set_machine(2, 13000);
  const CudaStatus status = cuda_status();
  REQUIRE(status.devices.size() == 2);
  REQUIRE(status.devices[1].index == 1);
  REQUIRE(status.driver_version == "13.0");
  REQUIRE(error_code_of([] { cuda::start_up(2); }) == ErrorCode::unavailable);
  REQUIRE(error_code_of([] { cuda::start_up(-1); }) == ErrorCode::unavailable);
}

TEST_CASE("an image with more elements than links can name is refused before memory is asked for") {
  // Nothing of such an image is read, so it need not exist.
  const std::uint32_t word = 0;
  const BitView image{&word, {1 << 16, 1 << 16, 1}, words_per_row(1 << 16)};
  for (const CudaVariant& variant : cuda_variants()) {
    if (variant.name.starts_with("runs")) continue;  // have wider links for such images
    INFO(variant.name);
    REQUIRE(error_code_of([&] { variant.labeler->label(image); }) == ErrorCode::usage);
    REQUIRE_THROWS_WITH(variant.labeler->label(image), containing("--algo auto"));
  }
}

TEST_CASE("an image whose sums of coordinates may pass 64 bits is left to be labeled in parts") {
  const std::uint32_t word = 0;
  const BitView image{&word, {INT32_MAX, 16, 1}, words_per_row(INT32_MAX)};
  for (const std::string name : {"runs", "runs-bytes"}) {
    const auto labeler = find_variant(named(name), Connectivity::c8)->make(0);
    REQUIRE(error_code_of([&] { labeler->label(image); }) == ErrorCode::memory);
    REQUIRE_THROWS_WITH(labeler->label(image), containing("sums of coordinates"));
  }
}
