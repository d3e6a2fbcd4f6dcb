#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>
#include <vector>

#include "gpuccl/parts.hpp"

namespace gpuccl::app {

/// Parts that are the ranks of MPI_COMM_WORLD. Not thread-safe. If a rank dies, MPI ends the others.
class MpiLink final : public PartLink {
 public:
  MpiLink() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  /// Waits until all messages are sent.
  ~MpiLink() override {
    for (Sent& sent : sent_)
      MPI_Waitall(static_cast<int>(sent.requests.size()), sent.requests.data(), MPI_STATUSES_IGNORE);
  }

  int part() const override { return rank_; }
  int parts() const override { return size_; }

  void send(int to, Message message) override {
    free_sent_messages();
    Sent& sent = sent_.emplace_back();
    sent.message = std::move(message);
    sent.bytes = sent.message.size();
    const auto start = [&](const void* data, int count, MPI_Datatype type) {
      MPI_Isend(data, count, type, to, kTag, MPI_COMM_WORLD, &sent.requests.emplace_back());
    };
    start(&sent.bytes, 1, MPI_UNSIGNED_LONG_LONG);
    for_each_piece(sent.message, [&](std::byte* piece, int bytes) { start(piece, bytes, MPI_BYTE); });
  }

  Message receive(int from) override {
    unsigned long long bytes = 0;
    MPI_Recv(&bytes, 1, MPI_UNSIGNED_LONG_LONG, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    Message message(bytes);
    for_each_piece(message, [&](std::byte* piece, int count) {
      MPI_Recv(piece, count, MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    free_sent_messages();
    return message;
  }

 private:
  static constexpr int kTag = 1;

  /// A message that MPI may still read.
  struct Sent {
    unsigned long long bytes;
    Message message;
    std::vector<MPI_Request> requests;
  };

  /// Calls visit(piece, bytes) for pieces of a message: MPI counts bytes in int.
  template <class Visit>
  static void for_each_piece(Message& message, Visit visit) {
    constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;
    for (std::size_t begin = 0; begin < message.size(); begin += kMaxAtOnce)
      visit(message.data() + begin, static_cast<int>(std::min(kMaxAtOnce, message.size() - begin)));
  }

  void free_sent_messages() {
    std::erase_if(sent_, [](Sent& sent) {
      int done = 0;
      MPI_Testall(static_cast<int>(sent.requests.size()), sent.requests.data(), &done, MPI_STATUSES_IGNORE);
      return done != 0;
    });
  }

  int rank_ = 0, size_ = 1;
  std::list<Sent> sent_;  // MPI reads from their addresses
};

}  // namespace gpuccl::app
