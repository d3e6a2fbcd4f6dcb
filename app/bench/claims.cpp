#include "app/bench/claims.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "app/bench/series.hpp"
#include "app/bench/table.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::bench {
namespace {

constexpr const char* kAllegretti2018 = "Allegretti et al. 2018";
constexpr const char* kAllegretti2020 = "Allegretti et al. 2020";
constexpr const char* kCabaret = "Cabaret et al. 2017";
constexpr const char* kChen2017 = "Chen et al. 2017";
constexpr const char* kChen2018 = "Chen et al. 2018";

constexpr double kNoise = 1.03;  // an algorithm that takes at most so many times as long is no slower

struct Verdict {
  bool holds;
  std::string figures;
};
using Judged = std::optional<Verdict>;  // none: what it takes was not measured

/// A part of an axis.
struct Range {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
};

/// The curves of one series of images.
class Curves {
 public:
  Curves(const SeriesSet& set, Test test) : set_(set), test_(test) {}

  struct Point {
    double x, value;
    std::string place;
  };
  /// Returns the points of an algorithm in the order of the axis.
  std::vector<Point> of(const std::string& name, Range range = {}) const {
    std::vector<Point> points;
    for (const Series& series : set_.series)
      if (series.title == name)
        for (std::size_t i = 0; i < set_.x.size(); ++i)
          if (series.values[i] && range.from <= set_.x[i] && set_.x[i] <= range.to)
            points.push_back({set_.x[i], *series.values[i], set_.places[i]});
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
    return points;
  }

  /// Whether the highest value lies in `range` of densities.
  Judged peak_within(const std::string& name, Range range) const {
    const std::vector<Point> points = of(name);
    if (points.size() < 5) return std::nullopt;
    const auto peak = std::max_element(points.begin(), points.end(),
                                       [](const Point& a, const Point& b) { return a.value < b.value; });
    return Verdict{range.from <= peak->x && peak->x <= range.to,
                   name + ": highest at " + peak->place + " %, " + three_digits(peak->value) +
                       (test_ == Test::iterations ? " iterations" : " ms")};
  }

  /// The lowest and the highest ratio of a to b.
  struct Ratios {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    std::string text;
  };
  std::optional<Ratios> ratios(const std::string& a, const std::string& b, Range range = {}) const {
    const std::vector<Point> of_a = of(a, range), of_b = of(b, range);
    Ratios ratios;
    for (const Point& one : of_a)
      for (const Point& other : of_b)
        if (one.x == other.x && other.value > 0) {
          ratios.least = std::min(ratios.least, one.value / other.value);
          ratios.most = std::max(ratios.most, one.value / other.value);
        }
    if (ratios.most == 0) return std::nullopt;
    ratios.text = a + " takes " + three_digits(ratios.least) +
                  (ratios.least == ratios.most ? "" : " to " + three_digits(ratios.most)) +
                  " times as much as " + b;
    return ratios;
  }

  /// Whether `name` has the lowest value of it and `others` everywhere in `range`; all that were measured
  /// count, at least one.
  Judged lowest(const std::string& name, const std::vector<std::string>& others, Range range = {}) const {
    Verdict verdict{true, ""};
    for (const std::string& other : others)
      if (const auto against = ratios(name, other, range)) {
        verdict.holds = verdict.holds && against->most <= kNoise;
        verdict.figures += (verdict.figures.empty() ? "" : "; ") + against->text;
      }
    return verdict.figures.empty() ? std::nullopt : std::optional(verdict);
  }

 private:
  const SeriesSet& set_;
  Test test_;
};

struct Statement {
  const char* paper;
  const char* text;
  Test test;
  Value value;
  std::function<Judged(const Curves&)> judge;
};

std::vector<Statement> statements_by_density() {
  const Test density = Test::density;
  const auto peak = [](const char* name, Range range) {
    return [=](const Curves& curves) { return curves.peak_within(name, range); };
  };
  const auto lowest = [](const char* name, std::vector<std::string> others, Range range = {}) {
    return [=](const Curves& curves) { return curves.lowest(name, others, range); };
  };
  return {
      {kAllegretti2018, "LE takes longest in the middle densities, 40 to 60 %", density, total_ms,
       peak("le", {40, 60})},
      {kAllegretti2018, "KE is faster than LE and UF", density, total_ms, lowest("ke", {"le", "uf"})},
      {kAllegretti2020, "OLE takes longest at about 40 %", density, total_ms, peak("ole", {30, 50})},
      {kAllegretti2020, "BE takes longest at about 40 %", density, total_ms, peak("be", {30, 50})},
      {kAllegretti2020, "UF takes longer as density grows", density, total_ms, peak("uf", {90, 100})},
      {kAllegretti2020, "KE takes as long as UF up to 20 %", density, total_ms,
       [](const Curves& curves) -> Judged {
         const auto ratios = curves.ratios("ke", "uf", {0, 20});
         return ratios ? Judged({0.8 <= ratios->least && ratios->most <= 1.25, ratios->text}) : std::nullopt;
       }},
      {kAllegretti2020, "LBUF takes as long as UF up to 20 %", density, total_ms,
       [](const Curves& curves) -> Judged {
         const auto ratios = curves.ratios("lbuf", "uf", {0, 20});
         return ratios ? Judged({0.8 <= ratios->least && ratios->most <= 1.25, ratios->text}) : std::nullopt;
       }},
      {kAllegretti2020, "KE is faster than UF from 80 % on", density, total_ms,
       lowest("ke", {"uf"}, {80, 100})},
      {kAllegretti2020, "LBUF is faster than UF from 80 % on", density, total_ms,
       lowest("lbuf", {"uf"}, {80, 100})},
      {kAllegretti2020, "BE is faster than BUF from 80 % on", density, total_ms,
       lowest("be", {"buf"}, {80, 100})},
      {kAllegretti2020, "BKE takes longest at about 40 %", density, total_ms, peak("bke", {30, 50})},
      {kAllegretti2020, "BUF is faster than BKE below 5 to 10 %", density, total_ms,
       lowest("buf", {"bke"}, {0, 5})},
      {kAllegretti2020, "BKE is the fastest from 10 % on", density, total_ms,
       lowest("bke", {"buf", "be", "uf", "ole", "lbuf", "ke", "dlp"}, {10, 100})},
      {kCabaret, "The preprocessing of DLP pays at every density", density, total_ms,
       lowest("dlp", {"dlp-ruf"})},
      {kChen2018, "C2FL takes longest in the middle densities", density, total_ms, peak("c2fl", {30, 70})},
      {kChen2018, "C2FL is the fastest at every density", density, total_ms,
       lowest("c2fl", {"le", "smccl", "uf", "lbuf"})},
      {kAllegretti2020, "OLE iterates most often at about 40 %", Test::iterations, iterations,
       peak("ole", {30, 50})},
      {kChen2018, "C2FL takes the fewest atomic operations", Test::work, atomics_a_block,
       lowest("c2fl", {"rc2fl", "cc2fl", "nc2fl"})},
      {kChen2018, "C2FL has the shortest find paths", Test::work, longest_walk,
       lowest("c2fl", {"rc2fl", "cc2fl", "nc2fl"})},
  };
}

std::vector<Statement> statements_by_size() {
  return {
      {kCabaret, "DLP reaches half of its peak at about 640x640", Test::size, throughput,
       [](const Curves& curves) -> Judged {
         const auto points = curves.of("dlp");
         if (points.size() < 3) return std::nullopt;
         double peak = 0;
         for (const auto& point : points) peak = std::max(peak, point.value);
         for (const auto& point : points)
           if (2 * point.value >= peak)
             return Verdict{320.0 * 320 <= point.x && point.x <= 1024.0 * 1024,
                            "dlp: half of " + three_digits(peak) + " G/s from " + point.place + " on"};
         return std::nullopt;
       }},
      {kChen2017, "OUF is faster than LE, UF and LBUF from 512x512 on", Test::size, total_ms,
       [](const Curves& curves) {
         return curves.lowest("ouf", {"le", "uf", "lbuf"}, {512.0 * 512});
       }},
      {kChen2018, "C2FL is the fastest at every size", Test::size, total_ms,
       [](const Curves& curves) {
         return curves.lowest("c2fl", {"le", "smccl", "uf", "lbuf"});
       }},
      {kChen2018, "The time of C2FL grows as the number of pixels does", Test::size, total_ms,
       [](const Curves& curves) -> Judged {
         const auto points = curves.of("c2fl", {1024.0 * 1024});
         if (points.size() < 2) return std::nullopt;
         const double growth = points.back().value / points.front().value,
                      pixels = points.back().x / points.front().x;
         return Verdict{0.8 <= growth / pixels && growth / pixels <= 1.25,
                        "c2fl: from " + points.front().place + " to " + points.back().place + " " +
                            three_digits(growth) + " times the time for " + io::shortest(pixels) +
                            " times the pixels"};
       }},
  };
}

/// Adds claims about granularities from a density sweep, which has one series of images for each.
void add_granularity_claims(const Results& results, std::vector<Claim>& found) {
  if (results.test != Test::density) return;
  const auto mean_of = [&](const std::string& name, int granularity,
                           bool as_spread) -> std::optional<double> {
    double sum = 0, least = std::numeric_limits<double>::infinity(), most = 0;
    int count = 0;
    for (const Group& group : results.groups)
      for (const Row& row : group.rows)
        if (const auto ms = total_ms(row);
            ms && row.title == name && group.granularity == granularity && !is_3d(group.connectivity)) {
          sum += *ms;
          least = std::min(least, *ms);
          most = std::max(most, *ms);
          ++count;
        }
    if (count == 0) return std::nullopt;
    return as_spread ? most / least : sum / count;
  };
  if (const auto fine = mean_of("dlp", 1, false), coarse = mean_of("dlp", 16, false); fine && coarse)
    found.push_back({kCabaret, "DLP is 1.5 to 1.6 times as fast at granularity 16 as at 1",
                     "images, mean over the densities", 1.35 <= *fine / *coarse && *fine / *coarse <= 1.75,
                     three_digits(*fine) + " ms at 1, " + three_digits(*coarse) +
                         " ms at 16: " + three_digits(*fine / *coarse) + " times"});
  if (const auto fine = mean_of("bke", 1, true), coarse = mean_of("bke", 16, true); fine && coarse)
    found.push_back(
        {kAllegretti2020, "Curves get flatter as granularity grows (BKE)", "images", *coarse < *fine,
         "longest to shortest time " + three_digits(*fine) + " at 1, " + three_digits(*coarse) + " at 16"});
}

}  // namespace

std::vector<Claim> claims(const Results& results) {
  std::vector<Claim> found;
  const auto judge = [&](const Statement& statement, const char* axis) {
    if (statement.test != results.test) return;
    for (const SeriesSet& set : series_sets(results, statement.value, false)) {
      if (set.axis != axis || set.of_volumes) continue;  // the papers' claims are about images
      if (const Judged verdict = statement.judge(Curves(set, results.test)))
        found.push_back({statement.paper, statement.text, set.title, verdict->holds, verdict->figures});
    }
  };
  for (const Statement& statement : statements_by_density()) judge(statement, kDensityAxis);
  for (const Statement& statement : statements_by_size()) judge(statement, kSizeAxis);
  add_granularity_claims(results, found);
  return found;
}

}  // namespace gpuccl::bench
