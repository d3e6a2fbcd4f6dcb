// Objects by value, their overlaps and their matching, against plain loops over pixels and all assignments.

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <climits>

#include "gpuccl/compare.hpp"
#include "gpuccl/detail/measures.hpp"
#include "support/test.hpp"
#include "support/values.hpp"

using namespace gpuccl;
using tests::image_of;
using tests::random_values;
using tests::Values;

namespace {

template <class T>
void expect_values_are_objects(std::mt19937& random, Extent extent, int strips) {
  const Values<T> values = random_values<T>(random, extent, 2 + static_cast<int>(random() % 9), 2);
  const ValueLabeling found = label_by_value(image_of(values, 0), strips);

  std::map<T, Label> label_of;
  std::vector<Component> components;
  std::vector<Label> expected(values.elements.size(), 0);
  for (std::size_t i = 0; i < values.elements.size(); ++i) {
    if (!(values.elements[i] < 0 || values.elements[i] > 0)) continue;  // 0 and NaN
    const auto [at, is_new] =
        label_of.try_emplace(values.elements[i], static_cast<Label>(label_of.size() + 1));
    if (is_new) components.emplace_back();
    expected[i] = at->second;
    const int x = static_cast<int>(i % static_cast<std::size_t>(extent.width));
    const auto row = static_cast<int>(i / static_cast<std::size_t>(extent.width));
    const std::array<int, 3> at_pixel{x, row % extent.height, row / extent.height};
    Component pixel{1, {at_pixel, at_pixel}, {}};
    for (std::size_t axis = 0; axis < 3; ++axis) pixel.sum[axis] = static_cast<CoordinateSum>(at_pixel[axis]);
    components[at->second - 1].add(pixel);
  }

  REQUIRE(found.labeled.labels->count() == components.size());
  const LabelImage image = render_all(*found.labeled.labels);
  REQUIRE(std::equal(expected.begin(), expected.end(), image.data()));
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Component component = found.labeled.components[i];
    REQUIRE(component.area == components[i].area);
    REQUIRE(component.box == components[i].box);
    REQUIRE((component.sum == components[i].sum));
  }
  for (const auto& [value, label] : label_of)
    REQUIRE(to_double(tests::type_of<T>(), found.values[label - 1]) == static_cast<double>(value));
}

/// Checks that each label is measured like the same pixels alone: groups that look around, hulls and radii.
template <class T>
void expect_measured_apart(std::mt19937& random, Extent extent, Connectivity connectivity) {
  Values<T> values = random_values<T>(random, extent, 5, 3);
  const ValueLabeling all = label_by_value(image_of(values, 0));
  MeasureRequest request{.wanted = {}, .connectivity = connectivity, .spacing = {1, 2, 3}};
  request.wanted = measures_of(MeasureGroup::shape) | measures_of(MeasureGroup::topology) |
                   measures_of(MeasureGroup::physical) | measures_of(MeasureGroup::border);
  for (const MeasureId id : {MeasureId::components, MeasureId::cavities, MeasureId::tunnels})
    request.wanted.reset(static_cast<std::size_t>(id));
  request.labels_touch = true;
  const MeasureTable measured = measure(*all.labeled.labels, all.labeled.components, request);
  request.labels_touch = false;
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    Values<T> alone = values;
    for (T& value : alone.elements)
      if (to_double(tests::type_of<T>(), all.values[i]) != static_cast<double>(value)) value = 0;
    const ValueLabeling one = label_by_value(image_of(alone, 0));
    const MeasureValues theirs =
        measure(*one.labeled.labels, one.labeled.components, request).values(one.labeled.components, 0);
    const MeasureValues ours = measured.values(all.labeled.components, i);
    for (const Measure& which : measures()) {
      INFO(which.name);
      REQUIRE((ours[which.id] == theirs[which.id] ||
               (std::isnan(ours[which.id]) && std::isnan(theirs[which.id]))));
    }
  }
}

/// Counts the voxels on the inner side of every supporting plane that is parallel to a plane through three
/// points.
std::uint64_t voxels_in_hull(const Values<std::uint8_t>& values) {
  using Point = std::array<int, 3>;
  const Extent extent = values.extent;
  std::vector<Point> points;  // in halves
  const auto for_each_voxel = [&](auto visit) {
    std::size_t i = 0;
    for (int z = 0; z < extent.depth; ++z)
      for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; ++x, ++i) visit(Point{2 * x, 2 * y, 2 * z}, i);
  };
  for_each_voxel([&](Point center, std::size_t i) {
    if (values.elements[i] == 0) return;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int side : {-1, 1}) {
        Point point = center;
        point[axis] += side;
        points.push_back(point);
      }
  });
  // The hull of points next to voxels is that of the voxels and an octahedron: its sides have the normals of
  // the planes through any three points.
  std::set<Point> normals;
  for (std::size_t a = 0; a < points.size(); ++a)
    for (std::size_t b = a + 1; b < points.size(); ++b)
      for (std::size_t c = b + 1; c < points.size(); ++c) {
        Point u, v;
        for (std::size_t i = 0; i < 3; ++i) {
          u[i] = points[b][i] - points[a][i];
          v[i] = points[c][i] - points[a][i];
        }
        Point normal{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        const int common = std::gcd(std::gcd(normal[0], normal[1]), normal[2]);
        if (common == 0) continue;
        for (int& one : normal) one /= common;
        normals.insert(normal);
        normals.insert({-normal[0], -normal[1], -normal[2]});
      }
  const auto along = [](const Point& normal, const Point& point) {
    return normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2];
  };
  std::map<Point, int> farthest;
  for (const Point& normal : normals) {
    int& most = farthest.try_emplace(normal, INT_MIN).first->second;
    for (const Point& point : points) most = std::max(most, along(normal, point));
  }
  std::uint64_t count = 0;
  for_each_voxel([&](const Point& center, std::size_t) {
    count += std::all_of(farthest.begin(), farthest.end(),
                         [&](const auto& side) { return along(side.first, center) <= side.second; });
  });
  return count;
}

Label below(std::mt19937& random, Label end) { return static_cast<Label>(random() % end); }

LabelImage random_labels(std::mt19937& random, Extent extent, Label most) {
  LabelImage labels(extent, most);
  for (std::int64_t i = 0; i < extent.elements(); ++i)
    labels.data()[i] = i > 0 && random() % 3 != 0 ? labels.data()[i - 1] : below(random, most + 1);
  return labels;
}

/// All assignments of a small table. The best ones have the most pairs at or above the threshold and, of
/// these, the largest sum of IoU over all pairs; `sums` holds the sums over the pairs above the threshold.
class AllAssignments {
 public:
  AllAssignments(const OverlapTable& table, double threshold)
      : iou_(table.truth_areas.size(), std::vector<double>(table.prediction_areas.size(), 0)),
        threshold_(threshold),
        taken_(table.prediction_areas.size()) {
    for (const Overlap& pair : table.overlaps) iou_[pair.truth][pair.prediction] = table.iou(pair);
    assign(0, 0, 0, 0);
  }

  double iou(const Match& match) const { return iou_[match.truth][match.prediction]; }
  std::size_t count() const { return count_; }
  bool has_sum(double sum) const {
    return std::any_of(sums_.begin(), sums_.end(), [&](double one) { return std::abs(one - sum) < 1e-9; });
  }

 private:
  void assign(std::size_t truth, std::size_t count, double all, double matched) {
    if (truth == iou_.size()) {
      if (count < count_ || (count == count_ && all < all_ - 1e-9)) return;
      if (count > count_ || all > all_ + 1e-9) sums_.clear();
      count_ = count;
      all_ = all;
      sums_.push_back(matched);
      return;
    }
    assign(truth + 1, count, all, matched);
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const double iou = iou_[truth][i];
      if (taken_[i] || iou == 0) continue;
      taken_[i] = true;
      assign(truth + 1, count + (iou >= threshold_), all + iou, matched + (iou >= threshold_ ? iou : 0));
      taken_[i] = false;
    }
  }

  std::vector<std::vector<double>> iou_;
  double threshold_;
  std::vector<bool> taken_;
  std::size_t count_ = 0;
  double all_ = 0;
  std::vector<double> sums_;
};

}  // namespace

TEST_CASE("objects that touch are measured as if each were alone") {
  std::mt19937 random(7);
  for (const Connectivity connectivity : {Connectivity::c4, Connectivity::c8})
    for (const int width : {1, 9, 64, 70, 200})
      expect_measured_apart<std::uint8_t>(random, {width, 23, 1}, connectivity);
  for (const Connectivity connectivity : {Connectivity::c6, Connectivity::c18, Connectivity::c26})
    for (const int width : {1, 12, 66})
      expect_measured_apart<std::uint16_t>(random, {width, 9, 8}, connectivity);
  expect_measured_apart<std::uint8_t>(random, {40, 9, 5}, Connectivity::c8);  // slices apart
}

TEST_CASE("hulls of a volume have the voxels that all their half-spaces have") {
  std::mt19937 random(11);
  for (int i = 0; i < 30; ++i) {
    const Extent extent{1 + static_cast<int>(random() % 5), 1 + static_cast<int>(random() % 4),
                        1 + static_cast<int>(random() % 4)};
    Values<std::uint8_t> values = random_values<std::uint8_t>(random, extent, 1, 1);
    for (std::uint8_t& value : values.elements) value = value != 0 && random() % 4 == 0 ? 1 : 0;
    values.elements[random() % values.elements.size()] = 1;
    const ValueLabeling found = label_by_value(image_of(values, 0));
    MeasureRequest request{.wanted = {}, .connectivity = Connectivity::c26};
    request.wanted.set(static_cast<std::size_t>(MeasureId::area_convex));
    const MeasureValues measured =
        measure(*found.labeled.labels, found.labeled.components, request).values(found.labeled.components, 0);
    REQUIRE(measured[MeasureId::area_convex] == static_cast<double>(voxels_in_hull(values)));
  }
}

TEST_CASE("holes of objects in several pieces are counted in images, with or without the pieces") {
  Values<std::uint8_t> values({7, 3});     // one object of two rings
  values.elements = {1, 1, 1, 0, 1, 1, 1,  //
                     1, 0, 1, 0, 1, 0, 1,  //
                     1, 1, 1, 0, 1, 1, 1};
  const ValueLabeling found = label_by_value(image_of(values, 0));
  MeasureRequest request{.wanted = {}, .connectivity = Connectivity::c8, .labels_touch = true};
  request.wanted.set(static_cast<std::size_t>(MeasureId::holes));
  const auto holes = [&] {
    return measure(*found.labeled.labels, found.labeled.components, request)
        .values(found.labeled.components, 0)[MeasureId::holes];
  };
  request.in_pieces = true;
  CHECK(counts_pieces(request));
  CHECK(holes() == 2);
  request.wanted.set(static_cast<std::size_t>(MeasureId::components));
  CHECK(holes() == 2);
  request.wanted.reset(static_cast<std::size_t>(MeasureId::components));
  request.connectivity = Connectivity::c26;
  CHECK(!counts_pieces(request));
}

TEST_CASE("splits have two successors and merges two predecessors; other links continue") {
  const auto links_of = [](const OverlapTable& table, double threshold) {
    return link_objects(table, match_objects(table, threshold));
  };
  using Indices = std::vector<std::uint32_t>;
  {  // 0 moves by 4 of 10 pixels, 1 shrinks, 2 grows: their IoU is below the threshold, but nothing splits.
    const OverlapTable table{{10, 20, 5}, {10, 5, 20}, {{0, 0, 6}, {1, 1, 5}, {2, 2, 5}}};
    REQUIRE(match_objects(table, 0.5).empty());
    const ObjectLinks links = links_of(table, 0.5);
    CHECK(links.before == Indices{0, 1, 2});
    CHECK(links.split_from == Indices(3, kNoObject));
    CHECK(links.merged_into == Indices(3, kNoObject));
  }
  {  // Half of the pixels are not most of them.
    const ObjectLinks links = links_of({{10}, {10}, {{0, 0, 5}}}, 0.5);
    CHECK(links.before == Indices{kNoObject});
    CHECK(links.split_from == Indices{kNoObject});
    CHECK(links.merged_into == Indices{kNoObject});
  }
  {  // The larger piece continues, the smaller one splits; back in time, the smaller one merges.
    const ObjectLinks forth = links_of({{20}, {12, 8}, {{0, 0, 12}, {0, 1, 8}}}, 0.9);
    CHECK(forth.before == Indices{0, kNoObject});
    CHECK(forth.split_from == Indices{kNoObject, 0});
    CHECK(forth.merged_into == Indices{kNoObject});
    const ObjectLinks back = links_of({{12, 8}, {20}, {{0, 0, 12}, {1, 0, 8}}}, 0.9);
    CHECK(back.before == Indices{0});
    CHECK(back.split_from == Indices{kNoObject});
    CHECK(back.merged_into == Indices{kNoObject, 0});
  }
  {  // Next to a match, one other link is a split or a merge.
    const ObjectLinks split = links_of({{20}, {16, 4}, {{0, 0, 16}, {0, 1, 4}}}, 0.5);
    CHECK(split.before == Indices{0, kNoObject});
    CHECK(split.split_from == Indices{kNoObject, 0});
    const ObjectLinks merge = links_of({{16, 4}, {20}, {{0, 0, 16}, {1, 0, 4}}}, 0.5);
    CHECK(merge.before == Indices{0});
    CHECK(merge.merged_into == Indices{kNoObject, 0});
  }
}

TEST_CASE("every value is one object, numbered by its first pixel, for any number of strips") {
  std::mt19937 random(35);
  for (int i = 0; i < 60; ++i) {
    const Extent extent{1 + static_cast<int>(random() % 90), 1 + static_cast<int>(random() % 9),
                        1 + static_cast<int>(random() % 5)};
    INFO("image " << i);
    expect_values_are_objects<std::uint8_t>(random, extent, i % 7);
    expect_values_are_objects<std::int16_t>(random, extent, i % 7);
    expect_values_are_objects<std::uint64_t>(random, extent, i % 7);
    expect_values_are_objects<float>(random, extent, i % 7);
  }
}

TEST_CASE("objects by value have no delta, and an image without pixels has no objects") {
  Values<float> values(Extent{3, 1, 1});
  CHECK(error_code_of([&] { label_by_value(image_of(values, 0.5)); }) == ErrorCode::usage);
  CHECK(label_by_value(ValueImage(Extent{0, 0, 0}, ValueType::u8)).labeled.labels->count() == 0);
}

TEST_CASE("overlaps and areas are those of a loop over pixels, for every number of threads") {
  const tbb::global_control eight(tbb::global_control::max_allowed_parallelism, 8);
  std::mt19937 random(36);
  for (int i = 0; i < 100; ++i) {
    const Extent extent{1 + static_cast<int>(random() % 70), 1 + static_cast<int>(random() % 90),
                        1 + static_cast<int>(random() % 3) * 2};
    const Label most = i % 5 == 0 ? 5000 : 20;
    const LabelImage truth = random_labels(random, extent, 1 + below(random, most));
    const LabelImage prediction = random_labels(random, extent, 1 + below(random, most));
    std::map<std::pair<Label, Label>, std::uint64_t> expected;
    std::vector<std::uint64_t> truth_areas(truth.count(), 0), prediction_areas(prediction.count(), 0);
    for (std::int64_t pixel = 0; pixel < extent.elements(); ++pixel) {
      const Label a = truth.data()[pixel], b = prediction.data()[pixel];
      if (a != 0) ++truth_areas[a - 1];
      if (b != 0) ++prediction_areas[b - 1];
      if (a != 0 && b != 0) ++expected[{a - 1, b - 1}];
    }
    tbb::task_arena arena(std::array{1, 2, 3, 8}[static_cast<std::size_t>(i) % 4]);
    const OverlapTable table = arena.execute([&] { return find_overlaps(truth, prediction); });
    REQUIRE(table.truth_areas == truth_areas);
    REQUIRE(table.prediction_areas == prediction_areas);
    REQUIRE(table.overlaps.size() == expected.size());
    auto found = table.overlaps.begin();
    for (const auto& [pair, pixels] : expected)
      REQUIRE((*found++ == Overlap{pair.first, pair.second, pixels}));
  }
  CHECK(error_code_of([] {
          find_overlaps(LabelImage({2, 2, 1}, 0), LabelImage({2, 3, 1}, 0));
        }) == ErrorCode::data);
}

TEST_CASE("a matching has as many pairs as possible, and then the largest sum of IoU") {
  std::mt19937 random(37);
  for (int i = 0; i < 2000; ++i) {
    const Extent extent{5 + static_cast<int>(random() % 30), 1 + static_cast<int>(random() % 3), 1};
    const LabelImage truth = random_labels(random, extent, 1 + below(random, 6));
    const LabelImage prediction = random_labels(random, extent, 1 + below(random, 6));
    const OverlapTable table = find_overlaps(truth, prediction);
    for (const double threshold : {0.001, 0.1, 0.25, 0.5, 0.75, 1.0}) {
      INFO("image " << i << ", threshold " << threshold);
      const AllAssignments best(table, threshold);
      const std::vector<Match> matches = match_objects(table, threshold);
      double sum = 0;
      std::vector<Label> partners;
      for (const Match& match : matches) {
        REQUIRE(match.iou == best.iou(match));
        REQUIRE(match.iou >= threshold);
        REQUIRE(std::find(partners.begin(), partners.end(), match.prediction) == partners.end());
        partners.push_back(match.prediction);
        sum += match.iou;
      }
      REQUIRE(matches.size() == best.count());
      REQUIRE(best.has_sum(sum));
    }
  }
  CHECK(error_code_of([] { match_objects({}, 0); }) == ErrorCode::usage);
  CHECK(match_objects({}, 0.5).empty());
}

TEST_CASE("objects that overlap are counted once, and counts add up over images") {
  OverlapTable table;
  table.truth_areas = {10, 10, 10, 4};
  table.prediction_areas = {10, 20};
  table.overlaps = {{0, 0, 5}, {0, 1, 5}, {1, 1, 10}};
  OverlapCounts counts = count_overlaps(table);
  CHECK(counts.truth == 4);
  CHECK(counts.prediction == 2);
  CHECK(counts.truth_found == 2);
  CHECK(counts.prediction_found == 2);
  CHECK(counts.splits == 1);
  CHECK(counts.merges == 1);
  CHECK(counts.truth_pixels == 34);
  CHECK(counts.prediction_pixels == 30);
  CHECK(counts.common_pixels == 20);
  CHECK(counts.dice() == Approx(40.0 / 64));
  CHECK(counts.sensitivity() == 0.5);
  CHECK(counts.overlap_precision() == 1);
  counts.add(count_overlaps(table));
  CHECK(counts.truth == 8);
  CHECK(counts.splits == 2);
  CHECK(counts.merges == 2);
  CHECK(counts.common_pixels == 40);
  CHECK(counts.sensitivity() == 0.5);

  const OverlapCounts none = count_overlaps({});
  CHECK(none.dice() == 1);
  CHECK(none.sensitivity() == 0);
  CHECK(none.overlap_precision() == 0);
}

TEST_CASE("the table of pairs has all overlaps, then objects without any") {
  // Truth 1 overlaps predictions 1 and 2; truth 2 and prediction 3 overlap nothing.
  const OverlapTable table{{6, 4}, {4, 2, 5}, {{0, 0, 4}, {0, 1, 2}}};
  const std::vector<ObjectPair> pairs = list_pairs(table, match_objects(table, 0.5));
  REQUIRE(pairs.size() == 4);
  CHECK((pairs[0].truth == 0u && pairs[0].prediction == 0u && pairs[0].is_match && pairs[0].pixels == 4));
  CHECK(pairs[0].iou == 4.0 / 6);
  CHECK(pairs[0].dice == 8.0 / 10);
  CHECK((pairs[1].prediction == 1u && !pairs[1].is_match));
  CHECK((pairs[0].truth_partners == 2 && pairs[0].prediction_partners == 1));
  CHECK((pairs[2].truth_partners == 0 && pairs[2].prediction_partners == 0));
  CHECK((pairs[2].truth == 1u && !pairs[2].prediction && pairs[2].pixels == 0 && pairs[2].iou == 0));
  CHECK((!pairs[3].truth && pairs[3].prediction == 2u));
  CHECK(list_pairs({}, {}).empty());
}

TEST_CASE("scores are those of the definitions, and 0 without a denominator") {
  OverlapTable table;
  table.truth_areas = {10, 10, 10};
  table.prediction_areas = {10, 20};
  table.overlaps = {{0, 0, 10}, {1, 1, 10}};
  const MatchScores scores = score_matches(table, match_objects(table, 0.5), 0.5);
  CHECK(scores.true_positives == 2);
  CHECK(scores.false_positives == 0);
  CHECK(scores.false_negatives == 1);
  CHECK(scores.precision() == 1);
  CHECK(scores.recall() == Approx(2.0 / 3));
  CHECK(scores.f1() == Approx(0.8));
  CHECK(scores.accuracy() == Approx(2.0 / 3));
  CHECK(average_precision(std::vector{scores, MatchScores{}}) == Approx(1.0 / 3));
  CHECK(average_precision({}) == 0);
  CHECK(scores.mean_matched_iou() == Approx(0.75));
  CHECK(scores.mean_true_iou() == Approx(0.5));
  CHECK(scores.panoptic_quality() == Approx(0.6));
  const MatchScores none = score_matches({}, {}, 0.5);
  for (const double score : {none.precision(), none.recall(), none.f1(), none.accuracy(),
                             none.mean_matched_iou(), none.mean_true_iou(), none.panoptic_quality()})
    CHECK(score == 0);
}
