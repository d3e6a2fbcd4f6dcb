#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>

#include "common/run_contacts.hpp"
#include "gpuccl/objects.hpp"
#include "gpuccl/types.hpp"
#include "periodic/border_runs.hpp"

namespace gpuccl {
namespace {

using Row = std::span<const LabelRun>;

/// The runs of consecutive rows, listed by several threads as rows become available.
class Window {
 public:
  void list(const LabelRows& labels, const Label* map, std::int64_t first, std::int64_t rows) {
    first_ = first;
    bands_.resize(static_cast<std::size_t>((rows + kBand - 1) / kBand));
    for (std::int64_t begin = 0; begin < rows;) {
      const std::int64_t ready = labels.prepare(first + begin, std::min(kBand, rows - begin)) - first;
      const std::int64_t end = ready < rows ? ready / kBand * kBand : rows;
      tbb::parallel_for(begin / kBand, (end + kBand - 1) / kBand, [&](std::int64_t band) {
        const std::int64_t row = band * kBand;
        labels.list_runs(first + row, std::min(kBand, rows - row), bands_[static_cast<std::size_t>(band)],
                         map);
      });
      begin = end;
    }
  }

  Row row(std::int64_t number) const {
    const std::int64_t in_window = number - first_;
    const LabelRuns& band = bands_[static_cast<std::size_t>(in_window / kBand)];
    const auto in_band = static_cast<std::size_t>(in_window % kBand);
    const std::size_t begin = in_band == 0 ? 0 : band.ends[in_band - 1];
    return {band.runs.data() + begin, band.ends[in_band] - begin};
  }

 private:
  static constexpr std::int64_t kBand = 64;  // rows
  std::int64_t first_ = 0;
  std::vector<LabelRuns> bands_;
};

}  // namespace

/// Number of contacts that the tables of all threads may hold.
class ContactRoom {
 public:
  explicit ContactRoom(std::int64_t max_bytes) : left_(max_bytes / kBytesEach) {}
  void take() {
    if (--left_ < 0)
      throw Error(ErrorCode::memory,
                  "has more contacts than fit into the remaining memory; set a larger --memory");
  }

 private:
  // An entry of a table, its links and the allocator's overhead, and the contact once more when sorted.
  static constexpr std::int64_t kBytesEach = 96 + sizeof(Contact);
  std::atomic<std::int64_t> left_;
};

/// Contacts by pair of labels. The last pair is cached, because it is the most likely next one.
class ContactTable {
 public:
  explicit ContactTable(ContactRoom& room) : room_(&room) {}

  Contact& of(Label a, Label b) {
    if (a > b) std::swap(a, b);
    const std::uint64_t key = std::uint64_t{a} << 32 | b;
    if (last_ == nullptr || key != last_key_) {
      const auto [found, is_new] = contacts_.try_emplace(key);
      if (is_new) room_->take();
      last_key_ = key;
      last_ = &found->second;
      last_->a = a;
      last_->b = b;
    }
    return *last_;
  }

  void add(const Contact& contact) {
    Contact& sum = of(contact.a, contact.b);
    for (std::size_t axis = 0; axis < sum.faces.size(); ++axis) sum.faces[axis] += contact.faces[axis];
    sum.edges += contact.edges;
    sum.corners += contact.corners;
  }
  /// Moves the entries of `other`, so they need no additional memory.
  void merge(ContactTable& other) {
    contacts_.merge(other.contacts_);
    for (const auto& [key, contact] : other.contacts_) add(contact);
    other.contacts_.clear();
  }

  std::vector<Contact> sorted() const {
    std::vector<Contact> all;
    all.reserve(contacts_.size());
    for (const auto& [key, contact] : contacts_) all.push_back(contact);
    tbb::parallel_sort(all.begin(), all.end(), [](const Contact& left, const Contact& right) {
      return std::pair(left.a, left.b) < std::pair(right.a, right.b);
    });
    return all;
  }

 private:
  ContactRoom* room_;
  std::unordered_map<std::uint64_t, Contact> contacts_;  // entries have stable addresses
  std::uint64_t last_key_ = 0;
  Contact* last_ = nullptr;
};

namespace {

void count_in_row(Row row, ContactTable& table) {
  for (std::size_t i = 1; i < row.size(); ++i)
    if (row[i - 1].end == row[i].begin && row[i - 1].label != row[i].label)
      ++table.of(row[i - 1].label, row[i].label).faces[0];
}

/// Counts contacts between two rows, which differ along `axes` axes. `axis`: which one, if there is one.
void count_between(Row row, Row other, int axes, std::size_t axis, int reach, ContactTable& table) {
  const auto count = [&](int shift, auto counter) {
    for_each_overlap(row, other, shift, [&](Label a, Label b, int elements) {
      if (a != b) counter(table.of(a, b)) += static_cast<std::uint64_t>(elements);
    });
  };
  const auto edges = [](Contact& contact) -> std::uint64_t& { return contact.edges; };
  const auto corners = [](Contact& contact) -> std::uint64_t& { return contact.corners; };
  const auto faces = [&](Contact& contact) -> std::uint64_t& { return contact.faces[axis]; };
  if (axes == 1) {
    count(0, faces);
  } else {
    count(0, edges);
  }
  if (axes == reach) return;
  for (const int shift : {-1, 1}) {
    if (axes == 1) {
      count(shift, edges);
    } else {
      count(shift, corners);
    }
  }
}

void count_across(const BorderRuns& borders, const Extent& extent, Connectivity connectivity,
                  const PeriodicAxes& periodic, ContactTable& table) {
  for_each_contact_across(
      borders, extent, connectivity, periodic,
      [&](Label a, Label b, int elements, const std::array<bool, 3>& axes, const Periods&) {
        if (a == b) return;
        Contact& contact = table.of(a, b);
        const int count = axes[0] + axes[1] + axes[2];
        (count == 3   ? contact.corners
         : count == 2 ? contact.edges
                      : contact.faces[axes[0]   ? 0
                                      : axes[1] ? 1
                                                : 2]) += static_cast<std::uint64_t>(elements);
      });
}

/// Returns the number of rows per step: a slice if the slice before it is needed, otherwise rows for all
/// threads.
std::int64_t rows_at_once(const Extent& extent, Connectivity connectivity) {
  constexpr std::int64_t kElements = 1 << 20;
  if (is_3d(connectivity) && extent.depth > 1) return extent.height;
  return std::clamp<std::int64_t>(kElements / std::max(extent.width, 1), 1, extent.rows() + 1);
}

/// Finds contacts in rows [begin, end), and with the rows before them. Calls keep(number, row) for each row.
template <class Keep>
ContactTable find_in_rows(const LabelRows& labels, Connectivity connectivity, const Label* map,
                          std::int64_t begin, std::int64_t end, ContactRoom& room, Keep keep) {
  const Extent extent = labels.extent();
  const bool joins_slices = is_3d(connectivity) && extent.depth > 1;
  const int reached = max_axes(connectivity);
  const std::int64_t height = extent.height, at_once = rows_at_once(extent, connectivity);

  tbb::enumerable_thread_specific<ContactTable> tables([&room] { return ContactTable(room); });
  Window before, now;
  if (const std::int64_t rows = std::min<std::int64_t>(begin, joins_slices ? height : begin % height > 0))
    now.list(labels, map, begin - rows, rows);
  for (std::int64_t first = begin; first < end; first += at_once) {
    const std::int64_t rows = std::min(at_once, end - first);
    std::swap(before, now);
    now.list(labels, map, first, rows);
    const auto row_at = [&](std::int64_t number) { return (number < first ? before : now).row(number); };
    tbb::parallel_for(first, first + rows, [&](std::int64_t number) {
      ContactTable& table = tables.local();
      const Row row = now.row(number);
      keep(number, row);
      const std::int64_t y = number % height;
      count_in_row(row, table);
      if (y > 0) count_between(row, row_at(number - 1), 1, 1, reached, table);
      if (!joins_slices || number < height) return;
      count_between(row, row_at(number - height), 1, 2, reached, table);
      if (reached == 1) return;
      if (y > 0) count_between(row, row_at(number - height - 1), 2, 0, reached, table);
      if (y + 1 < height) count_between(row, row_at(number - height + 1), 2, 0, reached, table);
    });
  }
  ContactTable all(room);
  for (ContactTable& table : tables) all.merge(table);
  return all;
}

}  // namespace

std::int64_t bytes_to_find_contacts(const Extent& extent, Connectivity connectivity,
                                    std::int64_t most_runs_in_row, const PeriodicAxes& periodic) {
  constexpr std::int64_t kWindows = 2, kBorders = 2;
  const std::int64_t rows = kWindows * rows_at_once(extent, connectivity) +
                            kBorders * ((periodic[1] ? extent.depth : 0) + (periodic[2] ? extent.height : 0));
  return rows * most_runs_in_row * static_cast<std::int64_t>(sizeof(LabelRun)) +
         (periodic[0] ? extent.rows() * kBorders * static_cast<std::int64_t>(sizeof(Label)) : 0);
}

std::vector<Contact> find_contacts(const LabelRows& labels, Connectivity connectivity, const Label* map,
                                   const PeriodicAxes& periodic, std::int64_t max_bytes) {
  const Extent extent = labels.extent();
  check_periodic(extent, connectivity, periodic);
  BorderRuns borders(extent, periodic);
  ContactRoom room(max_bytes);
  ContactTable all = find_in_rows(labels, connectivity, map, 0, extent.rows(), room,
                                  [&](std::int64_t number, Row row) { borders.keep(number, row); });
  if (periodic != PeriodicAxes{}) count_across(borders, extent, connectivity, periodic, all);
  return all.sorted();
}

std::vector<Contact> contacts_across(const BorderRuns& borders, const Extent& extent,
                                     Connectivity connectivity, const PeriodicAxes& periodic) {
  ContactRoom room(INT64_MAX);
  ContactTable all(room);
  count_across(borders, extent, connectivity, periodic, all);
  return all.sorted();
}

std::vector<Contact> find_contacts_of_rows(const LabelRows& labels, Connectivity connectivity,
                                           std::int64_t first_row, std::int64_t rows,
                                           std::int64_t max_bytes) {
  ContactRoom room(max_bytes);
  return find_in_rows(labels, connectivity, nullptr, first_row, first_row + rows, room,
                      [](std::int64_t, Row) {})
      .sorted();
}

class ContactSums::Table {
 public:
  explicit Table(std::int64_t max_bytes) : room_(max_bytes), all(room_) {}

 private:
  ContactRoom room_;

 public:
  ContactTable all;
};

ContactSums::ContactSums(std::int64_t max_bytes) : table_(std::make_unique<Table>(max_bytes)) {}
ContactSums::~ContactSums() = default;
ContactSums::ContactSums(ContactSums&&) noexcept = default;
ContactSums& ContactSums::operator=(ContactSums&&) noexcept = default;

void ContactSums::add(std::span<const Contact> contacts) {
  for (const Contact& contact : contacts) table_->all.add(contact);
}

std::vector<Contact> ContactSums::sorted() const { return table_->all.sorted(); }

}  // namespace gpuccl
