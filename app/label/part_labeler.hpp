#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/label/label_input.hpp"
#include "app/label/memory_plan.hpp"
#include "app/label/report_builder.hpp"
#include "gpuccl/detail/count_runs.hpp"
#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl::app {

/// Runs `work`. If --device cuda is given and no GPU can be used, or its memory does not hold all values of a
/// label map, which it labels at once, the error names an alternative without a GPU.
template <class Work>
auto suggest_cpu(DeviceChoice device, bool of_values, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (device != DeviceChoice::cuda) throw;
    if (error.code() == ErrorCode::unavailable)
      throw Error(error.code(), std::string(error.what()) + "; use --device auto or cpu, without --gpus");
    if (error.code() == ErrorCode::memory && of_values)
      throw Error(error.code(), std::string(error.what()) + "; use --device cpu, without --gpus");
    throw;
  }
}

/// The rows of an input that one process or rank labels: all rows, or those of its part. They are labeled at
/// once, or slab by slab if memory is too small for that. It sends no messages. Steps throw Error; a step
/// that is called again throws the same Error.
class PartLabeler {
 public:
  /// Plans how `slab` of the input is labeled. `progress` receives the share of elements that were read, if
  /// there are slabs. `input` must outlive it. Error (memory) if not even the smallest slab fits.
  PartLabeler(LabelInput& input, const Slab& slab, std::function<void(double share)> progress = {});

  const Slab& slab() const { return slab_; }
  Extent extent() const { return work_.extent; }
  /// Returns the number of slabs; 0: labeled in one piece.
  std::size_t slabs() const { return plan_.slabs.size(); }
  MemoryBudget& budget() { return budget_; }
  const MemoryBudget& budget() const { return budget_; }
  /// Returns an estimate of the memory from here to the outputs: from the header, or from the image after a
  /// read() that was not allowed enough. At most the limit.
  std::int64_t needed_bytes() const { return needed_; }
  /// Returns the number of strips of the label image that may be written at a time.
  std::size_t strips_at_once() const { return budget_.strips_at_once(); }
  /// Returns the bytes that measuring may use in addition to the sums of components.
  std::int64_t left_to_measure() const {
    const std::int64_t memory = plan_.slabs.empty() ? budget_.allowed() : budget_.limit();
    return MemoryBudget::left_after(budget_.writing(0), memory);
  }

  /// Reads the rows, unless they are read slab by slab. False if labeling would take more memory than
  /// `allowed`: then call it again with needed_bytes().
  bool read(std::int64_t allowed = INT64_MAX);
  /// Frees the rows that were read.
  void forget();

  struct Labels {
    Labeling labeled;                       // labels are null if there are no rows; they refer to the piece
    UninitializedVector<ValueBits> values;  // of the components of a label map
    ValueFaces faces;                       // of a label map
  };

  /// Labels the background with the complementary() connectivity.
  Labeling label_background(Engine& engine);
  /// Fills holes before label(). `holes` has the labels of label_background(); labels whose number is not 0
  /// are holes (all labels if there are no numbers).
  void fill(SlabLabels holes);
  /// Continues with a background that another process has labeled. Call it instead of read(), before fill().
  void resume(PartFacts background);
  /// Labels the piece. Returns none if it must be called again, with smaller slabs, after fill(). Error
  /// (internal) if the components do not contain all foreground, (data) if the input has changed.
  std::optional<Labels> label(Engine& engine);
  /// Labels the background of `labels` for measures that need it (needs_background()). `labels`: of the
  /// piece, or null. The result refers to `bits`.
  Labeling label_background_of(const LabelRows* labels, Engine& engine, BitVolume& bits);

  /// Returns the report. It is complete after the image or its background has been labeled.
  const PartFacts& report() const { return report_; }
  const EngineReport& engine_report() const { return engine_report_; }

 private:
  using ReadSlab = std::function<void(const Slab& slab, BitVolume& out)>;
  struct Totals;

  bool is_empty() const { return work_.extent.elements() == 0; }
  bool is_read() const { return values_.has_value() || bits_.extent() == work_.extent; }
  Slab in_whole(const Slab& slab) const;
  double bytes_of_slices_behind() const;
  void reserve_slices();
  void plan_large(std::int64_t most = 0);
  void claim();
  void read_all(bool is_tight);
  void read_bits();
  void check_can_write() const;
  void read_slab(const Slab& slab, BitVolume& out) const;
  ValueImage read_values(const Slab& slab) const;
  Labels label_at_once(Engine& engine);
  ValueLabeling label_objects(ValueImage image, EngineReport& report) const;
  Labels label_values(ValueImage image, const Slab& slab, Engine& engine, EngineReport& report) const;
  void add_slab(Totals& totals, const EngineReport& report, std::int64_t elements) const;
  void look_ahead(const ValueImage& slab, std::int64_t before) const;
  std::optional<Labels> label_by_slabs(Engine& engine);
  Labeling label_bits_by_slabs(Engine& engine, const ReadSlab& read, Connectivity connectivity,
                               Totals& totals) const;
  Labels label_values_by_slabs(Engine& engine, Totals& totals) const;
  void use_smaller_slabs();

  LabelInput& input_;
  const Slab slab_;
  const bool is_whole_;
  const std::function<void(double)> progress_;
  LabelWork work_;
  MemoryPlan plan_;
  MemoryBudget budget_;
  std::int64_t held_ = 0, needed_ = 0;
  std::int64_t reserved_ = 0;  // bytes of the limit that slabs leave for contacts, outlines, chunks, decoders
  bool has_slices_ = false;    // whether reserved_ includes the slices of chunks

  BitVolume bits_;                    // empty if labeled by slabs, or by values
  std::optional<ValueImage> values_;  // of a label map, instead of bits_
  std::optional<SlabLabels> holes_;   // to fill in slabs
  bool is_filled_ = false;
  std::int64_t most_components_ = INT64_MAX;
  RunCounts runs_;
  std::uint64_t filled_ = 0;  // elements of holes
  PartFacts report_;
  EngineReport engine_report_;
};

/// Collective. Labels the pieces of all parts. `fill` fills the holes of `piece`, if that is requested; it is
/// called again when pieces need smaller slabs. Errors of the piece are about the file `path`.
PartLabeler::Labels label_piece(PartLink& link, PartLabeler& piece, const std::string& path, Engine& engine,
                                const std::function<void()>& fill);

}  // namespace gpuccl::app
