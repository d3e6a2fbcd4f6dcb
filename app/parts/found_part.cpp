#include "app/parts/found_part.hpp"

#include <nlohmann/json.hpp>

#include "gpuccl/error.hpp"

namespace gpuccl::app {

using Json = nlohmann::json;

void FoundPart::add_before(const FoundPart& background) {
  foreground_rule = background.foreground_rule;
  more_than_two_values = background.more_than_two_values;
  total_ms += background.total_ms;
  start_up_ms += background.start_up_ms;
  read_ms = background.read_ms;
  fill_ms += background.label_ms;
}

std::string FoundPart::text() const {
  Json all = Json::array();
  for (const PhaseTime& phase : phases) all.push_back({phase.phase, phase.milliseconds, phase.launches});
  return Json{{"rule", foreground_rule},
              {"foreground", foreground},
              {"more", more_than_two_values},
              {"algorithm", algorithm},
              {"kind", device_kind},
              {"device", device_name},
              {"gpus", gpus},
              {"ms", {total_ms, start_up_ms, read_ms, fill_ms, label_ms, statistics_ms}},
              {"phases", std::move(all)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

FoundPart FoundPart::of_text(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    FoundPart found;
    json.at("rule").get_to(found.foreground_rule);
    json.at("foreground").get_to(found.foreground);
    json.at("more").get_to(found.more_than_two_values);
    json.at("algorithm").get_to(found.algorithm);
    json.at("kind").get_to(found.device_kind);
    json.at("device").get_to(found.device_name);
    json.at("gpus").get_to(found.gpus);
    double* const times[] = {&found.total_ms, &found.start_up_ms, &found.read_ms,
                             &found.fill_ms,  &found.label_ms,    &found.statistics_ms};
    for (std::size_t i = 0; i < std::size(times); ++i) json.at("ms").at(i).get_to(*times[i]);
    for (const Json& phase : json.at("phases"))
      found.phases.push_back({.phase = phase.at(0), .milliseconds = phase.at(1), .launches = phase.at(2)});
    return found;
  } catch (const Json::exception&) {
    throw Error(Failure::data, "is damaged");
  }
}

}  // namespace gpuccl::app
