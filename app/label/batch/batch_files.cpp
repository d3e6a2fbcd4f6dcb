#include "app/label/batch/batch_files.hpp"

#include <filesystem>
#include <string_view>
#include <utility>

#include "app/label/label_outputs.hpp"
#include "io/report/stats_csv.hpp"
#include "io/report/summary_csv.hpp"

namespace gpuccl::app {

BatchFiles::BatchFiles(const LabelOptions& options, const std::vector<MeasureColumn>& columns)
    : options_(options),
      columns_(columns),
      report_(options.batch.report),
      table_(options.files.stats),
      summary_(options.batch.summary),
      index_(index_of_pages(options)),
      multiqc_(multiqc_of_pages(options)) {}

void BatchFiles::open() {
  const LabelOptions& options = options_;
  for (GrowingFile* file : {&report_, &table_, &summary_, &index_, &multiqc_})
    file->open(options.output.file);
  if (!options.output.replace_foreign && !options.files.view.empty()) {
    refuse_foreign_page(index_of_pages(options), is_batch_page);
    refuse_foreign_page(multiqc_of_pages(options), is_multiqc_table);
  }
  if (!options.batch.summary.empty()) {
    if (!options.output.replace_foreign && !io::TextStream::is_named(options.batch.summary))
      refuse_foreign_table(options.batch.summary, io::is_summary_csv);
    summary_.add(io::summary_header());
  }
  if (options.files.stats.empty()) return;
  if (!options.output.replace_foreign && !io::TextStream::is_named(options.files.stats))
    refuse_foreign_table(options.files.stats, io::is_stats_csv);
  table_.add(io::joint_stats_header(columns_, options.values.has_column(), options.every_frame));
  io::SpooledText::try_folder();
}

void BatchFiles::add(const BatchItem& item, const Outcome& outcome) {
  if (!outcome.error) summary_.add(outcome.summary);
  if (outcome.table && !outcome.error)
    outcome.table->copy_to([&](std::string_view rows) { table_.add(rows); });
  report_.add(report_line(item.files.input, item.frame, outcome));
  if (item.files.view.empty()) return;
  const std::filesystem::path page = item.files.view;
  entries_.push_back(
      index_entry(item.files.input, page.lexically_relative(options_.files.view).string(), outcome));
}

std::vector<std::string> BatchFiles::keep_older() {
  std::vector<std::string> kept;
  if (table_.keep_older()) kept.push_back(options_.files.stats);
  if (summary_.keep_older()) kept.push_back(options_.batch.summary);
  return kept;
}

std::vector<io::FileError> BatchFiles::commit() {
  if (!entries_.empty()) {
    index_.add(batch_page(entries_));
    multiqc_.add(multiqc_table(entries_));
  }
  std::vector<io::FileError> errors;
  for (GrowingFile* file : {&table_, &summary_, &report_, &index_, &multiqc_}) {
    file->commit();
    if (file->error() && !file->is_closed_pipe()) errors.push_back(*file->error());
  }
  return errors;
}

bool BatchFiles::is_pipe_closed() const {
  return table_.is_closed_pipe() || summary_.is_closed_pipe() || report_.is_closed_pipe();
}

}  // namespace gpuccl::app
