#pragma once

#include "cuda/labelers/gpu_labeler.cuh"
#include "cuda/runs/host/enqueue.cuh"
#include "cuda/runs/host/image_memory.cuh"
#include "cuda/runs/statistics/component_memory.cuh"

namespace gpuccl::cuda {

namespace runs {

/// The fast engine. Its labels are final, without a renumbering phase.
template <Connectivity connectivity, class Image = BitImage>
class RunsLabeler final : public GpuLabeler {
 public:
  explicit RunsLabeler(int gpu, Connectivity = connectivity, LinkWidth width = LinkWidth::as_needed)
      : GpuLabeler(gpu, connectivity), width_(width) {}

  int bits_per_element() const override { return Image::kBitsPerElement; }

 private:
  using Tile = TileFor<connectivity>;

  Word64* reserve_image(Extent extent) override {
    check_sums(extent);
    Word64* const to = image_.reserve(extent);
    if (bits().count() == 0) return to;
    wide_ = needs_wide_links<Tile>(frame(), width_);
    with_links([&]<class Link>() { memory_.template reserve<Tile, Link>(frame()); });
    return to;
  }

  void enqueue_unpacking(PhaseClock& phase) override { image_.unpack(phase); }

  void enqueue_labeling(Numbering, Label* labels, PhaseClock& phase) override {
    enqueue_components(phase);
    with_links([&]<class Link>() {
      enqueue_labels<Tile>(frame(), memory_.template tables<Link>(), PaddedRows{labels}, phase);
    });
  }

  BitRows bits() const override { return image_.rows(); }

  void enqueue_components(PhaseClock& phase) override {
    memory_.first().expect_next();
    with_links([&]<class Link>() {
      enqueue_numbering<Tile>(frame(), image_.source(), memory_.template tables<Link>(), phase);
    });
  }

  void enqueue_run_labels(CountedBits starts, Label* labels, PhaseClock& phase) override {
    with_links([&]<class Link>() {
      runs::enqueue_run_labels<Tile>(frame(), memory_.template tables<Link>(), starts, labels, phase);
    });
  }

  Label wait_for_count(const Stream& stream) override { return count_components(memory_.first(), stream); }
  const unsigned long long* count_on_host() override { return memory_.first().bitmap().total.count; }

  void enqueue_statistics(Label count, const Label*, PhaseClock& phase) override {
    const ComponentSums sums = components_.reserve(count);
    with_links([&]<class Link>() {
      runs::enqueue_statistics<Tile>(frame(), memory_.template tables<Link>(), sums, nullptr, phase);
    });
  }

  void enqueue_sums(const SumsLayout& layout, unsigned long long* sums, PhaseClock& phase) override {
    with_links([&]<class Link>() {
      gather_sums<connectivity>(frame(), memory_.template tables<Link>(), layout, sums, phase);
    });
  }
  bool gathers_sums() const override { return true; }

  Components download_components(PinnedRing& ring, const Stream& stream) override {
    return components_.download(ring, stream);
  }

  TiledImage frame() const {
    const BitRows rows = bits();
    return frame_of<Tile>(reinterpret_cast<const Word*>(rows.words), rows.extent,
                          static_cast<int>(rows.words_a_row * 2));
  }

  template <class Work>
  void with_links(const Work& work) const {
    runs::with_links(wide_, work);
  }

  LinkWidth width_;
  Image image_;
  bool wide_ = false;
  TableMemory memory_;
  ComponentMemory components_;
};

// Rows of the table of algorithms: `runs` reads bits; `runs-bytes` reads one byte per element and packs them
// in LocalMerge.
template <Connectivity connectivity>
using OfBits = RunsLabeler<connectivity, BitImage>;
template <Connectivity connectivity>
using OfBytes = RunsLabeler<connectivity, ByteImage>;

}  // namespace runs

// 2D has a translation unit of its own, because each half takes long to compile.
Variants runs_2d_variants();
Variants runs_bytes_2d_variants();

}  // namespace gpuccl::cuda
