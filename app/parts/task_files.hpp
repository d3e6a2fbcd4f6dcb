#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "app/label/describe.hpp"
#include "app/label/label_input.hpp"
#include "app/label/piece.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "io/image/label_image.hpp"
#include "io/parts/checked_file.hpp"
#include "io/parts/stored_labels.hpp"
#include "io/parts/part_writer.hpp"

// Contents of the files that tasks and joining leave.
namespace gpuccl::app {

// Sections of the files.
namespace sections {
constexpr std::size_t kOfComponents = 4, kOfMeasured = 2;
enum OfRun : std::size_t { kWords, kInput, kOfRun };
enum OfLabels : std::size_t {
  kFound,  // its fields in the report
  kComponents,
  kValues = kComponents + kOfComponents,  // of these; empty of a binary image
  kFirstFace,
  kLastFace = kFirstFace + io::kRunSections,
  kRuns = kLastFace + io::kRunSections,
  kFirstElements = kRuns + io::kRunSections,  // these two: ValueFaces
  kLastElements,
  kOfLabels
};
// NumberedPart, as put_numbered() writes it: the label in the whole of each label of the part, and of 0; the
// first of its components, and these.
constexpr std::size_t kLabels = 0, kFirst = 1, kOwned = 2, kOfNumberedPart = kOwned + kOfComponents;
// Sections of labels of a part's background, with --fill-holes; stored as OfLabels.
enum OfHoles : std::size_t {
  kOfBackground,  // labels_id() of it
  kHoles,         // for 0, and for each of its labels: the number of the hole, 0 if it stays background
  kHoleCounts,    // HoleCounts of the whole
  kOfHoles
};
// Sections of parts whose components are measured, before any is dropped.
enum OfUnited : std::size_t {
  kIds,                                   // by OfIds
  kThere,                                 // the labels of the whole that the part has, ascending
  kUnited,                                // NumberedPart with these components
  kCavities = kUnited + kOfNumberedPart,  // NumberedPart; without components if none are counted
  kOfUnited = kCavities + kOfNumberedPart
};
// JoinedParts::id(), labels_id() of the part and of its background, 0 if that was not labeled.
enum OfIds : std::size_t { kOfJoined, kOfPart, kOfCavities, kOfIds };
enum OfMeasures : std::size_t { kSums, kOfMeasures = kSums + kOfMeasured };
enum OfNumbers : std::size_t {
  kNumbered,  // NumberedPart, with as many rows of the table as any other part has
  kStayValues = kNumbered + kOfNumberedPart,
  kStayMeasured,
  kOfNumbers = kStayMeasured + kOfMeasured
};
enum OfStretch : std::size_t {
  kImage,
  kTable = kImage + io::kLabelSections,
  kRows,
  kColors,  // these two: LabelTexts
  kProperties,
  kOutlines,
  kContacts,
  kTimes,
  kBorderRows,  // these three: BorderRows, where contacts are found across periodic borders
  kBorderRuns,
  kBorderEnds,
  kOfStretch
};
// JoinedParts.
enum OfJoined : std::size_t { kCounts, kOfEachPart, kValueTable, kReports, kOfJoinedParts };
}  // namespace sections

/// Writes the labels in the whole of a part, and components [begin, end), as sections::kOfNumberedPart
/// sections.
void put_numbered(io::CheckedFileWriter& file, const std::vector<Label>& labels, const Components& components,
                  std::size_t begin, std::size_t end);
/// Reads them from section `section` on. Error (data).
NumberedPart take_numbered(const io::CheckedFile& file, std::size_t section, const Extent& whole,
                           bool is_periodic = false);

/// Writes the measures of components [begin, end) as kOfMeasured sections; empty ones if there are none.
void put_measured(io::CheckedFileWriter& file, const Measured& measured, std::size_t begin, std::size_t end);
/// Adds these, the first one to what was measured of components[0] and so on. Error (data).
void add_measured(const io::CheckedFile& file, std::size_t section, std::span<const std::size_t> components,
                  Measured& measured);

/// A part that was labeled, as sections::OfLabels.
void put_part(io::CheckedFileWriter& file, const PieceReport& report, const Piece::Labels& labels,
              const Slab& slab, const Extent& whole);
/// The part as join_slabs() needs it: the runs of its labels are those of its faces. Error (data).
SlabToJoin take_part_to_join(const io::CheckedFile& file, const Slab& slab, const LabelInput& input,
                             double delta);
/// All rows of it, with other numbers for its labels, and for 0. The file was verified. Error (data).
NumberedSlab take_part(std::shared_ptr<const io::CheckedFile> file, const Slab& slab, const Extent& whole,
                       std::vector<Label> numbers);
/// Tells labels of a part from others.
std::uint64_t labels_id(const io::CheckedFile& file);

/// State of joined parts.
struct JoinedParts : ImageReport {
  std::vector<std::uint64_t> labels;                    // labels_id() of each part
  io::LabelType image_type = io::LabelType::automatic;  // that was asked for, or of values
  Label image_largest = 0;                              // label, or value instead of labels

  /// Returns an id that depends only on the labels.
  std::uint64_t id() const;
  void put(io::CheckedFileWriter& file) const;
  /// Error (data).
  static JoinedParts take(const io::CheckedFile& file, std::size_t parts);
};

}  // namespace gpuccl::app
