#include "gpuccl/parts.hpp"
#include "parts/message.hpp"

namespace gpuccl {

PartLink::Sums PartLink::scan(std::uint64_t value) {
  Message mine;
  put(mine, std::vector<std::uint64_t>{value});
  Sums sums;
  int from = 0;
  for (Message& message : gather(std::move(mine))) {
    value = TakenMessage(std::move(message)).take<std::uint64_t>().at(0);
    if (from++ < part()) sums.before += value;
    sums.all += value;
  }
  return sums;
}

std::vector<Message> PartLink::gather(Message message) {
  std::vector<Message> all;
  Message together;
  if (part() > 0) {
    send(0, std::move(message));
    TakenMessage taken(receive(0));
    for (int from = 0; from < parts(); ++from) all.push_back(taken.take<std::byte>());
    return all;
  }
  all.push_back(std::move(message));
  for (int from = 1; from < parts(); ++from) all.push_back(receive(from));
  for (const Message& one : all) put(together, one);
  for (int to = 1; to < parts(); ++to) send(to, together);
  return all;
}

}  // namespace gpuccl
