#include "measure/sample_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "common/fastest_code.hpp"

namespace gpuccl::measuring {

void WholeSums::add(const SampleRun<double>& run) {
  // So short that sums fit into 64 bits: 2^14 samples below 2^32 at positions below 2^14.
  constexpr int kBlock = 1 << 14;
  for (int first = 0; first < run.count; first += kBlock) {
    const int count = std::min(kBlock, run.count - first);
    std::int64_t sum = 0, moment = 0;
    for (int i = 0; i < count; ++i) {
      const auto sample = static_cast<std::int64_t>(run.samples[first + i]);
      totals_.min = std::min(totals_.min, sample);
      totals_.max = std::max(totals_.max, sample);
      sum += sample;
      moment += i * sample;
      const auto size = static_cast<std::uint64_t>(std::abs(sample));
      totals_.squares += size * size;
    }
    totals_.count += static_cast<std::uint64_t>(count);
    totals_.sum += sum;
    totals_.moments[0] += moment + WholeNumber{run.begin + first} * sum;
    totals_.moments[1] += WholeNumber{run.y} * sum;
    totals_.moments[2] += WholeNumber{run.z} * sum;
  }
}

void WholeSums::add_short(const SampleRun<double>& run) {
  by_fastest_code([&] { add_lanes(run); });
}

inline void WholeSums::add_lanes(const SampleRun<double>& run) {
  // So short that sums are integers below 2^53, which are exact in any order.
  constexpr int kBlock = 1 << 14, kLanes = 4;
  using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;
  for (int first = 0; first < run.count; first += kBlock) {
    const int count = std::min(kBlock, run.count - first);
    const double* const samples = run.samples + first;
    double min = samples[0], max = min, sum = 0, moment = 0, squares = 0;
    int i = 0;
    if (count >= kLanes) {
      Lanes least, sums{}, moments{}, of_squares{}, at{0, 1, 2, 3};
      std::memcpy(&least, samples, sizeof least);
      Lanes most = least;
      for (; i + kLanes <= count; i += kLanes) {
        Lanes four;
        std::memcpy(&four, samples + i, sizeof four);
        least = four < least ? four : least;
        most = four > most ? four : most;
        sums += four;
        moments += at * four;
        of_squares += four * four;
        at += kLanes;
      }
      for (int lane = 0; lane < kLanes; ++lane) {
        min = std::min(min, least[lane]);
        max = std::max(max, most[lane]);
      }
      sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      moment = (moments[0] + moments[1]) + (moments[2] + moments[3]);
      squares = (of_squares[0] + of_squares[1]) + (of_squares[2] + of_squares[3]);
    }
    for (; i < count; ++i) {
      min = std::min(min, samples[i]);
      max = std::max(max, samples[i]);
      sum += samples[i];
      moment += i * samples[i];
      squares += samples[i] * samples[i];
    }
    const auto whole = static_cast<std::int64_t>(sum);
    totals_.count += static_cast<std::uint64_t>(count);
    totals_.min = std::min(totals_.min, static_cast<std::int64_t>(min));
    totals_.max = std::max(totals_.max, static_cast<std::int64_t>(max));
    totals_.sum += whole;
    totals_.squares += static_cast<std::uint64_t>(squares);
    totals_.moments[0] += static_cast<std::int64_t>(moment) + std::int64_t{run.begin + first} * whole;
    totals_.moments[1] += run.y * whole;
    totals_.moments[2] += run.z * whole;
  }
}

void WholeSums::add(const WholeSums& other) {
  totals_.count += other.totals_.count;
  totals_.min = std::min(totals_.min, other.totals_.min);
  totals_.max = std::max(totals_.max, other.totals_.max);
  totals_.sum += other.totals_.sum;
  totals_.squares += other.totals_.squares;
  for (int axis = 0; axis < 3; ++axis) totals_.moments[axis] += other.totals_.moments[axis];
}

void WholeSums::derive(MeasureValues& values) const { totals_.derive(values); }

void LongSums::add(const SampleRun<WholeNumber>& run) {
  LongTotals::Halves sum, moment;
  for (int i = 0; i < run.count; ++i) {
    const WholeNumber sample = run.samples[i];
    totals_.min = std::min(totals_.min, sample);
    totals_.max = std::max(totals_.max, sample);
    const LongTotals::Halves halves{sample >> LongTotals::kLowerBits, sample & (LongTotals::kUpper - 1)};
    sum.add(1, halves);
    moment.add(i, halves);
    totals_.upper_squares += halves.upper * halves.upper;
    totals_.products += halves.upper * halves.lower;
    totals_.lower_squares += halves.lower * halves.lower;
  }
  totals_.count += static_cast<std::uint64_t>(run.count);
  totals_.sum.add(1, sum);
  totals_.moments[0].add(1, moment);
  totals_.moments[0].add(run.begin, sum);
  totals_.moments[1].add(run.y, sum);
  totals_.moments[2].add(run.z, sum);
}

void LongSums::add(const LongSums& other) {
  totals_.count += other.totals_.count;
  totals_.min = std::min(totals_.min, other.totals_.min);
  totals_.max = std::max(totals_.max, other.totals_.max);
  totals_.sum.add(1, other.totals_.sum);
  totals_.upper_squares += other.totals_.upper_squares;
  totals_.products += other.totals_.products;
  totals_.lower_squares += other.totals_.lower_squares;
  for (int axis = 0; axis < 3; ++axis) totals_.moments[axis].add(1, other.totals_.moments[axis]);
}

void LongSums::derive(MeasureValues& values) const { totals_.derive(values); }

namespace {

void save_sums(const RealSums& sums, std::vector<std::uint64_t>& saved) {
  static_assert(std::is_trivially_copyable_v<RealSums> && sizeof(RealSums) % sizeof(std::uint64_t) == 0);
  saved.resize(saved.size() + RealSequence::kWords);
  std::memcpy(saved.data() + saved.size() - RealSequence::kWords, &sums, sizeof sums);
}

}  // namespace

void RealSum::add(double term) {
  const double sum = high_ + term;
  const double of_term = sum - high_;
  low_ += (high_ - (sum - of_term)) + (term - of_term);
  high_ = sum;
}

double RealSum::value() const {
  return std::isfinite(high_) ? high_ + low_ : high_;  // the rounding error of infinity is NaN
}

void RealSums::add(const SampleRun<double>& run) {
  for (int begin = 0, end = 0; begin < run.count; begin = end) {
    constexpr int kMax = 128;  // samples whose sum needs no error terms
    if (std::isnan(run.samples[begin])) {
      ++nans_;
      end = begin + 1;
      continue;
    }
    const int limit = std::min(run.count, begin + kMax);
    for (end = begin + 1; end < limit && !std::isnan(run.samples[end]);) ++end;
    add_numbers({run.begin + begin, run.y, run.z, end - begin, run.samples + begin});
  }
}

void RealSums::add_numbers(const SampleRun<double>& run) {
  double sum = 0, moment = 0, squares = 0;
  if (count_ == 0) min_ = max_ = run.samples[0];
  for (int i = 0; i < run.count; ++i) {
    const double sample = run.samples[i];
    min_ = std::min(min_, sample);
    max_ = std::max(max_, sample);
    sum += sample;
    moment += i * sample;
  }
  const double mean = sum / run.count;
  for (int i = 0; i < run.count; ++i) squares += (run.samples[i] - mean) * (run.samples[i] - mean);
  add_squares(static_cast<std::uint64_t>(run.count), mean, squares);
  sum_.add(sum);
  moments_[0].add(moment);
  moments_[0].add(run.begin * sum);
  moments_[1].add(run.y * sum);
  moments_[2].add(run.z * sum);
}

void RealSums::add_squares(std::uint64_t count, double mean, double squares) {
  if (count_ > 0) {
    const double here = static_cast<double>(count_), there = static_cast<double>(count);
    const double distance = mean - sum_.value() / here;
    squares_ += distance * distance * (here * there / (here + there));
  }
  squares_ += squares;
  count_ += count;
}

void RealSums::add(const RealSums& other) {
  nans_ += other.nans_;
  if (other.count_ == 0) return;
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
  add_squares(other.count_, other.sum_.value() / static_cast<double>(other.count_), other.squares_);
  sum_.add(other.sum_);
  for (std::size_t axis = 0; axis < 3; ++axis) moments_[axis].add(other.moments_[axis]);
}

void RealSums::derive(MeasureValues& values) const {
  RealTotals{count_,
             nans_,
             min_,
             max_,
             sum_.value(),
             squares_,
             {moments_[0].value(), moments_[1].value(), moments_[2].value()}}
      .derive(values);
}

void RealSequence::add(const SampleRun<double>& run, int unit) {
  if (std::exchange(unit_, unit) != unit) close();
  open_.add(run);
}

void RealSequence::add(const RealSums& unit) {
  if (separate_) {
    separate_->push_back(unit);
  } else {
    sums_.add(unit);
  }
}

void RealSequence::close() {
  if (!open_.empty()) add(std::exchange(open_, {}));
}

void RealSequence::save(std::vector<std::uint64_t>& saved) const {
  if (!separate_) return save_sums(sums_, saved);
  for (const RealSums& unit : *separate_) save_sums(unit, saved);
}

bool RealSequence::add_saved(std::span<const std::uint64_t> saved) {
  if (saved.size() % kWords != 0) return false;
  for (; !saved.empty(); saved = saved.subspan(kWords)) {
    RealSums unit;
    std::memcpy(static_cast<void*>(&unit), saved.data(), sizeof unit);
    if (!separate_ && sums_.empty()) {
      sums_ = unit;  // nothing to add to
    } else {
      add(unit);
    }
  }
  return true;
}

}  // namespace gpuccl::measuring
