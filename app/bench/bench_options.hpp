#pragma once

#include <string>

#include "app/bench/plan.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"

namespace gpuccl::app {

class Command;

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

}  // namespace gpuccl::app
