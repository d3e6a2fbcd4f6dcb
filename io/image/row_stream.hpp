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

/// Rows of bits that a separate thread decodes from first to last, a few MiB ahead of the caller. It lets a
/// decoder and its caller work at their own pace.
class RowStream {
 public:
  /// `decode` passes all rows to send(), in order. take() and finish() rethrow its exceptions.
  RowStream(std::int64_t row_words, std::function<void(RowStream&)> decode);
  ~RowStream();
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// Called by `decode`: waits while enough rows are ready. Throws through `decode` if no more are needed.
  void send(std::vector<std::uint32_t> rows);

  /// Returns the first row that was not taken yet.
  int next() const { return next_; }
  void skip(int rows) { take(rows, nullptr); }
  void take(int rows, std::uint32_t* out);
  /// Call it after the last row: waits for `decode`, which checks the rest of the file.
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
  std::thread thread_;  // last, because it uses the others
};

}  // namespace gpuccl::io
