/* Labels an image of a C program on the CPU. */

#include <stdio.h>

#include "gpuccl/gpuccl.h"

int main(void) {
  const unsigned char pixels[] = {7, 0, 0, 9, 0, 0, 0, 9, 0, 5, 0, 0};
  const gpuccl_image image = {pixels, 8, {4, 3, 1}, 0};
  uint32_t labels[12];
  unsigned long long count = 0;
  gpuccl_component first;
  if (gpuccl_label(&image, 8, labels, &count, &first, 1) != GPUCCL_SUCCESS) {
    fprintf(stderr, "%s\n", gpuccl_last_error());
    return 1;
  }
  printf("%llu components, label %u at (1, 2), the first of %llu pixels\n", count, (unsigned)labels[9], first.area);
  if (gpuccl_label(&image, 5, labels, &count, NULL, 0) != GPUCCL_USAGE) return 1;
  printf("5-connectivity: %s\n", gpuccl_last_error());
  return 0;
}
