#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "app/view/view_page.hpp"
#include "gpuccl/types.hpp"

namespace {

/// Returns the packed columns of a table that is read in two pieces; "" if it is refused.
std::string packed(std::string_view text, std::size_t first, bool is_volume) {
  using namespace gpuccl;
  try {
    app::ViewTable table;
    table.add_csv(text.substr(0, first));
    table.add_csv(text.substr(first));
    table.end_csv();
    std::vector<std::uint64_t> names(table.labels().begin(), table.labels().end());
    std::sort(names.begin(), names.end());
    const app::ViewTable::Packed columns = table.pack(names, is_volume);
    std::string all = columns.heads;
    for (const std::string& line : columns.lines) all += '\n' + line;
    return all;
  } catch (const Error& error) {
    if (std::strlen(error.what()) == 0) __builtin_trap();
    return "";
  }
}

}  // namespace

// Tables of --stats as `gpuccl view` reads them: the same wherever the pieces are cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_volume = data[0] % 2 == 1;
  if (packed(text, text.size() * data[0] / 256, is_volume) != packed(text, text.size(), is_volume))
    __builtin_trap();
  return 0;
}
