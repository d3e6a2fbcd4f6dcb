#include "gpuccl/outlines.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

namespace gpuccl {
namespace {

using Runs = std::span<const RowRun>;

/// The runs of an object by row.
class Rows {
 public:
  explicit Rows(Runs runs) : runs_(runs) {
    first_ = runs.front().y;
    begins_.assign(static_cast<std::size_t>(runs.back().y - first_) + 2, 0);
    for (const RowRun& run : runs) ++begins_[static_cast<std::size_t>(run.y - first_) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  }

  /// Returns the range of indices of the runs of a row.
  std::pair<std::size_t, std::size_t> of(int y) const {
    if (y < first_ || y - first_ + 1 >= static_cast<int>(begins_.size())) return {0, 0};
    const auto row = static_cast<std::size_t>(y - first_);
    return {begins_[row], begins_[row + 1]};
  }
  /// Returns the index of the first run of a row that ends at x or later, or the end of the row.
  std::size_t ending_from(int y, int x) const {
    const auto [begin, end] = of(y);
    return static_cast<std::size_t>(
        std::lower_bound(at(begin), at(end), x,
                         [](const RowRun& run, int place) { return run.end < place; }) -
        runs_.begin());
  }

 private:
  Runs::iterator at(std::size_t i) const { return runs_.begin() + static_cast<std::ptrdiff_t>(i); }

  Runs runs_;
  int first_;
  std::vector<std::size_t> begins_;  // of each row, and the end of the last
};

std::size_t find_root(std::vector<std::size_t>& parents, std::size_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

/// Returns for each run the first run of its 4-connected piece.
std::vector<std::size_t> find_pieces(Runs runs, const Rows& rows) {
  std::vector<std::size_t> parents(runs.size());
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::size_t end = rows.of(runs[i].y - 1).second;
    for (std::size_t above = rows.ending_from(runs[i].y - 1, runs[i].begin + 1);
         above < end && runs[above].begin < runs[i].end; ++above) {
      const std::size_t a = find_root(parents, above), b = find_root(parents, i);
      parents[std::max(a, b)] = std::min(a, b);
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) parents[i] = find_root(parents, i);
  return parents;
}

/// Follows the edges of runs with the object on the right (y points down): down along the ends of runs, up
/// along their starts. If pixels touch only at a corner, a line stays with its pixel, so each line belongs to
/// one 4-connected piece.
class Tracer {
 public:
  explicit Tracer(Runs runs) : runs_(runs), rows_(runs), is_done_(2 * runs.size()) {}

  const Rows& rows() const { return rows_; }
  bool is_done(std::size_t edge) const { return is_done_[edge]; }

  /// Returns the closed line through an edge.
  Ring trace(std::size_t edge) {
    Ring line;
    const std::size_t first = edge;
    do {
      is_done_[edge] = true;
      const RowRun& run = runs_[edge / 2];
      if (is_end(edge)) {
        add(line, {run.end, run.y});
        add(line, {run.end, run.y + 1});
        edge = after_end(edge / 2);
      } else {
        add(line, {run.begin, run.y + 1});
        add(line, {run.begin, run.y});
        edge = after_begin(edge / 2);
      }
    } while (edge != first);
    close(line);
    return line;
  }

  static std::size_t begin_of(std::size_t run) { return 2 * run; }
  static std::size_t end_of(std::size_t run) { return 2 * run + 1; }

 private:
  static bool is_end(std::size_t edge) { return edge % 2 == 1; }

  std::size_t after_end(std::size_t i) const {
    const RowRun& run = runs_[i];
    const auto [row_begin, row_end] = rows_.of(run.y + 1);
    const std::size_t below = rows_.ending_from(run.y + 1, run.end);
    const bool covers = below < row_end && runs_[below].begin < run.end;
    if (covers && runs_[below].end == run.end) return end_of(below);
    if (covers) {  // right along the top of the run below, up to the next run above
      const std::size_t next = i + 1;
      const bool is_above =
          next < runs_.size() && runs_[next].y == run.y && runs_[next].begin < runs_[below].end;
      return is_above ? begin_of(next) : end_of(below);
    }
    // Left along the bottom of this run, up to the last run below it.
    const bool is_below = below > row_begin && runs_[below - 1].end > run.begin;
    return is_below ? end_of(below - 1) : begin_of(i);
  }

  std::size_t after_begin(std::size_t i) const {
    const RowRun& run = runs_[i];
    const auto [row_begin, row_end] = rows_.of(run.y - 1);
    const std::size_t above = rows_.ending_from(run.y - 1, run.begin + 1);
    const bool covers = above < row_end && runs_[above].begin <= run.begin;
    if (covers && runs_[above].begin == run.begin) return begin_of(above);
    if (covers) {  // left along the bottom of the run above, up to the run before this one
      const bool is_below = i > 0 && runs_[i - 1].y == run.y && runs_[i - 1].end > runs_[above].begin;
      return is_below ? end_of(i - 1) : begin_of(above);
    }
    // Right along the top of this run, up to the first run above it.
    const bool is_above = above < row_end && runs_[above].begin < run.end;
    return is_above ? begin_of(above) : end_of(i);
  }

  /// Adds a corner. Removes the previous corner if it lies on a straight line.
  static void add(Ring& line, const Corner& corner) {
    if (!line.empty() && line.back() == corner) return;
    if (line.size() >= 2 && is_straight(line[line.size() - 2], line.back(), corner)) line.pop_back();
    line.push_back(corner);
  }
  static void close(Ring& line) {
    while (line.size() > 2 && line.back() == line.front()) line.pop_back();
    while (line.size() > 2 && is_straight(line[line.size() - 2], line.back(), line.front())) line.pop_back();
    while (line.size() > 2 && is_straight(line.back(), line[0], line[1])) line.erase(line.begin());
  }
  static bool is_straight(const Corner& a, const Corner& b, const Corner& c) {
    return (a.x == b.x && b.x == c.x) || (a.y == b.y && b.y == c.y);
  }

  Runs runs_;
  Rows rows_;
  std::vector<bool> is_done_;
};

std::int64_t twice_area(const Ring& ring) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Corner &a = ring[i], &b = ring[(i + 1) % ring.size()];
    sum += std::int64_t{a.x} * b.y - std::int64_t{b.x} * a.y;
  }
  return sum;
}

/// Splits a line that visits corners twice into simple rings.
std::vector<Ring> split(const Ring& line) {
  const auto less = [](const Corner& a, const Corner& b) { return std::tie(a.y, a.x) < std::tie(b.y, b.x); };
  Ring twice = line;
  std::sort(twice.begin(), twice.end(), less);
  Ring::iterator end = twice.begin();
  for (std::size_t i = 1; i < twice.size(); ++i)
    if (twice[i] == twice[i - 1]) *end++ = twice[i];
  twice.erase(end, twice.end());
  if (twice.empty()) return {line};
  constexpr std::size_t kNone = SIZE_MAX;
  const auto index_of = [&](const Corner& corner) {
    const auto found = std::lower_bound(twice.begin(), twice.end(), corner, less);
    return found != twice.end() && *found == corner ? static_cast<std::size_t>(found - twice.begin()) : kNone;
  };
  std::vector<std::size_t> seen(twice.size(),
                                kNone);  // position of each of these corners in the open part of the line
  std::vector<Ring> rings;
  Ring open;
  for (const Corner& corner : line) {
    if (const std::size_t index = index_of(corner); index != kNone) {
      if (const std::size_t place = seen[index]; place != kNone) {
        rings.emplace_back(open.begin() + static_cast<std::ptrdiff_t>(place), open.end());
        for (const Corner& closed : rings.back())
          if (const std::size_t other = index_of(closed); other != kNone) seen[other] = kNone;
        open.resize(place);
      }
      seen[index] = open.size();
    }
    open.push_back(corner);
  }
  rings.push_back(std::move(open));
  return rings;
}

}  // namespace

std::vector<Polygon> outline(std::span<const RowRun> runs) {
  std::vector<Polygon> polygons;
  if (runs.empty()) return polygons;
  Tracer tracer(runs);
  const std::vector<std::size_t> pieces = find_pieces(runs, tracer.rows());
  std::vector<std::size_t> polygon_of(runs.size(), SIZE_MAX);  // of the first run of each piece
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const std::size_t edge : {Tracer::begin_of(i), Tracer::end_of(i)}) {
      if (tracer.is_done(edge)) continue;
      std::size_t& polygon = polygon_of[pieces[i]];
      if (polygon == SIZE_MAX) {
        polygon = polygons.size();
        polygons.emplace_back();
      }
      for (Ring& ring : split(tracer.trace(edge))) {
        if (twice_area(ring) > 0)
          polygons[polygon].outer = std::move(ring);
        else
          polygons[polygon].holes.push_back(std::move(ring));
      }
    }
  return polygons;
}

std::vector<std::int64_t> column_run_lengths(std::span<const RowRun> runs, int height) {
  std::vector<std::int64_t> lengths;
  if (runs.empty()) return lengths;
  const Rows rows(runs);
  // Positions in column-major order at which columns of the object begin and end.
  std::vector<std::int64_t> begins, ends;
  const auto add_uncovered = [&](const RowRun& run, int other_row, int y, std::vector<std::int64_t>& places) {
    int x = run.begin;
    const std::size_t row_end = rows.of(other_row).second;
    for (std::size_t other = rows.ending_from(other_row, run.begin + 1);; ++other) {
      const bool is_over = other >= row_end || runs[other].begin >= run.end;
      for (const int end = is_over ? run.end : runs[other].begin; x < end; ++x)
        places.push_back(std::int64_t{x} * height + y);
      if (is_over) return;
      x = std::max(x, runs[other].end);
    }
  };
  for (const RowRun& run : runs) {
    add_uncovered(run, run.y - 1, run.y, begins);
    add_uncovered(run, run.y + 1, run.y + 1, ends);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  std::int64_t at = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    if (i > 0 && begins[i] == at) {  // a column continues at the top of the next one
      lengths.back() += ends[i] - at;
    } else {
      lengths.push_back(begins[i] - at);
      lengths.push_back(ends[i] - begins[i]);
    }
    at = ends[i];
  }
  return lengths;
}

}  // namespace gpuccl
