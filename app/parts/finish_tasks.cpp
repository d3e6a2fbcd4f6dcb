#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/common/messages.hpp"
#include "app/label/label_checks.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/report_builder.hpp"
#include "app/parts/stored_run.hpp"
#include "app/parts/tasks.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/parts.hpp"
#include "io/image/limits.hpp"
#include "io/parts/checked_file.hpp"
#include "io/parts/part_writer.hpp"
#include "io/report/csv_tables.hpp"
#include "io/report/report.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

/// Returns what to do if the parts are not joined.
std::string remedy_of(const StoredRun& run) {
  const auto exists = [&](TaskFile kind) { return run.file(kind, 1).exists(); };
  const char* const missing = exists(TaskFile::united)                               ? "measuring"
                              : exists(TaskFile::holes) && !exists(TaskFile::labels) ? "--fill-holes"
                                                                                     : nullptr;
  if (missing == nullptr) return "run gpuccl join without --finish first";
  return std::string(missing) + " needs another round: run every --part again, then gpuccl join " +
         run.folder();
}

/// The stretches of all parts.
struct Stretches {
  const StoredRun& run;
  std::uint64_t joined;  // JoinedParts::id()

  StoredFile file(int part) const { return run.file(TaskFile::stretch, part, joined); }
  /// Calls work(stretch) for all parts.
  template <class Work>
  void for_each(Work work) const {
    for (int part = 1; part <= run.parts(); ++part) file(part).read_required(work);
  }
  /// Passes a section of all stretches to `sink`.
  void copy(std::size_t section, const io::TextSink& sink) const {
    for_each([&](const io::CheckedFile& file) { file.copy(section, sink); });
  }
};

/// Returns the time that the slowest task took to write its stretch. Checks that all stretches exist.
double longest_time(const Stretches& stretches) {
  double longest = 0;
  stretches.run.for_each_part([&](int part) {
    longest = std::max(longest, stretches.file(part).read([](const io::CheckedFile& file) {
      return file.read_one<double>(sections::kMilliseconds);
    }));
  });
  return longest;
}

void write_image(const Stretches& stretches, const JoinedParts& joined, io::SharedFile& out,
                 ReportBuilder& description) {
  const StoredRun& run = stretches.run;
  const io::WriteOptions write = run.image_options(joined);
  description.image(write, joined.image_type);
  io::with_path(run.files().image, [&] {
    io::join_label_stretches(out, run.image(joined), static_cast<std::size_t>(run.parts()),
                             [&](std::size_t i, const std::function<void(const io::CheckedFile&)>& read) {
                               stretches.file(static_cast<int>(i) + 1).read_required(read);
                             });
  });
}

/// Adds the contacts of all parts.
std::vector<Contact> add_contacts(const Stretches& stretches, const JoinedParts& joined) {
  const StoredRun& run = stretches.run;
  ContactsOfParts all(run.extent(), all_neighbors(run.input().connectivity()), run.options().periodic,
                      io::memory_limit(run.options().input.limits));
  std::vector<Contact> contacts;
  try {
    stretches.for_each([&](const io::CheckedFile& file) {
      const auto more = file.read<Contact>(sections::kContacts);
      io::check_contacts(more, joined.count);
      BorderRows borders{
          file.read<std::int64_t>(sections::kBorderRows),
          {file.read<LabelRun>(sections::kBorderRuns), file.read<std::size_t>(sections::kBorderEnds)}};
      io::check_border_rows(borders, run.extent(), joined.count);
      all.add(more, std::move(borders));
    });
    contacts = all.finish();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::memory) throw;
    throw io::FileError(run.files().contacts, ErrorCode::memory,
                        "has more contacts than fit into memory; join on a machine with more");
  }
  return contacts;
}

/// Returns a section of all components: their values in a label map, or the new ones.
std::vector<ValueBits> read_values(const StoredRun& run, const JoinedParts& joined, std::size_t section,
                                   bool is_there) {
  std::vector<ValueBits> values;
  for (int part = 1; part <= run.parts(); ++part)
    run.file(TaskFile::numbers, part, joined.id()).read_required([&](const io::CheckedFile& file) {
      const auto more = file.read<ValueBits>(section);
      values.insert(values.end(), more.begin(), more.end());
    });
  if (values.size() != (is_there ? joined.count : 0))
    throw io::FileError(run.file(TaskFile::joined).path, ErrorCode::data,
                        "is damaged; run gpuccl join again");
  return values;
}

void write_contacts(const Stretches& stretches, const JoinedParts& joined, LabelOutputs& outputs,
                    ReportBuilder& description) {
  const LabelInput& input = stretches.run.input();
  const std::vector<Contact> contacts = add_contacts(stretches, joined);
  const StoredRun& run = stretches.run;
  const std::vector<ValueBits> values = read_values(run, joined, sections::kNumberedValues,
                                                    input.value_type().has_value()),
                               ids = read_values(run, joined, sections::kIds,
                                                 run.options().values.split_values);
  description.contacts(values, !contacts.empty());
  outputs.write(Output::contacts, [&](const io::TextSink& sink) {
    io::stream_contacts_csv(sink, is_3d(input.connectivity()), input.info().geometry, contacts,
                            input.column(values), ids);
  });
}

/// Writes and renames the outputs.
void finish(const StoredRun& run, bool quiet) {
  const Stopwatch total;
  const LabelInput& input = run.input();
  const LabelPaths& files = run.files();
  JoinedParts joined = run.joined(remedy_of(run));
  const Stretches stretches{run, joined.id()};
  const double write_ms = longest_time(stretches);
  // Names may have become links since the parts were labeled.
  check_for_parts(run.options());
  check_outputs(files, run.options(), run.folder());
  SoloLink link;
  LabelOutputs outputs(link, files, LabelStreams(files), run.options().output);
  ReportBuilder description(files, run.options(), signature_of(run.options()),
                            [quiet](const std::string& path, const std::string& line) {
                              if (!quiet) print_warning(path, line);
                            });
  io::Report& report = description.report;
  description.labeled(input, joined);
  description.measured(input, joined);
  description.selected(joined);
  report.value = input.column({});
  if (io::SharedFile* const image = outputs.file(Output::image))
    write_image(stretches, joined, *image, description);
  const auto copy = [&](Output output, std::size_t section) {
    outputs.write(output, [&](const io::TextSink& sink) { stretches.copy(section, sink); });
  };
  copy(Output::outlines, sections::kOutlines);
  copy(Output::stats, sections::kTable);
  if (!files.contacts.empty()) write_contacts(stretches, joined, outputs, description);
  outputs.finish();
  description.written(outputs);
  report.write_ms = write_ms + total.milliseconds();
  report.total_ms += report.write_ms;
  outputs.write(Output::report, [&](const io::TextSink& sink) {
    io::stream_report(sink, report, {}, {}, {0, true, false});
    stretches.copy(sections::kRows, sink);
    io::stream_report(sink, report, {}, {}, {0, false, true});
  });
  outputs.finish(Output::report);
  run.write_finished(outputs);
  outputs.commit();
}

}  // namespace

std::vector<io::Target> finish_tasks(const std::string& folder, bool quiet, bool sandboxed) {
  StoredRun run(folder);
  if (sandboxed) enter_sandbox_of_join(run.files(), run.options(), folder);
  if (!run.is_finished()) {
    run.open_input();
    finish(run, quiet);
  }
  run.remove_files();
  return run.files().outputs();
}

}  // namespace gpuccl::app
