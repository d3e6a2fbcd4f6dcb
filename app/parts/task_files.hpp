#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/label/label_input.hpp"
#include "app/label/part_labeler.hpp"
#include "app/label/report_builder.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/file_error.hpp"
#include "io/image/label_image.hpp"
#include "io/parts/checked_file.hpp"
#include "io/parts/part_writer.hpp"

// The files that tasks and gpuccl join exchange, and their contents.
namespace gpuccl::app {

/// Kinds of files: all but the last two exist for each part.
enum class TaskFile {
  background,  // of a task, with --fill-holes: labels of the background
  holes,       // of a join: which of these are holes
  labels,      // of a task
  cavities,    // of a task, for measures that need it: labels of the background
  united,      // of a join: what a task needs to measure its components
  measures,    // of a task: sums of its components
  numbers,     // of a join: final labels, and components whose rows of tables the task writes
  stretch,     // of a task: its stretch of each output
  joined,      // of a join: JoinedParts
  finished     // the outputs of a finished run
};

/// A file of a run, whether it exists or not.
struct StoredFile {
  std::string path;
  io::FileTag tag;
  std::size_t sections = 0;
  std::string remedy;  // creates it again
  io::AtomicFile::Options options;

  bool exists() const;
  /// Returns whether it exists and check(file) finds no damage. io::FileError (io).
  bool is_valid(
      const std::function<void(const io::CheckedFile& file)>& check = &io::CheckedFile::verify) const;
  /// Returns work(file). Errors are about the file.
  template <class Work>
  auto read(Work work) const {
    return io::with_path(path, [&] { return work(io::CheckedFile(path, tag, sections)); });
  }
  /// As read(), for a file that must exist: if it is missing or damaged, the error ends in the remedy. EPERM
  /// has a remedy of its own.
  template <class Work>
  auto read_required(Work work) const {
    return io::with_path(path, [&] {
      try {
        return work(io::CheckedFile(path, tag, sections));
      } catch (const io::FileError&) {
        throw;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::data && error.code() != ErrorCode::no_input) throw;
        if (error.system_code() == EPERM) throw;
        throw io::FileError(path, error.code(), error.what() + ("; " + remedy), error.system_code());
      }
    });
  }
  /// Writes it with the sections that `write` adds.
  void write(const std::function<void(io::CheckedFileWriter& file)>& write) const;
};

// Sections of the files.
namespace sections {
constexpr std::size_t kOfComponents = 4, kOfMeasured = 2;
enum OfRun : std::size_t { kWords, kInput, kOfRun };
enum OfLabels : std::size_t {
  kReport,  // PartFacts
  kComponents,
  kValues = kComponents + kOfComponents,  // of the components of a label map
  kFirstFace,
  kLastFace = kFirstFace + io::kRunSections,
  kRuns = kLastFace + io::kRunSections,
  kFirstElements = kRuns + io::kRunSections,  // these two: ValueFaces
  kLastElements,
  kOfLabels
};
// PartResult: the final label of each label of the part, and of 0; the first of its components; these.
constexpr std::size_t kLabels = 0, kFirst = 1, kOwned = 2, kOfNumberedPart = kOwned + kOfComponents;
enum OfHoles : std::size_t {
  kOfBackground,  // labels_id() of the background
  kHoles,         // for 0 and each label of the background: the number of the hole; 0 if it is none
  kHoleCounts,    // HoleCounts of the whole image
  kOfHoles
};
// Components before the selection.
enum OfUnited : std::size_t {
  kSources,                               // UnitedSources
  kPresent,                               // labels of the whole image that the part has, ascending
  kUnited,                                // PartResult with these components
  kCavities = kUnited + kOfNumberedPart,  // PartResult; without components if none are counted
  kOfUnited = kCavities + kOfNumberedPart
};
enum OfMeasures : std::size_t { kSums, kOfMeasures = kSums + kOfMeasured };
// Components after the selection, divided evenly among the parts.
enum OfNumbers : std::size_t {
  kNumbered,  // PartResult
  kNumberedValues = kNumbered + kOfNumberedPart,
  kIds,          // their values with --split-values
  kIdsOfLabels,  // and that of each label of the part
  kNumberedMeasures,
  kOfNumbers = kNumberedMeasures + kOfMeasured
};
enum OfStretch : std::size_t {
  kImage,
  kTable = kImage + io::kLabelSections,
  kRows,
  kOutlines,
  kContacts,
  kMilliseconds,
  kBorderRows,  // these three: BorderRows, if contacts are found across periodic borders
  kBorderRuns,
  kBorderEnds,
  kOfStretch
};
enum OfJoined : std::size_t {
  kCounts,
  kImageType,
  kNans,
  kOfEachPart,
  kValueTable,
  kReports,
  kOfJoinedParts
};
}  // namespace sections

/// Identifies the labels that a file `united` was made from.
struct UnitedSources {
  std::uint64_t joined = 0;    // JoinedParts::id()
  std::uint64_t labels = 0;    // labels_id() of the part
  std::uint64_t cavities = 0;  // and of its background; 0 if that is not labeled

  friend bool operator==(const UnitedSources&, const UnitedSources&) = default;
};

/// Writes the final labels of a part, and components [begin, end), as kOfNumberedPart sections.
void write_numbered_part(io::CheckedFileWriter& file, const std::vector<Label>& labels,
                         const Components& components, std::size_t begin, std::size_t end);
/// Reads them from section `section` on. Error (data).
PartResult read_numbered_part(const io::CheckedFile& file, std::size_t section, const Extent& whole,
                              bool is_periodic = false);

/// Writes the measures of components [begin, end) as kOfMeasured sections; empty ones if there are none.
void write_measured(io::CheckedFileWriter& file, const MeasureTable& measured, std::size_t begin,
                    std::size_t end);
/// Adds them to `measured`: the first to that of components[0], and so on. Error (data).
void add_measured(const io::CheckedFile& file, std::size_t section, std::span<const std::size_t> components,
                  MeasureTable& measured);

/// Writes a labeled part as sections::OfLabels.
void write_labeled_part(io::CheckedFileWriter& file, const PartFacts& report,
                        const PartLabeler::Labels& labels, const Slab& slab, const Extent& whole);
/// Reads what join_slabs() needs of it: only the runs of its faces. Error (data).
SlabSummary read_slab_to_join(const io::CheckedFile& file, const Slab& slab, const LabelInput& input,
                              double delta);
/// Returns all its rows, with `numbers` for its labels and for 0. The file must be verified. Error (data).
SlabLabels stored_slab(std::shared_ptr<const io::CheckedFile> file, const Slab& slab, const Extent& whole,
                       std::vector<Label> numbers);
/// Returns an id that depends only on the labels of a part.
std::uint64_t labels_id(const io::CheckedFile& file);

/// State of joined parts.
struct JoinedParts : RunFacts {
  std::vector<std::uint64_t> labels;                    // labels_id() of each part
  io::LabelType image_type = io::LabelType::automatic;  // requested, or that of values
  Label image_largest = 0;                              // largest label, or value instead of labels

  /// Returns an id that depends only on the labels.
  std::uint64_t id() const;
  void write(io::CheckedFileWriter& file) const;
  /// Error (data).
  static JoinedParts read(const io::CheckedFile& file, std::size_t parts);
};

}  // namespace gpuccl::app
