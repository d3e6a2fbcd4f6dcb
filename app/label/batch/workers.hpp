#pragma once

#include "app/label/label_options.hpp"

namespace gpuccl::app {

/// Threads of a batch.
struct Workers {
  int threads;  // that work
  int jobs;     // that work or wait for the disk
  int all;
};

/// Returns the numbers of threads and jobs: those requested, or as many as the system allows.
Workers workers_for(const LabelOptions& options);

}  // namespace gpuccl::app
