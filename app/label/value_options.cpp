#include "app/label/value_options.hpp"

#include <limits>
#include <string>

#include "app/label/label_options.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/error.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::app {
namespace {

[[noreturn]] void refuse(const std::string& reason) { throw Error(Failure::usage, reason); }

void check_others(const LabelOptions& options) {
  const io::ForegroundOptions& foreground = options.input.foreground;
  const char* rule = foreground.threshold || foreground.otsu ? "--threshold"
                     : !foreground.values.empty()            ? "--value"
                     : foreground.invert                     ? "--invert"
                     : foreground.raw                        ? "--foreground"
                                                             : nullptr;
  if (rule != nullptr)
    refuse(std::string("--values reads samples as stored and cannot be combined with ") + rule);
  if (options.fill_holes) refuse("--values and --fill-holes cannot be combined");
}

void check_engine(const EngineOptions& engine) {
  if (engine.algorithm != "auto" && engine.algorithm != "runs")
    refuse(engine.algorithm + " labels only binary images; with --values use auto or runs");
}

}  // namespace

void ValueOptions::add_input_to(const Command& command) {
  add_switch(command, "--values", by_values,
             "Connect pixels with equal nonzero values, as in a segmentation");
  command
      .add_value("--delta", "D", "With --values: connect values that differ by at most D",
                 [this](const std::string& given) {
                   delta = parse_number<double>(given);
                   const auto exact = io::SampleValue::parse(given);
                   if (exact && *exact != io::SampleValue::of(*delta))
                     return "'" + given + "' has more digits than differences are compared by; round it";
                   return delta && *delta >= 0 && *delta <= std::numeric_limits<double>::max()
                              ? std::string()
                              : "'" + given + "' is not a number of at least 0";
                 })
      .prints([this] { return delta ? std::optional(io::shortest(*delta)) : std::nullopt; });
}

void ValueOptions::add_selection_to(const Command& command) {
  add_switch(command, "--per-value", per_value, "With --values: apply --largest to each value separately");
  add_switch(command, "--keep-values", keep_values,
             "With --values: write the values of remaining components instead of labels");
}

std::string rule_of(const ValueOptions& options) {
  return options.most_difference() > 0 ? "values that differ by at most " + io::shortest(*options.delta)
                                       : "equal values";
}

void check_value_type(ValueType type, const ValueOptions& options) {
  constexpr double kMostExact = 9007199254740992;  // 2^53: every integer up to it is a double
  if (!is_floating(type) && options.most_difference() > kMostExact)
    throw Error(Failure::usage, "--delta above 9007199254740992 needs floating-point values");
  if (is_floating(type) && !options.delta)
    throw Error(Failure::data,
                "has floating-point values; add --delta D, the largest difference between connected "
                "neighbors (0: equal)");
}

void check_values(const LabelOptions& options) {
  const ValueOptions& values = options.values;
  if (!values.by_values) {
    const char* needs = values.delta                              ? "--delta"
                        : values.per_value                        ? "--per-value"
                        : values.keep_values                      ? "--keep-values"
                        : options.selection.keep.compares_value() ? "--keep of a value"
                                                                  : nullptr;
    if (needs != nullptr) refuse(std::string(needs) + " needs --values");
    return;
  }
  check_others(options);
  check_engine(options.algorithm.engine);
  if (values.per_value && options.selection.largest == 0) refuse("--per-value needs --largest N");
  if (values.most_difference() > 0 &&
      (values.per_value || values.keep_values || options.selection.keep.compares_value()))
    refuse("--per-value, --keep-values and --keep 'value ...' need one value per component; use --delta 0");
  if (values.keep_values && options.label_type != io::LabelType::automatic)
    refuse("--keep-values and --label-type cannot be combined; values have the type of the input");
  if (values.keep_values && options.selection.order == LabelOrder::size)
    refuse("--keep-values and --order size cannot be combined; no labels are written");
}

}  // namespace gpuccl::app
