#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/label/describe.hpp"
#include "app/label/label_file.hpp"
#include "app/label/label_options.hpp"
#include "app/label/value_options.hpp"
#include "gpuccl/column.hpp"
#include "gpuccl/slabs.hpp"
#include "gpuccl/value_slabs.hpp"
#include "gpuccl/value_type.hpp"
#include "io/read/reader.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::app {

/// An input of which several processes each label a part.
class PartInput {
 public:
  /// Opens it. Throws as io::open_reader().
  PartInput(std::string path, const LabelOptions& options, std::function<void(const std::string& line)> warn);

  const std::string& path() const { return path_; }
  io::Reader& reader() { return *reader_; }
  const io::ImageInfo& info() const { return reader_->info(); }
  Extent extent() const { return info().extent; }
  Connectivity connectivity() const { return connectivity_; }
  bool is_volume() const { return extent().depth > 1 || is_3d(connectivity_); }
  /// The same for all processes as long as the input is: format, extent, sizes and times of its files.
  const std::string& state() const { return state_; }

  /// Of an image of values; none of a binary one.
  const std::optional<ValueType>& value_type() const { return value_type_; }
  std::string foreground_rule() const;
  /// A column of such values.
  io::ValueColumn column(std::span<const ValueBits> values) const {
    return value_type_ ? io::ValueColumn{true, *value_type_, values} : io::ValueColumn{};
  }

  /// A part, labeled. The labels look at bits that the input holds.
  struct Found {
    Labeled labeled;
    Column<ValueBits> values;  // of the components, of an image of values
    ValueFaces faces;          // of it
    EngineReport engine;
    std::uint64_t foreground = 0;  // elements
    double read_ms = 0;
  };
  /// Reads a part and labels its background, by complementary() of the connectivity; otherwise as label().
  Found label_background(const Slab& slab, LazyEngine& engine);
  /// Makes foreground what `background`, labels of the whole, has no label for, of a part with so many
  /// elements of foreground before that; label() does not read it then.
  void fill(const Slab& slab, std::unique_ptr<LabelSource> background, std::uint64_t foreground);

  /// Reads and labels a part; the device starts while the file is read. Error (data) if the input is not as
  /// it was when it was opened, (internal) if the components are not all of the foreground.
  Found label(const Slab& slab, LazyEngine& engine);

 private:
  std::string state_now() const;
  void check_state() const;
  void read(const Slab& slab);
  std::uint64_t read_bits(const Slab& slab);
  void label_bits(const Slab& slab, LazyEngine& engine, Found& found);
  void label_values_of(const Slab& slab, LazyEngine& engine, Found& found);

  std::string path_;
  bool stack_;
  ValueOptions values_;
  std::optional<ValueType> value_type_;
  std::unique_ptr<io::Reader> reader_;
  Connectivity connectivity_ = Connectivity::c8;
  std::string state_;
  BitVolume bits_;
  std::optional<std::uint64_t> foreground_;  // of the part that was read
  std::uint64_t filled_ = 0;                 // more than these
  double read_ms_ = 0;
};

/// What the report contains about a part that was labeled; its times but those.
PieceReport report_of(PartInput& input, const PartInput::Found& found);

}  // namespace gpuccl::app
