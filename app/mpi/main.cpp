#include <mpi.h>
#include <tbb/info.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "app/common/messages.hpp"
#include "app/common/process.hpp"
#include "app/label/job.hpp"
#include "app/label/label_checks.hpp"
#include "app/label/label_paths.hpp"
#include "app/mpi/mpi_link.hpp"
#include "app/options/command_line.hpp"
#include "app/parts/task_options.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/engine.hpp"
#include "io/image/limits.hpp"
#include "io/parts/collectively.hpp"

namespace gpuccl::app {
namespace {

/// The ranks on the same host.
struct Host {
  int rank = 0, ranks = 1;

  Host() {
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_size(host, &ranks);
    MPI_Comm_free(&host);
  }
};

/// Returns the GPU of this rank: the ranks of a host take turns.
std::vector<int> gpu_of(const Host& host, const AlgorithmOptions& options) {
  if (options.engine.device == DeviceChoice::cpu) return {0};
  const std::vector<int>& named = options.engine.gpus;
  const int count = named.empty() ? count_cuda_devices() : static_cast<int>(named.size());
  const int turn = host.rank % std::max(1, count);
  return {named.empty() ? turn : named[static_cast<std::size_t>(turn)]};
}

/// Returns this rank's share of the host's processors; at most those that the launcher has bound it to.
int threads_of(const Host& host) {
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, std::min(tbb::info::default_concurrency(), processors / host.ranks));
}

int run_label(const LabelOptions& given) {
  MpiLink link;
  LabelOptions options = given;
  LabelPaths files;
  io::collectively(link, [&] {
    options.resolve();
    check_for_parts(options);
    files = paths_of(options);
    check_outputs(files, options);
  });
  const Host host;
  std::int64_t& memory = options.input.limits.memory;
  if (memory > 0)
    keep_no_freed_memory();
  else
    memory = std::max<std::int64_t>(1, io::memory_limit(options.input.limits) / host.ranks);
  const bool named = !options.algorithm.engine.gpus.empty();
  options.algorithm.engine.gpus = gpu_of(host, options.algorithm);
  if (named) options.algorithm.hide_other_gpus();  // otherwise CUDA has started to count them
  const ThreadLimit threads(options.algorithm.threads > 0 ? options.algorithm.threads : threads_of(host));
  LazyEngine engine(files, options);
  label_file(link, files, options, engine);
  return kSuccess;
}

/// Throws PartFailed in all ranks if some were started with words that give another result.
void compare_words(PartLink& link, const std::string& words) {
  const std::vector<Message> all = link.gather(io::message_of(words));
  io::collectively(link, [&] {
    if (io::text_of(all.front()) != words)
      throw Error(ErrorCode::usage, "the ranks have different options; start all of them with the same");
  });
}

int parse_and_run(int argc, char** argv) {
  CommandLine line("gpuccl-mpi", "Labels one image or volume with several processes.", version_line(),
                   CommandLine::Pages::of_program);
  const Command command = line.add_command("label", "Label the connected components of an image or volume");
  LabelOptions options;
  options.algorithm.engine.gpus = {};
  options.add_for_parts(command);
  command.on_run([&options] { return run_label(options); });
  MpiLink link;
  CommandLine::Parsed parsed;
  io::collectively(link, [&] { parsed = line.parse({argv + std::min(argc, 1), argv + argc}); });
  std::string words = parsed.text;
  if (parsed.run) {
    std::vector<std::string> given = task_words(options);
    given.pop_back();  // the input, which may have another path on each host; its content is compared later
    for (const std::string& word : given) words += word + '\n';
  }
  compare_words(link, words);
  if (!parsed.run) {
    if (link.part() == 0) print_result(parsed.text);
    return kSuccess;
  }
  start_threads();
  return parsed.run();
}

/// Prints the error and returns its exit code.
int report(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return report_failure(error);
  } catch (const std::exception& exception) {
    return report_failure(translated(exception));
  }
}

}  // namespace
}  // namespace gpuccl::app

int main(int argc, char** argv) {
  using namespace gpuccl;
  MPI_Init(&argc, &argv);
  app::prepare_process();
  int code = app::kSuccess;
  try {
    code = app::parse_and_run(argc, argv);
  } catch (const io::PartFailed& failed) {
    code = failed.thrown() ? app::report(failed.thrown()) : app::exit_code(failed.code());
  } catch (...) {
    code = app::report(std::current_exception());
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > 1) MPI_Abort(MPI_COMM_WORLD, code);  // others may wait for this rank
  }
  MPI_Finalize();
  return code;
}
