#include <fmt/core.h>

#include <algorithm>

#include "app/bench/plan.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::bench {
namespace {

bool allowed(DeviceKind device, DeviceChoice choice) {
  return choice == DeviceChoice::automatic || (choice == DeviceChoice::cuda) == (device == DeviceKind::cuda);
}

bool has_connectivity(const Algorithm& algorithm, const std::optional<Connectivity>& connectivity) {
  return !connectivity || find_variant(algorithm, *connectivity) != nullptr;
}

bool is_part_of(const Algorithm& algorithm, Test test) {
  return test != Test::iterations || !iterated_phase(algorithm).empty();
}

/// Returns true for algorithms whose iterations grow with component length: hours at the default sizes.
bool is_slow(const Algorithm* algorithm) { return algorithm->name == "ep" || algorithm->name == "fb"; }

std::string known_names(const std::vector<Algorithm>& table) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : table)
    if (std::find(names.begin(), names.end(), algorithm.name) == names.end()) names.push_back(algorithm.name);
  std::string list = "all";
  for (const std::string& name : names) list += ", " + name;
  return list;
}

/// Returns the error for an algorithm that was named and cannot be measured.
Error refusal(const std::string& name, const Request& request, const std::vector<Algorithm>& table) {
  const auto named = [&](const Algorithm& algorithm) { return algorithm.name == name; };
  const auto on_device = [&](const Algorithm& algorithm) {
    return named(algorithm) && allowed(algorithm.device, request.device);
  };
  if (std::none_of(table.begin(), table.end(), named) && is_counted(request.test))
    return {ErrorCode::usage, "--test " + bench::name(request.test) + " does not count for '" + name +
                                  "' but for " + known_names(table)};
  if (std::none_of(table.begin(), table.end(), named) && request.test == Test::blocks)
    return {ErrorCode::usage,
            "--test blocks has no other thread blocks for '" + name + "' but for " + known_names(table)};
  if (std::none_of(table.begin(), table.end(), named))
    return {ErrorCode::usage, "no algorithm '" + name + "'; there are " + known_names(table)};
  if (std::none_of(table.begin(), table.end(), on_device))
    return {ErrorCode::usage, request.device == DeviceChoice::cpu
                                  ? name + " runs only on a GPU; use --device cuda or auto"
                                  : name + " runs only on the CPU; use --device cpu or auto"};
  if (std::none_of(table.begin(), table.end(), [&](const Algorithm& algorithm) {
        return on_device(algorithm) && is_part_of(algorithm, request.test);
      }))
    return {ErrorCode::usage, name + " does not iterate, so --test iterations has nothing to count"};
  return {ErrorCode::usage, fmt::format("{} does not label {}-connectivity; see 'gpuccl list'", name,
                                        static_cast<int>(*request.connectivity))};
}

/// Returns the rows of the table that the request names, whether or not there is a GPU.
std::vector<const Algorithm*> asked_for(const Request& request, const std::vector<Algorithm>& table) {
  std::vector<const Algorithm*> chosen;
  const auto add = [&](const auto& is_meant) {
    const std::size_t before = chosen.size();
    for (const Algorithm& algorithm : table)
      if (is_meant(algorithm) && allowed(algorithm.device, request.device) &&
          has_connectivity(algorithm, request.connectivity) && is_part_of(algorithm, request.test) &&
          std::find(chosen.begin(), chosen.end(), &algorithm) == chosen.end())
        chosen.push_back(&algorithm);
    return chosen.size() > before;
  };
  if (request.algorithms.empty()) add([](const Algorithm&) { return true; });
  for (const std::string& name : request.algorithms) {
    const auto is_named = [&](const Algorithm& algorithm) { return name == "all" || algorithm.name == name; };
    const bool given_before = std::any_of(chosen.begin(), chosen.end(),
                                          [&](const Algorithm* algorithm) { return is_named(*algorithm); });
    if (!add(is_named) && !given_before && name != "all") throw refusal(name, request, table);
  }
  return chosen;
}

bool is_named(const Request& request, const Algorithm* algorithm) {
  return std::find(request.algorithms.begin(), request.algorithms.end(), algorithm->name) !=
         request.algorithms.end();
}

/// Removes GPU algorithms if no GPU can be used.
void remove_gpu_algorithms(const Request& request, const AskForGpu& problem_of_gpu,
                           ChosenAlgorithms& result) {
  std::vector<const Algorithm*>& chosen = result.algorithms;
  const auto on_gpu = [](const Algorithm* algorithm) { return algorithm->device == DeviceKind::cuda; };
  const auto on_cpu = [](const Algorithm* algorithm) { return algorithm->device == DeviceKind::cpu; };
  if (std::none_of(chosen.begin(), chosen.end(), on_gpu)) return;
  const std::string problem = problem_of_gpu();
  if (problem.empty()) return;

  const auto is_measured_on_cpu = [&](const Algorithm* algorithm) {
    return std::any_of(chosen.begin(), chosen.end(), [&](const Algorithm* other) {
      return on_cpu(other) && other->name == algorithm->name;
    });
  };
  for (const Algorithm* algorithm : chosen) {
    if (!on_gpu(algorithm)) continue;
    if (is_named(request, algorithm) && is_measured_on_cpu(algorithm)) continue;  // as it was meant
    result.left_out.push_back(algorithm->name);
    if (is_named(request, algorithm)) result.named_are_left_out = true;
  }
  std::erase_if(chosen, on_gpu);
  if (request.device == DeviceChoice::cuda || chosen.empty()) throw Error(ErrorCode::unavailable, problem);
  result.problem = problem;
}

}  // namespace

ChosenAlgorithms choose_algorithms(const Request& request, const std::vector<Algorithm>& table,
                                   const AskForGpu& problem_of_gpu) {
  ChosenAlgorithms result;
  result.algorithms = asked_for(request, table);
  remove_gpu_algorithms(request, problem_of_gpu, result);
  std::vector<const Algorithm*>& chosen = result.algorithms;
  if (!std::all_of(chosen.begin(), chosen.end(), is_slow))
    std::erase_if(chosen, [&](const Algorithm* algorithm) {
      return is_slow(algorithm) && !is_named(request, algorithm);
    });
  return result;
}

std::string describe_left_out(const std::vector<std::string>& left_out, const std::string& problem) {
  if (left_out.empty()) return {};
  std::string names;
  for (const std::string& name : left_out) names += (names.empty() ? "" : ", ") + name;
  return "not measured on a GPU (" + problem + "): " + names;
}

}  // namespace gpuccl::bench
