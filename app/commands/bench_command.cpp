#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/bench/bench_options.hpp"
#include "app/bench/environment.hpp"
#include "app/bench/plan.hpp"
#include "app/bench/reports.hpp"
#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/common/process.hpp"
#include "app/label/describe.hpp"
#include "app/options/command_line.hpp"
#include "app/options/option_table.hpp"
#include "app/view/pages.hpp"
#include "gpuccl/engine.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/file_error.hpp"
#include "io/files/folders.hpp"
#include "io/files/json.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::app {
namespace {

/// Returns the command line of this process, so that a report shows how to repeat it.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  const std::string words((std::istreambuf_iterator<char>(file)), {});
  std::string line = "gpuccl";
  for (std::size_t at = words.find('\0') + 1; at != 0 && at < words.size(); at = words.find('\0', at) + 1) {
    line += " " + shell_word(words.substr(at, words.find('\0', at) - at));
  }
  return printable(line);
}

std::string problem_of_gpu(int gpu) {
  const CudaStatus status = cuda_status();
  for (const CudaDevice& device : status.devices)
    if (device.index == gpu) return {};
  return status.problem.empty() ? fmt::format("no CUDA device {}", gpu) : status.problem;
}

/// The requested files. Each is written again when there are more results. Constructed before the work
/// starts, so that a missing folder is an error at once.
class BenchOutputs {
 public:
  explicit BenchOutputs(const BenchOptions& options) : options_(options) {
    if (!options.json.empty()) open_.emplace(options.json, make(options.json));
    if (options.report.empty()) return;
    io::make_folder(options.report);
    open_.emplace(options.page(), make(options.page()));
  }

  void write(const bench::Json& results) {
    const std::string json = io::json_text(results, 2) + "\n";
    if (!options_.json.empty()) write(options_.json, json);
    if (!options_.report.empty()) write(options_.page(), bench_page(json));
  }

 private:
  std::unique_ptr<io::AtomicFile> make(const std::string& path) const {
    io::AtomicFile::Options how = options_.output.file;
    how.overwrite = how.overwrite || written_.contains(path);  // this run has written it
    return io::with_path(path, [&] { return std::make_unique<io::AtomicFile>(path, how); });
  }

  void write(const std::string& path, const std::string& text) {
    const auto opened = open_.extract(path);
    const std::unique_ptr<io::AtomicFile> file = opened.empty() ? make(path) : std::move(opened.mapped());
    io::with_path(path, [&] {
      file->write(text.data(), text.size());
      file->commit();
    });
    written_.insert(path);
  }

  const BenchOptions& options_;
  std::map<std::string, std::unique_ptr<io::AtomicFile>> open_;  // not written yet
  std::set<std::string> written_;
};

/// Output of an experiment while it runs: prints tables as soon as their images are measured, and writes
/// files now and then and at the end.
class BenchReport {
 public:
  BenchReport(const BenchOptions& options, bool with_gpu)
      : outputs_(options),
        head_{version(), commit(), command_line(), bench::environment(with_gpu, options.request.gpu)} {}

  void update(const bench::Results& so_far) {
    const bench::Json json = bench::as_json(head_, so_far);
    print(json);
    if (since_written_.milliseconds() < kShareOfRun * writing_ms_) return;
    since_written_.lap();
    outputs_.write(json);
    writing_ms_ = since_written_.lap();
  }

  void finish(const bench::Results& results) {
    const bench::Json json = bench::as_json(head_, results);
    print(json);
    std::string text;
    if (!results.incomplete.empty()) text += "\nincomplete: " + results.incomplete + "\n";
    for (const bench::Json& one : json["fastest"]) text += "\n" + one["text"].get<std::string>() + "\n";
    print_result(text);
    outputs_.write(json);
  }

 private:
  static constexpr double kShareOfRun = 20;  // writing takes a twentieth of the time at most

  /// Prints the head once, and the sets of images that were not printed yet.
  void print(const bench::Json& json) {
    std::string text;
    if (printed_ == 0) {
      text = version_line() + "\n";
      for (const auto& [name, value] : head_.environment) text += "  " + name + ": " + value + "\n";
      for (const bench::Json& line : json["method"]) text += "- " + line.get<std::string>() + "\n";
    }
    for (; printed_ < json["results"].size(); ++printed_)
      text += "\n" + bench::as_text(json["results"][printed_]);
    print_result(text);
  }

  BenchOutputs outputs_;
  bench::Head head_;
  std::size_t printed_ = 0;  // image sets
  Stopwatch since_written_;
  double writing_ms_ = 0;  // the last time
};

std::vector<bench::ImageSet> image_sets_of(const BenchOptions& options, const bench::Request& request,
                                           const std::function<void(const std::string&)>& warn) {
  if (request.datasets.empty()) return bench::random_image_sets(request);
  io::ReadOptions reading;
  reading.foreground = options.input.foreground;
  reading.limits = options.input.limits;
  reading.palette = options.input.palette;
  reading.stack = options.input.stack;
  reading.warn = warn;
  // Gives each hint about the foreground once.
  const auto look = [foreground = reading.foreground, warn,
                     given = std::make_shared<std::set<std::string>>()](const io::Reader& reader,
                                                                        BitView image) {
    Findings findings;
    const auto elements = static_cast<double>(image.extent.elements());
    findings.foreground = elements > 0 ? static_cast<double>(count_foreground(image)) / elements : 0;
    findings.more_than_two_values = reader.first_values().size() > 2;
    findings.has_values_option = false;
    const std::string line = hint_of_foreground(reader.info(), foreground, findings);
    if (!line.empty() && given->insert(line).second) warn(reader.info().path + ": " + line);
  };
  std::vector<bench::ImageSet> sets;
  for (const std::string& path : request.datasets)
    io::with_path(path, [&] {
      for (bench::ImageSet& dataset : bench::read_datasets(path, reading, request.images, look))
        sets.push_back(std::move(dataset));
    });
  return sets;
}

int exit_code_of(const bench::Results& results) {
  if (results.wrong) return exit_code(ErrorCode::internal);
  std::set<int> codes;
  for (const ErrorCode failure : results.failures) codes.insert(exit_code(failure));
  return exit_code(codes);
}

/// Returns the table of algorithms for an experiment.
const std::vector<Algorithm>& table_of(bench::Test test) {
  if (test == bench::Test::blocks) return block_configurations();
  return bench::is_counted(test) ? instrumented_algorithms() : algorithms();
}

/// Returns a line for each algorithm that was named and does not label some of the images.
std::set<std::string> not_measured(const bench::Plan& plan, const bench::Request& request,
                                   const bench::Results& results) {
  std::set<std::string> lines;
  for (const Algorithm* algorithm : plan.algorithms) {
    const auto& named = request.algorithms;
    if (std::find(named.begin(), named.end(), algorithm->name) == named.end()) continue;
    for (const bench::ImageSetResult& group : results.groups)
      if (find_variant(*algorithm, group.connectivity) == nullptr)
        lines.insert(
            algorithm->name + " does not label " + std::to_string(static_cast<int>(group.connectivity)) +
            "-connectivity, so it was not measured on " + (is_3d(group.connectivity) ? "volumes" : "images"));
  }
  return lines;
}

int run_bench(const BenchOptions& options) {
  options.check();
  const ThreadLimit threads(options.threads);

  StatusLine status({100, 10000});
  const auto warn = [&](const std::string& line) { status.message("warning: " + line); };
  bench::Request request = options.request;
  request.connectivity = options.connectivity();
  bench::Plan plan;
  plan.test = request.test;
  plan.connectivity = request.connectivity;
  plan.gpu = request.gpu;
  plan.timing = options.timing();
  plan.image_sets = image_sets_of(options, request, warn);
  const bench::ChosenAlgorithms chosen =
      bench::choose_algorithms(request, table_of(plan.test), [&] { return problem_of_gpu(plan.gpu); });
  if (const std::string line = bench::describe_left_out(chosen.left_out, chosen.problem); !line.empty())
    warn(line);
  plan.algorithms = chosen.algorithms;
  const bool gpu =
      std::any_of(plan.algorithms.begin(), plan.algorithms.end(),
                  [](const Algorithm* algorithm) { return algorithm->device == DeviceKind::cuda; });
  plan.cycles = bench::cycles_a_ms(gpu, plan.gpu);
  const std::optional<bench::GpuState> gpu_state =
      gpu ? std::optional<bench::GpuState>(std::in_place, plan.gpu) : std::nullopt;
  plan.read_clock = [&](DeviceKind device) {
    return device == DeviceKind::cpu ? bench::cpu_clock() : gpu_state ? gpu_state->clock() : std::nullopt;
  };
  plan.protocol = options.protocol;
  plan.not_measured = chosen.left_out;
  plan.no_gpu = chosen.problem;
  BenchReport report(options, gpu);
  const HeldSignal signal;
  plan.timing.stop = [&] { return signal.number() != 0; };

  bench::Results results = bench::measure(
      plan, {[&](double done, const std::string& what) {
               status.offer([&] { return std::to_string(std::lround(100 * done)) + " %, " + what; });
             },
             [&](const std::string& line) { status.message(line); },
             [&](const bench::Results& so_far) {
               status.clear();
               report.update(so_far);
             },
             plan.timing.stop});
  status.clear();
  if (results.groups.empty() && results.failures.empty() && results.incomplete.empty())
    throw Error(ErrorCode::usage, "nothing to measure: none of these algorithms labels any of these images");

  report.finish(results);
  for (const std::string& line : not_measured(plan, request, results)) warn(line);
  for (const auto& [device, clocks] : results.clocks)
    if (const std::string line = bench::clock_warning(device, clocks); !line.empty()) warn(line);
  if (chosen.named_are_left_out) results.failures.insert(ErrorCode::unavailable);
  if (!results.incomplete.empty()) print_message(results.incomplete + "; completed measurements are written");
  if (signal.number() != 0) end_by_signal(signal.number());
  return exit_code_of(results);
}

}  // namespace

void setup_bench(const Command& command) {
  const auto options = std::make_shared<BenchOptions>();
  options->add_to(command);
  command.on_run([options] {
    options->resolve();
    return run_bench(*options);
  });
}

}  // namespace gpuccl::app
