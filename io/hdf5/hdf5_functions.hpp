#pragma once

#define H5_USE_110_API  // what newer libraries call by the same names is called otherwise
#include <hdf5.h>

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
  X(H5T_NATIVE_DOUBLE_g)
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

}  // namespace gpuccl::io
