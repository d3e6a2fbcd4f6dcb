#include "io/deflate/run_tokens.hpp"

#include <algorithm>

namespace gpuccl::io {
namespace {

/// Runs before the first that are looked at: two to copy from, and the one before those.
constexpr std::size_t kFirstRun = 3;

/// Rows up to here are added up without a modulus: 4 * 1020 * 2^39 fits 64 bits.
constexpr int kNarrow = 1 << 20;

// About how many bits things take. Sizes hardly depend on these numbers.
constexpr int kZerosBits = 9, kSampleBits = 14, kRestBits = 9;
constexpr int kNearCopyBits = 12, kFarCopyBits = 19;
/// Bits of a run that is not copied with the ones before it.
constexpr int kRunBits = 28;
constexpr int kNoCopy = 1 << 20;

}  // namespace

RunTokens::RunTokens(const SampleRow& row) : row_(row), runs_(kFirstRun, Run()) {}

void RunTokens::clear() {
  bytes_ = 0;
  run_count_ = token_count_ = 0;
  counts_ = {};
  checksum_ = {};
}

void RunTokens::add(const LabelRuns& rows) {
  switch (row_.sample_bytes) {
    case 1:
      return add_rows<1>(rows);
    case 2:
      return add_rows<2>(rows);
    default:
      return add_rows<4>(rows);
  }
}

void RunTokens::find() {
  switch (row_.sample_bytes) {
    case 1:
      return find_tokens<1>();
    case 2:
      return find_tokens<2>();
    default:
      return find_tokens<4>();
  }
}

/// The checksum in closed form: sample k of a row is byte k * bytes and following.
template <int bytes>
void RunTokens::add_rows(const LabelRuns& rows) {
  const int filter_bytes = row_.png ? 1 : 0;
  const std::size_t first = kFirstRun + run_count_;
  if (runs_.size() < first + rows.runs.size()) runs_.resize(first + rows.runs.size());
  run_count_ += rows.runs.size();
  Run* out = runs_.data() + first;
  const LabelRun* run = rows.runs.data();
  for (const std::size_t row_end : rows.ends) {
    const std::int64_t row_begin = bytes_ + filter_bytes;
    std::uint64_t sum = 0, weighted = 0;
    for (const LabelRun* const end = rows.runs.data() + row_end; run != end; ++run) {
      const std::uint32_t sample = row_.stored(run->label);
      *out++ = {row_begin + std::int64_t{run->begin} * bytes, row_begin + std::int64_t{run->end} * bytes,
                sample};

      std::uint64_t of_sample = 0, weighted_in_sample = 0;
      for (int i = 0; i < bytes; ++i) {
        const std::uint64_t byte = sample >> 8 * i & 0xff;
        of_sample += byte;
        weighted_in_sample += static_cast<std::uint64_t>(i + filter_bytes) * byte;
      }
      const auto begin = static_cast<std::uint64_t>(run->begin);
      const auto count = static_cast<std::uint64_t>(run->end) - begin;
      std::uint64_t places = count * begin + count * (count - 1) / 2;
      if (row_.width > kNarrow) places %= Adler32::kModulus;
      sum += count * of_sample;
      weighted += places * bytes * of_sample + count * weighted_in_sample;
    }
    checksum_.append(static_cast<std::uint64_t>(row_.bytes()), sum, weighted);
    bytes_ += row_.bytes();
  }
}

template <int bytes>
void RunTokens::find_tokens() {
  if (const std::size_t most = 2 * run_count_ + 1; tokens_.size() < most) {  // long zeros are tokens, too
    tokens_.clear();                                                         // none is copied
    tokens_.resize(most);
  }
  runs_.resize(std::max(runs_.size(), kFirstRun + run_count_ + 1));
  runs_[kFirstRun + run_count_] = {};  // looked at as the run after the last one
  const Run *here = runs_.data() + kFirstRun, *const end = here + run_count_;
  const Run* above = here - 1;  // the first one in the row above that ends after the beginning of `here`
  const std::int64_t row_bytes = row_.bytes();
  const bool row_in_window = row_bytes <= kWindow;
  while (here != end) {
    std::int64_t gap = here->begin - here[-1].end;
    const std::int64_t length = here->end - here->begin;
    if (gap > Token::kMaxZeros) {
      add_sample<bytes>(0, 0, gap);
      gap = 0;
    }
    // Each piece of a long run would be copied for more bits than what repeats a sample takes.
    if (length > kMaxMatch) {
      add_sample<bytes>(gap, here->sample, length);
      ++here;
      continue;
    }

    // The best way is unpredictable, so it is chosen without branches.
    const auto bits_of_copy = [&](const Run* there, int bits) {
      const std::int64_t distance = here->begin - there->begin, length_there = there->end - there->begin;
      const bool can = (there->sample == here->sample) & (distance <= kWindow);
      const bool goes_on = (length_there == length) & (here[1].begin - there[1].begin == distance) &
                           (here[1].sample == there[1].sample);
      bits += (there->begin - there[-1].end < gap ? kZerosBits : 0) +
              (length_there < length ? kRestBits : 0) - (goes_on ? kRunBits : 0);
      return can ? bits : kNoCopy;
    };
    const Run* best = here - 1;
    int bits = bits_of_copy(best, kNearCopyBits);
    const auto or_from = [&](const Run* there, int copy_bits) {
      const int other = bits_of_copy(there, copy_bits);
      best = other < bits ? there : best;
      bits = std::min(bits, other);
    };
    or_from(here - 2, kNearCopyBits);
    if (row_in_window) {
      while (above->end + row_bytes <= here->begin) ++above;
      or_from(above->sample == here->sample ? above : above - 1, above < here ? kFarCopyBits : kNoCopy);
    }
    const int sample_bits = kSampleBits + (gap > 0 ? kZerosBits : 0) + (length > bytes ? kRestBits : 0);
    const Run* next = bits < sample_bits ? add_copy<bytes>(best, here, end, gap) : here;
    if (next == here) {
      add_sample<bytes>(gap, here->sample, length);
      ++next;
    }
    here = next;
  }
  if (bytes_ > end[-1].end) add_sample<bytes>(0, 0, bytes_ - end[-1].end);
}

/// Adds the copy that makes `here`, and of the `gap` zeros before it as many as are before `there`, from
/// `there`: a run of the same sample. It goes on while runs are the same, and into one that only begins the
/// same. Returns the first run that is left: `here` if there is no such copy.
template <int bytes>
const RunTokens::Run* RunTokens::add_copy(const Run* there, const Run* here, const Run* end,
                                          std::int64_t gap) {
  const std::int64_t distance = here->begin - there->begin;
  const std::int64_t zeros_copied = std::min(gap, there->begin - there[-1].end);
  const auto goes_on = [&](const Run* run, const Run* source) {
    return run + 1 != end && run[1].sample == source[1].sample &&
           run[1].begin - source[1].begin == distance && run[1].begin - run->end <= kMaxMatch &&
           run[1].end - run[1].begin <= kMaxMatch;
  };
  const Run* last = here;
  while (last->end - there->end == distance && goes_on(last, there)) ++last, ++there;

  std::int64_t copied_to = std::min(last->end, there->end + distance);
  std::int64_t rest = last->end - copied_to;
  if (rest != 0 && rest < kMinMatch) {
    const std::int64_t more = (kMinMatch - rest + bytes - 1) / bytes * bytes;
    copied_to -= more;
    rest += more;
    if (copied_to <= last->begin) {
      if (last == here) return here;
      --last;
      copied_to = last->end;
      rest = 0;
    }
  }
  const std::int64_t length = zeros_copied + copied_to - here->begin;
  if (length < kMinMatch) return here;

  Token& token = tokens_[token_count_++];
  token.times = static_cast<std::uint32_t>(length > Token::kMaxRest ? (length - kMinMatch) / kMaxMatch : 0);
  token.zeros = static_cast<std::uint16_t>(gap - zeros_copied);
  token.distance = static_cast<std::uint16_t>(distance);
  token.length = static_cast<std::uint16_t>(length - std::int64_t{token.times} * kMaxMatch);
  token.rest = static_cast<std::uint16_t>(rest);
  ++counts_.zeros[token.zeros];
  counts_.copies[kMaxMatch] += token.times;
  ++counts_.copies[token.length];
  counts_.distances[distance_symbol(token.distance).number] +=
      token.times + (token.length > kMaxMatch ? 2u : 1u);
  ++counts_.rests[token.rest];
  return last + 1;
}

template <int bytes>
void RunTokens::add_sample(std::int64_t zeros, std::uint32_t sample, std::int64_t count) {
  const std::int64_t repeated = count - bytes;
  Token& token = tokens_[token_count_++];
  token.sample = sample;
  token.times =
      static_cast<std::uint32_t>(repeated > Token::kMaxRest ? (repeated - kMinMatch) / kMaxMatch : 0);
  token.zeros = static_cast<std::uint16_t>(zeros);
  token.length = 0;
  token.rest = static_cast<std::uint16_t>(repeated - std::int64_t{token.times} * kMaxMatch);
  ++counts_.zeros[token.zeros];
  for (int i = 0; i < bytes; ++i) ++counts_.literals[sample >> 8 * i & 0xff];
  counts_.rests[kMaxMatch] += token.times;
  ++counts_.rests[token.rest];
  if (token.rest < kMinMatch)
    for (int i = 0; i < token.rest; ++i) ++counts_.literals[sample >> 8 * (i % bytes) & 0xff];
}

}  // namespace gpuccl::io
