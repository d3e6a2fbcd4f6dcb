#include <fmt/core.h>
#include <libdeflate.h>
#include <png.h>
#include <tbb/info.h>
#include <tbb/version.h>
#include <tiffio.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/options/command_line.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/engine.hpp"
#include "io/files/gunzipped_file.hpp"
#include "io/files/json.hpp"
#include "io/image/formats.hpp"

namespace gpuccl::app {
namespace {

/// Names and values, in the order of the text.
using Json = nlohmann::ordered_json;

std::string as_text(const Json& about) {
  constexpr std::size_t kColumn = 16;
  std::string text;
  for (const auto& [name, value] : about.items())
    text += name + std::string(kColumn - name.size(), ' ') +
            (value.is_string() ? value.get<std::string>() : std::to_string(value.get<int>())) + "\n";
  return text;
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

void add_libraries(Json& about) {
  about["libpng"] = ::png_get_libpng_ver(nullptr);
  about["libtiff"] = tiff_version();
  about["libdeflate"] = LIBDEFLATE_VERSION_STRING;
  about["ISA-L"] = io::fast_inflater_version().empty() ? "not built in" : io::fast_inflater_version();
  about["oneTBB"] = fmt::format("{} (interface {})", TBB_VERSION_STRING, ::TBB_runtime_interface_version());
  about["CLI11"] = parser_version();
  about["nlohmann/json"] = json_version();
}

void add_cuda(Json& about) {
  const CudaStatus status = cuda_status();
  about["CUDA"] = !status.built_in ? "not built in"
                                   : "runtime " + status.runtime_version + ", driver " +
                                         (status.driver_version.empty() ? "none" : status.driver_version);
  for (const CudaDevice& device : status.devices)
    about[fmt::format("GPU {}", device.index)] =
        fmt::format("{}, compute capability {}, {} MiB", device.name, device.compute_capability,
                    device.memory_bytes >> 20);
  if (status.built_in && !status.problem.empty()) about["GPU"] = "not usable (" + status.problem + ")";
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

void add_formats(Json& about) {
  const std::string lacking = io::formats_not_built_in(), no_codecs = io::chunk_codecs(false);
  about["reads"] = io::read_formats();
  if (!lacking.empty()) about["does not read"] = lacking;
  about["chunk codecs"] = io::chunk_codecs(true);
  if (!no_codecs.empty()) about["lacks codecs"] = no_codecs;
  about["TIFF codecs"] = tiff_codecs();
  about["writes"] = io::written_formats();
}

Json about() {
  Json about = {{"gpuccl", version()},
                {"commit", commit().empty() ? "unknown" : commit()},
                {"compiler", GPUCCL_COMPILER},
                {"build", GPUCCL_BUILD_TYPE}};
  add_libraries(about);
  add_formats(about);
  about["CPU"] = cpu_name();
  about["threads"] = tbb::info::default_concurrency();
  add_cuda(about);
  return about;
}

}  // namespace

void setup_info(const Command& command) {
  const auto json = std::make_shared<bool>(false);
  add_switch(command, "--json", *json, "Print JSON");
  command.on_run([json] {
    print_result(*json ? io::json_text(about(), 2) + "\n" : as_text(about()));
    return kSuccess;
  });
}

}  // namespace gpuccl::app
