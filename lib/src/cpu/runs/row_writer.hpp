#pragma once

#include <algorithm>
#include <cstring>

namespace gpuccl::cpu {

/// Writes one row from left to right: runs of a value, zeros between them.
///
/// Short stretches are written in whole blocks that may reach beyond their end, where the next stretch will
/// be written over them: one or two vector stores instead of a loop with a remainder. Not so at the end of
/// the row.
template <class T>
class RowWriter {
 public:
  RowWriter(T* row, int width) : row_(row), width_(width) {}

  void run(int begin, int end, T value) {
    stretch(at_, begin, 0);
    stretch(begin, end, value);
    at_ = end;
  }
  void finish() { stretch(at_, width_, 0); }

 private:
  static constexpr int kBlock = 32 / sizeof(T);
  static constexpr int kLong = 16 * kBlock;  // from here on the library's fill is faster

  void stretch(int begin, int end, T value) {
    if (end - begin >= kLong || end + kBlock > width_) {
      std::fill(row_ + begin, row_ + end, value);
      return;
    }
    T block[kBlock];
    std::fill_n(block, kBlock, value);
    for (; begin < end; begin += kBlock) std::memcpy(row_ + begin, block, sizeof block);
  }

  T* row_;
  int width_;
  int at_ = 0;
};

}  // namespace gpuccl::cpu
