#include "app/label/label_sandbox.hpp"

#include <filesystem>
#include <set>

#include "io/files/input_file.hpp"
#include "io/zarr/ome_image.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

class LabelSandbox {
 public:
  explicit LabelSandbox(const LabelOptions& options) : options_(options) {
    if (options.input.limits.follow) read("/");
  }

  void add(const LabelPaths& files) {
    add_input(files.input);
    for (const std::string& path : files.intensities) add_input(path);
    add_input(files.seeds);
    for (const std::string& output : files.outputs()) write_beside(output);
    std::error_code unknown;
    if (files.image == "-")  // folder of the unnamed file that collects it
      write_without_links(fs::temp_directory_path(unknown).string());
  }
  /// Adds an input with its folder, because samples may be next to a header, and the targets of links.
  void add_input(const std::string& input) {
    if (input.empty() || input == "-") return;
    std::error_code unknown;
    const fs::path path = io::split_input(input).file;
    if (fs::is_directory(path, unknown)) {
      read(path.string());
      for (fs::directory_iterator entry(path, unknown), end; !unknown && entry != end;
           entry.increment(unknown)) {
        std::error_code none;
        if (entry->is_symlink(none)) read(entry->path().string());
      }
      return;
    }
    const fs::path folder = path.parent_path();
    read(folder.empty() ? "." : folder.string());
    if (fs::is_symlink(path, unknown) || fs::is_other(path, unknown)) read(path.string());
  }

  void write_beside(const std::string& file) {
    std::error_code unknown;
    if (file.empty() || file == "-") return;
    // A link leads to another folder than the one it is in.
    if (fs::is_symlink(file, unknown) || written_.insert(fs::path(file).parent_path().string()).second)
      sandbox_.write_beside(file);
  }
  /// Adds a folder with the targets of its links: outputs that are links are followed.
  void write_below(const std::string& folder) {
    sandbox_.write_below(folder);
    std::error_code unknown;
    for (fs::directory_iterator entry(folder, unknown), end; !unknown && entry != end;
         entry.increment(unknown)) {
      std::error_code none;
      if (entry->is_symlink(none)) sandbox_.write_beside(entry->path().string());
    }
  }

  /// Adds a folder without the targets of its links: others may create them.
  void write_without_links(const std::string& folder) { sandbox_.write_below(folder); }

  /// Returns no restrictions if a GPU may be used, or with --no-sandbox.
  Sandbox take() {
    const bool is_on_cpu = options_.algorithm.engine.device == DeviceChoice::cpu || !has_gpu_driver();
    if (!options_.sandbox || !is_on_cpu) return {};
    sandbox_.close();
    return std::move(sandbox_);
  }

 private:
  void read(const std::string& path) {
    if (read_.insert(path).second) sandbox_.read(path);
  }

  const LabelOptions& options_;
  Sandbox sandbox_;
  std::set<std::string> read_, written_;
};

}  // namespace

Sandbox sandbox_of(const LabelPaths& files, const LabelOptions& options, const std::string& parts) {
  LabelSandbox sandbox(options);
  sandbox.add(files);
  if (!parts.empty()) sandbox.write_without_links(parts);
  return sandbox.take();
}

Sandbox sandbox_of(const std::vector<std::string>& inputs, const std::vector<std::string>& folders,
                   const LabelOptions& options) {
  LabelSandbox sandbox(options);
  for (const std::string& input : inputs) sandbox.add_input(input);
  for (const std::string& given : options.inputs)
    if (given.starts_with('@')) sandbox.add_input(given.substr(1));
  for (const std::string& path : options.measure.intensities) sandbox.add_input(path);
  sandbox.add_input(options.seeds);
  for (const std::string& folder : folders) sandbox.write_below(folder);
  for (const std::string& file : {options.files.stats, options.batch.summary, options.batch.report})
    sandbox.write_beside(file);
  std::error_code unknown;
  if (!options.files.stats.empty() ||
      !options.batch.summary.empty())  // where rows wait for the rows of earlier inputs
    sandbox.write_without_links(fs::temp_directory_path(unknown).string());
  return sandbox.take();
}

void enter_sandbox_of_join(const LabelPaths& files, const LabelOptions& options, const std::string& parts) {
  LabelOptions on_cpu = options;
  on_cpu.algorithm.engine.device = DeviceChoice::cpu;
  sandbox_of(files, on_cpu, parts).enter();
}

void enter_sandbox(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                   bool follow) {
  LabelOptions on_cpu;
  on_cpu.input.limits.follow = follow;
  on_cpu.algorithm.engine.device = DeviceChoice::cpu;
  LabelSandbox sandbox(on_cpu);
  for (const std::string& input : inputs) sandbox.add_input(input);
  for (const std::string& output : outputs) sandbox.write_beside(output);
  sandbox.take().enter();
}

}  // namespace gpuccl::app
