#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "gpuccl/components.hpp"
#include "io/image/strips.hpp"

namespace gpuccl::io {

/// Takes text that goes to a file, piece by piece.
using TextSink = std::function<void(std::string_view text)>;

/// One row of a table of components, as text.
class RowText {
 public:
  void add(std::string_view text) {
    std::memcpy(end_, text.data(), text.size());
    end_ += text.size();
  }
  void add(std::uint64_t number) { end_ = std::to_chars(end_, limit(), number).ptr; }
  void add(int number) { end_ = std::to_chars(end_, limit(), number).ptr; }
  /// The fewest digits that read back as the same value, without an exponent.
  void add(double number) { end_ = std::to_chars(end_, limit(), number, std::chars_format::fixed).ptr; }

  /// The first `count` of `numbers`, with commas between them.
  template <class T>
  void add_list(const std::array<T, 3>& numbers, int count) {
    for (int i = 0; i < count; ++i) {
      if (i > 0) add(",");
      add(numbers[static_cast<std::size_t>(i)]);
    }
  }

  std::string_view view() const { return {buffer_.data(), static_cast<std::size_t>(end_ - buffer_.data())}; }

 private:
  char* limit() { return buffer_.data() + buffer_.size(); }

  // Every number at its longest, and the words of JSON, take less than half of it.
  std::array<char, 1024> buffer_;
  char* end_ = buffer_.data();
};

/// Sends `before` and `format(row, i)` of every component, in order, in pieces made in parallel: millions of
/// components take neither memory nor much time.
template <class Format>
void stream_rows(const Components& components, const TextSink& sink, std::string_view before, Format format) {
  constexpr std::size_t kRowsAtOnce = 4096;
  const std::size_t count = components.size();
  const auto make = [&](std::string& text, std::int64_t piece) {
    text.clear();
    const std::size_t begin = static_cast<std::size_t>(piece) * kRowsAtOnce;
    for (std::size_t i = begin; i < std::min(count, begin + kRowsAtOnce); ++i) {
      RowText row;
      format(row, i);
      text += before;
      text += row.view();
    }
  };
  const auto take = [&](const std::string& text, std::int64_t) { sink(text); };
  for_each_strip<std::string>(static_cast<std::int64_t>((count + kRowsAtOnce - 1) / kRowsAtOnce), make, take);
}

/// Mean position of component i.
inline std::array<double, 3> centroid(const Components& components, std::size_t i) {
  return {components.centroid(i, 0), components.centroid(i, 1), components.centroid(i, 2)};
}

}  // namespace gpuccl::io
