#pragma once

#include <mpi.h>

#include <deque>

#include "gpuccl/parts.hpp"

namespace gpuccl::app {

/// Parts that are the ranks of MPI_COMM_WORLD. Used by one thread. MPI ends all ranks when one is gone.
class MpiLink final : public PartLink {
 public:
  MpiLink();
  /// Waits until all messages have gone out.
  ~MpiLink() override;

  int part() const override { return rank_; }
  int parts() const override { return size_; }
  void send(int to, Message message) override;
  Message receive(int from) override;

 private:
  /// A message on its way.
  struct Sent {
    unsigned long long bytes;
    Message message;
    std::vector<MPI_Request> requests;
  };

  void forget_what_went_out();

  int rank_ = 0, size_ = 1;
  std::deque<Sent> sent_;
};

}  // namespace gpuccl::app
