#include <stdio.h>

#include "gpuccl/gpuccl.h"

/* The header is C's, and the library has what it declares. No GPU is asked. */
int main(void) {
  const gpuccl_extent extent = {4, 3, 1};
  const gpuccl_device_image image = {NULL, 8, extent, 0, 0};
  const gpuccl_device_result result = {NULL, 4, 0, 0, NULL, NULL, 0};
  size_t bytes = 0;
  if (gpuccl_device_workspace_bytes(extent, 8, &bytes) != GPUCCL_SUCCESS || bytes == 0) return 1;
  if (gpuccl_label_on_device(&image, 8, &result, NULL, 0, NULL) != GPUCCL_USAGE) return 1;
  return puts(gpuccl_last_error()) < 0;
}
