#include "app/parts/finish_tasks.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "app/common/messages.hpp"
#include "app/common/stopwatch.hpp"
#include "app/label/describe.hpp"
#include "app/label/label_checks.hpp"
#include "app/label/label_outputs.hpp"
#include "app/parts/finished_run.hpp"
#include "app/parts/joined_parts.hpp"
#include "app/parts/opened_run.hpp"
#include "app/parts/part_checks.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/parts.hpp"
#include "io/parts/section_checks.hpp"
#include "io/parts/stretch_file.hpp"
#include "io/report/contacts_csv.hpp"
#include "io/report/report.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

class Finish {
 public:
  Finish(const OpenedRun& run, bool quiet)
      : run_(run),
        folder_(run.folder()),
        files_(run.files()),
        options_(run.options()),
        quiet_(quiet),
        input_(run.open_input()),
        measures_(input_.measures()),
        joined_(with_remedy(folder_.joined_path(), "run gpuccl join without --finish first",
                            [&] { return JoinedParts::read(folder_); })) {}

  void finish() {
    run_.for_each_part([&](int part) {
      io::concerning(folder_.stretch_path(part),
                     [&] { write_ms_ = std::max(write_ms_, open(part).take_one<double>(sections::kTimes)); });
    });
    // Names may have become links since the parts were labeled.
    check_for_parts(options_);
    check_outputs(files_, options_, folder_.path());
    LabelOutputs outputs(files_, LabelStreams(files_), options_.output);
    describe();
    if (io::AtomicFile* const image = outputs.image()) write_image(*image);
    if (io::AtomicFile* const stats = outputs.stats()) copy(sections::kTable, *stats);
    if (io::AtomicFile* const contacts = outputs.contacts()) write_contacts(*contacts);
    if (io::AtomicFile* const report = outputs.report()) write_report(*report, outputs);
    // In the order of LabelPaths::outputs().
    const std::vector<io::AtomicFile*> files = {outputs.image(), outputs.stats(), outputs.contacts(),
                                                outputs.report()};
    for (io::AtomicFile* const file : files)
      if (file != nullptr) io::concerning(file->path(), [&] { file->finish(); });
    write_finished(folder_, files);
    outputs.commit();
  }

 private:
  io::CheckedFile open(int part) const {
    return {folder_.stretch_path(part), folder_.stretch_tag(part, joined_.id()),
            sections::of_stretch(has_contacts_across(files_, options_))};
  }

  void stretch(int part, const std::function<void(const io::CheckedFile& file)>& read) const {
    run_.for_part(part, folder_.stretch_path(part), [&] { read(open(part)); });
  }

  void describe() {
    std::optional<HoleCounts> holes;
    if (options_.fill_holes) holes = joined_.holes;
    description_.labeled(input_.info(), input_.connectivity(), joined_.parts, joined_.largest, holes,
                         measures_.grid_difference());
    description_.measured(measures_, joined_.nans);
    description_.selected(joined_.count, joined_.dropped);
    if (!input_.value_type()) return;
    report().value = input_.column({});
    if (options_.values.one_each()) report().values = joined_.values;
  }

  void write_image(io::AtomicFile& out) {
    with_remedy(folder_.joined_path(), "run gpuccl join without --finish again",
                [&] { joined_.check_image(options_.values.keep_values); });
    const io::LabelFormat format = io::label_format(files_.image);
    const io::WriteOptions write =
        write_options(options_, format, joined_.image_type, joined_.image_largest, input_.info().geometry);
    description_.image(write, options_.values.keep_values ? write.type : options_.label_type);
    io::concerning(files_.image, [&] {
      const io::LabelFile image =
          io::new_label_file(format, files_.image, input_.extent(), joined_.image_largest, write);
      io::join_label_stretches(out, image, static_cast<std::size_t>(folder_.parts()),
                               [&](std::size_t i, const std::function<void(const io::CheckedFile&)>& read) {
                                 stretch(static_cast<int>(i) + 1, read);
                               });
    });
  }

  /// Writes the contacts of all parts, added up.
  void write_contacts(io::AtomicFile& out) {
    description_.contacts();
    std::vector<Contact> contacts;
    std::vector<ValueBits> values;
    std::vector<BorderRows> at_borders;
    for (int part = 1; part <= folder_.parts(); ++part) {
      stretch(part, [&](const io::CheckedFile& file) {
        const auto more = file.take<Contact>(sections::kContacts);
        io::check_contacts(more, joined_.count);
        contacts.insert(contacts.end(), more.begin(), more.end());
        if (!has_contacts_across(files_, options_)) return;
        at_borders.push_back(
            {file.take<std::int64_t>(sections::kBorderRows),
             {file.take<LabelRun>(sections::kBorderRuns), file.take<std::size_t>(sections::kBorderEnds)}});
        io::check_border_rows(at_borders.back(), input_.extent(), joined_.count);
      });
      const std::string path = folder_.numbers_path(part);
      with_remedy(path, "run gpuccl join without --finish again", [&] {
        const io::CheckedFile file(path, folder_.numbers_tag(part, joined_.id()), sections::kOfNumbers);
        const auto more = file.take<ValueBits>(sections::kStayValues);
        values.insert(values.end(), more.begin(), more.end());
        return 0;
      });
    }
    if (values.size() != (input_.value_type() ? joined_.count : 0))
      throw io::FileError(folder_.joined_path(), Failure::data,
                          "is damaged; run gpuccl join without --finish again");
    if (has_contacts_across(files_, options_)) {
      const auto across = find_contacts_across(input_.extent(), all_neighbors(input_.connectivity()),
                                               options_.periodic, at_borders);
      contacts.insert(contacts.end(), across.begin(), across.end());
    }
    contacts = add_up_contacts(contacts);
    io::concerning(out.path(), [&] {
      io::write_contacts_csv(out, is_3d(input_.connectivity()), input_.info().geometry, contacts,
                             input_.column(values));
    });
  }

  /// A section of all stretches, one after the other.
  void copy(std::size_t section, io::AtomicFile& out) const {
    for (int part = 1; part <= folder_.parts(); ++part)
      stretch(part, [&](const io::CheckedFile& file) {
        file.copy(section, [&](std::string_view piece) {
          io::concerning(out.path(), [&] { out.write(piece.data(), piece.size()); });
        });
      });
  }

  void write_report(io::AtomicFile& out, LabelOutputs& outputs) {
    description_.written(outputs);
    report().write_ms = write_ms_ + total_.milliseconds();
    report().total_ms += report().write_ms;
    const io::TextSink sink = [&](std::string_view text) {
      io::concerning(out.path(), [&] { out.write(text.data(), text.size()); });
    };
    io::stream_report(sink, report(), {}, {}, {0, true, false});
    copy(sections::kRows, out);
    io::stream_report(sink, report(), {}, {}, {0, false, true});
  }

  io::Report& report() { return description_.report; }

  void warn(const std::string& path, const std::string& line) const {
    if (!quiet_) print_warning(display_name(path) + ": " + line);
  }

  const OpenedRun& run_;
  const TaskFolder& folder_;
  const LabelPaths& files_;
  const LabelOptions& options_;
  const bool quiet_;
  const Stopwatch total_;
  const LabelInput input_;
  const LabelMeasures& measures_;
  const JoinedParts joined_;
  Description description_{files_, options_,
                           [this](const std::string& path, const std::string& line) { warn(path, line); }};
  double write_ms_ = 0;  // the longest of any part
};

}  // namespace

void finish_tasks(const std::string& folder, bool quiet) {
  const OpenedRun run(folder);
  if (!is_finished(run.folder(), run.files())) Finish(run, quiet).finish();
  run.folder().clean();
}

}  // namespace gpuccl::app
