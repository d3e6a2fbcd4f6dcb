#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/common/messages.hpp"
#include "app/label/label_input.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/part_labeler.hpp"
#include "app/label/report_builder.hpp"
#include "app/label/written_values.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/parts.hpp"
#include "io/write/preview.hpp"

namespace gpuccl::app {

/// The engine of this process. It starts when the first input has been opened, so a bad file never waits for
/// a device.
class LazyEngine {
 public:
  LazyEngine(const EngineOptions& options, Engine::Warn warn) : options_(options), warn_(std::move(warn)) {}
  /// Prints warnings of the engine as warnings about the input.
  LazyEngine(const LabelPaths& files, const LabelOptions& options);
  Engine& start() { return engine_ ? *engine_ : engine_.emplace(options_, warn_); }

 private:
  EngineOptions options_;
  Engine::Warn warn_;
  std::optional<Engine> engine_;
};

/// Labels one input: open, read, label, write, commit. Call these steps in this order. A whole image is one
/// part, over a SoloLink; of several parts, each has its own job, and all jobs take the same steps. A step
/// that fails throws io::FileError, or with several parts io::PartFailed in all of them. Then no output was
/// changed.
class Job {
 public:
  /// `link`, `files` and `options` must outlive the job. To be made before any file is opened: it holds on to
  /// the descriptors among the outputs. `signature`: signature_of() these options. `warn` is called
  /// by part 0 alone, and never with --quiet.
  Job(PartLink& link, const LabelPaths& files, const LabelOptions& options, std::string signature,
      WarnAbout warn);

  void open();
  const Extent& extent() const { return extent_; }
  /// Returns PartLabeler::needed_bytes().
  std::int64_t needed_bytes() const { return piece_->needed_bytes(); }
  /// Checks that all parts have opened the same input.
  void agree_on_input();
  // Between open() and read() a job may wait for admission; that time is not counted.
  /// As PartLabeler::read().
  bool read(std::int64_t allowed = INT64_MAX);
  /// Reads the input while the device starts. The engine must outlive the job.
  Engine& read(LazyEngine& engine);
  void forget() { piece_->forget(); }
  /// The engine must outlive the job: an input larger than memory is labeled again while it is written.
  void label(Engine& engine);
  void write();
  /// Syncs all outputs to the disk and gives them their names.
  void commit();

  /// Writes the outlines in COCO, after label() and before write().
  void write_coco(const io::TextSink& sink);

  const EngineReport& engine_report() const { return piece_->engine_report(); }
  /// Returns the components of this part, with their measures.
  const Components& components() const { return part_.components; }
  const MeasureTable& measured() const { return part_.measured; }
  const io::ValueColumn& value() const { return description_.report.value; }
  const io::Geometry& geometry() const { return input_->info().geometry; }
  /// Returns the number of components of the whole image.
  std::uint64_t count() const { return part_.count; }
  std::uint64_t dropped() const { return part_.dropped; }
  /// Returns the rows of this input, which may be a time point, for the table of inputs (--summary).
  std::string summary(std::optional<int> frame) const;
  const std::vector<std::string>& hints() const { return description_.report.hints; }
  const std::string& foreground_rule() const { return description_.report.input.foreground_rule; }
  /// Returns a PNG of the labels for the index of pages; empty without --view FOLDER/.
  const std::string& thumbnail() const { return thumbnail_; }
  /// Whether boxes and centroids have a z axis.
  bool volume() const { return input_->is_volume(); }
  double milliseconds() const { return total_.milliseconds() - waited_ms_; }

 private:
  template <class Work>
  void run_local(const std::string& path, Work work);
  template <class Work>
  void run_collective(Work work);
  bool is_first() const { return link_.part() == 0; }
  void fill_holes(Engine& engine);
  PartResult unite_background(const std::function<Labeling()>& label);
  void describe();
  void measure(Engine& engine);
  void select();
  WrittenValues written();
  ComponentTexts texts() const {
    return {files_,
            options_,
            description_.report,
            part_,
            {part_.first, is_first(), link_.part() + 1 == link_.parts()}};
  }
  void write_image();
  io::MappedLabels labels();
  io::Preview start_preview(const std::vector<io::NumberedComponent>& numbered) const;
  void write_preview();
  void write_outlines();
  /// Passes on a function that writes the outlines.
  void list_outlines(const std::function<void(const std::function<void(const io::TextSink&)>&)>& use);
  void write_contacts();
  void warn(const std::string& path, const std::string& line);

  PartLink& link_;
  const LabelPaths& files_;
  const LabelOptions& options_;
  WarnAbout warn_;
  Progress progress_;
  Stopwatch total_, since_;
  double waited_ms_ = 0;

  LabelStreams streams_;  // until there are outputs
  std::optional<LabelInput> input_;
  Extent extent_;
  std::optional<PartLabeler> piece_;
  std::optional<LabelOutputs> outputs_;
  RunFacts found_;
  PartResult part_;
  std::unique_ptr<LabelRows> no_labels_;  // of a part without rows
  GatheredSums sums_;
  std::vector<Contact> contacts_;
  ReportBuilder description_;
  std::vector<ValueBits> ids_;  // new values of the pieces of all parts (--split-values)
  std::string thumbnail_;
};

/// Summary of a labeled input.
struct LabelSummary {
  std::uint64_t components = 0;
  std::uint64_t dropped = 0;
  EngineReport engine;
  double milliseconds = 0;
  std::string foreground_rule;
};

/// Takes all steps for one input, which several processes may label. Afterwards all outputs are complete; or
/// it throws as Job does, and no output was changed.
LabelSummary label_file(PartLink& link, const LabelPaths& files, LabelOptions options, LazyEngine& engine);
/// Labels a whole image.
LabelSummary label_file(const LabelPaths& files, const LabelOptions& options, LazyEngine& engine);

}  // namespace gpuccl::app
