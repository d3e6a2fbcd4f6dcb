#include "app/label/value_options.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "app/label/label_options.hpp"
#include "app/options/option_helpers.hpp"
#include "app/options/option_words.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::app {
namespace {

[[noreturn]] void refuse(const std::string& reason) { throw Error(ErrorCode::usage, reason); }

void check_engine(const EngineOptions& engine) {
  if (engine.algorithm != "auto" && engine.algorithm != "runs")
    refuse(engine.algorithm + " labels only binary images; with --values use auto or runs");
}

}  // namespace

void ValueOptions::add_input_to(const Command& command) {
  const Option by = add_switch(command, "--values", by_values,
                               "Connect pixels with equal nonzero values, as in a segmentation");
  for (const char* const rule : {"--threshold", "--value", "--invert", "--foreground"})
    by.excludes(rule, "samples are read as stored");
  by.excludes("--fill-holes");
  command
      .add_value("--delta", "D", "With --values: connect values that differ by at most D",
                 [this](const std::string& given) {
                   delta = parse_number<double>(given);
                   const auto exact = io::SampleValue::parse(given);
                   if (exact && *exact != io::SampleValue::of(*delta))
                     return "'" + given + "' has too many digits for exact comparison; round it";
                   return delta && *delta >= 0 && *delta <= std::numeric_limits<double>::max()
                              ? std::string()
                              : "'" + given + "' is not a number of at least 0";
                 })
      .prints([this] { return delta ? std::optional(io::shortest(*delta)) : std::nullopt; })
      .needs("--values");
}

void ValueOptions::add_selection_to(const Command& command, bool in_parts) {
  add_switch(command, "--per-value", per_value, "With --values: apply --largest to each value separately")
      .needs("--values")
      .needs("--largest N");
  add_switch(command, "--keep-values", keep_values,
             "With --values: write the values of remaining components instead of labels")
      .needs("--values")
      .excludes("--label-type", "values have the type of the input")
      .excludes("--order", "no labels are written");
  if (in_parts) return;  // all pieces are compared
  add_switch(command, "--split-values", split_values,
             "With --values: write values; the largest piece of each keeps it, others get new ones")
      .needs("--values")
      .excludes("--keep-values")
      .excludes("--label-type", "values have the type of the input")
      .excludes("--order", "new values are in raster order");
}

std::string rule_of(const ValueOptions& options) {
  if (options.objects) return "each value is an object";
  return options.most_difference() > 0 ? "values that differ by at most " + io::shortest(*options.delta)
                                       : "equal values";
}

void check_value_type(ValueType type, const ValueOptions& options) {
  if (options.objects) return;                     // integers, whatever their type
  constexpr double kMostExact = 9007199254740992;  // 2^53: every integer up to it is a double
  if (is_floating(type) && options.split_values)
    throw Error(ErrorCode::data, "has floating-point values; --split-values needs integers");
  if (!is_floating(type) && options.most_difference() > kMostExact)
    throw Error(ErrorCode::usage, "--delta above 9007199254740992 needs floating-point values");
  if (is_floating(type) && !options.delta)
    throw Error(ErrorCode::data,
                "has floating-point values; add --delta D, the largest difference between connected "
                "neighbors (0: equal)");
}

void check_values(const LabelOptions& options) {
  const ValueOptions& values = options.values;
  const auto is_of_label = [](const Condition::Step& step) {
    return step.kind == Condition::Step::Kind::comparison_of_value && step.name == kLabelOfObject;
  };
  const std::vector<Condition::Step>& steps = options.selection.keep.steps;
  if (!values.are_labels() && std::any_of(steps.begin(), steps.end(), is_of_label))
    refuse(std::string("--keep: components get their labels after filtering; compare ") +
           (values.objects     ? "value, that of the file"
            : values.by_values ? "value"
                               : "other measures"));
  if (!values.by_values) {
    if (options.selection.keep.compares_value()) refuse("--keep of a value needs --values");
    return;
  }
  const MeasureSet wanted = options.measure.wanted | options.selection.keep.measures();
  const MeasureSet by_pieces = measures_of(MeasureGroup::topology);
  if (values.objects && options.algorithm.connectivity && (wanted & by_pieces).none())
    refuse("--connectivity decides which pixels are one piece; add --measure components or topology");
  if (values.objects && values.keep_values && options.label_type != io::LabelType::automatic)
    refuse("--label-type needs --relabel; values have the type of the input");
  check_engine(options.algorithm.engine);
  if (values.most_difference() > 0 && (values.per_value || values.keep_values || values.split_values ||
                                       options.selection.keep.compares_value()))
    refuse(
        "--per-value, --keep-values, --split-values and --keep 'value ...' need one value per component; use "
        "--delta 0");
}

}  // namespace gpuccl::app
