#pragma once

#include <string>

#include "app/bench/environment.hpp"

namespace gpuccl::bench {

/// Content of a report except the results: program, version, commit and command line, then the machine.
struct Head {
  std::string version;
  std::string commit;
  std::string command;
  Environment environment;
};

}  // namespace gpuccl::bench
