#include <chrono>

#include "cuda/labelers/gpu_labeler.cuh"

namespace gpuccl::cuda {

void GpuLabeler::upload(BitView image) {
  const CurrentDevice here(gpu_);
  extent_ = image.extent;
  words_a_row_ = image.row_pitch;
  enqueue_upload(image, ring_, stream_);
}

Label* GpuLabeler::reserve_labels(int bytes_a_label) {
  if (labels_.data() == nullptr) labels_ = downloads_->on_device.take();
  labels_.reserve(elements() * static_cast<std::size_t>(bytes_a_label) / sizeof(Label),
                  "allocating the labels");
  enqueue_clearing(labels_.data(), stream_);
  return labels_.data();
}

void GpuLabeler::allocate() {
  const CurrentDevice here(gpu_);
  reserve_labels(sizeof(Label));
}

void GpuLabeler::release() {
  const CurrentDevice here(gpu_);
  labels_.release();
}

template <class Enqueue>
void GpuLabeler::enqueue_phases(PhaseTimes* times, Enqueue enqueue) {
  if (elements() == 0) return;
  PhaseClock phase{stream_.get(), times, accesses()};
  enqueue(phase);
  phase.finish();
}

void GpuLabeler::run(Numbering numbering, PhaseTimes* times) {
  const CurrentDevice here(gpu_);
  numbering_ = numbering;
  enqueue_phases(times, [&](PhaseClock& phase) { enqueue_labeling(numbering, labels_.data(), phase); });
}

int GpuLabeler::enqueue_compact(PhaseClock& phase) {
  enqueue_labeling(Numbering::consecutive, reserve_labels(sizeof(Label)), phase);
  return sizeof(Label);
}

Label GpuLabeler::count() {
  if (elements() == 0 || numbering_ == Numbering::provisional) return 0;
  return download_count(ring_, stream_);
}

void GpuLabeler::statistics(PhaseTimes* times) {
  const CurrentDevice here(gpu_);
  const Label components = count();
  PhaseClock phase{stream_.get(), times};
  enqueue_statistics(components, labels_.data(), phase);
  phase.finish();
}

double GpuLabeler::device_ms(const std::function<void()>& work) {
  const CurrentDevice here(gpu_);
  return cuda::device_ms(stream_, work);
}

void GpuLabeler::wait() {
  const CurrentDevice here(gpu_);
  stream_.wait("labeling");
}

LabelImage GpuLabeler::labels() {
  const CurrentDevice here(gpu_);
  LabelImage image(extent_, count());
  ring_.download(labels_.data(), pitch() * sizeof(Label), image.data(),
                 static_cast<std::size_t>(extent_.width) * sizeof(Label),
                 static_cast<std::size_t>(extent_.rows()), stream_);
  return image;
}

Components GpuLabeler::components() {
  const CurrentDevice here(gpu_);
  return download_components(ring_, stream_);
}

/// Statistics are enqueued before the labels are complete; their time is what they take from then on.
void GpuLabeler::add_components(Labeled& result, BitView image) {
  using Clock = std::chrono::steady_clock;
  labelled_.record(stream_.get(), "labeling");
  statistics(nullptr);
  labelled_.wait("labeling");
  const auto begin = Clock::now();
  result.components = components();
  check_components(result.components, image);
  result.statistics_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Labeled GpuLabeler::label(BitView image) {
  const CurrentDevice here(gpu_);
  upload(image);
  allocate();
  Labeled result;
  run(Numbering::consecutive, times_of(result));
  add_components(result, image);
  result.labels = std::make_unique<LabelImage>(labels());
  return result;
}

Labeled GpuLabeler::label_in_windows(BitView image, std::size_t window_bytes) {
  const CurrentDevice here(gpu_);
  upload(image);
  numbering_ = Numbering::consecutive;
  Labeled result;
  int bytes_a_label = sizeof(Label);
  enqueue_phases(times_of(result), [&](PhaseClock& phase) { bytes_a_label = enqueue_compact(phase); });
  add_components(result, image);
  const LabelLayout layout{gpu_, extent_, count(), pitch(), bytes_a_label};
  result.labels = bring_down(layout, labels_, window_bytes, stream_, downloads_);
  return result;
}

}  // namespace gpuccl::cuda
