#include "app/bench/bench_options.hpp"

#include <filesystem>

#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"

namespace gpuccl::app {
namespace {

using bench::Test;

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

void add_test(const Command& command, Test& test) {
  Choices<Test> tests;
  for (const auto& [test_of, name] : bench::kTests) tests.emplace_back(name, test_of);
  add_choice<Test>(command, "--test", test, tests, "The experiment [average]");
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
  constexpr int kMost = 1000000;
  bench::TimingOptions& timing = options.request.timing;
  add_number(command, "--images", options.request.images, 1, kMost, "N",
             "Images per set [3 random ones; for sweeps 10; all of a dataset]");
  add_number(command, "--repetitions", timing.repetitions, 1, kMost, "N", "Timed labelings per image [10]");
  add_number(command, "--warm-up", timing.warm_up, 0, kMost, "N", "Untimed warm-up labelings per image [3]");
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

}  // namespace

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
  add_folder(command, "--report", report, "DIR", "Folder for a page with charts, index.html");
  output.add_to(command);
  input.add_to(command, "Reject inputs that need more memory");
}

void BenchOptions::resolve() {
  if (submit.empty()) return;
  const bench::TimingOptions& timing = request.timing;
  const bench::TimingOptions usual;
  const bool is_changed =
      request.test != Test::average || !request.datasets.empty() || !request.algorithms.empty() ||
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
  if (request.test == Test::blocks && request.device == DeviceChoice::cpu)
    throw Error(ErrorCode::usage,
                "--test blocks compares GPU thread blocks and cannot be combined with --device cpu");
  if (request.test == Test::host && (preallocated || allocated || request.timing.rotate))
    throw Error(ErrorCode::usage,
                "--test host cannot be combined with --preallocated, --allocated or --rotate");
  if (request.test == Test::cca && (preallocated || allocated))
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
  if (request.test != Test::average)
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
  timing.allocated = allocated || !protocol.empty() || (by_default && request.test == Test::average);
  return timing;
}

}  // namespace gpuccl::app
