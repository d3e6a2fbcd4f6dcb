#include "app/common/sandbox.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "app/common/messages.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_names.hpp"
#include "io/files/input_file.hpp"
#include "io/files/system_calls.hpp"
#include "io/image/formats.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

// Values of linux/landlock.h, which may be older than the kernel.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;
struct Ruleset {
  std::uint64_t files = 0, network = 0, scopes = 0;
};
struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};
enum Access : std::uint64_t {
  kExecute = 1 << 0,
  kWriteFile = 1 << 1,
  kReadFile = 1 << 2,
  kReadFolder = 1 << 3,
  kRemoveFolder = 1 << 4,
  kRemoveFile = 1 << 5,
  kMakeFolder = 1 << 7,
  kMakeFile = 1 << 8,
  kAllOfVersion1 = (1 << 13) - 1,
  kRefer = 1 << 13,     // version 2: links and renames from one folder to another
  kTruncate = 1 << 14,  // version 3
  kIoctl = 1 << 15,     // version 5: of devices
};
constexpr std::uint64_t kBindTcp = 1, kConnectTcp = 2;       // version 4
constexpr std::uint64_t kAbstractSockets = 1, kSignals = 2;  // version 6: of processes outside
constexpr std::uint64_t kRead = kExecute | kReadFile | kReadFolder;
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctl;
constexpr std::uint64_t kWrite =
    kRead | kWriteFile | kRemoveFolder | kRemoveFile | kMakeFolder | kMakeFile | kRefer | kTruncate;

std::string& word() {
  static std::string in_force;
  return in_force;
}

/// Makes system calls fail that no reader needs, and that reach other processes, other computers, or parts of
/// the kernel that Landlock does not restrict.
void forbid_calls() {
  constexpr std::array kCalls = {__NR_socket,
                                 __NR_ptrace,
                                 __NR_process_vm_readv,
                                 __NR_process_vm_writev,
                                 __NR_io_uring_setup,
                                 __NR_io_uring_enter,
                                 __NR_bpf,
                                 __NR_perf_event_open,
                                 __NR_userfaultfd,
                                 __NR_add_key,
                                 __NR_request_key,
                                 __NR_keyctl,
                                 __NR_mount,
                                 __NR_umount2,
                                 __NR_unshare,
                                 __NR_setns,
                                 __NR_pivot_root,
                                 __NR_chroot,
                                 __NR_kexec_load,
                                 __NR_init_module,
                                 __NR_finit_module,
                                 __NR_delete_module,
                                 __NR_reboot,
                                 __NR_swapon,
                                 __NR_open_by_handle_at,
                                 __NR_pidfd_getfd,
                                 __NR_msgget,
                                 __NR_semget,
                                 __NR_shmget,
                                 __NR_mq_open};
  io::restrict_system_calls(kCalls, io::ListedCalls::refused);
}

/// System libraries, and files in which the system describes itself: of other processes none, because root
/// could read their environment.
std::set<std::string> system_paths() {
  std::set<std::string> paths = {"/usr",
                                 "/lib",
                                 "/lib64",
                                 "/opt",
                                 "/nix/store",
                                 "/etc/ld.so.cache",
                                 "/sys",
                                 "/dev",
                                 "/proc/self",
                                 "/proc/self/exe",  // program that reads HDF5 in a process of its own
                                 "/proc/cpuinfo",
                                 "/proc/meminfo",
                                 "/proc/stat",
                                 "/proc/loadavg",
                                 "/proc/filesystems",
                                 "/proc/version",
                                 "/proc/sys"};
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* found) {
        const fs::path folder = fs::path(library->dlpi_name).parent_path();
        if (!folder.empty()) static_cast<std::set<std::string>*>(found)->insert(folder.string());
        return 0;
      },
      &paths);
  if (const char* const named = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream folders(named);
    for (std::string folder; std::getline(folders, folder, ':');)
      if (!folder.empty()) paths.insert(folder);
  }
  return paths;
}

void allow(int ruleset, const std::string& path, std::uint64_t access) {
  const io::Descriptor opened = io::open_retrying(path.c_str(), O_PATH | O_CLOEXEC);
  if (!opened && (errno == EMFILE || errno == ENFILE))
    throw io::system_error(ErrorCode::io, "cannot enter the sandbox", errno);
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0) return;
  if (!S_ISDIR(status.st_mode)) access &= kOfFiles;
  const PathBeneath rule{access, opened.get()};
  ::syscall(kAddRule, ruleset, kPathBeneath, &rule, 0);
}

std::vector<std::string> links_in(const fs::path& folder) {
  std::vector<std::string> links;
  std::error_code unknown;
  for (fs::directory_iterator entry(folder, unknown), end; !unknown && entry != end;
       entry.increment(unknown)) {
    std::error_code none;
    if (entry->is_symlink(none)) links.push_back(entry->path().string());
  }
  return links;
}

void warn_once() {
  static bool is_said = false;
  if (!std::exchange(is_said, true))
    print_warning("inputs are read without a sandbox, because this kernel has no Landlock (see SECURITY)");
}

/// Returns the nearest folder above that exists.
fs::path existing(fs::path folder) {
  std::error_code unknown;
  while (!folder.empty() && !fs::exists(folder, unknown)) folder = folder.parent_path();
  return folder.empty() ? "." : folder;
}

}  // namespace

void Sandbox::read_input(const std::string& input) {
  if (input.empty() || input == "-") return;
  std::error_code unknown;
  const fs::path path = io::split_input(input).file;
  if (fs::is_directory(path, unknown)) {
    read(path.string());
    for (const std::string& link : links_in(path)) read(link);
    return;
  }
  const fs::path folder = path.parent_path();
  read(folder.empty() ? "." : folder.string());
  if (fs::is_symlink(path, unknown) || fs::is_other(path, unknown)) read(path.string());
}

void Sandbox::write_next_to(const std::string& path) {
  std::error_code unknown;
  if (path.empty() || path == "-") return;
  // A link leads to another folder than the one it is in.
  if (!fs::is_symlink(path, unknown) && !folders_.insert(fs::path(path).parent_path().string()).second)
    return;
  const std::optional<fs::path> target = io::follow_links(path);
  if (!target) return;
  write_below(target->parent_path().string());
  if (io::is_label_group(path)) write_below(io::image_of_labels(path));  // its metadata list the labels
}

void Sandbox::write_below(const std::string& folder, bool with_links) {
  written_.insert(existing(folder).string());
  if (!with_links) return;
  for (const std::string& link : links_in(folder)) write_next_to(link);
}

void Sandbox::enter() const {
  if (!is_closed_) return;
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < 1) return warn_once();
  std::uint64_t handled = kAllOfVersion1;
  if (version >= 2) handled |= kRefer;
  if (version >= 3) handled |= kTruncate;
  if (version >= 5) handled |= kIoctl;
  const Ruleset ruleset{handled, kBindTcp | kConnectTcp, kAbstractSockets | kSignals};
  const std::size_t known = version >= 6   ? sizeof ruleset
                            : version >= 4 ? 2 * sizeof handled
                                           : sizeof handled;
  const io::Descriptor rules(static_cast<int>(::syscall(kCreateRuleset, &ruleset, known, 0)));
  if (!rules) return warn_once();
  for (const std::string& path : system_paths()) allow(rules.get(), path, kRead & handled);
  for (const char* const stream : {"/dev/null", "/dev/tty", "/proc/self/fd"})
    allow(rules.get(), stream, (kRead | kWriteFile | kTruncate | kIoctl) & handled);
  for (const std::string& path : read_) allow(rules.get(), path, kRead & handled);
  for (const std::string& folder : written_) allow(rules.get(), folder, kWrite & handled);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::syscall(kRestrictSelf, rules.get(), 0) != 0)
    return warn_once();
  if (word().empty()) forbid_calls();
  word() = "landlock";
}

const std::string& Sandbox::in_force() { return word(); }

void enter_sandbox(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                   bool follow) {
  Sandbox sandbox;
  sandbox.close();
  if (follow) sandbox.read("/");
  for (const std::string& input : inputs) sandbox.read_input(input);
  for (const std::string& output : outputs) sandbox.write_next_to(output);
  sandbox.enter();
}

bool has_gpu_driver() { return ::access("/dev/nvidiactl", F_OK) == 0 || ::access("/dev/dxg", F_OK) == 0; }

}  // namespace gpuccl::app
