#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/view/view_page.hpp"
#include "gpuccl/types.hpp"
#include "io/files/json.hpp"
#include "io/files/json_field.hpp"

// JSON of others: a report as `gpuccl view` reads it, or, by the first byte, the attributes of a Zarr, which
// are written again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (data[0] % 2 == 0) {
      const auto attributes = io::parse_ordered_json(text);
      if (attributes.is_discarded()) return 0;
      const std::string written = io::json_text(attributes, 2);
      if (io::json_text(io::parse_ordered_json(written), 2) != written) __builtin_trap();
      return 0;
    }
    app::ViewTable table;
    io::read_json_members(
        text, {"gpuccl", "input", "options", "hints", "labeling", "intensity", "seeds"}, "components",
        [&](const std::vector<io::JsonField>& component) { table.add_component(component); });
    const std::size_t rows = table.rows();
    table.keep_largest(3);
    if (table.rows() != std::min<std::size_t>(rows, 3)) __builtin_trap();
    std::vector<std::uint64_t> names(table.labels().begin(), table.labels().end());
    std::sort(names.begin(), names.end());
    table.pack(names, data[0] % 4 == 1);
  } catch (const Error& error) {
    if (std::strlen(error.what()) == 0) __builtin_trap();
  }
  return 0;
}
