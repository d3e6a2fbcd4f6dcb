#include "app/parts/part_input.hpp"

#include <atomic>
#include <filesystem>
#include <utility>

#include "app/common/stopwatch.hpp"
#include "io/files/input_name.hpp"
#include "io/image/limits.hpp"
#include "io/parts/checked_file.hpp"
#include "io/read/slice_names.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

/// Its size and time; "" if it is no regular file.
std::string state_of(const fs::path& file) {
  std::error_code problem;
  if (!fs::is_regular_file(file, problem)) return "";
  return " " + std::to_string(fs::file_size(file, problem)) + " " +
         std::to_string(fs::last_write_time(file, problem).time_since_epoch().count());
}

/// The same of many files, whose order does not matter.
class StateOfFiles {
 public:
  void add(const fs::path& file) {
    sum_ += io::fingerprint(file.string() + state_of(file));
    ++count_;
  }
  std::string text() const { return " " + std::to_string(count_) + " files " + std::to_string(sum_); }

 private:
  std::uint64_t sum_ = 0, count_ = 0;
};

}  // namespace

PartInput::PartInput(std::string path, const LabelOptions& options,
                     std::function<void(const std::string& line)> warn)
    : path_(std::move(path)), stack_(options.input.stack) {
  io::ReadOptions read;
  read.foreground = options.input.foreground;
  read.limits = options.input.limits;
  read.spacing = options.spacing;
  read.stack = stack_;
  read.in_parts = true;
  read.warn = std::move(warn);
  reader_ = io::open_reader(path_, read);
  connectivity_ = options.algorithm.connectivity_for(extent(), info().format != "png");
  state_ = state_now();
}

PartInput::Found PartInput::label(const Slab& slab, LazyEngine& engine) {
  Found found;
  Engine& started = engine.start();
  const Stopwatch reading;
  found.foreground = read(slab);
  found.read_ms = reading.milliseconds();
  if (bits_.extent().elements() > 0)
    found.labeled = started.label(bits_.view(), connectivity_, &found.engine);
  std::uint64_t in_components = 0;
  for (const std::uint64_t area : found.labeled.components.area) in_components += area;
  if (in_components != found.foreground)
    throw Error(Failure::internal, "self-check failed: components of " + std::to_string(in_components) +
                                       " elements, but the foreground has " +
                                       std::to_string(found.foreground));
  if (state_now() != state_) throw Error(Failure::data, "the input changed while it was read");
  return found;
}

std::string PartInput::state_now() const {
  const std::string state = info().format + " " + io::to_string(info().extent);
  std::error_code problem;
  if (!fs::is_directory(path_, problem)) return state + state_of(io::split_input(path_).file);
  StateOfFiles files;
  if (stack_) {
    for (const std::string& slice : io::slice_names(path_)) files.add(fs::path(path_) / slice);
  } else {  // a Zarr
    for (fs::recursive_directory_iterator at(path_, problem), end; !problem && at != end;
         at.increment(problem))
      files.add(at->path());
  }
  return state + files.text();
}

/// Returns the number of foreground elements.
std::uint64_t PartInput::read(const Slab& slab) {
  reader_->find_threshold();
  bits_ = BitVolume({extent().width, slab.y1 - slab.y0, slab.z1 - slab.z0});
  if (bits_.extent().height < extent().height) {
    if (bits_.extent().elements() > 0) reader_->read_rows(slab.z0, slab.y0, slab.y1, bits_);
    return static_cast<std::uint64_t>(count_foreground(bits_.view()));
  }
  std::atomic<std::int64_t> foreground = 0;
  if (slab.z0 < slab.z1)
    reader_->read(slab.z0, slab.z1, bits_, [&](BitView slice) { foreground += count_foreground(slice); });
  return static_cast<std::uint64_t>(foreground);
}

}  // namespace gpuccl::app
