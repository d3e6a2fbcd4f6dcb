#include "io/image/limits.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gpuccl/image.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::io {
namespace {

namespace fs = std::filesystem;

/// The number after `key` in a file of "key number" lines; without a key, the number that is the whole file.
std::optional<std::int64_t> number_in(const fs::path& file, const std::string& key) {
  std::ifstream lines(file);
  std::string word;
  std::int64_t number = 0;
  if (key.empty()) return lines >> number ? std::optional(number) : std::nullopt;
  while (lines >> word)
    if (word == key) return lines >> number ? std::optional(number) : std::nullopt;
  return std::nullopt;
}

/// The files in which a version of control groups says what is allowed and used.
struct GroupFiles {
  const char* root;
  const char* limit;
  const char* used;
  const char* cache;  // in memory.stat: pages of files that are dropped when memory is short
};
constexpr GroupFiles kVersion2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
constexpr GroupFiles kVersion1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file"};

/// The minimum of `left` and what this group and those around it leave; "max" is not a number, so no limit. A
/// cache can only add to that, so it is looked up, which takes the kernel long, only if it matters.
std::int64_t left_in_group(const GroupFiles& files, const std::string& group, std::int64_t left) {
  for (fs::path path = fs::path(group).relative_path();; path = path.parent_path()) {
    const fs::path folder = fs::path(files.root) / path;
    const auto limit = number_in(folder / files.limit, "");
    const auto used = number_in(folder / files.used, "");
    if (limit && used && *limit - *used < left) {
      const std::int64_t cache = number_in(folder / "memory.stat", files.cache).value_or(0);
      left = std::min(left, std::max<std::int64_t>(0, *limit - *used + std::min(cache, *used)));
    }
    if (path.empty()) return left;
  }
}

std::int64_t left_by_system() {
  if (const auto kibibytes = number_in("/proc/meminfo", "MemAvailable:")) return *kibibytes * 1024;
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

}  // namespace

std::int64_t available_memory() {
  std::int64_t available = left_by_system();
  std::ifstream groups("/proc/self/cgroup");  // lines "hierarchy:controllers:path"
  for (std::string line; std::getline(groups, line);) {
    std::istringstream fields(line);
    std::string hierarchy, controllers, path;
    std::getline(fields, hierarchy, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    if (controllers.empty()) available = left_in_group(kVersion2, path, available);
    if (("," + controllers + ",").find(",memory,") != std::string::npos)
      available = left_in_group(kVersion1, path, available);
  }
  return available;
}

std::int64_t memory_limit(const Limits& limits) {
  return limits.memory > 0 ? limits.memory : available_memory() / 4 * 3;
}

void check_page_size(std::uint64_t width, std::uint64_t height, const Limits& limits) {
  const std::string size = fmt::format("{}x{}", width, height);
  if (width == 0 || height == 0) throw Error(ErrorCode::data, "header claims an empty image (" + size + ")");
  const auto max_dim = static_cast<std::uint64_t>(limits.max_dim);
  if (width > max_dim || height > max_dim)
    throw Error(ErrorCode::data, fmt::format("header claims {}, more than {} along an axis", size, max_dim));
  if (width > static_cast<std::uint64_t>(limits.max_pixels) / height)
    throw Error(ErrorCode::data,
                fmt::format("header claims {}, more than {} pixels a page", size, limits.max_pixels));
}

Extent checked_extent(const std::array<double, 3>& sizes, const Limits& limits) {
  constexpr double kMax = 1e15;  // no axis of any file
  for (const double size : sizes)
    if (!(size >= 0 && size <= kMax && size == std::floor(size)))
      throw Error(ErrorCode::data, "header claims an axis of " + shortest(size) + " pixels");
  check_page_size(static_cast<std::uint64_t>(sizes[0]), static_cast<std::uint64_t>(sizes[1]), limits);
  return {static_cast<int>(sizes[0]), static_cast<int>(sizes[1]), checked_slices(sizes[2], limits)};
}

int checked_slices(double slices, const Limits& limits) {
  if (slices < 1) throw Error(ErrorCode::data, "header claims " + shortest(slices) + " slices");
  if (slices > static_cast<double>(limits.max_pages))
    throw Error(ErrorCode::data, fmt::format("header claims {} slices, more than --max-pages {}",
                                             shortest(slices), limits.max_pages));
  return static_cast<int>(slices);
}

int checked_channels(double channels) {
  constexpr double kMax = 65535;
  if (!(channels >= 1 && channels <= kMax) || channels != std::floor(channels))
    throw Error(ErrorCode::data, fmt::format("has {} values per pixel, of 1 to {}", channels, kMax));
  return static_cast<int>(channels);
}

double checked_frames(double frames) {
  constexpr double kMax = 1e9;
  if (!(frames >= 1 && frames <= kMax && frames == std::floor(frames)))
    throw Error(ErrorCode::data, "header claims " + shortest(frames) + " volumes");
  return frames;
}

void check_memory(const Extent& extent, std::int64_t buffer_bytes, const ReadOptions& options) {
  const auto rows = static_cast<double>(options.in_parts ? 1 : extent.rows());
  // In floating point: the product of three axes below 2^31 may pass 2^63.
  const double needed =
      static_cast<double>(words_per_row(extent.width)) * 4.0 * rows + static_cast<double>(buffer_bytes);
  const std::int64_t limit = memory_limit(options.limits);
  if (needed <= static_cast<double>(limit)) return;
  throw Error(ErrorCode::memory, "needs " + bytes_in_words(needed) + " of memory for " + to_string(extent) +
                                     " pixels, the limit is " + bytes_in_words(static_cast<double>(limit)));
}

void check_deflate_ratio(double claimed_bytes, std::uint64_t stored_bytes) {
  if (claimed_bytes <= 1100.0 * static_cast<double>(stored_bytes) + 65536) return;
  throw Error(ErrorCode::data, claim(claimed_bytes, stored_bytes));
}

std::string claim(double claimed_bytes, std::uint64_t stored_bytes) {
  const bool is_large = claimed_bytes >= 1 << 20;
  return fmt::format("header claims {}{} from {}{}",
                     std::llround(is_large ? claimed_bytes / (1 << 20) : claimed_bytes),
                     is_large ? " MiB" : " bytes", stored_bytes, is_large ? " bytes" : "");
}

std::string to_string(const Extent& extent) {
  std::string text = fmt::format("{}x{}", extent.width, extent.height);
  if (extent.depth != 1) text += fmt::format("x{}", extent.depth);
  return text;
}

constexpr int kMaxSegments = 1000;  // before the frame header; real streams have a few

static int number_at(const unsigned char* bytes) { return bytes[0] << 8 | bytes[1]; }

static bool is_frame(int marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

std::int64_t JpegFrame::coefficient_bytes() const {
  constexpr std::int64_t kBlock = 32,
                         kBytes = 2;  // of the largest unit of subsampled blocks; of a coefficient
  if (!several_scans) return 0;
  return (width + kBlock) * (height + kBlock) * components * kBytes;
}

std::optional<JpegFrame> read_jpeg_frame(const InputFile& file, std::uint64_t offset, std::uint64_t bytes) {
  constexpr int kStartOfImage = 0xd8, kStartOfScan = 0xda, kExif = 0xe1, kPictures = 0xe2;
  std::optional<JpegFrame> frame;
  std::uint64_t exif = 0;
  bool has_more = false;
  const std::uint64_t end = offset + bytes;
  for (int segment = 0; segment < kMaxSegments && offset < end; ++segment) {
    std::array<unsigned char, 10> start{};  // marker, length, and as much of what follows as is looked at
    file.read_at(offset, start.data(), start.size());
    const int marker = start[1];
    if (start[0] != 0xff) return std::nullopt;
    if (marker == 0xff) {  // padding
      ++offset;
    } else if (marker == kStartOfImage) {
      offset += 2;
    } else if (marker == kStartOfScan) {
      if (!frame) return frame;
      frame->several_scans = frame->several_scans || start[4] < frame->components;
      frame->exif = exif;
      frame->has_more = has_more;
      return frame;
    } else {
      if (is_frame(marker))
        frame = {marker - 0xc0, number_at(&start[7]), number_at(&start[5]), start[9], marker % 4 == 2};
      has_more |= marker == kPictures && std::memcmp(&start[4], "MPF", 4) == 0;
      if (marker == kExif && std::memcmp(&start[4], "Exif\0", 6) == 0) exif = offset + start.size();
      offset += 2 + static_cast<std::uint64_t>(number_at(&start[2]));
    }
  }
  return std::nullopt;
}

}  // namespace gpuccl::io
