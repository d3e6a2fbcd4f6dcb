#include <cstring>

#include "io/hdf5/hdf5_filters.hpp"

// Decoder of Marc Lehmann's LZF: a control byte starts either up to 32 literal bytes or a copy of bytes up
// to 8 KiB back.
namespace gpuccl::io {

bool decode_lzf(std::span<const std::byte> stored, std::span<std::byte> out) {
  std::size_t from = 0, to = 0;
  const auto next = [&] { return std::to_integer<std::size_t>(stored[from++]); };
  while (from < stored.size()) {
    const std::size_t control = next();
    if (control < 32) {
      const std::size_t count = control + 1;
      if (count > stored.size() - from || count > out.size() - to) return false;
      std::memcpy(&out[to], &stored[from], count);
      from += count;
      to += count;
      continue;
    }
    std::size_t count = control >> 5;
    const bool is_long = count == 7;
    if (stored.size() - from < (is_long ? 2U : 1U)) return false;
    if (is_long) count += next();
    const std::size_t back = ((control & 31) << 8 | next()) + 1;
    count += 2;
    if (back > to || count > out.size() - to) return false;
    for (; count > 0; --count, ++to) out[to] = out[to - back];  // which may overlap
  }
  return to == out.size();
}

}  // namespace gpuccl::io
