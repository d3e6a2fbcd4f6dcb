#pragma once

#include <cerrno>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/messages.hpp"
#include "app/view/batch_page.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/file_error.hpp"
#include "io/files/text_stream.hpp"

namespace gpuccl::app {

/// Outcome of one input.
struct Outcome {
  enum class Status { labeled, failed, skipped, not_started };
  Status status = Status::not_started;
  std::optional<io::FileError> error;     // of an input that failed
  std::optional<std::size_t> components;  // number, if known from this run or an earlier one
  std::string device;                     // "cpu", "cuda"; "" if nothing was labeled
  double seconds = 0;
  std::shared_ptr<io::SpooledText> table;  // its rows of the table of all components
  std::string summary;                     // its rows of the table of inputs
  // For the index of pages, if the batch has one:
  std::string thumbnail;
  double foreground = 0;  // share of the elements in components
  std::vector<std::string> hints;
};

/// A text file, or a stream, that grows with a batch. If it cannot be written, the batch continues without
/// it.
class GrowingFile {
 public:
  /// Without a path there is no file. Duplicates a descriptor, as io::TextStream does.
  explicit GrowingFile(const std::string& path);
  /// io::FileError if it cannot be created.
  void open(const io::AtomicFile::Options& options);
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

  std::string path_;
  std::unique_ptr<io::AtomicFile> file_;
  std::optional<io::TextStream> stream_;
  std::string waiting_;
  std::optional<io::FileError> error_;
};

/// Number of inputs per outcome.
struct Tally {
  bool of_objects = false;  // inputs are measured, not labeled
  std::size_t total = 0, labeled = 0, skipped = 0, not_started = 0;
  std::map<int, std::size_t> failed;  // by exit code
  std::set<int> failed_beside;        // exit codes of outputs of the batch: the report, the table

  void count(const Outcome& outcome);
  /// "4997 of 5000 labeled, 3 failed: 2 bad data (65), 1 missing (66)"
  std::string text() const;
  /// Returns the exit code of all failures if it is the same, else 1.
  int exit_code() const;
};

/// Returns the entry of an input in the index of pages. `page`: name of its page, if it was labeled.
IndexEntry index_entry(const std::string& input, const std::string& page, const Outcome& outcome);

/// Returns the outcome of an input as one line of JSON.
std::string report_line(const std::string& input, std::optional<int> frame, const Outcome& outcome);

}  // namespace gpuccl::app
