#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/hdf5/hdf5_functions.hpp"

namespace gpuccl::io {

/// Owns an identifier of libhdf5 and closes it.
class Hdf5Id {
 public:
  /// Throws Error as checked_hdf5() does.
  explicit Hdf5Id(hid_t id);
  ~Hdf5Id() {
    if (id_ >= 0) h5().H5Idec_ref(id_);
  }
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;

  hid_t get() const { return id_; }

 private:
  hid_t id_;
};

/// Returns `result` of a function of libhdf5. If it failed, throws the exception of the source, or Error
/// (data) with the library's reason.
std::int64_t checked_hdf5(std::int64_t result);

/// Returns true if these words are the reason of the call that just failed.
bool hdf5_says(std::string_view words);

/// Opens the bytes as a file; `source` must outlive it. libhdf5 reads only `source`, and opens no other file
/// that a link or a dataset names.
Hdf5Id open_hdf5_file(const ByteSource& source, std::uint64_t size);

/// Reads of samples by libhdf5.
struct Hdf5Reads {
  std::uint64_t offset = 0, bytes = 0;  // of the last read
  int times = 0;
};
/// Notes the places of samples instead of reading them, until it is called with null.
void note_hdf5_reads(Hdf5Reads* reads);

}  // namespace gpuccl::io
