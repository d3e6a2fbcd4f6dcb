#include "contacts/contacts_across.hpp"
#include "gpuccl/parts.hpp"
#include "parts/border_rows.hpp"
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

std::vector<Contact> find_contacts_of_part(PartLink& link, Extent whole, Connectivity connectivity,
                                           const NumberedPart& part, const PeriodicAxes& periodic) {
  if (link.parts() == 1) return find_contacts(*part.labels.labels, connectivity, part.labels.map(), periodic);
  const RowsOfPart rows(link, whole, rows_touched_before(whole, connectivity), part,
                        [](Label label) { return label; });
  const RowRange& own = rows.own();
  const bool is_periodic = periodic != PeriodicAxes{};
  std::vector<Contact> contacts;
  if (own.begin < own.end)
    contacts = find_contacts_of_rows(rows, connectivity, own.begin, own.end - own.begin);
  Message mine;
  put(mine, contacts);
  if (is_periodic) put(mine, list_border_rows(part.labels, whole, periodic));
  link.send(0, std::move(mine));
  contacts.clear();
  if (link.part() > 0) return contacts;
  std::vector<BorderRows> at_borders;
  const auto add = [&](const std::vector<Contact>& more) {
    contacts.insert(contacts.end(), more.begin(), more.end());
  };
  for (int from = 0; from < link.parts(); ++from) {
    TakenMessage message(link.receive(from));
    add(message.take<Contact>());
    if (is_periodic) at_borders.push_back(take_border_rows(message));
  }
  if (is_periodic) add(find_contacts_across(whole, connectivity, periodic, at_borders));
  return add_up_contacts(contacts);
}

}  // namespace gpuccl
