#include "run_streams.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

using namespace gpuccl;
using namespace gpuccl::io;

namespace tests {
namespace {

using Bytes = std::vector<unsigned char>;

/// The rows as they lie in the file, run by run and byte by byte.
Bytes drawn(const SampleRow& row, const LabelRuns& runs) {
  const auto row_bytes = static_cast<std::size_t>(row.bytes());
  const std::size_t filter_bytes = row.png ? 1 : 0, bytes = static_cast<std::size_t>(row.sample_bytes);
  Bytes all(row_bytes * runs.ends.size());
  std::size_t i = 0;
  for (std::size_t y = 0; y < runs.ends.size(); ++y)
    for (; i < runs.ends[y]; ++i) {
      const LabelRun& run = runs.runs[i];
      const auto length = static_cast<std::size_t>(run.end - run.begin) * bytes;
      unsigned char* to =
          all.data() + y * row_bytes + filter_bytes + static_cast<std::size_t>(run.begin) * bytes;
      for (std::size_t b = 0; b < bytes; ++b)
        to[b] = static_cast<unsigned char>(run.label >> 8 * (row.png ? bytes - 1 - b : b));
      for (std::size_t filled = bytes; filled < length; filled *= 2)
        std::memcpy(to + filled, to, std::min(filled, length - filled));
    }
  return all;
}

/// Rows [begin, end).
LabelRuns part_of(const LabelRuns& runs, std::size_t begin, std::size_t end) {
  const std::size_t first = begin == 0 ? 0 : runs.ends[begin - 1];
  LabelRuns part;
  part.runs.assign(runs.runs.begin() + static_cast<std::ptrdiff_t>(first),
                   runs.runs.begin() + static_cast<std::ptrdiff_t>(end == 0 ? 0 : runs.ends[end - 1]));
  for (std::size_t y = begin; y < end; ++y) part.ends.push_back(runs.ends[y] - first);
  return part;
}

void append(Bytes& stream, std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  stream.insert(stream.end(), data, data + bytes.size());
}

Bytes stream_of(const SampleRow& row, const LabelRuns& runs) {
  RunDeflater deflater(row);
  Bytes stream;
  if (!row.png) {
    deflater.add(runs);
    append(stream, deflater.stream());
    return stream;
  }
  stream = {0x78, 0x01};
  Adler32 checksum;
  const std::size_t rows = runs.ends.size(), half = rows / 2;
  for (const auto& [begin, end] : {std::pair{std::size_t{0}, half}, std::pair{half, rows}}) {
    if (begin == end) continue;
    deflater.clear();
    deflater.add(part_of(runs, begin, end));
    append(stream, deflater.blocks());
    checksum.append(static_cast<std::uint64_t>(row.bytes()) * (end - begin), deflater.checksum());
  }
  stream.insert(stream.end(), {0x03, 0x00});
  for (const int shift : {24, 16, 8, 0})
    stream.push_back(static_cast<unsigned char>(checksum.value() >> shift));
  return stream;
}

}  // namespace

std::string problem_of(const SampleRow& row, const LabelRuns& runs) {
  const Bytes expected = drawn(row, runs), stream = stream_of(row, runs);
  Bytes decoded(expected.size() + 1);

  uLongf decoded_bytes = decoded.size();
  uLong used = stream.size();
  if (uncompress2(decoded.data(), &decoded_bytes, stream.data(), &used) != Z_OK)
    return "zlib cannot decode it";
  if (used != stream.size()) return "bytes behind the end";
  decoded.resize(decoded_bytes);
  if (decoded != expected) return "zlib finds other samples";

  decoded.assign(expected.size() + 1, 0);
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  std::size_t bytes = 0;
  if (libdeflate_zlib_decompress(decompressor.get(), stream.data(), stream.size(), decoded.data(),
                                 decoded.size(), &bytes) != LIBDEFLATE_SUCCESS)
    return "libdeflate cannot decode it";
  decoded.resize(bytes);
  return decoded == expected ? "" : "libdeflate finds other samples";
}

}  // namespace tests
