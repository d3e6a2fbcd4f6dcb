#pragma once

#include <exception>
#include <new>
#include <string>

#include "gpuccl/gpuccl.h"
#include "gpuccl/types.hpp"

// Errors and extents of the interface for C.
namespace gpuccl {

/// Message of the last error of this thread.
inline thread_local std::string last_c_error;

constexpr gpuccl_status status_of(ErrorCode failure) {
  return static_cast<gpuccl_status>(static_cast<int>(failure) + 1);
}
static_assert(status_of(ErrorCode::usage) == GPUCCL_USAGE && status_of(ErrorCode::data) == GPUCCL_DATA &&
              status_of(ErrorCode::unavailable) == GPUCCL_UNAVAILABLE &&
              status_of(ErrorCode::internal) == GPUCCL_INTERNAL &&
              status_of(ErrorCode::memory) == GPUCCL_MEMORY &&
              status_of(ErrorCode::temporary) == GPUCCL_TEMPORARY);

/// Calls `work` and returns the status of its error, or success.
template <class Work>
gpuccl_status status_of(const Work& work) {
  try {
    work();
    return GPUCCL_SUCCESS;
  } catch (const Error& error) {
    last_c_error = error.what();
    return status_of(error.code());
  } catch (const std::bad_alloc&) {
    last_c_error = "out of memory";
    return GPUCCL_MEMORY;
  } catch (const std::exception& error) {
    last_c_error = error.what();
    return GPUCCL_INTERNAL;
  }
}

inline Extent to_extent(const gpuccl_extent& extent) { return {extent.width, extent.height, extent.depth}; }

}  // namespace gpuccl
