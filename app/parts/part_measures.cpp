#include "app/parts/part_measures.hpp"

#include "gpuccl/error.hpp"

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
  return measures;
}

bool measures_rows(const LabelOptions& options, const LabelMeasures& measures) {
  return measures.any() && options.periodic == PeriodicAxes{};
}

}  // namespace gpuccl::app
