#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/column.hpp"
#include "gpuccl/components.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/extent.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/periodic.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/slabs.hpp"
#include "gpuccl/value_slabs.hpp"
#include "gpuccl/value_type.hpp"

// One image or volume in parts that are labeled at the same time, by several GPUs, processes or hosts. Parts
// send each other what they know of the components at their faces; the labels are those of the whole.
namespace gpuccl {

using Message = std::vector<std::byte>;

/// How one of several parts talks to the others. All of them call scan() and gather() in the same order.
/// What a call throws is that another part has failed or is gone. scan() and gather() go through part 0,
/// where there is no better way.
class PartLink {
 public:
  virtual ~PartLink() = default;
  /// This one, from 0 on, and how many there are.
  virtual int part() const = 0;
  virtual int parts() const = 0;

  /// Does not wait for the other part to receive it. Messages to one part arrive in their order.
  virtual void send(int to, Message message) = 0;
  virtual Message receive(int from) = 0;

  struct Sums {
    std::uint64_t before = 0, all = 0;  // of the values of the parts before this one, of all parts
  };
  virtual Sums scan(std::uint64_t value);
  /// The messages of all parts, in their order.
  virtual std::vector<Message> gather(Message message);
};

/// The only part of an image that is not cut: a whole. Steps of parts then are those of a whole image, at no
/// further cost.
class SoloLink final : public PartLink {
 public:
  int part() const override { return 0; }
  int parts() const override { return 1; }
  /// Error (internal): there is no other part.
  void send(int to, Message message) override;
  Message receive(int from) override;
};

/// Runs `work` for each of so many parts in a thread of its own and returns when all are done. When one
/// throws, calls of the others' links throw too, and the first error goes on.
void run_parts(int parts, const std::function<void(PartLink& link)>& work);

/// As many parts, about equally large: slices of a volume, rows of a single slice. Where there are more parts
/// than these, the last ones are empty.
std::vector<Slab> cut_into_parts(Extent whole, int parts);

/// A slab with its own labels, and what each of them, and 0, is in the whole. Empty numbers: the same.
struct NumberedSlab {
  Slab slab;
  std::unique_ptr<LabelSource> labels;
  std::vector<Label> numbers;

  const Label* map() const { return numbers.empty() ? nullptr : numbers.data(); }
};

/// The labels of a whole, of which only rows of `slabs`, which are in ascending order, can be rendered.
std::unique_ptr<LabelSource> joined_labels(Extent extent, std::vector<NumberedSlab> slabs, Label count);

/// What a part is of the whole.
struct NumberedPart {
  NumberedSlab labels;
  Components components;               // that begin in the part and stay, as the whole sees them; those of
                                       // LabelOrder::size are all in part 0
  Column<ValueBits> values;            // of these, of an image of values
  Column<ValueBits> values_of_labels;  // the same of the part's own labels, unless it is the only part
  Measured measured;                   // the same, if they were measured
  std::uint64_t nans = 0;              // samples of these that are no number, if intensities were measured
  Label first = 0;                     // the label of the first of these is one more
  Label count = 0;                     // of labels of the whole
  std::uint64_t dropped = 0;           // by the selection, of the whole
  std::uint64_t largest = 0;           // elements of the largest component of the whole, before that

  // Until the selection, of several parts: labels of the whole, ascending, that the part has and that begin
  // before it, and those at its last slice, or row.
  std::vector<Label> before;
  std::vector<Label> at_last;
};

/// Numbers the labels of `slab` of a whole, after each part has labeled its own: all parts of `link` call it
/// with the slab of cut_into_parts() that is theirs, and with the same options. The result does not depend on
/// how many parts there are. `values`: of the part's components, of an image of values; then these connect
/// where values are equal, or with a delta where elements `at_faces` do. Messages and memory beside the
/// part's own components are of the size of two faces. The only part is taken as it is. Error (data) when
/// there are more components than labels.
NumberedPart unite_part(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity,
                        Labeled labeled, Column<ValueBits> values = {}, ValueFaces at_faces = {});

/// Then unites components across periodic borders, as wrap(), again all parts; returns how each that begins
/// in the part goes across them. Part 0 holds what lies at the borders, every part the components there.
/// Error as wrap().
std::vector<std::array<Wrap, 3>> wrap_part(PartLink& link, Extent whole, Connectivity connectivity,
                                           const PeriodicAxes& periodic, NumberedPart& part);

/// The cavities that begin in a part, of which unite_part() has numbered the background by complementary() of
/// the connectivity, for MeasureRequest::background: again all parts call it.
Labeled cavities_of_part(PartLink& link, Extent whole, Connectivity connectivity, NumberedPart background);
/// The same of a slab with labels of the background of the whole, from which components that touch the border
/// were dropped: `cavities` that begin in the slab, after so many in those before it.
Labeled cavities_of_slab(Extent whole, NumberedSlab background, Label before, Components cavities);

/// Then measures the components, again all parts. What is looked at around a part comes from others. Samples
/// are read in `alone`, which does what it is given, that waits for no other part: there it may see to it
/// that all parts fail when one does.
void measure_part(
    PartLink& link, Extent whole, const MeasureRequest& request, NumberedPart& part,
    const std::function<void(const std::function<void()>& work)>& alone = [](const auto& work) { work(); });

/// Then drops components and numbers those that stay, again all parts. Of `values` only type and apart are
/// looked at. The largest take 8 bytes for every component in every part, those of each value 16;
/// LabelOrder::size in part 0 all of the component.
void select_part(PartLink& link, Extent whole, Connectivity connectivity, const SelectionOptions& options,
                 NumberedPart& part, const ComponentValues& values = {});

/// What touches what in the whole, as find_contacts(), all of it in part 0: again all parts call it, when
/// components have been selected. Part 0 holds what lies at periodic borders.
std::vector<Contact> find_contacts_of_part(PartLink& link, Extent whole, Connectivity connectivity,
                                           const NumberedPart& part, const PeriodicAxes& periodic = {});
/// Which rows find_contacts_of_rows() looks at before those of a part.
RowsAround rows_touched_before(const Extent& extent, Connectivity connectivity);

/// Rows that lie at periodic borders, with labels of the whole: of those whose ends alone do, the first and
/// the last run.
struct BorderRows {
  std::vector<std::int64_t> rows;
  LabelRuns runs;
};
BorderRows list_border_rows(const NumberedSlab& slab, Extent whole, const PeriodicAxes& periodic);
/// What touches across periodic borders, of which `all` are the rows.
std::vector<Contact> find_contacts_across(Extent whole, Connectivity connectivity,
                                          const PeriodicAxes& periodic, const std::vector<BorderRows>& all);

/// Unites an image in memory, with `label` for each part in a thread of its own. The labels look at the
/// image.
Labeled label_in_parts(BitView image, Connectivity connectivity, int parts,
                       const std::function<Labeled(int part, BitView slab)>& label);

/// What slabs of one image that were labeled one by one are of the whole.
struct JoinedSlabs {
  Components components;
  Column<ValueBits> values;                 // of these, of an image of values
  std::vector<std::vector<Label>> numbers;  // NumberedSlab::numbers of each slab
};

/// Joins `slabs`, in ascending order and none of them empty, of which labeled(i) has the labels and
/// components of one, and if it is an image of values these and faces_of(): of its labels only runs of the
/// first and of the last slice, or row, are asked for.
JoinedSlabs join_slabs(Extent extent, Connectivity connectivity, const std::vector<Slab>& slabs,
                       const std::function<SlabToJoin(std::size_t i)>& labeled);

/// Measures what `slab` has of `components`, which are those of ascending `labels` of the whole, to be added
/// to measure_nothing(). `slabs`: that one, and those that have rows_measured_around() it.
Measured measure_slab(Extent whole, const Slab& slab, std::vector<NumberedSlab> slabs,
                      const std::vector<Label>& labels, const Components& components,
                      const MeasureRequest& request);

}  // namespace gpuccl
