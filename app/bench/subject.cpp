#include "app/bench/subject.hpp"

#include <algorithm>

#include "gpuccl/detail/staged.hpp"

namespace gpuccl::bench {
namespace {

constexpr std::int64_t kBeyondCaches = std::int64_t{256} << 20;  // bytes; twice the largest L2 of a GPU yet
constexpr std::int64_t kMostCopies = 64;

}  // namespace

int copies(const TimingOptions& timing, Extent extent) {
  if (!timing.rotate) return 1;
  const std::int64_t bytes = extent.elements() * static_cast<std::int64_t>(sizeof(Label));
  return static_cast<int>(std::clamp<std::int64_t>(kBeyondCaches / bytes + 1, 2, kMostCopies));
}

std::unique_ptr<Subject> make_subject(const Variant& variant, int gpu) {
  std::unique_ptr<Labeler> labeler = variant.make(gpu);
  if (dynamic_cast<StagedLabeler*>(labeler.get()) == nullptr)
    return make_host_subject(variant, std::move(labeler));
  labeler.reset();  // the stages have labelers of their own, one a copy
  return make_staged_subject(variant, gpu);
}

}  // namespace gpuccl::bench
