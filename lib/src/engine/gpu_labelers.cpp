#include "engine/gpu_labelers.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <system_error>

#include "cpu/runs/run_labels.hpp"
#include "cuda/cuda.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

constexpr std::int64_t kSmall = std::int64_t{1} << 18;        // maximum number of elements of an image
constexpr std::int64_t kMaxTogether = std::int64_t{1} << 21;  // maximum for a group

/// Returns the number of rows from the start of an image to that of the next.
int rows_apart(const Extent& extent) { return extent.height / 2 * 2 + 2; }

Extent extent_of(const std::vector<BitView>& images) {
  Extent all{0, 0, 1};
  for (const BitView& image : images) {
    all.width = std::max(all.width, image.extent.width);
    all.height += rows_apart(image.extent);
  }
  return all;
}

}  // namespace

ImageGroup::ImageGroup(const std::vector<BitView>& images) : images_(images), all_(extent_of(images)) {
  int top = 0;
  for (const BitView& image : images) {
    const auto bytes = static_cast<std::size_t>(words_per_row(image.extent.width)) * sizeof(std::uint32_t);
    for (int y = 0; y < image.extent.height; ++y) std::memcpy(all_.row(top + y, 0), image.row(y, 0), bytes);
    tops_.push_back(top);
    top += rows_apart(image.extent);
  }
}

Labeling ImageGroup::part(const Labeling& labeled, std::size_t i) const {
  const Extent extent = images_[i].extent;
  const int top = tops_[i];
  // Labels are in the order of first elements, so the labels of an image are consecutive.
  const UninitializedVector<Box>& box = labeled.components.box;
  const auto first_from = [&](int row) {
    return std::partition_point(box.begin(), box.end(), [&](const Box& one) { return one.min[1] < row; }) -
           box.begin();
  };
  const auto begin = static_cast<std::size_t>(first_from(top));
  const auto end = static_cast<std::size_t>(first_from(top + extent.height));

  Labeling part;
  part.components.resize(end - begin);
  for (std::size_t c = 0; c < end - begin; ++c) {
    Component one = labeled.components[begin + c];
    one.box.min[1] -= top;
    one.box.max[1] -= top;
    one.sum[1] -= static_cast<std::uint64_t>(top) * one.area;
    part.components.set(c, one);
  }

  part.labels = std::make_unique<cpu::RunLabels>(
      dynamic_cast<const cpu::RunLabels&>(*labeled.labels)
          .part(images_[i], top, static_cast<Label>(begin), static_cast<Label>(end - begin)));

  // Its share of the time.
  const auto images = static_cast<double>(images_.size());
  part.phases = labeled.phases;
  for (PhaseTime& phase : part.phases) phase.milliseconds /= images;
  part.statistics_ms = labeled.statistics_ms / images;
  return part;
}

bool fits_group(const Extent& extent, Connectivity connectivity) {
  return !is_3d(connectivity) && extent.depth == 1 && extent.elements() > 0 && extent.elements() <= kSmall;
}

bool GroupSize::add(const Extent& extent) {
  const std::int64_t rows = rows_ + rows_apart(extent);
  const std::int64_t width = std::max<std::int64_t>(width_, extent.width);
  if (rows_ > 0 && rows * width > kMaxTogether) return false;
  rows_ = rows;
  width_ = width;
  return true;
}

/// If there is no GPU, the first use reports why.
GpuLabelers::GpuLabelers(const EngineOptions& options)
    : time_phases_(options.time_phases),
      devices_([&] {
        std::size_t count = options.gpus.size();
        if (count == 0)
          waited_ms_ =
              cpu::milliseconds([&] { count = static_cast<std::size_t>(std::max(1, count_cuda_devices())); });
        return count;
      }()),
      queue_(devices_.size()) {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const int number = options.gpus.empty() ? static_cast<int>(i) : options.gpus[i];
    devices_[i].gpu = options.hides_gpus ? static_cast<int>(i) : number;
    devices_[i].number = number;
  }
}

void GpuLabelers::start_in_background() {
  try {
    for (Device& device : devices_)
      device.starting = std::async(std::launch::async, cuda::start_up, device.gpu);
  } catch (const std::system_error&) {  // without a thread, the first image waits
  }
}

void GpuLabelers::start_up(Device& device) {
  // A named GPU that does not exist is an error even if other GPUs could do all the work.
  if (!started_)
    for (const Device& named : devices_) cuda::require_device(named.gpu, named.number);
  if (device.starting) {
    std::exchange(device.starting, std::nullopt)->get();
  } else {
    cuda::start_up(device.gpu);
  }
  started_ = true;
}

void GpuLabelers::wait_for(Request& mine) {
  queue_.wait_for(mine, take_together,
                  [this](const Requests& requests, std::size_t gpu) { label_all(requests, devices_[gpu]); });
  if (mine.error) std::rethrow_exception(mine.error);
}

ValueLabeling GpuLabelers::label_values(ValueImage& image, Connectivity connectivity, EngineReport& report) {
  Request mine{{nullptr, connectivity}, {}, report};
  mine.values = &image;
  wait_for(mine);
  return std::move(mine.of_values);
}

Labeling GpuLabelers::label(const LabelerKey& key, BitView image, EngineReport& report,
                            const SumsLayout& gathered) {
  check(image);
  Request mine{key, image, report, gathered};
  wait_for(mine);
  return mine.group ? mine.group->part(*mine.of_group, mine.in_group) : std::move(mine.labeled);
}

void GpuLabelers::clear() {
  queue_.alone([this] {
    for (Device& device : devices_) device.clear();
  });
}

/// Returns the first request and, if its image is small, all small images for the same labeler.
GpuLabelers::Requests GpuLabelers::take_together(std::deque<Request*>& line) {
  const auto is_small = [](const Request& request) {
    return fits_group(request.image.extent, request.key.second);
  };
  Requests together;
  together.reserve(line.size());  // nothing throws below
  together.push_back(line.front());
  line.pop_front();
  const Request& first = *together.front();
  if (!is_small(first)) return together;

  GroupSize size;
  size.add(first.image.extent);
  for (auto at = line.begin(); at != line.end();) {
    const bool goes_along = (*at)->key == first.key && is_small(**at) && size.add((*at)->image.extent);
    if (goes_along) together.push_back(*at);
    at = goes_along ? line.erase(at) : at + 1;
  }
  return together;
}

/// After running out of memory, retries once with freed memory and without sums, which the host then
/// computes.
void GpuLabelers::label_all(const Requests& requests, Device& device) noexcept {
  SumsLayout& gathered = requests.front()->gathered;
  for (bool again = device.holds_memory() || gathered.words > 0;; again = false) {
    try {
      return label_together(requests, device);
    } catch (const Error& error) {
      const bool out_of_memory = error.code() == ErrorCode::memory;
      if (out_of_memory) device.clear();
      if (!out_of_memory || !again) return fail(requests, std::current_exception());
      gathered = {};
    } catch (...) {
      return fail(requests, std::current_exception());
    }
  }
}

void GpuLabelers::label_together(const Requests& requests, Device& device) {
  const double start_up_ms = waited_ms_.exchange(0) + cpu::milliseconds([&] { start_up(device); });
  for (Request* const request : requests) {
    request->report.start_up_ms += start_up_ms;
    request->report.device_name = cuda::device_name(device.gpu);
    request->report.gpus = {device.number};
  }
  Request& first = *requests.front();
  if (first.values != nullptr) return label_by_values(first, device);
  std::unique_ptr<Labeler>& labeler = device.labelers[first.key];
  if (labeler == nullptr) labeler = find_variant(*first.key.first, first.key.second)->make(device.gpu);
  labeler->time_phases(time_phases_);
  labeler->gather(requests.size() == 1 ? first.gathered : SumsLayout{});
  if (requests.size() == 1)
    first.labeled = label_timed(*labeler, first.image, first.report);
  else
    label_group(*labeler, requests);
}

void GpuLabelers::fail(const Requests& requests, const std::exception_ptr& error) {
  for (Request* const request : requests) request->error = error;
}

void GpuLabelers::label_by_values(Request& request, Device& device) const {
  const Connectivity connectivity = request.key.second;
  std::unique_ptr<cuda::ValueLabeler>& labeler = device.of_values[connectivity];
  if (labeler == nullptr) labeler = cuda::make_value_labeler(device.gpu, connectivity);
  labeler->time_phases(time_phases_);
  request.report.label_ms = cpu::milliseconds([&] { request.of_values = labeler->label(*request.values); });
  request.report.label_ms -= request.of_values.labeled.statistics_ms;
}

/// Each thread extracts its own part.
void GpuLabelers::label_group(Labeler& labeler, const Requests& requests) const {
  std::vector<BitView> images;
  for (const Request* const request : requests) images.push_back(request->image);
  const auto group = std::make_shared<const ImageGroup>(images);
  EngineReport report;
  const auto labeled = std::make_shared<const Labeling>(label_timed(labeler, group->view(), report));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Request& request = *requests[i];
    request.report.label_ms = report.label_ms / static_cast<double>(requests.size());
    request.group = group;
    request.of_group = labeled;
    request.in_group = i;
  }
}

}  // namespace gpuccl
