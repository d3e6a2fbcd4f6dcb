// Smooth random shapes: noise on a coarse lattice, interpolated and cut at the level that leaves `density` of
// it.

#include <algorithm>
#include <vector>

#include "generate/kinds.hpp"

namespace gpuccl::generators {
namespace {

constexpr int kLatticePitch = 16;  // elements between lattice points at granularity 1
constexpr int kBits = 12;          // of a noise value, and of a weight

/// Weights of a smooth step (3t^2 - 2t^3) from one lattice point to the next.
std::vector<int> smooth_steps(int pitch) {
  std::vector<int> weights;
  for (std::int64_t i = 0; i < pitch; ++i) {
    const std::int64_t cube = std::int64_t{pitch} * pitch * pitch;
    weights.push_back(static_cast<int>((i * i * (3 * pitch - 2 * i) << kBits) / cube));
  }
  return weights;
}

int mix(int a, int b, int weight) { return a + ((b - a) * weight >> kBits); }

class Noise {
 public:
  Noise(Extent extent, int pitch, std::uint32_t seed)
      : extent_(extent),
        pitch_(pitch),
        columns_(extent.width / pitch + 2),
        lines_(extent.height / pitch + 2),
        steps_(smooth_steps(pitch)),
        across_(static_cast<std::size_t>(columns_)) {
    std::mt19937 draw(seed);
    lattice_.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(lines_) *
                    static_cast<std::size_t>(extent.depth / pitch + 2));
    for (int& value : lattice_) value = static_cast<int>(draw() >> (32 - kBits));
  }

  /// The values of one row.
  void row(int y, int z, std::vector<int>& values) {
    const int in_y = steps_[static_cast<std::size_t>(y % pitch_)];
    const int in_z = steps_[static_cast<std::size_t>(z % pitch_)];
    for (int i = 0; i < columns_; ++i) {
      const int near = mix(at(i, y / pitch_, z / pitch_), at(i, y / pitch_ + 1, z / pitch_), in_y);
      const int far = mix(at(i, y / pitch_, z / pitch_ + 1), at(i, y / pitch_ + 1, z / pitch_ + 1), in_y);
      across_[static_cast<std::size_t>(i)] = mix(near, far, in_z);
    }
    for (int x = 0; x < extent_.width; x += pitch_) {
      const std::size_t i = static_cast<std::size_t>(x / pitch_);
      const int count = std::min(pitch_, extent_.width - x);
      for (int k = 0; k < count; ++k)
        values[static_cast<std::size_t>(x + k)] =
            mix(across_[i], across_[i + 1], steps_[static_cast<std::size_t>(k)]);
    }
  }

 private:
  int at(int i, int j, int k) const {
    return lattice_[(static_cast<std::size_t>(k) * static_cast<std::size_t>(lines_) +
                     static_cast<std::size_t>(j)) *
                        static_cast<std::size_t>(columns_) +
                    static_cast<std::size_t>(i)];
  }

  Extent extent_;
  int pitch_, columns_, lines_;
  std::vector<int> steps_, lattice_, across_;
};

/// The value that `density` of all elements stay below, from a sample of the rows.
int level(Noise& noise, Extent extent, double density, std::vector<int>& values) {
  constexpr std::int64_t kRowsSampled = 4096;
  std::vector<std::int64_t> histogram(std::size_t{1} << kBits);
  std::int64_t count = 0;
  const std::int64_t step = std::max<std::int64_t>(1, extent.rows() / kRowsSampled);
  for (std::int64_t row = 0; row < extent.rows(); row += step) {
    noise.row(static_cast<int>(row % extent.height), static_cast<int>(row / extent.height), values);
    for (const int value : values) ++histogram[static_cast<std::size_t>(value)];
    count += extent.width;
  }
  const double wanted = density * static_cast<double>(count);
  std::int64_t below_level = 0;
  int value = 0;
  while (value < 1 << kBits && static_cast<double>(below_level) < wanted)
    below_level += histogram[static_cast<std::size_t>(value++)];
  return value;
}

}  // namespace

void blobs(const GenerateOptions& options, BitVolume& image) {
  const Extent extent = image.extent();
  Noise noise(extent, kLatticePitch * options.granularity, options.seed);
  std::vector<int> values(static_cast<std::size_t>(extent.width));
  const int foreground_below = level(noise, extent, options.density, values);
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y) {
      noise.row(y, z, values);
      std::uint32_t* const row = image.row(y, z);
      for (int x = 0; x < extent.width; ++x)
        row[x / 32] |= static_cast<std::uint32_t>(values[static_cast<std::size_t>(x)] < foreground_below)
                       << (x % 32);
    }
}

}  // namespace gpuccl::generators
