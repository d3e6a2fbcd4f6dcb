#include "app/parts/part_measures.hpp"

#include <filesystem>

#include "app/label/label_checks.hpp"
#include "gpuccl/holes.hpp"
#include "io/files/file_error.hpp"
#include "io/read/input_files.hpp"
#include "io/zarr/ome_image.hpp"

namespace gpuccl::app {

LabelMeasures measures_in_parts(const LabelPaths& files, const LabelOptions& options,
                                const PartInput& input) {
  LabelMeasures measures(files, options);
  measures.plan(input.info(), input.connectivity());
  if (measures.needs_background())
    check_labels_background(options.algorithm.engine, input.connectivity(),
                            "--measure of cavities or tunnels");
  io::ReadOptions read;
  read.limits = options.input.limits;
  read.in_parts = true;
  measures.open_intensity(read, input.info());
  return measures;
}

std::string state_of_inputs(const LabelPaths& files, const PartInput& input) {
  if (files.intensity.empty()) return input.state();
  return io::concerning(files.intensity, [&] {
    std::error_code none;
    const bool stack = std::filesystem::is_directory(files.intensity, none) && !io::is_zarr(files.intensity);
    return input.state() + " " + std::to_string(io::state_of_input(files.intensity, stack).fingerprint);
  });
}

std::optional<std::string> changed_input(const LabelPaths& files, const PartInput& input,
                                         const std::string& before) {
  if (state_of_inputs(files, input) == before) return std::nullopt;
  const bool is_same = !files.intensity.empty() && before.starts_with(input.state() + " ");
  return is_same ? files.intensity : files.input;
}

bool measures_rows(const LabelOptions& options, const LabelMeasures& measures) {
  return measures.any() && options.periodic == PeriodicAxes{};
}

Labeled label_background_of(const LabelSource* labels, Connectivity connectivity, LazyEngine& engine,
                            BitVolume& bits) {
  if (labels == nullptr) return {};
  bits = BitVolume(labels->extent());
  draw_background(*labels, 0, bits);
  return engine.start().label(bits.view(), complementary(connectivity));
}

}  // namespace gpuccl::app
