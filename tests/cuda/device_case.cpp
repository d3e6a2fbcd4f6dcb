#include "cuda/device_case.hpp"

#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;

namespace tests {
namespace {

using Place = CudaMemory::Place;
using Format = DeviceImage::Format;

constexpr int kWatched = 0xcd;  // what is in memory that nobody has written

void check(cudaError_t status) {
  INFO(cudaGetErrorString(status));
  REQUIRE(status == cudaSuccess);
}

void copy(const CudaMemory& from, const CudaMemory& to, cudaMemcpyKind kind, const CudaStream& stream) {
  check(cudaMemcpyAsync(to.data(), from.data(), from.size(), kind, stream.get()));
}

template <class T>
T value_at(const CudaMemory& memory, std::size_t at) {
  T value;
  std::memcpy(&value, memory.data() + at, sizeof(T));
  return value;
}

/// Whether nobody has written there.
bool is_watched(const std::byte* begin, const std::byte* end) {
  return std::all_of(begin, end, [](std::byte byte) { return byte == std::byte{kWatched}; });
}

bool is_component(const DeviceComponent& found, const Components& expected, std::size_t i) {
  bool same = found.area == expected.area[i];
  for (std::size_t axis = 0; axis < 3; ++axis)
    same = same && found.sum[axis] == expected.sum[i][axis] && found.min[axis] == expected.box[i].min[axis] &&
           found.max[axis] == expected.box[i].max[axis];
  return same;
}

std::size_t bytes(std::int64_t count) { return static_cast<std::size_t>(count); }

/// Bytes of no elements, or of up to `most`.
std::int64_t pad(std::mt19937& random, unsigned most, ValueType type) {
  return static_cast<std::int64_t>(random() % 2 * (random() % (most + 1)) * bytes_of(type));
}

}  // namespace

Known::Known(Extent extent, Connectivity connectivity, double density, int granularity, std::uint32_t seed)
    : image(random_image(extent, density, granularity, seed)),
      expected(flood_fill(image.view(), connectivity)) {}

CudaMemory::CudaMemory(Place place, std::size_t bytes) : place_(place), size_(bytes) {
  void* memory = nullptr;
  check(place == Place::device ? cudaMalloc(&memory, bytes) : cudaMallocHost(&memory, bytes));
  data_ = static_cast<std::byte*>(memory);
}
CudaMemory::~CudaMemory() { place_ == Place::device ? cudaFree(data_) : cudaFreeHost(data_); }

CudaStream::CudaStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
CudaStream::~CudaStream() { cudaStreamDestroy(stream_); }
void CudaStream::wait() const { check(cudaStreamSynchronize(stream_)); }

DeviceArray::DeviceArray(ValueType type, Extent extent, const void* elements, std::mt19937& random,
                         const CudaStream& stream)
    : type_(type),
      extent_(extent),
      row_bytes_(extent.width * static_cast<std::int64_t>(bytes_of(type))),
      offset_(pad(random, 4, type)),
      row_(row_bytes_ + pad(random, 9, type)),
      slice_(row_ * extent.height + pad(random, 20, type)),
      device_(Place::device, bytes(offset_ + slice_ * extent.depth)),
      host_(Place::host, device_.size()) {
  std::memset(host_.data(), kWatched, host_.size());
  for (std::int64_t i = 0; i < extent.rows(); ++i)
    std::memcpy(row(i), static_cast<const std::byte*>(elements) + i * row_bytes_, bytes(row_bytes_));
  copy(host_, device_, cudaMemcpyHostToDevice, stream);
}
DeviceValueImage DeviceArray::image(double delta) const {
  return {device_.data() + offset_, type_, extent_, row_, slice_, delta};
}
DeviceImage DeviceArray::mask() const {
  return {device_.data() + offset_, Format::bytes, extent_, row_, slice_};
}
std::vector<std::byte> DeviceArray::download(const CudaStream& stream) {
  copy(device_, host_, cudaMemcpyDeviceToHost, stream);
  stream.wait();
  std::vector<std::byte> elements;
  for (std::int64_t i = 0; i < extent_.rows(); ++i) {
    elements.insert(elements.end(), row(i), row(i) + row_bytes_);
    std::memset(row(i), kWatched, bytes(row_bytes_));
  }
  CHECK(is_watched(host_.data(), host_.data() + host_.size()));
  return elements;
}
std::byte* DeviceArray::row(std::int64_t index) const {
  return host_.data() + offset_ + index / extent_.height * slice_ + index % extent_.height * row_;
}

void CapturedGraph::begin(const CudaStream& stream) {
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
}
void CapturedGraph::end(const CudaStream& stream) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream.get(), &graph));
  check(cudaGraphInstantiate(&exec_, graph, 0));
  check(cudaGraphDestroy(graph));
}
CapturedGraph::~CapturedGraph() { cudaGraphExecDestroy(exec_); }
void CapturedGraph::launch(const CudaStream& stream) const { check(cudaGraphLaunch(exec_, stream.get())); }

DeviceLayout random_layout(std::mt19937& random) {
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  DeviceLayout layout;
  layout.format = below(2) == 0 ? Format::bits : Format::bytes;
  layout.narrow = below(3) == 0;
  if (below(3) != 0)
    layout.image_offset = below(20), layout.row_pad = below(40), layout.slice_pad = below(70);
  if (below(3) != 0)
    layout.label_offset = below(6), layout.label_row_pad = below(9), layout.label_slice_pad = below(30);
  return layout;
}

DeviceCase::DeviceCase(Extent extent, const DeviceLayout& layout, std::size_t capacity)
    : extent_(extent),
      layout_(layout),
      capacity_(capacity),
      image_row_((layout.format == Format::bits ? (extent.width + 7) / 8 : extent.width) + layout.row_pad),
      image_slice_(extent.height * image_row_ + layout.slice_pad),
      label_row_((extent.width + layout.label_row_pad) * label_bytes()),
      label_slice_(extent.height * label_row_ + layout.label_slice_pad * label_bytes()),
      image_(Place::device, bytes(layout.image_offset + extent.depth * image_slice_ + 1)),
      labels_(Place::device, bytes(layout.label_offset * label_bytes() + extent.depth * label_slice_ + 4)),
      count_(Place::device, 16),
      components_(Place::device, (capacity + 1) * sizeof(DeviceComponent)),
      host_image_(Place::host, image_.size()),
      host_labels_(Place::host, labels_.size()),
      host_count_(Place::host, count_.size()),
      host_components_(Place::host, components_.size()) {}

DeviceImage DeviceCase::image() const {
  return {image_.data() + layout_.image_offset, layout_.format, extent_, image_row_, image_slice_};
}

DeviceResult DeviceCase::result() const {
  std::byte* const at = labels_.data() + layout_.label_offset * label_bytes();
  DeviceResult result{{},
                      reinterpret_cast<unsigned long long*>(count_.data()),
                      reinterpret_cast<DeviceComponent*>(components_.data()),
                      capacity_};
  result.labels.row_pitch = label_row_;
  result.labels.slice_pitch = label_slice_;
  if (layout_.narrow)
    result.labels.data = reinterpret_cast<std::uint16_t*>(at);
  else
    result.labels.data = reinterpret_cast<std::uint32_t*>(at);
  return result;
}

void DeviceCase::upload(const BitVolume& image, const CudaStream& stream) {
  REQUIRE(image.extent() == extent_);
  const auto garbage = [](std::size_t i) { return static_cast<std::uint8_t>(i * 2654435761u >> 13); };
  auto* const host = reinterpret_cast<std::uint8_t*>(host_image_.data());
  for (std::size_t i = 0; i < host_image_.size(); ++i) host[i] = garbage(i);
  for_each_element(extent_, [&](int x, int y, int z) {
    std::uint8_t* const row = host + layout_.image_offset + z * image_slice_ + y * image_row_;
    const bool set = image(x, y, z);
    if (layout_.format == Format::bytes)
      row[x] = static_cast<std::uint8_t>(set ? std::max<int>(row[x], 1) : 0);
    else
      row[x / 8] = static_cast<std::uint8_t>((row[x / 8] & ~(1u << x % 8)) | unsigned{set} << x % 8);
  });
  copy(host_image_, image_, cudaMemcpyHostToDevice, stream);
  for (const CudaMemory* memory : {&labels_, &count_, &components_})
    check(cudaMemsetAsync(memory->data(), kWatched, memory->size(), stream.get()));
  std::memset(host_count_.data(), kWatched, host_count_.size());
}

void DeviceCase::label(Connectivity connectivity, const CudaMemory& workspace, const CudaStream& stream) {
  label_on_device(image(), connectivity, result(), workspace.data(), workspace.size(), stream.get());
}

void DeviceCase::label(DeviceLabeler& labeler, const CudaStream& stream) {
  const DeviceResult to = result();
  labeler.label(image(), to.labels, to.count, stream.get());
}

void DeviceCase::download(const CudaStream& stream) {
  copy(labels_, host_labels_, cudaMemcpyDeviceToHost, stream);
  copy(components_, host_components_, cudaMemcpyDeviceToHost, stream);
  copy(count_, host_count_, cudaMemcpyDeviceToHost, stream);
}

bool DeviceCase::is_downloaded() const { return !is_watched(host_count_.data(), host_count_.data() + 8); }

std::size_t DeviceCase::label_at(int x, int y, int z) const {
  return bytes((layout_.label_offset + x) * label_bytes() + z * label_slice_ + y * label_row_);
}

void DeviceCase::expect(const Labeling& expected) const {
  const LabelImage labels = render_all(*expected.labels);
  REQUIRE(value_at<unsigned long long>(host_count_, 0) == labels.count());

  // Every label is written, and no other byte.
  std::vector<std::uint8_t> image(host_labels_.size(), kWatched);
  for_each_element(extent_, [&](int x, int y, int z) {
    const Label label = layout_.narrow ? std::min<Label>(labels(x, y, z), 0xffff) : labels(x, y, z);
    std::memcpy(image.data() + label_at(x, y, z), &label, bytes(label_bytes()));  // little-endian
  });
  const auto* const found = reinterpret_cast<const std::uint8_t*>(host_labels_.data());
  const auto first_difference = std::mismatch(image.begin(), image.end(), found).first - image.begin();
  REQUIRE(first_difference == static_cast<std::ptrdiff_t>(image.size()));

  const std::size_t known = std::min<std::size_t>(capacity_, labels.count());
  std::size_t same = 0;
  while (same < known &&
         is_component(value_at<DeviceComponent>(host_components_, same * sizeof(DeviceComponent)),
                      expected.components, same))
    ++same;
  REQUIRE(same == known);
  REQUIRE(is_watched(host_components_.data() + known * sizeof(DeviceComponent),
                     host_components_.data() + host_components_.size()));
}

void expect_on_device(DeviceLabeler& labeler, const std::vector<Known>& all, std::mt19937& random) {
  const CudaStream stream;
  std::vector<std::unique_ptr<DeviceCase>> cases;
  for (const Known& known : all) {
    cases.push_back(std::make_unique<DeviceCase>(known.image.extent(), random_layout(random), 0));
    cases.back()->upload(known.image, stream);
    cases.back()->label(labeler, stream);
    cases.back()->download(stream);
  }
  stream.wait();
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO("image " << i << ", " << to_string(all[i].image.extent()));
    cases[i]->expect(all[i].expected);
  }
}

void expect_on_device(const BitVolume& image, Connectivity connectivity, const DeviceLayout& layout,
                      const Labeling& expected) {
  const CudaStream stream;
  DeviceCase one(image.extent(), layout, expected.labels->count() / 2 + 3);
  const CudaMemory workspace(Place::device, device_workspace_bytes(image.extent(), connectivity) + 256);
  one.upload(image, stream);
  one.label(connectivity, workspace, stream);
  one.download(stream);
  stream.wait();
  one.expect(expected);
}

}  // namespace tests
