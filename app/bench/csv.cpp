#include <vector>

#include "app/bench/counted_kinds.hpp"
#include "app/bench/reports.hpp"
#include "app/common/messages.hpp"
#include "io/files/number_text.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::bench {
namespace {

std::string field(const std::string& word) { return io::csv_field(word); }
std::string field(double value) { return io::shortest(value); }
std::string field(int value) { return std::to_string(value); }

template <class... Fields>
std::string line(const Fields&... fields) {
  std::string text;
  ((text += (text.empty() ? "" : ",") + fields), ...);
  return text + "\n";
}

std::string images_fields(const Results& results, const Group& group) {
  std::string text = name(results.test) + "," + field(group.dataset);
  if (group.extent) {
    text += "," + field(group.extent->width) + "," + field(group.extent->height) + "," +
            field(group.extent->depth) + "," + field(group.density) + "," + field(group.granularity);
  } else {
    text += ",,,,,";
  }
  return text + "," + field(static_cast<int>(group.connectivity)) + "," + field(group.elements) + "," +
         field(group.foreground) + "," + field(group.components);
}

constexpr const char* kImagesAndAlgorithm =
    "test,dataset,width,height,depth,density,granularity,connectivity,elements,foreground,components,"
    "algorithm,device,images,wrong,failed,left_out";

/// Returns the values of these columns.
std::string fields(const Results& results, const Group& group, const Row& row) {
  return images_fields(results, group) + "," + field(row.algorithm) + "," + app::device_name(row.device) +
         "," + field(row.images) + "," + field(row.wrong) + "," + field(row.failed) + "," +
         field(row.left_out);
}

/// Return the names of what is counted, and the figures of a phase.
std::vector<std::string> counted_names(Test test) {
  std::vector<std::string> names;
  if (test == Test::memory)
    for (const AccessKind& kind : kAccessKinds) names.emplace_back(kind.name);
  if (test == Test::work) {
    names.emplace_back("blocks");
    for (const WorkKind& kind : kWorkKinds)
      for (const char* which : {"_mean", "_most"}) names.push_back(kind.name + std::string(which));
  }
  return names;
}

std::vector<double> counted_figures(Test test, const PhaseTime& phase, int images) {
  std::vector<double> figures;
  if (test == Test::memory)
    for (const AccessKind& kind : kAccessKinds)
      figures.push_back(static_cast<double>(phase.accesses.*kind.count) / images);
  if (test == Test::work) {
    figures.push_back(static_cast<double>(phase.work.blocks) / images);
    for (const WorkKind& kind : kWorkKinds) {
      figures.push_back(mean_over_blocks(phase.work.*kind.figure, phase.work));
      figures.push_back(static_cast<double>((phase.work.*kind.figure).most));
    }
  }
  return figures;
}

/// Returns one line per phase with means over the images.
std::string counted_as_csv(const Results& results) {
  std::string text = kImagesAndAlgorithm + std::string(",phase,launches"), nothing = ",,";
  for (const std::string& name : counted_names(results.test)) {
    text += "," + name;
    nothing += ",";
  }
  text += "\n";
  for (const Group& group : results.groups)
    for (const Row& row : group.rows) {
      if (row.counted.empty()) text += fields(results, group, row) + nothing + "\n";
      for (const PhaseTime& phase : row.counted) {
        text += fields(results, group, row) + "," + field(phase.phase) + "," +
                field(static_cast<double>(phase.launches) / row.images);
        for (const double figure : counted_figures(results.test, phase, row.images))
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
  for (const Group& group : results.groups)
    for (const Row& row : group.rows) {
      const std::string start = fields(results, group, row);
      if (row.measures.empty()) text += start + nothing + "\n";
      for (const Measure& measure : row.measures) {
        const bool has_floor = row.floor_ms > 0;
        text += start + "," + field(measure.name);
        for (const TimingField& time : kTimingFields) text += "," + field(measure.timing.*time.value);
        text += "," + line(field(measure.launches), field(measure.repetitions), has_floor ? row.floor : "",
                           has_floor ? field(row.floor_ms) : "",
                           has_floor ? field(measure.timing.median_ms / row.floor_ms) : "");
      }
    }
  return text;
}

}  // namespace gpuccl::bench
