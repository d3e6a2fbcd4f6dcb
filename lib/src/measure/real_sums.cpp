#include "measure/real_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace gpuccl::measuring {
namespace {

using enum MeasureId;

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
  return std::isfinite(high_) ? high_ + low_ : high_;  // what is lost of infinity is not a number
}

void RealSums::add(const SampleRun<double>& run) {
  for (int begin = 0, end = 0; begin < run.count; begin = end) {
    constexpr int kMost = 128;  // whose sum needs no care
    if (std::isnan(run.samples[begin])) {
      ++nans_;
      end = begin + 1;
      continue;
    }
    const int limit = std::min(run.count, begin + kMost);
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
  put_sums(sum_.value(), {moments_[0].value(), moments_[1].value(), moments_[2].value()}, values);
  values[intensity_nan] = static_cast<double>(nans_);
  if (count_ == 0) return;
  const auto count = static_cast<double>(count_);
  values[intensity_min] = number_or_none(min_);
  values[intensity_max] = number_or_none(max_);
  values[intensity_mean] = number_or_none(sum_.value() / count);
  values[intensity_std] = number_or_none(std::sqrt(squares_ / count));
}

void RealSequence::add(const SampleRun<double>& run, int stretch) {
  if (std::exchange(stretch_, stretch) != stretch) close();
  open_.add(run);
}

void RealSequence::add(const RealSums& stretch) {
  if (apart_) {
    apart_->push_back(stretch);
  } else {
    sums_.add(stretch);
  }
}

void RealSequence::close() {
  if (!open_.empty()) add(std::exchange(open_, {}));
}

void RealSequence::save(std::vector<std::uint64_t>& saved) const {
  if (!apart_) return save_sums(sums_, saved);
  for (const RealSums& stretch : *apart_) save_sums(stretch, saved);
}

bool RealSequence::add_saved(std::span<const std::uint64_t> saved) {
  if (saved.size() % kWords != 0) return false;
  for (; !saved.empty(); saved = saved.subspan(kWords)) {
    RealSums stretch;
    std::memcpy(static_cast<void*>(&stretch), saved.data(), sizeof stretch);
    if (!apart_ && sums_.empty()) {
      sums_ = stretch;  // all that was added up there
    } else {
      add(stretch);
    }
  }
  return true;
}

}  // namespace gpuccl::measuring
