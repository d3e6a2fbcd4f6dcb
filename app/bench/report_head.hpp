#pragma once

#include <string>

#include "app/bench/environment.hpp"

namespace gpuccl::bench {

/// Everything a report says beside the results: program, version, commit and command line, then the machine.
struct Head {
  std::string version;
  std::string commit;
  std::string command;
  Environment environment;
};

}  // namespace gpuccl::bench
