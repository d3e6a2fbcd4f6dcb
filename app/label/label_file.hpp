#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/label/label_options.hpp"
#include "gpuccl/engine.hpp"

namespace gpuccl::app {

/// The engine of this process. Started when the first input has turned out to be readable: a bad file never
/// waits for a device.
class LazyEngine {
 public:
  LazyEngine(const EngineOptions& options, Engine::Warn warn) : options_(options), warn_(std::move(warn)) {}
  DeviceChoice device() const { return options_.device; }
  Engine& start() { return engine_ ? *engine_ : engine_.emplace(options_, warn_); }

 private:
  EngineOptions options_;
  Engine::Warn warn_;
  std::optional<Engine> engine_;
};

/// What there is to say of a file that was labeled.
struct LabelSummary {
  std::uint64_t components = 0;
  std::uint64_t dropped = 0;
  EngineReport engine;
  double milliseconds = 0;
};

/// Reads, labels, selects and writes one input. Either all its outputs are complete afterwards or it throws a
/// io::FileError and none was touched.
LabelSummary label_file(const LabelPaths& files, const LabelOptions& options, LazyEngine& engine);

}  // namespace gpuccl::app
