// How long a batch takes for reading and writing alone: a JSON line on stdout. batch.py calls it.
//
//   batch_floor FSYNC(0|1) OUTFOLDER FILE...
//
// The same steps on the same inputs with as many jobs as `gpuccl label FILE... -o OUTFOLDER/` has, a chunk of
// files after the other: all are read, then all are labeled, then all are written, and labeling does not
// count.

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/common/messages.hpp"
#include "app/label/job.hpp"

using namespace gpuccl;
using namespace gpuccl::app;

namespace {

constexpr std::size_t kChunk = 64;  // files that are open at the same time
constexpr int kWaitingForDisk = 8;

class Chunks {
 public:
  explicit Chunks(const LabelOptions& options)
      : options_(options),
        jobs_(tbb::info::default_concurrency() + kWaitingForDisk),
        threads_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(jobs_)),
        engine_(options.algorithm.engine, [](const std::string&) {}) {}

  void add(const std::string& input, const std::filesystem::path& folder) {
    const std::filesystem::path image =
        folder / std::filesystem::path(input).filename().replace_extension(".tiff");
    LabelPaths one;
    one.input = input;
    one.image = image.string();
    files_.push_back(one.with_defaults());
    chunk_.push_back(
        std::make_unique<Job>(link_, files_.back(), options_, signature_of(options_), [](auto&, auto&) {}));
    if (chunk_.size() == kChunk) finish();
  }

  void finish() {
    Stopwatch watch;
    for_all([](Job& job) {
      job.open();
      job.read();
    });
    read_ms_ += watch.lap();
    for_all([this](Job& job) { job.label(engine_); });
    label_ms_ += watch.lap();
    for_all([](Job& job) {
      job.write();
      job.commit();
    });
    write_ms_ += watch.lap();
    chunk_.clear();
  }

  void print() const {
    std::printf("{\"files\": %zu, \"read_ms\": %.1f, \"label_ms\": %.1f, \"write_ms\": %.1f}\n",
                files_.size(), read_ms_, label_ms_, write_ms_);
  }

 private:
  template <class Step>
  void for_all(Step step) {
    tbb::task_arena(jobs_).execute([&] {
      tbb::parallel_for(
          std::size_t{0}, chunk_.size(),
          [&](std::size_t i) { tbb::task_arena(1).execute([&] { step(*chunk_[i]); }); },
          tbb::simple_partitioner());
    });
  }

  const LabelOptions& options_;
  const int jobs_;
  const tbb::global_control threads_;
  Engine engine_;
  SoloLink link_;
  std::deque<LabelPaths> files_;  // which jobs point to
  std::vector<std::unique_ptr<Job>> chunk_;
  double read_ms_ = 0, label_ms_ = 0, write_ms_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) throw Error(ErrorCode::usage, "FSYNC OUTFOLDER FILE...");
  LabelOptions options;
  options.quiet = true;
  options.algorithm.engine.device = DeviceChoice::cpu;
  options.output.file.sync = *argv[1] == '1';
  options.output.file.sync_folder = false;
  std::filesystem::create_directories(argv[2]);
  Chunks chunks(options);
  for (int i = 3; i < argc; ++i) chunks.add(argv[i], argv[2]);
  chunks.finish();
  chunks.print();
} catch (const std::exception& error) {
  std::fprintf(stderr, "batch_floor: %s\n", error.what());
  return 1;
}
