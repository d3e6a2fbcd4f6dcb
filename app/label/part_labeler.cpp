#include "app/label/part_labeler.hpp"

#include <fmt/core.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "app/common/messages.hpp"
#include "app/view/view_page.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/selection.hpp"
#include "io/files/file_error.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/image/limits.hpp"
#include "io/image/strips.hpp"
#include "io/parts/collectively.hpp"
#include "io/write/label_writer.hpp"
#include "io/write/preview.hpp"

namespace gpuccl::app {

/// Totals of labeling slab by slab.
struct PartLabeler::Totals {
  EngineReport engine;  // of the first slab, times of all
  std::int64_t elements = 0, foreground = 0, most_runs_in_row = 0, components = 0;
  double read_ms = 0;
  bool any_nan = false;

  void add(const EngineReport& report, std::int64_t of_slab) {
    if (elements == 0) {
      engine = report;
    } else {
      engine.start_up_ms += report.start_up_ms;
      engine.label_ms += report.label_ms;
    }
    elements += of_slab;
  }
};

namespace {

/// Returns the number of different values; INT64_MAX if it exceeds `most`.
std::int64_t count_values(const ValueImage& image, std::int64_t most) {
  std::unordered_set<ValueBits> values;
  for (std::int64_t row = 0; row < image.extent().rows(); ++row)
    for (const ValueRun& run : image.row(row)) {
      values.insert(run.value);
      if (std::ssize(values) > most) return INT64_MAX;
    }
  return std::ssize(values);
}

/// Returns an upper bound of the number of components or objects; INT64_MAX if objects exceed `most`.
std::int64_t most_in(const ValueImage& image, const LabelWork& work, std::int64_t most) {
  return work.by_object ? count_values(image, most) : most_components(image, work.connectivity);
}

/// Throws Error (internal) unless the components have as many pixels as the foreground.
void self_check(const Labeling& labeled, std::uint64_t foreground) {
  using Range = tbb::blocked_range<const std::uint64_t*>;
  const auto& areas = labeled.components.area;
  const std::uint64_t pixels = tbb::parallel_reduce(
      Range(areas.data(), areas.data() + areas.size(), 1 << 16), std::uint64_t{0},
      [](const Range& some, std::uint64_t sum) { return std::accumulate(some.begin(), some.end(), sum); },
      std::plus<>());
  const Label count = labeled.labels->count();
  if (pixels != foreground || areas.size() != count)
    throw Error(
        ErrorCode::internal,
        fmt::format("self-check failed: {} labels, {} components of {} pixels, but the foreground has {}",
                    count, areas.size(), pixels, foreground));
}

}  // namespace

PartLabeler::PartLabeler(LabelInput& input, const Slab& slab, std::function<void(double share)> progress)
    : input_(input),
      slab_(slab),
      is_whole_(slab == Slab{0, input.extent().depth, 0, input.extent().height}),
      progress_(std::move(progress)),
      work_(input.work(extent_of(slab, input.extent()))),
      budget_(input.memory()) {
  held_ = input.reader().held_bytes() + input.measures().held_bytes();
  const std::int64_t width = work_.extent.width;
  const std::int64_t most_in_row = work_.values ? width : (width + 1) / 2;
  runs_ = {most_in_row * work_.extent.rows(), most_in_row};
  if (!input.files().contacts.empty() || !input.files().outlines.empty() || input.files().in_coco)
    reserved_ = budget_.reserved_for_results();
  // Decoders of large chunks take more than what every input may.
  reserved_ += std::max<std::int64_t>(
      0, input.reader().buffer_bytes() + input.measures().buffer_bytes() - MemoryBudget::kInAnyCase);
  if (!is_empty()) plan_ = plan_memory(work_, budget_.limit(), held_ + reserved_);
  report_.start_up_ms = plan_.start_up_ms;
  if (!plan_.slabs.empty()) plan_large();
  claim();
  needed_ = budget_.limit();
  if (!plan_.slabs.empty()) return;
  constexpr double kComponentsEach = 0.5;  // bytes per element; noise has more, which read() finds
  MemoryBudget usual = budget_;
  usual.claims.components = kComponentsEach * static_cast<double>(work_.extent.elements());
  needed_ = usual.needed(usual.expected());
}

/// Returns the bytes of the labels of all slices of a Zarr chunk but one: they are kept while the slab with
/// its last slice is labeled.
double PartLabeler::bytes_of_slices_behind() const {
  const LabelOptions& options = input_.options();
  const LabelPaths& files = input_.files();
  if (files.image.empty()) return 0;
  const Extent whole = input_.extent();
  const int slices =
      io::slices_of_strip(*files.image.format, write_options(options, io::LabelType::u32, {}), whole);
  return (slices - 1.0) * whole.width * whole.height * sizeof(Label);
}

/// Reserves memory for these slices. Error (memory) if they take most of it.
void PartLabeler::reserve_slices() {
  const double bytes = bytes_of_slices_behind();
  if (bytes == 0) return;
  const double most = static_cast<double>(budget_.limit()) / 2;
  if (bytes > most)
    throw Error(ErrorCode::memory, "needs " + io::bytes_in_words(bytes) +
                                       " of memory for the labels of slices in one chunk, which may take " +
                                       io::bytes_in_words(most) +
                                       ", half of the limit; use fewer slices in --chunks, or more memory");
  reserved_ += static_cast<std::int64_t>(bytes);
}

void PartLabeler::plan_large(std::int64_t most) {
  if (!has_slices_) reserve_slices();
  has_slices_ = true;
  plan_ = plan_large_slabs(work_, budget_.limit(), held_ + reserved_, most);
}

/// Updates the claims of memory from what is known so far.
void PartLabeler::claim() {
  const LabelOptions& options = input_.options();
  const LabelPaths& files = input_.files();
  const Extent whole = input_.extent();
  MemoryBudget::Claims& claims = budget_.claims;
  if (input_.is_open())
    claims.input =
        static_cast<double>(held_ + input_.reader().buffer_bytes() + input_.measures().buffer_bytes());
  claims.labels = !plan_.slabs.empty() ? plan_.slab_bytes + static_cast<double>(held_)
                  : is_empty()         ? 0
                                       : bytes_of_labels(work_, runs_.all);
  claims.components = bytes_of_components(work_, most_components_);
  const bool is_known = bits_.extent() == work_.extent && !options.fill_holes;
  claims.labeling = (is_empty() ? 0 : bytes_at_once(work_)) +
                    input_.measures().bytes_of_counts(is_known ? static_cast<std::int64_t>(report_.foreground)
                                                               : work_.extent.elements());
  if (!files.contacts.empty())
    claims.contacts = static_cast<double>(bytes_to_find_contacts(whole, all_neighbors(work_.connectivity),
                                                                 runs_.most_in_row, options.periodic));
  if (!files.image.empty()) {
    const bool may_be_64_bits =
        options.values.writes_values() && bytes_of(*work_.values) == sizeof(ValueBits);
    const bool are_narrow = !io::traits_of(*files.image.format).holds(io::LabelType::u32) ||
                            (most_components_ <= UINT16_MAX && !options.values.writes_values());
    const bool is_chosen = options.label_type != io::LabelType::automatic && !options.values.writes_values();
    const io::LabelType type = may_be_64_bits ? io::LabelType::u64
                               : is_chosen    ? options.label_type
                               : are_narrow   ? io::LabelType::u16
                                              : io::LabelType::u32;
    claims.strip = static_cast<double>(
        io::bytes_of_strip(*files.image.format, write_options(options, type, {}), whole, runs_.most_in_row));
    if (!is_whole_ || !plan_.slabs.empty()) claims.labels += bytes_of_slices_behind();
  }
  if (!files.preview.empty())
    claims.preview = static_cast<double>(io::bytes_of_preview_rows(whole, runs_.most_in_row));
  if (!files.view.empty()) {
    const bool with_image = !image_below(files, options).image.empty();
    claims.preview =
        std::max(claims.preview, static_cast<double>(bytes_to_make_view(whole, runs_.all, with_image)));
  }
}

bool PartLabeler::read(std::int64_t allowed) {
  const Stopwatch reading;
  input_.find_threshold();
  report_.foreground_rule = input_.foreground_rule();
  report_.otsu_cuts_peak = input_.info().otsu_cuts_peak;
  if (!plan_.slabs.empty() || is_empty()) return true;
  budget_.allow(allowed);
  if (!is_read())
    read_all(budget_.is_shared() || !components_fit(work_, budget_.limit()) ||
             !budget_.can_write(io::strips_at_once()));
  claim();
  bool enough = true;
  if (budget_.is_shared()) {
    enough = budget_.allows(budget_.at_once());
    if (!enough) needed_ = budget_.needed(budget_.at_once());
  } else if (!components_fit(work_, budget_.limit(), most_components_)) {
    forget();
    plan_large(most_components_);
    claim();
  }
  if (enough && work_.extent.rows() == 1) check_can_write();  // of which there are no smaller slabs
  if (enough && plan_.slabs.empty() && budget_.can_write()) input_.close();  // otherwise it may be read again
  report_.read_ms += reading.milliseconds();
  return enough;
}

/// Throws TooManyComponents if writing outputs needs more memory than the limit.
void PartLabeler::check_can_write() const {
  if (!budget_.can_write())
    throw TooManyComponents(ErrorCode::memory,
                            "needs " + io::bytes_in_words(budget_.writing(1)) +
                                " of memory to write outputs with that many labels; the limit is " +
                                io::bytes_in_words(static_cast<double>(budget_.limit())));
}

void PartLabeler::forget() {
  bits_ = {};
  values_.reset();
}

void PartLabeler::read_all(bool is_tight) {
  if (work_.values) {
    values_.emplace(read_values(slab_));
    report_.foreground = static_cast<std::uint64_t>(values_->count_foreground());
    report_.any_nan = values_->any_nan() || input_.reader().has_nan();
    runs_ = {values_->count_runs(), values_->most_runs_in_row()};
    most_components_ = runs_.all;
    if (!components_fit(work_, budget_.limit(), most_components_))
      most_components_ =
          std::min(most_components_, most_in(*values_, work_, most_that_fit(work_, budget_.limit())));
    return;
  }
  read_bits();
  if (!is_tight) return;
  most_components_ = most_components(bits_.view(), work_.connectivity);
  runs_ = count_runs(bits_.view());
  if (!input_.options().fill_holes) return;
  invert(bits_);
  most_components_ =
      std::max(most_components_, most_components(bits_.view(), complementary(work_.connectivity)));
  invert(bits_);
}

void PartLabeler::read_bits() {
  io::Reader& reader = input_.reader();
  BitVolume bits(work_.extent);
  if (work_.extent.height < input_.extent().height) {
    reader.read_rows(slab_.z0, slab_.y0, slab_.y1, bits);
    report_.foreground = static_cast<std::uint64_t>(count_foreground(bits.view()));
  } else {
    std::atomic<std::int64_t> foreground = 0;
    reader.read(slab_.z0, slab_.z1, bits, [&](BitView slice) { foreground += count_foreground(slice); });
    report_.foreground = static_cast<std::uint64_t>(foreground);
  }
  report_.first_values = reader.first_values();
  report_.any_nan = reader.has_nan();
  bits_ = std::move(bits);
  is_filled_ = false;
}

/// Returns a slab of the piece as a slab of the input.
Slab PartLabeler::in_whole(const Slab& slab) const {
  return {slab_.z0 + slab.z0, slab_.z0 + slab.z1, slab_.y0 + slab.y0, slab_.y0 + slab.y1};
}

void PartLabeler::read_slab(const Slab& slab, BitVolume& out) const {
  const Slab in_input = in_whole(slab);
  if (in_input.y1 - in_input.y0 == input_.extent().height) {
    input_.reader().read(in_input.z0, in_input.z1, out);
  } else {
    input_.reader().read_rows(in_input.z0, in_input.y0, in_input.y1, out);
  }
}

ValueImage PartLabeler::read_values(const Slab& slab) const {
  io::Reader& reader = input_.reader();
  return slab.y1 - slab.y0 < input_.extent().height
             ? reader.read_value_rows(slab.z0, slab.y0, slab.y1, work_.delta)
             : reader.read_values(slab.z0, slab.z1, work_.delta);
}

Labeling PartLabeler::label_background(Engine& engine) {
  if (is_empty()) return {};
  const Stopwatch filling;
  holes_.reset();
  filled_ = 0;
  report_.fill_ms = 0;
  const Connectivity connectivity = complementary(work_.connectivity);
  Labeling background;
  double read_ms = 0;
  suggest_cpu(work_.engine.device, false, [&] {
    if (plan_.slabs.empty()) {
      if (is_filled_) read_bits();
      invert(bits_);
      background = engine.label(bits_.view(), connectivity, &engine_report_);
      return;
    }
    for (bool done = false; !done;) {
      try {
        Totals totals;
        background = label_bits_by_slabs(
            engine,
            [this](const Slab& slab, BitVolume& out) {
              read_slab(slab, out);
              invert(out);
            },
            connectivity, totals);
        report_.foreground = static_cast<std::uint64_t>(totals.elements - totals.foreground);
        engine_report_ = totals.engine;
        report_.read_ms += read_ms = totals.read_ms;
        done = true;
      } catch (const TooManyComponents&) {
        use_smaller_slabs();
      }
    }
  });
  report_.statistics_ms = background.statistics_ms;
  report_.phases = background.phases;
  report_.set_engine(engine_report_);
  report_.fill_ms = filling.milliseconds() - read_ms;
  input_.check_state();
  return background;
}

void PartLabeler::resume(PartFacts background) {
  report_ = std::move(background);
  report_.fill_ms = report_.label_ms;
}

void PartLabeler::fill(SlabLabels holes) {
  is_filled_ = true;
  if (is_empty()) return;
  const Stopwatch filling;
  if (plan_.slabs.empty()) {
    BitVolume filled(work_.extent);
    draw_filled(*holes.labels, holes.numbers, 0, filled);
    holes = {};
    bits_ = std::move(filled);
    filled_ = static_cast<std::uint64_t>(count_foreground(bits_.view())) - report_.foreground;
  } else {
    holes_ = std::move(holes);
  }
  report_.fill_ms += filling.milliseconds();
}

std::optional<PartLabeler::Labels> PartLabeler::label(Engine& engine) {
  std::optional<Labels> labels;
  if (is_empty()) {
    labels.emplace();
    labels->faces.delta = work_.delta;
    engine_report_.connectivity = work_.connectivity;
    return labels;
  }
  suggest_cpu(work_.engine.device, work_.values.has_value(), [&] {
    if (plan_.slabs.empty()) {
      labels = label_at_once(engine);
      if (!input_.is_open() || budget_.can_write()) return;
      labels.reset();
      bits_ = {};
      plan_large();
      claim();
      if (is_filled_) return;
    }
    labels = label_by_slabs(engine);
  });
  if (!labels) return labels;
  self_check(labels->labeled, report_.foreground + filled_);
  report_.set_engine(engine_report_);
  report_.statistics_ms = labels->labeled.statistics_ms;
  report_.phases = labels->labeled.phases;
  input_.check_state();
  return labels;
}

PartLabeler::Labels PartLabeler::label_at_once(Engine& engine) {
  Labels labels;
  if (work_.values) {
    labels = label_values(*std::exchange(values_, std::nullopt), slab_, engine, engine_report_);
  } else {
    const bool gathers = is_whole_ && !work_.wraps;
    labels.labeled = engine.label(bits_.view(), work_.connectivity, &engine_report_,
                                  gathers ? input_.measures().gathered() : SumsLayout{});
    // Contacts get the memory that labels leave. Count the runs: their bound far exceeds common images.
    if (!input_.files().contacts.empty()) runs_ = count_runs(bits_.view());
  }
  most_components_ = labels.labeled.labels->count();
  claim();
  return labels;
}

ValueLabeling PartLabeler::label_objects(ValueImage image, EngineReport& report) const {
  const Stopwatch labeling;
  ValueLabeling labeled = label_by_value(std::move(image));
  report.algorithm = "values";
  report.connectivity = work_.connectivity;
  report.device_kind = DeviceKind::cpu;
  report.device_name = cpu_name();
  report.label_ms = labeling.milliseconds() - labeled.labeled.statistics_ms;
  return labeled;
}

/// `slab`: of the input.
PartLabeler::Labels PartLabeler::label_values(ValueImage image, const Slab& slab, Engine& engine,
                                              EngineReport& report) const {
  Labels labels;
  const bool touches_others = !is_whole_ || !plan_.slabs.empty();
  if (touches_others) labels.faces = faces_of(image, slab, input_.extent(), work_.connectivity);
  ValueLabeling labeled = input_.options().values.objects
                              ? label_objects(std::move(image), report)
                              : engine.label_values(std::move(image), work_.connectivity, &report);
  labels.labeled = std::move(labeled.labeled);
  labels.values = std::move(labeled.values);
  return labels;
}

/// Throws TooManyComponents if the components of `slab` may not fit in addition to `before` earlier ones.
void PartLabeler::look_ahead(const ValueImage& slab, std::int64_t before) const {
  // Twice: while all are numbered, and while the slab is labeled again to be written.
  constexpr std::int64_t kTimes = 2, kBytesEach = Components::kBytesEach + sizeof(Label);
  const std::int64_t most = (plan_.max_kept / kBytesEach - before) / kTimes;
  if (slab.count_runs() > most && most_in(slab, work_, most) > most)
    throw TooManyComponents(ErrorCode::memory,
                            "has more components than fit into the remaining memory; set a larger --memory");
}

std::optional<PartLabeler::Labels> PartLabeler::label_by_slabs(Engine& engine) {
  for (;;) {
    try {
      Totals totals;
      Labels labels;
      if (work_.values) {
        labels = label_values_by_slabs(engine, totals);
      } else if (holes_) {
        const auto draw = [this](const Slab& slab, BitVolume& out) {
          draw_filled(*holes_->labels, holes_->numbers,
                      static_cast<std::int64_t>(slab.z0) * work_.extent.height + slab.y0, out);
        };
        labels.labeled = label_bits_by_slabs(engine, draw, work_.connectivity, totals);
      } else {
        labels.labeled = label_bits_by_slabs(
            engine, [this](const Slab& slab, BitVolume& out) { read_slab(slab, out); }, work_.connectivity,
            totals);
      }
      runs_.most_in_row = totals.most_runs_in_row;
      most_components_ = labels.labeled.labels->count();
      claim();
      check_can_write();
      engine_report_ = totals.engine;
      report_.first_values = input_.reader().first_values();
      if (totals.any_nan || input_.reader().has_nan()) report_.any_nan = true;
      if (holes_) {
        filled_ = static_cast<std::uint64_t>(totals.foreground) - report_.foreground;
        report_.fill_ms += totals.read_ms;
      } else {
        report_.foreground = static_cast<std::uint64_t>(totals.foreground);
        report_.read_ms += totals.read_ms;
      }
      return labels;
    } catch (const TooManyComponents&) {
      use_smaller_slabs();
      if (holes_) return std::nullopt;  // holes_ refers to slabs of the old size
    }
  }
}

/// Adds a slab to the totals. Labels that are written later are labeled again, which is no progress.
void PartLabeler::add_slab(Totals& totals, const EngineReport& report, std::int64_t elements) const {
  totals.add(report, elements);
  const std::int64_t all = work_.extent.elements();
  if (progress_ && totals.elements <= all)
    progress_(static_cast<double>(totals.elements) / static_cast<double>(all));
}

/// Labels the slabs that `read` reads.
Labeling PartLabeler::label_bits_by_slabs(Engine& engine, const ReadSlab& read, Connectivity connectivity,
                                          Totals& totals) const {
  const std::string& path = input_.files().input;
  const auto now = std::make_shared<Totals>();  // still changes when labels are rendered, after `totals`
  SlabWork work;
  work.max_kept = plan_.max_kept;
  work.looks_ahead = true;
  work.read = [&path, read, now](const Slab& slab, BitVolume& out) {
    const Stopwatch reading;
    io::with_path(path, [&] { read(slab, out); });
    now->read_ms += reading.milliseconds();
  };
  work.label = [this, &path, &engine, connectivity, now](BitView slab) {
    EngineReport report;
    Labeling labeled = io::with_path(path, [&] { return engine.label(slab, connectivity, &report); });
    add_slab(*now, report, slab.extent.elements());
    now->foreground += count_foreground(slab);
    now->most_runs_in_row = std::max(now->most_runs_in_row, count_runs(slab).most_in_row);
    return labeled;
  };
  Labeling labeled = gpuccl::label_by_slabs(work_.extent, connectivity, plan_.slabs, std::move(work));
  totals = *now;
  return labeled;
}

PartLabeler::Labels PartLabeler::label_values_by_slabs(Engine& engine, Totals& totals) const {
  const auto now = std::make_shared<Totals>();  // as in label_bits_by_slabs()
  const auto outer = std::make_shared<ValueFaces>();
  const auto label = [this, &engine, all = work_.extent.elements(), last = work_.extent.depth, now,
                      outer](const Slab& slab) {
    const std::string& path = input_.files().input;
    const Stopwatch reading;
    ValueImage image = io::with_path(path, [&] { return read_values(in_whole(slab)); });
    now->read_ms += reading.milliseconds();
    const std::int64_t elements = image.extent().elements();
    now->foreground += image.count_foreground();
    now->any_nan = now->any_nan || image.any_nan();
    now->most_runs_in_row = std::max(now->most_runs_in_row, image.most_runs_in_row());
    if (now->elements < all) look_ahead(image, now->components);
    EngineReport report;
    Labels labels =
        io::with_path(path, [&] { return label_values(std::move(image), in_whole(slab), engine, report); });
    now->components += std::ssize(labels.labeled.components.area);
    add_slab(*now, report, elements);
    if (!is_whole_ && now->elements <= all) {
      outer->type = labels.faces.type;
      outer->delta = labels.faces.delta;
      if (slab.z0 == 0) outer->first = labels.faces.first;
      if (slab.z1 == last) outer->last = labels.faces.last;
    }
    return SlabSummary{std::move(labels.labeled), std::move(labels.values), std::move(labels.faces)};
  };
  ValueLabeling labeled = gpuccl::label_values_by_slabs(work_.extent, work_.connectivity, plan_.slabs, label,
                                                        plan_.max_kept, input_.options().values.objects);
  totals = *now;
  return {std::move(labeled.labeled), std::move(labeled.values), std::move(*outer)};
}

/// Call it while TooManyComponents is handled: rethrows it if slabs cannot be smaller.
void PartLabeler::use_smaller_slabs() {
  std::optional<MemoryPlan> smaller = plan_smaller_slabs(work_, budget_.limit(), held_ + reserved_, plan_);
  if (!smaller) throw;
  plan_ = std::move(*smaller);
  claim();
}

Labeling PartLabeler::label_background_of(const LabelRows* labels, Engine& engine, BitVolume& bits) {
  if (labels == nullptr) return {};
  const Connectivity connectivity = complementary(work_.connectivity);
  if (!plan_.slabs.empty()) {
    const auto draw = [labels, height = work_.extent.height](const Slab& slab, BitVolume& out) {
      draw_background(*labels, static_cast<std::int64_t>(slab.z0) * height + slab.y0, out);
    };
    Totals totals;
    return label_bits_by_slabs(engine, draw, connectivity, totals);
  }
  if (is_whole_) {
    bits = enclosed_background(*labels, connectivity);
  } else {
    bits = BitVolume(labels->extent());
    draw_background(*labels, 0, bits);
  }
  return engine.label(bits.view(), connectivity);
}

PartLabeler::Labels label_piece(PartLink& link, PartLabeler& piece, const std::string& path, Engine& engine,
                                const std::function<void()>& fill) {
  for (;;) {
    fill();
    std::optional<PartLabeler::Labels> labels;
    io::collectively(link, path, [&] { labels = piece.label(engine); });
    if (link.scan(labels ? 0 : 1).all == 0) return std::move(*labels);
  }
}

}  // namespace gpuccl::app
