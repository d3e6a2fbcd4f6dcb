#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/messages.hpp"
#include "app/common/stopwatch.hpp"
#include "app/label/describe.hpp"
#include "app/label/label_checks.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/label_sandbox.hpp"
#include "app/parts/stored_run.hpp"
#include "app/parts/tasks.hpp"
#include "gpuccl/objects.hpp"
#include "gpuccl/parts.hpp"
#include "io/image/limits.hpp"
#include "io/parts/checked_file.hpp"
#include "io/parts/part_writer.hpp"
#include "io/report/contacts_csv.hpp"
#include "io/report/report.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

/// Returns what is to be done if the parts are not joined.
std::string remedy_of(const StoredRun& run) {
  const auto is_there = [&](TaskFile kind) { return run.file(kind, 1).exists(); };
  const char* const missing = is_there(TaskFile::united)                                 ? "measuring"
                              : is_there(TaskFile::holes) && !is_there(TaskFile::labels) ? "--fill-holes"
                                                                                         : nullptr;
  if (missing == nullptr) return "run gpuccl join without --finish first";
  return std::string(missing) + " needs another round: run every --part again, then gpuccl join " +
         run.folder();
}

class Finish {
 public:
  Finish(const StoredRun& run, bool quiet)
      : run_(run),
        input_(run.input()),
        joined_(run.joined(remedy_of(run))),
        description_(run.files(), run.options(), signature_of(run.options()),
                     [quiet](const std::string& path, const std::string& line) {
                       if (!quiet) print_warning(path, line);
                     }) {}

  void finish() {
    run_.for_each_part([&](int part) {
      write_ms_ = std::max(write_ms_, stretch(part).read([](const io::CheckedFile& file) {
        return file.take_one<double>(sections::kTimes);
      }));
    });
    // Names may have become links since the parts were labeled.
    check_for_parts(options());
    check_outputs(run_.files(), options(), run_.folder());
    SoloLink link;
    LabelOutputs outputs(link, run_.files(), LabelStreams(run_.files()), options().output);
    description_.labeled(input_, joined_);
    description_.measured(input_.measures(), joined_);
    description_.selected(joined_);
    report().value = input_.column({});
    if (io::AtomicFile* const image = outputs.file(Output::image)) write_image(*image);
    outputs.write(Output::outlines, [&](const io::TextSink& sink) { copy(sections::kOutlines, sink); });
    outputs.write(Output::stats, [&](const io::TextSink& sink) { copy(sections::kTable, sink); });
    if (!run_.files().contacts.empty()) write_contacts(outputs);
    outputs.finish();
    report().files = input_.files_read();
    description_.written(outputs);
    report().write_ms = write_ms_ + total_.milliseconds();
    report().total_ms += report().write_ms;
    outputs.write(Output::report, [&](const io::TextSink& sink) {
      io::stream_report(sink, report(), {}, {}, {0, true, false});
      copy(sections::kRows, sink);
      io::stream_report(sink, report(), {}, {}, {0, false, true});
    });
    outputs.finish(Output::report);
    run_.write_finished(outputs);
    outputs.commit();
  }

 private:
  const LabelOptions& options() const { return run_.options(); }
  StoredFile stretch(int part) const { return run_.file(TaskFile::stretch, part, joined_.id()); }

  void write_image(io::AtomicFile& out) {
    const io::WriteOptions write = run_.image_options(joined_);
    description_.image(write, joined_.image_type);
    const io::LabelFile image = run_.image(joined_);
    io::ContentHash hash(write.type);
    io::with_path(run_.files().image, [&] {
      hash.add_sum(io::join_label_stretches(
          out, image, static_cast<std::size_t>(run_.parts()),
          [&](std::size_t i, const std::function<void(const io::CheckedFile&)>& read) {
            stretch(static_cast<int>(i) + 1).need(read);
          }));
    });
    report().fingerprint = hash.text(run_.extent());
    io::LabelTexts texts;
    for (int part = 1; part <= run_.parts(); ++part)
      stretch(part).need([&](const io::CheckedFile& file) {
        texts.colors += file.take_text(sections::kColors);
        texts.properties += file.take_text(sections::kProperties);
      });
    if (texts.colors.empty()) return;
    io::with_path(run_.files().image, [&] { io::add_label_texts(out.descriptor(), texts); });
  }

  /// Writes the contacts of all parts, added up.
  void write_contacts(LabelOutputs& outputs) {
    description_.contacts();
    ContactsOfParts all(run_.extent(), all_neighbors(input_.connectivity()), options().periodic,
                        io::memory_limit(options().input.limits));
    const auto refuse_too_many = [&](const auto& work) {
      try {
        work();
      } catch (const Error& error) {
        if (error.failure() != Failure::memory) throw;
        throw io::FileError(run_.files().contacts, Failure::memory,
                            "has more contacts than fit into memory; join on a machine with more");
      }
    };
    std::vector<ValueBits> values;
    for (int part = 1; part <= run_.parts(); ++part) {
      stretch(part).need([&](const io::CheckedFile& file) {
        const auto more = file.take<Contact>(sections::kContacts);
        io::check_contacts(more, joined_.count);
        BorderRows borders{
            file.take<std::int64_t>(sections::kBorderRows),
            {file.take<LabelRun>(sections::kBorderRuns), file.take<std::size_t>(sections::kBorderEnds)}};
        io::check_border_rows(borders, run_.extent(), joined_.count);
        refuse_too_many([&] { all.add(more, std::move(borders)); });
      });
      run_.file(TaskFile::numbers, part, joined_.id()).need([&](const io::CheckedFile& file) {
        const auto more = file.take<ValueBits>(sections::kStayValues);
        values.insert(values.end(), more.begin(), more.end());
      });
    }
    if (values.size() != (input_.value_type() ? joined_.count : 0))
      throw io::FileError(run_.file(TaskFile::joined).path, Failure::data,
                          "is damaged; run gpuccl join again");
    std::vector<Contact> contacts;
    refuse_too_many([&] { contacts = all.finish(); });
    outputs.write(Output::contacts, [&](const io::TextSink& sink) {
      io::stream_contacts_csv(sink, is_3d(input_.connectivity()), input_.info().geometry, contacts,
                              input_.column(values));
    });
  }

  /// A section of all stretches, one after the other.
  void copy(std::size_t section, const io::TextSink& sink) const {
    for (int part = 1; part <= run_.parts(); ++part)
      stretch(part).need([&](const io::CheckedFile& file) { file.copy(section, sink); });
  }

  io::Report& report() { return description_.report; }

  const StoredRun& run_;
  const Stopwatch total_;
  const LabelInput& input_;
  JoinedParts joined_;
  Description description_;
  double write_ms_ = 0;  // the longest of any part
};

}  // namespace

std::vector<std::string> finish_tasks(const std::string& folder, bool quiet, bool sandboxed) {
  StoredRun run(folder);
  if (sandboxed) enter_sandbox_of_join(run.files(), run.options(), folder);
  if (!run.is_finished()) {
    run.open_input();
    Finish(run, quiet).finish();
  }
  run.clean();
  return run.files().outputs();
}

}  // namespace gpuccl::app
