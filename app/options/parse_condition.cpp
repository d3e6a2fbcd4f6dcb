#include "app/options/parse_condition.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/option_helpers.hpp"
#include "app/options/suggestions.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"

namespace gpuccl::app {
namespace {

using Relation = Condition::Relation;
using Kind = Condition::Step::Kind;

constexpr std::pair<std::string_view, Relation> kRelations[] = {
    {"<", Relation::less},   {"<=", Relation::at_most}, {">", Relation::greater}, {">=", Relation::at_least},
    {"==", Relation::equal}, {"=", Relation::equal},    {"!=", Relation::unequal}};

struct Word {
  std::string text;  // "" after the last
  std::size_t at;    // the first character is 1
};

constexpr const char* kValue = "value";          // of a component of an image of values
constexpr double kMostExact = 9007199254740992;  // 2^53: integers below are a double each

/// World coordinates are computed when rows are written, after filters have run.
bool is_in_the_world(MeasureId id) {
  return id == MeasureId::cx_physical || id == MeasureId::cy_physical || id == MeasureId::cz_physical;
}

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == '+';
}

/// Names, numbers, relations and parentheses; what is none of them is a word of its own.
std::vector<Word> words_of(const std::string& text) {
  std::vector<Word> words;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    const char first = text[begin];
    const auto goes_on = [&](char c) {
      if (is_in_name(first)) return is_in_name(c);
      if (std::string_view("<>=!").find(first) != std::string_view::npos) return c == '=';
      return false;
    };
    for (end = begin + 1; end < text.size() && goes_on(text[end]);) ++end;
    if (is_in_name(first) && end < text.size() && text[end] == '[')  // the name of an image is part of it
      end = std::min(text.find(']', end), text.size() - 1) + 1;
    if (std::isspace(static_cast<unsigned char>(first)) == 0)
      words.push_back({text.substr(begin, end - begin), begin + 1});
  }
  words.push_back({"", text.size() + 1});
  return words;
}

/// Reads what `or` joins, what `and` joins in that, and comparisons and parentheses in that.
class Parser {
 public:
  explicit Parser(const std::string& text) : words_(words_of(text)) {}

  Condition parse() {
    read_either();
    if (!next().text.empty())
      throw wrong(next().text == ")" ? "has no opening parenthesis"
                                     : "is unexpected here; join comparisons with 'and' or 'or'");
    for (const Word& word : words_) {
      const bool is_close = condition_.text.ends_with('(') || word.text == ")" || word.text.empty();
      condition_.text += (condition_.text.empty() || is_close ? "" : " ") + word.text;
    }
    return std::move(condition_);
  }

 private:
  const Word& next() const { return words_[at_]; }
  bool is_next(std::string_view word) const { return io::lower_case(next().text) == word; }
  bool take(std::string_view word) {
    if (!is_next(word)) return false;
    ++at_;
    return true;
  }

  Error wrong(const std::string& reason) const {
    const std::string what = next().text.empty() ? "the end" : "'" + next().text + "'";
    return {Failure::usage, what + " at character " + std::to_string(next().at) + " " + reason};
  }

  void read_either() {
    read_both();
    while (take("or")) {
      read_both();
      condition_.steps.push_back({.kind = Kind::either});
    }
  }

  void read_both() {
    read_one();
    while (take("and")) {
      read_one();
      condition_.steps.push_back({.kind = Kind::both});
    }
  }

  void read_one() {
    if (!is_next("(")) return read_comparison();
    // Each level has at most two results that wait, of `or` and of `and`.
    if (2 * ++depth_ + 3 > Condition::kDeepest) throw wrong("opens too many parentheses");
    take("(");
    read_either();
    if (!take(")")) throw wrong("is unexpected here; close the parenthesis");
    --depth_;
  }

  void read_comparison() {
    Condition::Step step;
    if (take(kValue)) {
      step.kind = Kind::comparison_of_value;
    } else if (take(kLabelOfObject)) {
      step.kind = Kind::comparison_of_value;
      step.name = kLabelOfObject;
    } else {
      read_measure(step);
    }
    step.relation = read_relation();
    const std::optional<double> number = parse_number<double>(next().text);
    if (!number || std::isnan(*number)) throw wrong("is not a number");
    if (step.kind == Kind::comparison_of_value && std::isfinite(*number) && std::abs(*number) >= kMostExact)
      throw wrong("is out of range; values are compared with numbers between -2^53 and 2^53");
    step.number = *number;
    ++at_;
    condition_.steps.push_back(step);
  }

  /// Reads "area", or "intensity_mean[dapi]" of one of several images.
  void read_measure(Condition::Step& step) {
    std::vector<std::string> names = {kValue, kLabelOfObject};
    const std::string& word = next().text;
    const std::string name = word.substr(0, word.find('['));
    for (const Measure& measure : gpuccl::measures()) {
      if (measure.name == name) {
        if (is_in_the_world(measure.id))
          throw wrong("cannot be compared; use " + name.substr(0, 2) + ", in pixels");
        if (name != word) {
          if (measure.group != MeasureGroup::intensity) throw wrong("is not measured in images of samples");
          if (!word.ends_with(']')) throw wrong("has no closing bracket");
          step.name = word.substr(name.size() + 1, word.size() - name.size() - 2);
          if (step.name.empty()) throw wrong("names no image");
        }
        ++at_;
        step.measure = measure.id;
        return;
      }
      names.emplace_back(measure.name);
    }
    const std::string nearest = nearest_measure(name, names);
    throw wrong("is not a measure" +
                (nearest.empty() ? "; see 'gpuccl list --measures'" : "; did you mean " + nearest + "?"));
  }

  Relation read_relation() {
    for (const auto& [word, relation] : kRelations)
      if (take(word)) return relation;
    throw wrong("is not one of < <= > >= == !=");
  }

  std::vector<Word> words_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Condition condition_;
};

}  // namespace

Condition parse_condition(const std::string& text) { return Parser(text).parse(); }

}  // namespace gpuccl::app
