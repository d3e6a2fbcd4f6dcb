// Parts that are labeled by themselves: the same labels and components as those of the whole, for any number
// of parts.

#include <bit>

#include "gpuccl/detail/parts.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/selection.hpp"
#include "parts/run_parts.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

/// Samples of one of the kinds that there are, of which the real ones do not add up to the same in any order.
class RandomSamples final : public IntensityImage {
 public:
  RandomSamples(Extent extent, std::mt19937& random)
      : extent_(extent), of_(static_cast<Of>(random() % 5)), at_once_(1 + static_cast<int>(random() % 3)) {
    samples_.resize(static_cast<std::size_t>(extent.elements()));
    for (double& sample : samples_) {
      const auto draw = static_cast<double>(random());
      if (of_ == Of::u8) sample = std::fmod(draw, 256);
      if (of_ == Of::i16) sample = std::fmod(draw, 4) - (random() % 8 == 0 ? 32768 : 2);
      if (of_ == Of::u32) sample = draw;
      if (of_ == Of::f64)
        sample = random() % 30 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                    : std::ldexp(draw, static_cast<int>(random() % 60));
      if (of_ == Of::u64) long_samples_.push_back(WholeNumber{random()} << 32 | random());
    }
  }

  Extent extent() const override { return extent_; }
  Kind kind() const override {
    return of_ == Of::f64 ? Kind::real : of_ == Of::u64 ? Kind::long_whole : Kind::whole;
  }
  Values values() const override {
    return of_ == Of::u8 ? Values{0, 256} : of_ == Of::i16 ? Values{-32768, 65536} : Values{};
  }
  int slices_at_once(int) const override { return at_once_; }
  void read(int z, int, int, const Sink& sink) const override {
    sink(0, extent_.height, samples_.data() + first(z));
  }
  void read_long(int z, int, int, const LongSink& sink) const override {
    sink(0, extent_.height, long_samples_.data() + first(z));
  }

 private:
  enum class Of { u8, i16, u32, u64, f64 };

  std::int64_t first(int z) const { return std::int64_t{z} * extent_.height * extent_.width; }

  Extent extent_;
  Of of_;
  int at_once_;
  std::vector<double> samples_;
  std::vector<WholeNumber> long_samples_;
};

struct Case {
  Extent extent;
  Connectivity connectivity;
  int parts;
  SelectionOptions selection = {};
  bool per_value = false;
  std::uint32_t seed = 0;
  MeasureSet wanted = {};
  PeriodicAxes periodic = {};
  double delta = 0;  // of values
  std::vector<const IntensityImage*> samples = {};
};

std::string described(const Case& c) {
  const SelectionOptions& s = c.selection;
  return to_string(c.extent) + ", " + std::to_string(static_cast<int>(c.connectivity)) + "-connectivity, " +
         std::to_string(c.parts) + " parts, sizes " + std::to_string(s.min_size) + " to " +
         std::to_string(s.max_size) + ", largest " + std::to_string(s.largest) + ", border " +
         std::to_string(s.clear_border) + ", order " + std::to_string(static_cast<int>(s.order)) +
         ", per value " + std::to_string(c.per_value) + ", delta " + std::to_string(c.delta) + ", seed " +
         std::to_string(c.seed);
}

/// Labels that a map, unless it is empty, makes of others.
std::vector<Label> mapped(const Labeling& labeled, const std::vector<Label>& map) {
  const Extent extent = labeled.labels->extent();
  std::vector<Label> labels(static_cast<std::size_t>(extent.elements()));
  labeled.labels->render(0, extent.rows(), labels.data(), map.empty() ? nullptr : map.data());
  return labels;
}

/// The background of all labels, or of what has none.
Labeling background_of(const LabelRows* labels, Connectivity connectivity) {
  if (labels == nullptr) return {};
  BitVolume bits(labels->extent());
  draw_background(*labels, 0, bits);
  return flood_fill(bits.view(), complementary(connectivity));
}

MeasureTable measure_whole(const LabelRows& labels, const Components& components, MeasureRequest request) {
  Labeling background;
  if (needs_background(request)) {
    background = background_of(&labels, request.connectivity);
    request.background = &background;
  }
  return measure(labels, components, request);
}

void measure_with_background(PartLink& link, const Slab& slab, Extent extent, MeasureRequest request,
                             PartResult& part) {
  Labeling cavities;
  if (needs_background(request)) {
    cavities = cavities_of_part(link, extent, request.connectivity,
                                unite_part(link, slab, extent, complementary(request.connectivity),
                                           background_of(part.labels.labels.get(), request.connectivity)));
    request.background = &cavities;
  }
  measure_part(link, extent, request, part);
}

/// Labels a slab that has elements; without values if they are those of bits.
using LabelSlab = std::function<SlabSummary(const Slab& slab)>;

/// The slabs joined one after the other, as one part that is the whole; then `expected` is all that is left
/// of its components, and they have these labels.
void expect_same_joined(const Case& c, const LabelSlab& label, const Components& expected,
                        const UninitializedVector<ValueBits>& values, const std::vector<Label>& labels,
                        const std::vector<Contact>& contacts) {
  std::vector<Slab> slabs = cut_into_parts(c.extent, c.parts);
  std::erase_if(slabs, [&](const Slab& slab) { return rows_of(slab, c.extent).empty(); });
  JoinedSlabs joined =
      join_slabs(c.extent, c.connectivity, slabs, [&](std::size_t i) { return label(slabs[i]); });
  const auto numbered = [&](std::size_t i) {
    return SlabLabels{slabs[i], label(slabs[i]).labeled.labels, joined.numbers(i)};
  };
  const auto all_labels = [&] {
    std::vector<SlabLabels> all;
    for (std::size_t i = 0; i < slabs.size(); ++i) all.push_back(numbered(i));
    return joined_labels(c.extent, std::move(all), joined.whole.count);
  };
  SoloLink link;
  const bool wraps_around = c.periodic != PeriodicAxes{};
  if (wraps_around) {
    joined.whole.labels.labels = all_labels();
    wrap_part(link, c.extent, c.connectivity, c.periodic, joined.whole);
  }
  select_part(link, c.extent, c.connectivity, c.selection, joined.whole, {{}, ValueType::u16, c.per_value});
  REQUIRE(joined.whole.count == expected.size());
  REQUIRE(joined.whole.components == expected);
  REQUIRE(joined.whole.values == values);
  REQUIRE(joined.numbers(slabs.size()) == std::vector<Label>{0});
  Labeling all{all_labels(), {}, {}, 0};
  REQUIRE(mapped(all, {}) == labels);
  const Connectivity all_neighbors = is_3d(c.connectivity) ? Connectivity::c26 : Connectivity::c8;
  ContactsOfParts of_parts(c.extent, all_neighbors, c.periodic);
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    const RowRange rows = rows_of(slabs[i], c.extent);
    of_parts.add(find_contacts_of_rows(*all.labels, all_neighbors, rows.begin, rows.count()),
                 wraps_around ? list_border_rows(numbered(i), c.extent, c.periodic) : BorderRows());
  }
  REQUIRE(of_parts.finish() == contacts);
}

void expect_same_as_whole(const Case& c, ValueLabeling whole, const LabelSlab& label) {
  INFO(described(c));
  const Extent extent = c.extent;
  constexpr ValueType kType = ValueType::u16;
  const bool wraps_around = c.periodic != PeriodicAxes{};
  Wrapped wrapped;
  if (wraps_around) {
    wrapped = wrap(*whole.labeled.labels, whole.labeled.components, c.connectivity, c.periodic, whole.values);
    whole.labeled.components = std::move(wrapped.components);
    remap(wrapped.map, whole.labeled.components.size(), whole.values);
  }
  const UninitializedVector<std::uint64_t>& areas = whole.labeled.components.area;
  const std::uint64_t largest = areas.empty() ? 0 : *std::max_element(areas.begin(), areas.end());
  MeasureRequest request{.wanted = c.wanted, .connectivity = c.connectivity, .spacing = {0.5, 2, 3}};
  for (const IntensityImage* samples : c.samples) request.samples.push_back({samples, ""});
  MeasureTable measured;
  std::vector<std::uint64_t> nans;
  if (wraps_around) {
    request.wraps = wrapped.wraps;
    measured = measure(*whole.labeled.labels, whole.labeled.components, request);
  } else if (request.wanted.any())
    measured = measure_whole(*whole.labeled.labels, whole.labeled.components, request);
  if (measured.any()) nans = derive_intensities(measured, whole.labeled.components.size());
  const Selection expected = select(std::move(whole.labeled.components), extent, !is_3d(c.connectivity),
                                    c.selection, measured, {whole.values, kType, c.per_value});
  renumber(measured, expected.map);
  remap(expected.map, expected.components.size(), whole.values);
  std::vector<Label> map = expected.map;
  if (wraps_around) {
    map = wrapped.map;
    if (!expected.map.empty())
      for (Label& one : map) one = expected.map[one];
  }
  const std::vector<Label> expected_labels = mapped(whole.labeled, map);

  const std::vector<Slab> slabs = cut_into_parts(extent, c.parts);
  std::vector<PartResult> numbered(slabs.size());
  const Connectivity all_neighbors = is_3d(c.connectivity) ? Connectivity::c26 : Connectivity::c8;
  std::vector<Contact> contacts;  // in part 0
  run_parts(c.parts, [&](PartLink& link) {
    const Slab& slab = slabs[static_cast<std::size_t>(link.part())];
    SlabSummary labeled;
    if (slab.z0 < slab.z1 && slab.y0 < slab.y1) labeled = label(slab);
    PartResult& part = numbered[static_cast<std::size_t>(link.part())];
    part = unite_part(link, slab, extent, c.connectivity, std::move(labeled.labeled), labeled.values,
                      std::move(labeled.faces));
    if (wraps_around) {
      const auto wraps = wrap_part(link, extent, c.connectivity, c.periodic, part);
      MeasureRequest of_wraps = request;
      of_wraps.wraps = wraps;
      part.measured = empty_measures(extent, part.components, of_wraps);
    } else if (request.wanted.any())
      measure_with_background(link, slab, extent, request, part);
    select_part(link, extent, c.connectivity, c.selection, part, {{}, kType, c.per_value});
    std::vector<Contact> of_all = find_contacts_of_part(link, extent, all_neighbors, part, c.periodic);
    if (link.part() == 0) contacts = std::move(of_all);
  });

  Components components;
  UninitializedVector<ValueBits> values;
  std::vector<SlabLabels> numbered_slabs;
  std::vector<std::uint64_t> nans_of_parts(nans.size());
  for (PartResult& part : numbered) {
    numbered_slabs.push_back(std::move(part.labels));
    values.insert(values.end(), part.values.begin(), part.values.end());
    REQUIRE(part.count == expected.components.size());
    REQUIRE(part.dropped == expected.dropped);
    REQUIRE(part.largest == largest);
    REQUIRE(part.nans.size() == nans.size());
    for (std::size_t image = 0; image < nans.size(); ++image) nans_of_parts[image] += part.nans[image];
    REQUIRE((part.first == components.size() || part.components.size() == 0));
    for (std::size_t i = 0; i < part.components.size(); ++i) {
      components.push_back(part.components[i]);
      if (request.wanted.none()) continue;
      MeasureValues found = part.measured.values(part.components, i),
                    right = measured.values(components, components.size() - 1);
      for (std::size_t image = 0; image < std::max<std::size_t>(c.samples.size(), 1); ++image) {
        if (image > 0) {
          part.measured.get_intensities(i, image, found);
          measured.get_intensities(components.size() - 1, image, right);
        }
        for (const MeasureId id : columns(request.wanted)) {
          INFO(measure_of(id).name);
          REQUIRE(std::bit_cast<std::uint64_t>(found[id]) == std::bit_cast<std::uint64_t>(right[id]));
          REQUIRE((found.large(id) == right.large(id)));
        }
      }
    }
  }
  REQUIRE(nans_of_parts == nans);
  REQUIRE(components == expected.components);
  REQUIRE(values == whole.values);
  REQUIRE(contacts == find_contacts(*whole.labeled.labels, all_neighbors, map.empty() ? nullptr : map.data(),
                                    c.periodic));
  const Labeling joined{joined_labels(extent, std::move(numbered_slabs), numbered.front().count), {}, {}, 0};
  REQUIRE(mapped(joined, {}) == expected_labels);
  if (c.selection.keep.steps.empty())
    expect_same_joined(c, label, expected.components, whole.values, expected_labels, contacts);
}

/// The rows of a slab.
BitView bits_of(BitView image, const Slab& slab) {
  const Extent extent{image.extent.width, slab.y1 - slab.y0, slab.z1 - slab.z0};
  return {image.row(std::int64_t{slab.z0} * image.extent.height + slab.y0), extent, image.row_pitch};
}

void expect_same_as_whole(const BitVolume& image, const Case& c) {
  expect_same_as_whole(c, {flood_fill(image.view(), c.connectivity), {}}, [&](const Slab& slab) {
    return SlabSummary{flood_fill(bits_of(image.view(), slab), c.connectivity), {}, {}};
  });
}

/// A slab that has elements, labeled.
template <class T>
SlabSummary label_slab(const Values<T>& values, const Slab& slab, Connectivity connectivity, double delta) {
  Values<T> rows(extent_of(slab, values.extent));
  std::copy_n(values.elements.begin() +
                  (std::int64_t{slab.z0} * values.extent.height + slab.y0) * values.extent.width,
              rows.elements.size(), rows.elements.begin());
  ValueLabeling labeled = flood_fill(rows, connectivity, delta);
  return {std::move(labeled.labeled), std::move(labeled.values),
          faces_of(image_of(rows, delta), slab, values.extent, connectivity)};
}

template <class T>
void expect_same_as_whole(const Values<T>& values, const Case& c) {
  expect_same_as_whole(c, flood_fill(values, c.connectivity, c.delta),
                       [&](const Slab& slab) { return label_slab(values, slab, c.connectivity, c.delta); });
}

SelectionOptions random_selection(std::mt19937& random) {
  const auto below = [&](std::uint32_t count) { return random() % count; };
  SelectionOptions selection;
  if (below(3) == 0) return selection;
  if (below(3) == 0) selection.min_size = below(6);
  if (below(3) == 0) selection.max_size = selection.min_size + below(50);
  if (below(3) == 0) selection.largest = 1 + below(9);
  selection.clear_border = below(4) == 0;
  if (below(3) == 0) selection.order = LabelOrder::size;
  return selection;
}

TEST_CASE("random volumes in parts are labeled as the whole") {
  for (std::uint32_t seed = 1; seed <= 250; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t most) { return static_cast<int>(random() % most); };
    const Extent extent{1 + below(17), 1 + below(17), below(4) == 0 ? 1 : 1 + below(17)};
    const BitVolume image = random_image(extent, below(100) / 100.0, 1 + below(3), seed);
    const Connectivity connectivity = kConnectivities[below(5)];
    expect_same_as_whole(image, {extent, connectivity, 1 + below(17), random_selection(random), false, seed});
  }
}

/// All that looks at a component alone, at elements around it and at what it surrounds.
MeasureSet measured_in_parts() {
  MeasureSet measured = measures_of(MeasureGroup::shape) | measures_of(MeasureGroup::topology) |
                        measures_of(MeasureGroup::border) | measures_of(MeasureGroup::physical);
  measured.reset(static_cast<std::size_t>(MeasureId::components));  // of objects, which have no parts
  return measured;
}

TEST_CASE("components are measured in parts as in the whole") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t most) { return static_cast<int>(random() % most); };
    const Extent extent{1 + below(70), 1 + below(17), below(3) == 0 ? 1 : 1 + below(12)};
    const BitVolume image = random_image(extent, below(100) / 100.0, 1 + below(4), seed);
    SelectionOptions selection = random_selection(random);
    if (below(2) == 0) {
      using Step = Condition::Step;
      const MeasureId measure = std::vector{MeasureId::border_sides, MeasureId::euler_number}[random() % 2];
      selection.keep.steps = {{Step::Kind::comparison, measure, Condition::Relation::less, 1}};
    }
    const Connectivity connectivity = kConnectivities[below(5)];
    Case c{extent, connectivity, 1 + below(12), selection, false, seed, measured_in_parts()};
    const RandomSamples samples(extent, random), others(extent, random);
    if (below(2) == 0) {
      c.samples = {&samples};
      if (below(2) == 0) c.samples.push_back(&others);
      c.wanted = measures_of(MeasureGroup::intensity);
    }
    expect_same_as_whole(image, c);
  }
}

TEST_CASE("cavities and tunnels are counted in parts as in the whole") {
  using Step = Condition::Step;
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t most) { return static_cast<int>(random() % most); };
    const Extent extent{3 + below(60), 3 + below(12), 3 + below(16)};
    const BitVolume image =
        below(4) == 0 ? random_image(extent, 0.5 + below(50) / 100.0, 1, seed) : random_shells(extent, seed);
    SelectionOptions selection = random_selection(random);
    if (below(3) == 0) {
      const MeasureId measure = below(2) == 0 ? MeasureId::cavities : MeasureId::tunnels;
      selection.keep.steps = {{Step::Kind::comparison, measure, Condition::Relation::greater, 0}};
    }
    Case c{extent, kConnectivities[2 + below(3)], 1 + below(7), selection, false, seed};
    c.wanted = measures_of(MeasureGroup::topology) & measured_in_parts();
    if (below(4) == 0) c.wanted.set(static_cast<std::size_t>(MeasureId::feret_diameter_max));
    expect_same_as_whole(image, c);
  }
}

SelectionOptions periodic_selection(std::mt19937& random, const PeriodicAxes& periodic) {
  SelectionOptions selection = random_selection(random);
  selection.periodic = periodic;
  if (random() % 3 == 0)
    selection.keep.steps = {
        {Condition::Step::Kind::comparison, MeasureId::wraps_x, Condition::Relation::less, 2}};
  return selection;
}

/// Axes that can be periodic, one at least if there is one.
PeriodicAxes random_axes(std::mt19937& random, const Extent& extent, Connectivity connectivity) {
  PeriodicAxes axes{extent.width > 1 && random() % 2 == 0, extent.height > 1 && random() % 2 == 0,
                    extent.depth > 1 && is_3d(connectivity) && random() % 2 == 0};
  if (axes == PeriodicAxes{}) axes[extent.width > 1 ? 0 : 1] = extent.width > 1 || extent.height > 1;
  return axes;
}

/// Like the row above or the one of the slice before in part, so that components go on.
Values<std::uint16_t> random_values(std::mt19937& random, Extent extent) {
  const auto below = [&](std::uint32_t most) { return random() % most; };
  Values<std::uint16_t> values(extent);
  const auto kinds = static_cast<std::uint32_t>(2 + below(4)),
             length = static_cast<std::uint32_t>(1 + below(4));
  const std::size_t row = static_cast<std::size_t>(extent.width),
                    slice = row * static_cast<std::size_t>(extent.height);
  std::uint16_t value = 0;
  for (std::size_t i = 0; i < values.elements.size(); ++i) {
    if (below(length) == 0) value = static_cast<std::uint16_t>(below(kinds));
    const std::size_t before = below(2) == 0 ? row : slice;
    values.elements[i] = i >= before && below(4) != 0 ? values.elements[i - before] : value;
  }
  return values;
}

TEST_CASE("periodic volumes in parts are labeled as the whole") {
  for (std::uint32_t seed = 1; seed <= 250; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t most) { return static_cast<int>(random() % most); };
    const Extent extent{1 + below(17), 1 + below(17), below(3) == 0 ? 1 : 1 + below(12)};
    const Connectivity connectivity = kConnectivities[below(5)];
    const PeriodicAxes axes = random_axes(random, extent, connectivity);
    if (axes == PeriodicAxes{}) continue;  // one element along each
    Case c{extent, connectivity, 1 + below(12), periodic_selection(random, axes), false, seed};
    c.wanted = measures_of(MeasureGroup::periodic);
    c.periodic = axes;
    if (below(3) == 0) {
      expect_same_as_whole(random_values(random, extent), c);
    } else {
      expect_same_as_whole(random_image(extent, below(100) / 100.0, 1 + below(4), seed), c);
    }
  }
}

template <class T>
void expect_same_by_delta(std::mt19937& random, Case c) {
  const auto below = [&](std::uint32_t most) { return static_cast<int>(random() % most); };
  Values<T> values = tests::random_values<T>(random, c.extent, 2 + below(10), 1 + below(5));
  if (below(2) == 0) repeat_rows(random, values);
  c.delta = std::vector{0.0, 0.0, 0.5, 1.0, 2.0, 1e19}[random() % 6];
  c.per_value = c.delta == 0 && below(2) == 0;
  expect_same_as_whole(values, c);
}

TEST_CASE("random values in parts are labeled as the whole, equal ones or those within a delta") {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t most) { return static_cast<int>(random() % most); };
    const Extent extent{1 + below(17), 1 + below(9), below(3) == 0 ? 1 : 1 + below(9)};
    const Case c{extent, kConnectivities[below(5)], 1 + below(12), random_selection(random), false, seed};
    with_type(static_cast<ValueType>(seed % 10),
              [&](auto value) { expect_same_by_delta<decltype(value)>(random, c); });
  }
}

/// Notes how large the first message to the next part is: the one of the face.
class MeasuringLink final : public PartLink {
 public:
  MeasuringLink(PartLink& link, std::size_t& bytes) : link_(link), bytes_(bytes) {}

  int part() const override { return link_.part(); }
  int parts() const override { return link_.parts(); }
  void send(int to, Message message) override {
    if (to == part() + 1 && bytes_ == 0) bytes_ = message.size();
    link_.send(to, std::move(message));
  }
  Message receive(int from) override { return link_.receive(from); }

 private:
  PartLink& link_;
  std::size_t& bytes_;
};

/// Bytes of what a part sends of its last slice.
template <class T>
std::vector<std::size_t> measure_faces(const Values<T>& values, int parts, double delta) {
  const std::vector<Slab> slabs = cut_into_parts(values.extent, parts);
  std::vector<std::size_t> bytes(slabs.size());
  run_parts(parts, [&](PartLink& link) {
    const auto part = static_cast<std::size_t>(link.part());
    MeasuringLink measuring(link, bytes[part]);
    SlabSummary labeled = label_slab(values, slabs[part], Connectivity::c6, delta);
    unite_part(measuring, slabs[part], values.extent, Connectivity::c6, std::move(labeled.labeled),
               labeled.values, std::move(labeled.faces));
  });
  return bytes;
}

/// Contacts of noise in parts that may take `max_bytes` for them; the failures of parts, of which all hear.
std::vector<Contact> contacts_with(std::int64_t max_bytes, const PeriodicAxes& periodic,
                                   std::set<ErrorCode>& failures) {
  const BitVolume image = random_image({60, 50, 12}, 0.2, 1, 11);
  const Extent extent = image.extent();
  const std::vector<Slab> slabs = cut_into_parts(extent, 3);
  std::vector<Contact> contacts;
  std::mutex lock;
  run_parts(3, [&](PartLink& link) {
    const Slab& slab = slabs[static_cast<std::size_t>(link.part())];
    const PartResult part = unite_part(link, slab, extent, Connectivity::c6,
                                       flood_fill(bits_of(image.view(), slab), Connectivity::c6));
    bool failed = false;
    const auto alone = [&](const std::function<void()>& work) {
      try {
        work();
      } catch (const Error& error) {
        const std::lock_guard locked(lock);
        failures.insert(error.code());
        failed = true;
      }
      failed = link.scan(failed ? 1 : 0).all > 0;
      if (failed) throw Error(ErrorCode::memory, "a part has failed");
    };
    try {
      std::vector<Contact> found =
          find_contacts_of_part(link, extent, Connectivity::c26, part, periodic, max_bytes, alone);
      if (link.part() == 0) contacts = std::move(found);
    } catch (const Error&) {
      CHECK(failed);
    }
    // Links are still in order.
    CHECK(link.scan(1).all == 3);
  });
  return contacts;
}

TEST_CASE("contacts of parts keep to a limit of memory, or all parts fail") {
  for (const PeriodicAxes& periodic : {PeriodicAxes{}, PeriodicAxes{true, true, true}}) {
    std::set<ErrorCode> failures;
    const std::vector<Contact> all = contacts_with(INT64_MAX, periodic, failures);
    CHECK(all.size() > 1000);
    CHECK(failures.empty());
    const auto bytes_each = static_cast<std::int64_t>(2 * (96 + sizeof(Contact)));
    const std::int64_t enough = static_cast<std::int64_t>(all.size()) * bytes_each;
    CHECK(contacts_with(enough, periodic, failures) == all);
    CHECK(failures.empty());
    // Too little for part 0, which has all of them, and for each part.
    for (const std::int64_t bytes : {enough * 9 / 10, enough / 100, std::int64_t{0}}) {
      failures.clear();
      CHECK(contacts_with(bytes, periodic, failures).empty());
      CHECK(failures == std::set{ErrorCode::memory});
    }
  }
}

}  // namespace

TEST_CASE("a face is sent as its runs, with values of its components or its elements") {
  constexpr int kWidth = 12, kHeight = 5, kParts = 3;
  std::mt19937 random(3);
  Values<double> values = tests::random_values<double>(random, {kWidth, kHeight, 4 * kParts}, 4, 3);
  repeat_rows(random, values);
  constexpr std::size_t kCount = sizeof(std::uint64_t), kEnds = kCount + kHeight * sizeof(std::size_t);
  for (const double delta : {0.0, 1.0}) {
    const std::vector<std::size_t> found = measure_faces(values, kParts, delta);
    for (int part = 0; part + 1 < kParts; ++part) {
      INFO("part " << part << ", delta " << delta);
      const SlabSummary slab =
          label_slab(values, {4 * part, 4 * part + 4, 0, kHeight}, Connectivity::c6, delta);
      LabelRuns face;
      slab.labeled.labels->list_runs(3 * kHeight, kHeight, face, nullptr);
      std::set<Label> there;
      for (const LabelRun& run : face.runs) there.insert(run.label);
      const std::size_t of_values = delta == 0 ? there.size() * sizeof(ValueBits)
                                               : kCount + std::size_t{kWidth * kHeight} * sizeof(double);
      CHECK(found[static_cast<std::size_t>(part)] ==
            kCount + face.runs.size() * sizeof(LabelRun) + kEnds + 2 * kCount +
                there.size() * (sizeof(Label) + sizeof(std::uint8_t)) + kCount + of_values);
    }
  }
}

TEST_CASE("parts are about equally large, and empty at the end where there are too many") {
  CHECK(cut_into_parts({5, 6, 7}, 3) == std::vector<Slab>{{0, 2, 0, 6}, {2, 4, 0, 6}, {4, 7, 0, 6}});
  CHECK(cut_into_parts({5, 6, 2}, 3) == std::vector<Slab>{{0, 1, 0, 6}, {1, 2, 0, 6}, {2, 2, 0, 6}});
  CHECK(cut_into_parts({5, 6, 1}, 4) ==
        std::vector<Slab>{{0, 1, 0, 1}, {0, 1, 1, 3}, {0, 1, 3, 4}, {0, 1, 4, 6}});
  CHECK(cut_into_parts({5, 2147483647, 1}, 1024).back() == Slab{0, 1, 2145386495, 2147483647});
}

namespace {

/// Labels an image in parts, each by `label`.
template <class Label>
Labeling label_in_parts(BitView image, Connectivity connectivity, int parts, Label label) {
  const std::vector<Slab> slabs = cut_into_parts(image.extent, parts);
  std::vector<PartResult> numbered(slabs.size());
  run_parts(parts, [&](PartLink& link) {
    const auto i = static_cast<std::size_t>(link.part());
    numbered[i] = unite_part(link, slabs[i], image.extent, connectivity, label(bits_of(image, slabs[i])));
  });
  Labeling whole;
  std::vector<SlabLabels> labels;
  for (PartResult& part : numbered) {
    for (std::size_t i = 0; i < part.components.size(); ++i) whole.components.push_back(part.components[i]);
    labels.push_back(std::move(part.labels));
  }
  whole.labels = joined_labels(image.extent, std::move(labels), numbered.front().count);
  return whole;
}

}  // namespace

TEST_CASE("sums of coordinates that take two words are united in parts") {
  BitVolume image({9, 9, 12});
  std::mt19937 random(1);
  for (int y = 0; y < 9; y += 2)
    for (int x = 0; x < 9; x += 2)  // a stretch of each column, so that a slice has one element of it
      for (int z = static_cast<int>(random() % 6), end = z + 1 + static_cast<int>(random() % 6); z < end; ++z)
        image.set(x, y, z);
  struct Raised {
    std::size_t axis;
    CoordinateSum by;  // each part of a component
  };
  for (const Raised& raised : {Raised{0, CoordinateSum{1} << 64}, Raised{2, ~std::uint64_t{0}}}) {
    const auto raise = [&](Labeling labeled, auto parts_of) {
      for (std::size_t i = 0; i < labeled.components.size(); ++i) {
        Component one = labeled.components[i];
        one.sum[raised.axis] += parts_of(one) * raised.by;
        labeled.components.set(i, one);
      }
      return labeled;
    };
    const Labeling expected = raise(flood_fill(image.view(), Connectivity::c6), [](const Component& one) {
      return static_cast<std::uint64_t>(one.box.max[2] - one.box.min[2] + 1);
    });
    expect_same(label_in_parts(image.view(), Connectivity::c6, 12,
                               [&](BitView slab) {
                                 return raise(flood_fill(slab, Connectivity::c6),
                                              [](const Component&) { return std::uint64_t{1}; });
                               }),
                expected);
  }
}
