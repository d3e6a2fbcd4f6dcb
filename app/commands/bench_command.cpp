#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "app/bench/bench_options.hpp"
#include "app/bench/chart.hpp"
#include "app/bench/chosen_algorithms.hpp"
#include "app/bench/csv.hpp"
#include "app/bench/dataset.hpp"
#include "app/bench/experiment.hpp"
#include "app/bench/html.hpp"
#include "app/bench/json.hpp"
#include "app/bench/measurement_notes.hpp"
#include "app/bench/result_tables.hpp"
#include "app/bench/svg_chart.hpp"
#include "app/commands/commands.hpp"
#include "app/common/exit_code.hpp"
#include "app/common/messages.hpp"
#include "app/common/status_line.hpp"
#include "app/common/thread_limit.hpp"
#include "app/common/version.hpp"
#include "app/options/command_line.hpp"
#include "gpuccl/devices.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/file_error.hpp"
#include "io/files/make_folder.hpp"

namespace gpuccl::app {
namespace {

/// The words that started this process, so that a report says how to repeat it.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  const std::string words((std::istreambuf_iterator<char>(file)), {});
  std::string line = "gpuccl";
  for (std::size_t at = words.find('\0') + 1; at != 0 && at < words.size(); at = words.find('\0', at) + 1) {
    const std::string word = words.substr(at, words.find('\0', at) - at);
    line += word.find_first_of(" \t'\"*?$") == std::string::npos ? " " + word : " '" + word + "'";
  }
  return printable(line);
}

std::string problem_of_gpu(int gpu) {
  const CudaStatus status = cuda_status();
  for (const CudaDevice& device : status.devices)
    if (device.index == gpu) return {};
  return status.problem.empty() ? "no CUDA device " + std::to_string(gpu) : status.problem;
}

/// The files asked for. Made before the work starts, so that a missing folder is found at once.
class BenchOutputs {
 public:
  explicit BenchOutputs(const BenchOptions& options) : options_(options) {
    if (!options.json.empty()) json_ = make(options.json);
    if (!options.csv.empty()) csv_ = make(options.csv);
    if (options.report.empty()) return;
    io::make_folder(options.report);
    page_ = make(options.page());
  }

  void write(const bench::Head& head, const bench::Results& results) {
    if (json_) write(*json_, bench::as_json(head, results));
    if (csv_) write(*csv_, bench::as_csv(results));
    if (!page_) return;
    std::vector<std::string> drawings;
    for (const bench::Chart& chart : bench::charts(results)) {
      drawings.push_back(bench::as_svg(chart));
      write(*make(options_.chart(static_cast<int>(drawings.size()))), drawings.back());
    }
    write(*page_, bench::as_html(head, results, drawings));
  }

 private:
  std::unique_ptr<io::AtomicFile> make(const std::string& path) const {
    return io::concerning(path, [&] { return std::make_unique<io::AtomicFile>(path, options_.output.file); });
  }

  static void write(io::AtomicFile& file, const std::string& text) {
    io::concerning(file.path(), [&] {
      file.write(text.data(), text.size());
      file.commit();
    });
  }

  const BenchOptions& options_;
  std::unique_ptr<io::AtomicFile> json_, csv_, page_;
};

std::vector<bench::ImageSet> image_sets_of(const BenchOptions& options,
                                           const std::function<void(const std::string&)>& warn) {
  if (options.request.datasets.empty()) return bench::random_image_sets(options.request);
  io::ReadOptions reading;
  reading.foreground = options.input.foreground;
  reading.limits = options.input.limits;
  reading.stack = options.input.stack;
  reading.warn = warn;
  std::vector<bench::ImageSet> sets;
  for (const std::string& path : options.request.datasets)
    io::concerning(path, [&] {
      for (bench::ImageSet& dataset : bench::read_datasets(path, reading, options.request.images))
        sets.push_back(std::move(dataset));
    });
  return sets;
}

std::string as_text(const bench::Head& head, const bench::Results& results) {
  std::string text = version_line() + "\n";
  for (const auto& [name, value] : head.environment) text += "  " + name + ": " + value + "\n";
  for (const std::string& line : bench::measurement_notes(results)) text += "- " + line + "\n";
  for (const bench::Table& table : bench::tables(results)) text += "\n" + bench::as_text(table);
  return text;
}

int exit_code_of(const bench::Results& results) {
  if (results.wrong) return exit_code(Failure::internal);
  if (results.failures.empty()) return kSuccess;
  return results.failures.size() == 1 ? exit_code(*results.failures.begin()) : kMixed;
}

int run_bench(const BenchOptions& options) {
  options.check();
  const ThreadLimit threads(options.threads);

  StatusLine status({100, 10000});
  const auto warn = [&](const std::string& line) { status.message("warning: " + line); };
  bench::Plan plan;
  plan.test = options.request.test;
  plan.connectivity = options.request.connectivity;
  plan.gpu = options.request.gpu;
  plan.timing = options.timing();
  plan.image_sets = image_sets_of(options, warn);
  const bool counting = plan.test == bench::Test::memory;
  plan.algorithms = bench::choose_algorithms(
      options.request, counting ? counting_algorithms() : algorithms(),
      [&] { return problem_of_gpu(plan.gpu); }, warn);
  BenchOutputs outputs(options);

  const bench::Results results = bench::measure(
      plan, {[&](double done, const std::string& what) {
               status.offer([&] { return std::to_string(std::lround(100 * done)) + " %, " + what; });
             },
             [&](const std::string& line) { status.message(line); }});
  status.clear();
  if (results.groups.empty() && results.failures.empty())
    throw Error(Failure::usage, "nothing to measure: none of these algorithms labels any of these images");

  bool gpu = false;
  for (const Algorithm* algorithm : plan.algorithms) gpu = gpu || algorithm->device == DeviceKind::cuda;
  const bench::Head head{version(), commit(), command_line(), bench::environment(gpu, plan.gpu)};
  print_result(as_text(head, results));
  outputs.write(head, results);
  return exit_code_of(results);
}

}  // namespace

void setup_bench(CommandLine& line) {
  const Command command =
      line.add_command("bench", "Time algorithms and compare them: the papers' experiments");
  const auto options = std::make_shared<BenchOptions>();
  options->add_to(command);
  command.on_run([options] { return run_bench(*options); });
}

}  // namespace gpuccl::app
