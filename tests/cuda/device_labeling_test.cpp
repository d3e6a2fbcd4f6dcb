// label_on_device() on the emulation of CUDA, where streams do nothing until somebody waits.

#include "cuda/device_case.hpp"
#include "cuda/runs/host/device_call.cuh"
#include "cuda/variants.hpp"
#include "emulation.hpp"
#include "gpuccl/device.hpp"
#include "gpuccl/gpuccl.h"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;
using Format = DeviceImage::Format;
using Place = CudaMemory::Place;

namespace {

void expect_as_flood_fill(const BitVolume& image, Connectivity connectivity, const DeviceLayout& layout) {
  INFO(static_cast<int>(connectivity)
       << "-connectivity, " << to_string(image.extent()) << ", "
       << (layout.format == Format::bits ? "bits" : "bytes") << " from " << layout.image_offset
       << " padded by " << layout.row_pad << " and " << layout.slice_pad << ", " << (layout.narrow ? 2 : 4)
       << "-byte labels from " << layout.label_offset << " padded by " << layout.label_row_pad << " and "
       << layout.label_slice_pad);
  expect_on_device(image, connectivity, layout, flood_fill(image.view(), connectivity));
}

template <class T>
T* moved(T* at, std::ptrdiff_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(at) + bytes);
}

/// A case with a workspace, and an image to put in.
struct Set {
  DeviceCase one;
  CudaMemory workspace;
  Connectivity connectivity;

  Set(Extent extent, Connectivity wanted)
      : one(extent, {}, 10000),
        workspace(Place::device, device_workspace_bytes(extent, wanted)),
        connectivity(wanted) {}
  void label(const CudaStream& stream) { one.label(connectivity, workspace, stream); }
  void expect(const BitVolume& image) const { one.expect(flood_fill(image.view(), connectivity)); }
};

}  // namespace

TEST_CASE("images on the device are labeled in every layout") {
  std::mt19937 random(1);
  std::uint32_t seed = 0;
  for (const Extent extent : {Extent{1, 1, 1}, Extent{31, 3, 1}, Extent{32, 5, 2}, Extent{64, 70, 1},
                              Extent{65, 9, 3}, Extent{257, 66, 1}, Extent{256, 17, 9}, Extent{300, 18, 17}})
    for (const Connectivity connectivity : kConnectivities)
      for (int round = 0; round < 3; ++round) {
        emulation::configure({.seed = ++seed, .switch_one_in = seed % 4 == 0 ? 20u : 0u});
        const double density = 0.1 + 0.1 * (seed % 7);
        DeviceLayout layout = random_layout(random);
        if (extent.width % 32 == 0 && round > 0)  // rows that are read where they are
          layout = {.format = round == 1 ? Format::bits : Format::bytes};
        expect_as_flood_fill(random_image(extent, density, 1, seed), connectivity, layout);
      }
}

TEST_CASE("every pattern is labeled on the device") {
  std::mt19937 random(2);
  std::uint32_t seed = 0;
  for (const Extent extent : {Extent{257, 65, 1}, Extent{130, 18, 10}})
    for (const NamedImage& named : every_pattern(extent)) {
      if (++seed % static_cast<unsigned>(kOneIn) != 0) continue;
      INFO(named.name);
      for (const Connectivity connectivity : kConnectivities)
        expect_as_flood_fill(named.image, connectivity, random_layout(random));
    }
}

TEST_CASE("labels on the device are the same with links of 64 bits") {
  emulation::configure({});
  using cuda::runs::LinkWidth;
  const Extent extent{290, 20, 18};
  const BitVolume image = random_image(extent, 0.2, 1, 5);
  const CudaStream stream;
  DeviceCase one(extent, {}, 10000);
  const auto check = [&]<Connectivity connectivity>() {
    const std::size_t bytes = cuda::runs::workspace_bytes<connectivity>(extent, LinkWidth::wide);
    CHECK(bytes > device_workspace_bytes(extent, connectivity));
    const CudaMemory workspace(Place::device, bytes);
    one.upload(image, stream);
    cuda::runs::enqueue<connectivity>({one.image(), one.result(), workspace.data(), stream.get()},
                                      LinkWidth::wide);
    one.download(stream);
    stream.wait();
    one.expect(flood_fill(image.view(), connectivity));
  };
  check.operator()<Connectivity::c8>();
  check.operator()<Connectivity::c26>();
}

TEST_CASE("labels that two bytes do not hold are the largest that these do") {
  emulation::configure({});
  const Extent extent{520, 520, 1};
  BitVolume image(extent);
  for (int y = 0; y < extent.height; y += 2)
    for (int x = 0; x < extent.width; x += 2) image.set(x, y);  // 67600 components
  for (const int offset : {0, 1}) {
    DeviceLayout layout;
    layout.narrow = true;
    layout.label_offset = offset;
    expect_as_flood_fill(image, Connectivity::c8, layout);
  }
}

TEST_CASE("a device labels in the order of the stream, and nothing before somebody waits") {
  emulation::configure({});
  const Extent extent{100, 20, 3};
  Set set(extent, Connectivity::c26);
  DeviceCase second(extent, {}, 10000);
  const CudaStream stream;
  const BitVolume before = random_image(extent, 0.2, 1, 1), after = random_image(extent, 0.5, 2, 2);
  set.one.upload(before, stream);
  set.label(stream);
  set.one.download(stream);
  second.upload(after, stream);
  second.label(set.connectivity, set.workspace, stream);  // in the same workspace
  second.download(stream);
  CHECK(!set.one.is_downloaded());
  CHECK(!second.is_downloaded());
  stream.wait();
  set.expect(before);
  second.expect(flood_fill(after.view(), set.connectivity));
}

TEST_CASE("two streams label at once") {
  emulation::configure({.switch_one_in = 30});
  Set a({130, 70, 1}, Connectivity::c4), b({70, 20, 12}, Connectivity::c18);
  const CudaStream stream_a, stream_b;
  for (std::uint32_t round = 0; round < 4; ++round) {
    const BitVolume image_a = random_image({130, 70, 1}, 0.5, 1, round);
    const BitVolume image_b = random_image({70, 20, 12}, 0.2, 1, round);
    a.one.upload(image_a, stream_a);
    b.one.upload(image_b, stream_b);
    a.label(stream_a);
    b.label(stream_b);
    a.one.download(stream_a);
    b.one.download(stream_b);
    bool working = true;
    while (working) {  // a piece of work of each in turn
      working = cudaStreamQuery(stream_a.get()) == cudaErrorNotReady;
      working = cudaStreamQuery(stream_b.get()) == cudaErrorNotReady || working;
    }
    cudaGetLastError();
    a.expect(image_a);
    b.expect(image_b);
  }
}

TEST_CASE("a captured graph labels the contents of the image when it runs") {
  emulation::configure({});
  for (const auto& [extent, connectivity] :
       {std::pair{Extent{130, 70, 1}, Connectivity::c8}, std::pair{Extent{64, 20, 12}, Connectivity::c6}}) {
    Set set(extent, connectivity);
    const CudaStream stream;
    const CapturedGraph first(stream, [&] { set.label(stream); });
    const CapturedGraph second(stream, [&] { set.label(stream); });
    for (std::uint32_t round = 0; round < 4; ++round) {
      const BitVolume image = random_image(extent, 0.2 + 0.2 * round, 1, round);
      set.one.upload(image, stream);
      (round % 2 == 0 ? first : second).launch(stream);
      set.one.download(stream);
      stream.wait();
      set.expect(image);
    }
  }
}

TEST_CASE("labeling on a device allocates nothing and leaves nothing behind") {
  emulation::configure({});
  const Extent extent{100, 20, 3};
  Set set(extent, Connectivity::c26);
  const CudaStream stream;
  const BitVolume image = random_image(extent, 0.3, 1, 1);
  const auto allocations = emulation::allocations();
  const auto live = emulation::live_objects();
  for (int i = 0; i < 3; ++i) {
    set.one.upload(image, stream);
    set.label(stream);
    set.one.download(stream);
    stream.wait();
    set.expect(image);
  }
  CHECK(emulation::allocations() == allocations);
  CHECK(emulation::live_objects() == live);
}

TEST_CASE("labeling on a device makes no device current") {
  const emulation::Machine two(2);
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  const Extent extent{100, 20, 1};
  Set set(extent, Connectivity::c8);
  const CudaStream stream;
  const BitVolume image = random_image(extent, 0.3, 1, 1);
  set.one.upload(image, stream);
  set.label(stream);
  set.one.download(stream);
  int current = 0;
  CHECK(cudaGetDevice(&current) == cudaSuccess);
  CHECK(current == 1);
  CHECK(emulation::devices_in_use() == std::set{1});
  stream.wait();
  set.expect(image);

  REQUIRE(cudaSetDevice(0) == cudaSuccess);  // which is not the stream's
  CHECK(error_code_of([&] { set.label(stream); }) == ErrorCode::internal);
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
}

TEST_CASE("each result can be left out") {
  emulation::configure({});
  const Extent extent{70, 20, 3};
  const BitVolume image = random_image(extent, 0.3, 1, 1);
  const Connectivity connectivity = Connectivity::c26;
  const Labeling expected = flood_fill(image.view(), connectivity);
  const CudaMemory workspace(Place::device, device_workspace_bytes(extent, connectivity));
  const CudaStream stream;
  for (int part = 0; part < 3; ++part) {
    DeviceCase one(extent, {}, 10000);
    one.upload(image, stream);
    for (const bool wanted : {false, true}) {  // what was left out by the first call, the second adds
      DeviceResult result = one.result();
      if ((part == 0) == wanted) result.labels = {};
      if ((part == 1) == wanted) result.count = nullptr;
      if ((part == 2) == wanted) result.components = nullptr;
      label_on_device(one.image(), connectivity, result, workspace.data(), workspace.size(), stream.get());
    }
    one.download(stream);
    stream.wait();
    one.expect(expected);
  }
}

TEST_CASE("an image without elements has no components, and needs no memory") {
  const CudaStream stream;
  const CudaMemory count(Place::device, 8), host_count(Place::host, 8);
  for (const Extent extent : {Extent{0, 5, 1}, Extent{5, 0, 1}, Extent{5, 5, 0}})
    for (const Connectivity connectivity : kConnectivities) {
      CHECK(device_workspace_bytes(extent, connectivity) == 0);
      REQUIRE(cudaMemsetAsync(count.data(), 0xcd, 8, stream.get()) == cudaSuccess);
      DeviceImage image;
      image.extent = extent;
      DeviceResult result;
      result.count = reinterpret_cast<unsigned long long*>(count.data());
      if (connectivity == Connectivity::c8)
        DeviceLabeler("ole", connectivity).label(image, {}, result.count, stream.get());
      else
        label_on_device(image, connectivity, result, nullptr, 0, stream.get());
      REQUIRE(cudaMemcpyAsync(host_count.data(), count.data(), 8, cudaMemcpyDeviceToHost, stream.get()) ==
              cudaSuccess);
      stream.wait();
      CHECK(*reinterpret_cast<const unsigned long long*>(host_count.data()) == 0);
    }
}

TEST_CASE("a workspace for an extent does for those that are longer along no axis") {
  for (const Connectivity connectivity : kConnectivities) {
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
      const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
      const Extent large{1 + below(3000), 1 + below(3000), 1 + below(100)};
      const Extent small{1 + below(large.width), 1 + below(large.height), 1 + below(large.depth)};
      REQUIRE(device_workspace_bytes(small, connectivity) <= device_workspace_bytes(large, connectivity));
    }
  }
  const auto per_element = [](Extent extent, Connectivity connectivity) {
    return static_cast<double>(device_workspace_bytes(extent, connectivity)) /
           static_cast<double>(extent.elements());
  };
  const Extent flat{8192, 8192, 1}, deep{512, 512, 512};  // as device.hpp says
  CHECK(per_element(deep, Connectivity::c26) == Approx(0.8).margin(0.05));
  CHECK(per_element(flat, Connectivity::c8) == Approx(1.3).margin(0.05));
  CHECK(per_element(flat, Connectivity::c4) == Approx(2.4).margin(0.06));
  CHECK(per_element(deep, Connectivity::c6) == Approx(2.4).margin(0.06));
}

TEST_CASE("arguments that cannot be are refused before anything is enqueued") {
  emulation::configure({});
  const Extent extent{100, 20, 3};
  Set set(extent, Connectivity::c26);
  const CudaStream stream;
  struct Call {
    DeviceImage image;
    DeviceResult result;
    std::byte* workspace;
    std::size_t bytes;
    Connectivity connectivity;
  };
  auto* const words = std::get<std::uint32_t*>(set.one.result().labels.data);
  const std::function<void(Call&)> wrong[] = {
      [](Call& call) { --call.bytes; },
      [](Call& call) { call.workspace = nullptr; },
      [](Call& call) { call.workspace += 16; },
      [](Call& call) { call.image.data = nullptr; },
      [](Call& call) { call.image.extent.width = -1; },
      [](Call& call) { call.image.row_pitch = 99; },
      [](Call& call) { call.image.row_pitch = -100; },
      [](Call& call) { call.image.row_pitch = INT64_MAX / 4; },
      [](Call& call) { call.image.slice_pitch = 1999; },
      [](Call& call) { call.image.format = Format(7); },
      [](Call& call) { call.connectivity = Connectivity(7); },
      [](Call& call) { call.result.labels.row_pitch = 398; },
      [](Call& call) { call.result.labels.row_pitch = 402; },
      [](Call& call) { call.result.labels.slice_pitch = 8002; },
      [&](Call& call) { call.result.labels.data = moved(words, 2); },
      [](Call& call) { call.result.count = moved(call.result.count, 4); },
      [](Call& call) { call.result.components = moved(call.result.components, 8); }};
  for (const auto& change : wrong) {
    CAPTURE(&change - wrong);
    Call call{set.one.image(), set.one.result(), set.workspace.data(), set.workspace.size(),
              set.connectivity};
    change(call);
    const auto calls = emulation::calls();
    CHECK(error_code_of([&] {
            label_on_device(call.image, call.connectivity, call.result, call.workspace, call.bytes,
                            stream.get());
          }) == ErrorCode::usage);
    CHECK(emulation::calls() == calls);
  }
}

TEST_CASE("images that no device could label are refused") {
  const auto refused = [](Extent extent, Connectivity connectivity) {
    return error_code_of([&] { device_workspace_bytes(extent, connectivity); });
  };
  constexpr int kLongest = INT32_MAX;
  for (const Connectivity connectivity : kConnectivities) {
    CHECK(refused({kLongest, kLongest, kLongest}, connectivity) == ErrorCode::memory);
    CHECK(refused({1, kLongest, kLongest}, connectivity) == ErrorCode::memory);
    CHECK(refused({-1, 1, 1}, connectivity) == ErrorCode::usage);
  }
  // As many components as labels have numbers, and one less.
  CHECK(refused({1 << 16, 1 << 16, 1}, Connectivity::c4) == ErrorCode::memory);
  CHECK(device_workspace_bytes({1 << 16, (1 << 16) - 1, 1}, Connectivity::c4) > 0);
  CHECK(device_workspace_bytes({1 << 16, 1 << 16, 1}, Connectivity::c8) > 0);
  CHECK(device_workspace_bytes({2048, 2048, 1024}, Connectivity::c26) > 0);
}

TEST_CASE("an error of CUDA is thrown, and the next call is right") {
  emulation::configure({});
  const Extent extent{100, 20, 3};
  Set set(extent, Connectivity::c26);
  const CudaStream stream;
  const BitVolume image = random_image(extent, 0.3, 1, 1);
  const auto before = emulation::calls();
  set.label(stream);
  const auto calls = emulation::calls() - before;
  CHECK(calls == 7);  // packing, four phases, components stored and gathered
  for (std::uint64_t call = 1; call <= calls; ++call) {
    CAPTURE(call);
    emulation::fail_call(call, cudaErrorLaunchFailure);
    CHECK(error_code_of([&] { set.label(stream); }) == ErrorCode::internal);
    CHECK(emulation::has_failed());
    emulation::fail_call(0, cudaSuccess);
    set.one.upload(image, stream);
    set.label(stream);
    set.one.download(stream);
    stream.wait();
    set.expect(image);
  }
}

TEST_CASE("every algorithm labels images on the device, in the order of a stream") {
  std::mt19937 random(4);
  std::uint32_t seed = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.device != DeviceKind::cuda) continue;
    for (const Variant& variant : algorithm.variants) {
      INFO(algorithm.name << ", " << static_cast<int>(variant.connectivity) << "-connectivity");
      emulation::configure({.seed = ++seed});
      DeviceLabeler labeler(algorithm.name, variant.connectivity);
      std::vector<Known> all;
      for (const Extent extent : {Extent{1, 1, 1}, Extent{65, 9, 3}, Extent{31, 3, 1}, Extent{64, 20, 1},
                                  Extent{157, 34, 1}, Extent{40, 8, 9}})
        all.emplace_back(extent, variant.connectivity, 0.1 + 0.1 * (++seed % 7), 1, seed);
      expect_on_device(labeler, all, random);
    }
  }
}

TEST_CASE("an algorithm on the device allocates for larger images alone, and waits for nobody") {
  emulation::configure({});
  const auto live = emulation::live_objects();
  {
    const CudaStream stream;
    DeviceLabeler labeler("bke", Connectivity::c26);
    const Known large({70, 20, 12}, Connectivity::c26, 0.2, 1, 1),
        small({60, 20, 5}, Connectivity::c26, 0.3, 1, 2);
    DeviceCase a({70, 20, 12}, {}, 0), b({60, 20, 5}, {}, 0);
    std::uint64_t allocations = 0;
    for (int round = 0; round < 3; ++round) {
      a.upload(large.image, stream);
      a.label(labeler, stream);
      a.download(stream);
      if (round == 0) allocations = emulation::allocations();
      b.upload(small.image, stream);
      b.label(labeler, stream);
      b.download(stream);
      CHECK(!a.is_downloaded());
      CHECK(!b.is_downloaded());
      stream.wait();
      a.expect(large.expected);
      b.expect(small.expected);
      CHECK(emulation::allocations() == allocations);
    }
  }
  CHECK(emulation::live_objects() == live);
}

TEST_CASE("an algorithm on the device leaves the caller's device current") {
  const emulation::Machine two(2);
  emulation::configure({});
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  const CudaStream stream;
  const Known known({70, 20, 1}, Connectivity::c4, 0.5, 1, 1);
  DeviceCase one({70, 20, 1}, {}, 0);
  one.upload(known.image, stream);
  DeviceLabeler made("uf", Connectivity::c4);
  DeviceLabeler labeler = std::move(made);
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  one.label(labeler, stream);
  int current = -1;
  CHECK(cudaGetDevice(&current) == cudaSuccess);
  CHECK(current == 0);
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  one.download(stream);
  stream.wait();
  one.expect(known.expected);
}

TEST_CASE("images that an algorithm cannot label are refused before anything is enqueued") {
  emulation::configure({});
  const auto making = [](const char* name, Connectivity connectivity) {
    return error_code_of([&] { const DeviceLabeler labeler(name, connectivity); });
  };
  CHECK(making("no such", Connectivity::c8) == ErrorCode::usage);
  CHECK(making("flood-fill", Connectivity::c8) == ErrorCode::usage);  // on the CPU
  CHECK(making("bke", Connectivity::c4) == ErrorCode::usage);
  const CudaStream stream;
  DeviceLabeler labeler("bke", Connectivity::c8);
  DeviceCase one({100, 20, 1}, {}, 0);
  const auto refused = [&](auto change) {
    DeviceImage image = one.image();
    DeviceResult result = one.result();
    change(image, result);
    const auto calls = emulation::calls();
    const ErrorCode failure =
        error_code_of([&] { labeler.label(image, result.labels, result.count, stream.get()); });
    CHECK(emulation::calls() == calls);
    return failure;
  };
  const std::function<void(DeviceImage&, DeviceResult&)> wrong[] = {
      [](auto& image, auto&) { image.data = nullptr; },
      [](auto& image, auto&) { image.extent.height = -1; },
      [](auto& image, auto&) { image.row_pitch = 99; },
      [](auto& image, auto&) { image.format = Format(7); },
      [](auto&, auto& result) { result.labels = {}; },
      [](auto&, auto& result) { result.labels.row_pitch = 402; },
      [](auto&, auto& result) { result.count = moved(result.count, 4); }};
  for (const auto& change : wrong) {
    CAPTURE(&change - wrong);
    CHECK(refused(change) == ErrorCode::usage);
  }
  const auto of_extent = [&](Extent extent) {
    return refused([&](auto& image, auto& result) {
      image = {image.data, Format::bits, extent};
      result.labels = {result.labels.data};
    });
  };
  CHECK(of_extent({70000, 70000, 1}) == ErrorCode::usage);  // more than the algorithm can number
  CHECK(of_extent({INT32_MAX, INT32_MAX, INT32_MAX}) == ErrorCode::memory);
}

namespace {

gpuccl_device_image in_c(const DeviceImage& image) {
  const Extent& extent = image.extent;
  return {image.data,
          image.format == Format::bits ? 1 : 8,
          {extent.width, extent.height, extent.depth},
          image.row_pitch,
          image.slice_pitch};
}
gpuccl_device_result in_c(const DeviceResult& result, const DeviceLayout& layout, std::size_t capacity) {
  return {std::visit([](auto* data) -> void* { return data; }, result.labels.data),
          layout.narrow ? 2 : 4,
          result.labels.row_pitch,
          result.labels.slice_pitch,
          result.count,
          capacity == 0 ? nullptr : reinterpret_cast<gpuccl_component*>(result.components),
          capacity};
}

}  // namespace

TEST_CASE("label_on_device() and device labelers are called from C") {
  emulation::configure({});
  std::mt19937 random(4);
  const Extent extent{70, 20, 3};
  const CudaStream stream;
  for (const Connectivity connectivity : kConnectivities)
    for (std::uint32_t round = 0; round < 3; ++round) {
      const BitVolume bits = random_image(extent, 0.3, 1, round);
      const DeviceLayout layout = random_layout(random);
      DeviceCase one(extent, layout, 10000), by_name(extent, layout, 0);
      const auto expect = [&](DeviceCase& labeled) {
        labeled.download(stream);
        stream.wait();
        labeled.expect(flood_fill(bits.view(), connectivity));
      };
      gpuccl_device_image image = in_c(one.image());
      gpuccl_device_result result = in_c(one.result(), layout, 10000);
      std::size_t bytes = 0;
      const int c = static_cast<int>(connectivity);
      REQUIRE(gpuccl_device_workspace_bytes(image.extent, c, &bytes) == GPUCCL_SUCCESS);
      REQUIRE(bytes == device_workspace_bytes(extent, connectivity));
      const CudaMemory workspace(Place::device, bytes);
      const auto status = [&](std::size_t enough) {
        return gpuccl_label_on_device(&image, c, &result, workspace.data(), enough, stream.get());
      };
      one.upload(bits, stream);
      REQUIRE(status(bytes) == GPUCCL_SUCCESS);
      expect(one);

      CHECK(status(bytes - 1) == GPUCCL_USAGE);
      CHECK(std::string(gpuccl_last_error()).find("workspace") != std::string::npos);
      CHECK(gpuccl_device_workspace_bytes({INT32_MAX, INT32_MAX, INT32_MAX}, c, &bytes) == GPUCCL_MEMORY);
      CHECK(gpuccl_device_workspace_bytes(image.extent, 5, &bytes) == GPUCCL_USAGE);
      image.bits_per_element = 16;
      CHECK(status(bytes) == GPUCCL_USAGE);
      image = in_c(by_name.image());
      result.bytes_per_label = 1;
      CHECK(status(bytes) == GPUCCL_USAGE);

      gpuccl_device_labeler* labeler = nullptr;
      REQUIRE(gpuccl_new_device_labeler("runs", c, &labeler) == GPUCCL_SUCCESS);
      result = in_c(by_name.result(), layout, 1);  // components
      CHECK(gpuccl_label_on_device_by(labeler, &image, &result, stream.get()) == GPUCCL_USAGE);
      result = in_c(by_name.result(), layout, 0);
      by_name.upload(bits, stream);
      REQUIRE(gpuccl_label_on_device_by(labeler, &image, &result, stream.get()) == GPUCCL_SUCCESS);
      expect(by_name);
      gpuccl_delete_device_labeler(labeler);
      gpuccl_delete_device_labeler(nullptr);
      CHECK(gpuccl_new_device_labeler("no such", c, &labeler) == GPUCCL_USAGE);
      CHECK(gpuccl_new_device_labeler(nullptr, c, &labeler) == GPUCCL_USAGE);
    }
}
