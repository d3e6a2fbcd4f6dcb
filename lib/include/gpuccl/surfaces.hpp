#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpuccl/compare.hpp"
#include "gpuccl/labels.hpp"

// Distances between the surfaces of objects of two label images.
#pragma GCC visibility push(default)
namespace gpuccl {

struct SurfaceOptions {
  std::array<double, 3> spacing{1, 1, 1};  // from an element to the next along x, y, z; the unit of lengths
  std::optional<double> tolerance = {};    // of surface_dice, in the same unit; not negative; exact to 1e-6
  std::int64_t max_bytes = INT64_MAX;      // for the runs of both images and one measurement
};

/// Distances between two surfaces, in the unit of the spacing. Every surface element has a distance to the
/// nearest element of the other surface. NaN: undefined. Distances need two surfaces. The surface Dice
/// coefficient needs one, and is 0 without the other.
struct SurfaceDistances {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  double hausdorff = kNone;     // the largest distance
  double hausdorff_95 = kNone;  // the larger of the 95th percentiles of both directions
  double assd = kNone;          // average symmetric surface distance: the mean of all distances
  double surface_dice = kNone;  // fraction of distances up to the tolerance, also called NSD
};

/// Sums of distances over pairs, for their means. A pair counts where it is defined.
struct DistanceSums {
  std::uint64_t pairs = 0, dice_pairs = 0;  // with distances; with a surface Dice coefficient
  SurfaceDistances sum{0, 0, 0, 0};

  /// `empty`: the surface Dice coefficient of two empty objects, or NaN to leave them out.
  void add(const SurfaceDistances& one, double empty);
  void add(const DistanceSums& other);
  SurfaceDistances mean() const;
};

/// The region of a true object: the elements nearer to it than to any other true object. At equal distances
/// the first object wins.
struct Region {
  std::uint64_t prediction_pixels = 0;  // of predicted objects in the region
  SurfaceDistances distances;           // between the true object and these
};

/// Surfaces of the objects of two label images. The surface of an object is its elements with a face neighbor
/// outside of it, as in SciPy's binary erosion and MONAI; neighbors outside of the image are outside. An
/// image of one slice is 2D. Elements weigh equally, unlike in google-deepmind/surface-distance, which weighs
/// by area. Distances are exact, by a distance transform of the elements of surfaces, or by a tree if these
/// are few in a large box. Each uses all threads and the bounding box of both objects. Results do not depend
/// on the number of threads. Methods are thread-safe; they throw Error (memory) if that takes more than
/// `max_bytes`.
class Surfaces {
 public:
  /// Copies the runs of both images, with LabelRows::prepare(). Throws Error: memory as methods, data if the
  /// extents differ, usage if a spacing is not above 0 or the tolerance is negative.
  Surfaces(const LabelRows& truth, const LabelRows& prediction, const SurfaceOptions& options);
  ~Surfaces();

  /// Returns whether the surface Dice coefficient is measured.
  bool has_tolerance() const;
  /// Returns the distances between the foregrounds.
  SurfaceDistances of_all() const;
  /// Returns the distances between two unions of objects, such as a class, given as indices from 0.
  SurfaceDistances of(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> prediction) const;
  /// Returns the distances between the two objects of each match.
  std::vector<SurfaceDistances> of_matches(std::span<const Match> matches) const;
  /// Returns the regions of `truth`, at least one object, among these alone. Distances are measured only
  /// `with_distances`.
  std::vector<Region> of_regions(std::span<const std::uint32_t> truth,
                                 std::span<const std::uint32_t> prediction, bool with_distances) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuccl
#pragma GCC visibility pop
