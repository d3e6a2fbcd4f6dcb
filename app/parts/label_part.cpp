#include "app/parts/label_part.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "app/common/messages.hpp"
#include "app/common/stopwatch.hpp"
#include "app/label/describe.hpp"
#include "app/label/label_checks.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/written_values.hpp"
#include "app/parts/part_input.hpp"
#include "app/parts/part_measures.hpp"
#include "io/files/file_error.hpp"
#include "io/parts/messages.hpp"
#include "io/parts/part_writer.hpp"
#include "io/parts/shared_file.hpp"
#include "io/parts/together.hpp"
#include "io/report/contacts_csv.hpp"
#include "io/report/report.hpp"
#include "io/report/stats_csv.hpp"
#include "io/report/value_table.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

class PartJob {
 public:
  PartJob(PartLink& link, const LabelPaths& files, const LabelOptions& options)
      : link_(link),
        files_(files),
        options_(options),
        first_(link.part() == 0),
        description_(files, options,
                     [this](const std::string& path, const std::string& line) { warn(path, line); }) {}

  void open() {
    here(files_.input, [&] {
      input_.emplace(files_.input, options_, [this](const std::string& line) { warn(files_.input, line); });
      if (options_.fill_holes)
        check_labels_background(options_.algorithm.engine, input_->connectivity(), "--fill-holes");
      measures_.emplace(measures_in_parts(files_, options_, *input_));
      if (const std::string line = measures_->left_out(); !line.empty()) warn(files_.input, line);
      slab_ = cut_into_parts(input_->extent(), link_.parts())[static_cast<std::size_t>(link_.part())];
    });
    std::string state;
    here(files_.input, [&] { state = state_of_inputs(files_, *input_); });
    const std::string first = io::text_of(link_.gather(io::message_of(state)).front());
    here(files_.input, [&] {
      if (const std::optional<std::string> other = changed_input(files_, *input_, first))
        throw io::FileError(*other, Failure::data,
                            "is another file for part " + std::to_string(link_.part()) +
                                " than for part 0; all parts need the same one");
    });
    here(files_.input, [&] {
      if (first_)
        outputs_ = std::make_unique<LabelOutputs>(files_, LabelStreams(files_), named(options_.output));
    });
    const auto shared = [&](const std::string& path, io::AtomicFile* (LabelOutputs::*file)()) {
      return path.empty()
                 ? nullptr
                 : std::make_unique<io::SharedFile>(link_, path, first_ ? (*outputs_.*file)() : nullptr);
    };
    image_ = shared(files_.image, &LabelOutputs::image);
    stats_ = shared(files_.stats, &LabelOutputs::stats);
    contacts_ = shared(files_.contacts, &LabelOutputs::contacts);
    text_ = shared(files_.json, &LabelOutputs::report);
  }

  void label(LazyEngine& engine) {
    if (options_.fill_holes) fill_holes(engine);
    PartInput::Found found;
    here(files_.input, [&] { found = input_->label(slab_, engine); });
    engine_report_ = found.engine;
    PieceReport piece = report_of(*input_, found);
    piece.fill_ms = fill_ms_;
    piece.total_ms = total_.milliseconds();
    unite(found);
    describe(piece);
    select_components(engine);
    if (options_.values.keep_values) values_ = std::move(found.values);
  }

  void write() {
    since_.lap();
    if (contacts_) write_contacts();
    if (image_) write_image();
    if (stats_)
      io::write_text_in_parts(link_, *stats_, [&](const io::TextSink& sink) {
        io::stream_stats_csv(sink, input_->is_volume(), input_->info().geometry, numbered_.components,
                             numbered_.measured, stretch(), report().value);
      });
    report().write_ms = since_.lap();
    report().total_ms = total_.milliseconds();
    here(files_.input, [&] {
      if (first_) description_.written(*outputs_);
    });
    if (text_)
      io::write_text_in_parts(link_, *text_, [&](const io::TextSink& sink) {
        io::stream_report(sink, report(), numbered_.components, numbered_.measured, stretch());
      });
  }

  void commit() {
    for (io::SharedFile* const file : {image_.get(), stats_.get(), contacts_.get(), text_.get()})
      if (file != nullptr) here(file->path(), [&] { file->finish(); });
    here(files_.input, [&] {
      if (first_) outputs_->commit();
    });
  }

  LabelSummary summary() const {
    return {numbered_.count, numbered_.dropped, engine_report_, total_.milliseconds()};
  }

 private:
  template <class Work>
  void here(const std::string& path, Work work) {
    io::together(link_, [&] { io::concerning(path, work); });
  }

  static OutputOptions named(OutputOptions output) {
    output.file.named = true;
    return output;
  }

  /// Holes are components of the background that are not at the border.
  void fill_holes(LazyEngine& engine) {
    const Stopwatch filling;
    const Extent whole = input_->extent();
    std::uint64_t foreground = 0;
    NumberedPart holes = unite_background([&] {
      PartInput::Found background = input_->label_background(slab_, engine);
      foreground = background.foreground;
      return std::move(background.labeled);
    });
    select_part(link_, whole, complementary(input_->connectivity()),
                {.max_size = *options_.fill_holes, .clear_border = true}, holes);
    const std::uint64_t mine =
        std::accumulate(holes.components.area.begin(), holes.components.area.end(), std::uint64_t{0});
    const std::uint64_t elements = link_.scan(mine).all;
    for (Label& number : holes.labels.numbers) number = number == 0 ? 1 : 0;  // what stays background
    holes.labels.numbers[0] = 0;
    here(files_.input, [&] {
      std::vector<NumberedSlab> slabs;
      slabs.push_back(std::move(holes.labels));
      input_->fill(slab_, joined_labels(whole, std::move(slabs), 1), foreground);
    });
    holes_ = {holes.count, elements};
    fill_ms_ = filling.milliseconds();
  }

  template <class LabelIt>
  NumberedPart unite_background(LabelIt label) {
    Labeled background;
    here(files_.input, [&] { background = label(); });
    NumberedPart united;
    all_or_none([&] {
      united = unite_part(link_, slab_, input_->extent(), complementary(input_->connectivity()),
                          std::move(background));
    });
    return united;
  }

  void unite(PartInput::Found& found) {
    all_or_none([&] {
      numbered_ = unite_part(link_, slab_, input_->extent(), input_->connectivity(), std::move(found.labeled),
                             found.values, std::move(found.faces));
      if (is_periodic())
        wraps_ = wrap_part(link_, input_->extent(), input_->connectivity(), options_.periodic, numbered_);
    });
  }

  template <class Work>
  void all_or_none(Work work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.failure() != Failure::data) throw;
      // Too many components, or such as go too far, are so for all parts alike.
      throw io::PartFailed(error.failure(), first_ ? std::current_exception() : nullptr);
    }
  }

  void select_components(LazyEngine& engine) {
    if (is_periodic()) {  // no row is looked at
      MeasureRequest request = measures_->request();
      request.wraps = wraps_;
      numbered_.measured = measure_nothing(input_->extent(), numbered_.components, request);
    } else if (measures_->any()) {
      measure(engine);
      description_.measured(*measures_, link_.scan(numbered_.nans).all);
    }
    select_part(link_, input_->extent(), input_->connectivity(), options_.selection, numbered_,
                {{}, input_->value_type().value_or(ValueType::u8), options_.values.per_value});
    numbered_.measured.show_only(options_.measure.wanted);
    description_.selected(numbered_.count, numbered_.dropped);
    if (!input_->value_type()) return;
    report().value = input_->column(numbered_.values);
    if (!options_.values.one_each()) return;
    const std::vector<io::OfValue> mine = io::sum_up_values(report().value, numbered_.components);
    report().values = io::sum_up_values(report().value.type, io::gather_lists(link_, mine));
  }

  void measure(LazyEngine& engine) {
    const Extent whole = input_->extent();
    MeasureRequest request = measures_->request();
    BitVolume bits;
    Labeled cavities;
    if (measures_->needs_background()) {
      cavities = cavities_of_part(link_, whole, input_->connectivity(), unite_background([&] {
                                    return label_background_of(numbered_.labels.labels.get(),
                                                               input_->connectivity(), engine, bits);
                                  }));
      request.background = &cavities;
    }
    measure_part(link_, whole, request, numbered_,
                 [&](const std::function<void()>& work) { here(files_.input, work); });
  }

  /// Describes what all parts have found.
  void describe(const PieceReport& mine) {
    std::vector<PieceReport> pieces;
    for (const Message& message : link_.gather(io::message_of(mine.text())))
      pieces.push_back(PieceReport::of_text(io::text_of(message)));
    description_.labeled(input_->info(), input_->connectivity(), pieces, numbered_.largest, holes_,
                         measures_->grid_difference());
  }

  bool is_periodic() const { return options_.periodic != PeriodicAxes{}; }

  /// All of them by part 0.
  void write_contacts() {
    const Connectivity connectivity = input_->connectivity();
    description_.contacts();
    const std::vector<Contact> contacts = find_contacts_of_part(
        link_, input_->extent(), all_neighbors(connectivity), numbered_, options_.periodic);
    const std::vector<ValueBits> mine(numbered_.values.begin(), numbered_.values.end());
    const std::vector<ValueBits> values = io::gather_lists(link_, mine);
    io::write_text_in_parts(link_, *contacts_, [&](const io::TextSink& sink) {
      if (first_)
        io::stream_contacts_csv(sink, is_3d(connectivity), input_->info().geometry, contacts,
                                input_->column(values));
    });
  }

  /// What is written for the part's labels.
  WrittenValues written() {
    if (!options_.values.keep_values)
      return {options_.label_type, std::move(numbered_.labels.numbers), numbered_.count};
    WrittenValues written;
    here(files_.image,
         [&] { written = written_values_of_part(*input_->value_type(), values_, numbered_.labels.numbers); });
    const std::vector<Label> largest = io::gather_lists(link_, std::vector{written.largest});
    written.largest = *std::max_element(largest.begin(), largest.end());
    return written;
  }

  void write_image() {
    const io::LabelFormat format = io::label_format(files_.image);
    io::WriteOptions write;
    WrittenValues written = this->written();
    here(files_.image, [&] {
      write = write_options(options_, format, written.type, written.largest, input_->info().geometry);
      description_.image(write, written.type);
    });
    std::vector<NumberedSlab> slabs;
    slabs.push_back({slab_, std::move(numbered_.labels.labels), std::move(written.map)});
    const std::unique_ptr<LabelSource> labels =
        joined_labels(input_->extent(), std::move(slabs), written.largest);
    io::write_labels_in_parts(link_, *image_, format, *labels, write);
  }

  io::Report& report() { return description_.report; }

  io::Stretch stretch() const { return {numbered_.first, first_, link_.part() + 1 == link_.parts()}; }

  void warn(const std::string& path, const std::string& line) const {
    if (first_ && !options_.quiet) print_warning(display_name(path) + ": " + line);
  }

  PartLink& link_;
  const LabelPaths& files_;
  const LabelOptions& options_;
  const bool first_;
  Stopwatch total_, since_;

  std::optional<PartInput> input_;
  Slab slab_;
  std::unique_ptr<LabelOutputs> outputs_;  // of part 0
  std::unique_ptr<io::SharedFile> image_, stats_, contacts_, text_;
  EngineReport engine_report_;
  std::optional<LabelMeasures> measures_;
  NumberedPart numbered_;
  std::vector<std::array<Wrap, 3>> wraps_;  // of the components that begin in the part
  Column<ValueBits> values_;                // of the part's own labels, if they are written in place of these
  std::optional<HoleCounts> holes_;
  double fill_ms_ = 0;
  Description description_;
};

}  // namespace

LabelSummary label_part(PartLink& link, const LabelPaths& files, const LabelOptions& options,
                        LazyEngine& engine) {
  PartJob job(link, files, options);
  job.open();
  job.label(engine);
  job.write();
  job.commit();
  return job.summary();
}

}  // namespace gpuccl::app
