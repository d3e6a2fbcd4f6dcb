// Reads an image and writes its elements to standard output, a byte of 0 or 1 each, after a line with its
// extent: for tests that compare what is read with the programs that wrote it.
//
// usage: print_bits [stack] [raw] [invert] [otsu] [channel=N] [frame=N] [series=N] [page=N] [index]
// [THRESHOLD] FILE

#include <iostream>

#include "gpuccl/types.hpp"
#include "io/image/read_options.hpp"
#include "io/read/reader.hpp"

int main(int argc, char** argv) {
  using namespace gpuccl;
  io::ReadOptions options;
  options.warn = [](const std::string& line) { std::cerr << "warning: " << line << '\n'; };
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string word = argv[i];
    if (word == "stack") {
      options.stack = true;
    } else if (word == "raw") {
      options.foreground.raw = true;
    } else if (word == "invert") {
      options.foreground.invert = true;
    } else if (word == "otsu") {
      options.foreground.otsu = true;
    } else if (word.starts_with("channel=")) {
      options.planes.channel = std::stoi(word.substr(8));
    } else if (word.starts_with("frame=")) {
      options.planes.frame = std::stoi(word.substr(6));
    } else if (word.starts_with("page=")) {
      const std::int64_t page = std::stoi(word.substr(5));
      options.planes.pages = io::PageRange{page, page + 1};
    } else if (word == "index") {
      options.palette = io::PaletteUse::index;
    } else if (word.starts_with("series=")) {
      options.planes.series = std::stoi(word.substr(7));
    } else {
      options.foreground.threshold = std::stod(word);
    }
  }
  try {
    const BitVolume image = io::read_image(argv[argc - 1], options);
    const Extent& extent = image.extent();
    std::cout << extent.width << ' ' << extent.height << ' ' << extent.depth << '\n';
    for (int z = 0; z < extent.depth; ++z)
      for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; ++x) std::cout.put(image(x, y, z) ? '\1' : '\0');
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
