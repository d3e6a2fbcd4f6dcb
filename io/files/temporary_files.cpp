#include "io/files/temporary_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "gpuccl/types.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/folders.hpp"

namespace gpuccl::io {
namespace {

constexpr std::size_t kNameLength = 15;  // with the final zero

// A signal handler may neither lock nor allocate: a fixed list, each entry owned by the thread that moved it
// from free to claimed, visible to the handler only while active.
enum class SlotState { free, claimed, active };
struct Slot {
  std::atomic<SlotState> state{SlotState::free};
  int folder = -1;
  bool if_empty = false;  // else with all that is in it
  std::array<char, kNameLength> name{};
};
static_assert(std::atomic<SlotState>::is_always_lock_free);
std::array<Slot, 1024> slots;  // for the most jobs of a batch

std::atomic<bool> ending = false;
std::atomic<int> naming = 0;  // threads that are just about it

std::string random_name() {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string name = ".gpuccl-";
  std::array<unsigned char, kNameLength> random{};
  if (::getentropy(random.data(), random.size()) != 0)
    throw Error(Failure::io, "cannot name a temporary file: the system has no random numbers", errno);
  while (name.size() < kNameLength - 1) name += kLetters[random[name.size()] % (sizeof kLetters - 1)];
  return name;
}

}  // namespace

// Either this thread sees that the end has begun, or remove_temporary_files() sees this thread.
Naming::Naming() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  ++naming;
  if (!ending) return;
  --naming;
  for (;;) ::pause();
}

Naming::~Naming() {
  --naming;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

TemporaryName::TemporaryName(int folder, const Naming&)
    : TemporaryName(folder, random_name(), Removed::whole) {}

TemporaryName::TemporaryName(int folder, const std::string& name, const Naming&)
    : TemporaryName(folder, name, Removed::if_empty) {}

TemporaryName::TemporaryName(int folder, std::string name, Removed removed) : name_(std::move(name)) {
  if (name_.size() >= kNameLength) return;
  for (std::size_t i = 0; i < slots.size() && slot_ < 0; ++i) {
    SlotState expected = SlotState::free;
    if (slots[i].state.compare_exchange_strong(expected, SlotState::claimed)) slot_ = static_cast<int>(i);
  }
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.folder = folder;
  slot.if_empty = removed == Removed::if_empty;
  std::memcpy(slot.name.data(), name_.c_str(), name_.size() + 1);
  slot.state.store(SlotState::active);
}

TemporaryName::~TemporaryName() {
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state.store(SlotState::free);
}

void remove_temporary_files() noexcept {
  constexpr int kTurns = 500, kPauseMs = 2;  // no longer: a network drive may never answer
  ending = true;
  for (int turn = 0; turn < kTurns && naming > 0; ++turn) ::poll(nullptr, 0, kPauseMs);
  const auto for_each = [](bool if_empty, auto remove) {
    for (const Slot& slot : slots)
      if (slot.state.load() == SlotState::active && slot.if_empty == if_empty) remove(slot);
  };
  for_each(false, [](const Slot& slot) {
    if (::unlinkat(slot.folder, slot.name.data(), 0) != 0) remove_tree(slot.folder, slot.name.data());
  });
  for_each(true, [](const Slot& slot) { ::unlinkat(slot.folder, slot.name.data(), AT_REMOVEDIR); });
}

}  // namespace gpuccl::io
