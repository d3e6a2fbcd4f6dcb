// A CUDA driver that is older than what the program was built with, as libcuda.so.1: it tells its version and
// lacks what newer ones have.

extern "C" {

int cuDriverGetVersion(int* version) {
  *version = 11000;
  return 0;
}

int cuInit(unsigned) { return 0; }
}
