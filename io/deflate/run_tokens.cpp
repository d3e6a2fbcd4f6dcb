#include "io/deflate/run_tokens.hpp"

#include <algorithm>

#include "io/deflate/deflate_symbols.hpp"

namespace gpuccl::io {
namespace {

/// A match with the row above has 12 bits or so of distance: it pays for two stretches or more, but not for
/// long ones, of which each piece of 258 bytes would cost as much again.
constexpr std::int64_t kLongStretch = 300;

/// Rows up to here are added up without a modulus: 4 * 1020 * 2^39 fits 64 bits.
constexpr int kNarrow = 1 << 20;

/// Cuts a match into those that Deflate has, visited as visit(length, times): the longest ones, and no rest
/// of less than the shortest.
template <class Visit>
void for_each_piece(std::int64_t bytes, Visit visit) {
  std::int64_t full = bytes / kMaxMatch;
  auto rest = static_cast<std::uint32_t>(bytes % kMaxMatch);
  if (rest != 0 && rest < kMinMatch) {
    --full;
    visit(kMaxMatch - kMinMatch, 1);
    rest += kMinMatch;
  }
  if (rest != 0) visit(rest, 1);
  if (full != 0) visit(kMaxMatch, static_cast<std::uint32_t>(full));
}

}  // namespace

void RunTokens::find(const LabelRuns& rows) {
  tokens_.clear();
  literals_.fill(0);
  matches_.fill(0);
  checksum_ = {};
  switch (row_.sample_bytes) {
    case 1:
      return find_tokens<1>(rows);
    case 2:
      return find_tokens<2>(rows);
    default:
      return find_tokens<4>(rows);
  }
}

template <int bytes>
void RunTokens::find_tokens(const LabelRuns& rows) {
  const LabelRun* run = rows.runs.data();
  for (std::size_t i = 0; i < rows.ends.size(); ++i) {
    const LabelRun* const end = rows.runs.data() + rows.ends[i];
    cut_row<bytes>(run, end, rows_[i % 2]);
    add_row<bytes>(rows_[i % 2], i == 0 ? nullptr : &rows_[(i + 1) % 2]);
    run = end;
  }
}

/// Stretches of runs and of zeros, and what they add to the checksum: sample k of the row is byte
/// k * bytes and following.
template <int bytes>
void RunTokens::cut_row(const LabelRun* run, const LabelRun* end, std::vector<Stretch>& row) {
  const int filter_bytes = row_.png ? 1 : 0;
  row.resize(static_cast<std::size_t>(2 * (end - run) + 1));
  Stretch* next = row.data();
  int at = 0;
  std::uint64_t sum = 0, weighted = 0;
  for (; run != end; ++run) {
    const std::uint32_t sample = row_.stored(run->label);
    if (at < run->begin) *next++ = {run->begin, 0};
    *next++ = {at = run->end, sample};

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
  if (at < row_.width) *next++ = {row_.width, 0};
  row.resize(static_cast<std::size_t>(next - row.data()));
  checksum_.append(static_cast<std::uint64_t>(row_.bytes()), sum, weighted);
}

template <int bytes>
void RunTokens::add_sample(std::uint32_t sample, std::uint32_t match_bytes) {
  for (int i = 0; i < bytes; ++i) ++literals_[sample >> 8 * i & 0xff];
  ++matches_[match_bytes];
  tokens_.push_back({sample, kHasSample | match_bytes, 1});
}

template <int bytes>
void RunTokens::add_match(std::uint32_t from, std::uint32_t sample, std::int64_t match_bytes) {
  if (match_bytes < kMinMatch) {
    for (; match_bytes > 0; match_bytes -= bytes) add_sample<bytes>(sample, 0);
    return;
  }
  for_each_piece(match_bytes, [&](std::uint32_t length, std::uint32_t times) {
    matches_[from | length] += times;
    tokens_.push_back({0, from | length, times});
  });
}

template <int bytes>
void RunTokens::add_row(const std::vector<Stretch>& row, const std::vector<Stretch>* above) {
  if (row_.png) {
    ++literals_[0];
    tokens_.push_back({0, kFilter, 1});
  }
  const bool in_window = above != nullptr && row_.bytes() <= kWindow;
  const bool goes_on = above != nullptr && !row_.png && above->back().sample == row.front().sample;
  const auto is_short = [](int begin, int end) { return std::int64_t{end - begin} * bytes <= kLongStretch; };

  const Stretch* here = row.data();
  const Stretch* there = in_window ? above->data() : nullptr;
  for (int x = 0; x < row_.width; ++here) {
    if (in_window && is_short(x, here->end)) {
      while (there->end <= x) ++there;
      if (there->sample == here->sample) {
        const Stretch *last = here, *last_above = there;
        while (last->end == last_above->end && last->end < row_.width &&
               last[1].sample == last_above[1].sample && is_short(last->end, last[1].end)) {
          ++last;
          ++last_above;
        }
        const int same = std::min(last->end, last_above->end);
        if (last != here && std::int64_t{same - x} * bytes >= kMinMatch) {
          add_match<bytes>(kAbove, 0, std::int64_t{same - x} * bytes);
          add_match<bytes>(0, last->sample, std::int64_t{last->end - same} * bytes);
          here = last;
          there = last_above;
          x = last->end;
          continue;
        }
      }
    }
    const bool repeats = x == 0 && goes_on;
    const std::int64_t match_bytes = std::int64_t{here->end - x - (repeats ? 0 : 1)} * bytes;
    if (!repeats && (match_bytes == 0 || (match_bytes >= kMinMatch && match_bytes <= kMaxMatch))) {
      add_sample<bytes>(here->sample, static_cast<std::uint32_t>(match_bytes));
    } else {
      if (!repeats) add_sample<bytes>(here->sample, 0);
      add_match<bytes>(0, here->sample, match_bytes);
    }
    x = here->end;
  }
}

}  // namespace gpuccl::io
