#include "app/label/batch/admission.hpp"

namespace gpuccl::app {
namespace {

// From here on an image is worth all threads: it takes a second on one, and memory that others would need.
constexpr std::int64_t kLarge = std::int64_t{1} << 26;

}  // namespace

Admission::Admission(std::int64_t memory, int threads)
    : threads_(threads), all_threads_(threads), memory_(memory) {}

Admission::Memory Admission::reserve(std::int64_t bytes) {
  std::unique_lock lock(lock_);
  const std::uint64_t ticket = next_ticket_++;
  changed_.wait(lock, [&] { return ticket == served_ && (reserved_ == 0 || bytes <= memory_ - reserved_); });
  reserved_ += bytes;
  ++served_;
  changed_.notify_all();
  return {*this, bytes};
}

bool Admission::extend(Memory& memory, std::int64_t bytes) {
  const std::lock_guard lock(lock_);
  const std::int64_t more = bytes - memory.bytes_;
  if (more > memory_ - reserved_) return false;
  reserved_ += more;
  memory.bytes_ = bytes;
  return true;
}

void Admission::give_back(std::int64_t bytes) {
  const std::lock_guard lock(lock_);
  reserved_ -= bytes;
  changed_.notify_all();
}

bool Admission::is_large(const Extent& extent) { return extent.elements() >= kLarge; }

}  // namespace gpuccl::app
