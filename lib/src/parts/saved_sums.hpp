#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/measures.hpp"
#include "parts/message.hpp"

namespace gpuccl {

/// Measures of several components in a message.
class SavedSums {
 public:
  SavedSums() = default;
  explicit SavedSums(TakenMessage& message) {
    message.take(words_);
    message.take(ends_);
  }

  void add(const Measured& measured, std::size_t i) {
    measured.save(i, words_);
    ends_.push_back(words_.size());
  }
  void put_into(Message& message) const {
    put(message, words_);
    put(message, ends_);
  }

  std::span<const std::uint64_t> operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_.at(i - 1);
    return std::span(words_).subspan(begin, ends_.at(i) - begin);
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> ends_;  // of each component
};

}  // namespace gpuccl
