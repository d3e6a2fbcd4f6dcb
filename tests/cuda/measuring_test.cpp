// Tables of label images on a GPU or on the emulation of one, compared with the CPU.

#include <optional>
#include <variant>

#include "cuda/device_case.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/device.hpp"
#include "gpuccl/gpuccl.h"
#include "gpuccl/measures.hpp"
#include "gpuccl/values.hpp"
#include "support/intensities.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;
using Place = CudaMemory::Place;

namespace {

/// An image of values of one type, in rows without padding.
struct Elements {
  ValueType type;
  Extent extent;
  std::vector<std::byte> bytes;

  Elements(ValueType of, Extent size)
      : type(of), extent(size), bytes(static_cast<std::size_t>(size.elements()) * bytes_of(of)) {}

  std::size_t count() const { return static_cast<std::size_t>(extent.elements()); }
  template <class Make>
  void fill(const Make& make) {
    with_type(type, [&](auto value) {
      for (std::size_t i = 0; i < count(); ++i) {
        value = static_cast<decltype(value)>(make(i));
        std::memcpy(bytes.data() + i * sizeof(value), &value, sizeof(value));
      }
    });
  }
  /// Fills it with every pattern of bits, except infinite numbers.
  void fill_with_anything(std::mt19937& random) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    if (!is_floating(type)) return;
    for (std::size_t i = 0; i < count(); ++i)
      if (std::isinf(at(i))) std::memset(bytes.data() + i * bytes_of(type), 0, bytes_of(type));
  }
  /// Returns an integer with all its bits.
  WholeNumber whole_at(std::size_t i) const {
    return with_type(type, [&](auto value) {
      std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
      return static_cast<WholeNumber>(value);
    });
  }
  double at(std::size_t i) const {
    return with_type(type, [&](auto value) {
      std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
      return static_cast<double>(value);
    });
  }
};

Samples samples_of(const Elements& elements) {
  using Kind = IntensityImage::Kind;
  const std::size_t bytes = bytes_of(elements.type);
  IntensityImage::Values values;
  if (bytes <= 2) {
    values.count = 1 << 8 * static_cast<int>(bytes);
    values.first = is_signed(elements.type) ? -values.count / 2 : 0;
  }
  Samples image(elements.extent,
                is_floating(elements.type) ? Kind::real
                : bytes == 8               ? Kind::long_whole
                                           : Kind::whole,
                values);
  for (std::size_t i = 0; i < elements.count(); ++i) {
    image.samples[i] = elements.at(i);
    if (image.kind() == Kind::long_whole) image.long_samples[i] = elements.whole_at(i);
  }
  return image;
}

std::vector<MeasureId> measured(bool with_samples, bool with_spacing, bool of_components = false,
                                bool in_volume = false, bool with_percentiles = false) {
  std::vector<MeasureId> ids;
  for (const Measure& measure : measures())
    if (is_measured_on_device(measure.id, of_components, in_volume) &&
        (with_samples || measure.group != MeasureGroup::intensity) &&
        (with_percentiles || measure.id < MeasureId::intensity_median ||
         measure.id > MeasureId::intensity_p95) &&
        (with_spacing || !is_physical(measure)))
      ids.push_back(measure.id);
  return ids;
}

/// Columns in the order of measured(); the labels come first.
using Rows = std::vector<std::vector<double>>;

struct Case {
  Elements labels;
  const Elements* samples = nullptr;
  std::uint32_t largest = 0;
  Connectivity connectivity = Connectivity::c8;
  std::array<double, 3> spacing{};
  std::vector<MeasureId> only{};  // empty: all

  std::vector<MeasureId> ids() const {
    if (!only.empty()) return only;
    return measured(samples != nullptr, spacing[0] > 0, false, is_3d(connectivity),
                    samples != nullptr && bytes_of(samples->type) <= 2);
  }
};

Rows rows_of_cpu(const Case& of) {
  ValueImage image(of.labels.extent, of.labels.type);
  image.add_rows(0, of.labels.extent.rows(), of.labels.bytes.data());
  const ValueLabeling labeling = label_by_value(std::move(image));
  const Components& components = labeling.labeled.components;
  MeasureRequest request;
  request.connectivity = of.connectivity;
  request.spacing = of.spacing;
  request.labels_touch = true;
  for (const MeasureId id : of.ids()) request.wanted.set(static_cast<std::size_t>(id));
  std::optional<Samples> samples;
  if (of.samples != nullptr) request.samples.push_back({&samples.emplace(samples_of(*of.samples)), ""});
  const MeasureTable table = measure(*labeling.labeled.labels, components, request);
  std::vector<std::size_t> order(components.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t i) { return labeling.values[i] > of.largest; });
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return labeling.values[a] < labeling.values[b]; });
  Rows rows;
  for (const std::size_t i : order) {
    rows.push_back({static_cast<double>(labeling.values[i])});
    const MeasureValues values = table.values(components, i);
    for (const MeasureId id : of.ids()) rows.back().push_back(values[id]);
  }
  return rows;
}

DeviceArray uploaded(const Elements& elements, std::mt19937& random, const CudaStream& stream) {
  return {elements.type, elements.extent, elements.bytes.data(), random, stream};
}

/// Columns of eight bytes and their number of rows in memory of the device.
class Columns {
 public:
  Columns(std::size_t columns, std::size_t capacity, const CudaStream& stream)
      : columns_(columns),
        capacity_(capacity),
        device_(Place::device, (columns * capacity + 1) * 8),
        host_(Place::host, device_.size()) {
    std::memset(host_.data(), kUnwritten, host_.size());
    cudaMemcpyAsync(device_.data(), host_.data(), host_.size(), cudaMemcpyHostToDevice, stream.get());
  }
  template <class T = std::int64_t>
  T* column(std::size_t i) const {
    return reinterpret_cast<T*>(device_.data() + i * capacity_ * 8);
  }
  unsigned long long* count() const { return column<unsigned long long>(columns_); }
  std::size_t columns() const { return columns_; }
  std::size_t capacity() const { return capacity_; }

  /// Waits.
  void download(const CudaStream& stream) {
    cudaMemcpyAsync(host_.data(), device_.data(), host_.size(), cudaMemcpyDeviceToHost, stream.get());
    stream.wait();
  }
  template <class T = std::uint64_t>
  T word(std::size_t column, std::size_t row) const {
    T value;
    std::memcpy(&value, host_.data() + (column * capacity_ + row) * 8, 8);
    return value;
  }
  std::uint64_t downloaded_count() const { return word(columns_, 0); }
  /// Returns whether rows from `count` on are as they were.
  bool is_unwritten(std::size_t count) const {
    std::uint64_t unwritten = 0;
    std::memset(&unwritten, kUnwritten, sizeof(unwritten));
    for (std::size_t i = 0; i < columns_; ++i)
      for (std::size_t row = count; row < capacity_; ++row)
        if (word(i, row) != unwritten) return false;
    return true;
  }

 private:
  static constexpr int kUnwritten = 0x77;

  std::size_t columns_, capacity_;
  CudaMemory device_, host_;
};

/// A table in memory of the device. Integers where the CPU has them too.
class Table : public Columns {
 public:
  Table(const std::vector<MeasureId>& ids, std::size_t capacity, const CudaStream& stream)
      : Columns(ids.size() + 1, capacity, stream) {
    for (std::size_t i = 0; i < columns(); ++i) {
      DeviceColumn one;
      if (i > 0) one.measure = ids[i - 1];
      if (i == 0 || ids[i - 1] <= MeasureId::z1)
        one.data = column(i);
      else
        one.data = column<double>(i);
      wanted_.push_back(one);
    }
  }
  std::span<const DeviceColumn> wanted() const { return wanted_; }
  /// Returns the first `count` rows.
  Rows rows(std::size_t count) const {
    Rows rows(count);
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t i = 0; i < columns(); ++i)
        rows[row].push_back(std::holds_alternative<double*>(wanted_[i].data)
                                ? word<double>(i, row)
                                : static_cast<double>(word<std::int64_t>(i, row)));
    return rows;
  }

 private:
  std::vector<DeviceColumn> wanted_;
};

Rows rows_of_device(const Case& of, std::mt19937& random, std::size_t capacity, std::size_t expected) {
  const CudaStream stream;
  const DeviceArray labels = uploaded(of.labels, random, stream),
                    samples = uploaded(of.samples != nullptr ? *of.samples : of.labels, random, stream);
  Table table(of.ids(), capacity, stream);
  const DeviceMeasuring request{.labels = labels.image(),
                                .samples = of.samples != nullptr ? samples.image() : DeviceValueImage{},
                                .largest = of.largest,
                                .connectivity = of.connectivity,
                                .spacing = of.spacing,
                                .columns = table.wanted(),
                                .capacity = capacity,
                                .count = table.count()};
  const CudaMemory workspace(Place::device, device_measure_workspace_bytes(request));
  measure_on_device(request, workspace.data(), workspace.size(), stream.get());
  table.download(stream);
  CHECK(table.downloaded_count() == expected);
  CHECK(table.is_unwritten(std::min(expected, capacity)));
  return table.rows(std::min(expected, capacity));
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::string named(const Case& of, std::size_t column) {
  return column == 0 ? "label" : std::string(measure_of(of.ids()[column - 1]).name);
}

/// Expects equal numbers. For floating-point samples, intensities may differ by `tolerance`.
void expect_same(const Case& of, const Rows& found, const Rows& expected, double tolerance = 0) {
  for (std::size_t row = 0; row < found.size(); ++row)
    for (std::size_t i = 0; i < found[row].size(); ++i) {
      INFO("row " << row << ", " << named(of, i));
      const double a = found[row][i], b = expected[row][i];
      const bool loose =
          tolerance > 0 && i > 0 && measure_of(of.ids()[i - 1]).group == MeasureGroup::intensity;
      if (same(a, b) || (loose && std::abs(a - b) <= tolerance * std::abs(b))) continue;
      FAIL_CHECK(a << " is not " << b);
    }
}

void expect_as_cpu(const Case& of, std::mt19937& random, double tolerance = 0) {
  const Rows expected = rows_of_cpu(of);
  // Sometimes there is no room for the last rows.
  const std::size_t capacity =
      random() % 4 == 0 ? std::max<std::size_t>(1, expected.size() / 2) : expected.size() + random() % 3;
  expect_same(of, rows_of_device(of, random, capacity, expected.size()), expected, tolerance);
}

/// Labels in squares of a few elements, many of them 0.
Elements random_labels(ValueType type, Extent extent, int side, unsigned most, std::mt19937& random) {
  Elements labels(type, extent);
  const auto squares = static_cast<std::size_t>((extent.width / side + 1)) *
                       static_cast<std::size_t>(extent.height / side + 1) *
                       static_cast<std::size_t>(extent.depth / side + 1);
  std::vector<unsigned> of_square(squares);
  for (unsigned& label : of_square)
    label = random() % 3 == 0 ? 0 : 1 + static_cast<unsigned>(random()) % most;
  labels.fill([&](std::size_t i) {
    const int x = static_cast<int>(i % static_cast<std::size_t>(extent.width));
    const std::int64_t row = static_cast<std::int64_t>(i) / extent.width;
    const int y = static_cast<int>(row % extent.height), z = static_cast<int>(row / extent.height);
    const int at =
        ((z / side) * (extent.height / side + 1) + y / side) * (extent.width / side + 1) + x / side;
    return of_square[static_cast<std::size_t>(at)];
  });
  return labels;
}

constexpr ValueType kLabelTypes[] = {ValueType::u16, ValueType::i16, ValueType::u32,
                                     ValueType::i32, ValueType::u64, ValueType::i64};
constexpr ValueType kSampleTypes[] = {ValueType::u8,  ValueType::i8,  ValueType::u16, ValueType::i16,
                                      ValueType::u32, ValueType::i32, ValueType::u64, ValueType::i64};

}  // namespace

TEST_CASE("measures of labels on a device are those of the CPU", "[small]") {
  std::mt19937 random(1);
  int round = 0;
  for (const Extent extent : {Extent{1, 1, 1}, Extent{5, 200, 1}, Extent{300, 9, 1}, Extent{130, 130, 1},
                              Extent{33, 17, 9}, Extent{140, 66, 3}})
    for (const ValueType type : kLabelTypes) {
      const Connectivity connectivity = kConnectivities[++round % 5];
      CAPTURE(to_string(extent), static_cast<int>(type), static_cast<int>(connectivity));
      const int side = 1 + static_cast<int>(random() % 9);
      Case of{random_labels(type, extent, side, 1 + static_cast<unsigned>(random() % 400), random)};
      of.largest = 400;
      of.connectivity = connectivity;
      if (round % 2 == 0) of.spacing = {0.3, 0.7, 1.9};
      expect_as_cpu(of, random);
      Elements samples(kSampleTypes[random() % std::size(kSampleTypes)], extent);
      samples.fill_with_anything(random);
      of.samples = &samples;
      expect_as_cpu(of, random);
    }
}

TEST_CASE("shapes of labels on a device are those of the CPU at the edges of tiles", "[small]") {
  std::mt19937 random(12);
  for (const Extent extent : {Extent{125, 30, 1}, Extent{126, 31, 1}, Extent{254, 61, 1}, Extent{1, 95, 1},
                              Extent{124, 29, 2}, Extent{127, 32, 5}, Extent{3, 64, 3}})
    for (const Connectivity connectivity : kConnectivities)
      for (const int side : {1, 40}) {
        CAPTURE(to_string(extent), static_cast<int>(connectivity), side);
        Case of{random_labels(kLabelTypes[random() % std::size(kLabelTypes)], extent, side,
                              1 + static_cast<unsigned>(random() % 4), random)};
        of.largest = 3;  // one label may be background
        of.connectivity = connectivity;
        of.spacing = {0.5, 0.3, 2};
        expect_as_cpu(of, random);
      }
}

TEST_CASE("hulls of labels on a device are those of the CPU", "[small][one]") {
  std::mt19937 random(14);
  // Boxes up to those of one warp and beyond: 64 rows, 128 columns.
  for (const Extent extent : {Extent{128, 64, 1}, Extent{129, 64, 1}, Extent{128, 65, 1}, Extent{1, 700, 1},
                              Extent{700, 1, 1}, Extent{260, 190, 1}, Extent{40, 20, 4}})
    for (const int kind : {0, 1, 2, 3}) {
      const ValueType type = kLabelTypes[random() % std::size(kLabelTypes)];
      CAPTURE(to_string(extent), static_cast<int>(type), kind);
      Elements labels = random_labels(type, extent, kind == 0 ? 1 : 9, kind == 1 ? 400 : 7, random);
      if (kind >= 2) {  // ellipses and lines in any direction
        const double angle = static_cast<double>(random() % 360), wide = kind == 2 ? 0.8 : 0.05;
        labels.fill([&](std::size_t i) {
          const auto width = static_cast<std::size_t>(extent.width),
                     height = static_cast<std::size_t>(extent.height);
          const double x = static_cast<double>(i % width) - extent.width / 2.0,
                       y = static_cast<double>(i / width % height) - extent.height / 2.0;
          const double along = x * std::cos(angle) + y * std::sin(angle),
                       across = y * std::cos(angle) - x * std::sin(angle);
          const double far =
              std::hypot(along, across / wide) / (0.5 * std::min(extent.width, extent.height) + 1);
          return far < 0.5 ? 1 : far < 1 ? 2 : 0;
        });
      }
      Case of{std::move(labels)};
      of.largest = 400;
      of.connectivity = random() % 2 == 0 ? Connectivity::c4 : Connectivity::c8;
      if (random() % 2 == 0) of.spacing = {0.3, 0.7, 1};
      using enum MeasureId;
      of.only = {area_convex, solidity};
      if (kind != 1 || random() % 2 == 0) {
        of.only.insert(of.only.end(), {feret_diameter_max, feret_diameter_min});
        if (of.spacing[0] > 0)
          of.only.insert(of.only.end(), {feret_diameter_max_physical, feret_diameter_min_physical});
      }
      expect_as_cpu(of, random);
    }
}

TEST_CASE("percentiles of samples on a device are those of the CPU", "[small][one]") {
  std::mt19937 random(15);
  for (const Extent extent : {Extent{150, 70, 1}, Extent{700, 400, 1}, Extent{31, 33, 5}})
    for (const ValueType type : {ValueType::u8, ValueType::i8, ValueType::u16, ValueType::i16})
      for (const unsigned values : {2u, 300u, 65536u}) {
        CAPTURE(to_string(extent), static_cast<int>(type), values);
        // Values are counted for labels with many samples: above 1,028 of 8 bits and 262,148 of 16.
        const bool few = extent.width == 700;
        Case of{random_labels(ValueType::u16, extent, few ? 200 : 3, few ? 1 : 50, random)};
        if (few) of.labels.fill([&](std::size_t i) { return i % 97 == 0 ? 2 : 1; });
        of.largest = 50;
        Elements samples(type, extent);
        samples.fill([&](std::size_t) {
          return static_cast<std::int32_t>(random() % values) -
                 (is_signed(type) ? static_cast<std::int32_t>(values / 2) : 0);
        });
        of.samples = &samples;
        using enum MeasureId;
        of.only = {intensity_median, intensity_p5, intensity_p25, intensity_p75, intensity_p95};
        if (values == 300) of.only = {intensity_mean, intensity_p25};
        expect_as_cpu(of, random);
      }
}

TEST_CASE("each measure of labels is the same alone as with all others on a device", "[small]") {
  std::mt19937 random(13);
  for (const Connectivity connectivity : {Connectivity::c4, Connectivity::c26}) {
    Case of{random_labels(ValueType::u16, {131, 35, 3}, 2, 30, random)};
    of.largest = 30;
    of.connectivity = connectivity;
    of.spacing = {0.5, 0.3, 2};
    for (const MeasureId id : of.ids()) {
      INFO(measure_of(id).name);
      Case alone = of;
      alone.only = {id};
      expect_as_cpu(alone, random);
    }
  }
}

TEST_CASE("all types of samples are measured on a device", "[small][one]") {
  std::mt19937 random(2);
  for (const Extent extent : {Extent{150, 70, 1}, Extent{40, 30, 4}})
    for (const ValueType type : kSampleTypes) {
      CAPTURE(static_cast<int>(type));
      Case of{random_labels(ValueType::u32, extent, 4, 60, random)};
      of.largest = 60;
      Elements samples(type, extent);
      samples.fill_with_anything(random);
      of.samples = &samples;
      expect_as_cpu(of, random);
      // The largest samples of a type, as sums of these are the largest.
      std::fill(samples.bytes.begin(), samples.bytes.end(), std::byte{0xff});
      if (is_signed(type))
        samples.fill([&](std::size_t) { return -std::ldexp(1.0, static_cast<int>(bytes_of(type)) * 8 - 1); });
      expect_as_cpu(of, random);
    }
}

TEST_CASE("floating-point samples are measured on a device, the same on every run", "[small]") {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const Extent extent : {Extent{150, 70, 1}, Extent{40, 30, 4}})
    for (int both = 0; both < 12; ++both) {
      const int kind = both % 6;
      const bool is_double = both >= 6;
      CAPTURE(kind, is_double, to_string(extent));
      Case of{random_labels(ValueType::i32, extent, 5, 40, random)};
      of.largest = 40;
      Elements samples(is_double ? ValueType::f64 : ValueType::f32, extent);
      samples.fill([&](std::size_t i) {
        if (kind == 0) return std::abs(normal(random));
        if (kind == 1) return i % 7 == 0 ? std::numeric_limits<double>::quiet_NaN() : 1000 + normal(random);
        if (kind == 2) return std::ldexp(1 + std::abs(normal(random)), is_double ? -1040 : -140);
        if (kind == 3) return std::ldexp(1 + std::abs(normal(random)), is_double ? 900 : 120);
        if (kind == 4)
          return i % 50 > 0 ? 2 : std::numeric_limits<double>::infinity() * (i % 100 > 0 ? 1 : -1);
        return std::numeric_limits<double>::quiet_NaN();
      });
      of.samples = &samples;
      expect_as_cpu(of, random, is_double ? 1e-5 : 1e-8);  // the deviation of doubles is rounded
      const Rows expected = rows_of_cpu(of);
      const Rows first = rows_of_device(of, random, expected.size(), expected.size());
      expect_same(of, rows_of_device(of, random, expected.size(), expected.size()), first);
    }
}

TEST_CASE("labels beyond the largest are background, and rows beyond the capacity are dropped", "[small]") {
  std::mt19937 random(5);
  Case of{random_labels(ValueType::i64, {90, 40, 1}, 3, 200, random)};
  of.largest = 120;
  const Rows expected = rows_of_cpu(of);
  REQUIRE(expected.size() > 30);
  REQUIRE(expected.back()[0] <= 120);
  expect_same(of, rows_of_device(of, random, 30, expected.size()), expected);
  of.labels.fill([](std::size_t i) { return i % 2 == 0 ? -3.0 : 0x1p40 + 1; });
  CHECK(rows_of_device(of, random, 30, 0).empty());
  Case narrow{random_labels(ValueType::i16, {40, 20, 1}, 3, 20, random)};
  narrow.labels.fill([](std::size_t i) { return i % 3 == 0 ? -1.0 : -32768; });
  for (const std::uint32_t largest : {32767u, 32768u, 65535u, 70000u}) {
    narrow.largest = largest;
    CHECK(rows_of_device(narrow, random, 30, 0).empty());
  }
  of.labels.fill([](std::size_t i) { return i == 7 ? 5 : 0; });
  of.largest = 0;
  CHECK(rows_of_device(of, random, 30, 0).empty());
}

TEST_CASE("a table of components is made on a device", "[small]") {
  const Extent extent{70, 50, 3};
  const Connectivity connectivity = Connectivity::c26;
  const Known known(extent, connectivity, 0.1, 2, 6);
  const std::size_t count = known.expected.components.size();
  REQUIRE(count > 10);
  const CudaStream stream;
  DeviceCase one(extent, {}, count);
  const CudaMemory workspace(Place::device, device_workspace_bytes(extent, connectivity));
  one.upload(known.image, stream);
  one.label(connectivity, workspace, stream);
  const std::array<double, 3> spacing{1, 2, 3};
  const std::vector<MeasureId> ids = measured(false, true, true);
  Table table(ids, count, stream);
  table_on_device(one.result().components, count, nullptr, extent, connectivity, spacing, table.wanted(),
                  stream.get());
  table.download(stream);
  Table more(ids, count + 5, stream);  // whose number only the device knows
  table_on_device(one.result().components, count + 5, one.result().count, extent, connectivity, spacing,
                  more.wanted(), stream.get());
  more.download(stream);
  CHECK(more.rows(count) == table.rows(count));
  CHECK(more.is_unwritten(count));
  MeasureRequest request;
  request.connectivity = connectivity;
  request.spacing = spacing;
  for (const MeasureId id : ids) request.wanted.set(static_cast<std::size_t>(id));
  const MeasureTable expected = measure(*known.expected.labels, known.expected.components, request);
  const Rows rows = table.rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(rows[i][0] == static_cast<double>(i + 1));
    const MeasureValues values = expected.values(known.expected.components, i);
    for (std::size_t k = 0; k < ids.size(); ++k) CHECK(same(rows[i][k + 1], values[ids[k]]));
  }
  const DeviceColumn of_neighbors{MeasureId::euler_number, reinterpret_cast<double*>(workspace.data())};
  CHECK(error_code_of([&] {
          table_on_device(one.result().components, count, nullptr, extent, connectivity, spacing,
                          {&of_neighbors, 1}, stream.get());
        }) == ErrorCode::usage);
}

TEST_CASE("labels are replaced on a device", "[small][one]") {
  std::mt19937 random(7);
  const CudaStream stream;
  for (const ValueType type : kLabelTypes)
    for (const ValueType of_map : {ValueType::u8, ValueType::i16, ValueType::f32, ValueType::u64}) {
      CAPTURE(static_cast<int>(type), static_cast<int>(of_map));
      const Extent extent{1 + static_cast<int>(random() % 200), 30, 1 + static_cast<int>(random() % 3)};
      Elements labels = random_labels(type, extent, 3, 50, random), map(of_map, {40, 1, 1}),
               out(of_map, extent);
      map.fill([](std::size_t i) { return i == 0 ? 0 : 100 - i; });
      const DeviceArray on_device = uploaded(labels, random, stream);
      DeviceArray to = uploaded(out, random, stream);
      const CudaMemory entries(Place::device, map.bytes.size());
      cudaMemcpyAsync(entries.data(), map.bytes.data(), map.bytes.size(), cudaMemcpyHostToDevice,
                      stream.get());
      const DeviceValueImage image = to.image();
      relabel_on_device({on_device.image(), of_map, entries.data(), 40, const_cast<void*>(image.data),
                         image.row_pitch, image.slice_pitch},
                        stream.get());
      out.bytes = to.download(stream);
      bool all = true;
      for (std::size_t i = 0; i < out.count(); ++i) {
        const auto label = static_cast<std::size_t>(labels.at(i));
        all = all && out.at(i) == (label < 40 ? map.at(label) : 0);
      }
      CHECK(all);
    }
  const CudaMemory memory(Place::device, 4096);
  DeviceRelabeling request{
      {memory.data(), ValueType::u32, {4, 4, 1}}, ValueType::u8, memory.data(), 4, nullptr};
  const auto code = [&] { return error_code_of([&] { relabel_on_device(request, stream.get()); }); };
  CHECK(code() == ErrorCode::usage);
  request.out = memory.data() + 2048;
  request.map = nullptr;
  CHECK(code() == ErrorCode::usage);
  request.map = memory.data() + 1;
  request.type = ValueType::u16;
  CHECK(code() == ErrorCode::usage);
  request = {
      {memory.data(), ValueType::f32, {4, 4, 1}}, ValueType::u8, memory.data(), 4, memory.data() + 2048};
  CHECK(code() == ErrorCode::usage);
}

TEST_CASE("requests that cannot be measured on a device are refused", "[small]") {
  const CudaStream stream;
  const Extent extent{8, 8, 1};
  const CudaMemory memory(Place::device, 4096), workspace(Place::device, 65536);
  const auto* const data = memory.data();
  cudaMemsetAsync(memory.data(), 0, memory.size(), stream.get());
  DeviceColumn column{MeasureId::area, reinterpret_cast<double*>(memory.data())}, without{};
  DeviceMeasuring good{.labels = {data, ValueType::u32, extent},
                       .samples = {},
                       .largest = 10,
                       .columns = {&column, 1},
                       .capacity = 10};
  const auto code_of = [&](const DeviceMeasuring& request, std::size_t bytes = 65536) {
    return error_code_of([&] { measure_on_device(request, workspace.data(), bytes, stream.get()); });
  };
  const auto refuses = [&](auto change) {
    DeviceMeasuring request = good;
    const DeviceColumn before = column;
    change(request);
    const bool refused = code_of(request) == ErrorCode::usage;
    column = before;
    return refused;
  };
  CHECK_NOTHROW(measure_on_device(good, workspace.data(), workspace.size(), stream.get()));
  stream.wait();
  CHECK(code_of(good, device_measure_workspace_bytes(good) - 1) == ErrorCode::usage);
  column.measure = MeasureId::perimeter;
  const std::size_t bytes = device_measure_workspace_bytes(good);
  std::swap(column.data, without.data);
  CHECK(device_measure_workspace_bytes(good) == bytes);
  std::swap(column.data, without.data);
  CHECK(code_of(good, device_measure_workspace_bytes(good) - 1) == ErrorCode::usage);
  column.measure = MeasureId::orientation;
  DeviceMeasuring huge = good;
  huge.labels.extent = {INT32_MAX, 8, 1};
  CHECK(code_of(huge) == ErrorCode::memory);
  column.measure = MeasureId::area_convex;
  huge.labels.extent = {1, INT32_MAX, 1};
  CHECK(code_of(huge) == ErrorCode::memory);
  CHECK(refuses([](DeviceMeasuring& request) { request.connectivity = Connectivity::c26; }));
  column.measure = MeasureId::area;
  CHECK(refuses([](DeviceMeasuring& request) { request.labels.type = ValueType::f32; }));
  CHECK(refuses([](DeviceMeasuring& request) { request.labels.type = ValueType::u8; }));
  CHECK(refuses([](DeviceMeasuring& request) { request.labels.delta = 1; }));
  CHECK(refuses([](DeviceMeasuring& request) { request.labels.row_pitch = 30; }));
  CHECK(refuses([](DeviceMeasuring& request) { request.labels.data = nullptr; }));
  CHECK(refuses([&](DeviceMeasuring& request) { request.samples = {data, ValueType::u8, {8, 7, 1}}; }));
  CHECK(refuses([&](DeviceMeasuring& request) {
    request.samples = {data, ValueType::u32, {8, 8, 1}};
    column.measure = MeasureId::intensity_median;
  }));
  for (const MeasureId id : {MeasureId::inscribed_radius, MeasureId::holes, MeasureId::intensity_mean,
                             MeasureId::intensity_median, MeasureId::area_physical, MeasureId::count})
    CHECK(refuses([&](DeviceMeasuring&) { column.measure = id; }));
  CHECK(refuses([&](DeviceMeasuring&) { column.data = static_cast<double*>(nullptr); }));
}

TEST_CASE("labels are measured from C", "[small]") {
  const CudaStream stream;
  const std::uint32_t labels[] = {0, 7, 7, 0, 2, 0};
  const std::uint8_t samples[] = {9, 1, 4, 9, 8, 9};
  const CudaMemory memory(Place::device, 4096), host(Place::host, 4096);
  std::memcpy(host.data(), labels, sizeof(labels));
  std::memcpy(host.data() + 256, samples, sizeof(samples));
  cudaMemcpyAsync(memory.data(), host.data(), 4096, cudaMemcpyHostToDevice, stream.get());
  const gpuccl_device_column columns[] = {{"label", memory.data() + 512, 1, 0},
                                          {"intensity_mean", memory.data() + 768, 0, 0},
                                          {"x1", memory.data() + 1280, 2, 1}};
  gpuccl_device_measuring request{};
  request.labels = {memory.data(), GPUCCL_U32, {3, 2, 1}, 0, 0, 0};
  request.samples = {memory.data() + 256, GPUCCL_U8, {3, 2, 1}, 0, 0, 0};
  request.largest = 7;
  request.connectivity = 8;
  request.columns = columns;
  request.column_count = 3;
  request.capacity = 4;
  request.count = reinterpret_cast<unsigned long long*>(memory.data() + 1024);
  size_t bytes = 0;
  REQUIRE(gpuccl_device_measure_workspace_bytes(&request, &bytes) == GPUCCL_SUCCESS);
  const CudaMemory workspace(Place::device, bytes);
  REQUIRE(gpuccl_measure_on_device(&request, workspace.data(), bytes, stream.get()) == GPUCCL_SUCCESS);
  cudaMemcpyAsync(host.data(), memory.data(), 4096, cudaMemcpyDeviceToHost, stream.get());
  stream.wait();
  const auto* const found = reinterpret_cast<const std::int64_t*>(host.data() + 512);
  const auto* const means = reinterpret_cast<const double*>(host.data() + 768);
  CHECK(*reinterpret_cast<const unsigned long long*>(host.data() + 1024) == 2);
  CHECK(found[0] == 2);
  CHECK(found[1] == 7);
  CHECK(means[0] == 8);
  CHECK(means[1] == 2.5);
  const auto* const ends = reinterpret_cast<const std::int32_t*>(host.data() + 1280);
  CHECK(ends[0] == 2);
  CHECK(ends[1] == 3);
  const gpuccl_device_column unknown{"size", memory.data(), 0, 0};
  request.columns = &unknown;
  request.column_count = 1;
  CHECK(gpuccl_measure_on_device(&request, workspace.data(), bytes, stream.get()) == GPUCCL_USAGE);
}

namespace {

/// A row of a table of pairs: labels and counts.
using PairRow = std::vector<std::uint64_t>;

/// Columns of a table of pairs in memory of the device.
class Pairs : public Columns {
 public:
  Pairs(std::size_t capacity, std::size_t counts, const CudaStream& stream)
      : Columns(2 + counts, capacity, stream) {}
  DevicePairs table() const {
    DevicePairs pairs{.a = column(0), .b = column(1), .capacity = capacity(), .count = count()};
    for (std::size_t i = 2; i < columns(); ++i) pairs.counts[i - 2] = column(i);
    if (columns() == 4) pairs.first = std::exchange(pairs.counts[1], nullptr);
    return pairs;
  }
  /// Returns the number of pairs after a download. `rows` receives those within the capacity.
  std::uint64_t read(std::vector<PairRow>& rows, const CudaStream& stream) {
    download(stream);
    rows.assign(std::min<std::size_t>(downloaded_count(), capacity()), {});
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t i = 0; i < columns(); ++i) rows[row].push_back(word(i, row));
    return downloaded_count();
  }
};

std::uint64_t within(double label, std::uint32_t largest) {
  return label > 0 && label <= largest ? static_cast<std::uint64_t>(label) : 0;
}

std::vector<PairRow> rows_of(const std::map<std::pair<std::uint64_t, std::uint64_t>, PairRow>& pairs) {
  std::vector<PairRow> rows;
  for (const auto& [labels, counts] : pairs) {
    rows.push_back({labels.first, labels.second});
    rows.back().insert(rows.back().end(), counts.begin(), counts.end());
  }
  return rows;
}

}  // namespace

TEST_CASE("the highest label is found on a device", "[small][one]") {
  std::mt19937 random(11);
  const CudaStream stream;
  const CudaMemory found(Place::device, 8), host(Place::host, 8);
  for (const ValueType type : kLabelTypes)
    for (const bool is_negative : {false, true}) {
      CAPTURE(static_cast<int>(type), is_negative);
      const Extent extent{1 + static_cast<int>(random() % 300), 1 + static_cast<int>(random() % 90),
                          1 + static_cast<int>(random() % 3)};
      Elements labels(type, extent);
      const std::size_t place = random() % labels.count();
      labels.fill(
          [&](std::size_t i) { return i == place ? (is_negative ? -2 : 30001) : static_cast<int>(i % 20); });
      const DeviceArray image = uploaded(labels, random, stream);
      highest_label_on_device(image.image(), reinterpret_cast<unsigned long long*>(found.data()),
                              stream.get());
      cudaMemcpyAsync(host.data(), found.data(), 8, cudaMemcpyDeviceToHost, stream.get());
      stream.wait();
      unsigned long long highest = 0;
      std::memcpy(&highest, host.data(), 8);
      CHECK(highest == (is_negative ? (~0ull >> (64 - 8 * bytes_of(type))) - 1 : 30001));
    }
}

TEST_CASE("overlaps of two label images are counted on a device", "[small][one]") {
  std::mt19937 random(8);
  const CudaStream stream;
  for (const ValueType type : kLabelTypes)
    for (const ValueType other_type : {ValueType::u16, ValueType::i32, ValueType::u64}) {
      CAPTURE(static_cast<int>(type), static_cast<int>(other_type));
      const Extent extent{1 + static_cast<int>(random() % 300), 1 + static_cast<int>(random() % 90),
                          1 + static_cast<int>(random() % 3)};
      const Elements a = random_labels(type, extent, 4, 300, random),
                     b = random_labels(other_type, extent, 3, 40000, random);
      const std::uint32_t largest = 20000;
      std::map<std::pair<std::uint64_t, std::uint64_t>, PairRow> expected;
      for (std::size_t i = 0; i < a.count(); ++i) {
        const std::pair key(within(a.at(i), largest), within(b.at(i), largest));
        if (key.first + key.second > 0) ++expected.try_emplace(key, PairRow{0, i}).first->second[0];
      }
      const DeviceArray first = uploaded(a, random, stream), second = uploaded(b, random, stream);
      Pairs pairs(expected.size() + random() % 3, 2, stream);
      const CudaMemory workspace(Place::device, device_overlaps_workspace_bytes(pairs.table().capacity));
      overlaps_on_device(first.image(), second.image(), largest, pairs.table(), workspace.data(),
                         workspace.size(), stream.get());
      std::vector<PairRow> rows;
      CHECK(pairs.read(rows, stream) == expected.size());
      CHECK(rows == rows_of(expected));
    }
}

TEST_CASE("labels that are far apart get ranks on a device", "[small][one]") {
  std::mt19937 random(12);
  const CudaStream stream;
  for (const ValueType type : kLabelTypes) {
    CAPTURE(static_cast<int>(type));
    const Extent extent{1 + static_cast<int>(random() % 300), 1 + static_cast<int>(random() % 90),
                        1 + static_cast<int>(random() % 3)};
    Elements labels = random_labels(type, extent, 3, 200, random);
    const double scale = std::ldexp(1, static_cast<int>(bytes_of(type)) * 8 - (is_signed(type) ? 9 : 8));
    labels.fill([&](std::size_t i) { return labels.at(i) * scale; });
    std::memset(labels.bytes.data(), 0xff, bytes_of(type));
    std::map<std::uint64_t, std::uint32_t> expected;
    const std::uint64_t bits = ~0ull >> (64 - 8 * bytes_of(type));
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < labels.count(); ++i) {
      std::uint64_t id = 0;
      std::memcpy(&id, labels.bytes.data() + i * bytes_of(type), bytes_of(type));
      ids.push_back(id & bits);
      if (id != 0) expected[id] = 0;
    }
    std::uint32_t rank = 0;
    for (auto& [id, own] : expected) own = ++rank;
    const DeviceArray image = uploaded(labels, random, stream);
    for (const std::size_t capacity : {expected.size() + random() % 3, expected.size() / 2}) {
      const CudaMemory ranks(Place::device, labels.count() * 4), found(Place::device, (capacity + 2) * 8),
          workspace(Place::device, device_overlaps_workspace_bytes(capacity)),
          host_ranks(Place::host, ranks.size()), host(Place::host, found.size());
      auto* const words = reinterpret_cast<std::uint64_t*>(found.data());
      cudaMemsetAsync(words, 0, found.size(), stream.get());  // all of it is copied
      rank_on_device({image.image(), reinterpret_cast<std::uint32_t*>(ranks.data()), words + 1, capacity,
                      reinterpret_cast<unsigned long long*>(words)},
                     workspace.data(), workspace.size(), stream.get());
      cudaMemcpyAsync(host_ranks.data(), ranks.data(), ranks.size(), cudaMemcpyDeviceToHost, stream.get());
      cudaMemcpyAsync(host.data(), found.data(), found.size(), cudaMemcpyDeviceToHost, stream.get());
      stream.wait();
      const auto* const all = reinterpret_cast<const std::uint64_t*>(host.data());
      if (capacity < expected.size()) {
        CHECK(all[0] > capacity);
        continue;
      }
      REQUIRE(all[0] == expected.size());
      CHECK(all[1] == 0);
      for (const auto& [id, own] : expected) CHECK(all[1 + own] == id);
      const auto* const own = reinterpret_cast<const std::uint32_t*>(host_ranks.data());
      for (std::size_t i = 0; i < ids.size(); ++i)
        if (own[i] != (ids[i] == 0 ? 0 : expected[ids[i]])) FAIL("element " << i);
    }
  }
}

TEST_CASE("contacts of labels are counted on a device", "[small][one]") {
  std::mt19937 random(9);
  const CudaStream stream;
  for (const ValueType type : kLabelTypes)
    for (const Connectivity connectivity : kConnectivities) {
      CAPTURE(static_cast<int>(type), static_cast<int>(connectivity));
      const Extent extent{1 + static_cast<int>(random() % 200), 1 + static_cast<int>(random() % 70),
                          1 + static_cast<int>(random() % 4)};
      const Elements labels = random_labels(type, extent, 1 + static_cast<int>(random() % 4), 150, random);
      ValueImage image(extent, type);
      image.add_rows(0, extent.rows(), labels.bytes.data());
      const ValueLabeling objects = label_by_value(std::move(image));
      std::vector<Label> map{0};
      for (const ValueBits value : objects.values) map.push_back(static_cast<Label>(value));
      std::map<std::pair<std::uint64_t, std::uint64_t>, PairRow> expected;
      for (const Contact& contact : find_contacts(*objects.labeled.labels, connectivity, map.data()))
        expected[{contact.a, contact.b}] = {contact.faces[0], contact.faces[1], contact.faces[2],
                                            contact.edges, contact.corners};
      const DeviceArray on_device = uploaded(labels, random, stream);
      Pairs pairs(expected.size() + random() % 3, 5, stream);
      const CudaMemory workspace(Place::device, device_contacts_workspace_bytes(pairs.table().capacity));
      const CudaMemory highest(Place::device, 8), host(Place::host, 8);
      DevicePairs table = pairs.table();
      table.highest = reinterpret_cast<unsigned long long*>(highest.data());
      contacts_on_device(on_device.image(), connectivity, 150, table, workspace.data(), workspace.size(),
                         stream.get());
      cudaMemcpyAsync(host.data(), highest.data(), 8, cudaMemcpyDeviceToHost, stream.get());
      std::vector<PairRow> rows;
      CHECK(pairs.read(rows, stream) == expected.size());
      CHECK(rows == rows_of(expected));
      unsigned long long found = 0;
      std::memcpy(&found, host.data(), 8);
      CHECK(found ==
            (objects.values.empty() ? 0 : *std::max_element(objects.values.begin(), objects.values.end())));
    }
}

TEST_CASE("a table of pairs says that it is too small", "[small]") {
  std::mt19937 random(10);
  const CudaStream stream;
  const Extent extent{400, 300, 1};
  Elements a(ValueType::u32, extent), b(ValueType::u32, extent);
  a.fill([](std::size_t i) { return i; });  // each element is a pair
  b.fill([](std::size_t) { return 1; });
  const DeviceArray first = uploaded(a, random, stream), second = uploaded(b, random, stream);
  for (const std::size_t capacity :
       {std::size_t{10}, std::size_t{600}, std::size_t{119999}, std::size_t{120000}}) {
    CAPTURE(capacity);
    Pairs pairs(capacity, 1, stream);
    const CudaMemory workspace(Place::device, device_overlaps_workspace_bytes(capacity));
    overlaps_on_device(first.image(), second.image(), 1u << 20, pairs.table(), workspace.data(),
                       workspace.size(), stream.get());
    std::vector<PairRow> rows;
    const std::uint64_t count = pairs.read(rows, stream);
    CHECK((capacity < 120000 ? count > capacity : count == 120000));
  }
  Pairs pairs(10, 1, stream);
  const CudaMemory workspace(Place::device, device_contacts_workspace_bytes(10));
  std::vector<PairRow> rows;
  overlaps_on_device(first.image(), second.image(), 0, pairs.table(), workspace.data(), workspace.size(),
                     stream.get());
  CHECK(pairs.read(rows, stream) == 0);
  const auto code = [&](DeviceValueImage other, std::uint32_t largest, std::size_t bytes) {
    return error_code_of([&] {
      overlaps_on_device(first.image(), other, largest, pairs.table(), workspace.data(), bytes, stream.get());
    });
  };
  DeviceValueImage other = second.image();
  for (const std::uint32_t largest : {0u, 5u}) {
    DevicePairs with_highest = pairs.table();
    with_highest.highest = with_highest.count;
    CHECK(error_code_of([&] {
            overlaps_on_device(first.image(), other, largest, with_highest, workspace.data(),
                               workspace.size(), stream.get());
          }) == ErrorCode::usage);
  }
  CHECK(code(other, ~0u, workspace.size()) == ErrorCode::usage);
  CHECK(code(other, 5, 256) == ErrorCode::usage);
  other.type = ValueType::f32;
  CHECK(code(other, 5, workspace.size()) == ErrorCode::usage);
  other.type = ValueType::u32;
  other.extent.height = 299;
  CHECK(code(other, 5, workspace.size()) == ErrorCode::usage);
  CHECK(error_code_of([&] {
          contacts_on_device(first.image(), static_cast<Connectivity>(7), 5, pairs.table(), workspace.data(),
                             workspace.size(), stream.get());
        }) == ErrorCode::usage);
}

TEST_CASE("pairs of labels are counted on a device by C", "[small]") {
  const CudaStream stream;
  const CudaMemory memory(Place::device, 4096), host(Place::host, 4096);
  std::size_t bytes = 0, more = 0;
  REQUIRE(gpuccl_device_overlaps_workspace_bytes(4, &bytes) == GPUCCL_SUCCESS);
  REQUIRE(gpuccl_device_contacts_workspace_bytes(4, &more) == GPUCCL_SUCCESS);
  const CudaMemory workspace(Place::device, std::max(bytes, more));
  const std::uint32_t labels[] = {1, 1, 2, 0, 3, 2}, others[] = {5, 5, 5, 0, 0, 6};
  std::memcpy(host.data(), labels, sizeof(labels));
  std::memcpy(host.data() + 256, others, sizeof(others));
  cudaMemcpyAsync(memory.data(), host.data(), 4096, cudaMemcpyHostToDevice, stream.get());
  const gpuccl_device_value_image image{memory.data(), GPUCCL_U32, {3, 2, 1}, 0, 0, 0},
      other{memory.data() + 256, GPUCCL_U32, {3, 2, 1}, 0, 0, 0};
  const auto column = [](const CudaMemory& of, int i) {
    return reinterpret_cast<std::int64_t*>(of.data() + 512 + 64 * i);
  };
  gpuccl_device_pairs pairs{};
  pairs.a = column(memory, 0);
  pairs.b = column(memory, 1);
  pairs.counts[0] = column(memory, 2);
  pairs.first = column(memory, 3);
  pairs.capacity = 4;
  pairs.count = reinterpret_cast<unsigned long long*>(column(memory, 4));
  const auto rows = [&] {
    cudaMemcpyAsync(host.data(), memory.data(), 4096, cudaMemcpyDeviceToHost, stream.get());
    stream.wait();
    std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>(*column(host, 4)));
    for (std::size_t row = 0; row < found.size(); ++row)
      for (int i = 0; i < 4; ++i) found[row].push_back(column(host, i)[row]);
    return found;
  };
  REQUIRE(gpuccl_overlaps_on_device(&image, &other, 6, &pairs, workspace.data(), workspace.size(),
                                    stream.get()) == GPUCCL_SUCCESS);
  CHECK(rows() ==
        std::vector<std::vector<std::int64_t>>{{1, 5, 2, 0}, {2, 5, 1, 2}, {2, 6, 1, 5}, {3, 0, 1, 4}});
  pairs.first = nullptr;
  pairs.counts[3] = column(memory, 3);
  REQUIRE(gpuccl_contacts_on_device(&image, 8, 6, &pairs, workspace.data(), workspace.size(), stream.get()) ==
          GPUCCL_SUCCESS);
  CHECK(rows() == std::vector<std::vector<std::int64_t>>{{1, 2, 1, 1}, {1, 3, 0, 1}, {2, 3, 1, 1}});
  CHECK(gpuccl_contacts_on_device(&image, 8, 6, &pairs, workspace.data(), 1, stream.get()) == GPUCCL_USAGE);
}
