#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gpuccl/image.hpp"
#include "gpuccl/measures.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::io {

/// The foreground of an input as samples, 1 or 0: components are selected by the markers in them.
class MarkerImage final : public IntensityImage {
 public:
  /// Throws Error as open_reader() does. What goes wrong later is a FileError of it.
  MarkerImage(const std::string& path, const ReadOptions& options);

  std::int64_t held_bytes() const { return reader_->held_bytes(); }
  /// Bytes that reading takes.
  std::int64_t buffer_bytes() const;

  Extent extent() const override { return reader_->info().extent; }
  Kind kind() const override { return Kind::whole; }
  Values values() const override { return {}; }
  int slices_at_once() const override { return 1; }
  void read(int z, const Sink& sink) const override;
  void read_long(int z, const LongSink& sink) const override;

 private:
  int slices_ahead() const;

  std::string path_;
  std::unique_ptr<Reader> reader_;
  mutable BitVolume ahead_;  // slices [begin_, end_) of a volume
  mutable int begin_ = 0, end_ = 0;
};

}  // namespace gpuccl::io
