#include <fmt/core.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "app/commands/commands.hpp"
#include "app/common/messages.hpp"
#include "app/common/process.hpp"
#include "app/label/batch/label_batch.hpp"
#include "app/label/job.hpp"
#include "app/label/label_checks.hpp"
#include "app/label/label_options.hpp"
#include "app/options/command_line.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "app/parts/task_options.hpp"
#include "app/parts/tasks.hpp"

namespace gpuccl::app {
namespace {

/// Prints one line for the user of a terminal. Scripts get no output on success.
void print_summary(const LabelPaths& files, const LabelOptions& options, const LabelSummary& summary) {
  std::string line = display_name(files.input) + ": " +
                     counted(summary.components, options.values.objects ? "object" : "component");
  if (summary.dropped > 0) line += fmt::format(", {} dropped", summary.dropped);
  if (!options.values.objects)
    line += fmt::format(
        " ({}{}-connectivity, {} on {})", options.input.foreground.otsu ? summary.foreground_rule + ", " : "",
        static_cast<int>(summary.engine.connectivity), summary.engine.algorithm, summary.engine.device_name);
  print_message(line + fmt::format(" in {:.3f} s", summary.milliseconds / 1000));
}

int run_task(const LabelOptions& options, const TaskOptions& task) {
  task.check();
  check_for_tasks(options);
  if (options.input.limits.memory > 0) keep_no_freed_memory();
  const LabelPaths files = paths_of(options);
  sandbox_of(files, options, task.folder).enter();  // before any header is read
  refuse_overlap(files, task.folder);               // outputs that exist may be those of the run
  const ThreadLimit threads(options.algorithm.threads);
  LazyEngine engine(files, options);
  const char* const done = label_task(files, options, task, engine);
  if (!options.quiet && ::isatty(STDERR_FILENO) != 0)
    print_message(display_name(files.input) + ": part " + word_of_part(task.part, task.parts) + " " + done);
  return kSuccess;
}

LabelSummary label_image(const LabelPaths& files, const LabelOptions& options) {
  const ThreadLimit threads(options.algorithm.threads);
  LazyEngine engine(files, options);
  return label_file(files, options, engine);
}

int run_label(const LabelOptions& options) {
  const bool batch = is_batch(options);
  check(options, batch);
  if (options.input.limits.memory > 0) keep_no_freed_memory();
  if (batch) return label_batch(options);

  const LabelPaths files = paths_of(options);
  sandbox_of(files, options).enter();
  check_outputs(files, options);
  if (options.batch.dry_run) return print_plan({{files, {}}}, options);
  const LabelSummary summary = label_image(files, options);
  if (!options.quiet && ::isatty(STDERR_FILENO) != 0) print_summary(files, options, summary);
  return kSuccess;
}

void set_up(const Command& command, LabelOptions defaults) {
  const auto options = std::make_shared<LabelOptions>(std::move(defaults));
  options->add_to(command);
  const auto task = std::make_shared<TaskOptions>();
  task->add_to(command);
  command.on_run([options, task] {
    return run_reporting(options->files.json.is_stdout() || options->batch.report.is_stdout(), [&] {
      options->resolve(task->given());
      options->algorithm.hide_other_gpus();
      return task->given() ? run_task(*options, *task) : run_label(*options);
    });
  });
}

}  // namespace

void setup_label(const Command& command) {
  set_up(command, {});
  command.example("scan.tif --threshold otsu --invert --min-size 8 -o letters.tiff");
  command.example("cells.tif -c 6 --measure all --stats cells.csv --view cells.html");
  command.example("huge.zarr --memory 4G -o labels.zarr");
}

void setup_measure(const Command& command) {
  set_up(command, LabelOptions::for_objects());
  command.example("labels.tif --intensity image.tif --stats table.csv");
  command.example("labels/ --intensity images/ --measure shape --stats all.csv");
  command.example("organs.nii.gz --min-size 100mm3 -o large.nii.gz");
}

void setup_contacts(const Command& command) {
  const auto options = std::make_shared<LabelOptions>(LabelOptions::for_objects());
  options->planes.options = {.instead = kSaveLabels};
  options->files.contacts = "-";
  add_path(command, "LABELS", options->inputs.emplace_back(), "",
           "Label image in any format that gpuccl reads", wrong_path)
      .required();
  add_text_path(command, "-o,--output", options->files.contacts, "csv",
                "Table of contacts [- for standard output]");
  add_connectivity(command, options->algorithm.connectivity);
  add_switch(command, "--per-slice", options->algorithm.per_slice,
             "Count contacts within slices only, with 4- or 8-connectivity");
  add_periodic(command, options->periodic, "Connect opposite borders along these axes, as in x,y,z");
  add_round(command, options->values.round);
  add_spacing(command, options->spacing);
  add_memory(command, options->input.limits.memory, "Memory limit; larger images are read in slabs");
  options->output.add_to(command);
  command.on_run([options] {
    options->resolve();
    options->algorithm.check();
    const LabelPaths files = paths_of(*options);
    sandbox_of(files, *options).enter();
    check_outputs(files, *options);
    if (options->input.limits.memory > 0) keep_no_freed_memory();
    label_image(files, *options);
    return kSuccess;
  });
}

}  // namespace gpuccl::app
