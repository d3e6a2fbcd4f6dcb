#include "app/view/bench_page.hpp"

#include <nlohmann/json.hpp>

#include "app/view/packed.hpp"
#include "app/view/pages.hpp"

namespace gpuccl::app {

std::string bench_page(const std::string& json, const WorkPicture& picture) {
  std::string data = data_element("results", json);
  if (!picture.png.empty()) {
    const nlohmann::json work = {{"png", base64(picture.png)}, {"legend", picture.legend}};
    data += data_element("work", work.dump());
  }
  std::string page(kBenchPage);
  return page.replace(page.find(kDataPlace), kDataPlace.size(), data);
}

}  // namespace gpuccl::app
