#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cpu/phase_clock.hpp"
#include "cpu/runs/value_labels.hpp"
#include "cuda/cuda.hpp"
#include "cuda/runs/host/enqueue.cuh"
#include "cuda/runs/values/planes.cuh"
#include "cuda/runtime/device.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl::cuda::runs {

/// Labels multi-label images in host memory. Downloads one label per run.
template <Connectivity connectivity>
class DeviceValueLabeler final : public ValueLabeler {
 public:
  DeviceValueLabeler(int gpu, LinkWidth width) : gpu_(gpu), width_(width) {}

  void time_phases(bool timed) override { timed_ = timed; }

  ValueLabeling label(ValueImage& image) override {
    const CurrentDevice current(gpu_);
    if (image.extent().elements() == 0) return label_values(std::move(image), connectivity);
    check_sums(image.extent());
    std::vector<Index> runs_before = cpu::count_runs_before(image);
    const std::size_t runs = runs_before.back();

    ValueLabeling result;
    const DeviceValues values = upload(image);
    const TiledImage frame = reserve(image.extent(), runs);
    with_links(needs_wide_links<Tile>(frame, width_), [&]<class Link>() {
      enqueue<Link>(frame, values, runs, timed_ ? &result.labeled.phases : nullptr);
    });
    labeled_.wait("labeling");
    result.labeled.statistics_ms =
        cpu::milliseconds([&] { result.labeled.components = components_.download(ring_, stream_); });
    auto labels = make_large_for_overwrite<Label>(runs);
    ring_.download(run_labels_.data(), runs * sizeof(Label), labels.get(), runs * sizeof(Label), 1, stream_);
    const Label count = count_components(memory_.first(), stream_);
    result.values = cpu::values_of_components(image, labels.get(), count);
    result.labeled.labels = std::make_unique<cpu::ValueLabels>(std::move(image), std::move(runs_before),
                                                               std::move(labels), count);
    return result;
  }

 private:
  using Tile = ValueTileFor<connectivity>;

  TiledImage reserve(Extent extent, std::size_t runs) {
    const TiledImage lengths = frame_of<Tile>(nullptr, extent, (extent.width - 1) / kWordBits + 1);
    const std::int64_t words = TableLengths<Tile>(lengths).first.words;
    planes_.reserve(static_cast<std::size_t>(words) * ValuePlanes<connectivity>::kAll,
                    "allocating planes of values");
    with_links(needs_wide_links<Tile>(lengths, width_),
               [&]<class Link>() { memory_.template reserve<Tile, Link>(lengths); });
    starts_.reserve(words, "allocating for runs");
    run_labels_.reserve(runs, "allocating the labels");
    return frame_of<Tile>(planes_.data(), extent, lengths.pitch);
  }

  DeviceValues upload(const ValueImage& image) {
    const Extent extent = image.extent();
    const std::size_t of_row = static_cast<std::size_t>(extent.width) * bytes_of(image.type());
    const auto rows = static_cast<std::size_t>(extent.rows());
    values_.reserve(rows * of_row, "allocating the image");
    ring_.upload(
        of_row, rows,
        [&](std::size_t row, std::size_t begin, std::size_t end, std::byte* to) {
          cpu::draw_values(image, static_cast<std::int64_t>(row), begin, end, to);
        },
        values_.data(), stream_);
    return {values_.data(), image.type(), image.delta(), static_cast<std::int64_t>(of_row),
            static_cast<std::int64_t>(of_row) * extent.height};
  }

  /// Enqueues labeling and statistics. Statistics are in the stream before the host waits for the labels.
  template <class Link>
  void enqueue(const TiledImage& frame, const DeviceValues& values, std::size_t runs, PhaseTimes* times) {
    memory_.first().expect_next();
    starts_.expect_next();
    const LabelState<Link> tables = memory_.template tables<Link>();
    PhaseClock phase{stream_.get(), times};
    find_planes(connectivity, frame, values, planes_.data(), phase);
    enqueue_numbering<Tile>(frame, FromBits{}, tables, phase);
    const Bitmap starts = starts_.bitmap();
    clear_padding(starts, stream_.get());
    clear_progress(starts, stream_.get());
    mark_runs(frame, starts, phase);
    count_bits("CountRuns", starts, phase);
    if (starts_.total(stream_) != runs)  // the allocated number
      throw Error(ErrorCode::internal, "the GPU has other runs than the image");
    enqueue_run_labels<Tile>(frame, tables, starts.counted(), run_labels_.data(), phase);
    phase.finish();
    labeled_.record(stream_.get(), "labeling");
    PhaseClock untimed{stream_.get(), nullptr};
    const Label count = count_components(memory_.first(), stream_);
    enqueue_statistics<Tile>(frame, tables, components_.reserve(count), nullptr, untimed);
  }

  int gpu_;
  LinkWidth width_;
  bool timed_ = false;
  Stream stream_;
  PinnedRing ring_;
  Event labeled_{Event::Purpose::waiting};
  DeviceBuffer<std::byte> values_;
  DeviceBuffer<Word> planes_;
  TableMemory memory_;
  BitmapMemory starts_;
  DeviceBuffer<Label> run_labels_;
  ComponentMemory components_;
};

// 2D has a translation unit of its own, because each half takes long to compile.
std::unique_ptr<ValueLabeler> make_value_labeler_2d(int gpu, Connectivity connectivity, LinkWidth width);

}  // namespace gpuccl::cuda::runs
