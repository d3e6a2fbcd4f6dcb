#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpuccl/detail/parts.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "periodic/border_runs.hpp"
#include "slabs/slab_labels.hpp"

// Contents of messages, and the rows that parts exchange.
namespace gpuccl {

/// Appends an array to a message, from which arrays are taken in the same order. All parts run on machines of
/// one kind, so values are copied as they are in memory.
template <class T>
void put(Message& message, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::uint64_t count = values.size();
  const std::size_t at = message.size();
  message.resize(at + sizeof count + values.size() * sizeof(T));
  std::memcpy(message.data() + at, &count, sizeof count);
  if (count > 0) std::memcpy(message.data() + at + sizeof count, values.data(), values.size() * sizeof(T));
}

class TakenMessage {
 public:
  explicit TakenMessage(Message message) : message_(std::move(message)) {}

  template <class T>
  void take(std::vector<T>& values) {
    std::uint64_t count = 0;
    std::memcpy(&count, bytes(sizeof count), sizeof count);
    if (count > (message_.size() - at_) / sizeof(T)) bytes(message_.size());
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), bytes(count * sizeof(T)), count * sizeof(T));
  }
  template <class T>
  std::vector<T> take() {
    std::vector<T> values;
    take(values);
    return values;
  }

 private:
  const std::byte* bytes(std::size_t count) {
    if (count > message_.size() - at_)
      throw Error(ErrorCode::internal, "a message between parts is too short");
    at_ += count;
    return message_.data() + (at_ - count);
  }

  Message message_;
  std::size_t at_ = 0;
};

/// Measures of several components in a message.
class SavedSums {
 public:
  SavedSums() = default;
  explicit SavedSums(TakenMessage& message) {
    message.take(words_);
    message.take(ends_);
  }

  void add(const MeasureTable& measured, std::size_t i) {
    save(measured, i, words_);
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
  std::vector<std::uint64_t> ends_;  // one per component
};

void put(Message& message, const BorderRows& rows);
BorderRows take_border_rows(TakenMessage& message);

/// Adds all rows to `borders`.
void keep(BorderRuns& borders, const BorderRows& rows);

/// Collective. Returns the labels of the rows of a part and of its halo rows, which parts exchange. Runs have
/// the labels number(label) of the whole image, up to `count`. `part` must outlive
/// the result.
JoinedLabels rows_of_part(PartLink& link, Extent whole, const RowsAround& reach, const PartResult& part,
                          const std::function<Label(Label)>& number, Label count);

/// The steps of parts.hpp with several parts. A whole image has its own forms, without messages and without
/// the copies that parts make for them (steps.cpp).
namespace several_parts {
decltype(gpuccl::unite_part) unite_part;
decltype(gpuccl::wrap_part) wrap_part;
decltype(gpuccl::cavities_of_part) cavities_of_part;
decltype(gpuccl::measure_part) measure_part;
decltype(gpuccl::select_part) select_part;
decltype(gpuccl::find_contacts_of_part) find_contacts_of_part;
}  // namespace several_parts

}  // namespace gpuccl
