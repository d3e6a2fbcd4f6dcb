#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
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

#include "app/bench/environment.hpp"
#include "app/bench/plan.hpp"
#include "app/bench/results.hpp"
#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/common/process.hpp"
#include "app/label/report_builder.hpp"
#include "app/options/command_line.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "app/options/option_table.hpp"
#include "app/view/pages.hpp"
#include "gpuccl/detail/staged.hpp"
#include "gpuccl/engine.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/json.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::app {
namespace {

struct BenchOptions {
  bench::Request request;
  InputOptions input;
  OutputOptions output;
  bool preallocated = false;  // if neither is set, the experiment's default
  bool allocated = false;
  int threads = 0;       // 0: all
  std::string protocol;  // of a paper; "" for none
  std::string json;
  std::string submit;  // JSON of the experiment that compares machines
  std::string report;  // folder

  void add_to(const Command& command);

  /// Sets the experiment of --submit. Call once, before the rest. Error (usage).
  void resolve();
  /// Refuses contradictory options. Error (usage).
  void check() const;
  /// Returns the page that --report writes in its folder; "" without --report.
  std::string page() const;
  /// Returns the timing options of `request`.
  bench::TimingOptions timing() const;
  /// Returns the connectivity of `request`, or that of the protocol.
  std::optional<Connectivity> connectivity() const;

 private:
  void check_protocol() const;
};

/// Adds an option whose value is a list for `parse`.
template <class T>
void add_list(const Command& command, const std::string& name, std::vector<T>& target,
              std::optional<std::vector<T>> (*parse)(const std::string&), const std::string& type,
              const std::string& what, const std::string& help) {
  command.add_value(name, type, help, [&target, parse, what](const std::string& given) {
    const std::optional<std::vector<T>> list = parse(given);
    if (!list) return "'" + given + "' is not " + what;
    target = *list;
    return std::string();
  });
}

void add_test(const Command& command, bench::Test& test) {
  Choices<bench::Test> tests;
  for (const auto& [test_of, name] : bench::kTests) tests.emplace_back(name, test_of);
  add_choice<bench::Test>(command, "--test", test, tests, "The experiment [average]");
}

void add_algorithms(const Command& command, bench::Request& request) {
  command.group("Labeling");
  command.add_value("--algo", "NAME,...",
                    "Algorithms (see 'gpuccl list'); all leaves out ep and fb, which take hours [all]",
                    [&request](const std::string& given) {
                      request.algorithms = split(io::lower_case(given), ',');
                      return std::string();
                    });
  add_connectivity(command, request.connectivity);
  add_device(command, request.device,
             "Devices whose algorithms are timed; auto: both, if there is a GPU [auto]");
  add_gpu(command, request.gpu);
}

void add_random(const Command& command, bench::Request& request) {
  command.group("Random images");
  add_list(command, "--size", request.sizes, parse_sizes, "WxH[xD],...",
           "a list of sizes such as 640x480,64x64x32", "Sizes [2048x2048,256x256x256]");
  add_list(command, "--densities", request.densities, parse_shares, "D,...",
           "a list of densities between 0 and 1 such as 0.1,0.5 or 0:1:0.01",
           "Fractions of foreground, 0 to 1, or FROM:TO:STEP [by experiment]");
  add_list(command, "--granularities", request.granularities, parse_counts, "G,...",
           "a list of granularities such as 1,4 or 1:16",
           "Sides of the squares of random images, or FROM:TO [by experiment]");
  using Seed = std::numeric_limits<decltype(request.seed)>;
  add_number(command, "--seed", request.seed, Seed::min(), Seed::max(), "S",
             "Seed of the random numbers [1]");
}

void add_timing(const Command& command, BenchOptions& options) {
  command.group("Timing");
  constexpr int kMax = 1000000;
  bench::TimingOptions& timing = options.request.timing;
  add_number(command, "--images", options.request.images, 1, kMax, "N",
             "Images per set [3 random ones; for sweeps 10; all of a dataset]");
  add_number(command, "--repetitions", timing.repetitions, 1, kMax, "N", "Timed labelings per image [10]");
  add_number(command, "--warm-up", timing.warm_up, 0, kMax, "N", "Untimed warm-up labelings per image [3]");
  add_real(command, "--time-limit", timing.limit_s, 1e9, "S",
           "Time limit per algorithm and image, in seconds; at least one labeling is timed [2]");
  add_switch(command, "--preallocated", options.preallocated,
             "Time labeling into an existing label image [the default; for average both]");
  add_switch(command, "--allocated", options.allocated,
             "Time labeling with the allocation of the label image");
  add_choice<std::string>(command, "--protocol", options.protocol, {{bench::kTpds2024, bench::kTpds2024}},
                          "Protocol of a paper; tpds2024: minimum times with allocation and 8-connectivity");
  add_switch(command, "--rotate", options.request.timing.rotate,
             "Cycle through copies of input and output, so that caches are cold");
  add_threads(command, options.threads);
}

void BenchOptions::add_to(const Command& command) {
  add_test(command, request.test);
  command.add_values("--dataset", "DIR", "Image, folder of images or YACCLAB dataset; may be repeated",
                     [this](const std::string& given) {
                       request.datasets.push_back(given);
                       return std::string();
                     });
  add_algorithms(command, request);
  add_random(command, request);
  add_timing(command, *this);
  command.group("Output");
  add_text_path(command, "--json", json, "json", "Results in JSON");
  add_text_path(command, "--submit", submit, "json",
                "Results in JSON of the experiment by which docs/results compares machines");
  add_path(command, "--report", report, "DIR", "Folder for a page with charts, index.html", wrong_folder);
  output.add_to(command);
  input.add_to(command, "Reject inputs that need more memory");
}

void BenchOptions::resolve() {
  if (submit.empty()) return;
  const bench::TimingOptions& timing = request.timing;
  const bench::TimingOptions usual;
  const bool is_changed =
      request.test != bench::Test::average || !request.datasets.empty() || !request.algorithms.empty() ||
      request.connectivity || !request.sizes.empty() || !request.densities.empty() ||
      !request.granularities.empty() || request.images || request.seed != bench::Request().seed ||
      preallocated || allocated || timing.rotate || timing.warm_up != usual.warm_up ||
      timing.repetitions != usual.repetitions || timing.limit_s != usual.limit_s || !protocol.empty();
  if (is_changed)
    throw Error(ErrorCode::usage,
                "--submit is an experiment of its own; give --device, --gpu and --threads with it, but no "
                "other algorithms, images or timing");
  if (!json.empty()) throw Error(ErrorCode::usage, "--submit writes the JSON; leave out --json");
  json = submit;
  protocol = bench::kTpds2024;
  request.sizes = {{2048, 2048, 1}};
  request.timing.limit_s = 0.25;
}

void BenchOptions::check() const {
  if (json == "-")
    throw Error(ErrorCode::usage,
                std::string(submit.empty() ? "--json" : "--submit") +
                    " cannot go to standard output, where tables go; for a file called - use ./-");
  if (!protocol.empty()) check_protocol();
  if (is_counted(request.test) && request.device == DeviceChoice::cpu)
    throw Error(ErrorCode::usage, "--test " + bench::name(request.test) +
                                      " counts work of a GPU and cannot be combined with --device cpu");
  if (request.test == bench::Test::blocks && request.device == DeviceChoice::cpu)
    throw Error(ErrorCode::usage,
                "--test blocks compares GPU thread blocks and cannot be combined with --device cpu");
  if (request.test == bench::Test::host && (preallocated || allocated || request.timing.rotate))
    throw Error(ErrorCode::usage,
                "--test host cannot be combined with --preallocated, --allocated or --rotate");
  if (request.test == bench::Test::cca && (preallocated || allocated))
    throw Error(ErrorCode::usage,
                "--test cca makes no label image and cannot be combined with --preallocated or --allocated");
  if (request.datasets.empty()) return;
  if (is_sweep(request.test))
    throw Error(ErrorCode::usage, "--test " + bench::name(request.test) +
                                      " uses random images and cannot be combined with --dataset");
  if (!request.sizes.empty() || !request.densities.empty() || !request.granularities.empty())
    throw Error(ErrorCode::usage,
                "--size, --densities and --granularities cannot be combined with --dataset");
}

void BenchOptions::check_protocol() const {
  if (request.test != bench::Test::average)
    throw Error(ErrorCode::usage, "--protocol " + protocol + " is for --test average");
  if (preallocated || request.timing.rotate)
    throw Error(ErrorCode::usage,
                "--protocol " + protocol +
                    " times the allocation of the label image, with warm caches; it cannot be "
                    "combined with --preallocated or --rotate");
  if (request.connectivity.value_or(Connectivity::c8) != Connectivity::c8)
    throw Error(ErrorCode::usage, "--protocol " + protocol + " is for 8-connectivity");
}

std::optional<Connectivity> BenchOptions::connectivity() const {
  return protocol.empty() ? request.connectivity : Connectivity::c8;
}

std::string BenchOptions::page() const {
  return report.empty() ? "" : (std::filesystem::path(report) / "index.html").string();
}

bench::TimingOptions BenchOptions::timing() const {
  bench::TimingOptions timing = request.timing;
  const bool by_default = !preallocated && !allocated && protocol.empty();
  timing.preallocated = preallocated || by_default;
  timing.allocated = allocated || !protocol.empty() || (by_default && request.test == bench::Test::average);
  return timing;
}

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
  reading.warn = warn;
  // Gives each hint about the foreground once.
  const auto look = [foreground = reading.foreground, warn,
                     given = std::make_shared<std::set<std::string>>()](const io::Reader& reader,
                                                                        BitView image) {
    HintInputs findings;
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
      for (bench::ImageSet& dataset :
           bench::read_datasets({path, options.input.stack}, reading, request.images, look))
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
