#ifndef GPUCCL_GPUCCL_H
#define GPUCCL_GPUCCL_H

/* Labeling for C and languages that call C, on the CPU and in GPU memory. Functions return a status instead
 * of throwing. Thread-safe. Needs no other header of gpuccl or CUDA. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* 0, or the class of the error: ErrorCode + 1 (gpuccl/types.hpp). */
typedef enum {
  GPUCCL_SUCCESS = 0,
  GPUCCL_USAGE = 1,       /* invalid argument */
  GPUCCL_DATA = 2,        /* too many components */
  GPUCCL_UNAVAILABLE = 4, /* the device cannot be used, or the library was built without CUDA */
  GPUCCL_INTERNAL = 5,
  GPUCCL_MEMORY = 6,   /* out of memory, or too large for any device */
  GPUCCL_TEMPORARY = 9 /* the device was lost; try again */
} gpuccl_status;

/* Returns the message of the calling thread's last error, "" if none; valid until its next error. */
const char* gpuccl_last_error(void);

typedef struct {
  int width, height, depth; /* depth of an image: 1 */
} gpuccl_extent;

typedef struct {
  unsigned long long area, sum[3]; /* sum / area is the centroid; axes are x, y, z */
  int min[3], max[3];              /* inclusive */
  int padding[2];
} gpuccl_component; /* in GPU memory aligned to 64 bytes */

/* A binary image in the caller's memory. */
typedef struct {
  const void* data;
  int bits_per_element; /* 8: nonzero is foreground; 1: least significant bit first, 1 is foreground */
  gpuccl_extent extent;
  int64_t row_pitch; /* bytes between rows, slice after slice; 0: without padding */
} gpuccl_image;

/* Labels an image on the CPU. `connectivity` is 4, 8, 6, 18 or 26. Writes labels 1..N in raster order,
 * background 0, to width * height * depth entries of `labels`, N to `count`, and the first `capacity`
 * components to `components`: entry i belongs to label i + 1. Null outputs are skipped. */
gpuccl_status gpuccl_label(const gpuccl_image* image, int connectivity, uint32_t* labels,
                           unsigned long long* count, gpuccl_component* components, size_t capacity);

/* Labeling in GPU memory: gpuccl/device.hpp explains it. `stream` is a cudaStream_t. */

struct CUstream_st;

typedef struct {
  const void* data;
  int bits_per_element; /* 1 or 8 */
  gpuccl_extent extent;
  int64_t row_pitch, slice_pitch; /* bytes; 0: without padding */
} gpuccl_device_image;

typedef struct {
  void* labels;                               /* or NULL */
  int bytes_per_label;                        /* 2 or 4 */
  int64_t label_row_pitch, label_slice_pitch; /* bytes; 0: without padding */
  unsigned long long* count;                  /* or NULL */
  gpuccl_component* components;               /* or NULL */
  size_t capacity;                            /* of components */
} gpuccl_device_result;

gpuccl_status gpuccl_device_workspace_bytes(gpuccl_extent extent, int connectivity, size_t* bytes);

gpuccl_status gpuccl_label_on_device(const gpuccl_device_image* image, int connectivity,
                                     const gpuccl_device_result* result, void* workspace,
                                     size_t workspace_bytes, struct CUstream_st* stream);

/* A GPU algorithm by its name, such as "bke", with the memory that it needs: DeviceLabeler in
 * gpuccl/device.hpp. Writes labels and N; `components` of the result must be NULL. */
typedef struct gpuccl_device_labeler gpuccl_device_labeler;

gpuccl_status gpuccl_new_device_labeler(const char* algorithm, int connectivity,
                                        gpuccl_device_labeler** labeler);

gpuccl_status gpuccl_label_on_device_by(gpuccl_device_labeler* labeler, const gpuccl_device_image* image,
                                        const gpuccl_device_result* result, struct CUstream_st* stream);

void gpuccl_delete_device_labeler(gpuccl_device_labeler* labeler); /* or NULL */

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
                                            void* workspace, size_t workspace_bytes,
                                            struct CUstream_st* stream);

gpuccl_status gpuccl_highest_label_on_device(const gpuccl_device_value_image* labels,
                                             unsigned long long* highest, struct CUstream_st* stream);

/* A column of a table in GPU memory: a measure by its name (`gpuccl list --measures`), or "label". */
typedef struct {
  const char* measure;
  void* data;      /* double, or integers */
  int is_integer;  /* 1: int64_t, 2: int32_t */
  int is_past_end; /* 1: 1 more, as x1, y1 and z1 of half-open boxes */
} gpuccl_device_column;

typedef struct {
  gpuccl_device_value_image labels;
  gpuccl_device_value_image samples; /* data: NULL: none */
  uint32_t largest;                  /* label */
  int connectivity;
  double spacing[3]; /* along x, y, z; 0: unknown */
  const gpuccl_device_column* columns;
  size_t column_count;
  size_t capacity;             /* rows of each column */
  unsigned long long* count;   /* or NULL */
  unsigned long long* highest; /* label, which may be above `largest`; or NULL */
} gpuccl_device_measuring;

gpuccl_status gpuccl_device_measure_workspace_bytes(const gpuccl_device_measuring* request, size_t* bytes);

gpuccl_status gpuccl_measure_on_device(const gpuccl_device_measuring* request, void* workspace,
                                       size_t workspace_bytes, struct CUstream_st* stream);

/* Columns of basic measures of components that gpuccl_label_on_device() has found. `found`: NULL, or their
 * number on the device, when it is below `count`. */
gpuccl_status gpuccl_table_on_device(const gpuccl_component* components, size_t count,
                                     const unsigned long long* found, gpuccl_extent extent, int connectivity,
                                     const double spacing[3],
                                     const gpuccl_device_column* columns, size_t column_count,
                                     struct CUstream_st* stream);

typedef struct {
  gpuccl_device_value_image labels;
  gpuccl_value_type type; /* of map and out */
  const void* map;        /* the entry of 0 comes first */
  size_t entries;
  void* out;
  int64_t out_row_pitch, out_slice_pitch; /* bytes; 0: without padding */
} gpuccl_device_relabeling;

gpuccl_status gpuccl_relabel_on_device(const gpuccl_device_relabeling* request, struct CUstream_st* stream);

/* Which components of an image are kept, and where their elements are written: DeviceCleaning in
 * gpuccl/device.hpp. One of `mask` and `values` is an image; the data of the other is NULL. */
typedef struct {
  gpuccl_device_image mask;
  gpuccl_device_value_image values;
  int connectivity;
  uint64_t fill_holes;         /* of a mask: at most this number of elements; 0: none */
  uint64_t min_size, max_size; /* max_size 0: any */
  uint32_t largest;            /* number of components; 0: all */
  int clear_border;
  gpuccl_device_image seeds;      /* data: NULL: none */
  gpuccl_device_value_image from; /* data: NULL: elements are `filled` */
  uint64_t filled;                /* 0: 1 */
  gpuccl_value_type type;         /* of out */
  void* out;
  int64_t out_row_pitch, out_slice_pitch; /* bytes; 0: without padding */
} gpuccl_device_cleaning;

gpuccl_status gpuccl_device_clean_workspace_bytes(const gpuccl_device_cleaning* request, size_t* bytes);

gpuccl_status gpuccl_clean_on_device(const gpuccl_device_cleaning* request, void* workspace,
                                     size_t workspace_bytes, struct CUstream_st* stream);

/* A table of pairs of labels in GPU memory: DevicePairs in gpuccl/device.hpp. Pointers may be NULL. Rows are
 * ascending by a, then b. `counts` of overlaps: elements; of contacts: faces across x, y and z, edges,
 * corners. If `count` exceeds the capacity, rows are undefined, and it may be too small. */
typedef struct {
  int64_t *a, *b;
  int64_t* counts[5];
  int64_t* first;  /* of overlaps */
  size_t capacity; /* rows of each column */
  unsigned long long* count;
  unsigned long long* highest; /* label, of contacts; NULL for overlaps */
} gpuccl_device_pairs;

/* Require that a device is current, and at most 2^30 pairs. */
gpuccl_status gpuccl_device_overlaps_workspace_bytes(size_t capacity, size_t* bytes);
gpuccl_status gpuccl_device_contacts_workspace_bytes(size_t capacity, size_t* bytes);

gpuccl_status gpuccl_overlaps_on_device(const gpuccl_device_value_image* a,
                                        const gpuccl_device_value_image* b, uint32_t largest,
                                        const gpuccl_device_pairs* pairs, void* workspace,
                                        size_t workspace_bytes, struct CUstream_st* stream);
gpuccl_status gpuccl_contacts_on_device(const gpuccl_device_value_image* labels, int connectivity,
                                        uint32_t largest, const gpuccl_device_pairs* pairs, void* workspace,
                                        size_t workspace_bytes, struct CUstream_st* stream);

/* Labels that are far apart, replaced by their ranks: DeviceRanking in gpuccl/device.hpp. The workspace is
 * that of overlaps. */
typedef struct {
  gpuccl_device_value_image labels;
  uint32_t* ranks;
  uint64_t* ids; /* [capacity + 1] */
  size_t capacity;
  unsigned long long* count;
} gpuccl_device_ranking;

gpuccl_status gpuccl_rank_on_device(const gpuccl_device_ranking* request, void* workspace,
                                    size_t workspace_bytes, struct CUstream_st* stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
