#include "gpuccl/detail/generate.hpp"

#include "generate/kinds.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

struct Kind {
  GenerateKind about;
  void (*draw)(const GenerateOptions&, BitVolume&);
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {{"random",
        "noise by MT19937: squares of --granularity, foreground with probability --density",
        {"density", "granularity", "seed"}},
       generators::random},
      {{"checkerboard", "every second pixel: no two share an edge", {}}, generators::checkerboard},
      {{"dots", "single pixels that do not touch: the maximum number of components", {}}, generators::dots},
      {{"spiral", "an arm one pixel wide", {}}, generators::spiral},
      {{"comb", "teeth one pixel wide that meet only at the far end", {}}, generators::comb},
      {{"blobs",
        "smooth shapes, about 16 times --granularity wide, --density of them foreground",
        {"density", "granularity", "seed"}},
       generators::blobs},
      {{"hilbert", "the Hilbert curve of --order, in 2D or 3D", {"order"}}, generators::hilbert},
      {{"page", "lines of words that look like a scanned page", {"seed"}}, generators::page},
  };
  return all;
}

[[noreturn]] void refuse(const std::string& reason) { throw Error(Failure::usage, reason); }

/// The curve needs two elements a step, so that its arms do not touch.
void check_hilbert(const GenerateOptions& options) {
  const bool volume = options.extent.depth > 1;
  const int largest = volume ? 6 : 12;
  if (options.order < 1 || options.order > largest)
    refuse("the order of a Hilbert curve must be 1 to " + std::to_string(largest) +
           (volume ? " in 3D" : " in 2D"));
  const int needed = 2 << options.order;
  if (options.extent.width < needed || options.extent.height < needed ||
      (volume && options.extent.depth < needed))
    refuse("a Hilbert curve of order " + std::to_string(options.order) + " needs at least " +
           std::to_string(needed) + " pixels along each axis");
}

void check(const GenerateOptions& options) {
  if (options.extent.width < 1 || options.extent.height < 1 || options.extent.depth < 1)
    refuse("the size must be at least 1 along each axis");
  if (!(options.density >= 0 && options.density <= 1)) refuse("the density must be between 0 and 1");
  if (options.granularity < 1 || options.granularity > 65536)
    refuse("the granularity must be between 1 and 65536");
  if (options.kind == "hilbert") check_hilbert(options);
}

}  // namespace

const std::vector<GenerateKind>& generate_kinds() {
  static const std::vector<GenerateKind> all = [] {
    std::vector<GenerateKind> list;
    for (const Kind& kind : kinds()) list.push_back(kind.about);
    return list;
  }();
  return all;
}

BitVolume generate(const GenerateOptions& options) {
  check(options);
  for (const Kind& kind : kinds()) {
    if (kind.about.name != options.kind) continue;
    BitVolume image(options.extent);
    kind.draw(options, image);
    return image;
  }
  std::string names;
  for (const Kind& kind : kinds()) names += (names.empty() ? "" : ", ") + kind.about.name;
  refuse("no kind of image '" + options.kind + "'; there are " + names);
}

}  // namespace gpuccl
