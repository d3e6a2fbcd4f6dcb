#include "gpuccl/parts.hpp"
#include "parts/message.hpp"
#include "parts/rows_of_part.hpp"

namespace gpuccl {

RowsAround rows_touched_before(const Extent& extent, Connectivity connectivity) {
  if (extent.depth == 1) return {1, 0};
  return {is_3d(connectivity) ? extent.height : 0, 0};
}

std::vector<Contact> find_contacts_of_part(PartLink& link, Extent whole, Connectivity connectivity,
                                           const NumberedPart& part) {
  const RowsOfPart rows(link, whole, rows_touched_before(whole, connectivity), part,
                        [](Label label) { return label; });
  const RowRange& own = rows.own();
  std::vector<Contact> contacts;
  if (own.begin < own.end)
    contacts = find_contacts_of_rows(rows, connectivity, own.begin, own.end - own.begin);
  Message mine;
  put(mine, contacts);
  link.send(0, std::move(mine));
  contacts.clear();
  if (link.part() > 0) return contacts;
  for (int from = 0; from < link.parts(); ++from) {
    const auto more = TakenMessage(link.receive(from)).take<Contact>();
    contacts.insert(contacts.end(), more.begin(), more.end());
  }
  return add_up_contacts(contacts);
}

}  // namespace gpuccl
