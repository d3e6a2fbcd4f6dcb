// Removal of components on a GPU or on the emulation of one, compared with a flood fill.

#include "cuda/device_case.hpp"
#include "gpuccl/device.hpp"
#include "gpuccl/gpuccl.h"
#include "support/test.hpp"
#include "support/values.hpp"

using namespace gpuccl;
using namespace tests;
using Place = CudaMemory::Place;

namespace {

using Mask = Values<std::uint8_t>;

/// Conditions of a cleaning, as DeviceCleaning has them.
struct Conditions {
  std::uint64_t fill_holes = 0, min_size = 0, max_size = UINT64_MAX;
  std::uint32_t largest = 0;
  bool clear_border = false, with_seeds = false;
};

Conditions random_conditions(std::mt19937& random, bool fills) {
  const auto one_of = [&](auto... options) {
    const std::uint64_t all[] = {static_cast<std::uint64_t>(options)...};
    return all[random() % sizeof...(options)];
  };
  Conditions wanted;
  if (fills) wanted.fill_holes = one_of(0, 0, 1, 5, ~0ull);
  wanted.min_size = one_of(0, 0, 2, 5, 40);
  wanted.max_size = one_of(~0ull, ~0ull, 3, 100);
  wanted.largest = static_cast<std::uint32_t>(one_of(0, 0, 1, 2, 7, 40000));
  wanted.clear_border = random() % 3 == 0;
  wanted.with_seeds = random() % 3 == 0;
  return wanted;
}

template <class T>
bool touches_border(const Extent& extent, const T& component, bool is_volume) {
  const int ends[] = {extent.width, extent.height, extent.depth};
  for (std::size_t i = 0; i < (is_volume ? 3u : 2u); ++i)
    if (component.min[i] == 0 || component.max[i] == ends[i] - 1) return true;
  return false;
}

/// Returns the labels of all elements, and which components are kept.
template <class T>
struct Found {
  const ValueLabeling labeling;
  std::vector<bool> kept;

  Found(const Values<T>& values, Connectivity connectivity, double delta)
      : labeling(flood_fill(values, connectivity, delta)), kept(components().size(), true) {}

  const Components& components() const { return labeling.labeled.components; }
  std::size_t label(std::size_t i) const {
    return dynamic_cast<const LabelImage&>(*labeling.labeled.labels).data()[i];
  }
  template <class Keep>
  void keep_if(const Keep& keep) {
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = kept[i] && keep(i);
  }
};

template <class T>
std::vector<bool> expected_elements(const Values<T>& values, const Mask& seeds, Connectivity connectivity,
                                    double delta, const Conditions& wanted) {
  const bool is_volume = is_3d(connectivity);
  Values<T> filled = values;
  if (wanted.fill_holes > 0) {
    Mask background(values.extent);
    for (std::size_t i = 0; i < values.elements.size(); ++i) background.elements[i] = values.elements[i] == 0;
    Found holes(background, complementary(connectivity), 0);
    holes.keep_if([&](std::size_t i) {
      return holes.components().area[i] <= wanted.fill_holes &&
             !touches_border(values.extent, holes.components().box[i], is_volume);
    });
    for (std::size_t i = 0; i < values.elements.size(); ++i)
      if (holes.label(i) != 0 && holes.kept[holes.label(i) - 1]) filled.elements[i] = 1;
  }
  Found found(filled, connectivity, delta);
  const auto& area = found.components().area;
  found.keep_if([&](std::size_t i) { return area[i] >= wanted.min_size && area[i] <= wanted.max_size; });
  if (wanted.clear_border)
    found.keep_if(
        [&](std::size_t i) { return !touches_border(values.extent, found.components().box[i], is_volume); });
  if (wanted.with_seeds) {
    std::vector<bool> seeded(found.kept.size());
    for (std::size_t i = 0; i < seeds.elements.size(); ++i)
      if (seeds.elements[i] != 0 && found.label(i) != 0) seeded[found.label(i) - 1] = true;
    found.keep_if([&](std::size_t i) { return seeded[i]; });
  }
  if (wanted.largest > 0) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < found.kept.size(); ++i)
      if (found.kept[i]) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return area[a] > area[b]; });
    for (std::size_t i = wanted.largest; i < order.size(); ++i) found.kept[order[i]] = false;
  }
  std::vector<bool> elements(values.elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i)
    elements[i] = found.label(i) != 0 && found.kept[found.label(i) - 1];
  return elements;
}

template <class T>
DeviceArray on_device(const Values<T>& values, std::mt19937& random, const CudaStream& stream) {
  return {type_of<T>(), values.extent, values.elements.data(), random, stream};
}

template <class T>
void expect_cleaned(const Values<T>& values, bool as_mask, Connectivity connectivity,
                    const Conditions& wanted, std::mt19937& random) {
  CAPTURE(to_string(values.extent), static_cast<int>(connectivity), as_mask, wanted.fill_holes,
          wanted.min_size, wanted.max_size, wanted.largest, wanted.clear_border, wanted.with_seeds);
  const CudaStream stream;
  Mask seeds(values.extent), set(values.extent);
  for (std::size_t i = 0; i < seeds.elements.size(); ++i) {
    seeds.elements[i] = random() % 40 == 0 ? 7 : 0;
    set.elements[i] = values.elements[i] != 0 ? 9 : 0;
  }
  const DeviceArray given = on_device(values, random, stream), mask = on_device(set, random, stream),
                    of_seeds = on_device(seeds, random, stream);
  DeviceArray out = on_device(values, random, stream);
  const bool in_place = random() % 4 == 0;
  DeviceCleaning request;
  if (as_mask)
    request.image = mask.mask();
  else
    request.image = given.image();
  request.connectivity = connectivity;
  request.fill_holes = wanted.fill_holes;
  request.min_size = wanted.min_size;
  request.max_size = wanted.max_size;
  request.largest = wanted.largest;
  request.clear_border = wanted.clear_border;
  if (wanted.with_seeds) request.seeds = of_seeds.mask();
  request.from = in_place ? out.image() : given.image();
  request.filled = 1;
  if (in_place && !as_mask) request.image = out.image();
  const DeviceValueImage to = out.image();
  request.type = to.type;
  request.out = const_cast<void*>(to.data);
  request.out_row_pitch = to.row_pitch;
  request.out_slice_pitch = to.slice_pitch;
  const CudaMemory workspace(Place::device, device_clean_workspace_bytes(request));
  clean_on_device(request, workspace.data(), workspace.size(), stream.get());

  std::vector<T> found(values.elements.size());
  std::memcpy(found.data(), out.download(stream).data(), found.size() * sizeof(T));
  const Values<T> elements = as_mask ? [&] {
    Values<T> ones(values.extent);
    for (std::size_t i = 0; i < ones.elements.size(); ++i) ones.elements[i] = values.elements[i] != 0;
    return ones;
  }() : values;
  const std::vector<bool> kept = expected_elements(elements, seeds, connectivity, 0, wanted);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const T expected = !kept[i] ? T{0} : values.elements[i] != 0 ? values.elements[i] : T{1};
    if (found[i] != expected) FAIL("element " << i << " is " << +found[i] << ", not " << +expected);
  }
}

Extent random_extent(std::mt19937& random, Connectivity connectivity) {
  const auto up_to = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
  const bool whole_words = random() % 3 == 0;
  const int width = whole_words ? 32 * up_to(9) : up_to(300);
  return is_3d(connectivity) ? Extent{width, up_to(40), up_to(20)} : Extent{width, up_to(150), up_to(3)};
}

}  // namespace

TEST_CASE("components of masks are removed on a device", "[small][one]") {
  std::mt19937 random(21);
  for (int round = 0; round < 60; ++round) {
    const Connectivity connectivity = kConnectivities[static_cast<std::size_t>(round) % 5];
    const Extent extent = random_extent(random, connectivity);
    if (round % 2 == 0) {
      Mask mask = random_values<std::uint8_t>(random, extent, 2, 1 + static_cast<int>(random() % 8));
      if (random() % 2 == 0)
        for (std::uint8_t& element : mask.elements) element = element == 0;
      expect_cleaned(mask, true, connectivity, random_conditions(random, true), random);
    } else {
      expect_cleaned(random_values<std::uint16_t>(random, extent, 3, 3), true, connectivity,
                     random_conditions(random, true), random);
    }
  }
}

TEST_CASE("components of multi-label images are removed on a device", "[small][one]") {
  std::mt19937 random(22);
  for (int round = 0; round < 40; ++round) {
    const Connectivity connectivity = kConnectivities[static_cast<std::size_t>(round) % 5];
    const Extent extent = random_extent(random, connectivity);
    const int length = 1 + static_cast<int>(random() % 6);
    const Conditions wanted = random_conditions(random, false);
    const auto expect_of = [&]<class T>(T) {
      expect_cleaned(random_values<T>(random, extent, 4, length), false, connectivity, wanted, random);
    };
    switch (round / 5 % 4) {
      case 0:
        expect_of(std::uint8_t{});
        break;
      case 1:
        expect_of(std::int16_t{});
        break;
      case 2:
        expect_of(std::int32_t{});
        break;
      default:
        expect_of(std::uint64_t{});
    }
  }
}

TEST_CASE("components are removed in a graph with their labels and measures", "[small][graph]") {
  std::mt19937 random(23);
  const CudaStream stream;
  const Extent extent{500, 300, 1};
  const Connectivity connectivity = Connectivity::c8;
  Mask images[] = {random_values<std::uint8_t>(random, extent, 2, 3),
                   random_values<std::uint8_t>(random, extent, 2, 9)};
  const auto size = static_cast<std::size_t>(extent.elements());
  const CudaMemory image(Place::device, size), cleaned(Place::device, size), labels(Place::device, 4 * size),
      numbers(Place::device, 16), areas(Place::device, 8 * 4096), host(Place::host, 8 * 4096 + 16);
  auto* const count = reinterpret_cast<unsigned long long*>(numbers.data());
  DeviceCleaning request;
  request.image = DeviceImage{.data = image.data(), .extent = extent};
  request.min_size = 5;
  request.fill_holes = 20;
  request.out = cleaned.data();
  const DeviceColumn column{MeasureId::area, reinterpret_cast<std::int64_t*>(areas.data())};
  DeviceMeasuring measuring;
  measuring.labels = {labels.data(), ValueType::u32, extent};
  measuring.largest = 4096;
  measuring.columns = {&column, 1};
  measuring.capacity = 4096;
  measuring.count = count + 1;
  const CudaMemory workspace(Place::device, std::max({device_clean_workspace_bytes(request),
                                                      device_workspace_bytes(extent, connectivity),
                                                      device_measure_workspace_bytes(measuring)}));
  const auto enqueue = [&] {
    clean_on_device(request, workspace.data(), workspace.size(), stream.get());
    label_on_device({.data = cleaned.data(), .extent = extent}, connectivity,
                    {.labels = {reinterpret_cast<std::uint32_t*>(labels.data())}, .count = count},
                    workspace.data(), workspace.size(), stream.get());
    measure_on_device(measuring, workspace.data(), workspace.size(), stream.get());
  };
  cudaMemsetAsync(image.data(), 0, size, stream.get());
  cudaMemsetAsync(areas.data(), 0, areas.size(), stream.get());
  enqueue();  // loads the kernels
  stream.wait();
  const CapturedGraph graph(stream, enqueue);
  for (const Mask& mask : images) {
    cudaMemcpyAsync(image.data(), mask.elements.data(), size, cudaMemcpyHostToDevice, stream.get());
    graph.launch(stream);
    cudaMemcpyAsync(host.data(), areas.data(), areas.size(), cudaMemcpyDeviceToHost, stream.get());
    cudaMemcpyAsync(host.data() + areas.size(), numbers.data(), 16, cudaMemcpyDeviceToHost, stream.get());
    stream.wait();
    Conditions wanted;
    wanted.min_size = 5;
    wanted.fill_holes = 20;
    Mask ones(extent), kept(extent);
    for (std::size_t i = 0; i < size; ++i) ones.elements[i] = mask.elements[i] != 0;
    const std::vector<bool> elements = expected_elements(ones, Mask(extent), connectivity, 0, wanted);
    for (std::size_t i = 0; i < size; ++i) kept.elements[i] = elements[i];
    const auto expected = flood_fill(kept, connectivity, 0).labeled.components.area;
    const auto word = [&](std::size_t i) {
      std::int64_t value = 0;
      std::memcpy(&value, host.data() + 8 * i, 8);
      return value;
    };
    REQUIRE(word(4096) == static_cast<std::int64_t>(expected.size()));
    REQUIRE(word(4097) == word(4096));
    for (std::size_t i = 0; i < expected.size(); ++i)
      REQUIRE(word(i) == static_cast<std::int64_t>(expected[i]));
  }
}

TEST_CASE("the cleaning of an image on a device is checked", "[small]") {
  const CudaStream stream;
  const CudaMemory memory(Place::device, 4096), host(Place::host, 4096);
  const Extent extent{6, 2, 1};
  DeviceCleaning request;
  request.image = DeviceImage{.data = memory.data(), .extent = extent};
  request.out = memory.data() + 64;
  const CudaMemory workspace(Place::device, device_clean_workspace_bytes(request) + 4096);
  const std::function<void(DeviceCleaning&)> wrong[] = {
      [](auto& one) { one.out = nullptr; },
      [](auto& one) { one.out_row_pitch = 5; },
      [](auto& one) { one.connectivity = static_cast<Connectivity>(7); },
      [&](auto& one) {
        one.from = {memory.data(), ValueType::u8, {5, 2, 1}};
      },
      [&](auto& one) {
        one.from = {memory.data(), ValueType::u16, extent};
      },
      [&](auto& one) {
        one.seeds = {.data = memory.data(), .extent = {6, 1, 1}};
      },
      [&](auto& one) {
        one.image = DeviceValueImage{memory.data(), ValueType::u8, extent}, one.fill_holes = 1;
      },
      [&](auto& one) {
        one.image = DeviceImage{.data = memory.data(), .extent = {1 << 17, 1 << 15, 1}};
      }};
  for (const auto& change : wrong) {
    CAPTURE(&change - wrong);
    DeviceCleaning changed = request;
    change(changed);
    CHECK(error_code_of([&] {
            clean_on_device(changed, workspace.data(), workspace.size(), stream.get());
          }) == ErrorCode::usage);
  }
  CHECK(error_code_of([&] { clean_on_device(request, workspace.data(), 16, stream.get()); }) ==
        ErrorCode::usage);

  const unsigned char mask[] = {1, 1, 0, 3, 0, 1, 1, 1, 0, 0, 0, 1};
  std::memcpy(host.data(), mask, sizeof(mask));
  cudaMemcpyAsync(memory.data(), host.data(), sizeof(mask), cudaMemcpyHostToDevice, stream.get());
  gpuccl_device_cleaning given{};
  given.mask = {memory.data(), 8, {6, 2, 1}, 0, 0};
  given.connectivity = 8;
  given.min_size = 2;
  given.filled = 1;
  given.type = GPUCCL_U8;
  given.out = memory.data() + 64;
  std::size_t bytes = 0;
  REQUIRE(gpuccl_device_clean_workspace_bytes(&given, &bytes) == GPUCCL_SUCCESS);
  REQUIRE(gpuccl_clean_on_device(&given, workspace.data(), bytes, stream.get()) == GPUCCL_SUCCESS);
  cudaMemcpyAsync(host.data(), memory.data() + 64, sizeof(mask), cudaMemcpyDeviceToHost, stream.get());
  stream.wait();
  const unsigned char expected[] = {1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1};
  CHECK(std::memcmp(host.data(), expected, sizeof(expected)) == 0);
  given.values = {memory.data(), GPUCCL_U8, {6, 2, 1}, 0, 0, 0};
  CHECK(gpuccl_clean_on_device(&given, workspace.data(), bytes, stream.get()) == GPUCCL_USAGE);
}
