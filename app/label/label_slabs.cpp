#include "app/label/label_slabs.hpp"

#include <algorithm>
#include <memory>

#include "app/common/messages.hpp"
#include "app/common/stopwatch.hpp"
#include "gpuccl/count_runs.hpp"
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

Labeled label_slab(Engine& engine, BitView slab, Connectivity connectivity, SlabTotals& totals) {
  EngineReport report;
  Labeled labeled = engine.label(slab, connectivity, &report);
  if (totals.elements == 0) {
    totals.engine = report;
  } else {
    totals.engine.start_up_ms += report.start_up_ms;
    totals.engine.label_ms += report.label_ms;
  }
  totals.elements += slab.extent.elements();
  totals.foreground += count_foreground(slab);
  totals.most_runs_in_row = std::max(totals.most_runs_in_row, count_runs(slab).most_in_row);
  return labeled;
}

}  // namespace

Labeled label_slabs(const std::string& path, io::Reader& reader, Engine& engine, Connectivity connectivity,
                    const MemoryPlan& plan, const std::function<void(double)>& progress, SlabTotals& totals) {
  const Extent extent = reader.info().extent;
  const auto now = std::make_shared<SlabTotals>();  // goes on when `totals` is final
  SlabWork work;
  work.max_kept = plan.max_kept;
  work.looks_ahead = plan.looks_ahead;
  work.read = [&path, &reader, now](const Slab& slab, BitVolume& out) {
    const Stopwatch reading;
    io::concerning(path, [&] { read_slab(reader, slab, out); });
    now->read_ms += reading.milliseconds();
  };
  work.label = [&path, &engine, connectivity, progress, all = extent.elements(), now](BitView slab) {
    Labeled labeled = io::concerning(path, [&] { return label_slab(engine, slab, connectivity, *now); });
    if (now->elements <= all) progress(static_cast<double>(now->elements) / static_cast<double>(all));
    return labeled;
  };
  Labeled labeled = label_by_slabs(extent, connectivity, plan.slabs, std::move(work));
  totals = *now;
  return labeled;
}

}  // namespace gpuccl::app
