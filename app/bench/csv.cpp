#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "app/bench/reports.hpp"
#include "app/bench/results.hpp"
#include "app/common/messages.hpp"
#include "io/files/number_text.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::bench {
namespace {

std::string field(const std::string& word) { return io::csv_field(word); }
std::string field(double value) { return io::shortest(value); }

constexpr const char* kImagesAndAlgorithm =
    "test,dataset,width,height,depth,density,granularity,connectivity,elements,foreground,components,"
    "algorithm,device,images,wrong,failed,left_out";

/// Returns the values of these columns.
std::string fields(const Results& results, const ImageSetResult& group, const Row& row) {
  const std::string random = group.extent
                                 ? fmt::format("{},{},{},{},{}", group.extent->width, group.extent->height,
                                               group.extent->depth, field(group.density), group.granularity)
                                 : ",,,,";
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", name(results.test), field(group.dataset),
                     random, static_cast<int>(group.connectivity), field(group.elements),
                     field(group.foreground), field(group.components), field(row.algorithm),
                     app::device_name(row.device), row.images, row.wrong, row.failed, row.left_out);
}

/// Returns what is counted in a phase: name and figure.
std::vector<std::pair<std::string, double>> counted_fields(Test test, const PhaseTime& phase, int images) {
  std::vector<std::pair<std::string, double>> fields;
  if (test == Test::memory)
    for (const AccessKind& kind : kAccessKinds)
      fields.emplace_back(kind.name, static_cast<double>(phase.accesses.*kind.count) / images);
  if (test == Test::work) {
    fields.emplace_back("blocks", static_cast<double>(phase.work.blocks) / images);
    for (const WorkKind& kind : kWorkKinds) {
      const OverBlocks& figure = phase.work.*kind.figure;
      fields.emplace_back(std::string(kind.name) + "_mean", mean_over_blocks(figure, phase.work));
      fields.emplace_back(std::string(kind.name) + "_most", static_cast<double>(figure.most));
    }
  }
  return fields;
}

/// Returns one line per phase with means over the images.
std::string counted_as_csv(const Results& results) {
  std::string text = kImagesAndAlgorithm + std::string(",phase,launches"), nothing = ",,";
  for (const auto& [name, figure] : counted_fields(results.test, {}, 1)) {
    text += "," + name;
    nothing += ",";
  }
  text += "\n";
  for (const ImageSetResult& group : results.groups)
    for (const Row& row : group.rows) {
      if (row.counted.empty()) text += fields(results, group, row) + nothing + "\n";
      for (const PhaseTime& phase : row.counted) {
        text += fields(results, group, row) + "," + field(phase.phase) + "," +
                field(static_cast<double>(phase.launches) / row.images);
        for (const auto& [name, figure] : counted_fields(results.test, phase, row.images))
          text += "," + field(figure);
        text += "\n";
      }
    }
  return text;
}

}  // namespace

std::string as_csv(const Results& results) {
  if (is_counted(results.test)) return counted_as_csv(results);
  std::string text = kImagesAndAlgorithm + std::string(",measure"), nothing = ",,,,,,";
  for (const TimingField& time : kTimingFields) {
    text += std::string(",") + time.name;
    nothing += ",";
  }
  text += ",launches,repetitions,floor,floor_ms,multiple_of_floor\n";
  for (const ImageSetResult& group : results.groups)
    for (const Row& row : group.rows) {
      const std::string start = fields(results, group, row);
      if (row.measures.empty()) text += start + nothing + "\n";
      for (const Measure& measure : row.measures) {
        const bool has_floor = row.floor_ms > 0;
        text += start + "," + field(measure.name);
        for (const TimingField& time : kTimingFields) text += "," + field(measure.timing.*time.value);
        text += "," + field(measure.launches) + "," + field(measure.repetitions) + ",";
        text += has_floor ? row.floor + "," + field(row.floor_ms) + "," +
                                field(measure.timing.median_ms / row.floor_ms)
                          : ",,";
        text += "\n";
      }
    }
  return text;
}

}  // namespace gpuccl::bench
