#include <chrono>

#include "cpu/runs/numbering.hpp"
#include "cpu/runs/run_labels.hpp"
#include "cuda/labelers/gpu_labeler.cuh"
#include "cuda/phases/layouts.cuh"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

void GpuLabeler::upload(BitView image) {
  const CurrentDevice current(gpu_);
  extent_ = image.extent;
  Word64* const bits = reserve_image(extent_);
  if (elements() == 0) return;
  ring_.upload(image, bits, stream_);
  PhaseClock phase{stream_.get(), nullptr};
  enqueue_unpacking(phase);
}

Label* GpuLabeler::reserve_labels(cudaStream_t stream) {
  labels_.reserve(elements(), "allocating the labels");
  enqueue_clearing(labels_.data(), stream);
  return labels_.data();
}

void GpuLabeler::allocate() {
  const CurrentDevice current(gpu_);
  reserve_labels(stream_.get());
}

void GpuLabeler::release() {
  const CurrentDevice current(gpu_);
  labels_.release();
}

template <class Enqueue>
void GpuLabeler::enqueue_phases(PhaseTimes* times, Enqueue enqueue) {
  if (elements() == 0) return;
  PhaseClock phase{stream_.get(), times, counter()};
  enqueue(phase);
  phase.finish();
}

void GpuLabeler::run(Numbering numbering, PhaseTimes* times) {
  const CurrentDevice current(gpu_);
  numbering_ = numbering;
  enqueue_phases(times, [&](PhaseClock& phase) { enqueue_labeling(numbering, labels_.data(), phase); });
}

void GpuLabeler::run_components() {
  const CurrentDevice current(gpu_);
  numbering_ = Numbering::consecutive;
  enqueue_phases(nullptr, [&](PhaseClock& phase) { enqueue_components(phase); });
}

void GpuLabeler::enqueue_components(PhaseClock& phase) {
  enqueue_labeling(Numbering::consecutive, reserve_labels(phase.stream()), phase);
}

Label GpuLabeler::count() {
  if (elements() == 0 || numbering_ == Numbering::provisional) return 0;
  return wait_for_count(stream_);
}

void GpuLabeler::statistics(PhaseTimes* times) {
  const CurrentDevice current(gpu_);
  const Label components = count();
  PhaseClock phase{stream_.get(), times};
  enqueue_statistics(components, labels_.data(), phase);
  if (has_sums()) add_sums(components, phase);
  phase.finish();
}

double GpuLabeler::device_ms(const std::function<void()>& work) {
  const CurrentDevice current(gpu_);
  return cuda::device_ms(stream_, work);
}

void GpuLabeler::wait() {
  const CurrentDevice current(gpu_);
  stream_.wait("labeling");
}

LabelImage GpuLabeler::labels() {
  const CurrentDevice current(gpu_);
  LabelImage image(extent_, count());
  ring_.download(labels_.data(), pitch() * sizeof(Label), image.data(),
                 static_cast<std::size_t>(extent_.width) * sizeof(Label),
                 static_cast<std::size_t>(extent_.rows()), stream_);
  return image;
}

Components GpuLabeler::components() {
  const CurrentDevice current(gpu_);
  return download_components(ring_, stream_);
}

void GpuLabeler::add_sums(Label count, PhaseClock& phase) {
  const std::size_t words = static_cast<std::size_t>(count) * static_cast<std::size_t>(layout_.words);
  if (words == 0) return;
  sums_.reserve(words, "allocating sums of components");
  check(cudaMemsetAsync(sums_.data(), 0, words * sizeof(unsigned long long), stream_.get()), "clearing sums");
  enqueue_sums(layout_, sums_.data(), phase);
}

GatheredSums GpuLabeler::download_sums() {
  GatheredSums sums{layout_, {}};
  sums.words.resize(static_cast<std::size_t>(count()) * static_cast<std::size_t>(layout_.words));
  const std::size_t bytes = sums.words.size() * sizeof(std::uint64_t);
  ring_.download(sums_.data(), bytes, sums.words.data(), bytes, 1, stream_);
  return sums;
}

/// Enqueues statistics before waiting for the labels. Their time is measured from when the labels are
/// complete.
void GpuLabeler::add_components(Labeling& result, BitView image) {
  using Clock = std::chrono::steady_clock;
  labeled_.record(stream_.get(), "labeling");
  statistics(nullptr);
  labeled_.wait("labeling");
  const auto begin = Clock::now();
  result.components = components();
  if (has_sums()) result.sums = download_sums();
  check_components(result.components, image);
  result.statistics_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::unique_ptr<Label[]> GpuLabeler::download_run_labels(std::size_t runs) {
  if (run_starts_.total(stream_) != runs)
    throw Error(ErrorCode::internal, "the GPU has other runs than the image");
  auto labels = make_large_for_overwrite<Label>(runs);
  ring_.download(run_labels_.data(), runs * sizeof(Label), labels.get(), runs * sizeof(Label), 1, stream_);
  return labels;
}

Labeling GpuLabeler::label(BitView image) {
  const CurrentDevice current(gpu_);
  upload(image);
  numbering_ = Numbering::consecutive;
  Labeling result;
  if (elements() == 0) {
    result.labels = std::make_unique<LabelImage>(extent_, 0);
    return result;
  }
  run_starts_.reserve(bits(), connectivity_);
  run_labels_.reserve(run_starts_.most(), "allocating the labels");
  enqueue_phases(times_of(result), [&](PhaseClock& phase) {
    enqueue_components(phase);
    run_starts_.find(bits(), connectivity_, phase);
    enqueue_run_labels(run_starts_.counted(), run_labels_.data(), phase);
  });
  cpu::Bundles bundles(image, cpu::rows_of_bundle(connectivity_));
  std::vector<Index> runs_before = cpu::count_runs(bundles, cpu::cut_into_strips(bundles, 0));
  add_components(result, image);
  auto label_of_run = download_run_labels(runs_before.back());
  result.labels = std::make_unique<cpu::RunLabels>(std::move(bundles), std::move(runs_before),
                                                   std::move(label_of_run), count());
  return result;
}

void GpuLabeler::label_on_device(const DeviceImage& image, const DeviceLabels& labels,
                                 unsigned long long* count, cudaStream_t stream) {
  extent_ = image.extent;
  numbering_ = Numbering::consecutive;
  Word64* const bits = reserve_image(extent_);
  Label* const own_labels = reserve_labels(stream);
  PhaseClock phase{stream, nullptr};
  pack(image, static_cast<int>(words_per_row(extent_.width)), reinterpret_cast<std::uint32_t*>(bits), phase);
  enqueue_unpacking(phase);
  enqueue_labeling(Numbering::consecutive, own_labels, phase);
  copy_labels(own_labels, static_cast<std::int64_t>(pitch()), extent_, labels, phase);
  if (count != nullptr)
    check(cudaMemcpyAsync(count, count_on_host(), sizeof(*count), cudaMemcpyDefault, stream), "counting");
}

}  // namespace gpuccl::cuda
