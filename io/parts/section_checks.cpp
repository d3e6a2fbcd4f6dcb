#include "io/parts/section_checks.hpp"

#include <algorithm>
#include <cstddef>

#include "io/parts/checked_file.hpp"

namespace gpuccl::io {
namespace {

void require(bool is_right) {
  if (!is_right) CheckedFile::refuse();
}

}  // namespace

void check_components(const Components& components, const Extent& extent, bool is_periodic) {
  const int sizes[3] = {extent.width, extent.height, extent.depth};
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Box& box = components.box[i];
    CoordinateSum most = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      require(box.min[axis] <= box.max[axis]);
      if (!is_periodic) require(box.min[axis] >= 0 && box.max[axis] < sizes[axis]);
      most *= static_cast<std::uint64_t>(std::int64_t{box.max[axis]} - box.min[axis] + 1);
    }
    require(components.area[i] > 0 && components.area[i] <= most);
  }
  require(components.sum_high.empty() || components.sum_high.rbegin()->first < components.size());
}

void check_numbers(std::span<const Label> numbers, std::uint64_t most) {
  require(!numbers.empty() && numbers.front() == 0);
  require(std::all_of(numbers.begin(), numbers.end(), [&](Label number) { return number <= most; }));
}

void check_contacts(std::span<const Contact> contacts, std::uint64_t most) {
  for (const Contact& contact : contacts)
    require(contact.a > 0 && contact.a <= most && contact.b > 0 && contact.b <= most);
}

void check_border_rows(const BorderRows& rows, const Extent& extent, std::uint64_t most) {
  const LabelRuns& runs = rows.runs;
  require(runs.ends.size() == rows.rows.size() && std::is_sorted(runs.ends.begin(), runs.ends.end()) &&
          (runs.ends.empty() ? 0 : runs.ends.back()) == runs.runs.size());
  for (const std::int64_t row : rows.rows) require(row >= 0 && row < extent.rows());
  std::size_t at = 0;
  for (const std::size_t end : runs.ends)
    for (int before = 0; at < end; before = runs.runs[at++].end) {
      const LabelRun& run = runs.runs[at];
      require(run.begin >= before && run.begin < run.end && run.end <= extent.width && run.label > 0 &&
              run.label <= most);
    }
}

}  // namespace gpuccl::io
