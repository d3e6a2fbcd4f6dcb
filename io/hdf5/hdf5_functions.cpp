#include "io/hdf5/hdf5_functions.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <string>

#include "gpuccl/types.hpp"
#include "io/files/descriptor.hpp"

namespace gpuccl::io {
namespace {

constexpr const char* kLibrary = GPUCCL_HDF5_LIBRARY;  // "libhdf5_serial.so.103"

[[noreturn]] void refuse() {
  throw Error(Failure::data, std::string("an HDF5 file, and ") + kLibrary +
                                 " cannot be loaded; install libhdf5, or write the dataset as TIFF");
}

template <class Pointer>
void find(void* library, const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(::dlsym(library, name));
  if (pointer == nullptr) refuse();
}

Hdf5Functions load() {
  errno = 0;
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr && errno == EMFILE)
    throw Error(Failure::no_input, "cannot load libhdf5 (" + system_reason(EMFILE) + ")", EMFILE);
  if (library == nullptr) refuse();
  Hdf5Functions functions{};
#define GPUCCL_FIND(name) find(library, #name, functions.name);
  GPUCCL_OF_HDF5(GPUCCL_FIND)
#undef GPUCCL_FIND
  functions.H5open();  // what are variables has its values from then on
  return functions;
}

}  // namespace

const Hdf5Functions& h5() {
  static const Hdf5Functions functions = load();
  return functions;
}

}  // namespace gpuccl::io
