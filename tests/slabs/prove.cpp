// Labels volumes larger than --memory and the same ones at once: known counts, the same bytes, memory within
// the bound, and what it costs in time. `prove_slabs short|long [FOLDER]`, where FOLDER has room for the
// files.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "large_volume.hpp"
#include "support/process.hpp"

using namespace gpuccl;
namespace fs = std::filesystem;

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kMemoryCounts = false;  // the sanitizer's own would
#else
constexpr bool kMemoryCounts = true;
#endif
constexpr long kAboveBound = 64 * 1024;  // KiB

struct Case {
  std::string name;
  tests::LargeVolume volume;
  long bound_mib;       // --memory
  bool slices = false;  // a folder of them
  std::vector<std::string> options;
  bool at_once = false;  // labeled in memory too, with the same bytes
};

struct Result {
  double seconds = 0;
  long peak_kib = 0;
};

[[noreturn]] void fail(const std::string& reason) { throw std::runtime_error(reason); }

/// The number after the first `key` in a report, whose components are many.
std::uint64_t number_in(const std::string& report, const std::string& key) {
  std::ifstream file(report);
  std::string head(4096, ' ');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  const std::size_t at = head.find("\"" + key + "\":");
  if (at == std::string::npos) fail("no " + key + " in " + report);
  return std::stoull(head.substr(at + key.size() + 3));
}

Result label(const Case& one, const std::string& input, const std::string& output,
             const std::string& memory) {
  Command command;
  command.words = {
      GPUCCL_PROGRAM, "label",         input,          "-o",  output + ".tiff", "--json", output + ".json",
      "--stats",      output + ".csv", "--label-type", "u32", "--memory",       memory,   "--no-fsync"};
  if (one.slices) command.words.push_back("--stack");
  command.words.insert(command.words.end(), one.options.begin(), one.options.end());
  command.environment = {{"CUDA_VISIBLE_DEVICES", ""}};
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended = run(command);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (ended.code != 0) fail("exit code " + std::to_string(ended.code) + ": " + ended.err);
  if (number_in(output + ".json", "components") != one.volume.components())
    fail(std::to_string(number_in(output + ".json", "components")) + " components instead of " +
         std::to_string(one.volume.components()));
  return {seconds.count(), ended.peak_kib};
}

bool same_bytes(const std::string& a, const std::string& b) {
  std::ifstream file_a(a, std::ios::binary), file_b(b, std::ios::binary);
  std::vector<char> of_a(1 << 20), of_b(1 << 20);
  for (;;) {
    file_a.read(of_a.data(), static_cast<std::streamsize>(of_a.size()));
    file_b.read(of_b.data(), static_cast<std::streamsize>(of_b.size()));
    if (file_a.gcount() != file_b.gcount() ||
        !std::equal(of_a.begin(), of_a.begin() + file_a.gcount(), of_b.begin()))
      return false;
    if (file_a.gcount() == 0) return true;
  }
}

bool is_big_tiff(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[4] = {};
  file.read(start, sizeof start);
  return start[2] == 43;
}

void prove(const Case& one, const fs::path& folder) {
  const std::string input = folder / (one.slices ? "slices" : "in.tif");
  one.slices ? write_large_slices(input, one.volume) : write_large(input, one.volume);
  const std::string by_slabs = folder / "slabs", at_once = folder / "once";

  const Result slabs = label(one, input, by_slabs, std::to_string(one.bound_mib) + "M");
  std::printf("%-34s %11llu components, --memory %5ld MiB: peak %5ld MiB, %7.2f s", one.name.c_str(),
              static_cast<unsigned long long>(one.volume.components()), one.bound_mib, slabs.peak_kib / 1024,
              slabs.seconds);
  std::fflush(stdout);
  if (one.at_once) {
    const Result whole = label(one, input, at_once, "1T");
    std::printf("; at once: peak %5ld MiB, %7.2f s, ratio %.2f", whole.peak_kib / 1024, whole.seconds,
                slabs.seconds / whole.seconds);
    for (const char* kind : {".tiff", ".csv"})
      if (!same_bytes(by_slabs + kind, at_once + kind)) fail(std::string("other bytes in ") + kind);
  }
  std::printf("\n");
  constexpr std::int64_t kOfClassicTiff = std::int64_t{1}
                                          << 32;  // bytes; what deflates to less is BigTIFF too
  if (is_big_tiff(by_slabs + ".tiff") != (one.volume.extent.elements() * 4 > kOfClassicTiff))
    fail("not the right kind of TIFF");
  if (kMemoryCounts && slabs.peak_kib > one.bound_mib * 1024 + kAboveBound) fail("more memory than allowed");
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) fs::remove_all(file);
}

std::vector<Case> short_cases() {
  return {
      {"1024x1024x513, 26", {{1024, 1024, kMemoryCounts ? 513 : 65}}, 8, false, {}},
      {"512x512x129, 6, ordered by size", {{512, 512, 129}, 32}, 3, false, {"-c", "6", "--order", "size"}},
      {"300x200x99 slices, 18", {{300, 200, 99}, 16}, 1, true, {"-c", "18"}},
      {"6000x4097, 8", {{6000, 4097, 1}, 32}, 2, false, {}},
      {"3000x2001, 4, flood-fill", {{3000, 2001, 1}, 32}, 2, false, {"-c", "4", "--algo", "flood-fill"}},
  };
}

std::vector<Case> long_cases() {
  return {
      {"2048x2048x513, 26", {{2048, 2048, 513}}, 64, false, {}, true},
      {"2048x2048x513 slices, 6", {{2048, 2048, 513}}, 256, true, {"-c", "6"}, true},
      {"65536x65537, 8", {{65536, 65537, 1}}, 128, false, {}, true},
      {"65536x65537, 4, flood-fill", {{65536, 65537, 1}}, 1024, false, {"-c", "4", "--algo", "flood-fill"}},
  };
}

}  // namespace

int main(int argc, char** argv) {
  const std::string form = argc > 1 ? argv[1] : "short";
  std::string folder =
      ((argc > 2 ? fs::path(argv[2]) : fs::temp_directory_path()) / "gpuccl-slabs-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    std::fprintf(stderr, "prove_slabs: cannot make %s\n", folder.c_str());
    return 1;
  }
  int code = 0;
  try {
    for (const Case& one : form == "long" ? long_cases() : short_cases()) prove(one, folder);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "\nprove_slabs: %s\n", error.what());
    code = 1;
  }
  fs::remove_all(folder);
  return code;
}
