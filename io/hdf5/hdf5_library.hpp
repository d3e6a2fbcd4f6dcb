#pragma once

#define H5_USE_110_API  // what newer libraries call by the same names is called otherwise

#include <hdf5.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "io/files/input_file.hpp"

namespace gpuccl::io {

// clang-format off
#define GPUCCL_OF_HDF5(X) \
  X(H5Aexists) \
  X(H5Aget_space) \
  X(H5Aget_type) \
  X(H5Aopen) \
  X(H5Aread) \
  X(H5Dget_chunk_storage_size) \
  X(H5Dget_create_plist) \
  X(H5Dget_offset) \
  X(H5Dget_space) \
  X(H5Dget_space_status) \
  X(H5Dget_type) \
  X(H5Dopen2) \
  X(H5Dread) \
  X(H5Dread_chunk) \
  X(H5Eset_auto2) \
  X(H5Ewalk2) \
  X(H5FDregister) \
  X(H5Fopen) \
  X(H5Idec_ref) \
  X(H5Iget_name) \
  X(H5Iget_type) \
  X(H5Lexists) \
  X(H5Oopen) \
  X(H5Ovisit_by_name2) \
  X(H5PLset_loading_state) \
  X(H5Pcreate) \
  X(H5Pfill_value_defined) \
  X(H5Pget_chunk) \
  X(H5Pget_driver_info) \
  X(H5Pget_external_count) \
  X(H5Pget_fill_value) \
  X(H5Pget_filter2) \
  X(H5Pget_layout) \
  X(H5Pget_nfilters) \
  X(H5Pset_driver) \
  X(H5Rdereference2) \
  X(H5Sget_simple_extent_dims) \
  X(H5Sget_simple_extent_ndims) \
  X(H5Sget_simple_extent_npoints) \
  X(H5Sget_simple_extent_type) \
  X(H5Tget_class) \
  X(H5Tget_fields) \
  X(H5Tget_offset) \
  X(H5Tget_order) \
  X(H5Tget_precision) \
  X(H5Tget_sign) \
  X(H5Tget_size) \
  X(H5Tget_super) \
  X(H5Tis_variable_str) \
  X(H5free_memory) \
  X(H5open) \
  X(H5P_CLS_FILE_ACCESS_ID_g) \
  X(H5T_NATIVE_DOUBLE_g) \
  X(H5T_NATIVE_LLONG_g) \
  X(H5T_NATIVE_ULLONG_g)
// clang-format on

/// Functions of libhdf5, under their own names. The library is loaded when the first HDF5 file is opened: it
/// depends on thirty others, which take longer to load than many images take to label.
struct Hdf5Functions {
#define GPUCCL_POINTER(name) decltype(&::name) name;
  GPUCCL_OF_HDF5(GPUCCL_POINTER)
#undef GPUCCL_POINTER
};

/// Throws Error (data) where libhdf5 is not installed.
const Hdf5Functions& h5();

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
