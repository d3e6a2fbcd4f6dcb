#include "app/bench/csv.hpp"

#include "app/bench/access_kinds.hpp"
#include "app/common/device_name.hpp"
#include "io/files/number_text.hpp"
#include "io/report/csv_field.hpp"

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

/// The values of these columns.
std::string fields(const Results& results, const Group& group, const Row& row) {
  return images_fields(results, group) + "," + field(row.algorithm) + "," + app::device_name(row.device) +
         "," + field(row.images) + "," + field(row.wrong) + "," + field(row.failed) + "," +
         field(row.left_out);
}

/// One line a phase, the means over the images.
std::string accesses_as_csv(const Results& results) {
  std::string text = kImagesAndAlgorithm + std::string(",phase,launches");
  for (const AccessKind& kind : kAccessKinds) text += std::string(",") + kind.name;
  text += "\n";
  for (const Group& group : results.groups)
    for (const Row& row : group.rows) {
      if (row.accesses.empty()) text += fields(results, group, row) + ",,,,,,,,,\n";
      for (const PhaseTime& phase : row.accesses) {
        text += fields(results, group, row) + "," + field(phase.phase) + "," +
                field(static_cast<double>(phase.launches) / row.images);
        for (const AccessKind& kind : kAccessKinds)
          text += "," + field(static_cast<double>(phase.accesses.*kind.count) / row.images);
        text += "\n";
      }
    }
  return text;
}

}  // namespace

std::string as_csv(const Results& results) {
  if (results.test == Test::memory) return accesses_as_csv(results);
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
