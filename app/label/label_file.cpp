#include "app/label/label_file.hpp"

#include "app/common/messages.hpp"
#include "app/label/label_job.hpp"

namespace gpuccl::app {

LabelSummary label_file(const LabelPaths& files, const LabelOptions& options, LazyEngine& engine) {
  LabelJob job(files, options, [](const std::string& path, const std::string& line) {
    print_warning(display_name(path) + ": " + line);
  });
  job.open();
  Engine& started = engine.start();  // the device starts while the file is read
  job.read();
  job.label(started);
  job.write();
  job.commit();
  return {job.components().size(), job.dropped(), job.engine_report(), job.milliseconds()};
}

}  // namespace gpuccl::app
