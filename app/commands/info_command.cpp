#include <fmt/core.h>
#include <libdeflate.h>
#include <png.h>
#include <tbb/info.h>
#include <tbb/version.h>
#include <tiffio.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/options/command_line.hpp"
#include "gpuccl/engine.hpp"
#include "io/files/gunzipped_file.hpp"
#include "io/image/formats.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

std::string line(const std::string& name, const std::string& value) {
  constexpr std::size_t kColumn = 16;
  return name + std::string(kColumn - name.size(), ' ') + value + "\n";
}

/// Returns the version: libtiff has "LIBTIFF, Version 4.5.0" and a copyright notice, with the version after
/// the last blank of the first line.
std::string tiff_version() {
  const std::string text = ::TIFFGetVersion();
  const std::string first = text.substr(0, text.find('\n'));
  return first.substr(first.rfind(' ') + 1);
}

std::string json_version() {
  return fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                     NLOHMANN_JSON_VERSION_PATCH);
}

std::string libraries() {
  return line("libpng", ::png_get_libpng_ver(nullptr)) + line("libtiff", tiff_version()) +
         line("libdeflate", LIBDEFLATE_VERSION_STRING) +
         line("ISA-L", io::fast_inflater_version().empty() ? "not built in" : io::fast_inflater_version()) +
         line("oneTBB",
              fmt::format("{} (interface {})", TBB_VERSION_STRING, ::TBB_runtime_interface_version())) +
         line("CLI11", parser_version()) + line("nlohmann/json", json_version());
}

std::string cuda() {
  const CudaStatus status = cuda_status();
  if (!status.built_in) return line("CUDA", "not built in");
  std::string text = line("CUDA", "runtime " + status.runtime_version + ", driver " +
                                      (status.driver_version.empty() ? "none" : status.driver_version));
  for (const CudaDevice& device : status.devices)
    text += line(fmt::format("GPU {}", device.index),
                 fmt::format("{}, compute capability {}, {} MiB", device.name, device.compute_capability,
                             device.memory_bytes >> 20));
  if (!status.problem.empty()) text += line("GPU", "not usable (" + status.problem + ")");
  return text;
}

/// Returns the supported compressions of TIFF that this libtiff has.
std::string tiff_codecs() {
  constexpr std::pair<std::uint16_t, const char*> kCodecs[] = {
      {COMPRESSION_LZW, "LZW"},           {COMPRESSION_ADOBE_DEFLATE, "Deflate"},
      {COMPRESSION_PACKBITS, "PackBits"}, {COMPRESSION_CCITTFAX4, "CCITT"},
      {COMPRESSION_ZSTD, "Zstd"},         {COMPRESSION_JPEG, "JPEG"}};
  std::string names;
  for (const auto& [codec, name] : kCodecs)
    if (::TIFFIsCODECConfigured(codec) != 0) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

std::string formats() {
  const std::string lacking = io::formats_not_built_in();
  const std::string no_codecs = io::chunk_codecs(false);
  return line("reads", io::read_formats()) + (lacking.empty() ? "" : line("does not read", lacking)) +
         line("chunk codecs", io::chunk_codecs(true)) +
         (no_codecs.empty() ? "" : line("lacks codecs", no_codecs)) + line("TIFF codecs", tiff_codecs()) +
         line("writes", io::written_formats());
}

std::string about() {
  return line("gpuccl", version()) + line("commit", commit().empty() ? "unknown" : commit()) +
         line("compiler", GPUCCL_COMPILER) + line("build", GPUCCL_BUILD_TYPE) + libraries() + formats() +
         line("CPU", cpu_name()) + line("threads", std::to_string(tbb::info::default_concurrency())) + cuda();
}

}  // namespace

void setup_info(const Command& command) {
  command.on_run([] {
    print_result(about());
    return kSuccess;
  });
}

}  // namespace gpuccl::app
