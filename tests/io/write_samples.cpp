// Writes label images of every format, type and compression, and reports, into a folder, with what is in them
// as manifest.json and raw 32-bit samples: for tests that read them with other programs.

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "io/write/label_writer.hpp"
#include "label_samples.hpp"
#include "report_samples.hpp"

namespace {

using namespace gpuccl;
using namespace gpuccl::io;

const std::pair<const char*, LabelType> kTypes[] = {
    {"u8", LabelType::u8}, {"u16", LabelType::u16}, {"u32", LabelType::u32}};
const std::pair<const char*, Compression> kCompressions[] = {{"none", Compression::none},
                                                             {"deflate", Compression::deflate},
                                                             {"lzw", Compression::lzw},
                                                             {"packbits", Compression::packbits}};
const Geometry kGeometry{.spacing = {0.5, 0.25, 1.5}, .unit = LengthUnit::mm};

Label largest(LabelType type) {
  return type == LabelType::u8 ? 255 : type == LabelType::u16 ? 65535 : 4294967295u;
}

void write_raw(const std::string& path, const LabelImage& image) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(image.data()),
             static_cast<std::streamsize>(image.extent().elements() * 4));
}

nlohmann::json write_label_images(const std::string& folder) {
  nlohmann::json manifest = nlohmann::json::array();
  for (const Extent extent :
       {Extent{301, 207, 1}, Extent{1100, 1000, 1}, Extent{1, 40, 1}, Extent{123, 45, 6}}) {
    for (const auto& [type_name, type] : kTypes) {
      const LabelImage image = sample_labels(extent, largest(type));
      const std::string stem = std::to_string(extent.width) + "x" + std::to_string(extent.height) + "x" +
                               std::to_string(extent.depth) + "-" + type_name;
      write_raw(folder + "/" + stem + ".raw", image);
      const auto add = [&, type = type, type_name = type_name](const std::string& name,
                                                               Compression compression) {
        save_labels(folder + "/" + name, image,
                    {.type = type, .compression = compression, .geometry = kGeometry, .progress = {}});
        manifest.push_back({{"file", name},
                            {"raw", stem + ".raw"},
                            {"width", extent.width},
                            {"height", extent.height},
                            {"depth", extent.depth},
                            {"type", type_name},
                            {"max", image.count()}});
      };
      for (const auto& [name, compression] : kCompressions) add(stem + "-" + name + ".tif", compression);
      add(stem + ".ome.tif", Compression::deflate);
      add(stem + ".npy", Compression::none);
      add(stem + ".nii", Compression::none);
      add(stem + ".nii.gz", Compression::none);
      if (extent.depth == 1 && type != LabelType::u32) add(stem + ".png", Compression::none);
    }
  }
  return manifest;
}

void write_reports(const std::string& folder) {
  const auto save = [&](const std::string& name, const Report& report, const Components& components) {
    AtomicFile file(folder + "/" + name);
    stream_report(text_to(file), report, components);
    file.commit();
  };
  const Components components = sample_components(5000);
  Report report = sample_report(components);
  save("image.json", report, components);
  report.volume = true;
  report.input.extent.depth = 9;
  report.input.path = "not \xff utf-8";
  save("volume.json", report, components);
  report = sample_report({});
  report.output = report.stats = {};
  report.label_type.clear();
  save("empty.json", report, {});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_samples FOLDER\n";
    return 64;
  }
  const std::string folder = argv[1];
  std::ofstream(folder + "/manifest.json") << write_label_images(folder).dump(1);
  write_reports(folder);
}
