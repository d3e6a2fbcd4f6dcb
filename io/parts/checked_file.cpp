#include "io/parts/checked_file.hpp"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

namespace gpuccl::io {
namespace {

constexpr std::uint64_t kMagic = 0x314b5341545f4743;  // "CG_TASK1"

/// The end of the file, after the sections and their list.
struct Trailer {
  FileTag tag;
  std::uint64_t sections = 0, checksum = 0, magic = kMagic;
};

std::uint64_t crc(std::uint64_t before, const void* data, std::size_t bytes) {
  return libdeflate_crc32(static_cast<std::uint32_t>(before), data, bytes);
}

template <class Sections>
std::uint64_t checksum_of(const Sections& sections, const FileTag& tag) {
  return crc(crc(0, sections.data(), sections.size() * sizeof(sections[0])), &tag, sizeof tag);
}

/// Returns whether others than the owner may write to the file. A file system without permissions may show
/// them for everyone; there, removing them has no effect.
bool is_writable_by_others(int file, mode_t mode) {
  constexpr mode_t kOthers = S_IWGRP | S_IWOTH;
  if ((mode & kOthers) == 0 || ::fchmod(file, mode & 0777 & ~kOthers) != 0) return (mode & kOthers) != 0;
  struct stat without {};
  const bool is_kept = ::fstat(file, &without) != 0 || (without.st_mode & kOthers) == 0;
  return ::fchmod(file, mode & 0777) != 0 || is_kept;
}

/// Rejects files that another user may have written, because tasks trust the files of a run: these name the
/// files to write, for example. Error (no_input): such a file counts as missing.
void check_owner(int file, const struct stat& status) {
  if (status.st_uid != ::geteuid())
    throw Error(ErrorCode::no_input,
                "is of another user (uid " + std::to_string(status.st_uid) +
                    "), whom gpuccl does not trust with your files; use another --parts-dir",
                EPERM);
  if (is_writable_by_others(file, status.st_mode))
    throw Error(
        ErrorCode::no_input,
        "can be written to by other users, whom gpuccl does not trust with your files; use chmod go-w",
        EPERM);
}

}  // namespace

CheckedFileWriter::CheckedFileWriter(const std::string& path, const FileTag& tag, AtomicFile::Options options)
    : file_(path, options), tag_(tag) {}

void CheckedFileWriter::add(std::string_view bytes) {
  if (bytes.empty()) return;
  file_.write(bytes.data(), bytes.size());
  open_.checksum = crc(open_.checksum, bytes.data(), bytes.size());
  open_.bytes += bytes.size();
}

std::size_t CheckedFileWriter::end_section() {
  sections_.push_back(open_);
  open_ = {open_.begin + open_.bytes, 0, 0};
  return sections_.size() - 1;
}

void CheckedFileWriter::commit() {
  const Trailer trailer{tag_, sections_.size(), checksum_of(sections_, tag_)};
  file_.write(sections_.data(), sections_.size() * sizeof(Section));
  file_.write(&trailer, sizeof trailer);
  file_.commit();
}

CheckedFile::CheckedFile(const std::string& path, const FileTag& tag, std::size_t sections)
    : path_(path),
      file_(open_retrying(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)) {
  if (!file_ && errno == ENOENT) throw Error(ErrorCode::no_input, "is missing", ENOENT);
  if (!file_ && errno == ELOOP)
    throw Error(ErrorCode::no_input, "is a symbolic link, which must be removed", ELOOP);
  if (!file_) throw system_error(failure_to_read(errno), "cannot open", errno);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw_damaged();
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::data, "is not a file and must be removed");
  check_owner(file_.get(), status);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  Trailer trailer;
  sections_.resize(sections);
  const std::size_t list = sections * sizeof(CheckedFileWriter::Section);
  if (size < sizeof trailer + list) throw_damaged();
  const auto read = [&](void* out, std::size_t bytes, std::uint64_t offset) {
    if (read_all_at(file_.get(), out, bytes, offset) != bytes) throw_damaged();
  };
  read(&trailer, sizeof trailer, size - sizeof trailer);
  if (trailer.magic != kMagic || trailer.sections != sections) throw_damaged();
  read(sections_.data(), list, size - sizeof trailer - list);
  if (trailer.checksum != checksum_of(sections_, trailer.tag)) throw_damaged();
  std::uint64_t end = 0;
  for (const CheckedFileWriter::Section& section : sections_) {
    if (section.begin != end || section.bytes > size - end) throw_damaged();
    end += section.bytes;
  }
  if (end != size - sizeof trailer - list) throw_damaged();
  if (trailer.tag != tag) throw Error(ErrorCode::data, "belongs to another run or another part");
}

void CheckedFile::throw_damaged() { throw Error(ErrorCode::data, "is damaged"); }

void CheckedFile::read_into(std::size_t section, std::span<std::byte> out) const {
  if (out.size() != bytes(section)) throw_damaged();
  read_at(section, 0, out);
  if (crc(0, out.data(), out.size()) != checksum(section)) throw_damaged();
}

std::string CheckedFile::read_text(std::size_t section) const {
  std::string text(bytes(section), '\0');
  read_into(section, std::as_writable_bytes(std::span(text)));
  return text;
}

void CheckedFile::copy(std::size_t section, const std::function<void(std::string_view piece)>& sink) const {
  std::vector<std::byte> piece(std::min<std::uint64_t>(bytes(section), std::uint64_t{1} << 20));
  std::uint64_t found = 0;
  for (std::uint64_t at = 0; at < bytes(section); at += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), bytes(section) - at));
    read_at(section, at, piece);
    found = crc(found, piece.data(), piece.size());
    sink({reinterpret_cast<const char*>(piece.data()), piece.size()});
  }
  if (found != checksum(section)) throw_damaged();
}

void CheckedFile::verify() const {
  for (std::size_t section = 0; section < sections_.size(); ++section) copy(section, [](std::string_view) {});
}

void CheckedFile::read_at(std::size_t section, std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > bytes(section) || out.size() > bytes(section) - offset ||
      read_all_at(file_.get(), out.data(), out.size(), sections_[section].begin + offset) != out.size())
    throw_damaged();
}

static void require(bool condition) {
  if (!condition) CheckedFile::throw_damaged();
}

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

namespace {

constexpr std::int64_t kRowsAtOnce = 1024;

/// Appends a number, seven bits per byte; the highest bit is set in all bytes but the last (LEB128).
void add_number(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

std::uint64_t read_number(std::span<const std::byte>& from) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(from.front());
    from = from.subspan(1);
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  CheckedFile::throw_damaged();
}

/// Maps signed numbers to unsigned ones, small ones to small ones (zigzag encoding), and back.
std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
std::int64_t from_zigzag(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

/// Appends the runs of a row: of each its distance from the one before, its length, and the difference of
/// their labels.
void add_row(std::string& out, std::span<const LabelRun> runs) {
  std::int64_t at = 0, label = 0;
  for (const LabelRun& run : runs) {
    add_number(out, static_cast<std::uint64_t>(run.begin - at));
    add_number(out, static_cast<std::uint64_t>(run.end - run.begin));
    add_number(out, zigzag(std::int64_t{run.label} - label));
    at = run.end;
    label = run.label;
  }
}

template <class Visit>
void for_each_run(std::span<const std::byte> row, Visit visit) {
  constexpr std::uint64_t kMax = std::numeric_limits<int>::max();
  std::uint64_t at = 0;
  std::int64_t label = 0;
  while (!row.empty()) {
    const std::uint64_t begin = at + std::min(read_number(row), kMax);
    at = begin + std::min(read_number(row), kMax);
    if (begin == at || at > kMax || __builtin_add_overflow(label, from_zigzag(read_number(row)), &label) ||
        label < 1 || label > std::numeric_limits<Label>::max())
      CheckedFile::throw_damaged();
    visit(LabelRun{static_cast<int>(begin), static_cast<int>(at), static_cast<Label>(label)});
  }
}

}  // namespace

void write_runs(CheckedFileWriter& file, const LabelRows& labels, std::int64_t first_row, std::int64_t rows) {
  std::vector<std::uint64_t> ends;
  std::uint64_t bytes = 0;
  LabelRuns runs;
  std::string text;
  for (std::int64_t begin = first_row; begin < first_row + rows; begin += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, first_row + rows - begin);
    labels.prepare(begin, count);
    labels.list_runs(begin, count, runs, nullptr);
    text.clear();
    std::size_t at = 0;
    for (const std::size_t end : runs.ends) {
      add_row(text, {runs.runs.data() + at, end - at});
      ends.push_back(bytes + text.size());
      at = end;
    }
    bytes += text.size();
    file.add(text);
  }
  file.end_section();
  file.add_section(ends);
}

LabelRuns read_runs(const CheckedFile& file, std::size_t section) {
  const auto bytes = file.read<std::byte>(section);
  LabelRuns runs;
  std::size_t begin = 0;
  for (const std::uint64_t end : file.read<std::uint64_t>(section + 1)) {
    if (end < begin || end > bytes.size()) CheckedFile::throw_damaged();
    for_each_run({bytes.data() + begin, end - begin}, [&](const LabelRun& run) { runs.runs.push_back(run); });
    runs.ends.push_back(runs.runs.size());
    begin = end;
  }
  return runs;
}

StoredLabels::StoredLabels(std::shared_ptr<const CheckedFile> file, std::size_t section, Extent extent,
                           Label count)
    : file_(std::move(file)),
      section_(section),
      extent_(extent),
      count_(count),
      ends_(file_->read<std::uint64_t>(section + 1)) {
  if (ends_.size() != static_cast<std::size_t>(extent.rows()) ||
      !std::is_sorted(ends_.begin(), ends_.end()) || (!ends_.empty() && ends_.back() > file_->bytes(section)))
    CheckedFile::throw_damaged();
}

void StoredLabels::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                             const Label* map) const {
  const auto begin_of = [&](std::int64_t row) {
    return row == 0 ? 0 : ends_[static_cast<std::size_t>(row) - 1];
  };
  const std::uint64_t begin = begin_of(first_row);
  std::vector<std::byte> bytes(begin_of(first_row + rows) - begin);
  file_->read_at(section_, begin, bytes);
  out.runs.clear();
  out.ends.clear();
  for (std::int64_t row = first_row; row < first_row + rows; ++row) {
    const auto of_row =
        std::span<const std::byte>(bytes).subspan(begin_of(row) - begin, begin_of(row + 1) - begin_of(row));
    for_each_run(of_row, [&](LabelRun run) {
      if (run.end > extent_.width || run.label > count_) CheckedFile::throw_damaged();
      if (map != nullptr) run.label = map[run.label];
      out.add(run);
    });
    out.ends.push_back(out.runs.size());
  }
}

}  // namespace gpuccl::io
