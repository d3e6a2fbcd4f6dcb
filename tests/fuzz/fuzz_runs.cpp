// Lists of runs, compressed by RunDeflater and decoded by zlib and libdeflate.

#include <algorithm>
#include <cstdint>

#include "../io/run_streams.hpp"

using namespace gpuccl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto byte = [&]() -> unsigned { return size == 0 ? 0 : (--size, *data++); };
  const unsigned kind = byte();
  // Up to rows that are longer than the window of Deflate, in images of not much more than a few windows.
  constexpr int kLongestRow = 40000, kMaxBytes = 160000;
  const int sample_bytes = 1 << kind % 3;
  const int width = 1 + static_cast<int>(byte() << 8 * (kind >> 3 & 1) | (kind >> 4));
  const io::SampleRow row{.width = std::min(width, kLongestRow / sample_bytes),
                          .sample_bytes = sample_bytes,
                          .png = (kind & 4) != 0 && kind % 3 != 2};
  const std::uint32_t largest = row.sample_bytes == 4 ? 0xffffffffu : (1u << 8 * row.sample_bytes) - 1;
  LabelRuns runs;
  std::vector<LabelRun> above;
  const auto most_rows = static_cast<std::size_t>(std::clamp<std::int64_t>(kMaxBytes / row.bytes(), 1, 64));
  while (size > 0 && runs.ends.size() < most_rows) {
    std::vector<LabelRun> line;
    const unsigned from_above = byte();
    if (from_above % 2 == 1 && !above.empty()) {
      line = above;
      LabelRun& changed = line[from_above / 2 % line.size()];
      if (changed.end - changed.begin > 1) changed.end -= 1;
    } else {
      for (int x = 0; x < row.width && size > 0;) {
        const unsigned gap = byte(), length = byte();
        if (gap == 255) break;
        const int begin = x + static_cast<int>(gap);
        const int end = begin + 1 + static_cast<int>(length < 240 ? length : (length - 240) * 300);
        if (end > row.width) break;
        const std::uint32_t label = (byte() * 0x01000193u ^ byte()) & largest;
        if (label != 0) line.push_back({begin, end, label});
        x = end;
      }
    }
    runs.runs.insert(runs.runs.end(), line.begin(), line.end());
    runs.ends.push_back(runs.runs.size());
    above = std::move(line);
  }
  if (runs.ends.empty()) runs.ends.push_back(0);
  if (!tests::problem_of(row, runs).empty()) __builtin_trap();
  return 0;
}
