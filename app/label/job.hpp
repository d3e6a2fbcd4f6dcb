#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/common/status_line.hpp"
#include "app/common/stopwatch.hpp"
#include "app/label/describe.hpp"
#include "app/label/label_input.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/piece.hpp"
#include "app/label/written_values.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/objects.hpp"
#include "gpuccl/parts.hpp"
#include "io/write/preview.hpp"

namespace gpuccl::app {

/// The engine of this process. Started when the first input has turned out to be readable: a bad file never
/// waits for a device.
class LazyEngine {
 public:
  LazyEngine(const EngineOptions& options, Engine::Warn warn) : options_(options), warn_(std::move(warn)) {}
  /// Its warnings are about the input.
  LazyEngine(const LabelPaths& files, const LabelOptions& options);
  Engine& start() { return engine_ ? *engine_ : engine_.emplace(options_, warn_); }

 private:
  EngineOptions options_;
  Engine::Warn warn_;
  std::optional<Engine> engine_;
};

/// One input on its way from samples to outputs. A whole image is one part, over a SoloLink; where there are
/// several, every part has a job of its own, and all of them take the same steps. The steps are called in the
/// order they stand in. A step that fails throws io::FileError, in several parts io::PartFailed in all of
/// them; then no output was touched.
class Job {
 public:
  using Warn = LabelInput::Warn;

  /// `link`, `files` and `options` must outlive the job. To be made before any file is opened: it holds on to
  /// the descriptors among the outputs. `signature`: signature_of() these options. `warn` is never called
  /// with
  /// --quiet, and by part 0 alone.
  Job(PartLink& link, const LabelPaths& files, const LabelOptions& options, std::string signature, Warn warn);

  void open();
  const Extent& extent() const { return extent_; }
  /// Returns Piece::needed_bytes().
  std::int64_t needed_bytes() const { return piece_->needed_bytes(); }
  // Between open() and read() a job may wait for admission; that time is not counted.
  /// Reads, as Piece::read().
  bool read(std::int64_t allowed = INT64_MAX);
  /// Reads the input while the device starts. The engine must outlive the job.
  Engine& read(LazyEngine& engine);
  void forget() { piece_->forget(); }
  /// The engine must outlive the job: labels of an input larger than memory are made again to be written.
  void label(Engine& engine);
  void write();
  /// Waits until everything is on the disk and gives the outputs their names.
  void commit();

  const EngineReport& engine_report() const { return piece_->engine_report(); }
  /// Returns the components of this part, with their measures.
  const Components& components() const { return part_.components; }
  const Measured& measured() const { return part_.measured; }
  const io::ValueColumn& value() const { return description_.report.value; }
  const io::Geometry& geometry() const { return input_->info().geometry; }
  /// Returns the number of components of the whole image.
  std::uint64_t count() const { return part_.count; }
  std::uint64_t dropped() const { return part_.dropped; }
  /// Returns the rows of the input in a table of inputs.
  std::string summary() const;
  const std::vector<std::string>& hints() const { return description_.report.hints; }
  const std::string& foreground_rule() const { return description_.report.input.foreground_rule; }
  /// A PNG of the labels for the index of pages, of one input among several that has a page.
  const std::string& thumbnail() const { return thumbnail_; }
  /// Whether boxes and centroids have a z axis.
  bool volume() const { return input_->is_volume(); }
  double milliseconds() const { return total_.milliseconds() - waited_ms_; }

 private:
  template <class Work>
  void here(const std::string& path, Work work);
  template <class Work>
  void all_or_none(Work work);
  bool is_alone() const { return link_.parts() == 1; }
  bool is_first() const { return link_.part() == 0; }
  void agree_on_input();
  void label_piece(Engine& engine, Piece::Labels& labels);
  void fill_holes(Engine& engine);
  NumberedPart unite_background(const std::function<Labeled()>& label);
  void describe();
  void measure(Engine& engine);
  void select();
  WrittenValues written();
  PartTexts texts() const {
    return {files_,
            options_,
            description_.report,
            part_,
            {part_.first, is_first(), link_.part() + 1 == link_.parts()}};
  }
  void write_image();
  void describe_labels();
  io::MappedLabels labels();
  io::Preview start_preview(const std::vector<io::NumberedComponent>& numbered) const;
  void write_preview();
  void write_outlines();
  void write_contacts();
  void warn(const std::string& path, const std::string& line);

  PartLink& link_;
  const LabelPaths& files_;
  const LabelOptions& options_;
  Warn warn_;
  Progress progress_;
  Stopwatch total_, since_;
  double waited_ms_ = 0;

  LabelStreams streams_;  // until there are outputs
  std::optional<LabelInput> input_;
  Extent extent_;
  std::optional<Piece> piece_;
  std::optional<LabelOutputs> outputs_;
  ImageReport found_;
  NumberedPart part_;
  std::unique_ptr<LabelSource> no_labels_;  // of a part without rows
  GatheredSums sums_;
  std::vector<Contact> contacts_;
  Description description_;
  std::vector<ValueBits> ids_;  // new values of pieces (--split-values)
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

/// Takes all steps for one input. Either all its outputs are complete afterwards or it throws, as Job, and
/// none was touched.
LabelSummary label_file(PartLink& link, const LabelPaths& files, const LabelOptions& options,
                        LazyEngine& engine);
/// Labels a whole image.
LabelSummary label_file(const LabelPaths& files, const LabelOptions& options, LazyEngine& engine);

}  // namespace gpuccl::app
