#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gpuccl/parts.hpp"
#include "parts/message.hpp"
#include "periodic/border_runs.hpp"

namespace gpuccl {

RowsAround rows_touched_before(const Extent& extent, Connectivity connectivity) {
  if (extent.depth == 1) return {1, 0};
  return {is_3d(connectivity) ? extent.height : 0, 0};
}

ContactsOfParts::ContactsOfParts(Extent whole, Connectivity connectivity, const PeriodicAxes& periodic,
                                 std::int64_t max_bytes)
    : whole_(whole), connectivity_(connectivity), periodic_(periodic), sums_(max_bytes) {}

void ContactsOfParts::add(std::span<const Contact> contacts, BorderRows borders) {
  sums_.add(contacts);
  if (!borders.rows.empty()) borders_.push_back(std::move(borders));
}

std::vector<Contact> ContactsOfParts::finish() {
  if (periodic_ != PeriodicAxes{}) {
    BorderRuns borders(whole_, periodic_);
    for (const BorderRows& rows : borders_) keep(borders, rows);
    sums_.add(contacts_across(borders, whole_, connectivity_, periodic_));
  }
  return sums_.sorted();
}

std::vector<Contact> several_parts::find_contacts_of_part(
    PartLink& link, Extent whole, Connectivity connectivity, const PartResult& part,
    const PeriodicAxes& periodic, std::int64_t max_bytes,
    const std::function<void(const std::function<void()>& work)>& alone) {
  std::vector<Contact> contacts;
  // Part 0 holds the contacts of one part at a time in addition to the sums.
  const std::int64_t of_part = max_bytes / 2, of_sums = max_bytes / 2;
  const JoinedLabels rows =
      rows_of_part(link, whole, rows_touched_before(whole, connectivity), part, std::identity(), part.count);
  const RowRange own = rows_of(part.labels.slab, whole);
  const bool is_periodic = periodic != PeriodicAxes{};
  alone([&] {
    if (!own.empty()) contacts = find_contacts_of_rows(rows, connectivity, own.begin, own.count(), of_part);
  });
  Message mine;
  put(mine, contacts);
  contacts = {};
  if (is_periodic) put(mine, list_border_rows(part.labels, whole, periodic));
  link.send(0, std::move(mine));
  std::exception_ptr thrown;
  if (link.part() == 0) {
    std::optional<ContactsOfParts> sums(std::in_place, whole, connectivity, periodic, of_sums);
    const auto try_to = [&](const auto& work) {  // receives every message in any case
      if (thrown) return;
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
        sums.reset();
      }
    };
    for (int from = 0; from < link.parts(); ++from) {
      TakenMessage message(link.receive(from));
      try_to([&] {
        const auto more = message.take<Contact>();
        sums->add(more, is_periodic ? take_border_rows(message) : BorderRows());
      });
    }
    try_to([&] { contacts = sums->finish(); });
  }
  alone([&] {
    if (thrown) std::rethrow_exception(thrown);
  });
  return contacts;
}

}  // namespace gpuccl
