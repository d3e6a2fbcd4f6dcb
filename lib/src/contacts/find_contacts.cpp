#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <utility>

#include "common/pair_sums.hpp"
#include "common/row_source.hpp"
#include "common/run_contacts.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/types.hpp"
#include "measure/row_window.hpp"
#include "periodic/border_runs.hpp"

namespace gpuccl {

using Row = std::span<const LabelRun>;

/// Number of contacts that the tables of all threads may hold.
class ContactRoom {
 public:
  explicit ContactRoom(std::int64_t max_bytes)
      : is_limited_(max_bytes < INT64_MAX), left_(max_bytes / kBytesEach) {}
  void take() {
    if (is_limited_ && --left_ < 0)  // threads wait for each other here
      throw Error(ErrorCode::memory,
                  "has more contacts than fit into the remaining memory; set a larger --memory");
  }

 private:
  // An entry of a table, its slots also while they grow, and the contact once more when sorted.
  static constexpr std::int64_t kBytesEach = 96 + sizeof(Contact);
  const bool is_limited_;
  std::atomic<std::int64_t> left_;
};

/// Contacts by pair of labels, of one thread.
class ContactTable : public PairSums<Contact> {
 public:
  explicit ContactTable(ContactRoom& room) : PairSums([&room] { room.take(); }) {}

  Contact& of(Label a, Label b) { return PairSums::of(std::min(a, b), std::max(a, b)); }
};

namespace {

void add_contact(Contact& sum, const Contact& more) {
  for (std::size_t axis = 0; axis < sum.faces.size(); ++axis) sum.faces[axis] += more.faces[axis];
  sum.edges += more.edges;
  sum.corners += more.corners;
}

template <class Tables>
std::vector<Contact> sorted_contacts(const Tables& tables) {
  EntriesOfThreads<Contact> entries;
  for (const ContactTable& table : tables) entries.push_back(&table.entries());
  return sorted_sums(entries, add_contact);
}

void count_in_row(Row row, ContactTable& table) {
  for (std::size_t i = 1; i < row.size(); ++i)
    if (row[i - 1].end == row[i].begin && row[i - 1].label != row[i].label)
      ++table.of(row[i - 1].label, row[i].label).faces[0];
}

/// Counts contacts between two rows. The counts: of elements with the same x, and with x that differ by 1.
template <bool kDiagonal>
void count_between(Row row, Row other, ContactTable& table, auto straight, auto slanted) {
  for_each_contact_of_rows(row, other, kDiagonal, [&](const LabelRun& a, const LabelRun& b) {
    if (a.label == b.label) return;
    Contact& contact = table.of(a.label, b.label);
    const auto pairs = [&](std::int64_t shift) {
      const std::int64_t end = std::min<std::int64_t>(a.end, b.end - shift);
      return static_cast<std::uint64_t>(
          std::max<std::int64_t>(0, end - std::max<std::int64_t>(a.begin, b.begin - shift)));
    };
    straight(contact) += pairs(0);
    if constexpr (kDiagonal) slanted(contact) += pairs(-1) + pairs(1);
  });
}

/// Counts contacts between rows that differ along `axes` axes. `axis`: which one, if there is one.
void count_between(Row row, Row other, int axes, std::size_t axis, int reach, ContactTable& table) {
  const auto face = [axis](Contact& contact) -> std::uint64_t& { return contact.faces[axis]; };
  const auto edge = [](Contact& contact) -> std::uint64_t& { return contact.edges; };
  const auto corner = [](Contact& contact) -> std::uint64_t& { return contact.corners; };
  if (axes == 1)
    reach > 1 ? count_between<true>(row, other, table, face, edge)
              : count_between<false>(row, other, table, face, edge);
  else
    reach > 2 ? count_between<true>(row, other, table, edge, corner)
              : count_between<false>(row, other, table, edge, corner);
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

bool joins_slices(const Extent& extent, Connectivity connectivity) {
  return is_3d(connectivity) && extent.depth > 1;
}

/// Returns the number of rows that a thread lists at once, without those around them: few of wide images,
/// where each thread would need much memory.
int rows_of_band(const Extent& extent) { return std::clamp((1 << 18) / std::max(1, extent.width), 1, 32); }

/// Rows of a slice, from row `top` on.
struct Band {
  LabelRuns runs;
  int top = 0;

  Row row(int y) const { return runs.row(static_cast<std::size_t>(y - top)); }
};

/// Finds contacts in rows [y0, y1) of the slices of a region, and with the rows before them. `before`, `now`:
/// for the rows of two slices. Calls keep(number, row) for each row.
template <class Keep>
void find_in_band(const RowSource& source, const Extent& extent, Connectivity connectivity,
                  const measuring::Region& region, int y0, int y1, Band& before, Band& now,
                  ContactTable& table, Keep keep) {
  const bool joins = joins_slices(extent, connectivity);
  const int reach = max_axes(connectivity), height = extent.height;
  const auto list = [&](int z, Band& band) {
    // Only the next slice needs the row below the band.
    const int bottom = joins && z + 1 < region.z1 ? std::min(height, y1 + 1) : y1;
    band.top = std::max(0, y0 - 1);
    source.list_runs(std::int64_t{z} * height + band.top, bottom - band.top, band.runs);
  };
  if (joins && region.z0 > 0) list(region.z0 - 1, now);
  for (int z = region.z0; z < region.z1; ++z) {
    if (joins) std::swap(before, now);
    list(z, now);
    for (int y = y0; y < y1; ++y) {
      const Row row = now.row(y);
      keep(std::int64_t{z} * height + y, row);
      count_in_row(row, table);
      if (y > 0) count_between(row, now.row(y - 1), 1, 1, reach, table);
      if (!joins || z == 0) continue;
      count_between(row, before.row(y), 1, 2, reach, table);
      if (reach == 1) continue;
      if (y > 0) count_between(row, before.row(y - 1), 2, 0, reach, table);
      if (y + 1 < height) count_between(row, before.row(y + 1), 2, 0, reach, table);
    }
  }
}

using ContactTables = tbb::enumerable_thread_specific<ContactTable>;

/// Finds contacts in rows [begin, end), and with the rows before them. Calls keep(number, row) for each row.
template <class Keep>
void find_in_rows(const LabelRows& labels, Connectivity connectivity, const Label* map, std::int64_t begin,
                  std::int64_t end, ContactTables& tables, Keep keep) {
  const Extent extent = labels.extent();
  if (extent.elements() == 0) return;
  const bool joins = joins_slices(extent, connectivity);
  const std::int64_t height = extent.height;
  const std::int64_t before = std::min<std::int64_t>(begin, joins ? height : begin % height > 0);
  RowSource source(labels, joins ? height + 1 : 1, 0, begin - before, begin, end, map);
  tbb::enumerable_thread_specific<std::array<Band, 2>> bands;
  while (source.next(begin, end))
    for (const measuring::Region& ready : measuring::regions_of(begin, end, extent)) {
      const std::vector<measuring::Region> regions = cut(ready, extent);
      tbb::parallel_for(std::size_t{0}, regions.size(), [&](std::size_t i) {
        const measuring::Region& region = regions[i];
        auto& [earlier, now] = bands.local();
        const int band = rows_of_band(extent);
        for (int y = region.y0; y < region.y1; y += std::min(band, region.y1 - y))
          find_in_band(source, extent, connectivity, region, y, y + std::min(band, region.y1 - y), earlier,
                       now, tables.local(), keep);
      });
    }
}

}  // namespace

std::int64_t bytes_to_find_contacts(const Extent& extent, Connectivity connectivity,
                                    std::int64_t most_runs_in_row, const PeriodicAxes& periodic) {
  constexpr std::int64_t kSlices = 2, kBorders = 2;
  const bool joins = joins_slices(extent, connectivity);
  const std::int64_t kept = joins ? extent.height + 1 : 1;
  const std::int64_t of_thread = (joins ? 2 : 1) * (std::min(rows_of_band(extent), extent.height) + 2);
  const std::int64_t rows = kSlices * kept + threads_at_work() * of_thread +
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
  ContactTables tables([&] { return ContactTable(room); });
  find_in_rows(labels, connectivity, map, 0, extent.rows(), tables,
               [&](std::int64_t number, Row row) { borders.keep(number, row); });
  if (periodic != PeriodicAxes{}) count_across(borders, extent, connectivity, periodic, tables.local());
  return sorted_contacts(tables);
}

std::vector<Contact> contacts_across(const BorderRuns& borders, const Extent& extent,
                                     Connectivity connectivity, const PeriodicAxes& periodic) {
  ContactRoom room(INT64_MAX);
  ContactTable all(room);
  count_across(borders, extent, connectivity, periodic, all);
  return sorted_contacts(std::span(&all, 1));
}

std::vector<Contact> find_contacts_of_rows(const LabelRows& labels, Connectivity connectivity,
                                           std::int64_t first_row, std::int64_t rows,
                                           std::int64_t max_bytes) {
  ContactRoom room(max_bytes);
  ContactTables tables([&] { return ContactTable(room); });
  find_in_rows(labels, connectivity, nullptr, first_row, first_row + rows, tables, [](std::int64_t, Row) {});
  return sorted_contacts(tables);
}

class ContactSums::Table {
 public:
  explicit Table(std::int64_t max_bytes) : room(max_bytes), all(room) {}

  ContactRoom room;
  ContactTable all;
};

ContactSums::ContactSums(std::int64_t max_bytes) : table_(std::make_unique<Table>(max_bytes)) {}
ContactSums::~ContactSums() = default;
ContactSums::ContactSums(ContactSums&&) noexcept = default;
ContactSums& ContactSums::operator=(ContactSums&&) noexcept = default;

void ContactSums::add(std::span<const Contact> contacts) {
  for (const Contact& one : contacts) add_contact(table_->all.of(one.a, one.b), one);
}

std::vector<Contact> ContactSums::sorted() const { return sorted_contacts(std::span(&table_->all, 1)); }

}  // namespace gpuccl
