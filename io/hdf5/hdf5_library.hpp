#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>

#include "io/files/byte_source.hpp"
#include "io/hdf5/hdf5_functions.hpp"

namespace gpuccl::io {

/// One thread at a time is in libhdf5: as Debian builds it, it is not for several. It reports nothing on its
/// own, and loads no filters from elsewhere.
class Hdf5Lock {
 public:
  Hdf5Lock();
  /// From now on nothing is locked, in a process of one thread.
  static void leave_out();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

/// Owns an identifier of libhdf5 and closes it.
class Hdf5Id {
 public:
  /// Throws Error as checked_hdf5() does.
  explicit Hdf5Id(hid_t id);
  ~Hdf5Id();
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;

  hid_t get() const { return id_; }

 private:
  hid_t id_;
};

/// `result` of a function of libhdf5. If it failed, throws what reading the file threw, or Error (data) with
/// the library's reason.
std::int64_t checked_hdf5(std::int64_t result);

/// Whether a call that has just failed gives these words as its reason.
bool hdf5_says(std::string_view words);

/// Opens the bytes as a file; `source` must outlive it. libhdf5 reads them through this alone, and opens no
/// other file, whatever a link or a dataset names. Call it, and all that follows, with a Hdf5Lock.
Hdf5Id open_hdf5_file(const ByteSource& source, std::uint64_t size);

}  // namespace gpuccl::io
