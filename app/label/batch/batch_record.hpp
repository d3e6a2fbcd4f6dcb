#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/messages.hpp"
#include "app/label/batch/label_batch.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_outputs.hpp"
#include "app/view/batch_page.hpp"
#include "gpuccl/measures.hpp"
#include "io/files/file_error.hpp"
#include "io/files/text_stream.hpp"
#include "io/image/geometry.hpp"
#include "io/report/outlines.hpp"

namespace gpuccl::app {

/// Outcome of one input.
struct Outcome {
  enum class Status { labeled, failed, skipped, not_started };
  Status status = Status::not_started;
  std::optional<io::FileError> error;     // of an input that failed
  std::optional<std::size_t> components;  // number, if known from this run or an earlier one
  io::LengthUnit unit = io::LengthUnit::unknown;
  std::string device;  // "cpu", "cuda"; "" if nothing was labeled
  double seconds = 0;
  std::shared_ptr<io::SpooledText> table;  // its rows of the table of all components
  std::string summary;                     // its rows of the table of inputs
  std::shared_ptr<io::SpooledText> coco;   // its outlines
  // For the index of pages, if the batch has one:
  std::string thumbnail;
  double foreground = 0;  // share of the elements in components
  std::vector<std::string> hints;
};

/// A text file, or a stream, that grows with a batch. If it cannot be written, the batch continues without
/// it.
class GrowingFile {
 public:
  /// As TextOutput.
  explicit GrowingFile(const io::Target& target) : output_(target) {}
  void open(const OutputOptions& options, bool (*is_ours)(std::string_view)) {
    output_.open(options, is_ours);
  }
  void add(std::string_view text);
  /// Gives a file its name.
  void commit();
  /// Keeps the older file of this name. False if there is none: no file, a stream, or no older file.
  bool keep_older();
  const std::optional<io::FileError>& error() const { return error_; }
  /// Returns whether the reader of the stream has closed it.
  bool is_closed_pipe() const { return error_ && error_->system_code() == EPIPE; }

 private:
  template <class Work>
  void attempt(Work work);
  void flush();

  TextOutput output_;
  std::string waiting_;
  std::optional<io::FileError> error_;
};

/// Number of inputs per outcome.
struct Tally {
  bool of_objects = false;  // inputs are measured, not labeled
  std::size_t total = 0, labeled = 0, skipped = 0, not_started = 0;
  std::map<int, std::size_t> failed;  // by exit code
  std::set<int> failed_outputs;       // exit codes of outputs of the batch: the report, the table

  void count(const Outcome& outcome);
  /// "4997 of 5000 labeled, 3 failed: 2 bad data (65), 1 missing (66)"
  std::string text() const;
  /// Returns the exit code of all failures if it is the same, else 1.
  int exit_code() const;
};

/// Progress of a batch. Thread-safe.
class BatchProgress {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr StatusLine::Interval kSilent{kNever, kNever}, kUsual{200, 10000}, kOften{200, 1000};

  BatchProgress(std::size_t total, StatusLine::Interval interval) : total_(total), line_(interval) {}

  void advance(bool failed);
  /// Prints "gpuccl: <line>" where it does not mix with the progress.
  void message(const std::string& line) { line_.message(line); }

 private:
  std::string text() const;

  const std::size_t total_;
  std::atomic<std::size_t> done_ = 0, failed_ = 0;
  const Stopwatch since_start_;
  StatusLine line_;
};

/// The joint files of a batch: report, tables of components and of inputs, and the index of pages.
class BatchFiles {
 public:
  /// `options` and `columns`, those of the table of components, must outlive it. Construct it before any file
  /// is opened: it holds on to the descriptors among the outputs.
  BatchFiles(const LabelOptions& options, const std::vector<MeasureColumn>& columns);

  /// Creates the files. Throws io::FileError.
  void open();
  /// Adds an input, in the order of the inputs.
  void add(const BatchItem& item, const Outcome& outcome);
  /// Leaves older tables unchanged instead of replacing them. Returns their paths.
  std::vector<std::string> keep_older();
  /// Completes all files and gives them their names. Returns the errors, without closed pipes.
  std::vector<io::FileError> commit();
  bool is_pipe_closed() const;

 private:
  const LabelOptions& options_;
  const std::vector<MeasureColumn>& columns_;
  GrowingFile report_, table_, summary_, outlines_, index_;
  std::optional<io::CocoOfImages> coco_;  // what outlines_ contains
  int inputs_ = 0;                        // that were added
  std::vector<IndexEntry> entries_;       // rows of the index of pages
};

}  // namespace gpuccl::app
