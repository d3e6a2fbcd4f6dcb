#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/common/stopwatch.hpp"
#include "app/label/describe.hpp"
#include "app/label/label_measures.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/memory_plan.hpp"
#include "app/label/progress.hpp"
#include "app/label/value_labeling.hpp"
#include "gpuccl/bit_volume.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/count_runs.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/periodic.hpp"
#include "gpuccl/selection.hpp"
#include "io/image/label_image.hpp"
#include "io/read/reader.hpp"
#include "io/report/report.hpp"

namespace gpuccl::app {

/// One input on its way from samples to labels; the steps are called in the order they stand in. A step that
/// fails throws a io::FileError, and then no output was touched.
class LabelJob {
 public:
  /// Called with one line for the user about something odd but harmless in the file `path`; never with
  /// --quiet.
  using Warn = std::function<void(const std::string& path, const std::string& line)>;

  /// `files` and `options` must outlive the job. To be made before any file is opened: it holds on to the
  /// descriptors among the outputs.
  LabelJob(const LabelPaths& files, const LabelOptions& options, Warn warn);

  void open();
  const Extent& extent() const { return extent_; }
  /// Memory that the job takes from here to its outputs, as far as is known: by the header, and by the image
  /// after a read() that was not allowed enough. Never more than the limit.
  std::int64_t needed_bytes() const { return needed_; }
  // Between open() and read() a job may wait for admission; that time is not counted.
  /// Reads; false if the labeling would need more memory than is `allowed` to the job. It may be called again
  /// then with needed_bytes().
  bool read(std::int64_t allowed = INT64_MAX);
  /// Gives back the memory of an image that was read.
  void forget() {
    image_ = {};
    values_.forget();
  }
  /// The engine must outlive the job: labels of an input larger than memory are made again to be written.
  void label(Engine& engine);
  void write();
  /// Waits until everything is on the disk and gives the outputs their names.
  void commit();

  const EngineReport& engine_report() const { return engine_report_; }
  const Components& components() const { return selection_.components; }
  const Measured& measured() const { return measured_; }
  const io::Geometry& geometry() const { return input_.geometry; }
  /// The values of components(), of an image of values.
  const io::ValueColumn& value() const { return description_.report.value; }
  std::uint64_t dropped() const { return selection_.dropped; }
  /// Whether boxes and centroids have a z axis.
  bool volume() const { return extent_.depth > 1 || is_3d(connectivity_); }
  double milliseconds() const { return total_.milliseconds() - waited_ms_; }

 private:
  io::Compression compression() const;
  bool is_read() const { return values_.is_read() || image_.extent() == extent_; }
  double bytes_to_write(std::int64_t strips) const;
  double bytes_while_writing(std::int64_t strips) const;
  bool can_write(std::int64_t strips = 1) const;
  std::size_t strips_at_once() const;
  void estimate();
  void need(double bytes);
  void read_all(bool is_tight);
  void fill_holes(Engine& engine);
  std::int64_t label_at_once(Engine& engine);
  std::int64_t label_by_slabs(Engine& engine);
  double bytes_of_counts() const;
  double bytes_of_contacts() const;
  void wrap_components();
  void measure_components(Engine& engine);
  void select_wrapped();
  void find_contacts_of(const io::MappedLabels& labels);
  void write_values(io::AtomicFile& file);
  void write_image(io::AtomicFile& file, const io::MappedLabels& labels, io::LabelType asked);
  void warn(const std::string& path, const std::string& line);

  const LabelPaths& files_;
  const LabelOptions& options_;
  Warn warn_;
  Progress progress_;
  Stopwatch total_, since_;
  double waited_ms_ = 0;

  std::unique_ptr<io::Reader> reader_;
  Extent extent_;
  Connectivity connectivity_ = Connectivity::c8;
  LabelStreams streams_;  // until there are outputs
  std::unique_ptr<LabelOutputs> outputs_;
  LabelMeasures measures_;
  LabelWork work_;
  // Bytes: that the job may take at most, and now, that are held from the start, that come on top of
  // labeling, needed.
  std::int64_t limit_ = 0, allowed_ = 0, held_ = 0, beside_ = 0, needed_ = 0;
  MemoryPlan plan_;
  BitVolume image_;              // empty if labeled by slabs, or by values
  ValueLabeling values_;         // then in its place
  std::int64_t foreground_ = 0;  // of it
  // Of the input at most; counted where memory is tight.
  std::int64_t most_components_ = INT64_MAX;
  RunCounts runs_;
  io::ImageInfo input_;  // once read
  EngineReport engine_report_;
  Labeled labeled_;
  PieceReport piece_;
  std::optional<HoleCounts> holes_;
  Wrapped wrapped_;  // where opposite borders touch
  Measured measured_;
  Selection selection_;
  std::vector<Contact> contacts_;
  Description description_;
};

}  // namespace gpuccl::app
