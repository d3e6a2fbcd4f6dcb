#include "io/hdf5/hdf5_library.hpp"

#include <dlfcn.h>

#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::io {
namespace {

constexpr const char* kLibrary = GPUCCL_HDF5_LIBRARY;  // "libhdf5_serial.so.103"

[[noreturn]] void refuse() {
  throw Error(ErrorCode::data, std::string("is an HDF5 file, but ") + kLibrary +
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

namespace {

// One thread of a process of its own calls libhdf5.
std::exception_ptr thrown;  // exception of the source, which libhdf5 must not see
bool is_opening = false;    // only open_hdf5_file() may open a file
Hdf5Reads* noted = nullptr;

// The file driver.

struct Given {
  const ByteSource* source;
  std::uint64_t size;
};

struct OpenFile {
  H5FD_t common;  // first, for libhdf5
  Given given;
  haddr_t end;  // end of the file by its superblock
};

OpenFile& of(H5FD_t* file) { return *reinterpret_cast<OpenFile*>(file); }
const OpenFile& of(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file); }

H5FD_t* open_driver(const char*, unsigned, hid_t access, haddr_t) {
  const void* given = h5().H5Pget_driver_info(access);
  if (!std::exchange(is_opening, false) || given == nullptr) return nullptr;
  auto* file = new (std::nothrow) OpenFile{};
  if (file == nullptr) return nullptr;
  file->given = *static_cast<const Given*>(given);
  return &file->common;
}

herr_t close_driver(H5FD_t* file) {
  delete &of(file);
  return 0;
}

herr_t query_driver(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr) *flags = 0;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return of(file).end; }
herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file).end = end;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return of(file).given.size; }

herr_t read_driver(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t offset, std::size_t bytes, void* out) {
  if (noted != nullptr && kind == H5FD_MEM_DRAW) {
    *noted = {offset, bytes, noted->times + 1};
    return 0;
  }
  try {
    return of(file).given.source->read_at(offset, out, bytes) == bytes ? 0 : -1;
  } catch (...) {
    thrown = std::current_exception();
    return -1;
  }
}

herr_t refuse_write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) { return -1; }

hid_t register_driver() {
  static H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(512);  // one that is in nobody's name
#endif
  driver.name = "gpuccl";
  driver.maxaddr = std::numeric_limits<std::int64_t>::max();
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(Given);
  driver.open = open_driver;
  driver.close = close_driver;
  driver.query = query_driver;
  driver.get_eoa = end_of_addresses;
  driver.set_eoa = set_end_of_addresses;
  driver.get_eof = end_of_file;
  driver.read = read_driver;
  driver.write = refuse_write;
  constexpr H5FD_mem_t kOneKind[H5FD_MEM_NTYPES] = H5FD_FLMAP_SINGLE;
  std::memcpy(driver.fl_map, kOneKind, sizeof driver.fl_map);
  return h5().H5FDregister(&driver);
}

/// Returns the first reason on the error stack of the library, the most precise one.
std::string reason() {
  std::string text;
  h5().H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned i, const H5E_error2_t* error, void* first) -> herr_t {
        if (i == 0 && error->desc != nullptr) *static_cast<std::string*>(first) = error->desc;
        return 0;
      },
      &text);
  return text.empty() ? "no reason given" : text;
}

}  // namespace

Hdf5Id::Hdf5Id(hid_t id) : id_(checked_hdf5(id)) {}

std::int64_t checked_hdf5(std::int64_t result) {
  if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
  if (result < 0) throw Error(ErrorCode::data, "damaged or unsupported (libhdf5: " + reason() + ")");
  return result;
}

bool hdf5_says(std::string_view words) { return !thrown && reason() == words; }

Hdf5Id open_hdf5_file(const ByteSource& source, std::uint64_t size) {
  constexpr unsigned kReadOnly = 0;  // the macro of that links with the library
  static const hid_t driver = register_driver();
  const Hdf5Id access(h5().H5Pcreate(*h5().H5P_CLS_FILE_ACCESS_ID_g));
  const Given given{&source, size};
  checked_hdf5(driver);
  checked_hdf5(h5().H5Pset_driver(access.get(), driver, &given));
  is_opening = true;
  const hid_t file = h5().H5Fopen("/gpuccl", kReadOnly, access.get());
  is_opening = false;
  return Hdf5Id(file);
}

void note_hdf5_reads(Hdf5Reads* reads) { noted = reads; }

}  // namespace gpuccl::io
