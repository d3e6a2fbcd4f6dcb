#include <cstddef>
#include <utility>
#include <vector>

#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "parts/message.hpp"

namespace gpuccl {

void SoloLink::send(int, Message) { throw Error(ErrorCode::internal, "there is no other part"); }
Message SoloLink::receive(int) { throw Error(ErrorCode::internal, "there is no other part"); }

PartLink::Sums PartLink::scan(std::uint64_t value) {
  if (parts() == 1) return {0, value};
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
  if (parts() == 1) return all;
  for (int from = 1; from < parts(); ++from) all.push_back(receive(from));
  for (const Message& one : all) put(together, one);
  for (int to = 1; to < parts(); ++to) send(to, together);
  return all;
}

}  // namespace gpuccl
