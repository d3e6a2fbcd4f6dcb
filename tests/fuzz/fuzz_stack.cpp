#include <filesystem>
#include <fstream>
#include <string>

#include "../support/scratch_folder.hpp"
#include "decode.hpp"
#include "io/files/file_names.hpp"
#include "io/write/label_writer.hpp"

// A folder of slices: the order that files.txt gives, and that of names. The bytes are the list; its lines
// are also compared as names.
namespace gpuccl {
namespace {

/// A folder of three slices, one of which has another size.
struct Slices {
  ScratchFolder folder;

  Slices() {
    add("1.png", {5, 3, 1});
    add("10.tif", {5, 3, 1});
    add("2.png", {4, 3, 1});
    std::filesystem::create_directory(folder.path() / "sub.png");
  }

  void add(const char* name, const Extent& extent) const {
    io::AtomicFile file(folder / name);
    io::write_image(file, BitVolume(extent).view());
    file.commit();
  }
};

void check_order(const std::string& a, const std::string& b) {
  if (io::natural_less(a, b) && io::natural_less(b, a)) __builtin_trap();
  if (a != b && !io::natural_less(a, b) && !io::natural_less(b, a)) __builtin_trap();
}

}  // namespace
}  // namespace gpuccl

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  static const Slices slices;
  const std::string list(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = list.find('\n');
  if (middle != std::string::npos) check_order(list.substr(0, middle), list.substr(middle + 1));
  std::ofstream(slices.folder.path() / "files.txt", std::ios::binary) << list;
  try {
    io::read_image({slices.folder.path().string(), true}, fuzz::small_options());
  } catch (const Error& error) {
    if (std::strlen(error.what()) == 0) __builtin_trap();
  }
  return 0;
}
