#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "common/labels_in_memory.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "measure/measure.hpp"
#include "parts/message.hpp"
#include "slabs/faces.hpp"

namespace gpuccl {
namespace {

/// Numbers the components that a part measures: `owned` ones with labels above `first`, those with the
/// ascending labels `others`, and one number for all the rest.
class PartNumbers {
 public:
  PartNumbers(Label first, std::size_t owned, const std::vector<Label>& others)
      : first_(first), owned_(owned), others_(others) {}

  /// Returns the highest number.
  Label rest() const { return static_cast<Label>(owned_ + others_.size() + 1); }
  /// Returns the part's own number for a label of the whole image.
  Label operator()(Label label) const {
    if (label == 0) return 0;
    if (label > first_ && label - first_ <= owned_) return label - first_;
    const auto at = std::lower_bound(others_.begin(), others_.end(), label);
    if (at == others_.end() || *at != label) return rest();
    return static_cast<Label>(owned_ + static_cast<std::size_t>(at - others_.begin()) + 1);
  }

 private:
  Label first_;
  std::size_t owned_;
  const std::vector<Label>& others_;
};

/// Receives the components that begin before this part and extend into it. Each part sends those at its last
/// face to the next part.
std::vector<Component> receive_before(PartLink& link, const SlabFaces& faces, const PartResult& part) {
  std::vector<Component> before;
  const auto place = [](const std::vector<Label>& labels, Label label) {
    return static_cast<std::size_t>(std::lower_bound(labels.begin(), labels.end(), label) - labels.begin());
  };
  if (faces.before) {
    TakenMessage message(link.receive(link.part() - 1));
    const auto labels = message.take<Label>();
    const auto components = message.take<Component>();
    for (const Label label : part.before) before.push_back(components.at(place(labels, label)));
  }
  if (faces.next) {
    std::vector<Label> labels = part.at_last;
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    std::vector<Component> components;
    components.reserve(labels.size());
    for (const Label label : labels)
      components.push_back(label > part.first ? part.components[label - part.first - std::size_t{1}]
                                              : before.at(place(part.before, label)));
    Message message;
    put(message, labels);
    put(message, components);
    link.send(link.part() + 1, std::move(message));
  }
  return before;
}

/// Throws Error (data) if components exceed their bounding boxes or areas. Labels and components of a slab
/// may come from files that do not belong together, and buffers are only as large as boxes and areas imply.
void check_in_boxes(const LabelRows& labels, const RowRange& rows, const Components& components) {
  const int height = labels.extent().height;
  std::vector<std::uint64_t> areas(components.size());
  const auto check_row = [&](std::int64_t row, std::span<const LabelRun> runs) {
    const auto y = static_cast<int>(row % height), z = static_cast<int>(row / height);
    for (const LabelRun& run : runs) {
      if (run.label == 0 || run.label > components.size())
        continue;  // of other components, which are not measured
      const std::size_t i = run.label - std::size_t{1};
      const Box& box = components.box[i];
      areas[i] += static_cast<std::uint64_t>(run.end - run.begin);
      if (run.begin < box.min[0] || run.end - 1 > box.max[0] || y < box.min[1] || y > box.max[1] ||
          z < box.min[2] || z > box.max[2] || areas[i] > components.area[i])
        throw Error(ErrorCode::data, "has components that are smaller than their labels");
    }
  };
  for_each_row(labels, rows.begin, rows.end, nullptr, check_row);
}

}  // namespace

Labeling several_parts::cavities_of_part(PartLink& link, Extent whole, Connectivity connectivity,
                                         PartResult background) {
  several_parts::select_part(link, whole, complementary(connectivity), {.clear_border = true}, background,
                             {});
  return cavities_of_slab(whole, std::move(background.labels), background.first,
                          std::move(background.components));
}

Labeling cavities_of_slab(Extent whole, SlabLabels background, Label before, Components cavities) {
  const auto count = static_cast<Label>(cavities.size());
  for (Label& number : background.numbers)
    number = number > before && number - before <= count ? number - before : 0;
  std::vector<SlabLabels> slabs;
  slabs.push_back(std::move(background));
  return {joined_labels(whole, std::move(slabs), count), std::move(cavities), {}, 0};
}

MeasureTable measure_slab(Extent whole, const Slab& slab, std::vector<SlabLabels> slabs,
                          const std::vector<Label>& labels, const Components& components,
                          const MeasureRequest& request) {
  if (labels.size() != components.size()) throw Error(ErrorCode::data, "has other components than labels");
  const PartNumbers own(0, 0, labels);
  for (SlabLabels& one : slabs)
    for (Label& number : one.numbers) number = own(number);
  const RowRange rows = rows_of(slab, whole);
  const std::unique_ptr<LabelRows> joined = joined_labels(whole, std::move(slabs), own.rest());
  check_in_boxes(*joined, rows, components);
  return measure_rows(*joined, rows.begin, rows.end, components, request);
}

void several_parts::measure_part(PartLink& link, Extent whole, const MeasureRequest& request,
                                 PartResult& part,
                                 const std::function<void(const std::function<void()>& work)>& alone) {
  const SlabFaces faces(part.labels.slab, whole, request.connectivity);
  const std::vector<Component> before = receive_before(link, faces, part);
  const PartNumbers number(part.first, part.components.size(), part.before);
  const JoinedLabels rows = rows_of_part(link, whole, rows_measured_around(whole, request.connectivity), part,
                                         number, number.rest());
  const RowRange own = rows_of(part.labels.slab, whole);
  Components components;  // by PartNumbers
  for (std::size_t i = 0; i < part.components.size(); ++i) components.push_back(part.components[i]);
  for (const Component& component : before) components.push_back(component);
  MeasureTable measured;
  alone([&] { measured = measure_rows(rows, own.begin, own.end, components, request); });

  // Sums of components that began earlier travel up the chain to the part that owns them.
  if (faces.next) {
    TakenMessage message(link.receive(link.part() + 1));
    const auto labels = message.take<Label>();
    const SavedSums sums(message);
    for (std::size_t i = 0; i < labels.size(); ++i) add_saved(measured, number(labels[i]) - 1, sums[i]);
  }
  if (faces.before) {
    SavedSums sums;
    for (std::size_t i = 0; i < part.before.size(); ++i) sums.add(measured, part.components.size() + i);
    Message message;
    put(message, part.before);
    sums.put_into(message);
    link.send(link.part() - 1, std::move(message));
  }
  part.nans = derive_intensities(measured, part.components.size());
  part.measured = std::move(measured);
}

}  // namespace gpuccl
