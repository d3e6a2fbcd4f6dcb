#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
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
#include <tuple>
#include <utility>
#include <variant>

#include "gpuccl/detail/count_runs.hpp"
#include "gpuccl/detail/match_totals.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/gpuccl.hpp"
#include "host_array.hpp"
#include "module.hpp"

namespace gpuccl::python {
namespace {

namespace nb = nanobind;

/// A table of columns: their names, the spacing along x, y, z (0: unknown), and an array of samples or None.
/// Columns are measures (gpuccl/measures.hpp), "label" and "value". Each becomes a NumPy array.
using TableRequest = std::tuple<std::vector<std::string>, std::array<double, 3>, nb::object>;

/// A column of overlaps_on_device(), or numbers of labels, in host memory.
using PairColumn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Objects of a block of labels, as words.
using BlockWords = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Coordinates or sizes along x, y, z, in arrays that may be wider than an image.
using Place = std::array<std::int64_t, 3>;

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

/// Returns work(findings), called without the GIL, after warning about the findings.
template <class Work>
auto unlocked(const Work& work, bool warns = true) {
  Findings findings;
  std::optional<nb::gil_scoped_release> released(std::in_place);
  auto result = work(findings);
  released.reset();
  if (warns) warn_of(findings);
  return result;
}

// --- tables

using Cells = std::variant<std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<double>>;
using Table = std::vector<std::pair<std::string, Cells>>;

nb::dict to_dict(Table&& table) {
  nb::dict dict;
  for (auto& [name, cells] : table)
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

nb::object to_array(std::vector<std::uint64_t>&& words) {
  return to_dict({{"words", std::move(words)}})["words"];
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
    if (is_floating(type_) || bytes_of(type_) > 2) return {};
    const int count = 1 << 8 * bytes_of(type_);
    return {is_signed(type_) ? -count / 2 : 0, count};
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

/// The intensity image of a table, or none.
struct Intensity {
  explicit Intensity(const TableRequest& request) {
    if (const nb::object& object = std::get<nb::object>(request); !object.is_none())
      array.emplace(object.ptr(), false);
  }
  const HostArray* get() const { return array ? &*array : nullptr; }
  /// Returns its samples, for a block of the whole image.
  const ArraySamples* samples(const std::array<int, 3>& origin, const Extent& whole) {
    return array ? &of_block.emplace(*array, origin, whole) : nullptr;
  }
  void turn(const AxisOrder& order) {
    if (array) array->turn(order);
  }

  std::optional<HostArray> array;
  std::optional<ArraySamples> of_block;
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

Labeling label_bits(const BitVolume& bits, Connectivity connectivity) {
  return find_variant(*find_algorithm("runs", DeviceKind::cpu), connectivity)->make(0)->label(bits.view());
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
  const auto& [columns, spacing, intensity] = request;
  MeasureRequest wanted;
  wanted.connectivity = connectivity;
  wanted.spacing = spacing;
  for (const std::string& name : columns) {
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
    background = label_bits(enclosed, other);
    wanted.background = &background;
  }
  if (!wanted.samples.empty() && samples->extent() != of.labels->extent())
    refuse("the intensity image has another shape than the labels");
  return gpuccl::measure(*of.labels, of.components, wanted);
}

Cells value_column(std::span<const ValueBits> values, ValueType type) {
  if (type == ValueType::u64) return std::vector<std::uint64_t>(values.begin(), values.end());
  if (!is_floating(type)) return std::vector<std::int64_t>(values.begin(), values.end());
  std::vector<double> column;
  for (const ValueBits value : values) column.push_back(to_double(type, value));
  return column;
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
  for (const std::string& name : std::get<0>(request)) {
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
    table.emplace_back(name, std::move(cells));
  }
  for (auto& [name, cells] : table)
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

void take_values(LabeledArray& made, ValueLabeling&& found, const HostArray& array) {
  made.labeled = std::move(found.labeled);
  made.values = std::move(found.values);
  made.type = *array.type();
}

/// `only_labels`: whether components may be left out.
LabeledArray label_array(const HostArray& array, Connectivity connectivity, bool values, double delta,
                         const PeriodicAxes& periodic, int packed_width, bool only_labels,
                         Findings& findings) {
  LabeledArray made;
  if (values) {
    take_values(made, label_values(read_values(array, delta, findings), connectivity, 0, only_labels), array);
  } else {
    made.bits = packed_width >= 0 ? unpack_rows(array, packed_width) : pack(array, findings);
    made.labeled = label_bits(made.bits, connectivity);
  }
  if (periodic != PeriodicAxes{}) {
    check_periodic(made.labeled.labels->extent(), connectivity, periodic);
    Wrapped wrapped =
        wrap(*made.labeled.labels, made.labeled.components, connectivity, periodic, made.values);
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
  const std::vector<std::string>& columns = std::get<0>(request);
  return std::all_of(columns.begin(), columns.end(), [&](const std::string& name) {
    const std::optional<MeasureId> id = find_measure(name);
    if (!id) return true;
    return measures_without_shape()[static_cast<std::size_t>(*id)] &&
           (are_integers || measure_of(*id).group != MeasureGroup::intensity);
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
  with_word(out.bytes_each(), [&]<class Word>(Word) {
    if constexpr (sizeof(Word) < 8) return render_all(labels, reinterpret_cast<Word*>(out.row(0)), mapped);
    for_rows(labels.extent(), 8, [&](std::int64_t first, std::int64_t rows) {
      std::vector<Label> row(static_cast<std::size_t>(labels.extent().width));
      for (std::int64_t r = first; r < first + rows; ++r) {
        labels.render(r, 1, row.data(), mapped);
        std::copy(row.begin(), row.end(), reinterpret_cast<Word*>(out.row(r)));
      }
    });
  });
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

// --- existing label images

/// Rejects measures of voids, which are components of the background.
void check_measures(const TableRequest& request) {
  for (const std::string& name : std::get<0>(request)) {
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
  for (auto& [name, cells] : table)
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

/// Returns true if the table has the same bits in every order of the axes, so that an array is measured in
/// that of its memory.
bool in_any_order(const TableRequest& request) { return are_turned(request, Intensity(request).get()); }

/// Labels `array` into `out`, an array or a function that makes one for N labels. Returns N and the table
/// (None without one); with a function, the array and N. `packed_width`: of rows of packed bits, or below 0.
/// Requires that `out` is in C order, or that in_any_order(table).
nb::tuple label(nb::handle object, nb::handle out_object, int connectivity_given, bool values, double delta,
                const PeriodicAxes& periodic, int packed_width, const std::optional<TableRequest>& request) {
  HostArray array(object.ptr(), false);
  const bool makes_out = PyCallable_Check(out_object.ptr()) != 0;
  nb::object made_out = makes_out ? nb::none() : nb::borrow(out_object);
  std::optional<HostArray> out;
  if (!makes_out) out.emplace(out_object.ptr(), true);
  std::optional<Intensity> intensity;
  if (request) intensity.emplace(*request);
  std::optional<Table> table;
  const std::int64_t count = unlocked([&](Findings& findings) {
    const Connectivity connectivity = checked(connectivity_given);
    const AxisOrder order = out && packed_width < 0 ? order_of(*out, connectivity) : kRasterOrder;
    if (out) {
      array.turn(order);
      out->turn(order);
      check_out(array, *out, packed_width);
    }
    PeriodicAxes turned{};
    for (std::size_t axis = 0; axis < 3; ++axis) turned[axis] = periodic[order[axis]];
    const bool only_labels = !request && turned == PeriodicAxes{};
    LabeledArray made =
        label_array(array, connectivity, values, delta, turned, packed_width, only_labels, findings);
    renumber(made, order, only_labels);
    if (makes_out) {
      const nb::gil_scoped_acquire gil;
      made_out = out_object(made.count());
      out.emplace(made_out.ptr(), true);
      check_out(array, *out, packed_width);
    }
    render(*made.labeled.labels, made.map, static_cast<std::uint64_t>(made.count()), *out);
    if (!request) return made.count();
    intensity->turn(order);
    Described of{.labels = made.labeled.labels.get(),
                 .components = made.labeled.components,
                 .connectivity = connectivity,
                 .values = made.values,
                 .type = made.type,
                 .periodic = periodic,
                 .wraps = made.wraps,
                 .order = order};
    std::optional<LabelImage> united;
    if (!made.map.empty() && (intensity->get() || order == kRasterOrder)) {
      // Labels united across borders; components are measured by these.
      united = numbered(made);
      of.labels = &*united;
    }
    table = make_table(of, *request, measure_columns(of, *request, intensity->get()));
    return made.count();
  });
  if (makes_out) return nb::make_tuple(made_out, count);
  return nb::make_tuple(count, table ? nb::object(to_dict(std::move(*table))) : nb::none());
}

/// Returns a table of the values of a label image, connected or not.
nb::dict measure(nb::handle object, int connectivity_given, const TableRequest& request) {
  HostArray array(object.ptr(), false);
  Intensity intensity(request);
  return to_dict(unlocked([&](Findings& findings) {
    const Connectivity connectivity = checked(connectivity_given);
    const AxisOrder order =
        are_turned(request, intensity.get()) ? order_of(array, connectivity) : kRasterOrder;
    array.turn(order);
    intensity.turn(order);
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
    Table table = make_table(of, request, measure_columns(of, request, intensity.get()));
    sort_rows(table, objects.ids);
    return table;
  }));
}

// --- blocks of an array

/// The share of a block in an object, as words: their number, the identifier, the component, and what
/// save() appends.
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
  const auto width = static_cast<std::uint64_t>(whole[0]),
             slice = width * static_cast<std::uint64_t>(whole[1]);
  std::vector<std::uint64_t> firsts =
      gpuccl::first_elements(labels, {}, labels.count(), {1, width, slice}, nullptr);
  firsts.erase(firsts.begin());  // of the background
  for (std::uint64_t& first : firsts)
    first += static_cast<std::uint64_t>((origin[2] * whole[1] + origin[1]) * whole[0] + origin[0]);
  return firsts;
}

/// Labels a block at `origin` of a whole image. Without `numbers`, returns the index in the whole image of
/// the first element of each label. With the number of each label and 0, writes these numbers to `out`.
nb::object label_block(nb::handle object, nb::handle out_object, int connectivity, bool values,
                       const Place& origin, const Place& whole, const std::optional<PairColumn>& numbers) {
  const HostArray array(object.ptr(), false), out(out_object.ptr(), true);
  const auto work = [&](Findings& findings) -> std::vector<std::uint64_t> {
    check_out(array, out, -1);
    const LabeledArray made = label_array(array, checked(connectivity), values, 0, {}, -1, true, findings);
    const LabelRows& labels = *made.labeled.labels;
    if (!numbers) {
      render(labels, {}, labels.count(), out);
      return first_elements(labels, origin, whole);
    }
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
    return {};
  };
  return to_array(unlocked(work, !numbers));  // warns at the first of two readings
}

/// Returns BlockNeeds. The table has an array of the type of the samples.
nb::tuple needs_of_block(int connectivity, const TableRequest& request) {
  Intensity intensity(request);
  const BlockNeeds needs =
      gpuccl::needs_of_block(request_of_blocks(request, connectivity, intensity.samples({}, {})));
  return nb::make_tuple(needs.around, needs.boxes, needs.whole_units);
}

/// Returns the share of a block in its objects as words. `place`, along x, y, z: the origin of the array,
/// which may contain elements around the block, the first and the last element of the block, and the size of
/// the whole image. `known`: these objects in the whole image, if they are needed; without them, only
/// components are returned.
nb::object measure_block(nb::handle object, const std::array<std::array<int, 3>, 4>& place, int connectivity,
                         const TableRequest& request, const std::optional<BlockWords>& known) {
  const HostArray array(object.ptr(), false);
  Intensity intensity(request);
  const auto work = [&](Findings& findings) {
    const auto& [origin, first, last, size] = place;
    const Extent whole{size[0], size[1], size[2]};
    if (intensity.array && !intensity.array->same_shape(array))
      refuse("the intensity image has another shape than the labels");
    MeasureRequest wanted = request_of_blocks(request, connectivity, intensity.samples(origin, whole));
    if (!known && gpuccl::needs_of_block(wanted).boxes)
      wanted = {.wanted = {}, .connectivity = wanted.connectivity};
    const Objects objects = read_objects(array, findings);
    const ImageBlock block{*objects.labeled.labeled.labels, origin, whole, {first, last}};
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
    std::vector<std::uint64_t> words, saved;
    for (std::size_t i = 0; i < places.size(); ++i) {
      saved.clear();
      save(measured, i, saved);
      Share{objects.ids[places[i]], shares[places[i]], saved}.append_to(words);
    }
    return words;
  };
  return to_array(unlocked(work, !known));
}

/// Adds the words of all blocks, in raster order. Returns the table of measure() or, without a request, the
/// objects in the whole image as words, in ascending order.
nb::object join_blocks(const std::vector<BlockWords>& blocks, const std::array<int, 3>& size,
                       int connectivity, const std::optional<TableRequest>& request) {
  std::optional<Intensity> intensity;
  if (request) intensity.emplace(*request);
  std::vector<std::uint64_t> words;
  Table table = unlocked([&](Findings& /*none*/) -> Table {
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
      return {};
    }
    Components components;
    for (const Component& component : sums) components.push_back(component);
    const Extent whole{size[0], size[1], size[2]};
    MeasureTable measured = empty_measures(
        whole, components, request_of_blocks(*request, connectivity, intensity->samples({}, whole)));
    for (const BlockWords& block : blocks)
      for_each_share(block, [&](const Share& share) { add_saved(measured, place_of(share), share.saved); });
    derive_intensities(measured, components.size());
    return make_table({.labels = nullptr,
                       .components = components,
                       .connectivity = checked(connectivity),
                       .values = ids,
                       .type = ValueType::u64,
                       .by_values = true},
                      *request, measured);
  });
  return request ? nb::object(to_dict(std::move(table))) : to_array(std::move(words));
}

/// Returns which of the objects of join_blocks() clean() keeps, as 0 or 1. `values`: of the objects.
nb::object select_blocks(const BlockWords& words, const std::array<int, 3>& size, bool per_slice,
                         bool per_value, std::uint64_t largest, std::uint64_t min_size,
                         std::uint64_t max_size, bool clear_border, const std::optional<BlockWords>& values) {
  return to_array(unlocked([&](Findings& /*none*/) {
    Components components;
    for_each_share(words, [&](const Share& share) { components.push_back(share.component); });
    std::vector<std::uint64_t> kept(components.size(), 1);
    std::vector<ValueBits> bits;
    if (values) bits.assign(values->data(), values->data() + values->shape(0));
    const Selection selection =
        select(std::move(components), {size[0], size[1], size[2]}, per_slice,
               {.min_size = min_size, .max_size = max_size, .largest = largest, .clear_border = clear_border},
               MeasureTable(), {.bits = bits, .type = ValueType::u64, .per_value = per_value});
    for (std::size_t i = 0; i < kept.size() && !selection.map.empty(); ++i)
      kept[i] = selection.map[i + 1] != 0;
    return kept;
  }));
}

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

/// Writes the remaining components of `array` to `out`, which may be the same. Returns the numbers of
/// remaining and of removed components. `fill_holes`: the largest that are filled. `seeds`: a mask or None;
/// components without an element in it are dropped.
nb::tuple clean(nb::handle object, nb::handle out_object, int connectivity_given, bool values, bool per_value,
                std::uint64_t largest, std::uint64_t min_size, std::uint64_t max_size,
                std::uint64_t fill_holes, bool clear_border, nb::handle seeds_object) {
  HostArray array(object.ptr(), false), out(out_object.ptr(), true);
  std::optional<HostArray> seeds;
  if (!seeds_object.is_none()) seeds.emplace(seeds_object.ptr(), false);
  const auto [kept, dropped] = unlocked([&](Findings& findings) {
    const Connectivity connectivity = checked(connectivity_given);
    if (!out.same_shape(array) || out.type() != array.type() || out.bytes_each() != array.bytes_each())
      refuse("out= has another shape or type than the array");
    const AxisOrder order = order_of(out, connectivity);
    for (HostArray* const turned : {&array, &out, seeds ? &*seeds : nullptr})
      if (turned != nullptr) turned->turn(order);
    if (!out.has_whole_rows()) refuse("the rows of out= are not contiguous");
    LabeledArray made;
    std::optional<BitVolume> filled;
    const bool per_slice = !is_3d(connectivity);
    if (fill_holes > 0) {
      made.bits = pack(array, findings);
      invert(made.bits);
      const Holes holes(label_bits(made.bits, complementary(connectivity)), per_slice, fill_holes);
      filled.emplace(array.extent());
      holes.draw_filled(0, *filled);
      made.labeled = label_bits(*filled, connectivity);
    } else if (values) {
      take_values(made, label_values(read_labels(array, findings), connectivity), array);
    } else {
      made.bits = pack(array, findings);
      made.labeled = label_bits(made.bits, connectivity);
    }
    SelectionOptions options{
        .min_size = min_size, .max_size = max_size, .largest = largest, .clear_border = clear_border};
    MeasureTable measured;
    if (largest > 0) renumber(made, order, false);  // the first of equal components remain
    if (seeds) {
      if (!seeds->same_shape(array)) refuse("seeds has another shape than the array");
      options.keep.steps = {{.measure = MeasureId::intensity_max, .relation = Condition::Relation::greater}};
      std::optional<LabelImage> turned;
      if (!made.map.empty()) turned = numbered(made);
      measured = measure_columns(
          {turned ? &*turned : made.labeled.labels.get(), made.labeled.components, connectivity},
          {{"intensity_max"}, {}, {}}, &*seeds);
    }
    const Selection selection =
        select(std::move(made.labeled.components), array.extent(), per_slice, options, measured,
               {.bits = made.values, .type = made.type, .per_value = per_value});
    std::vector<Label> map = selection.map;
    if (!map.empty() && !made.map.empty())
      for (std::size_t label = 0; label < map.size(); ++label) map[label] = selection.map[made.map[label]];
    write_kept(array, *made.labeled.labels, map, filled ? &*filled : nullptr, out);
    return std::pair<std::uint64_t, std::uint64_t>(selection.components.size(), selection.dropped);
  });
  return nb::make_tuple(kept, dropped);
}

// --- contacts and outlines

/// Returns the contacts between components of a label image.
nb::dict contacts(nb::handle object, int connectivity_given) {
  const HostArray array(object.ptr(), false);
  return to_dict(unlocked([&](Findings& findings) {
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
    Table table;
    const auto add = [&]<class T>(const char* name, T /*type*/, auto value_of) {
      std::vector<T> column(found.size());
      for (std::size_t i = 0; i < found.size(); ++i) column[i] = static_cast<T>(value_of(found[i]));
      table.emplace_back(name, std::move(column));
    };
    add("label_a", std::uint64_t{}, [&](const Contact& contact) { return id_of(contact.a); });
    add("label_b", std::uint64_t{}, [&](const Contact& contact) { return id_of(contact.b); });
    add("faces_x", std::int64_t{}, [](const Contact& contact) { return contact.faces[0]; });
    add("faces_y", std::int64_t{}, [](const Contact& contact) { return contact.faces[1]; });
    add("faces_z", std::int64_t{}, [](const Contact& contact) { return contact.faces[2]; });
    add("edges", std::int64_t{}, [](const Contact& contact) { return contact.edges; });
    add("corners", std::int64_t{}, [](const Contact& contact) { return contact.corners; });
    return table;
  }));
}

/// Returns the polygons of the labels of an image in ascending order: corners x, y of closed rings one after
/// the other, and the ends of the rings, polygons and objects, after a 0.
nb::dict outlines(nb::handle object) {
  const HostArray array(object.ptr(), false);
  return to_dict(unlocked([&](Findings& findings) {
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
    return Table{{"label", ids},
                 {"points", points},
                 {"rings", ring_ends},
                 {"polygons", polygon_ends},
                 {"objects", object_ends}};
  }));
}

// --- objects of two label images

/// The table of `gpuccl match --csv`; 0 stands for no object, NaN for no distance.
class PairTable {
 public:
  PairTable(const OverlapTable& table, const Objects& truth, const Objects& prediction,
            const ScoreOptions& options)
      : table_(table), truth_(truth), prediction_(prediction), options_(options) {
    for (const double threshold : options.thresholds) later_.push_back(column_at("matched", threshold));
    const auto declare = [&]<class T>(const char* name, T /*type*/) {
      columns_.emplace_back(name, std::vector<T>());
    };
    for_each_cell(0, {}, declare);
  }

  void add(std::uint64_t value, const std::vector<ScoredPair>& pairs) {
    for (const ScoredPair& pair : pairs)
      for_each_cell(value, pair, [&, i = std::size_t{0}]<class T>(const char* /*name*/, T cell) mutable {
        std::get<std::vector<T>>(columns_[i++].second).push_back(cell);
      });
  }
  Table take() { return std::move(columns_); }

 private:
  /// Calls put(name, cell) for each column. Requires one type for each name.
  template <class Put>
  void for_each_cell(std::uint64_t value, const ScoredPair& pair, Put put) const {
    const auto of = [](const auto& values, const std::optional<std::uint32_t>& i) {
      return i ? values[*i] : std::uint64_t{0};
    };
    const auto count = [&](const char* name, auto number) { put(name, static_cast<std::int64_t>(number)); };
    if (options_.has_classes) put("value", value);
    put("truth", of(truth_.ids, pair.truth));
    put("prediction", of(prediction_.ids, pair.prediction));
    count("truth_area", of(table_.truth_areas, pair.truth));
    count("prediction_area", of(table_.prediction_areas, pair.prediction));
    count("overlap", pair.pixels);
    put("iou", pair.iou);
    put("dice", pair.dice);
    count("matched", pair.is_match);
    count("truth_partners", pair.truth_partners);
    count("prediction_partners", pair.prediction_partners);
    for (std::size_t i = 1; i < later_.size(); ++i)
      count(later_[i].c_str(), i <= pair.matches_later.size() && pair.matches_later[i - 1]);
    const bool has_dice = options_.surfaces && options_.surfaces->has_tolerance();
    const auto add = [&](const char* name, double score) { put(name, score); };
    if (options_.has_distances) each_distance(pair.distances, has_dice, add);
    if (options_.has_regions)
      each_region_score(pair.region_dice, pair.of_region, options_.has_distances, has_dice, add);
  }

  const OverlapTable& table_;
  const Objects &truth_, &prediction_;
  const ScoreOptions& options_;
  std::vector<std::string> later_;  // names of columns of all thresholds
  Table columns_;
};

/// Reports as Python objects, for report_of().
struct InPython {
  using Object = nb::dict;
  using List = nb::list;
  static void append(List& list, const Object& object) { list.append(object); }
  static const List& value(const List& list) { return list; }
};

/// Scores of two images, and the table of their pairs.
struct MatchResult {
  MatchTotals total;
  ClassTotals classes;
  Table pairs;

  MatchResult(const OverlapTable& table, const Objects& truth, const Objects& prediction, bool with_pairs,
              ScoreOptions options) {
    if (options.thresholds.empty()) refuse("threshold is empty");
    for (const double threshold : options.thresholds)
      if (!(threshold > 0 && threshold <= 1)) refuse("threshold is a number above 0 and up to 1");
    options.truth_classes = truth.classes;
    options.prediction_classes = prediction.classes;
    PairTable rows(table, truth, prediction, options);
    if (with_pairs) options.on_pairs = [&](std::uint64_t value, const auto& more) { rows.add(value, more); };
    total = score_images(table, options, classes);
    pairs = rows.take();
  }

  nb::tuple in_python(bool with_pairs, bool has_classes, double empty) {
    nb::dict result = report_of<InPython>(total, empty);
    if (has_classes) add_classes<InPython>(result, classes, empty);
    return nb::make_tuple(result, with_pairs ? nb::object(to_dict(std::move(pairs))) : nb::none());
  }
};

/// Matches the objects of `prediction` with those of `truth`. Returns the "total" of the report of `gpuccl
/// match`, and the overlapping pairs, matched at the first threshold, or None. `class_connectivity`: if not
/// 0, values are classes, and the objects are their components with this connectivity. `empty`: all scores of
/// images without objects. `spacing`: along x, y, z, for distances and regions. `min_size`: of true and of
/// predicted objects.
nb::tuple match(nb::handle truth_object, nb::handle prediction_object, const std::vector<double>& thresholds,
                bool with_pairs, int class_connectivity, double empty,
                const std::optional<std::array<double, 3>>& spacing, const std::optional<double>& tolerance,
                const std::array<std::uint64_t, 2>& min_size, bool with_distances, bool with_regions) {
  const HostArray truth_array(truth_object.ptr(), false), prediction_array(prediction_object.ptr(), false);
  const bool has_classes = class_connectivity != 0;
  MatchResult result = unlocked([&](Findings& findings) -> MatchResult {
    if (!truth_array.same_shape(prediction_array)) refuse("truth and prediction have different shapes");
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
      return {found.table, truth, prediction, with_pairs, options};
    }
    const auto read_large = [&](const HostArray& array, std::uint64_t least) {
      Objects objects = has_classes ? read_classes(array, checked(class_connectivity), findings)
                                    : read_objects(array, findings);
      const Components& components = objects.labeled.labeled.components;
      remove_small(objects.labeled.labeled.labels, least, components.area, {&objects.ids, &objects.classes});
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
    return {find_overlaps(truth_labels, prediction_labels), truth, prediction, with_pairs, options};
  });
  return result.in_python(with_pairs, has_classes, empty);
}

/// Returns the overlaps of a block at `origin` for match_overlaps(): pairs, and for each object its other
/// pixels and the index of its first element in the whole image.
nb::dict overlaps_of_block(nb::handle truth_object, nb::handle prediction_object, const Place& origin,
                           const Place& whole) {
  const HostArray truth_array(truth_object.ptr(), false), prediction_array(prediction_object.ptr(), false);
  return to_dict(unlocked([&](Findings& findings) {
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
    return Table{{"truth", ids[0]}, {"prediction", ids[1]}, {"pixels", pixels}, {"first", firsts}};
  }));
}

/// match() of two images whose overlaps are known. Adds the shares of a pair in several blocks. Time: O(pairs
/// log pairs + largest label). Takes 20 bytes per label up to the largest one.
nb::tuple match_overlaps(const PairColumn& truth_labels, const PairColumn& prediction_labels,
                         const PairColumn& pixels, const PairColumn& first_elements,
                         const std::vector<double>& thresholds, bool with_pairs, double empty,
                         const std::array<std::uint64_t, 2>& min_size) {
  const std::size_t count = pixels.shape(0);
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
  MatchResult result = unlocked([&](Findings& /*none*/) -> MatchResult {
    OverlapTable table;
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
    return {table, truth, prediction, with_pairs, {.thresholds = thresholds, .empty = empty}};
  });
  return result.in_python(with_pairs, false, empty);
}

}  // namespace

void add_host(nb::module_& module) {
  using namespace nb::literals;
  module.def("label", &label, "array"_a, "out"_a, "connectivity"_a, "values"_a = false, "delta"_a = 0.0,
             "periodic"_a = PeriodicAxes{}, "packed_width"_a = -1, "table"_a = nb::none());
  module.def("in_any_order", &in_any_order, "table"_a);
  module.def("measure", &measure, "labels"_a, "connectivity"_a, "table"_a);
  module.def("label_block", &label_block, "array"_a, "out"_a, "connectivity"_a, "values"_a, "origin"_a,
             "whole"_a, "numbers"_a.none());
  module.def("needs_of_block", &needs_of_block, "connectivity"_a, "table"_a);
  module.def("measure_block", &measure_block, "labels"_a, "place"_a, "connectivity"_a, "table"_a,
             "known"_a.none());
  module.def("join_blocks", &join_blocks, "blocks"_a, "whole"_a, "connectivity"_a, "table"_a.none());
  module.def("clean", &clean, "array"_a, "out"_a, "connectivity"_a, "values"_a, "per_value"_a, "largest"_a,
             "min_size"_a, "max_size"_a, "fill_holes"_a, "clear_border"_a, "seeds"_a.none());
  module.def("select_blocks", &select_blocks, "objects"_a, "whole"_a, "per_slice"_a, "per_value"_a,
             "largest"_a, "min_size"_a, "max_size"_a, "clear_border"_a, "values"_a.none());
  module.def("contacts", &contacts, "labels"_a, "connectivity"_a);
  module.def("outlines", &outlines, "labels"_a);
  module.def("match", &match, "truth"_a, "prediction"_a, "thresholds"_a, "with_pairs"_a,
             "class_connectivity"_a, "empty"_a, "spacing"_a.none(), "tolerance"_a.none(), "min_size"_a,
             "with_distances"_a, "with_regions"_a);
  module.def("overlaps_of_block", &overlaps_of_block);
  module.def("match_overlaps", &match_overlaps);
}

}  // namespace gpuccl::python
