#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "common/add_runs.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/parts.hpp"
#include "measure/measure_rows.hpp"
#include "parts/message.hpp"
#include "parts/saved_sums.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {
namespace {

RowRange common(const RowRange& a, const RowRange& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

/// The rows of a part, and those of others around them, by numbers for its own components: those that begin
/// in it, those that begin before, and one for all others.
class RowsOfPart final : public LabelSource {
 public:
  RowsOfPart(PartLink& link, Extent whole, Connectivity connectivity, const NumberedPart& part)
      : extent_(whole),
        part_(part),
        own_(rows_of(part.labels.slab, whole)),
        others_(static_cast<Label>(part.components.size() + part.before.size() + 1)) {
    for (const Label label : part.labels.numbers) numbers_.push_back(number(label));
    exchange(link, rows_measured_around(whole, connectivity));
  }

  /// Of a label of the whole.
  Label number(Label label) const {
    if (label == 0) return 0;
    const auto owned = static_cast<Label>(part_.components.size());
    if (label > part_.first) return label - part_.first <= owned ? label - part_.first : others_;
    const auto at = std::lower_bound(part_.before.begin(), part_.before.end(), label);
    if (at == part_.before.end() || *at != label) return others_;
    return static_cast<Label>(owned + (at - part_.before.begin()) + 1);
  }

  const RowRange& own() const { return own_; }
  Extent extent() const override { return extent_; }
  Label count() const override { return others_; }
  void render(std::int64_t, std::int64_t, LabelsOut, const Label*) const override {
    throw Error(Failure::internal, "rows that are measured cannot be rendered");
  }
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label*) const override {
    out.runs.clear();
    out.ends.clear();
    const auto list = [&](const RowRange& range, const auto& add) {
      const RowRange some = common(range, {first_row, first_row + rows});
      if (some.begin < some.end) add(some.begin - range.begin, some.end - some.begin);
    };
    const auto list_around = [&](bool before) {
      for (const Around& around : around_)
        if ((around.rows.begin < own_.begin) == before)
          list(around.rows, [&](std::int64_t first, std::int64_t count) {
            append_rows(out, around.runs, static_cast<std::size_t>(first), static_cast<std::size_t>(count));
          });
    };
    list_around(true);
    list(own_, [&](std::int64_t first, std::int64_t count) {
      LabelRuns some;
      part_.labels.labels->list_runs(first, count, some, numbers_.data());
      append_rows(out, some, 0, some.ends.size());
    });
    list_around(false);
  }

 private:
  struct Around {
    RowRange rows;
    LabelRuns runs;
  };

  /// Sends rows to parts that they are around, and receives those around this one.
  void exchange(PartLink& link, const RowsAround& reach) {
    const std::vector<Slab> slabs = cut_into_parts(extent_, link.parts());
    const auto rows = [&](int part) { return rows_of(slabs[static_cast<std::size_t>(part)], extent_); };
    // What one part has of the rows around another.
    const auto around = [&](int one, int other) {
      const RowRange of = rows(other);
      if (of.begin >= of.end || one == other) return RowRange{};
      return common(rows(one), one < other ? RowRange{of.begin - reach.before, of.begin}
                                           : RowRange{of.end, of.end + reach.behind});
    };
    for (int other = 0; other < link.parts(); ++other)
      if (const RowRange mine = around(link.part(), other); mine.begin < mine.end) {
        LabelRuns runs;
        part_.labels.labels->list_runs(mine.begin - own_.begin, mine.end - mine.begin, runs,
                                       part_.labels.numbers.data());
        Message message;
        put(message, runs.runs);
        put(message, runs.ends);
        link.send(other, std::move(message));
      }
    for (int other = 0; other < link.parts(); ++other)
      if (const RowRange theirs = around(other, link.part()); theirs.begin < theirs.end) {
        TakenMessage message(link.receive(other));
        Around& here = around_.emplace_back(Around{theirs, {}});
        message.take(here.runs.runs);
        message.take(here.runs.ends);
        for (LabelRun& run : here.runs.runs) run.label = number(run.label);
      }
  }

  Extent extent_;
  const NumberedPart& part_;
  RowRange own_;
  Label others_;
  std::vector<Label> numbers_;  // of the part's own labels
  std::vector<Around> around_;
};

}  // namespace

Measured measure_slab(Extent whole, const Slab& slab, std::vector<NumberedSlab> slabs,
                      const std::vector<Label>& labels, const Components& components,
                      const MeasureRequest& request) {
  const auto others = static_cast<Label>(labels.size() + 1);
  for (NumberedSlab& one : slabs)
    for (Label& number : one.numbers) {
      if (number == 0) continue;
      const auto at = std::lower_bound(labels.begin(), labels.end(), number);
      number = at != labels.end() && *at == number ? static_cast<Label>(at - labels.begin() + 1) : others;
    }
  const RowRange rows = rows_of(slab, whole);
  return measure_rows(*joined_labels(whole, std::move(slabs), others), rows.begin, rows.end, components,
                      request);
}

void measure_part(PartLink& link, Extent whole, const MeasureRequest& request, NumberedPart& part) {
  if (needs_background(request))
    throw Error(Failure::usage, "cavities and tunnels need the background, which is not labelled in parts");
  const RowsOfPart rows(link, whole, request.connectivity, part);
  Components components;  // by RowsOfPart::number()
  for (const Components* some : {&std::as_const(part.components), &std::as_const(part.components_before)})
    for (std::size_t i = 0; i < some->size(); ++i) components.push_back((*some)[i]);
  Measured measured = measure_rows(rows, rows.own().begin, rows.own().end, components, request);

  // What is known of components that began before goes to the part before, until it is where they begin.
  const SlabFaces faces(part.labels.slab, whole, request.connectivity);
  if (faces.next) {
    TakenMessage message(link.receive(link.part() + 1));
    const auto labels = message.take<Label>();
    const SavedSums sums(message);
    for (std::size_t i = 0; i < labels.size(); ++i) measured.add_saved(rows.number(labels[i]) - 1, sums[i]);
  }
  if (faces.before) {
    SavedSums sums;
    for (std::size_t i = 0; i < part.before.size(); ++i) sums.add(measured, part.components.size() + i);
    Message message;
    put(message, part.before);
    sums.put_into(message);
    link.send(link.part() - 1, std::move(message));
  }
  part.measured = std::move(measured);
}

}  // namespace gpuccl
