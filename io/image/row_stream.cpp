#include "io/image/row_stream.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "gpuccl/types.hpp"

namespace gpuccl::io {
namespace {

constexpr std::size_t kWordsAhead = std::size_t{1} << 21;

}  // namespace

RowStream::RowStream(std::int64_t row_words, std::function<void(RowStream&)> decode)
    : row_words_(static_cast<std::size_t>(row_words)), decode_(std::move(decode)) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    throw Error(ErrorCode::memory, "cannot start a thread");
  }
}

RowStream::~RowStream() {
  {
    const std::lock_guard lock(lock_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RowStream::run() {
  std::exception_ptr failure;
  try {
    decode_(*this);
  } catch (const Stopped&) {
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(lock_);
  failure_ = failure;
  ended_ = true;
  changed_.notify_all();
}

void RowStream::send(std::vector<std::uint32_t> rows) {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [this] { return stopped_ || sent_words_ < kWordsAhead; });
  if (stopped_) throw Stopped();
  sent_words_ += rows.size();
  sent_.push_back(std::move(rows));
  changed_.notify_all();
}

std::vector<std::uint32_t> RowStream::receive() {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [this] { return ended_ || !sent_.empty(); });
  if (sent_.empty()) {
    if (failure_) std::rethrow_exception(failure_);
    throw Error(ErrorCode::data, "the file is truncated");
  }
  std::vector<std::uint32_t> rows = std::move(sent_.front());
  sent_.pop_front();
  sent_words_ -= rows.size();
  changed_.notify_all();
  return rows;
}

void RowStream::take(int rows, std::uint32_t* out) {
  for (std::size_t left = static_cast<std::size_t>(rows) * row_words_; left > 0;) {
    if (taken_ == rows_.size()) {
      rows_ = receive();
      taken_ = 0;
    }
    const std::size_t words = std::min(left, rows_.size() - taken_);
    if (out != nullptr) {
      std::memcpy(out, rows_.data() + taken_, words * sizeof *out);
      out += words;
    }
    taken_ += words;
    left -= words;
  }
  next_ += rows;
}

void RowStream::finish() {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [this] { return ended_; });
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace gpuccl::io
