#include "io/zarr/zarr_zip.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/number_text.hpp"
#include "io/image/header_numbers.hpp"

namespace gpuccl::io {
namespace {

using namespace std::string_view_literals;

// Records of a zip archive (PKWARE's APPNOTE.TXT, 4.3), and the values that stand for those of Zip64.
constexpr std::string_view kLocal = "PK\3\4"sv, kCentral = "PK\1\2"sv, kEnd = "PK\5\6"sv,
                           kLocator64 = "PK\6\7"sv, kEnd64 = "PK\6\6"sv;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kLocatorBytes = 20,
                      kEnd64Bytes = 56;
constexpr std::uint64_t kIn64 = 0xffffffff, kFewIn64 = 0xffff;
constexpr std::uint64_t kVersion = 45, kFirstDay = 33;  // that knows Zip64; 1980-01-01
constexpr std::string_view kComment =
    R"({"ome":{"version":"0.5","zipFile":{"centralDirectory":{"jsonFirst":true}}}})";

[[noreturn]] void refuse_zip(const std::string& why) {
  throw Error(ErrorCode::data, "is a zip archive that " + why);
}
[[noreturn]] void refuse_damage() { refuse_zip("is damaged or truncated; copy or download it again"); }

bool begins(std::span<const std::byte> bytes, std::string_view signature) {
  return bytes.size() >= signature.size() &&
         std::memcmp(bytes.data(), signature.data(), signature.size()) == 0;
}

std::vector<std::byte> bytes_at(const InputFile& file, std::uint64_t at, std::uint64_t count) {
  if (at > file.size() || count > file.size() - at) refuse_damage();
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  if (file.read_at(at, bytes.data(), bytes.size()) != bytes.size()) refuse_damage();
  return bytes;
}

/// Returns a record with this signature.
std::vector<std::byte> record_at(const InputFile& file, std::uint64_t at, std::size_t bytes,
                                 std::string_view signature) {
  std::vector<std::byte> record = bytes_at(file, at, bytes);
  if (!begins(record, signature)) refuse_damage();
  return record;
}

}  // namespace

ZarrZip::ZarrZip(std::shared_ptr<const InputFile> archive, const std::string& folder, std::int64_t memory)
    : archive_(std::move(archive)), folder_(folder.substr(folder.empty() ? 0 : 1)) {
  if (!folder_.empty() && folder_.back() != '/') folder_ += '/';
  const std::uint64_t count = read_directory(memory);
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) entries_.push_back(read_entry(at));
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.name < b.name; });
  const auto is_root = [](std::string_view name) {
    return name == "zarr.json" || name == ".zgroup" || name == ".zarray" || name == ".zattrs";
  };
  if (std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.name.starts_with(folder_) && is_root(entry.name.substr(folder_.size()));
      }))
    return;
  std::optional<std::string> folder_in_it;  // the outermost
  for (const Entry& entry : entries_) {
    const std::size_t end = entry.name.rfind('/');
    if (end != std::string_view::npos && is_root(entry.name.substr(end + 1)) &&
        (!folder_in_it || end < folder_in_it->size()))
      folder_in_it = entry.name.substr(0, end);
  }
  if (folder_in_it)
    refuse_zip("has no Zarr at " + (folder_.empty() ? "its root" : "/" + folder_) +
               "; name a folder in it, as in " + archive_->path().substr(0, archive_->path().find(":/")) +
               ":/" + *folder_in_it);
  refuse_zip("contains no Zarr; unpack it");
}

std::uint64_t ZarrZip::read_directory(std::int64_t memory) {
  const std::uint64_t size = archive_->size(),
                      most = kEndBytes + 0xffff;  // a comment follows the last record
  const std::uint64_t from = size - std::min(size, most);
  const std::vector<std::byte> tail = bytes_at(*archive_, from, size - from);
  std::size_t at = tail.size();
  for (std::size_t i = tail.size(); i >= kEndBytes && at == tail.size(); --i) {
    const std::span<const std::byte> rest = std::span(tail).subspan(i - kEndBytes);
    if (begins(rest, kEnd) && HeaderNumbers(rest).natural(20, 2) == rest.size() - kEndBytes)
      at = i - kEndBytes;
  }
  if (at == tail.size()) refuse_damage();
  const HeaderNumbers end{std::span(tail).subspan(at)};
  std::uint64_t count = end.natural(10, 2), bytes = end.natural(12), begin = end.natural(16);
  bool is_split = end.natural(4, 2) != end.natural(6, 2) || end.natural(8, 2) != count;
  const auto locator =
      bytes_at(*archive_, from + at - std::min<std::uint64_t>(from + at, kLocatorBytes), kLocatorBytes);
  if ((count == kFewIn64 || bytes == kIn64 || begin == kIn64) && begins(locator, kLocator64)) {
    const auto record = record_at(*archive_, HeaderNumbers(locator).natural(8, 8), kEnd64Bytes, kEnd64);
    const HeaderNumbers end64(record);
    is_split = end64.natural(16) != end64.natural(20) || end64.natural(24, 8) != end64.natural(32, 8);
    count = end64.natural(32, 8);
    bytes = end64.natural(40, 8);
    begin = end64.natural(48, 8);
  }
  if (is_split) refuse_zip("is split into several files; join them with 'zip -s 0 IN --out OUT'");
  if (bytes > size || count > bytes / kCentralBytes) refuse_damage();
  const std::uint64_t needed = bytes + count * sizeof(Entry);
  if (needed > static_cast<std::uint64_t>(memory))
    throw Error(ErrorCode::memory, "its list of " + std::to_string(count) + " files needs " +
                                       bytes_in_words(static_cast<double>(needed)) + " of memory");
  directory_ = bytes_at(*archive_, begin, bytes);
  entries_.reserve(static_cast<std::size_t>(count));
  return count;
}

ZarrZip::Entry ZarrZip::read_entry(std::size_t& at) const {
  const std::span<const std::byte> rest = std::span(directory_).subspan(at);
  if (rest.size() < kCentralBytes || !begins(rest, kCentral)) refuse_damage();
  const HeaderNumbers header(rest);
  const std::size_t name = header.natural(28, 2), extra = header.natural(30, 2),
                    whole = kCentralBytes + name + extra + header.natural(32, 2);
  if (rest.size() < whole) refuse_damage();
  Entry entry{{reinterpret_cast<const char*>(rest.data()) + kCentralBytes, name},
              header.natural(42),
              header.natural(20),
              static_cast<std::uint32_t>(header.natural(16)),
              header.natural(10, 2) == 0 && (header.natural(8, 2) & 1) == 0};  // not encrypted either
  // The extra field 1 has the numbers that do not fit, the uncompressed size first.
  const std::size_t end = kCentralBytes + name + extra;
  for (std::size_t field = kCentralBytes + name; field + 4 <= end;) {
    std::size_t value = field + 4;
    const std::size_t next = value + header.natural(field + 2, 2);
    if (next > end) refuse_damage();
    if (header.natural(field, 2) == 1) {
      if (header.natural(24) == kIn64) value += 8;
      for (std::uint64_t* number : {&entry.bytes, &entry.begin}) {
        if (*number != kIn64) continue;
        if (value + 8 > next) refuse_damage();
        *number = header.natural(value, 8);
        value += 8;
      }
    }
    field = next;
  }
  at += whole;
  return entry;
}

const ZarrZip::Entry* ZarrZip::find(const std::string& name) const {
  const auto after =
      std::upper_bound(entries_.begin(), entries_.end(), std::string_view(name),
                       [](std::string_view key, const Entry& entry) { return key < entry.name; });
  // The last of several is the newest.
  return after != entries_.begin() && std::prev(after)->name == name ? &*std::prev(after) : nullptr;
}

std::unique_ptr<const InputFile> ZarrZip::open(const std::string& key) const {
  const Entry* const entry = find(folder_ + key);
  if (entry == nullptr) return nullptr;
  if (!entry->is_stored)
    throw Error(ErrorCode::data,
                "'" + key +
                    "' is compressed or encrypted by the zip; unpack it and read the folder, or "
                    "zip that with 'zip -r -0'");
  const std::vector<std::byte> local = record_at(*archive_, entry->begin, kLocalBytes, kLocal);
  const HeaderNumbers header(local);
  const std::uint64_t begin = entry->begin + kLocalBytes + header.natural(26, 2) + header.natural(28, 2);
  if (begin > archive_->size() || entry->bytes > archive_->size() - begin) refuse_damage();
  return std::make_unique<const InputFile>(archive_, begin, entry->bytes);
}

void ZarrZip::check(const std::string& key, std::span<const std::byte> whole) const {
  const Entry* const entry = find(folder_ + key);
  if (entry != nullptr && libdeflate_crc32(0, whole.data(), whole.size()) != entry->checksum)
    throw Error(ErrorCode::data, "'" + key + "' has a wrong checksum in the zip; copy or download it again");
}

void add_to_zip(std::vector<std::byte>& archive, const std::string& name,
                std::initializer_list<std::span<const std::byte>> parts) {
  std::uint32_t checksum = 0;
  std::size_t bytes = 0;
  for (const std::span<const std::byte> part : parts) {
    checksum = libdeflate_crc32(checksum, part.data(), part.size());
    bytes += part.size();
  }
  HeaderWriter local(kLocalBytes);
  local.text(0, kLocal);
  local.whole(4, 2, kVersion);
  local.whole(12, 2, kFirstDay);
  local.whole(14, 4, checksum);
  local.whole(18, 4, bytes);
  local.whole(22, 4, bytes);
  local.whole(26, 2, name.size());
  const std::vector<std::byte> header = local.take();
  const std::span<const std::byte> text = std::as_bytes(std::span(name));
  for (const std::span<const std::byte> part : {std::span(std::as_const(header)), text})
    archive.insert(archive.end(), part.begin(), part.end());
  for (const std::span<const std::byte> part : parts) archive.insert(archive.end(), part.begin(), part.end());
}

void write_zip_directory(int archive, std::uint64_t end) {
  constexpr std::size_t kExtraBytes = 12, kPiece = std::size_t{1} << 20;
  const auto read = [&](std::uint64_t at, std::size_t count) {
    std::vector<std::byte> bytes(count);
    if (read_all_at(archive, bytes.data(), count, at) != count)
      throw Error(ErrorCode::io, "a chunk was changed while its directory was made");
    return bytes;
  };
  std::uint64_t at = 0, to = end, count = 0;
  std::vector<std::byte> piece;
  const auto flush = [&] {
    write_all_at(archive, piece.data(), piece.size(), to);
    to += piece.size();
    piece.clear();
  };
  for (; at < end; ++count) {
    const std::vector<std::byte> local = read(at, kLocalBytes);
    const HeaderNumbers numbers(local);
    const auto name = static_cast<std::size_t>(numbers.natural(26, 2));
    HeaderWriter entry(kCentralBytes + name + kExtraBytes);
    entry.text(0, kCentral);
    entry.whole(4, 2, kVersion);
    for (const auto& [field, of_local, bytes] : {std::array<std::size_t, 3>{6, 4, 2},
                                                 {14, 12, 2},
                                                 {16, 14, 4},
                                                 {20, 18, 4},
                                                 {24, 22, 4},
                                                 {28, 26, 2}})
      entry.whole(field, bytes, numbers.natural(of_local, bytes));
    entry.whole(30, 2, kExtraBytes);
    entry.whole(42, 4, kIn64);
    const std::vector<std::byte> text = read(at + kLocalBytes, name);
    entry.text(kCentralBytes, {reinterpret_cast<const char*>(text.data()), name});
    entry.whole(kCentralBytes + name, 2, 1);
    entry.whole(kCentralBytes + name + 2, 2, 8);
    entry.whole(kCentralBytes + name + 4, 8, at);
    const std::vector<std::byte> bytes = entry.take();
    piece.insert(piece.end(), bytes.begin(), bytes.end());
    if (piece.size() >= kPiece) flush();
    at += kLocalBytes + name + numbers.natural(18);
  }
  flush();
  HeaderWriter tail(kEnd64Bytes + kLocatorBytes + kEndBytes + kComment.size());
  tail.text(0, kEnd64);
  tail.whole(4, 8, kEnd64Bytes - 12);
  tail.whole(12, 2, kVersion);
  tail.whole(14, 2, kVersion);
  tail.whole(24, 8, count);
  tail.whole(32, 8, count);
  tail.whole(40, 8, to - end);
  tail.whole(48, 8, end);
  std::size_t record = kEnd64Bytes;
  tail.text(record, kLocator64);
  tail.whole(record + 8, 8, to);
  tail.whole(record + 16, 4, 1);
  record += kLocatorBytes;
  tail.text(record, kEnd);
  tail.whole(record + 8, 2, kFewIn64);
  tail.whole(record + 10, 2, kFewIn64);
  tail.whole(record + 12, 4, kIn64);
  tail.whole(record + 16, 4, kIn64);
  tail.whole(record + 20, 2, kComment.size());
  tail.text(record + kEndBytes, kComment);
  piece = tail.take();
  flush();
}

std::int64_t ZarrZip::held_bytes() const {
  return static_cast<std::int64_t>(directory_.size() + entries_.capacity() * sizeof(Entry));
}

}  // namespace gpuccl::io
