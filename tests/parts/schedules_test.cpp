// Parts, tasks and batches under a scheduler that decides from a seed who goes on next, which call to the
// system fails, and when all calls fail from there on, as if the process had been killed. Whatever happens,
// files are old or complete, a report stands next to files of its own run, and the next run does the rest.
//
// GPUCCL_SCHEDULES: how many [1000, with GPUCCL_LONG 10,000]. GPUCCL_SEED: of the first [1]. A failure prints
// the seed.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdarg>
#include <deque>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "app/label/batch/label_batch.hpp"
#include "app/label/job.hpp"
#include "app/label/label_checks.hpp"
#include "app/options/command_line.hpp"
#include "app/parts/tasks.hpp"
#include "gpuccl/parts.hpp"
#include "io/files/atomic_file.hpp"
#include "io/write/label_writer.hpp"
#include "support/test.hpp"

namespace {

using Random = std::mt19937;

/// Below `end`.
int draw(Random& random, int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); }

/// Thrown where a process would be gone.
struct Gone {};

/// Lets one thread go on at a time, and decides which.
class Turns {
 public:
  /// Runs each of these in a thread. What they throw is dropped.
  void run(const std::vector<std::function<void()>>& works, unsigned seed) {
    random_.seed(seed);
    states_.assign(works.size(), State::ready);
    stuck_ = ended_ = false;
    changed_ = std::vector<std::condition_variable>(works.size());
    now_ = draw(random_, static_cast<int>(works.size()));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < works.size(); ++i)
      threads.emplace_back([&, i] {
        mine_ = static_cast<int>(i);
        {
          std::unique_lock lock(mutex_);
          wait_for_turn(lock);
        }
        try {
          works[i]();
        } catch (...) {
          ended_ = true;  // a rank that ends ends all
        }
        const std::lock_guard lock(mutex_);
        states_[i] = State::done;
        wake();
        pass_on();
      });
    for (std::thread& thread : threads) thread.join();
  }

  bool is_stuck() const { return stuck_; }
  void end() { ended_ = true; }

  /// Perhaps lets another go on.
  void pause() {
    if (mine_ < 0) return;
    std::unique_lock lock(mutex_);
    if (draw(random_, 4) > 0) return;
    pass_on();
    wait_for_turn(lock);
  }
  /// Lets others go on until `is_done`. Throws Gone if that cannot be any more.
  void wait(const std::function<bool()>& is_done) {
    std::unique_lock lock(mutex_);
    while (!is_done()) {
      if (ended_) throw Gone();
      states_[static_cast<std::size_t>(mine_)] = State::waiting;
      if (!pass_on()) {
        stuck_ = ended_ = true;
        wake();
        throw Gone();
      }
      wait_for_turn(lock);
    }
  }
  /// Something has come that others may wait for.
  template <class Work>
  void tell(Work work) {
    const std::lock_guard lock(mutex_);
    if (ended_) throw Gone();
    work();
    wake();
  }

 private:
  enum class State { ready, waiting, done };

  void wake() {
    for (State& state : states_)
      if (state == State::waiting) state = State::ready;
  }
  /// False if nobody can go on.
  bool pass_on() {
    std::vector<int> ready;
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (states_[i] == State::ready) ready.push_back(static_cast<int>(i));
    if (ready.empty()) return false;
    now_ = ready[static_cast<std::size_t>(draw(random_, static_cast<int>(ready.size())))];
    if (now_ != mine_) changed_[static_cast<std::size_t>(now_)].notify_one();
    return true;
  }
  void wait_for_turn(std::unique_lock<std::mutex>& lock) {
    changed_[static_cast<std::size_t>(mine_)].wait(lock, [&] { return now_ == mine_; });
  }

  static thread_local int mine_;
  std::mutex mutex_;
  std::vector<std::condition_variable> changed_;  // one a thread
  Random random_;
  std::vector<State> states_;
  int now_ = 0;
  std::atomic<bool> stuck_ = false, ended_ = false;
};
thread_local int Turns::mine_ = -1;
Turns turns;

/// Decides which calls fail.
class Faults {
 public:
  /// From this call on all fail, or that one alone.
  void begin(long call, bool all) {
    left_ = call;
    all_ = all;
    active_ = true;
  }
  void end() { active_ = false; }
  bool is_killed() const { return active_ && all_ && left_ < 0; }

  /// Whether this call fails, with errno.
  bool fails() {
    turns.pause();
    if (!active_) return false;
    const long left = left_--;
    if (left > 0 || (left < 0 && !all_)) return false;
    if (all_) turns.end();
    errno = EIO;
    return true;
  }

 private:
  std::atomic<bool> active_ = false, all_ = false;
  std::atomic<long> left_ = 0;
};
Faults faults;

}  // namespace

// Calls that change files, of this program: they are looked up here before the C library.
extern "C" {

ssize_t pwrite(int file, const void* data, std::size_t count, off_t offset) {
  return faults.fails() ? -1 : ::syscall(SYS_pwrite64, file, data, count, offset);
}

int fsync(int /*file*/) { return faults.fails() ? -1 : 0; }

int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = makes ? va_arg(more, mode_t) : 0;
  va_end(more);
  return makes && faults.fails() ? -1 : static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return faults.fails() ? -1
                        : static_cast<int>(::syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return faults.fails() ? -1
                        : static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, 0));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return faults.fails() ? -1
                        : static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return faults.fails() ? -1 : static_cast<int>(::syscall(SYS_unlinkat, folder, path, flags));
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return faults.fails() ? -1 : static_cast<int>(::syscall(SYS_mkdirat, folder, path, mode));
}
}

namespace gpuccl {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Json = nlohmann::json;

/// In memory where that can be.
class Scratch {
 public:
  Scratch() {
    const fs::path in = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string name = (in / "gpuccl-schedules-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// Messages of what fails would be many.
class Silence {
 public:
  Silence() : kept_(::dup(STDERR_FILENO)) {
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, STDERR_FILENO);
    ::close(null);
  }
  ~Silence() {
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
  }

 private:
  int kept_;
};

void save(const std::string& path, const BitVolume& image) {
  io::AtomicFile file(path, {});
  io::write_image(file, image.view());
  file.commit();
}

app::LabelOptions options_of(Words words) {
  app::LabelOptions options;
  app::CommandLine line("gpuccl", "", "");
  const app::Command command = line.add_command("label", "");
  options.add_to(command);
  command.on_run([] { return 0; });
  words.insert(words.begin(), "label");
  words.insert(words.end(), {"--quiet", "--overwrite", "--no-sandbox", "--device", "cpu", "--threads", "1"});
  line.parse(words);
  options.resolve();
  return options;
}

/// Files of one run, the report last.
struct Run {
  std::vector<std::string> paths;
  std::vector<std::string> old, right;

  static std::string content(const std::string& path) {
    std::string text = read_file(path);
    if (text.empty() || !path.ends_with(".json")) return text;
    Json report = Json::parse(text, nullptr, false);
    if (report.is_discarded()) return "half a report";
    report.erase("timings_ms");
    return report.dump();
  }
  std::vector<std::string> now() const {
    std::vector<std::string> found;
    for (const std::string& path : paths) found.push_back(content(path));
    return found;
  }

  /// Returns what is wrong: "" if files are old, absent or right, and the report is not next to those of
  /// another run.
  std::string problem() const {
    const std::vector<std::string> found = now();
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (!found[i].empty() && found[i] != old[i] && found[i] != right[i]) return paths[i] + " is not whole";
    for (const auto* const run : {&old, &right})
      if (!found.back().empty() && found.back() == run->back())
        for (std::size_t i = 0; i < paths.size(); ++i)
          if (found[i] != (*run)[i]) return paths[i] + " is of another run than the report";
    return "";
  }
  void begin(const std::vector<std::string>& raw) const {
    for (std::size_t i = 0; i < paths.size(); ++i)
      raw.empty() ? (void)fs::remove(paths[i]) : write_file(paths[i], raw[i]);
  }
};

/// A command with an input, of which the files of an older run may be there.
struct Scenario {
  app::LabelOptions options;
  app::LabelPaths files;
  Run run;
  std::vector<std::string> raw_old;

  Scenario(const Scratch& scratch, const std::string& name, Extent extent, const std::string& format,
           const Words& more) {
    const std::string input = scratch / (name + ".tif"), out = scratch / (name + "-out/");
    fs::create_directory(out);
    Words words = {input, "-o", out + "labels" + format, "--stats", out + "table.csv"};
    words.insert(words.end(), more.begin(), more.end());
    options = options_of(words);
    files = app::paths_of(options);
    run.paths = {files.image, files.stats};
    if (!files.contacts.empty()) run.paths.push_back(files.contacts);
    run.paths.push_back(files.json);
    for (const std::uint32_t seed : {7u, 8u}) {
      fs::remove(input);
      save(input, tests::random_image(extent, 0.4, 1, seed));
      app::LazyEngine engine(files, options);
      app::label_file(files, options, engine);
      for (const std::string& path : run.paths)
        if (seed == 7) raw_old.push_back(read_file(path));
      (seed == 7 ? run.old : run.right) = run.now();
    }
    for (std::size_t i = 0; i < run.paths.size(); ++i) REQUIRE(run.old[i] != run.right[i]);
  }
};

/// A part whose messages go through `turns`.
class ScheduledLink final : public PartLink {
 public:
  using Mail = std::map<std::pair<int, int>, std::deque<Message>>;

  ScheduledLink(Mail& mail, int part, int parts) : mail_(mail), part_(part), parts_(parts) {}

  int part() const override { return part_; }
  int parts() const override { return parts_; }
  void send(int to, Message message) override {
    step();
    turns.tell([&] { mail_[{part_, to}].push_back(std::move(message)); });
  }
  Message receive(int from) override {
    step();
    std::deque<Message>* waiting = nullptr;
    turns.wait([&] {
      waiting = &mail_[{from, part_}];
      return !waiting->empty();
    });
    Message message;
    turns.tell([&] {
      message = std::move(waiting->front());
      waiting->pop_front();
    });
    return message;
  }

 private:
  /// A process may be killed here, too.
  static void step() {
    turns.pause();
    if (faults.is_killed()) throw Gone();
  }

  Mail& mail_;
  const int part_, parts_;
};

/// Returns whether `work` came to its end. Drops what it throws.
bool attempt(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Error&) {
  } catch (const Gone&) {
  }
  return false;
}

/// Some call that fails, or none.
void plan_faults(Random& random, int calls) {
  const int kind = draw(random, 4);
  if (kind < 3) faults.begin(draw(random, calls), kind < 2);
}

class Schedules {
 public:
  Schedules() {
    for (const char* const name : {"a", "b", "c"}) {
      fs::create_directory(scratch_ / "pages");
      save(scratch_ / ("pages/" + std::string(name) + ".png"),
           tests::random_image({9, 7, 1}, 0.5, 1, static_cast<std::uint32_t>(*name)));
    }
    scenarios_.emplace_back(scratch_, "page", Extent{13, 11, 1}, ".tiff",
                            Words{"--contacts", scratch_ / "page-out/contacts.csv", "-c", "4"});
    scenarios_.emplace_back(scratch_, "volume", Extent{7, 6, 5}, ".nii.gz", Words{"--measure", "shape"});
    scenarios_.emplace_back(scratch_, "holes", Extent{12, 9, 1}, ".npy",
                            Words{"--fill-holes", "--min-size", "2"});
  }

  /// Returns what went wrong; "" if nothing did.
  std::string play(unsigned seed) {
    Random random(seed);
    const int kind = draw(random, 8);
    const std::string problem = kind < 4 ? parts(random) : kind < 7 ? tasks(random) : batch(random);
    faults.end();
    if (!problem.empty()) return problem;
    return turns.is_stuck() ? "parts wait for each other" : "";
  }

 private:
  Scenario& any(Random& random) { return scenarios_[static_cast<std::size_t>(draw(random, 3))]; }

  /// All parts at once, as by MPI.
  std::string parts(Random& random) {
    const Scenario& scenario = any(random);
    scenario.run.begin(draw(random, 2) == 0 ? std::vector<std::string>{} : scenario.raw_old);
    const int count = 1 + draw(random, 4);
    for (bool again = true; again;) {
      ScheduledLink::Mail mail;
      std::atomic<int> done = 0;
      std::vector<std::function<void()>> works;
      for (int part = 0; part < count; ++part)
        works.emplace_back([&, part] {
          ScheduledLink link(mail, part, count);
          app::LazyEngine engine(scenario.files, scenario.options);
          app::label_file(link, scenario.files, scenario.options, engine);
          ++done;
        });
      plan_faults(random, 60);
      turns.run(works, static_cast<unsigned>(random()));
      faults.end();
      if (turns.is_stuck()) return "parts wait for each other";
      if (const std::string problem = scenario.run.problem(); !problem.empty()) return problem;
      again = done < count;
      if (!again && scenario.run.now() != scenario.run.right) return "parts have written other files";
    }
    return "";
  }

  /// Tasks that come in any order, some at the same time, and are started again.
  std::string tasks(Random& random) {
    const Scenario& scenario = any(random);
    scenario.run.begin(draw(random, 2) == 0 ? std::vector<std::string>{} : scenario.raw_old);
    const int count = 1 + draw(random, 3);
    const std::string folder = scratch_ / "parts";
    fs::remove_all(folder);
    const auto label = [&](int part) {
      app::LazyEngine engine(scenario.files, scenario.options);
      app::label_task(scenario.files, scenario.options, {part, count, folder}, engine);
    };
    bool finished = false;
    const auto finish = [&] {
      app::finish_tasks(folder, true, false);
      finished = true;
    };
    for (int round = 0; !finished; ++round) {
      if (round == 40) return "tasks come to no end";
      // Every step of a round, in an order of its own, two or three at a time.
      std::vector<std::function<void()>> steps;
      for (int part = 1; part <= count; ++part) steps.emplace_back([&, part] { label(part); });
      steps.emplace_back([&] { app::join_tasks(folder, false); });
      if (draw(random, 3) == 0) std::shuffle(steps.begin(), steps.end(), random);
      steps.emplace_back(finish);
      while (!steps.empty() && !finished) {
        const auto at_once = std::min<std::size_t>(steps.size(), draw(random, 3) == 0 ? 2 : 1);
        std::vector<std::function<void()>> now(steps.begin(),
                                               steps.begin() + static_cast<std::ptrdiff_t>(at_once));
        steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(at_once));
        if (draw(random, 3) == 0) plan_faults(random, 40);
        if (at_once == 1)
          attempt(now.front());
        else
          turns.run(now, static_cast<unsigned>(random()));
        faults.end();
        if (const std::string problem = scenario.run.problem(); !problem.empty()) return problem;
      }
    }
    return scenario.run.now() == scenario.run.right ? "" : "tasks have written other files";
  }

  /// A batch that is killed and goes on.
  std::string batch(Random& random) {
    const std::string out = scratch_ / "batch/";
    fs::remove_all(out);
    const app::LabelOptions options =
        options_of({scratch_ / "pages", "-o", out, "--jobs", "1", "--keep-going", "--skip-existing"});
    std::vector<Run> runs;
    for (const char* const name : {"a", "b", "c"})
      runs.push_back({{out + name + ".tiff", out + name + ".json"}, {"", ""}, {}});
    if (pages_.empty()) {
      app::label_batch(options);
      for (const Run& run : runs) pages_.push_back(run.now());
      fs::remove_all(out);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].right = pages_[i];
    for (int round = 0; round < 30; ++round) {
      if (round < 20) plan_faults(random, 60);
      int code = -1;
      attempt([&] { code = app::label_batch(options); });
      faults.end();
      for (const Run& run : runs)
        if (const std::string problem = run.problem(); !problem.empty()) return problem;
      if (code != 0) continue;
      for (const Run& run : runs)
        if (run.now() != run.right) return "a batch has not done all";
      return "";
    }
    return "a batch comes to no end";
  }

  const Scratch scratch_;
  std::vector<Scenario> scenarios_;
  std::vector<std::vector<std::string>> pages_;
};

unsigned number_in(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != 0 ? static_cast<unsigned>(std::stoul(text)) : otherwise;
}

TEST_CASE("parts, tasks and batches on any schedule write the files of one process") {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const unsigned count = number_in("GPUCCL_SCHEDULES", std::getenv("GPUCCL_LONG") != nullptr ? 10000 : 1000);
  const unsigned first = number_in("GPUCCL_SEED", 1);
  Schedules schedules;
  for (unsigned seed = first; seed < first + count; ++seed) {
    std::string problem;
    {
      const Silence silence;
      problem = schedules.play(seed);
    }
    INFO("GPUCCL_SEED=" << seed << " GPUCCL_SCHEDULES=1");
    REQUIRE(problem == "");
  }
  std::cout << count << " schedules from seed " << first << "\n";
}

}  // namespace
}  // namespace gpuccl
