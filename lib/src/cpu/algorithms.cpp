#include "cpu/algorithms.hpp"

namespace gpuccl::cpu {
namespace {

template <std::unique_ptr<Labeler> (*make)(Connectivity)>
std::vector<Variant> every_connectivity() {
  using enum Connectivity;
  return {{c4, [](int) { return make(c4); }},
          {c8, [](int) { return make(c8); }},
          {c6, [](int) { return make(c6); }},
          {c18, [](int) { return make(c18); }},
          {c26, [](int) { return make(c26); }}};
}

}  // namespace

std::vector<Algorithm> algorithms() {
  return {
      {"runs", "Union-find of runs, strips in parallel", "", DeviceKind::cpu,
       every_connectivity<make_runs>()},
      {"flood-fill", "Flood fill, the reference", "", DeviceKind::cpu, every_connectivity<make_flood_fill>()},
  };
}

}  // namespace gpuccl::cpu
