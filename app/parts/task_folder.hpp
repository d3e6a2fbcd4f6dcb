#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpuccl/components.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/measures.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/file_error.hpp"
#include "io/parts/checked_file.hpp"
#include "io/parts/stored_labels.hpp"

namespace gpuccl::app {

inline constexpr int kMostParts = 65535;

// Sections of the files that tasks leave.
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
  kOfLabels = kRuns + io::kRunSections,
  kFirstElements = kOfLabels,  // these two with a delta: ValueFaces
  kLastElements,
  kOfLabelsWithElements
};
constexpr std::size_t of_labels(double delta) { return delta > 0 ? kOfLabelsWithElements : kOfLabels; }
// Sections of labels of a part's background, with --fill-holes; stored as OfLabels.
enum OfHoles : std::size_t {
  kOfBackground,  // labels_id() of it
  kStays,         // for 0, and for each of its labels: 1 if that stays background, 0 if it is of a hole
  kHoleCounts,    // HoleCounts of the whole
  kOfHoles
};
// Sections of parts whose components are measured, before any is dropped.
enum OfUnited : std::size_t {
  kIds,           // by OfIds
  kUnited,        // the label in the whole of each label of the part, and of 0
  kThere,         // those of them, ascending
  kThereAsWhole,  // as components
  kCavityNumbers =
      kThereAsWhole + kOfComponents,  // from here on CavitiesOfPart, which has none if none are counted
  kCavitiesBefore,
  kCavities,
  kOfUnited = kCavities + kOfComponents
};
// JoinedParts::id(), labels_id() of the part and of its background, 0 if that was not labeled.
enum OfIds : std::size_t { kOfJoined, kOfPart, kOfCavities, kOfIds };
enum OfMeasures : std::size_t { kSums, kOfMeasures = kSums + kOfMeasured };
enum OfNumbers : std::size_t {
  kNumbers,
  kFirst,
  kStay,
  kStayValues = kStay + kOfComponents,
  kStayMeasured,
  kOfNumbers = kStayMeasured + kOfMeasured
};
enum OfStretch : std::size_t {
  kImage,
  kImageSizes,
  kTable,
  kRows,
  kContacts,
  kTimes,
  kOfStretch,
  kBorderRows = kOfStretch,  // these where contacts are found across periodic borders: BorderRows
  kBorderRuns,
  kBorderEnds,
  kOfStretchWithBorders
};
constexpr std::size_t of_stretch(bool with_borders) {
  return with_borders ? kOfStretchWithBorders : kOfStretch;
}
}  // namespace sections

/// Identity of a run: the words of its command without --part, and the input. All tasks of a run must agree.
struct TaskRun {
  std::vector<std::string> words;
  std::string input;  // LabelInput::state()
  int parts = 0;

  std::uint64_t id() const;
};

/// The folder in which the tasks of one run leave files for each other. A file has its name when it is
/// complete, and tells of which run and part it is.
class TaskFolder {
 public:
  /// `sync`: whether files reach the disk before they have their names.
  TaskFolder(std::string path, bool sync);

  /// Makes the folder that of `run`. `changed`: the input that differs from a state before, if one does.
  /// io::FileError (cannot_create) if it has other files, (usage) if it is of a run with other options,
  /// (data) if it is of another input.
  void begin(const TaskRun& run,
             const std::function<std::optional<std::string>(const std::string& before)>& changed);
  /// The run that the folder is of. io::FileError if it is of none.
  TaskRun open();
  const std::string& path() const { return path_; }
  std::string run_path() const { return path_ + "/run"; }

  std::string background_path(int part) const { return of_part("background", part); }
  std::string holes_path(int part) const { return of_part("holes", part); }
  std::string labels_path(int part) const { return of_part("labels", part); }
  std::string cavities_path(int part) const { return of_part("cavities", part); }
  std::string united_path(int part) const { return of_part("united", part); }
  std::string measures_path(int part) const { return of_part("measures", part); }
  std::string numbers_path(int part) const { return of_part("numbers", part); }
  std::string stretch_path(int part) const { return of_part("stretch", part); }
  std::string joined_path() const { return path_ + "/joined"; }
  std::string finished_path() const { return path_ + "/finished"; }
  const io::AtomicFile::Options& options() const { return options_; }
  int parts() const { return parts_; }

  // Tags of these files. `joined`: JoinedParts::id().
  io::FileTag background_tag(int part) const { return tag('b', run_, part); }
  io::FileTag holes_tag(int part) const { return tag('h', run_, part); }
  io::FileTag labels_tag(int part) const { return tag('l', run_, part); }
  io::FileTag cavities_tag(int part) const { return tag('c', run_, part); }
  io::FileTag united_tag(int part) const { return tag('u', run_, part); }
  io::FileTag measures_tag(int part, std::uint64_t joined) const { return tag('m', run_ ^ joined, part); }
  io::FileTag numbers_tag(int part, std::uint64_t joined) const { return tag('n', run_ ^ joined, part); }
  io::FileTag stretch_tag(int part, std::uint64_t joined) const { return tag('s', run_ ^ joined, part); }
  io::FileTag joined_tag() const { return tag('j', run_, 0); }
  io::FileTag finished_tag() const { return tag('f', run_, 0); }

  /// Removes all but what says that the run is finished.
  void clean() const;

 private:
  std::string of_part(const char* kind, int part) const;
  io::FileTag tag(char kind, std::uint64_t run, int part) const;
  void use(const TaskRun& run);
  TaskRun read_run() const;
  bool write(const TaskRun& run, bool overwrite) const;

  std::string path_;
  io::AtomicFile::Options options_;
  std::uint64_t run_ = 0;
  int parts_ = 0;
};

/// Components [begin, end) as sections::kOfComponents sections.
void put_components(io::CheckedFileWriter& file, const Components& components, std::size_t begin,
                    std::size_t end);
/// Reads the components of an image, or a slab of it, of this extent. Error (data).
Components take_components(const io::CheckedFile& file, std::size_t section, const Extent& extent,
                           bool is_periodic = false);

/// Writes the measures of components [begin, end) as kOfMeasured sections; empty ones if there are none.
void put_measured(io::CheckedFileWriter& file, const Measured& measured, std::size_t begin, std::size_t end);
/// Adds these, the first one to what was measured of components[0] and so on. Error (data).
void add_measured(const io::CheckedFile& file, std::size_t section, std::span<const std::size_t> components,
                  Measured& measured);

/// Whether such a file is there, complete and undamaged.
bool is_whole(const std::string& path, const io::FileTag& tag, std::size_t sections);

/// Does `work` on the file `path`; the error if that is missing or damaged ends in what to do about it.
template <class Work>
auto with_remedy(const std::string& path, const std::string& remedy, Work work) {
  try {
    return work();
  } catch (const io::FileError&) {
    throw;
  } catch (const Error& error) {
    const bool again = error.failure() == Failure::data || error.failure() == Failure::no_input;
    throw io::FileError(path, error.failure(), error.what() + (again ? "; " + remedy : ""),
                        error.system_code());
  }
}

}  // namespace gpuccl::app
