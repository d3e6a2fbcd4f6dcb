#pragma once

#include <mpi.h>

#include <deque>

#include "gpuccl/parts.hpp"

namespace gpuccl::app {

/// Parts that are the ranks of MPI_COMM_WORLD. Not thread-safe. If a rank dies, MPI ends the others.
class MpiLink final : public PartLink {
 public:
  MpiLink();
  /// Waits until all messages are sent.
  ~MpiLink() override;

  int part() const override { return rank_; }
  int parts() const override { return size_; }
  void send(int to, Message message) override;
  Message receive(int from) override;

 private:
  /// A message that MPI may still read.
  struct Sent {
    unsigned long long bytes;
    Message message;
    std::vector<MPI_Request> requests;
  };

  void free_sent_messages();

  int rank_ = 0, size_ = 1;
  std::deque<Sent> sent_;
};

}  // namespace gpuccl::app
