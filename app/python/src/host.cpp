#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "gpuccl/detail/first_elements.hpp"
#include "gpuccl/detail/match_totals.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/gpuccl.hpp"
#include "gpuccl/objects.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/surfaces.hpp"
#include "host_array.hpp"
#include "module.hpp"

namespace gpuccl::python {
namespace {

namespace nb = nanobind;

[[noreturn]] void refuse(const std::string& reason) { throw Error(ErrorCode::usage, reason); }

Connectivity checked(int connectivity) {
  for (const Connectivity known : kConnectivities)
    if (static_cast<int>(known) == connectivity) return known;
  refuse("no such connectivity: " + std::to_string(connectivity));
}

/// Warns about what an array contained. Requires the GIL.
void warn_of(const Findings& findings) {
  constexpr int kCaller = 3;  // above the functions of the package
  const auto warn = [](bool found, const char* text) {
    if (found && PyErr_WarnEx(PyExc_UserWarning, text, kCaller) != 0) throw nb::python_error();
  };
  warn(findings.nan, "NaN is background");
  warn(findings.negative, "negative labels are background");
  warn(findings.rounded, "labels are rounded to integers");
}

// --- tables

using Cells = std::variant<std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<double>>;
struct Table {
  std::vector<std::pair<std::string, Cells>> columns;
};

nb::dict to_dict(Table&& table) {
  nb::dict dict;
  for (auto& [name, cells] : table.columns)
    std::visit(
        [&]<class T>(std::vector<T>& column) {
          auto owned = std::make_unique<std::vector<T>>(std::move(column));
          const std::size_t count = owned->size();
          T* const data = owned->data();
          const nb::capsule owner(owned.get(),
                                  [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
          owned.release();
          nb::object cast = nb::cast(nb::ndarray<nb::numpy, T>(data, {count}, owner));
          // NumPy has two types of integers of 64 bits on Linux. int64 is the one that people test for.
          if constexpr (std::is_integral_v<T>)
            cast = cast.attr("view")(std::is_signed_v<T> ? "int64" : "uint64");
          dict[name.c_str()] = std::move(cast);
        },
        cells);
  return dict;
}

/// Samples of an array: of the same extent as the labels, or of a block of them at `origin`.
class ArraySamples final : public IntensityImage {
 public:
  explicit ArraySamples(const HostArray& array) : ArraySamples(array, {}, array.extent()) {}
  ArraySamples(const HostArray& array, const std::array<int, 3>& origin, const Extent& whole)
      : array_(array), origin_(origin), whole_(whole), type_(array.type().value_or(ValueType::f32)) {
    if (!array.type()) refuse("an intensity image of half precision: convert it to float32");
  }
  Extent extent() const override { return whole_; }
  Columns columns() const override { return {origin_[0], array_.extent().width}; }
  Kind kind() const override {
    return is_floating(type_) ? Kind::real : bytes_of(type_) == 8 ? Kind::long_whole : Kind::whole;
  }
  Values values() const override {
    if (type_ == ValueType::u8) return {0, 1 << 8};
    if (type_ == ValueType::i8) return {-(1 << 7), 1 << 8};
    if (type_ == ValueType::u16) return {0, 1 << 16};
    if (type_ == ValueType::i16) return {-(1 << 15), 1 << 16};
    return {};
  }
  int slices_at_once(int) const override { return std::max(1, extent().depth); }
  bool reads_bands() const override { return true; }
  void read(int z, int first, int end, const Sink& sink) const override {
    read_as<double>(z, first, end, sink);
  }
  void read_long(int z, int first, int end, const LongSink& sink) const override {
    read_as<WholeNumber>(z, first, end, sink);
  }

 private:
  template <class To, class S>
  void read_as(int z, int first, int end, const S& sink) const {
    const Extent& here = array_.extent();
    const auto& [x0, y0, z0] = origin_;
    std::vector<std::byte> copy;
    std::vector<To> samples(static_cast<std::size_t>(here.width));
    for (int y = std::max(first, y0); y < std::min(end, y0 + here.height); ++y) {
      const std::byte* const row = array_.whole_row(std::int64_t{z - z0} * here.height + (y - y0), copy);
      with_type(type_, [&]<class T>(T) {
        // A loop of a constant length over memory that no store can change is vectorized.
        constexpr std::size_t kBlock = 16;
        To* const to = samples.data();
        const auto convert = [&](std::size_t x, std::size_t count) {
          std::array<T, kBlock> block;
          std::memcpy(block.data(), row + x * sizeof(T), count * sizeof(T));
          for (std::size_t i = 0; i < count; ++i) to[x + i] = static_cast<To>(block[i]);
        };
        std::size_t x = 0;
        for (; x + kBlock <= samples.size(); x += kBlock) convert(x, kBlock);
        convert(x, samples.size() - x);
      });
      sink(y, 1, samples.data());
    }
  }

  const HostArray& array_;
  const std::array<int, 3> origin_;
  const Extent whole_;
  ValueType type_;
};

/// Returns the order that turns an array back.
AxisOrder inverse(const AxisOrder& order) {
  AxisOrder back{};
  for (std::size_t axis = 0; axis < 3; ++axis) back[order[axis]] = axis;
  return back;
}

/// Returns the components with the axes of the array.
Components with_axes(Components components, const AxisOrder& order) {
  if (order == kRasterOrder) return components;
  const auto turn = [&]<class T>(std::array<T, 3>& values) {
    const std::array<T, 3> turned = values;
    for (std::size_t axis = 0; axis < 3; ++axis) values[order[axis]] = turned[axis];
  };
  tbb::parallel_for(std::size_t{0}, components.size(), [&](std::size_t i) {
    turn(components.box[i].min);
    turn(components.box[i].max);
    turn(components.sum[i]);
  });
  for (auto& [i, high] : components.sum_high) turn(high);
  return components;
}

/// Sources of a table.
struct Described {
  const LabelRows* labels;
  const Components& components;
  Connectivity connectivity;
  std::span<const ValueBits> values = {};
  ValueType type = ValueType::u32;
  bool by_values = false;  // the values are the labels
  PeriodicAxes periodic = {};
  std::span<const std::array<Wrap, 3>> wraps = {};
  AxisOrder order = kRasterOrder;  // of the axes of labels and components
};

/// Returns the measures of columns. `samples`: null if there is no intensity image.
MeasureRequest request_of(const TableRequest& request, Connectivity connectivity,
                          const IntensityImage* samples) {
  MeasureRequest wanted;
  wanted.connectivity = connectivity;
  wanted.spacing = request.spacing;
  for (const std::string& name : request.columns) {
    const std::optional<MeasureId> id = find_measure(name);
    if (name == "label" || name == "value") continue;
    if (!id) refuse("no such measure: " + name);
    const Measure& measure = measure_of(*id);
    const bool volume = is_3d(connectivity);
    const bool is_place = measure.group == MeasureGroup::basic || *id == MeasureId::cz_weighted;
    if (!is_place && measure.in != MeasuredIn::both && (measure.in == MeasuredIn::volumes) != volume)
      refuse(name + " is measured in " + (volume ? "images" : "volumes") + " only");
    wanted.wanted.set(static_cast<std::size_t>(*id));
  }
  if ((wanted.wanted & measures_of(MeasureGroup::intensity)).none()) return wanted;
  if (samples == nullptr) refuse("measures of intensity need an intensity image");
  if (needs_value_counts(wanted.wanted) && samples->values().count == 0)
    refuse("median and percentiles need integers of at most 16 bits");
  wanted.samples = {{samples, ""}};
  return wanted;
}

MeasureTable measure_columns(const Described& of, const TableRequest& request, const HostArray* intensity) {
  std::optional<ArraySamples> samples;
  if (intensity != nullptr) samples.emplace(*intensity);
  MeasureRequest wanted = request_of(request, of.connectivity, samples ? &*samples : nullptr);
  wanted.periodic = of.periodic;
  wanted.wraps = of.wraps;
  wanted.labels_touch = !of.values.empty();
  wanted.in_pieces = of.by_values;
  BitVolume enclosed;
  Labeling background;
  if (needs_background(wanted)) {
    const Connectivity other = complementary(of.connectivity);
    enclosed = enclosed_background(*of.labels, other);
    background =
        find_variant(*find_algorithm("runs", DeviceKind::cpu), other)->make(0)->label(enclosed.view());
    wanted.background = &background;
  }
  MeasureTable measured = gpuccl::measure(*of.labels, of.components, wanted);
  if (!wanted.samples.empty()) {
    if (samples->extent() != of.labels->extent())
      refuse("the intensity image has another shape than the labels");
    measured.add(measure_intensity(*of.labels, of.components, *samples, {.wanted = wanted.wanted}));
  }
  return measured;
}

template <class T>
std::vector<T> values_as(std::span<const ValueBits> values, ValueType type) {
  std::vector<T> column(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    column[i] =
        std::is_floating_point_v<T> ? static_cast<T>(to_double(type, values[i])) : static_cast<T>(values[i]);
  return column;
}

Cells value_column(std::span<const ValueBits> values, ValueType type) {
  if (is_floating(type)) return values_as<double>(values, type);
  if (type == ValueType::u64) return values_as<std::uint64_t>(values, type);
  return values_as<std::int64_t>(values, type);
}

/// Returns a column of area or bounding box; none for other names.
std::optional<Cells> whole_column(const std::string& name, const Components& components) {
  const auto all = [&](auto value_of) {
    std::vector<std::int64_t> column(components.size());
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = static_cast<std::int64_t>(value_of(i));
    return Cells(std::move(column));
  };
  if (name == "area") return all([&](std::size_t i) { return components.area[i]; });
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (name == std::string{"xyz"[axis], '0'})
      return all([&](std::size_t i) { return components.box[i].min[axis]; });
    if (name == std::string{"xyz"[axis], '1'})
      return all([&](std::size_t i) { return components.box[i].max[axis] + 1; });  // half-open
  }
  return std::nullopt;
}

Table make_table(const Described& of, const TableRequest& request, const MeasureTable& measured) {
  Table table;
  const Components turned = of.order == kRasterOrder ? Components() : with_axes(of.components, of.order);
  const Components& components = of.order == kRasterOrder ? of.components : turned;
  const std::size_t count = components.size();
  std::vector<std::pair<MeasureId, double*>> measured_columns;
  for (const std::string& name : request.columns) {
    Cells cells = std::vector<double>(0);
    if (name == "label") {
      if (of.by_values) {
        cells = value_column(of.values, of.type);
      } else {
        std::vector<std::int64_t> labels(count);
        std::iota(labels.begin(), labels.end(), 1);
        cells = std::move(labels);
      }
    } else if (name == "value") {
      cells = value_column(of.values, of.type);
    } else if (auto whole = whole_column(name, components)) {
      cells = std::move(*whole);
    } else {
      cells = std::vector<double>(count);
    }
    table.columns.emplace_back(name, std::move(cells));
  }
  for (auto& [name, cells] : table.columns)
    if (auto* column = std::get_if<std::vector<double>>(&cells); column != nullptr && name != "value")
      if (const auto id = find_measure(name)) measured_columns.emplace_back(*id, column->data());
  if (measured_columns.empty()) return table;
  const auto derive = [&](std::size_t i) {
    const MeasureValues values = measured.values(components, i);
    for (const auto& [id, column] : measured_columns) column[i] = values[id];
  };
  if (count < 256) {
    for (std::size_t i = 0; i < count; ++i) derive(i);
  } else {
    tbb::parallel_for(std::size_t{0}, count, derive);
  }
  return table;
}

// --- labels into an array

struct LabeledArray {
  BitVolume bits;  // the labels refer to them
  Labeling labeled;
  UninitializedVector<ValueBits> values;
  ValueType type = ValueType::u8;
  std::vector<Label> map;
  std::vector<std::array<Wrap, 3>> wraps;

  std::int64_t count() const { return map.empty() ? labeled.labels->count() : number; }
  Label number = 0;  // of components, with a map
};

Labeling label_bits(const BitVolume& bits, Connectivity connectivity) {
  return find_variant(*find_algorithm("runs", DeviceKind::cpu), connectivity)->make(0)->label(bits.view());
}

/// `only_labels`: whether components may be left out.
LabeledArray label_array(const HostArray& array, const LabelRequest& request, bool only_labels,
                         Findings& findings) {
  LabeledArray made;
  const Connectivity connectivity = checked(request.connectivity);
  if (request.values) {
    ValueLabeling found =
        label_values(read_values(array, request.delta, findings), connectivity, 0, only_labels);
    made.labeled = std::move(found.labeled);
    made.values = std::move(found.values);
    made.type = *array.type();
  } else {
    made.bits = request.packed_width >= 0 ? unpack_rows(array, request.packed_width) : pack(array, findings);
    made.labeled = label_bits(made.bits, connectivity);
  }
  if (request.periodic != PeriodicAxes{}) {
    check_periodic(made.labeled.labels->extent(), connectivity, request.periodic);
    Wrapped wrapped =
        wrap(*made.labeled.labels, made.labeled.components, connectivity, request.periodic, made.values);
    made.labeled.components = std::move(wrapped.components);
    made.map = std::move(wrapped.map);
    made.number = static_cast<Label>(made.labeled.components.size());
    made.wraps = std::move(wrapped.wraps);
    remap(made.map, made.labeled.components.size(), made.values);
  }
  return made;
}

// --- arrays in another order of axes, such as Fortran's
//
// An array is labeled in the order of its memory: connectivity is the same along all axes. Only the numbers
// of labels, and axes in tables, are those of the array.

/// Returns the axes of `array` in the order of its memory. Slices that are labeled separately stay slices.
AxisOrder order_of(const HostArray& array, Connectivity connectivity) {
  return array.memory_order(is_3d(connectivity) ? 3 : 2);
}

/// Returns the numbers of the components in raster order of an array whose axes are in `order`. The first
/// element of each component is marked in the array; its number is the number of marks up to there.
std::vector<Label> raster_numbers(const LabeledArray& made, const AxisOrder& order) {
  const LabelRows& labels = *made.labeled.labels;
  const Label count = made.number, *const map = made.map.empty() ? nullptr : made.map.data();
  const Extent& extent = labels.extent();
  const int sizes[] = {extent.width, extent.height, extent.depth};
  std::array<std::uint64_t, 3> steps{};  // of the index in the array, along the axes of `labels`
  std::uint64_t elements = 1;
  for (const std::size_t axis : inverse(order)) {
    steps[axis] = elements;
    elements *= static_cast<std::uint64_t>(sizes[axis]);
  }
  const std::vector<std::uint64_t> firsts =
      first_elements(labels, made.labeled.components, count, steps, map);
  constexpr std::uint64_t kBits = 64;
  std::vector<std::uint64_t> marks(elements / kBits + 1);
  std::vector<Label> before(marks.size());
  for (std::size_t label = 1; label <= count; ++label)
    marks[firsts[label] / kBits] |= std::uint64_t{1} << firsts[label] % kBits;
  for (std::size_t i = 1; i < marks.size(); ++i)
    before[i] = before[i - 1] + static_cast<Label>(std::popcount(marks[i - 1]));
  std::vector<Label> numbers(firsts.size());
  tbb::parallel_for(std::size_t{1}, firsts.size(), [&](std::size_t label) {
    const std::uint64_t at = firsts[label] / kBits, bit = std::uint64_t{1} << firsts[label] % kBits;
    numbers[label] = before[at] + static_cast<Label>(std::popcount(marks[at] & (bit - 1))) + 1;
  });
  return numbers;
}

/// Numbers components in raster order of the array whose axes are in `order`. `only_labels`: not the
/// components.
void renumber(LabeledArray& made, const AxisOrder& order, bool only_labels) {
  if (order == kRasterOrder) return;
  made.number = static_cast<Label>(made.count());
  std::vector<Label> numbers = raster_numbers(made, order);
  if (!only_labels) {
    remap(numbers, made.number, made.values);
    Components& components = made.labeled.components;
    const Components from = components;
    components.sum_high.clear();
    tbb::parallel_for(std::size_t{0}, from.size(), [&](std::size_t i) {
      const std::size_t to = numbers[i + 1] - 1;
      components.area[to] = from.area[i];
      components.box[to] = from.box[i];
      components.sum[to] = from.sum[i];
    });
    for (const auto& [i, high] : from.sum_high) components.sum_high[numbers[i + 1] - 1] = high;
  }
  const std::vector<std::array<Wrap, 3>> wraps = made.wraps;
  for (std::size_t i = 0; i < wraps.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) made.wraps[numbers[i + 1] - 1][order[axis]] = wraps[i][axis];
  if (made.map.empty()) {
    made.map = std::move(numbers);
  } else {
    for (Label& label : made.map) label = numbers[label];
  }
}

/// Returns true if the measures are derived from areas, boxes and integer samples, which have the same bits
/// in every order of axes.
bool are_turned(const TableRequest& request, const HostArray* intensity) {
  const bool are_integers = intensity != nullptr && intensity->type() && !is_floating(*intensity->type());
  return std::all_of(request.columns.begin(), request.columns.end(), [&](const std::string& name) {
    const std::optional<MeasureId> id = find_measure(name);
    if (!id) return true;
    return measures_without_shape()[static_cast<std::size_t>(*id)] &&
           (are_integers || measure_of(*id).group != MeasureGroup::intensity);
  });
}

template <class To>
void render_wide(const LabelRows& labels, const Label* map, const HostArray& out) {
  for_rows(labels.extent(), 8, [&](std::int64_t first, std::int64_t rows) {
    std::vector<Label> row(static_cast<std::size_t>(labels.extent().width));
    for (std::int64_t r = first; r < first + rows; ++r) {
      labels.render(r, 1, row.data(), map);
      std::copy(row.begin(), row.end(), reinterpret_cast<To*>(out.row(r)));
    }
  });
}

void render(const LabelRows& labels, const std::vector<Label>& map, std::uint64_t count,
            const HostArray& out) {
  const Label* const mapped = map.empty() ? nullptr : map.data();
  const std::size_t bits = out.bytes_each() * 8 - (is_signed(*out.type()) ? 1 : 0);
  if (bits < 64 && count >> bits != 0)
    refuse("out= is too small for " + std::to_string(count) + " labels; use an array of " +
           (count >> 16 == 0   ? "uint16"
            : count >> 31 == 0 ? "int32"
                               : "int64"));
  if (labels.extent().elements() == 0) return;
  std::byte* const data = out.row(0);
  if (out.bytes_each() == 8) return render_wide<std::uint64_t>(labels, mapped, out);
  if (out.bytes_each() == 4) return render_all(labels, reinterpret_cast<std::uint32_t*>(data), mapped);
  if (out.bytes_each() == 2) return render_all(labels, reinterpret_cast<std::uint16_t*>(data), mapped);
  render_all(labels, reinterpret_cast<std::uint8_t*>(data), mapped);
}

/// Returns the labels with the numbers of the map.
LabelImage numbered(const LabeledArray& made) {
  LabelImage labels(made.labeled.labels->extent(), static_cast<Label>(made.count()));
  render_all(*made.labeled.labels, labels.data(), made.map.data());
  return labels;
}

/// Checks an array that labels are written to. `width`: of rows of packed bits; negative for other arrays.
void check_out(const HostArray& array, const HostArray& out, int width) {
  Extent expected = array.extent();
  if (width >= 0) expected.width = width;
  if (out.extent() != expected || !out.is_contiguous() || !out.type() || is_floating(*out.type()))
    refuse("labels are written to a C-contiguous array of integers of the same shape");
}

std::optional<HostArray>& take(std::optional<HostArray>& array, nb::handle object) {
  if (object.is_valid() && !object.is_none()) array.emplace(object.ptr(), false);
  return array;
}

// --- existing label images

/// Rejects measures of voids, which are components of the background.
void check_measures(const TableRequest& request) {
  for (const std::string& name : request.columns) {
    const std::optional<MeasureId> id = find_measure(name);
    if (id && (*id == MeasureId::cavities || *id == MeasureId::tunnels ||
               measure_of(*id).group == MeasureGroup::periodic))
      refuse(name + " is measured of components that are labeled by label(), not of other labels");
  }
}

// --- objects of two label images

/// Each value of an array as one object.
struct Objects {
  ValueLabeling labeled;
  std::vector<std::uint64_t> ids;
  std::vector<std::uint64_t> classes = {};  // values, where objects are their components
};

/// Returns the places of identifiers in ascending order; none if they are sorted.
std::vector<std::size_t> order_of(const std::vector<std::uint64_t>& ids) {
  if (std::is_sorted(ids.begin(), ids.end())) return {};
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (const std::uint64_t most = *std::max_element(ids.begin(), ids.end()); most < 4 * ids.size()) {
    std::vector<std::size_t> places(most + 1, ids.size());
    for (const std::size_t i : order) places[ids[i]] = i;
    std::copy_if(places.begin(), places.end(), order.begin(), [&](std::size_t i) { return i < ids.size(); });
    return order;
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  return order;
}

/// Sorts the rows of a table by the identifiers of its objects.
void sort_rows(Table& table, const std::vector<std::uint64_t>& ids) {
  const std::vector<std::size_t> order = order_of(ids);
  if (order.empty()) return;
  for (auto& [name, cells] : table.columns)
    std::visit(
        [&](auto& column) {
          const auto unsorted = column;
          for (std::size_t i = 0; i < order.size(); ++i) column[i] = unsorted[order[i]];
        },
        cells);
}

/// Returns labels as integers.
std::vector<std::uint64_t> ids_of(const UninitializedVector<ValueBits>& values, const HostArray& array) {
  std::vector<std::uint64_t> ids(values.begin(), values.end());
  if (is_floating(*array.type()))
    for (std::uint64_t& id : ids) id = static_cast<std::uint64_t>(to_double(*array.type(), id));
  return ids;
}

Objects read_objects(const HostArray& array, Findings& findings) {
  Objects objects{label_by_value(read_labels(array, findings)), {}};
  objects.ids = ids_of(objects.labeled.values, array);
  return objects;
}

/// Returns the components of equal values as objects, numbered from 1.
Objects read_classes(const HostArray& array, Connectivity connectivity, Findings& findings) {
  Objects objects{label_values(read_labels(array, findings), connectivity), {}};
  objects.classes = ids_of(objects.labeled.values, array);
  objects.ids.resize(objects.classes.size());
  std::iota(objects.ids.begin(), objects.ids.end(), std::uint64_t{1});
  return objects;
}

/// The table of `gpuccl match --csv`; 0 stands for no object, NaN for no distance.
class PairTable {
 public:
  PairTable(const OverlapTable& table, std::span<const std::uint64_t> truth_ids,
            std::span<const std::uint64_t> prediction_ids)
      : table_(table), truth_ids_(truth_ids), prediction_ids_(prediction_ids) {}

  void add(std::uint64_t value, const std::vector<ScoredPair>& pairs, const ScoreOptions& options) {
    const auto of = [](const auto& values, const std::optional<std::uint32_t>& i) {
      return i ? values[*i] : std::uint64_t{0};
    };
    const auto append = [&](auto& column, const auto& get) {
      for (const ScoredPair& pair : pairs) column.push_back(get(pair));
    };
    if (options.has_classes) values_.resize(values_.size() + pairs.size(), value);
    append(truth_, [&](const ScoredPair& pair) { return of(truth_ids_, pair.truth); });
    append(prediction_, [&](const ScoredPair& pair) { return of(prediction_ids_, pair.prediction); });
    std::size_t i = 0;
    const auto count = [&](const auto& get) {
      append(counts_[i++], [&](const ScoredPair& pair) { return static_cast<std::int64_t>(get(pair)); });
    };
    count([&](const ScoredPair& pair) { return of(table_.truth_areas, pair.truth); });
    count([&](const ScoredPair& pair) { return of(table_.prediction_areas, pair.prediction); });
    count([](const ScoredPair& pair) { return pair.pixels; });
    count([](const ScoredPair& pair) { return pair.is_match; });
    count([](const ScoredPair& pair) { return pair.truth_partners; });
    count([](const ScoredPair& pair) { return pair.prediction_partners; });
    later_.resize(options.thresholds.size() - 1);
    for (std::size_t k = 0; k < later_.size(); ++k)
      append(later_[k], [&](const ScoredPair& pair) { return std::int64_t{pair.matches_later[k]}; });
    append(iou_, [](const ScoredPair& pair) { return pair.iou; });
    append(dice_, [](const ScoredPair& pair) { return pair.dice; });
    if (!options.has_distances && !options.has_regions) return;
    for (const ScoredPair& pair : pairs) {
      i = 0;
      each_distance(pair.distances, true,
                    [&](const char*, double distance) { distances_[i++].push_back(distance); });
      i = 0;
      each_region_score(pair.region_dice, pair.of_region, true, true,
                        [&](const char*, double score) { of_regions_[i++].push_back(score); });
    }
  }

  Table columns(const ScoreOptions& options) {
    Table pairs;
    if (options.has_classes) pairs.columns.emplace_back("value", std::move(values_));
    pairs.columns.emplace_back("truth", std::move(truth_));
    pairs.columns.emplace_back("prediction", std::move(prediction_));
    pairs.columns.emplace_back("truth_area", std::move(counts_[0]));
    pairs.columns.emplace_back("prediction_area", std::move(counts_[1]));
    pairs.columns.emplace_back("overlap", std::move(counts_[2]));
    pairs.columns.emplace_back("iou", std::move(iou_));
    pairs.columns.emplace_back("dice", std::move(dice_));
    pairs.columns.emplace_back("matched", std::move(counts_[3]));
    pairs.columns.emplace_back("truth_partners", std::move(counts_[4]));
    pairs.columns.emplace_back("prediction_partners", std::move(counts_[5]));
    later_.resize(options.thresholds.size() - 1);
    for (std::size_t i = 0; i < later_.size(); ++i)
      pairs.columns.emplace_back(column_at("matched", options.thresholds[i + 1]), std::move(later_[i]));
    const bool has_dice = options.surfaces && options.surfaces->has_tolerance();
    std::size_t i = 0;
    if (options.has_distances)
      each_distance({}, has_dice, [&](const char* name, double) {
        pairs.columns.emplace_back(name, std::move(distances_[i++]));
      });
    i = 0;
    if (options.has_regions)
      each_region_score(0, {}, options.has_distances, has_dice, [&](const char* name, double) {
        pairs.columns.emplace_back(name, std::move(of_regions_[i++]));
      });
    return pairs;
  }

 private:
  const OverlapTable& table_;
  std::span<const std::uint64_t> truth_ids_, prediction_ids_;
  std::vector<std::uint64_t> values_, truth_, prediction_;
  std::array<std::vector<std::int64_t>, 6> counts_;
  std::vector<std::vector<std::int64_t>> later_;  // matches at further thresholds
  std::vector<double> iou_, dice_;
  std::array<std::vector<double>, 4> distances_;
  std::array<std::vector<double>, 5> of_regions_;
};

/// Reports as Python objects, for report_of().
struct InPython {
  using Object = nb::dict;
  using List = nb::list;
  static void append(List& list, const Object& object) { list.append(object); }
  static const List& value(const List& list) { return list; }
};

// --- selection

/// Replaces 0 or NaN by 1, in the type of the array.
void fill(const HostArray& array, std::byte* element) {
  if (array.type())
    return with_type(*array.type(), [&]<class T>(T one) {
      std::memcpy(&one, element, sizeof one);
      if (one == 0 || one != one) std::memcpy(element, &(one = T{1}), sizeof one);
    });
  constexpr std::uint16_t kInfinity = 0x7c00, kOne = 0x3c00;  // of half precision
  std::uint16_t half;
  std::memcpy(&half, element, sizeof half);
  if (const int magnitude = half & 0x7fff; magnitude == 0 || magnitude > kInfinity)
    std::memcpy(element, &kOne, sizeof kOne);
}

/// Writes the elements of remaining components as they are in `array`, and 0 elsewhere. Holes become 1.
void write_kept(const HostArray& array, const LabelRows& labels, const std::vector<Label>& map,
                const BitVolume* filled, const HostArray& out) {
  const Extent extent = array.extent();
  const std::size_t each = array.bytes_each();
  struct Buffers {
    LabelRuns runs;
    std::vector<std::byte> kept;
  };
  tbb::enumerable_thread_specific<Buffers> buffers;
  array.for_each_row([&](std::int64_t r, const std::byte* row) {
    auto& [runs, kept] = buffers.local();
    labels.list_runs(r, 1, runs, map.empty() ? nullptr : map.data());
    kept.assign(static_cast<std::size_t>(extent.width) * each, std::byte{0});
    for (const LabelRun& run : runs.runs) {
      const std::size_t begin = static_cast<std::size_t>(run.begin) * each;
      std::memcpy(kept.data() + begin, row + begin, static_cast<std::size_t>(run.end - run.begin) * each);
      if (filled == nullptr) continue;
      for (int x = run.begin; x < run.end; ++x) fill(array, kept.data() + static_cast<std::size_t>(x) * each);
    }
    std::memcpy(out.row(r), kept.data(), kept.size());
  });
}

}  // namespace

bool in_any_order(const TableRequest& request) {
  std::optional<HostArray> intensity;
  take(intensity, request.intensity);
  return are_turned(request, intensity ? &*intensity : nullptr);
}

nb::tuple label(nb::handle object, nb::handle out_object, const LabelRequest& given,
                const TableRequest& request) {
  HostArray array(object.ptr(), false);
  LabelRequest asked = given;
  const bool makes_out = PyCallable_Check(out_object.ptr()) != 0;
  nb::object made_out = makes_out ? nb::none() : nb::borrow(out_object);
  std::optional<HostArray> out, intensity;
  if (!makes_out) out.emplace(out_object.ptr(), true);
  take(intensity, request.intensity);
  std::optional<Table> table;
  std::int64_t count = 0;
  Findings findings;
  {
    const nb::gil_scoped_release gil_released;
    const Connectivity connectivity = checked(asked.connectivity);
    const AxisOrder order = out && asked.packed_width < 0 ? order_of(*out, connectivity) : kRasterOrder;
    if (out) {
      array.turn(order);
      out->turn(order);
      check_out(array, *out, asked.packed_width);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) asked.periodic[axis] = given.periodic[order[axis]];
    const bool only_labels = request.columns.empty() && asked.periodic == PeriodicAxes{};
    LabeledArray made = label_array(array, asked, only_labels, findings);
    renumber(made, order, only_labels);
    count = made.count();
    if (makes_out) {
      const nb::gil_scoped_acquire gil;
      made_out = out_object(count);
      out.emplace(made_out.ptr(), true);
      check_out(array, *out, asked.packed_width);
    }
    render(*made.labeled.labels, made.map, static_cast<std::uint64_t>(count), *out);
    if (!request.columns.empty()) {
      if (intensity) intensity->turn(order);
      Described of{.labels = made.labeled.labels.get(),
                   .components = made.labeled.components,
                   .connectivity = connectivity,
                   .values = made.values,
                   .type = made.type,
                   .periodic = given.periodic,
                   .wraps = made.wraps,
                   .order = order};
      std::optional<LabelImage> united;
      std::optional<Objects> read;
      if (!are_turned(request, intensity ? &*intensity : nullptr) && order != kRasterOrder) {
        // Measures by rows of the array.
        for (HostArray* const turned : {&*out, intensity ? &*intensity : nullptr})
          if (turned != nullptr) turned->turn(inverse(order));
        read = read_objects(*out, findings);
        of.labels = read->labeled.labeled.labels.get();
        made.labeled.components = with_axes(std::move(made.labeled.components), order);
        of.order = kRasterOrder;
      } else if (!made.map.empty() && (intensity || order == kRasterOrder)) {
        // Labels united across borders; components are measured by these.
        united = numbered(made);
        of.labels = &*united;
      }
      table = make_table(of, request, measure_columns(of, request, intensity ? &*intensity : nullptr));
    }
  }
  warn_of(findings);
  if (makes_out) return nb::make_tuple(made_out, count);
  return nb::make_tuple(count, table ? nb::object(to_dict(std::move(*table))) : nb::none());
}

nb::dict measure(nb::handle object, int connectivity_given, const TableRequest& request) {
  HostArray array(object.ptr(), false);
  std::optional<HostArray> intensity;
  take(intensity, request.intensity);
  Table table;
  Findings findings;
  {
    const nb::gil_scoped_release gil_released;
    const Connectivity connectivity = checked(connectivity_given);
    HostArray* const samples = intensity ? &*intensity : nullptr;
    const AxisOrder order = are_turned(request, samples) ? order_of(array, connectivity) : kRasterOrder;
    array.turn(order);
    if (samples != nullptr) samples->turn(order);
    const Objects objects = read_objects(array, findings);
    const Labeling& labeled = objects.labeled.labeled;
    check_measures(request);
    const Described of{.labels = labeled.labels.get(),
                       .components = labeled.components,
                       .connectivity = connectivity,
                       .values = objects.ids,
                       .type = ValueType::u64,
                       .by_values = true,
                       .order = order};
    table = make_table(of, request, measure_columns(of, request, samples));
    sort_rows(table, objects.ids);
  }
  warn_of(findings);
  return to_dict(std::move(table));
}

namespace {

/// The share of a block in an object, as words: their number, the identifier, the component, and what
/// MeasureTable::save() appends.
struct Share {
  static constexpr std::size_t kHead = 2 + sizeof(Component) / sizeof(std::uint64_t);
  static_assert(std::has_unique_object_representations_v<Component>);

  std::uint64_t id = 0;
  Component component;
  std::span<const std::uint64_t> saved = {};

  void append_to(std::vector<std::uint64_t>& words) const {
    const std::size_t begin = words.size();
    words.resize(begin + kHead);
    words[begin] = kHead + saved.size();
    words[begin + 1] = id;
    std::memcpy(&words[begin + 2], &component, sizeof component);
    words.insert(words.end(), saved.begin(), saved.end());
  }
};

/// Calls visit(share) for each share of a block.
template <class Visit>
void for_each_share(const BlockWords& words, Visit visit) {
  for (std::size_t at = 0; at < words.shape(0); at += words(at)) {
    Share share{words(at + 1), {}, {&words(at) + Share::kHead, words(at) - Share::kHead}};
    std::memcpy(static_cast<void*>(&share.component), &words(at) + 2, sizeof share.component);
    visit(share);
  }
}

nb::object to_array(std::vector<std::uint64_t>&& words) {
  Table table;
  table.columns.emplace_back("words", std::move(words));
  return to_dict(std::move(table))["words"];
}

MeasureRequest request_of_blocks(const TableRequest& request, int connectivity, const ArraySamples* samples) {
  check_measures(request);
  MeasureRequest wanted = request_of(request, checked(connectivity), samples);
  wanted.labels_touch = true;
  wanted.in_pieces = true;
  if (counts_pieces(wanted))
    refuse("components and holes are not measured of chunks; use gpuccl.measure, or leave them out");
  return wanted;
}

/// Returns the index in the whole image of the first element of each label, given labels of a block at
/// `origin`.
std::vector<std::uint64_t> first_elements(const LabelRows& labels, const Place& origin, const Place& whole) {
  // Labels are in raster order, so each begins at the first run with a larger one.
  std::vector<std::uint64_t> firsts;
  const auto& [width, height, depth] = labels.extent();
  LabelRuns runs;
  for (std::int64_t z = 0; z < depth; ++z) {
    labels.list_runs(z * height, height, runs, nullptr);
    for (std::int64_t y = 0; y < height; ++y)
      for (const LabelRun& run : runs.row(static_cast<std::size_t>(y)))
        if (run.label > firsts.size())
          firsts.push_back(static_cast<std::uint64_t>(
              ((z + origin[2]) * whole[1] + y + origin[1]) * whole[0] + run.begin + origin[0]));
  }
  return firsts;
}

}  // namespace

nb::object label_block(nb::handle object, nb::handle out_object, const LabelRequest& request,
                       const Place& origin, const Place& whole, const std::optional<PairColumn>& numbers) {
  const HostArray array(object.ptr(), false), out(out_object.ptr(), true);
  std::vector<std::uint64_t> firsts;
  Findings findings;
  {
    const nb::gil_scoped_release gil_released;
    check_out(array, out, -1);
    const LabeledArray made = label_array(array, request, true, findings);
    const LabelRows& labels = *made.labeled.labels;
    if (!numbers) {
      render(labels, {}, labels.count(), out);
      firsts = first_elements(labels, origin, whole);
    } else {
      if (numbers->shape(0) != labels.count() + std::size_t{1})
        refuse("the array changed between two readings");
      const auto write = [&]<class Number>(Number) {
        for_rows(labels.extent(), sizeof(Number), [&](std::int64_t first, std::int64_t rows) {
          LabelRuns runs;
          labels.list_runs(first, rows, runs, nullptr);
          for (std::int64_t row = 0; row < rows; ++row) {
            auto* const to = reinterpret_cast<Number*>(out.row(first + row));
            std::fill_n(to, labels.extent().width, Number{});
            for (const LabelRun& run : runs.row(static_cast<std::size_t>(row)))
              std::fill(to + run.begin, to + run.end, static_cast<Number>((*numbers)(run.label)));
          }
        });
      };
      out.bytes_each() == sizeof(std::int64_t) ? write(std::int64_t{}) : write(std::int32_t{});
    }
  }
  if (!numbers) warn_of(findings);  // once, at the first of two readings
  return to_array(std::move(firsts));
}

nb::tuple needs_of_block(int connectivity, const TableRequest& request) {
  std::optional<HostArray> intensity;
  std::optional<ArraySamples> samples;
  if (take(intensity, request.intensity)) samples.emplace(*intensity);
  const BlockNeeds needs =
      gpuccl::needs_of_block(request_of_blocks(request, connectivity, samples ? &*samples : nullptr));
  return nb::make_tuple(needs.around, needs.boxes, needs.whole_units);
}

nb::object measure_block(nb::handle object, const BlockPlace& place, int connectivity,
                         const TableRequest& request, const std::optional<BlockWords>& known) {
  const HostArray array(object.ptr(), false);
  std::optional<HostArray> intensity;
  take(intensity, request.intensity);
  std::vector<std::uint64_t> words;
  Findings findings;
  {
    const nb::gil_scoped_release gil_released;
    const auto& [width, height, depth] = place.whole;
    const Extent whole{width, height, depth};
    std::optional<ArraySamples> samples;
    if (intensity) {
      if (!intensity->same_shape(array)) refuse("the intensity image has another shape than the labels");
      samples.emplace(*intensity, place.origin, whole);
    }
    MeasureRequest wanted = request_of_blocks(request, connectivity, samples ? &*samples : nullptr);
    if (!known && gpuccl::needs_of_block(wanted).boxes)
      wanted = {.wanted = {}, .connectivity = wanted.connectivity};
    const Objects objects = read_objects(array, findings);
    const ImageBlock block{*objects.labeled.labeled.labels, place.origin, whole, {place.first, place.last}};
    const Components shares = components_of_block(block);
    Components components;
    std::vector<std::size_t> places;  // of these components in `shares`
    std::vector<Label> numbers(shares.size() + 1);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (shares.area[i] == 0) continue;
      components.push_back(shares[i]);
      places.push_back(i);
      numbers[i + 1] = static_cast<Label>(places.size());
    }
    for (std::size_t i = 1; i < numbers.size(); ++i)
      if (numbers[i] == 0) numbers[i] = static_cast<Label>(places.size() + 1);
    if (known) {
      std::size_t i = 0;
      for_each_share(*known, [&](const Share& share) {
        if (i == places.size() || share.id != objects.ids[places[i]])
          refuse("labels changed between two readings");
        components.set(i++, share.component);
      });
    }
    const MeasureTable measured = gpuccl::measure_block(block, numbers, components, wanted);
    std::vector<std::uint64_t> saved;
    for (std::size_t i = 0; i < places.size(); ++i) {
      saved.clear();
      measured.save(i, saved);
      Share{objects.ids[places[i]], shares[places[i]], saved}.append_to(words);
    }
  }
  if (!known) warn_of(findings);
  return to_array(std::move(words));
}

nb::object join_blocks(const std::vector<BlockWords>& blocks, const std::array<int, 3>& size,
                       int connectivity, const std::optional<TableRequest>& request) {
  std::optional<HostArray> intensity;
  if (request) take(intensity, request->intensity);
  Table table;
  std::vector<std::uint64_t> words;
  {
    const nb::gil_scoped_release gil_released;
    std::vector<std::uint64_t> ids;
    for (const BlockWords& block : blocks)
      for_each_share(block, [&](const Share& share) { ids.push_back(share.id); });
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    const auto place_of = [&](const Share& share) {
      return static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), share.id) - ids.begin());
    };
    std::vector<Component> sums(ids.size());
    for (const BlockWords& block : blocks)
      for_each_share(block, [&](const Share& share) { sums[place_of(share)].add(share.component); });
    if (!request) {
      for (std::size_t i = 0; i < ids.size(); ++i) Share{ids[i], sums[i]}.append_to(words);
    } else {
      Components components;
      for (const Component& component : sums) components.push_back(component);
      const Extent whole{size[0], size[1], size[2]};
      std::optional<ArraySamples> samples;
      if (intensity) samples.emplace(*intensity, std::array<int, 3>{}, whole);
      MeasureTable measured = empty_measures(
          whole, components, request_of_blocks(*request, connectivity, samples ? &*samples : nullptr));
      for (const BlockWords& block : blocks)
        for_each_share(block, [&](const Share& share) { measured.add_saved(place_of(share), share.saved); });
      measured.derive_intensities(components.size());
      table = make_table({.labels = nullptr,
                          .components = components,
                          .connectivity = checked(connectivity),
                          .values = ids,
                          .type = ValueType::u64,
                          .by_values = true},
                         *request, measured);
    }
  }
  if (!request) return to_array(std::move(words));
  return to_dict(std::move(table));
}

nb::object select_blocks(const BlockWords& words, const std::array<int, 3>& size, bool per_slice,
                         const CleanRequest& request, const std::optional<BlockWords>& values) {
  std::optional<nb::gil_scoped_release> released(std::in_place);
  Components components;
  for_each_share(words, [&](const Share& share) { components.push_back(share.component); });
  const std::size_t count = components.size();
  std::vector<ValueBits> bits;
  if (values) bits.assign(values->data(), values->data() + values->shape(0));
  const Selection selection =
      select(std::move(components), {size[0], size[1], size[2]}, per_slice,
             {.min_size = request.min_size,
              .max_size = request.max_size,
              .largest = request.largest,
              .clear_border = request.clear_border},
             MeasureTable(), {.bits = bits, .type = ValueType::u64, .per_value = request.per_value});
  std::vector<std::uint64_t> kept(count, 1);
  for (std::size_t i = 0; i < count && !selection.map.empty(); ++i) kept[i] = selection.map[i + 1] != 0;
  released.reset();
  return to_array(std::move(kept));
}

nb::tuple clean(nb::handle object, nb::handle out_object, const CleanRequest& request) {
  HostArray array(object.ptr(), false), out(out_object.ptr(), true);
  std::optional<HostArray> seeds;
  take(seeds, request.seeds);
  Findings findings;
  std::optional<nb::gil_scoped_release> released(std::in_place);
  const Connectivity connectivity = checked(request.connectivity);
  if (!out.same_shape(array) || out.type() != array.type() || out.bytes_each() != array.bytes_each())
    refuse("out= has another shape or type than the array");
  const AxisOrder order = order_of(out, connectivity);
  for (HostArray* const turned : {&array, &out, seeds ? &*seeds : nullptr})
    if (turned != nullptr) turned->turn(order);
  if (!out.has_whole_rows()) refuse("the rows of out= are not contiguous");
  if (request.values && request.fill_holes > 0)
    refuse("fill_holes is for masks, not for values; for a mask of integers add values=False");
  LabeledArray made;
  std::optional<BitVolume> filled;
  const bool per_slice = !is_3d(connectivity);
  if (request.fill_holes > 0) {
    made.bits = pack(array, findings);
    invert(made.bits);
    const Holes holes(label_bits(made.bits, complementary(connectivity)), per_slice, request.fill_holes);
    filled.emplace(array.extent());
    holes.draw_filled(0, *filled);
    made.labeled = label_bits(*filled, connectivity);
  } else if (request.values) {
    ValueLabeling found = label_values(read_labels(array, findings), connectivity);
    made.labeled = std::move(found.labeled);
    made.values = std::move(found.values);
    made.type = *array.type();
  } else {
    made.bits = pack(array, findings);
    made.labeled = label_bits(made.bits, connectivity);
  }
  SelectionOptions options{.min_size = request.min_size,
                           .max_size = request.max_size,
                           .largest = request.largest,
                           .clear_border = request.clear_border};
  MeasureTable measured;
  if (request.largest > 0) renumber(made, order, false);  // the first of equal components remain
  if (seeds) {
    if (!seeds->same_shape(array)) refuse("seeds has another shape than the array");
    options.keep.steps = {{.measure = MeasureId::intensity_max, .relation = Condition::Relation::greater}};
    std::optional<LabelImage> turned;
    if (!made.map.empty()) turned = numbered(made);
    measured = measure_columns(
        {turned ? &*turned : made.labeled.labels.get(), made.labeled.components, connectivity},
        {.columns = {"intensity_max"}}, &*seeds);
  }
  const Selection selection =
      select(std::move(made.labeled.components), array.extent(), per_slice, options, measured,
             {.bits = made.values, .type = made.type, .per_value = request.per_value});
  std::vector<Label> map = selection.map;
  if (!map.empty() && !made.map.empty())
    for (std::size_t label = 0; label < map.size(); ++label) map[label] = selection.map[made.map[label]];
  write_kept(array, *made.labeled.labels, map, filled ? &*filled : nullptr, out);
  const std::uint64_t kept = selection.components.size(), dropped = selection.dropped;
  released.reset();
  warn_of(findings);
  return nb::make_tuple(kept, dropped);
}

nb::dict contacts(nb::handle object, int connectivity_given) {
  const HostArray array(object.ptr(), false);
  Table table;
  Findings findings;
  {
    const nb::gil_scoped_release gil_released;
    const Connectivity connectivity = checked(connectivity_given);
    std::vector<std::uint64_t> ids;  // of the labels; empty if they are identifiers
    std::vector<Contact> found;
    if (ArrayLabels::can_list(array)) {
      found = find_contacts(ArrayLabels(array, findings), connectivity);
    } else {
      const Objects objects = read_objects(array, findings);
      // Labels 1..n in ascending order of the identifiers, so that a < b for both.
      ids = objects.ids;
      const std::vector<std::size_t> order = order_of(ids);
      std::vector<Label> numbers(order.empty() ? 0 : ids.size() + 1, 0);
      for (std::size_t i = 0; i < order.size(); ++i) {
        ids[i] = objects.ids[order[i]];
        numbers[order[i] + 1] = static_cast<Label>(i + 1);
      }
      found = find_contacts(*objects.labeled.labeled.labels, connectivity,
                            numbers.empty() ? nullptr : numbers.data());
    }
    const auto id_of = [&](Label label) { return ids.empty() ? label : ids[label - 1]; };
    const auto add = [&]<class T>(const char* name, const std::vector<T>& /*type*/, auto value_of) {
      std::vector<T> column(found.size());
      for (std::size_t i = 0; i < found.size(); ++i) column[i] = static_cast<T>(value_of(found[i]));
      table.columns.emplace_back(name, std::move(column));
    };
    const std::vector<std::int64_t> counts;
    add("label_a", ids, [&](const Contact& contact) { return id_of(contact.a); });
    add("label_b", ids, [&](const Contact& contact) { return id_of(contact.b); });
    add("faces_x", counts, [](const Contact& contact) { return contact.faces[0]; });
    add("faces_y", counts, [](const Contact& contact) { return contact.faces[1]; });
    add("faces_z", counts, [](const Contact& contact) { return contact.faces[2]; });
    add("edges", counts, [](const Contact& contact) { return contact.edges; });
    add("corners", counts, [](const Contact& contact) { return contact.corners; });
  }
  warn_of(findings);
  return to_dict(std::move(table));
}

nb::dict outlines(nb::handle object) {
  const HostArray array(object.ptr(), false);
  Table table;
  Findings findings;
  {
    const nb::gil_scoped_release gil_released;
    if (array.axes() != 2) refuse("outlines are those of an image, with two axes");
    const Objects objects = read_objects(array, findings);
    const std::size_t count = objects.ids.size();
    LabelRuns listed;
    objects.labeled.labeled.labels->list_runs(0, array.extent().rows(), listed, nullptr);
    std::vector<std::vector<RowRun>> runs(count);
    for (int y = 0; y < array.extent().height; ++y)
      for (const LabelRun& run : listed.row(static_cast<std::size_t>(y)))
        runs[run.label - 1].push_back({y, run.begin, run.end});
    std::vector<std::vector<Polygon>> polygons(count);
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { polygons[i] = outline(runs[i]); });
    std::vector<std::size_t> order = order_of(objects.ids);
    if (order.empty()) {
      order.resize(count);
      std::iota(order.begin(), order.end(), std::size_t{0});
    }
    std::vector<std::uint64_t> ids;
    std::vector<std::int64_t> points, ring_ends(1), polygon_ends(1), object_ends(1);
    const auto add = [&](const Ring& ring) {
      for (std::size_t i = 0; i <= ring.size(); ++i)
        for (const int at : {ring[i % ring.size()].x, ring[i % ring.size()].y}) points.push_back(at);
      ring_ends.push_back(std::ssize(points) / 2);
    };
    for (const std::size_t i : order) {
      ids.push_back(objects.ids[i]);
      for (const Polygon& polygon : polygons[i]) {
        add(polygon.outer);
        for (const Ring& hole : polygon.holes) add(hole);
        polygon_ends.push_back(std::ssize(ring_ends) - 1);
      }
      object_ends.push_back(std::ssize(polygon_ends) - 1);
    }
    table.columns.emplace_back("label", std::move(ids));
    table.columns.emplace_back("points", std::move(points));
    table.columns.emplace_back("rings", std::move(ring_ends));
    table.columns.emplace_back("polygons", std::move(polygon_ends));
    table.columns.emplace_back("objects", std::move(object_ends));
  }
  warn_of(findings);
  return to_dict(std::move(table));
}

namespace {

void check_thresholds(const std::vector<double>& thresholds) {
  if (thresholds.empty()) refuse("threshold is empty");
  for (const double threshold : thresholds)
    if (!(threshold > 0 && threshold <= 1)) refuse("threshold is a number above 0 and up to 1");
}

/// Scores of two images, and the table of their pairs.
struct MatchResult {
  MatchTotals total;
  ClassTotals classes;
  Table pairs;

  MatchResult(const OverlapTable& table, const Objects& truth, const Objects& prediction, bool with_pairs,
              ScoreOptions options) {
    PairTable rows(table, truth.ids, prediction.ids);
    options.truth_classes = truth.classes;
    options.prediction_classes = prediction.classes;
    if (with_pairs)
      options.on_pairs = [&](std::uint64_t value, const auto& more) { rows.add(value, more, options); };
    total = score_images(table, options, classes);
    pairs = rows.columns(options);
  }

  nb::tuple in_python(bool with_pairs, bool has_classes, double empty) {
    nb::dict result = report_of<InPython>(total, empty);
    if (has_classes) add_classes<InPython>(result, classes, empty);
    return nb::make_tuple(result, with_pairs ? nb::object(to_dict(std::move(pairs))) : nb::none());
  }
};

}  // namespace

nb::tuple match(nb::handle truth_object, nb::handle prediction_object, const std::vector<double>& thresholds,
                bool with_pairs, int class_connectivity, double empty,
                const std::optional<std::array<double, 3>>& spacing, const std::optional<double>& tolerance,
                const std::array<std::uint64_t, 2>& min_size, bool with_distances, bool with_regions) {
  const HostArray truth_array(truth_object.ptr(), false), prediction_array(prediction_object.ptr(), false);
  const bool has_classes = class_connectivity != 0;
  std::optional<MatchResult> result;
  Findings findings;
  {
    const nb::gil_scoped_release gil_released;
    if (!truth_array.same_shape(prediction_array)) refuse("truth and prediction have different shapes");
    check_thresholds(thresholds);
    ScoreOptions options{.thresholds = thresholds,
                         .has_distances = with_distances,
                         .has_regions = with_regions,
                         .empty = empty,
                         .has_classes = has_classes};
    if (!has_classes && !spacing && min_size[0] <= 1 && min_size[1] <= 1 &&
        ArrayLabels::can_list(truth_array) && ArrayLabels::can_list(prediction_array)) {
      IdentifiedOverlaps found =
          find_overlaps_of_ids(ArrayLabels(truth_array, findings), ArrayLabels(prediction_array, findings));
      const Objects truth{{}, std::move(found.truth_ids)}, prediction{{}, std::move(found.prediction_ids)};
      result.emplace(found.table, truth, prediction, with_pairs, options);
    } else {
      const auto read_large = [&](const HostArray& array, std::uint64_t least) {
        Objects objects = has_classes ? read_classes(array, checked(class_connectivity), findings)
                                      : read_objects(array, findings);
        const Components& components = objects.labeled.labeled.components;
        remove_small(objects.labeled.labeled.labels, least, components.area,
                     {&objects.ids, &objects.classes});
        return objects;
      };
      const Objects truth = read_large(truth_array, min_size[0]);
      const Objects prediction = read_large(prediction_array, min_size[1]);
      const LabelRows &truth_labels = *truth.labeled.labeled.labels,
                      &prediction_labels = *prediction.labeled.labeled.labels;
      std::optional<Surfaces> surfaces;
      if (spacing)
        options.surfaces = &surfaces.emplace(truth_labels, prediction_labels,
                                             SurfaceOptions{.spacing = *spacing, .tolerance = tolerance});
      result.emplace(find_overlaps(truth_labels, prediction_labels), truth, prediction, with_pairs, options);
    }
  }
  warn_of(findings);
  return result->in_python(with_pairs, has_classes, empty);
}

nb::dict overlaps_of_block(nb::handle truth_object, nb::handle prediction_object, const Place& origin,
                           const Place& whole) {
  const HostArray truth_array(truth_object.ptr(), false), prediction_array(prediction_object.ptr(), false);
  Table table;
  Findings findings;
  {
    const nb::gil_scoped_release gil_released;
    if (!truth_array.same_shape(prediction_array)) refuse("truth and prediction have different shapes");
    const Objects objects[] = {read_objects(truth_array, findings), read_objects(prediction_array, findings)};
    const OverlapTable found =
        find_overlaps(*objects[0].labeled.labeled.labels, *objects[1].labeled.labeled.labels);
    std::array<std::vector<std::uint64_t>, 2> ids;
    std::vector<std::int64_t> pixels, firsts;
    const auto add = [&](std::uint64_t truth, std::uint64_t prediction, std::uint64_t count,
                         std::int64_t first) {
      ids[0].push_back(truth);
      ids[1].push_back(prediction);
      pixels.push_back(static_cast<std::int64_t>(count));
      firsts.push_back(first);
    };
    std::vector<std::uint64_t> alone[] = {found.truth_areas, found.prediction_areas};
    for (const Overlap& pair : found.overlaps) {
      alone[0][pair.truth] -= pair.pixels;
      alone[1][pair.prediction] -= pair.pixels;
      add(objects[0].ids[pair.truth], objects[1].ids[pair.prediction], pair.pixels, INT64_MAX);
    }
    for (std::size_t side = 0; side < 2; ++side) {
      const std::vector<std::uint64_t> all =
          first_elements(*objects[side].labeled.labeled.labels, origin, whole);
      for (std::size_t i = 0; i < all.size(); ++i)
        add(side == 0 ? objects[0].ids[i] : 0, side == 0 ? 0 : objects[1].ids[i], alone[side][i],
            static_cast<std::int64_t>(all[i]));
    }
    table.columns.emplace_back("truth", std::move(ids[0]));
    table.columns.emplace_back("prediction", std::move(ids[1]));
    table.columns.emplace_back("pixels", std::move(pixels));
    table.columns.emplace_back("first", std::move(firsts));
  }
  warn_of(findings);
  return to_dict(std::move(table));
}

nb::tuple match_overlaps(const PairColumn& truth_labels, const PairColumn& prediction_labels,
                         const PairColumn& pixels, const PairColumn& first_elements,
                         const std::vector<double>& thresholds, bool with_pairs, double empty,
                         const std::array<std::uint64_t, 2>& min_size) {
  check_thresholds(thresholds);
  std::optional<nb::gil_scoped_release> released(std::in_place);
  const std::size_t count = pixels.shape(0);
  OverlapTable table;
  // Finds the objects of one image in raster order, and the index of each by its label.
  const auto objects_of = [&](const PairColumn& labels, std::uint64_t least,
                              std::vector<std::uint64_t>& areas) {
    struct Object {
      std::uint64_t area = 0;
      std::int64_t first = INT64_MAX;
    };
    std::vector<Object> all;  // by label
    for (std::size_t i = 0; i < count; ++i) {
      const auto label = static_cast<std::size_t>(labels(i));
      if (label >= all.size()) all.resize(label + 1);
      all[label].area += static_cast<std::uint64_t>(pixels(i));
      all[label].first = std::min(all[label].first, first_elements(i));
    }
    Objects objects;
    for (std::size_t label = 1; label < all.size(); ++label)
      if (all[label].area > 0 && all[label].area >= least) objects.ids.push_back(label);
    std::sort(objects.ids.begin(), objects.ids.end(),
              [&](std::uint64_t a, std::uint64_t b) { return all[a].first < all[b].first; });
    std::vector<std::uint32_t> index(all.size(), kNoObject);
    for (const std::uint64_t label : objects.ids) {
      index[label] = static_cast<std::uint32_t>(areas.size());
      areas.push_back(all[label].area);
    }
    return std::pair(std::move(objects), std::move(index));
  };
  const auto [truth, truth_index] = objects_of(truth_labels, min_size[0], table.truth_areas);
  const auto [prediction, prediction_index] =
      objects_of(prediction_labels, min_size[1], table.prediction_areas);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t a = truth_index[static_cast<std::size_t>(truth_labels(i))],
                        b = prediction_index[static_cast<std::size_t>(prediction_labels(i))];
    if (a != kNoObject && b != kNoObject)
      table.overlaps.push_back({a, b, static_cast<std::uint64_t>(pixels(i))});
  }
  std::sort(table.overlaps.begin(), table.overlaps.end(), [](const Overlap& a, const Overlap& b) {
    return a.truth != b.truth ? a.truth < b.truth : a.prediction < b.prediction;
  });
  std::size_t kept = 0;  // blocks of an image list their share of a pair
  for (const Overlap& pair : table.overlaps)
    if (Overlap* const last = kept == 0 ? nullptr : &table.overlaps[kept - 1];
        last != nullptr && last->truth == pair.truth && last->prediction == pair.prediction)
      last->pixels += pair.pixels;
    else
      table.overlaps[kept++] = pair;
  table.overlaps.resize(kept);
  MatchResult result(table, truth, prediction, with_pairs, {.thresholds = thresholds, .empty = empty});
  released.reset();
  return result.in_python(with_pairs, false, empty);
}

}  // namespace gpuccl::python
