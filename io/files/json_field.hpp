#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/files/json.hpp"

namespace gpuccl::io {

struct JsonField {
  std::string name;
  bool is_list = false;
  std::vector<nlohmann::ordered_json> values = {};  // one if it is no list
};

}  // namespace gpuccl::io
