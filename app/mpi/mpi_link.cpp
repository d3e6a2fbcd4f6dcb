#include "app/mpi/mpi_link.hpp"

#include <algorithm>
#include <utility>

namespace gpuccl::app {
namespace {

constexpr int kTag = 1;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // MPI counts bytes in int

/// Calls visit(begin, bytes) for the pieces of a message.
template <class Visit>
void for_each_piece(std::size_t bytes, Visit visit) {
  for (std::size_t begin = 0; begin < bytes; begin += kMostAtOnce)
    visit(begin, static_cast<int>(std::min(kMostAtOnce, bytes - begin)));
}

}  // namespace

MpiLink::MpiLink() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiLink::~MpiLink() {
  for (Sent& sent : sent_)
    MPI_Waitall(static_cast<int>(sent.requests.size()), sent.requests.data(), MPI_STATUSES_IGNORE);
}

void MpiLink::send(int to, Message message) {
  free_sent_messages();
  Sent& sent = sent_.emplace_back();
  sent.message = std::move(message);
  sent.bytes = sent.message.size();
  const auto start = [&](const void* data, int count, MPI_Datatype type) {
    MPI_Isend(data, count, type, to, kTag, MPI_COMM_WORLD, &sent.requests.emplace_back());
  };
  start(&sent.bytes, 1, MPI_UNSIGNED_LONG_LONG);
  for_each_piece(sent.message.size(),
                 [&](std::size_t begin, int bytes) { start(sent.message.data() + begin, bytes, MPI_BYTE); });
}

Message MpiLink::receive(int from) {
  unsigned long long bytes = 0;
  MPI_Recv(&bytes, 1, MPI_UNSIGNED_LONG_LONG, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Message message(bytes);
  for_each_piece(bytes, [&](std::size_t begin, int count) {
    MPI_Recv(message.data() + begin, count, MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  free_sent_messages();
  return message;
}

void MpiLink::free_sent_messages() {
  std::erase_if(sent_, [](Sent& sent) {
    int done = 0;
    MPI_Testall(static_cast<int>(sent.requests.size()), sent.requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  });
}

}  // namespace gpuccl::app
