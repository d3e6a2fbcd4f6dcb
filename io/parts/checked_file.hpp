#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpuccl/contacts.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/descriptor.hpp"

namespace gpuccl::io {

/// Kind and run of a file between tasks; files with another tag are rejected.
struct FileTag {
  std::uint64_t kind = 0, run = 0, part = 0, parts = 0;

  friend bool operator==(const FileTag&, const FileTag&) = default;
};

/// Writes a file of sections with a checksum each, so damaged and incomplete files are detected. Values are
/// stored as in memory, because tasks run on machines of one kind. The file gets its name when it is
/// complete.
class CheckedFileWriter {
 public:
  CheckedFileWriter(const std::string& path, const FileTag& tag, AtomicFile::Options options);

  /// Adds bytes to the current section.
  void add(std::string_view bytes);
  /// Ends the section and begins the next one. Returns the number of the section.
  std::size_t end_section();
  /// Writes a section of values.
  template <class Values>
  void add_section(const Values& values) {
    using T = typename Values::value_type;
    static_assert(std::is_trivially_copyable_v<T>);
    add({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
    end_section();
  }
  void commit();

 private:
  struct Section {
    std::uint64_t begin = 0, bytes = 0, checksum = 0;
  };
  friend class CheckedFile;

  AtomicFile file_;
  FileTag tag_;
  std::vector<Section> sections_;
  Section open_;
};

/// Reads such a file. Throws Error: data if the file is damaged, incomplete or of another run; no_input if it
/// does not exist, is a link, belongs to another user or can be written to by others; io.
class CheckedFile {
 public:
  CheckedFile(const std::string& path, const FileTag& tag, std::size_t sections);

  const std::string& path() const { return path_; }
  std::uint64_t bytes(std::size_t section) const { return sections_.at(section).bytes; }
  std::uint64_t checksum(std::size_t section) const { return sections_.at(section).checksum; }

  template <class T>
  std::vector<T> read(std::size_t section) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(bytes(section) / sizeof(T));
    read_into(section, {reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(T)});
    return values;
  }
  /// Returns the only value of a section.
  template <class T>
  T read_one(std::size_t section) const {
    const std::vector<T> values = read<T>(section);
    if (values.size() != 1) throw_damaged();
    return values.front();
  }
  std::string read_text(std::size_t section) const;
  /// Passes the section to a sink piece by piece. Throws at its end if the checksum is wrong.
  void copy(std::size_t section, const std::function<void(std::string_view piece)>& sink) const;
  /// Reads and checks the complete file.
  void verify() const;
  /// Reads bytes of a section, unchecked: call verify() before.
  void read_at(std::size_t section, std::uint64_t offset, std::span<std::byte> out) const;
  /// Throws Error (data): the file is damaged.
  [[noreturn]] static void throw_damaged();

 private:
  void read_into(std::size_t section, std::span<std::byte> out) const;

  std::string path_;
  Descriptor file_;
  std::vector<CheckedFileWriter::Section> sections_;
};

// Checks the contents of sections. A checksum detects damage but not a file made by another program, so
// every index is checked against the size of the table that it refers to. Error (data).

/// Checks that boxes have elements and are inside `extent`, which may be that of a slab. Boxes may cross a
/// periodic boundary.
void check_components(const Components& components, const Extent& extent, bool is_periodic = false);

/// Checks the labels of a part in the whole image: 0 maps to 0, and no label is above `most`.
void check_numbers(std::span<const Label> numbers, std::uint64_t most);

/// Checks contacts of labels from 1 to `most`.
void check_contacts(std::span<const Contact> contacts, std::uint64_t most);

/// Checks rows of an image of this extent, with labels from 1 to `most`.
void check_border_rows(const BorderRows& rows, const Extent& extent, std::uint64_t most);

// Runs of labels in sections.

/// Number of sections of write_runs().
inline constexpr std::size_t kRunSections = 2;

/// Writes the runs of rows [first_row, first_row + rows), three to five bytes each, as one section. A second
/// section contains the end of each row in the first.
void write_runs(CheckedFileWriter& file, const LabelRows& labels, std::int64_t first_row, std::int64_t rows);

/// Reads all runs of write_runs(), from section `section` on. Error (data).
LabelRuns read_runs(const CheckedFile& file, std::size_t section);

/// Labels whose runs are in a verified file. They take 8 bytes of memory per row.
class StoredLabels final : public LabelRows {
 public:
  StoredLabels(std::shared_ptr<const CheckedFile> file, std::size_t section, Extent extent, Label count);

  Extent extent() const override { return extent_; }
  Label count() const override { return count_; }
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override;

 private:
  std::shared_ptr<const CheckedFile> file_;
  std::size_t section_;
  Extent extent_;
  Label count_;
  std::vector<std::uint64_t> ends_;  // of each row, in the section
};

}  // namespace gpuccl::io
