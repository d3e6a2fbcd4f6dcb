#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "app/commands/commands.hpp"
#include "app/commands/match.hpp"
#include "app/common/messages.hpp"
#include "app/common/sandbox.hpp"
#include "app/label/batch/find_inputs.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_paths.hpp"
#include "app/label/memory_plan.hpp"
#include "gpuccl/compare.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/json.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/image/limits.hpp"
#include "io/parts/part_writer.hpp"
#include "io/read/open_samples.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kTrackColumns = "frame,label,track,area,cx,cy,cz,iou,begin,parent,end,into\n";

bool is_track_csv(std::string_view beginning) {
  return beginning.starts_with(kTrackColumns.substr(0, kTrackColumns.size() - 1));
}
bool is_track_report(std::string_view beginning) { return beginning.starts_with("{\"gpuccl_tracks\""); }

/// A time point.
struct Frame {
  std::string path;
  std::string name;          // name of the label image of its tracks
  std::optional<int> place;  // index in a file with several time points
};

/// An object through time; frames from 0.
struct Track {
  std::size_t begin = 0, end = 0;
  std::uint64_t parent = 0, into = 0;  // tracks that it split from and merged into; 0: none
};

/// The objects of a time point, with their tracks.
struct TrackedFrame {
  Objects objects;
  std::vector<std::uint64_t> tracks;
  std::vector<double> iou;  // IoU with the object that each continues; 0: none
};

class Tracking {
 public:
  explicit Tracking(const MatchOptions& options)
      : options_(options),
        frames_(find_frames()),
        csv_(options.csv, options.file, is_track_csv),
        json_(options.json, options.file, is_track_report) {}

  int run() {
    csv_.write(kTrackColumns);
    std::optional<TrackedFrame> before;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      TrackedFrame now = add(i, before);
      maps_.emplace_back(1, 0);
      for (const std::uint64_t track : now.tracks) maps_.back().push_back(static_cast<Label>(track));
      before = std::move(now);
    }
    if (before) write_rows(frames_.size() - 1, *before, nullptr);
    const std::vector<io::SharedFile> images = write_images();
    write_report();
    TextOutput::commit_together({&csv_, &json_}, images);
    give_hint();
    if (!options_.csv.is_stdout() && !options_.json.is_stdout()) print_result(summary());
    return kSuccess;
  }

 private:
  std::vector<Frame> find_frames() const {
    std::vector<Frame> frames;
    if (options_.series.is_folder) {
      std::map<std::string, std::string> paths;
      for (const BatchInput& input : images_in(options_.series, false)) {
        frames.push_back({input.path, fs::path(input.name).filename().string(), std::nullopt});
        const auto [other, is_new] = paths.emplace(input.name, input.path);
        if (!is_new) throw two_of_a_name(input.path, other->second);
      }
    } else {
      const int count = count_frames(options_.series, options_.objects, "--track");
      const std::string stem = fs::path(io::without_extension(options_.series.path)).filename().string();
      for (int i = 0; i < count; ++i) frames.push_back({options_.series, name_of_frame(stem, i), i});
    }
    if (frames.size() == 1)
      throw io::FileError(options_.series, ErrorCode::data,
                          "contains one image; --track links the time points of several");
    return frames;
  }

  Objects read(const Frame& frame) const {
    return read_objects(frame.path, options_.objects, frame.place, frame.place ? kept_ : nullptr);
  }

  /// Links a time point to the one before, and writes the rows of the latter, which are then complete.
  TrackedFrame add(std::size_t i, std::optional<TrackedFrame>& before) {
    TrackedFrame now{read(frames_[i]), {}, {}};
    const std::size_t count = now.objects.ids.size();
    now.tracks.assign(count, 0);
    now.iou.assign(count, 0);
    ObjectLinks links{std::vector(count, kNoObject), std::vector(count, kNoObject), {}};
    if (before) {
      if (before->objects.extent != now.objects.extent)
        throw io::FileError(frames_[i].path, ErrorCode::data,
                            "is " + io::to_string(now.objects.extent) + ", but the time point before is " +
                                io::to_string(before->objects.extent) + "; all need the same size");
      const std::int64_t left = MemoryBudget::left_after(
          static_cast<double>(before->objects.bytes) + static_cast<double>(now.objects.bytes),
          io::memory_limit({.memory = options_.objects.memory}));
      const OverlapTable table = find_overlaps(*before->objects.labels, *now.objects.labels, left);
      links = link_objects(table, match_objects(table, options_.thresholds.front()));
      for (const Overlap& pair : table.overlaps)
        if (links.before[pair.prediction] == pair.truth) now.iou[pair.prediction] = table.iou(pair);
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (links.before[k] != kNoObject) {
        now.tracks[k] = before->tracks[links.before[k]];
        tracks_[now.tracks[k] - 1].end = i;
        continue;
      }
      tracks_.push_back(
          {i, i, links.split_from[k] == kNoObject ? 0 : before->tracks[links.split_from[k]], 0});
      now.tracks[k] = tracks_.size();
    }
    for (std::size_t k = 0; k < links.merged_into.size(); ++k)
      if (links.merged_into[k] != kNoObject)
        tracks_[before->tracks[k] - 1].into = now.tracks[links.merged_into[k]];
    if (before) write_rows(i - 1, *before, &links);
    return now;
  }

  /// Writes the rows of a time point, in ascending order of labels. `next`: links to the next; null if none.
  void write_rows(std::size_t frame, const TrackedFrame& tracked, const ObjectLinks* next) {
    if (!csv_) return;
    std::vector<std::size_t> order(tracked.tracks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::vector<std::uint64_t>& ids = tracked.objects.ids;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
    std::string text;
    for (const std::size_t i : order) {
      const Track& track = tracks_[tracked.tracks[i] - 1];
      const bool begins = track.begin == frame, ends = next != nullptr && track.end == frame;
      const char* const begin = !begins ? "" : track.parent != 0 ? "split" : "start";
      const char* const end = !ends ? "" : track.into != 0 ? "merge" : "end";
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", frame, ids[i], tracked.tracks[i],
                          tracked.objects.areas[i], text_of(tracked.objects.components, i),
                          io::shortest(tracked.iou[i]), begin, begins ? track.parent : 0, end,
                          ends ? track.into : 0);
    }
    csv_.write(text);
  }

  static std::string text_of(const Components& components, std::size_t i) {
    return io::shortest(components.centroid(i, 0)) + "," + io::shortest(components.centroid(i, 1)) + "," +
           io::shortest(components.centroid(i, 2));
  }

  /// Writes each time point with the numbers of its tracks, if that is wanted. The files have no names yet.
  std::vector<io::SharedFile> write_images() const {
    std::vector<io::SharedFile> files;
    for (std::size_t i = 0; i < frames_.size() && !options_.folder.empty(); ++i) {
      const std::string path = (fs::path(options_.folder) / (frames_[i].name + ".tif")).string();
      const Objects objects = read(frames_[i]);
      io::with_path(path, [&] {
        if (objects.ids.size() + 1 != maps_[i].size())
          throw Error(ErrorCode::data, "its time point has changed");
        io::WriteOptions write;
        write.geometry = objects.geometry;
        files.emplace_back(path, std::make_unique<io::AtomicFile>(path, options_.file.file));
        SoloLink link;
        io::write_labels(link, files.back(), io::LabelFormat::tiff, objects.labels->extent(),
                         {*objects.labels, maps_[i], static_cast<Label>(tracks_.size())}, write);
        files.back().finish();
      });
    }
    return files;
  }

  std::size_t count_tracks(std::uint64_t Track::*which) const {
    return static_cast<std::size_t>(
        std::count_if(tracks_.begin(), tracks_.end(), [&](const Track& track) { return track.*which != 0; }));
  }

  void write_report() {
    if (!json_) return;
    Json report{{"gpuccl_tracks", 1},
                {"version", version_line()},
                {"series", options_.series},
                {"labeled", options_.objects.label},
                {"threshold", options_.thresholds.front()},
                {"frames", frames_.size()},
                {"splits", count_tracks(&Track::parent)},
                {"merges", count_tracks(&Track::into)}};
    Json& tracks = report["tracks"] = Json::array();
    for (std::size_t i = 0; i < tracks_.size(); ++i)
      tracks.push_back({{"track", i + 1},
                        {"begin", tracks_[i].begin},
                        {"end", tracks_[i].end},
                        {"parent", tracks_[i].parent},
                        {"into", tracks_[i].into}});
    json_.write(io::json_text(report, 1).erase(1, 2) + "\n");
  }

  void give_hint() const {
    const auto brief = std::count_if(tracks_.begin(), tracks_.end(), [](const Track& track) {
      return track.begin == track.end && track.parent == 0 && track.into == 0;
    });
    if (frames_.size() > 2 && 2 * brief > std::ssize(tracks_))
      print_warning(
          options_.series,
          "most tracks last one time point; objects are linked by overlap, so those that move far need "
          "a lower --threshold, such as 0.2");
  }

  std::string summary() const {
    return counted(frames_.size(), "time point") + ", " + counted(tracks_.size(), "track") + ", " +
           counted(count_tracks(&Track::parent), "split") + ", " +
           counted(count_tracks(&Track::into), "merge") + "\n";
  }

  const MatchOptions& options_;
  const std::vector<Frame> frames_;
  const std::shared_ptr<io::KeptInputs> kept_ = std::make_shared<io::KeptInputs>();
  TextOutput csv_, json_;
  std::vector<Track> tracks_;
  std::vector<std::vector<Label>> maps_;  // tracks of the labels of each time point
};

}  // namespace

int track_frames(const MatchOptions& options) {
  LabelPaths paths;
  paths.input = options.series;
  paths.stats = options.csv;
  paths.stats_option = "--csv";
  paths.json = options.json;
  refuse_overlap(paths);
  std::error_code none;
  if (!options.folder.empty() && !options.folder.ends_with('/') &&
      (io::label_format(options.folder) || io::is_image_name(options.folder)) &&
      !fs::is_directory(options.folder, none))
    throw io::FileError(options.folder, ErrorCode::usage,
                        "is not a folder; --track writes a label image for each time point: -o " +
                            io::without_extension(options.folder) + "/");
  if (!options.folder.empty() && fs::equivalent(options.folder, options.series.path, none))
    throw io::FileError(options.folder, ErrorCode::usage,
                        "is the folder of the time points; write into another one");
  std::string in_folder;
  if (!options.folder.empty()) {
    io::make_folder(options.folder);
    in_folder = (fs::path(options.folder) / "track.tif").string();
  }
  enter_sandbox({options.series}, {options.csv, options.json, in_folder});  // before any header is read
  return Tracking(options).run();
}

}  // namespace gpuccl::app
