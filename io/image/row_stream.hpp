#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gpuccl::io {

/// Rows of bits that a thread of its own makes from first to last, a few MiB ahead of the caller, who takes
/// them. Decoders hand over rows at their own pace; this lets their caller have its own.
class RowStream {
 public:
  /// `decode` makes all rows, in order, and passes them to send(). What it throws, take() and finish() throw.
  RowStream(std::int64_t row_words, std::function<void(RowStream&)> decode);
  ~RowStream();
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// For `decode`: waits while there is enough to take. Throws, past `decode`, when no more is wanted.
  void send(std::vector<std::uint32_t> rows);

  /// The first row that was not taken yet.
  int next() const { return next_; }
  void skip(int rows) { take(rows, nullptr); }
  void take(int rows, std::uint32_t* out);
  /// After the last row: waits until `decode` has found nothing wrong after it.
  void finish();

 private:
  struct Stopped {};

  void run();
  std::vector<std::uint32_t> receive();

  std::size_t row_words_;
  std::function<void(RowStream&)> decode_;

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::vector<std::uint32_t>> sent_;
  std::size_t sent_words_ = 0;
  bool ended_ = false, stopped_ = false;
  std::exception_ptr failure_;

  std::vector<std::uint32_t> rows_;  // being taken
  std::size_t taken_ = 0;            // words of them
  int next_ = 0;
  std::thread thread_;  // last, for it uses the others
};

}  // namespace gpuccl::io
