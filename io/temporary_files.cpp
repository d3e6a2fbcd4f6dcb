#include "io/temporary_files.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <random>

#include "io/atomic_file.hpp"

namespace gpuccl::io {
namespace {

constexpr std::size_t kNameLength = 15;  // with the final zero

// A signal handler may neither lock nor allocate: a fixed list, each entry owned by whoever moved it from
// free to claimed, visible to the handler only while active.
enum class SlotState { free, claimed, active };
struct Slot {
  std::atomic<SlotState> state{SlotState::free};
  int folder = -1;
  std::array<char, kNameLength> name{};
};
static_assert(std::atomic<SlotState>::is_always_lock_free);
std::array<Slot, 1024> slots;  // for the most jobs of a batch

std::atomic<bool> ending = false;

std::string random_name() {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::uniform_int_distribution<std::size_t> letter(0, sizeof kLetters - 2);
  std::string name = ".gpuccl-";
  while (name.size() < kNameLength - 1) name += kLetters[letter(random)];
  return name;
}

}  // namespace

TemporaryName::TemporaryName(int folder) : name_(random_name()) {
  for (std::size_t i = 0; i < slots.size() && slot_ < 0; ++i) {
    SlotState expected = SlotState::free;
    if (slots[i].state.compare_exchange_strong(expected, SlotState::claimed)) slot_ = static_cast<int>(i);
  }
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.folder = folder;
  std::memcpy(slot.name.data(), name_.c_str(), kNameLength);
  slot.state.store(SlotState::active);
  while (ending) ::pause();  // this process is about to die and makes no more files
}

TemporaryName::~TemporaryName() {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state.store(SlotState::free);
}

void remove_temporary_files() noexcept {
  // Another thread may be just between taking a name and making the file; the second turn finds that file.
  constexpr int kPauseMs = 2;
  ending = true;
  for (int turn = 0; turn < 2; ++turn) {
    if (turn > 0) ::poll(nullptr, 0, kPauseMs);
    for (const Slot& slot : slots)
      if (slot.state.load() == SlotState::active) ::unlinkat(slot.folder, slot.name.data(), 0);
  }
}

}  // namespace gpuccl::io
