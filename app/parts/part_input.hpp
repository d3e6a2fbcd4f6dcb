#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/label/label_file.hpp"
#include "app/label/label_options.hpp"
#include "gpuccl/slabs.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::app {

/// An input of which several processes each label a part.
class PartInput {
 public:
  /// Opens it. Throws as io::open_reader().
  PartInput(std::string path, const LabelOptions& options, std::function<void(const std::string& line)> warn);

  io::Reader& reader() { return *reader_; }
  const io::ImageInfo& info() const { return reader_->info(); }
  Extent extent() const { return info().extent; }
  Connectivity connectivity() const { return connectivity_; }
  bool is_volume() const { return extent().depth > 1 || is_3d(connectivity_); }
  /// The same for all processes as long as the input is: format, extent, sizes and times of its files.
  const std::string& state() const { return state_; }

  /// A part, labelled. The labels look at bits that the input holds.
  struct Found {
    Labeled labeled;
    EngineReport engine;
    std::uint64_t foreground = 0;  // elements
    double read_ms = 0;
  };
  /// Reads and labels a part; the device starts while the file is read. Error (data) if the input is not as
  /// it was when it was opened, (internal) if the components are not all of the foreground.
  Found label(const Slab& slab, LazyEngine& engine);

 private:
  std::string state_now() const;
  std::uint64_t read(const Slab& slab);

  std::string path_;
  bool stack_;
  std::unique_ptr<io::Reader> reader_;
  Connectivity connectivity_ = Connectivity::c8;
  std::string state_;
  BitVolume bits_;
};

}  // namespace gpuccl::app
