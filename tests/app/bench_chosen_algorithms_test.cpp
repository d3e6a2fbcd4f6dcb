#include "app/bench/plan.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::bench;

namespace {

const std::vector<Algorithm>& table() {
  static const std::vector<Algorithm> rows = {
      {"runs", "", "", DeviceKind::cpu, {{Connectivity::c8, nullptr}, {Connectivity::c26, nullptr}}},
      {"runs", "", "", DeviceKind::cuda, {{Connectivity::c8, nullptr}}},
      {"bke", "", "", DeviceKind::cuda, {{Connectivity::c8, nullptr}}},
      {"sauf", "", "", DeviceKind::cpu, {{Connectivity::c4, nullptr}, {Connectivity::c8, nullptr}}},
      {"ole",
       "",
       "",
       DeviceKind::cuda,
       {{Connectivity::c8, nullptr}},
       {{"Init"}, {"Scan", kRepeated}, {"Analysis", kRepeated}}},
      {"ep", "", "", DeviceKind::cpu, {{Connectivity::c8, nullptr}}, {{"Propagate", kRepeated}}},
  };
  return rows;
}

struct Chosen {
  std::vector<int> rows;  // of the table
  std::string note;
  bool named_are_left_out = false;
  bool asked = false;
};

Chosen choose(const Request& request, const std::string& problem) {
  Chosen chosen;
  const auto ask = [&] {
    chosen.asked = true;
    return problem;
  };
  const ChosenAlgorithms result = choose_algorithms(request, table(), ask);
  for (const Algorithm* algorithm : result.algorithms)
    chosen.rows.push_back(static_cast<int>(algorithm - table().data()));
  chosen.note = describe_left_out(result.left_out, result.problem);
  chosen.named_are_left_out = result.named_are_left_out;
  return chosen;
}

ErrorCode error_code_of(const Request& request, const std::string& problem) {
  try {
    choose(request, problem);
  } catch (const Error& error) {
    return error.code();
  }
  FAIL("no error");
  return ErrorCode::internal;
}

Request of(std::vector<std::string> names, DeviceChoice device = DeviceChoice::automatic) {
  Request request;
  request.algorithms = std::move(names);
  request.device = device;
  return request;
}

using Rows = std::vector<int>;

}  // namespace

TEST_CASE("all selects every row that the device allows, and slow rows only if they are named too") {
  CHECK(choose(of({"all"}), "").rows == Rows{0, 1, 2, 3, 4});
  CHECK(choose(of({"all"}, DeviceChoice::cpu), "").rows == Rows{0, 3});
  CHECK(choose(of({"ep", "all"}, DeviceChoice::cpu), "").rows == Rows{5, 0, 3});
}

TEST_CASE("rows that take hours are left out by default") {
  CHECK(choose(of({}), "").rows == Rows{0, 1, 2, 3, 4});
  CHECK(choose(of({}, DeviceChoice::cuda), "").rows == Rows{1, 2, 4});
  const Chosen on_cpu = choose(of({}, DeviceChoice::cpu), "no driver");
  CHECK(on_cpu.rows == Rows{0, 3});
  CHECK_FALSE(on_cpu.asked);
}

TEST_CASE("names are measured in the order given, each row once") {
  CHECK(choose(of({"sauf", "runs", "sauf"}), "").rows == Rows{3, 0, 1});
}

TEST_CASE("the connectivity leaves out who cannot do it") {
  Request request = of({});
  request.connectivity = Connectivity::c4;
  CHECK(choose(request, "").rows == Rows{3});
  request.algorithms = {"bke"};
  CHECK(error_code_of(request, "") == ErrorCode::usage);
}

TEST_CASE("without a GPU, CPU rows are measured, and the others are named") {
  const Chosen all = choose(of({}), "no driver");
  CHECK(all.rows == Rows{0, 3});
  CHECK(all.note == "not measured on a GPU (no driver): runs, bke, ole");
  CHECK_FALSE(all.named_are_left_out);
  CHECK(choose(of({"all"}), "no driver").rows == Rows{0, 3});

  const Chosen runs = choose(of({"runs"}), "no driver");
  CHECK(runs.rows == Rows{0});
  CHECK(runs.note.empty());  // it is measured on the CPU
  CHECK_FALSE(runs.named_are_left_out);

  const Chosen named = choose(of({"bke", "sauf"}), "no driver");
  CHECK(named.rows == Rows{3});
  CHECK(named.note == "not measured on a GPU (no driver): bke");
  CHECK(named.named_are_left_out);
  CHECK(choose(of({"all", "bke"}), "no driver").named_are_left_out);

  CHECK(error_code_of(of({"bke"}), "no driver") == ErrorCode::unavailable);
  CHECK(error_code_of(of({}, DeviceChoice::cuda), "no driver") == ErrorCode::unavailable);
  CHECK(choose(of({}), "").note.empty());
}

TEST_CASE("iterations are counted of algorithms that iterate") {
  Request request = of({});
  request.test = Test::iterations;
  CHECK(choose(request, "").rows == Rows{4});
  CHECK(choose(request, "no driver").rows == Rows{5});  // takes hours, but nothing else is left
  request.algorithms = {"all"};
  CHECK(choose(request, "").rows == Rows{4});
  request.algorithms = {"ole", "bke"};
  CHECK(error_code_of(request, "") == ErrorCode::usage);
}
