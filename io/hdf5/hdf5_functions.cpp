#include "io/hdf5/hdf5_functions.hpp"

#include <dlfcn.h>

#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::io {
namespace {

constexpr const char* kLibrary = GPUCCL_HDF5_LIBRARY;  // "libhdf5_serial.so.103"

[[noreturn]] void refuse() {
  throw Error(Failure::data, std::string("is an HDF5 file, but ") + kLibrary +
                                 " cannot be loaded; install libhdf5, or write the dataset as TIFF");
}

template <class Pointer>
void find(void* library, const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(::dlsym(library, name));
  if (pointer == nullptr) refuse();
}

Hdf5Functions load() {
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse();
  Hdf5Functions functions{};
#define GPUCCL_FIND(name) find(library, #name, functions.name);
  GPUCCL_OF_HDF5(GPUCCL_FIND)
#undef GPUCCL_FIND
  functions.H5open();                                     // sets the library's variables
  functions.H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // without messages of its own
  if (functions.H5PLset_loading_state(0) < 0) refuse();   // without filters from plugins
  return functions;
}

}  // namespace

const Hdf5Functions& h5() {
  static const Hdf5Functions functions = load();
  return functions;
}

}  // namespace gpuccl::io
