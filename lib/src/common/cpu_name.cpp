#include <fstream>
#include <string>

#include "gpuccl/engine.hpp"

namespace gpuccl {
namespace {

std::string read_cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

std::string cpu_name() {
  static const std::string name = read_cpu_name();
  return name;
}

}  // namespace gpuccl
