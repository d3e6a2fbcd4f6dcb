#include "app/parts/part_measures.hpp"

#include <filesystem>

#include "gpuccl/error.hpp"
#include "io/files/file_error.hpp"
#include "io/read/input_files.hpp"
#include "io/zarr/ome_image.hpp"

namespace gpuccl::app {

LabelMeasures measures_in_parts(const LabelPaths& files, const LabelOptions& options,
                                const PartInput& input) {
  LabelMeasures measures(files, options);
  measures.plan(input.info(), input.connectivity());
  if (measures.needs_background())
    throw Error(
        Failure::usage,
        "cavities and tunnels need the background labelled, which parts do not do; --measure of other "
        "names measures these");
  io::ReadOptions read;
  read.limits = options.input.limits;
  read.in_parts = true;
  measures.open_intensity(read, input.extent());
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

bool measures_rows(const LabelOptions& options, const LabelMeasures& measures) {
  return measures.any() && options.periodic == PeriodicAxes{};
}

}  // namespace gpuccl::app
