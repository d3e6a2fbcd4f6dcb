#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "contacts/contacts_across.hpp"
#include "gpuccl/parts.hpp"
#include "parts/message.hpp"
#include "parts/rows_of_part.hpp"

namespace gpuccl {

RowsAround rows_touched_before(const Extent& extent, Connectivity connectivity) {
  if (extent.depth == 1) return {1, 0};
  return {is_3d(connectivity) ? extent.height : 0, 0};
}

std::vector<Contact> find_contacts_across(Extent whole, Connectivity connectivity,
                                          const PeriodicAxes& periodic, const std::vector<BorderRows>& all) {
  BorderRuns borders(whole, periodic);
  for (const BorderRows& rows : all) keep(borders, rows);
  return contacts_across(borders, whole, connectivity, periodic);
}

std::vector<Contact> find_contacts_of_part(
    PartLink& link, Extent whole, Connectivity connectivity, const NumberedPart& part,
    const PeriodicAxes& periodic, std::int64_t max_bytes,
    const std::function<void(const std::function<void()>& work)>& alone) {
  std::vector<Contact> contacts;
  if (link.parts() == 1) {
    alone([&] {
      contacts = find_contacts(*part.labels.labels, connectivity, part.labels.map(), periodic, max_bytes);
    });
    return contacts;
  }
  // Part 0 holds the contacts of one part at a time in addition to the sums.
  const std::int64_t of_part = max_bytes / 2, of_sums = max_bytes / 2;
  const RowsOfPart rows(link, whole, rows_touched_before(whole, connectivity), part,
                        [](Label label) { return label; });
  const RowRange& own = rows.own();
  const bool is_periodic = periodic != PeriodicAxes{};
  alone([&] {
    if (own.begin < own.end)
      contacts = find_contacts_of_rows(rows, connectivity, own.begin, own.end - own.begin, of_part);
  });
  Message mine;
  put(mine, contacts);
  contacts = {};
  if (is_periodic) put(mine, list_border_rows(part.labels, whole, periodic));
  link.send(0, std::move(mine));
  std::exception_ptr thrown;
  if (link.part() == 0) {
    ContactSums sums(of_sums);
    std::vector<BorderRows> at_borders;
    const auto try_to = [&](const auto& work) {  // every message is received in any case
      if (thrown) return;
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
        sums = ContactSums();
      }
    };
    for (int from = 0; from < link.parts(); ++from) {
      TakenMessage message(link.receive(from));
      try_to([&] { sums.add(message.take<Contact>()); });
      if (is_periodic && !thrown) at_borders.push_back(take_border_rows(message));
    }
    try_to([&] {
      if (is_periodic) sums.add(find_contacts_across(whole, connectivity, periodic, at_borders));
      contacts = sums.sorted();
    });
  }
  alone([&] {
    if (thrown) std::rethrow_exception(thrown);
  });
  return contacts;
}

}  // namespace gpuccl
