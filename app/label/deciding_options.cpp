#include "app/label/deciding_options.hpp"

#include "app/options/option_helpers.hpp"
#include "io/files/number_text.hpp"
#include "io/image/label_image.hpp"

namespace gpuccl::app {
namespace {

std::string words_of(const io::GivenSpacing& given) {
  std::string text = io::shortest(given.spacing[0]) + "," + io::shortest(given.spacing[1]);
  if (given.spacing[2] > 0) text += "," + io::shortest(given.spacing[2]);
  if (given.unit != io::LengthUnit::unknown) text += "," + std::string(io::name_of(given.unit));
  return text;
}

}  // namespace

std::string deciding_options(const LabelOptions& options) {
  std::string line;
  const auto add = [&](bool given, const std::string& words) {
    if (given) line += (line.empty() ? "" : " ") + words;
  };
  const io::ForegroundOptions& foreground = options.input.foreground;
  add(options.input.stack, "--stack");
  add(foreground.invert, "--invert");
  add(foreground.otsu, "--threshold otsu");
  if (foreground.threshold)
    add(true, "--threshold " + (foreground.whole_threshold ? foreground.whole_threshold->text()
                                                           : io::shortest(*foreground.threshold)));
  for (const io::SampleInterval& value : foreground.values)
    line += (&value != &foreground.values.front() ? ","
             : line.empty()                       ? "--value "
                                                  : " --value ") +
            value.text();
  add(foreground.raw, "--foreground raw");
  add(options.values.by_values, "--values");
  if (options.values.delta) add(true, "--delta " + io::shortest(*options.values.delta));
  const auto add_planes = [&](const std::string& prefix, const io::PlaneChoice& planes) {
    const auto add_place = [&](const char* name, const std::optional<int>& place) {
      if (place) add(true, prefix + name + " " + std::to_string(*place));
    };
    add_place("channel", planes.channel);
    add_place("frame", planes.frame);
    add_place("series", planes.series);
  };
  add_planes("--", options.planes);
  if (options.spacing) add(true, "--spacing " + words_of(*options.spacing));

  const AlgorithmOptions& algorithm = options.algorithm;
  if (algorithm.connectivity) add(true, "-c " + std::to_string(static_cast<int>(*algorithm.connectivity)));
  add(algorithm.per_slice, "--per-slice");
  std::string axes;
  for (std::size_t axis = 0; axis < options.periodic.size(); ++axis)
    if (options.periodic[axis]) axes += (axes.empty() ? "" : ",") + std::string(1, "xyz"[axis]);
  add(!axes.empty(), "--periodic " + axes);

  if (options.fill_holes)
    add(true,
        "--fill-holes" + (*options.fill_holes == kAllHoles ? "" : " " + std::to_string(*options.fill_holes)));

  const SelectionOptions& selection = options.selection;
  add(selection.min_size > 0, "--min-size " + std::to_string(selection.min_size));
  add(selection.max_size != SelectionOptions().max_size, "--max-size " + std::to_string(selection.max_size));
  add(selection.largest > 0, "--largest " + std::to_string(selection.largest));
  add(!selection.keep.steps.empty(), "--keep '" + selection.keep.text + "'");
  add(selection.clear_border, "--clear-border");
  add(selection.order == LabelOrder::size, "--order size");
  add(options.values.per_value, "--per-value");
  add(options.values.keep_values, "--keep-values");
  const MeasureOptions& measure = options.measure;
  add(!measure.words.empty() && !columns(measure.wanted).empty(), "--measure " + measure.words);
  add(!measure.intensity.empty(), "--intensity " + measure.intensity);
  add_planes("--intensity-", measure.intensity_planes);

  add(options.label_type != io::LabelType::automatic,
      "--label-type " + word_of(label_types(), options.label_type));
  const io::Compression compression = options.compression.value_or(io::Compression::deflate);
  add(compression != io::Compression::deflate, "--compress " + word_of(compressions(), compression));
  const io::BigTiff big_tiff = options.big_tiff.value_or(io::BigTiff::automatic);
  add(big_tiff != io::BigTiff::automatic, "--bigtiff " + word_of(big_tiffs(), big_tiff));
  return line;
}

}  // namespace gpuccl::app
