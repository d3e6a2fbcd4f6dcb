#include "cpu/runs/run_labels.hpp"

#include <algorithm>
#include <utility>

#include "cpu/runs/label_rows.hpp"
#include "cpu/runs/row_writer.hpp"

namespace gpuccl::cpu {
namespace {

/// Returns the label if all runs have the same one, otherwise 0.
Label only_label(const Label* labels, Index runs) {
  Label differences = 0;
  for (Index run = 1; run < runs; ++run) differences |= labels[run] ^ labels[0];
  return runs > 0 && differences == 0 ? labels[0] : 0;
}

}  // namespace

template <class T>
void RunLabels::draw(std::int64_t first_row, std::int64_t rows, T* out, const Label* map) const {
  const Extent extent = bundles_.image().extent;
  const bool by_vectors = extent.width <= kWidestDrawn && can_draw_label_rows();
  BundleLabels labels;
  std::int64_t labels_are_of = -1;
  int y = static_cast<int>(first_row % extent.height), z = static_cast<int>(first_row / extent.height);
  for (; rows > 0; --rows, out += extent.width) {
    if (by_vectors) {
      Bundles::BundlePosition place = bundles_.holding(y, z);
      const BundleRows bundle = bundles_.rows(place);
      if (std::exchange(labels_are_of, place.bundle) != place.bundle) {
        const Label* const first = labels_of(place);
        bundles_.next(place);
        labels.assign(first, labels_of(place), map);
      }
      draw_label_row(bundles_.row_set(), bundle, bundles_.image().row(y, z), extent.width, labels.data(),
                     out);
    } else {
      draw_row(*this, y, z, out, map);
    }
    if (++y == extent.height) {
      y = 0;
      ++z;
    }
  }
}

void RunLabels::render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const {
  std::visit([&](auto* to) { draw(first_row, rows, to, map); }, out);
}

void RunLabels::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const {
  list_rows(*this, first_row, rows, out, map);
}

/// Lists the spans of a bundle, whose rows share labels.
template <RowSet set>
void RunLabels::add_spans(const Bundles::BundlePosition& place, LabelRuns& out) const {
  const BundleRows rows = bundles_.rows(place);
  const Label* label = labels_of(place);
  const auto bundle = static_cast<std::size_t>(place.bundle);
  if (const Label only = only_label(label, runs_before_[bundle + 1] - runs_before_[bundle]); only != 0) {
    int first = 0, last = bundles_.words() - 1;
    while (united_word<set>(rows, first) == 0) ++first;
    while (united_word<set>(rows, last) == 0) --last;
    out.runs.push_back({first * kWordBits + std::countr_zero(united_word<set>(rows, first)),
                        last * kWordBits + static_cast<int>(std::bit_width(united_word<set>(rows, last))),
                        only});
    return;
  }
  LabelRun span;  // the last span, extended while its label continues
  Word left = 0;
  for (int i = 0; i < bundles_.words(); ++i) {
    const Word word = united_word<set>(rows, i);
    if (word == 0) {
      left = 0;
      continue;
    }
    const int x = i * kWordBits;
    const Label* const end = label + std::popcount(run_starts(word, left));
    if (std::all_of(label, end, [&](Label other) { return other == span.label; })) {
      label = end;
    } else {
      Word rest = word;
      if ((left >> (kWordBits - 1) & rest & 1) != 0) {
        span.end = x + std::countr_one(rest);
        rest &= rest + 1;  // removes the lowest run
      }
      for (; rest != 0; rest &= rest + (rest & -rest), ++label) {
        const int first = std::countr_zero(rest);
        if (*label != span.label) {
          if (span.label != 0) out.runs.push_back(span);
          span = {x + first, 0, *label};
        }
        span.end = x + first + std::countr_one(rest >> first);
      }
    }
    span.end = x + static_cast<int>(std::bit_width(word));
    left = word;
  }
  if (span.label != 0) out.runs.push_back(span);
}

void RunLabels::list_spans(std::int64_t first_row, std::int64_t rows, LabelRuns& out) const {
  const std::int64_t height = bundles_.image().extent.height;
  out.runs.clear();
  out.ends.clear();
  std::int64_t last = -1;  // the bundle whose spans are last, from `begin` on
  std::size_t begin = 0;
  for (std::int64_t row = first_row; row < first_row + rows; ++row) {
    const Bundles::BundlePosition place =
        bundles_.holding(static_cast<int>(row % height), static_cast<int>(row / height));
    const std::size_t end = out.runs.size();
    if (place.bundle == last) {
      out.runs.resize(2 * end - begin);
      std::copy_n(out.runs.data() + begin, end - begin, out.runs.data() + end);
    } else if (bundles_.row_set() == 0b1111) {
      add_spans<0b1111>(place, out);
    } else if (bundles_.row_set() == 0b0011) {
      add_spans<0b0011>(place, out);
    } else {
      add_spans<0b0001>(place, out);
    }
    last = place.bundle;
    begin = end;
    out.ends.push_back(out.runs.size());
  }
}

RunLabels RunLabels::part(BitView image, std::int64_t first_row, Label before, Label count) const {
  Bundles bundles(image, bundles_.row_set());
  const Index* const first = runs_before_.data() + first_row / bundles.height();
  std::vector<Index> runs_before(static_cast<std::size_t>(bundles.count()) + 1);
  std::transform(first, first + runs_before.size(), runs_before.begin(),
                 [first](Index runs) { return runs - *first; });
  auto labels = std::make_unique_for_overwrite<Label[]>(runs_before.back());
  std::transform(label_of_run_.get() + *first, label_of_run_.get() + *first + runs_before.back(),
                 labels.get(), [before](Label label) { return label - before; });
  return {std::move(bundles), std::move(runs_before), std::move(labels), count};
}

}  // namespace gpuccl::cpu
