#include "io/files/system_calls.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace gpuccl::io {
namespace {

#if defined(__x86_64__)
constexpr unsigned kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kMachine = 0;
#endif

}  // namespace

bool restrict_system_calls(std::span<const int> calls, ListedCalls listed) {
  constexpr unsigned kOtherCalls = 0x40000000;  // of the x32 interface
  constexpr std::size_t kMax = 64;
  std::array<sock_filter, kMax + 7> program{};
  if (kMachine == 0 || calls.size() > kMax) return false;
  const std::size_t count = calls.size();
  std::size_t i = 0;
  const auto add = [&](unsigned code, std::size_t yes, std::size_t no, std::size_t number) {
    program[i++] = {static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(yes),
                    static_cast<std::uint8_t>(no), static_cast<std::uint32_t>(number)};
  };
  constexpr unsigned kRefuse = SECCOMP_RET_ERRNO | EPERM;
  const bool are_allowed = listed == ListedCalls::allowed;
  add(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, 0, count + 4, kMachine);
  add(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr));
  add(BPF_JMP | BPF_JGE | BPF_K, count + 2, 0, kOtherCalls);
  for (std::size_t call = 0; call < count; ++call)
    add(BPF_JMP | BPF_JEQ | BPF_K, count - call, 0, static_cast<std::size_t>(calls[call]));
  add(BPF_RET | BPF_K, 0, 0, are_allowed ? kRefuse : SECCOMP_RET_ALLOW);
  add(BPF_RET | BPF_K, 0, 0, are_allowed ? SECCOMP_RET_ALLOW : kRefuse);
  add(BPF_RET | BPF_K, 0, 0, kRefuse);
  const sock_fprog filter = {static_cast<unsigned short>(i), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

}  // namespace gpuccl::io
