#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "measure/intensity_sums.hpp"
#include "support/intensities.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

using enum MeasureId;

using Kind = IntensityImage::Kind;

/// Samples of each component, with x, y and z.
struct Element {
  int x, y, z;
  double sample;
};
std::vector<std::vector<Element>> elements_of(const Labeling& labeled, const Samples& image) {
  const LabelImage labels = render_all(*labeled.labels);
  const Extent extent = labels.extent();
  std::vector<std::vector<Element>> elements(labels.count());
  std::size_t i = 0;
  for_each_element(extent, [&](int x, int y, int z) {
    const double sample = image.samples[i++];
    if (const Label label = labels(x, y, z); label != 0) elements[label - 1].push_back({x, y, z, sample});
  });
  return elements;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool near(double a, double b, double scale) {
  return same(a, b) || std::abs(a - b) <= 1e-9 * std::max(std::abs(b), scale);
}

double percentile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto rank = static_cast<std::size_t>(place);
  const double next = sorted[std::min(rank + 1, sorted.size() - 1)];
  return sorted[rank] + (next - sorted[rank]) * (place - static_cast<double>(rank));
}

/// Against two passes in long double.
void expect_right(const Intensities& measured, const Labeling& labeled, const Samples& image) {
  const std::vector<std::vector<Element>> components = elements_of(labeled, image);
  std::uint64_t nans = 0;
  for (std::size_t i = 0; i < components.size(); ++i) {
    MeasureValues values;
    measured.get(i, values);
    long double sum = 0, moments[3] = {}, squares = 0;
    double scale = 0;
    std::vector<double> sorted;
    for (const Element& element : components[i]) {
      if (std::isnan(element.sample)) continue;
      sorted.push_back(element.sample);
      scale = std::max(scale, std::abs(element.sample));
      sum += element.sample;
      moments[0] += element.x * static_cast<long double>(element.sample);
      moments[1] += element.y * static_cast<long double>(element.sample);
      moments[2] += element.z * static_cast<long double>(element.sample);
    }
    nans += components[i].size() - sorted.size();
    REQUIRE(values[intensity_nan] == static_cast<double>(components[i].size() - sorted.size()));
    if (sorted.empty()) {
      REQUIRE((std::isnan(values[intensity_mean]) && std::isnan(values[intensity_min])));
      continue;
    }
    const auto count = static_cast<long double>(sorted.size());
    for (const double sample : sorted) squares += (sample - sum / count) * (sample - sum / count);
    std::sort(sorted.begin(), sorted.end());
    REQUIRE(values[intensity_min] == sorted.front());
    REQUIRE(values[intensity_max] == sorted.back());
    REQUIRE(near(values[intensity_sum], static_cast<double>(sum), 0));
    REQUIRE(near(values[intensity_mean], static_cast<double>(sum / count), 0));
    REQUIRE(near(values[intensity_std], static_cast<double>(std::sqrt(squares / count)), 1e-6 * scale));
    if (sum != 0) {
      REQUIRE(near(values[cx_weighted], static_cast<double>(moments[0] / sum), 0));
      REQUIRE(near(values[cy_weighted], static_cast<double>(moments[1] / sum), 0));
      REQUIRE(near(values[cz_weighted], static_cast<double>(moments[2] / sum), 0));
    } else {
      REQUIRE(std::isnan(values[cx_weighted]));
    }
    if (image.values().count == 0) {
      REQUIRE(std::isnan(values[intensity_median]));
      continue;
    }
    REQUIRE(near(values[intensity_median], percentile(sorted, 0.5), 0));
    REQUIRE(near(values[intensity_p5], percentile(sorted, 0.05), 0));
    REQUIRE(near(values[intensity_p95], percentile(sorted, 0.95), 0));
  }
  REQUIRE(measured.nans == nans);
}

bool equal(const Intensities& a, const Intensities& b, std::size_t components) {
  for (std::size_t i = 0; i < components; ++i) {
    MeasureValues of_a, of_b;
    a.get(i, of_a);
    b.get(i, of_b);
    for (std::size_t id = 0; id < kMeasures; ++id)
      if (!same(of_a[static_cast<MeasureId>(id)], of_b[static_cast<MeasureId>(id)]) ||
          of_a.large(static_cast<MeasureId>(id)) != of_b.large(static_cast<MeasureId>(id)))
        return false;
  }
  return true;
}

struct IntensityRequest {
  MeasureSet wanted = measures_of(MeasureGroup::intensity);
  std::int64_t max_bytes = INT64_MAX;
};

Intensities measure_intensity(const LabelRows& labels, const Components& components,
                              const IntensityImage& image, const IntensityRequest& request = {}) {
  const NamedSamples one[] = {{&image, ""}};
  return measure_intensities(labels, components, one, request.wanted, request.max_bytes).front();
}

}  // namespace

TEST_CASE(
    "samples of components are measured as two passes over every element do, in slabs and by threads too") {
  const tbb::global_control eight(tbb::global_control::max_allowed_parallelism, 8);
  std::mt19937 random(3);
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  for (int round = 0; round < 150; ++round) {
    const Extent extent = round % 2 == 0 ? Extent{1 + below(30), 1 + below(400), 1}
                                         : Extent{1 + below(90), 1 + below(17), 1 + below(9)};
    const BitVolume image =
        random_image(extent, 0.1 + below(80) / 100.0, 1 + below(3), static_cast<std::uint32_t>(random()));
    const int kind = below(4);
    Samples samples(extent, kind < 2 ? Kind::whole : Kind::real,
                    kind == 0 ? Samples::Values{-128, 256} : Samples::Values{});
    std::uniform_real_distribution<double> real(-0.5, 1000);
    for (double& sample : samples.samples) {
      sample = kind == 0   ? below(256) - 128
               : kind == 1 ? static_cast<double>(random())
               : kind == 2 ? 1e7 + real(random)
                           : real(random) * 1e-3;
      if (kind >= 2 && below(20) == 0) sample = std::numeric_limits<double>::quiet_NaN();
    }
    for (const Connectivity connectivity : {Connectivity::c8, Connectivity::c6, Connectivity::c26}) {
      INFO(to_string(extent) << " round " << round << " kind " << kind << " connectivity "
                             << static_cast<int>(connectivity));
      const auto labeler = runs_on_cpu(connectivity);
      const Labeling labeled = labeler->label(image.view());
      const std::size_t count = labeled.components.size();
      samples.at_once = samples.rows = 1;
      samples.bands = false;
      const Intensities expected = measure_intensity(*labeled.labels, labeled.components, samples);
      expect_right(expected, labeled, samples);
      Components unrolled = labeled.components;  // as across the borders of a periodic image
      for (Box& box : unrolled.box)
        for (const int axis : {1, 2})
          if (below(2) == 0) box.max[axis] += (axis == 1 ? extent.height : extent.depth) - 1;
      REQUIRE(equal(measure_intensity(*labeled.labels, unrolled, samples), expected, count));

      samples.at_once = 1 + below(5);
      samples.rows = 1 + below(20);
      const Labeling by_slabs =
          label_by_slabs(extent, connectivity,
                         cut_into_slabs(extent, connectivity, 1 + below(static_cast<int>(extent.elements()))),
                         slab_work(image, *labeler));
      REQUIRE(equal(measure_intensity(*labeled.labels, labeled.components, samples), expected, count));
      REQUIRE(equal(measure_intensity(*by_slabs.labels, by_slabs.components, samples), expected, count));
      samples.bands = true;
      samples.at_once = extent.depth;
      const IntensityRequest all, little{.max_bytes = kind == 0 ? INT64_MAX : below(1 << 16)};
      for (const int threads : {1, 2, 3, 8})
        tbb::task_arena(threads).execute([&] {
          for (const IntensityRequest& request : {all, little})
            REQUIRE(equal(measure_intensity(*labeled.labels, labeled.components, samples, request), expected,
                          count));
          REQUIRE(equal(measure_intensity(*by_slabs.labels, by_slabs.components, samples), expected, count));
        });
    }
  }
}

TEST_CASE("slices are measured one by one where memory does not hold parts of their components") {
  const Extent extent{64, 40, 12};
  const BitVolume image = random_image(extent, 0.2, 3, 5);
  const Labeling labeled = flood_fill(image.view(), Connectivity::c6);
  const std::size_t count = labeled.components.size();
  IntensityRequest little;
  little.wanted.reset();
  little.wanted.set(static_cast<std::size_t>(intensity_mean));
  for (const bool is_whole : {true, false}) {
    Samples samples(extent, is_whole ? Kind::whole : Kind::real);
    for (std::size_t i = 0; i < samples.samples.size(); ++i)
      samples.samples[i] = static_cast<double>(i * 7919 % 1009) * (is_whole ? 1 : 0.1);
    samples.at_once = 6;
    const Intensities expected = measure_intensity(*labeled.labels, labeled.components, samples);
    little.max_bytes = 40 * 200;  // of most slices
    const auto measure = [&] {
      return measure_intensity(*labeled.labels, labeled.components, samples, little);
    };
    CHECK(equal(measure(), expected, count));
    little.max_bytes = 20 << 10;  // of a slice, not of six
    CHECK(equal(measure(), expected, count));
    little.max_bytes = 0;
    CHECK(equal(measure(), expected, count));
  }
}

TEST_CASE("percentiles are those of sorted samples, however many there are and of however many values") {
  for (const int values : {256, 65536}) {
    const int first = values == 256 ? -128 : 0;
    for (const int width : {1, 63, 64, 300, 1023, 1024, 1025, 5000, 30000}) {
      const Extent extent{width, 1, 1};
      BitVolume image(extent);
      invert(image);
      Samples samples(extent, Kind::whole, {first, values});
      for (std::size_t i = 0; i < samples.samples.size(); ++i)
        samples.samples[i] =
            static_cast<double>(static_cast<int>(i * 40503 % static_cast<std::size_t>(values)) + first);
      const Labeling labeled = flood_fill(image.view(), Connectivity::c4);
      INFO(width << " samples of " << values << " values");
      expect_right(measure_intensity(*labeled.labels, labeled.components, samples), labeled, samples);
    }
  }
}

TEST_CASE("sums of the largest integers are exact") {
  const Extent extent{40000, 3, 1};
  BitVolume image(extent);
  invert(image);
  Samples samples(extent, Kind::whole);
  const Labeling labeled = flood_fill(image.view(), Connectivity::c4);
  for (const double largest : {4294967295.0, -2147483648.0}) {
    std::fill(samples.samples.begin(), samples.samples.end(), largest);
    samples.samples[5] += largest > 0 ? -1 : 1;
    MeasureValues values;
    measure_intensity(*labeled.labels, labeled.components, samples).get(0, values);
    const double off = largest > 0 ? -1 : 1;
    CHECK(values[intensity_sum] == largest * 120000 + off);
    CHECK(std::abs(values[intensity_std] / std::sqrt(1.0 / 120000 - 1.0 / 120000 / 120000) - 1) < 1e-12);
    CHECK(values[intensity_min] == std::min(largest, largest + off));
    CHECK(std::abs(values[cx_weighted] - 19999.5) < 1e-6);
  }
}

/// The number that set_whole() was given, however large.
WholeNumber whole(const MeasureValues& values, MeasureId id) {
  const WholeNumber large = values.large(id);
  return large != 0 ? large : static_cast<WholeNumber>(values[id]);
}

TEST_CASE("extremes and sums of samples of 64 bits have all their digits") {
  const WholeNumber least = INT64_MIN, most = UINT64_MAX, odd = (WholeNumber{1} << 53) + 1;
  const BitVolume image = drawn({"##.##.###.#"});
  Samples samples({11, 1, 1}, Kind::long_whole);
  samples.long_samples = {odd, odd, 0, least, least + 1, 0, most, most, most - 3, 0, 7};
  const Labeling labeled = flood_fill(image.view(), Connectivity::c4);
  const Intensities measured = measure_intensity(*labeled.labels, labeled.components, samples);
  const auto check = [&](std::size_t i, WholeNumber min, WholeNumber max, WholeNumber sum, double deviation) {
    MeasureValues values;
    measured.get(i, values);
    CHECK((whole(values, intensity_min) == min));
    CHECK((whole(values, intensity_max) == max));
    CHECK((whole(values, intensity_sum) == sum));
    CHECK(values[intensity_min] == static_cast<double>(min));
    CHECK(values[intensity_sum] == static_cast<double>(sum));
    CHECK(values[intensity_std] == deviation);
    CHECK(std::isnan(values[intensity_median]));
    return values;
  };
  CHECK(check(0, odd, odd, 2 * odd, 0)[cx_weighted] == 0.5);
  CHECK(check(1, least, least + 1, 2 * least + 1, 0.5)[intensity_mean] == static_cast<double>(least));
  CHECK(check(2, most - 3, most, 3 * most - 3, std::sqrt(2.0))[cx_weighted] == 7);
  CHECK(!check(3, 7, 7, 7, 0).any_large());
}

TEST_CASE("samples of 64 bits are measured as those of 32, and alike by slabs, threads and little memory") {
  std::mt19937_64 random(11);
  const auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  for (int round = 0; round < 40; ++round) {
    const Extent extent{1 + below(70), 1 + below(15), 1 + below(7)};
    const BitVolume image =
        random_image(extent, 0.1 + below(80) / 100.0, 1 + below(3), static_cast<std::uint32_t>(random()));
    const auto labeler = runs_on_cpu(Connectivity::c6);
    const Labeling labeled = labeler->label(image.view());
    const std::size_t count = labeled.components.size();
    INFO(to_string(extent) << " round " << round);

    Samples narrow(extent, Kind::whole);
    for (double& sample : narrow.samples) sample = static_cast<double>(static_cast<std::int32_t>(random()));
    const Intensities of_narrow = measure_intensity(*labeled.labels, labeled.components, narrow);
    Samples same_samples(extent, Kind::long_whole);
    std::copy(narrow.samples.begin(), narrow.samples.end(), same_samples.long_samples.begin());
    const Intensities of_long = measure_intensity(*labeled.labels, labeled.components, same_samples);
    CHECK(equal(of_long, of_narrow, count));

    // Each is that plus a number of 63 bits: distances and sums stay what they are.
    const WholeNumber added = (WholeNumber{1} << 62) + 1;
    Samples far = same_samples;
    for (WholeNumber& sample : far.long_samples) sample += added;
    const Intensities expected = measure_intensity(*labeled.labels, labeled.components, far);
    for (std::size_t i = 0; i < count; ++i) {
      MeasureValues near_values, far_values;
      of_narrow.get(i, near_values);
      expected.get(i, far_values);
      const auto area = static_cast<WholeNumber>(labeled.components.area[i]);
      REQUIRE((whole(far_values, intensity_sum) == whole(near_values, intensity_sum) + area * added));
      REQUIRE((whole(far_values, intensity_min) == whole(near_values, intensity_min) + added));
      REQUIRE(far_values[intensity_std] == near_values[intensity_std]);
    }

    const Labeling by_slabs = label_by_slabs(
        extent, Connectivity::c6,
        cut_into_slabs(extent, Connectivity::c6, 1 + below(static_cast<int>(extent.elements()))),
        slab_work(image, *labeler));
    far.at_once = 1 + below(5);
    IntensityRequest little;
    little.max_bytes = below(2000);
    CHECK(equal(measure_intensity(*labeled.labels, labeled.components, far, little), expected, count));
    CHECK(equal(measure_intensity(*by_slabs.labels, by_slabs.components, far), expected, count));
  }
}

TEST_CASE("infinite samples have no mean, and overflow nothing else") {
  const BitVolume image = drawn({"##.##"});
  Samples samples({5, 1, 1}, Kind::real);
  samples.samples = {1, std::numeric_limits<double>::infinity(), 0, 2, 4};
  const Labeling labeled = flood_fill(image.view(), Connectivity::c4);
  const Intensities measured = measure_intensity(*labeled.labels, labeled.components, samples);
  MeasureValues first, second;
  measured.get(0, first);
  measured.get(1, second);
  CHECK(first[intensity_min] == 1);
  CHECK((std::isnan(first[intensity_max]) && std::isnan(first[intensity_mean]) &&
         std::isnan(first[intensity_std])));
  CHECK(second[intensity_mean] == 3);
  CHECK(second[intensity_std] == 1);

  const BitVolume diagonal = drawn(std::vector<std::string>{"#.", ".#"});
  Samples large({2, 2, 1}, Kind::real);
  large.samples = {1.7e308, 0, 0, 1.7e308};  // whose sum is not finite
  const Labeling one = flood_fill(diagonal.view(), Connectivity::c8);
  MeasureValues values;
  measure_intensity(*one.labels, one.components, large).get(0, values);
  CHECK((std::isnan(values[intensity_sum]) && std::isnan(values[cx_weighted]) &&
         std::isnan(values[cy_weighted])));
}

TEST_CASE("percentiles of large components are counted, in as much memory as there is") {
  const Extent extent{300, 40, 1};
  BitVolume image(extent);
  invert(image);
  Samples samples(extent, Kind::whole, {0, 256});
  for (std::size_t i = 0; i < samples.samples.size(); ++i)
    samples.samples[i] = static_cast<double>(i * 7 % 251);
  const Labeling labeled = flood_fill(image.view(), Connectivity::c4);
  expect_right(measure_intensity(*labeled.labels, labeled.components, samples), labeled, samples);
  IntensityRequest little;
  little.max_bytes = 1000;
  CHECK(error_code_of([&] { measure_intensity(*labeled.labels, labeled.components, samples, little); }) ==
        ErrorCode::memory);
  little.wanted.reset();
  little.wanted.set(static_cast<std::size_t>(intensity_mean));
  measure_intensity(*labeled.labels, labeled.components, samples, little);
}
