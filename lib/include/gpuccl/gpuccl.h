#ifndef GPUCCL_DEVICE_LABELING_H
#define GPUCCL_DEVICE_LABELING_H

/* Device labeling for C and languages that call C. gpuccl/device_labeling.hpp documents it; these functions
 * return a status instead of throwing. Thread-safe. */

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0, or the class of the error: see gpuccl/error.hpp. */
typedef enum {
  GPUCCL_SUCCESS = 0,
  GPUCCL_USAGE = 1,       /* invalid argument */
  GPUCCL_UNAVAILABLE = 4, /* the device cannot be used */
  GPUCCL_INTERNAL = 5,
  GPUCCL_MEMORY = 6,   /* out of memory, or too large for any device */
  GPUCCL_TEMPORARY = 9 /* the device was lost; try again */
} gpuccl_status;

typedef struct {
  int width, height, depth; /* depth of an image: 1 */
} gpuccl_extent;

typedef struct {
  const void* data;
  int bits_per_element; /* 1 or 8 */
  gpuccl_extent extent;
  int64_t row_pitch, slice_pitch; /* bytes; 0: without padding */
} gpuccl_device_image;

typedef struct {
  unsigned long long area, sum[3];
  int min[3], max[3];
  int padding[2];
} gpuccl_device_component; /* aligned to 64 bytes */

typedef struct {
  void* labels;                               /* or NULL */
  int bytes_per_label;                        /* 2 or 4 */
  int64_t label_row_pitch, label_slice_pitch; /* bytes; 0: without padding */
  unsigned long long* count;                  /* or NULL */
  gpuccl_device_component* components;        /* or NULL */
  size_t capacity;                            /* of components */
} gpuccl_device_result;

/* `connectivity` is 4, 8, 6, 18 or 26. */
gpuccl_status gpuccl_device_workspace_bytes(gpuccl_extent extent, int connectivity, size_t* bytes);

gpuccl_status gpuccl_label_on_device(const gpuccl_device_image* image, int connectivity,
                                     const gpuccl_device_result* result, void* workspace,
                                     size_t workspace_bytes, cudaStream_t stream);

typedef enum {
  GPUCCL_U8,
  GPUCCL_U16,
  GPUCCL_U32,
  GPUCCL_U64,
  GPUCCL_I8,
  GPUCCL_I16,
  GPUCCL_I32,
  GPUCCL_I64,
  GPUCCL_F32,
  GPUCCL_F64
} gpuccl_value_type;

typedef struct {
  const void* data;
  gpuccl_value_type type;
  gpuccl_extent extent;
  int64_t row_pitch, slice_pitch; /* bytes; 0: without padding */
  double delta;
} gpuccl_device_value_image;

gpuccl_status gpuccl_device_value_workspace_bytes(gpuccl_extent extent, int connectivity, size_t* bytes);

/* `values`: one per component, or NULL. */
gpuccl_status gpuccl_label_values_on_device(const gpuccl_device_value_image* image, int connectivity,
                                            const gpuccl_device_result* result, uint64_t* values,
                                            void* workspace, size_t workspace_bytes, cudaStream_t stream);

/* Returns the message of the calling thread's last error, "" if none; valid until its next error. */
const char* gpuccl_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
