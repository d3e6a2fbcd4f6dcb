#include "app/label/label_measures.hpp"

#include <utility>

#include "app/common/messages.hpp"
#include "app/options/spacing_option.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/intensity.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_identity.hpp"
#include "io/image/grid_difference.hpp"
#include "io/image/limits.hpp"

namespace gpuccl::app {

void LabelMeasures::plan(const io::ImageInfo& input, Connectivity connectivity) {
  check_spacing(options_.spacing, input, connectivity);
  const MeasureSet compared = options_.selection.keep.measures();
  const bool is_volume = is_3d(connectivity), is_deep = is_volume || input.extent.depth > 1;
  const auto area = static_cast<std::size_t>(MeasureId::area_physical);
  const bool needs_volumes = is_deep && (compared | options_.measure.named)[area];
  bool needs_spacing = options_.measure.needs_spacing;
  for (const Measure& measure : measures()) {
    if (!compared[static_cast<std::size_t>(measure.id)]) continue;
    needs_spacing |= is_physical(measure);
    const bool in_volume = measure.group == MeasureGroup::basic ? is_deep : is_volume;
    if (measure.in != MeasuredIn::both && (measure.in == MeasuredIn::volumes) != in_volume)
      throw Error(Failure::usage, "--keep: " + std::string(measure.name) + " is measured in " +
                                      (in_volume ? "images" : "volumes") + ", but this is labeled as " +
                                      (in_volume ? "a volume" : "an image"));
  }
  const MeasureSet named = options_.measure.named | compared;
  request_ = {(options_.measure.wanted & ~by_name_only(connectivity)) | named, connectivity, {}};
  const io::Geometry& geometry = input.geometry;
  const bool is_known = geometry.is_known(is_volume ? 3 : 2);
  if (is_known) request_.spacing = geometry.spacing;
  if ((!is_known && needs_spacing) || (needs_volumes && !geometry.is_known(3)))
    throw Error(Failure::data,
                geometry.is_known()
                    ? "has no z spacing, which physical measures of volumes need; set it with --spacing X,Y,Z"
                    : "has no spacing, which physical measures need; set it with --spacing");
}

void LabelMeasures::open_intensity(const io::ReadOptions& read, const io::ImageInfo& input) {
  if (files_.intensity.empty()) return;
  io::concerning(files_.intensity, [&] {
    io::ReadOptions options = read;
    options.planes = options_.measure.intensity_planes;
    intensity_ = std::make_unique<io::IntensityReader>(files_.intensity, options);
    if (intensity_->extent() != input.extent)
      throw Error(Failure::data, "has " + io::to_string(intensity_->extent()) + " pixels, but " +
                                     display_name(files_.input) + " has " + io::to_string(input.extent));
    io::Geometry grid = intensity_->info().geometry;
    if (options_.spacing) io::set_spacing(grid, *options_.spacing);
    grid_difference_ = io::grid_difference(input.geometry, grid, input.extent);
    const MeasureSet compared = options_.selection.keep.measures();
    if (intensity_->values().count == 0 && needs_value_counts(compared))
      throw Error(Failure::usage, "--keep: median and percentiles need integers of at most 16 bits");
    request_.long_samples = intensity_->kind() == IntensityImage::Kind::long_whole;
    request_.samples = intensity_.get();
    reported_ = {intensity_->info()};
    reported_->image.path = files_.intensity;
    reported_->bytes = io::bytes_of_regular_file(files_.intensity);
  });
}

std::string LabelMeasures::left_out() const {
  std::string names;
  const bool is_volume = is_3d(request_.connectivity);
  for (const Measure& measure : measures())
    if (options_.measure.named[static_cast<std::size_t>(measure.id)] &&
        measure.group != MeasureGroup::basic && measure.in != MeasuredIn::both &&
        (measure.in == MeasuredIn::volumes) != is_volume)
      names += (names.empty() ? "" : ", ") + std::string(measure.name);
  if (names.empty()) return "";
  const bool names_holes = options_.measure.named[static_cast<std::size_t>(MeasureId::holes)];
  return "--measure: left out " + names + ", measured in " +
         (is_volume ? "images, but this is labeled as a volume" +
                          std::string(names_holes ? ", whose holes are cavities and tunnels" : "")
                    : "volumes, but this is labeled as an image");
}

bool LabelMeasures::any() const {
  return intensity_ || !columns(request_.wanted).empty() || !options_.selection.keep.steps.empty();
}

double LabelMeasures::bytes_of_counts(std::int64_t elements) const {
  constexpr double kOfElement = 2;
  return intensity_ && counts_values(request_.wanted, *intensity_)
             ? kOfElement * static_cast<double>(elements)
             : 0;
}

std::string hint_of_nans(std::uint64_t nans) {
  if (nans == 0) return "";
  return nans == 1 ? "1 sample of a component is NaN and is ignored"
                   : std::to_string(nans) + " samples of components are NaN and are ignored";
}

}  // namespace gpuccl::app
