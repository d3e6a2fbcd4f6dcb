#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cuda/device/tile_sums.cuh"
#include "cuda/runs/statistics/component_sums.cuh"
#include "gpuccl/types.hpp"
#include "measure/derived.hpp"

// Sums of the elements and samples of labels. All are integers, so they do not depend on the order of
// addition.
//
// Floating-point samples take two passes. The first finds the range of each label. The second rounds samples
// to multiples of a power of two that is 2^-40 of the label's largest magnitude or less. Integers of 64 bits
// take three: for their lower halves, their upper halves, and products of both.
namespace gpuccl::cuda::tables {

using Wide = unsigned long long[2];  // an integer of 128 bits; the lower word comes first

/// Sums of the samples of one label on the device.
struct alignas(16) SampleSums {
  Wide sum, coarse, squares, moments[3];  // moments: of x, y, z times the sample
  long long min, max;                     // keys
  unsigned long long nans;
};

/// Sums that a pass over an image computes.
enum class Pass {
  shapes,      // area, box, coordinate sums
  integers,    // and samples of at most 32 bits
  ranges,      // shapes, and the smallest and largest float
  doubles,     // as ranges
  quantities,  // floating-point samples, once their ranges are known
  lowers,      // shapes, and the lower halves of integers of 64 bits
  uppers,      // their upper halves
  products     // of both halves, and ranges of these integers
};
GPUCCL_HD constexpr bool has_shapes(Pass pass) {
  return pass != Pass::quantities && pass != Pass::uppers && pass != Pass::products;
}
GPUCCL_HD constexpr bool is_whole(Pass pass) {
  return pass == Pass::integers || pass == Pass::lowers || pass == Pass::uppers;
}
GPUCCL_HD constexpr bool has_wide_range(Pass pass) { return pass == Pass::doubles || pass == Pass::products; }
GPUCCL_HD constexpr bool has_range(Pass pass) {
  return pass == Pass::integers || pass == Pass::ranges || has_wide_range(pass);
}
GPUCCL_HD constexpr bool has_sums(Pass pass) { return is_whole(pass) || pass == Pass::quantities; }
GPUCCL_HD constexpr bool has_squares(Pass pass) { return has_sums(pass) || pass == Pass::products; }

template <Pass pass>
using Key = std::conditional_t<has_wide_range(pass), long long, int>;
template <class T>
inline constexpr T kHighest = std::numeric_limits<T>::max();
template <class T>
inline constexpr T kLowest = std::numeric_limits<T>::lowest();

/// The part of a sample that a pass takes.
template <Pass pass, class Sample>
struct Taking {
  using Taken = Sample;
  __device__ static Taken of(Sample sample) { return sample; }
};
template <class Sample>
struct Taking<Pass::shapes, Sample> {
  using Taken = std::uint8_t;
};
template <class Sample>
struct Taking<Pass::lowers, Sample> {
  using Taken = std::uint32_t;
  __device__ static Taken of(Sample sample) { return static_cast<Taken>(sample); }
};
template <class Sample>
struct Taking<Pass::uppers, Sample> {
  using Taken = std::conditional_t<std::is_signed_v<Sample>, std::int32_t, std::uint32_t>;
  __device__ static Taken of(Sample sample) { return static_cast<Taken>(sample >> 32); }
};

/// Samples as integers of the same order. No pass over shapes alone has samples.
template <class Sample>
__device__ auto key_of(Sample sample) {
  if constexpr (std::is_same_v<Sample, std::uint32_t>) {
    return static_cast<int>(sample ^ 0x80000000u);
  } else if constexpr (std::is_same_v<Sample, float>) {
    const int bits = __float_as_int(sample);
    return bits ^ (bits >> 31 & kFar);
  } else if constexpr (std::is_same_v<Sample, std::uint64_t>) {
    return static_cast<long long>(sample ^ 0x8000000000000000u);
  } else if constexpr (std::is_same_v<Sample, double>) {
    const long long bits = __double_as_longlong(sample);
    return bits ^ (bits >> 63 & kHighest<long long>);
  } else if constexpr (sizeof(Sample) == 8) {
    return static_cast<long long>(sample);
  } else {
    return static_cast<int>(sample);
  }
}
/// Returns the number with a key.
template <class Sample>
__device__ Sample real_of(long long key) {
  if constexpr (std::is_same_v<Sample, double>)
    return __longlong_as_double(key ^ (key >> 63 & kHighest<long long>));
  const int bits = static_cast<int>(key);
  return __int_as_float(bits ^ (bits >> 31 & kFar));
}

/// The multiples to which the samples of a label are rounded. Sums of a tile's samples times coordinates fit
/// into 64 bits.
struct Quantum {
  static constexpr int kBits = 41, kCoarseBits = 31;

  double inverse;   // 0 if no sample is a finite number other than 0
  double more = 1;  // times this; of doubles, as their inverse may be infinite

  template <class Sample>
  __device__ static Quantum of(const SampleSums& sums) {
    if (sums.min > sums.max) return {0};
    const double low = std::fabs(static_cast<double>(real_of<Sample>(sums.min)));
    const double high = std::fabs(static_cast<double>(real_of<Sample>(sums.max)));
    const double largest = low > high ? low : high;
    if (!(largest > 0) || std::isinf(largest)) return {0};
    int exponent = 0;
    std::frexp(largest, &exponent);
    const int first = std::is_same_v<Sample, double> ? (kBits - exponent) / 2 : kBits - exponent;
    return {std::ldexp(1.0, first), std::ldexp(1.0, kBits - exponent - first)};
  }
  template <class Sample>
  __device__ double scaled(Sample sample) const {
    const double number = static_cast<double>(sample) * inverse;
    return std::is_same_v<Sample, double> ? number * more : number;
  }
  template <class Sample>
  __device__ long long round(Sample sample) const {
    return std::llrint(scaled(sample));
  }
  /// Returns the sample as a multiple of a quantum 2^(kBits - kCoarseBits) as large, whose square has 64
  /// bits.
  template <class Sample>
  __device__ long long round_coarsely(Sample sample) const {
    return std::llrint(scaled(sample) * (1.0 / (1 << (kBits - kCoarseBits))));
  }
};

/// Contribution of a tile, or a part of it, to one label.
template <Pass pass>
struct LabelPart : TilePart<2> {
  Key<pass> least = kHighest<Key<pass>>, most = kLowest<Key<pass>>;
  long long samples = 0, coarse = 0, moments[2] = {};  // sums
  unsigned long long squares[2] = {};                  // sums of the lower and upper halves of squares
  unsigned nans = 0;
};

/// Consecutive elements of one label in a column of a tile.
template <Pass pass, class Sample>
struct ColumnPart {
  // 64 samples of 16 bits times their rows fit into 32 bits.
  using Number = std::conditional_t<std::is_integral_v<Sample> && sizeof(Sample) <= 2, int, long long>;

  Label label = 0;
  int first = 0;  // row in the tile
  Key<pass> least = kHighest<Key<pass>>, most = kLowest<Key<pass>>;
  Number samples = 0, moment = 0;
  long long coarse = 0;
  unsigned long long squares[2] = {};
  unsigned nans = 0;

  __device__ void take(Sample sample, int row, Quantum quantum) {
    if constexpr (std::is_floating_point_v<Sample>)
      if (std::isnan(sample)) {
        if constexpr (has_range(pass)) ++nans;
        return;
      }
    if constexpr (has_range(pass)) {
      const auto key = key_of(sample);
      least = key < least ? key : least;
      most = key > most ? key : most;
    }
    if constexpr (is_whole(pass)) {
      samples += static_cast<Number>(sample);
      moment += static_cast<Number>(sample) * row;
      add_square(static_cast<long long>(sample));
    }
    if constexpr (pass == Pass::products) {
      const auto product = (sample >> 32) * static_cast<Sample>(sample & 0xffffffffu);
      squares[0] += static_cast<unsigned long long>(product) & 0xffffffffu;
      squares[1] += static_cast<unsigned long long>(product >> 32);
    }
    if constexpr (pass == Pass::quantities) {
      const long long number = quantum.round(sample), root = quantum.round_coarsely(sample);
      samples += number;
      moment += number * row;
      coarse += root;
      add_square(root);
    }
  }

  /// Returns the sums of rows up to `end` of column `x`. Moments of 0 cost nothing more.
  __device__ LabelPart<pass> ended(int x, int end, bool with_moments) const {
    LabelPart<pass> part;
    part.label = label;
    part.area = static_cast<unsigned>(end - first);
    part.sum[0] = part.area * static_cast<unsigned>(x);
    part.sum[1] = part.area * static_cast<unsigned>(first + end - 1) / 2;
    part.min[0] = part.max[0] = x;
    part.min[1] = first;
    part.max[1] = end - 1;
    part.least = least;
    part.most = most;
    part.nans = nans;
    part.samples = samples;
    part.coarse = coarse;
    if (with_moments) {
      part.moments[0] = static_cast<long long>(samples) * x;
      part.moments[1] = moment;
    }
    for (int i = 0; i < 2; ++i) part.squares[i] = squares[i];
    return part;
  }

 private:
  __device__ void add_square(long long root) {
    const auto square = static_cast<unsigned long long>(root * root);
    if constexpr (sizeof(Sample) <= 2) {
      squares[0] += square;
    } else {
      squares[0] += square & 0xffffffffu;
      squares[1] += square >> 32;
    }
  }
};

/// Sums of all labels up to the capacity of `components`.
struct LabelSums {
  runs::ComponentSums components;
  SampleSums* samples;  // null: none
  unsigned parts;       // arrays of these: 3 for integers of 64 bits, one for each pass
  bool with_moments;    // of samples

  __device__ void clear(std::size_t i, bool flat) const {
    components.clear(i, flat);
    if (samples == nullptr) return;
    for (unsigned part = 0; part < parts; ++part)
      samples[part * components.capacity + i] = {{}, {}, {}, {}, kHighest<long long>, kLowest<long long>, 0};
  }

  /// Adds a part. `flat`: the image has one slice.
  template <Pass pass>
  __device__ void add(const LabelPart<pass>& part, const TileCorner& corner, bool flat) const {
    if constexpr (has_shapes(pass)) {
      if (flat) {
        components.add<2>(part, corner);
      } else {
        TilePart<3> deep;
        deep.label = part.label;
        deep.area = part.area;
        for (int i = 0; i < 2; ++i)
          deep.sum[i] = part.sum[i], deep.min[i] = part.min[i], deep.max[i] = part.max[i];
        deep.min[2] = deep.max[2] = 0;
        components.add<3>(deep, corner);
      }
    }
    if constexpr (pass == Pass::shapes) return;
    SampleSums& to = samples[part.label - std::size_t{1}];
    if constexpr (has_range(pass)) {
      atomicMin(&to.min, static_cast<long long>(part.least));
      atomicMax(&to.max, static_cast<long long>(part.most));
      if (part.nans > 0) atomicAdd(&to.nans, static_cast<unsigned long long>(part.nans));
    }
    if constexpr (has_squares(pass)) {
      add_wide(to.squares, part.squares[0], 0);
      add_wide(to.squares, part.squares[1] << 32,
               static_cast<unsigned long long>(static_cast<long long>(part.squares[1]) >> 32));
    }
    if constexpr (has_sums(pass)) {
      add_signed(to.sum, part.samples);
      if constexpr (pass == Pass::quantities) add_signed(to.coarse, part.coarse);
      if (!with_moments) return;
      for (int i = 0; i < 2; ++i) add_product(to.moments[i], part.samples, corner.at[i], part.moments[i]);
      if (!flat) add_product(to.moments[2], part.samples, corner.at[2], 0);
    }
  }

 private:
  __device__ static void add_wide(Wide& to, unsigned long long low, unsigned long long high) {
    if (low != 0 && atomicAdd(&to[0], low) + low < low) ++high;  // carry
    if (high != 0) atomicAdd(&to[1], high);
  }
  __device__ static void add_signed(Wide& to, long long value) {
    add_wide(to, static_cast<unsigned long long>(value), value < 0 ? ~0ull : 0);
  }
  __device__ static void add_product(Wide& to, long long sum, int times, long long more) {
    const WholeNumber value = WholeNumber{sum} * times + more;
    add_wide(to, static_cast<unsigned long long>(value), static_cast<unsigned long long>(value >> 64));
  }
};

/// Integers of 64 bits in shared memory, where only 32 bits are added up at once.
template <int entries>
struct SharedSums64 {
  unsigned low[entries], high[entries];

  __device__ void clear(int i) { low[i] = high[i] = 0; }
  __device__ void add(unsigned i, unsigned long long value) {
    const auto lower = static_cast<unsigned>(value);
    auto upper = static_cast<unsigned>(value >> 32);
    if (lower != 0 && atomicAdd(low + i, lower) + lower < lower) ++upper;  // carry
    if (upper != 0) atomicAdd(high + i, upper);
  }
  __device__ unsigned long long get(int i) const {
    return static_cast<unsigned long long>(high[i]) << 32 | low[i];
  }
};

/// Parts of the labels of one tile in shared memory.
template <Pass pass, int entries>
struct LabelPartSums : PartSums<2, entries> {
  using Shapes = PartSums<2, entries>;
  static constexpr int kRanges = has_range(pass) ? entries : 1, kSums = has_sums(pass) ? entries : 1,
                       kSquares = has_squares(pass) ? entries : 1,
                       kCoarse = pass == Pass::quantities ? entries : 1;

  Key<pass> least[kRanges], most[kRanges];
  unsigned nans[kRanges];
  SharedSums64<kSquares> squares[2];
  SharedSums64<kSums> samples, moments[2];
  SharedSums64<kCoarse> coarse;

  __device__ void clear(int i) {
    Shapes::clear(i);
    if constexpr (has_range(pass)) least[i] = kHighest<Key<pass>>, most[i] = kLowest<Key<pass>>, nans[i] = 0;
    for (int k = 0; k < 2; ++k) {
      if constexpr (has_squares(pass)) squares[k].clear(i);
      if constexpr (has_sums(pass)) moments[k].clear(i);
    }
    if constexpr (has_sums(pass)) samples.clear(i);
    if constexpr (pass == Pass::quantities) coarse.clear(i);
  }
  __device__ void add(unsigned i, const LabelPart<pass>& part) {
    if constexpr (has_shapes(pass)) Shapes::add(i, part);
    if constexpr (has_range(pass)) {
      atomicMin(least + i, part.least);
      atomicMax(most + i, part.most);
      if (part.nans > 0) atomicAdd(nans + i, part.nans);
    }
    for (int k = 0; k < 2; ++k) {
      if constexpr (has_squares(pass)) squares[k].add(i, part.squares[k]);
      if constexpr (has_sums(pass)) moments[k].add(i, static_cast<unsigned long long>(part.moments[k]));
    }
    if constexpr (has_sums(pass)) samples.add(i, static_cast<unsigned long long>(part.samples));
    if constexpr (pass == Pass::quantities) coarse.add(i, static_cast<unsigned long long>(part.coarse));
  }
  __device__ LabelPart<pass> part(int i) const {
    LabelPart<pass> part;
    static_cast<TilePart<2>&>(part) = Shapes::part(i);
    if constexpr (has_range(pass)) part.least = least[i], part.most = most[i], part.nans = nans[i];
    for (int k = 0; k < 2; ++k) {
      if constexpr (has_squares(pass)) part.squares[k] = squares[k].get(i);
      if constexpr (has_sums(pass)) part.moments[k] = static_cast<long long>(moments[k].get(i));
    }
    if constexpr (has_sums(pass)) part.samples = static_cast<long long>(samples.get(i));
    if constexpr (pass == Pass::quantities) part.coarse = static_cast<long long>(coarse.get(i));
    return part;
  }
};

/// Returns the integer in `wide`.
__device__ inline WholeNumber whole_of(const Wide& wide) {
  return static_cast<WholeNumber>(CoordinateSum{wide[1]} << 64 | wide[0]);
}

/// Returns the totals of integer samples. `is_u32`: their type.
__device__ inline measuring::WholeTotals whole_totals(std::uint64_t count, const SampleSums& sums,
                                                      bool is_u32) {
  measuring::WholeTotals totals;
  const auto number_of = [&](long long key) {
    return is_u32 ? static_cast<std::int64_t>(static_cast<unsigned>(key) ^ 0x80000000u) : std::int64_t{key};
  };
  totals.count = count;
  totals.min = number_of(sums.min);
  totals.max = number_of(sums.max);
  totals.sum = whole_of(sums.sum);
  totals.squares = static_cast<CoordinateSum>(whole_of(sums.squares));
  for (int i = 0; i < 3; ++i) totals.moments[i] = whole_of(sums.moments[i]);
  return totals;
}

/// Returns the totals of integers of 64 bits. `sums`: of three passes, with `stride` labels between them.
__device__ inline measuring::LongTotals long_totals(std::uint64_t count, const SampleSums* sums,
                                                    std::size_t stride, bool is_unsigned) {
  const SampleSums &lowers = sums[0], &uppers = sums[stride], &products = sums[2 * stride];
  const auto number_of = [&](long long key) {
    return is_unsigned ? WholeNumber{static_cast<unsigned long long>(key) ^ 0x8000000000000000u}
                       : WholeNumber{key};
  };
  measuring::LongTotals totals;
  totals.count = count;
  totals.min = number_of(products.min);
  totals.max = number_of(products.max);
  totals.sum = {whole_of(uppers.sum), whole_of(lowers.sum)};
  totals.upper_squares = whole_of(uppers.squares);
  totals.products = whole_of(products.squares);
  totals.lower_squares = whole_of(lowers.squares);
  for (int i = 0; i < 3; ++i) totals.moments[i] = {whole_of(uppers.moments[i]), whole_of(lowers.moments[i])};
  return totals;
}

/// Returns the totals of floating-point samples.
template <class Sample>
__device__ measuring::RealTotals real_totals(std::uint64_t elements, const SampleSums& sums) {
  measuring::RealTotals totals{elements - sums.nans, sums.nans, 0, 0, 0, 0, {}};
  if (totals.numbers == 0) return totals;
  totals.min = static_cast<double>(real_of<Sample>(sums.min));
  totals.max = static_cast<double>(real_of<Sample>(sums.max));
  if (std::isinf(totals.min) || std::isinf(totals.max)) {
    totals.sum = totals.squares = measuring::kNoValue;
    return totals;
  }
  const Quantum found = Quantum::of<Sample>(sums);
  const double quantum = found.inverse > 0 ? 1 / found.inverse : 0, more = 1 / found.more;
  const double coarse = quantum * (1 << (Quantum::kBits - Quantum::kCoarseBits));
  totals.sum = static_cast<double>(whole_of(sums.sum)) * quantum * more;
  for (int i = 0; i < 3; ++i)
    totals.moments[i] = static_cast<double>(whole_of(sums.moments[i])) * quantum * more;
  measuring::WholeTotals coarse_totals;
  coarse_totals.count = totals.numbers;
  coarse_totals.sum = whole_of(sums.coarse);
  coarse_totals.squares = static_cast<CoordinateSum>(whole_of(sums.squares));
  const measuring::WholeMean mean(coarse_totals.sum, totals.numbers);
  const double count = static_cast<double>(totals.numbers);
  const double variance =
      static_cast<double>(coarse_totals.squares_from(mean.middle)) / count - mean.off * mean.off;
  totals.squares = (variance > 0 ? variance : 0) * count * coarse * coarse * more * more;
  return totals;
}

}  // namespace gpuccl::cuda::tables
