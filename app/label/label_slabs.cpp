#include "app/label/label_slabs.hpp"

#include <algorithm>
#include <memory>

#include "app/common/messages.hpp"
#include "app/common/stopwatch.hpp"
#include "gpuccl/count_runs.hpp"
#include "gpuccl/holes.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::app {
namespace {

void read_slab(io::Reader& reader, const Slab& slab, BitVolume& out) {
  if (slab.y1 - slab.y0 == reader.info().extent.height) {
    reader.read(slab.z0, slab.z1, out);
  } else {
    reader.read_rows(slab.z0, slab.y0, slab.y1, out);
  }
}

/// Adds what labeled a slab. Its elements are added later.
void add_report(SlabTotals& totals, const EngineReport& report) {
  if (totals.elements == 0) {
    totals.engine = report;
  } else {
    totals.engine.start_up_ms += report.start_up_ms;
    totals.engine.label_ms += report.label_ms;
  }
}

Labeled label_slab(Engine& engine, BitView slab, Connectivity connectivity, SlabTotals& totals) {
  EngineReport report;
  Labeled labeled = engine.label(slab, connectivity, &report);
  add_report(totals, report);
  totals.elements += slab.extent.elements();
  totals.foreground += count_foreground(slab);
  totals.most_runs_in_row = std::max(totals.most_runs_in_row, count_runs(slab).most_in_row);
  return labeled;
}

using ReadSlab = std::function<void(const Slab& slab, BitVolume& out)>;

ReadSlab from_reader(const SlabInput& input) {
  return [&reader = input.reader](const Slab& slab, BitVolume& out) { read_slab(reader, slab, out); };
}

/// Labels what `read` brings.
Labeled label_read(const SlabInput& input, const ReadSlab& read, Connectivity connectivity,
                   const MemoryPlan& plan, SlabTotals& totals) {
  const Extent extent = input.reader.info().extent;
  const auto now = std::make_shared<SlabTotals>();  // goes on when `totals` is final
  SlabWork work;
  work.max_kept = plan.max_kept;
  work.looks_ahead = plan.looks_ahead;
  work.read = [&path = input.path, read, now](const Slab& slab, BitVolume& out) {
    const Stopwatch reading;
    io::concerning(path, [&] { read(slab, out); });
    now->read_ms += reading.milliseconds();
  };
  work.label = [&path = input.path, &engine = input.engine, connectivity, progress = input.progress,
                all = extent.elements(), now](BitView slab) {
    Labeled labeled = io::concerning(path, [&] { return label_slab(engine, slab, connectivity, *now); });
    if (now->elements <= all) progress(static_cast<double>(now->elements) / static_cast<double>(all));
    return labeled;
  };
  Labeled labeled = label_by_slabs(extent, connectivity, plan.slabs, std::move(work));
  totals = *now;
  return labeled;
}

}  // namespace

Labeled label_slabs(const SlabInput& input, Connectivity connectivity, const MemoryPlan& plan,
                    SlabTotals& totals) {
  return label_read(input, from_reader(input), connectivity, plan, totals);
}

LabeledValues label_value_slabs(const SlabInput& input, Connectivity connectivity, double delta,
                                const MemoryPlan& plan, SlabTotals& totals) {
  const Extent extent = input.reader.info().extent;
  const auto now = std::make_shared<SlabTotals>();  // goes on when `totals` is final
  const auto label = [&path = input.path, &reader = input.reader, &engine = input.engine, extent,
                      connectivity, delta, progress = input.progress, all = extent.elements(),
                      now](const Slab& slab) {
    return io::concerning(path, [&] {
      const Stopwatch reading;
      ValueImage image = reader.read_values(slab.z0, slab.z1, delta);
      now->read_ms += reading.milliseconds();
      const std::int64_t elements = image.extent().elements();
      now->foreground += image.count_foreground();
      now->most_runs_in_row = std::max(now->most_runs_in_row, image.most_runs_in_row());
      EngineReport report;
      ValueFaces faces = faces_of(image, slab, extent, connectivity);
      LabeledValues labeled = engine.label_values(std::move(image), connectivity, &report);
      add_report(*now, report);
      now->elements += elements;
      if (now->elements <= all) progress(static_cast<double>(now->elements) / static_cast<double>(all));
      return SlabToJoin{std::move(labeled.labeled), std::move(labeled.values), std::move(faces)};
    });
  };
  LabeledValues labeled = label_values_by_slabs(extent, connectivity, plan.slabs, label, plan.max_kept);
  totals = *now;
  return labeled;
}

Labeled label_filled_slabs(const SlabInput& input, Connectivity connectivity, std::uint64_t max_size,
                           const MemoryPlan& plan, SlabTotals& totals, io::FilledHoles& filled) {
  const Stopwatch filling;
  const ReadSlab read = from_reader(input);
  const auto read_inverted = [read](const Slab& slab, BitVolume& out) {
    read(slab, out);
    invert(out);
  };
  SlabTotals of_background;
  Labeled background = label_read(input, read_inverted, complementary(connectivity), plan, of_background);
  const auto holes = std::make_shared<const Holes>(std::move(background), !is_3d(connectivity), max_size);
  filled = {.count = holes->count(),
            .elements = holes->elements(),
            .milliseconds = filling.milliseconds() - of_background.read_ms};

  const auto draw_filled = [holes, height = input.reader.info().extent.height](const Slab& slab,
                                                                               BitVolume& out) {
    holes->draw_filled(static_cast<std::int64_t>(slab.z0) * height + slab.y0, out);
  };
  Labeled labeled = label_read(input, draw_filled, connectivity, plan, totals);
  filled.milliseconds += totals.read_ms;
  totals.read_ms = of_background.read_ms;
  totals.foreground -= static_cast<std::int64_t>(holes->elements());
  return labeled;
}

Labeled label_background(const SlabInput& input, const LabelSource& labels, Connectivity connectivity,
                         const MemoryPlan& plan) {
  const auto draw = [&labels](const Slab& slab, BitVolume& out) {
    draw_background(labels, static_cast<std::int64_t>(slab.z0) * labels.extent().height + slab.y0, out);
  };
  SlabTotals of_background;
  return label_read(input, draw, complementary(connectivity), plan, of_background);
}

}  // namespace gpuccl::app
