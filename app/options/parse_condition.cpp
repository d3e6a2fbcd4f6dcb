#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/option_helpers.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/image/geometry.hpp"

namespace gpuccl::app {
namespace {

using Relation = Condition::Relation;
using Kind = Condition::Step::Kind;

constexpr std::pair<std::string_view, Relation> kRelations[] = {
    {"<", Relation::less},   {"<=", Relation::at_most}, {">", Relation::greater}, {">=", Relation::at_least},
    {"==", Relation::equal}, {"=", Relation::equal},    {"!=", Relation::unequal}};

struct Word {
  std::string text;  // "" after the last
  std::size_t at;    // position in the text, from 1
};

constexpr const char* kValue = "value";         // of a component of an image of values
constexpr double kMaxExact = 9007199254740992;  // 2^53: doubles represent all integers below

/// World coordinates are computed when rows are written, after filters have run.
bool is_in_the_world(MeasureId id) {
  return id == MeasureId::cx_physical || id == MeasureId::cy_physical || id == MeasureId::cz_physical;
}

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == '+';
}

/// Returns names, numbers, relations and parentheses; each other character is a word of its own.
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

bool is_number(const std::string& word) { return parse_number<double>(word).has_value(); }

bool is_relation(const std::string& word) {
  return std::any_of(std::begin(kRelations), std::end(kRelations),
                     [&](const auto& relation) { return relation.first == word; });
}

bool is_measure(const std::string& word) {
  return std::any_of(gpuccl::measures().begin(), gpuccl::measures().end(),
                     [&](const Measure& measure) { return measure.name == word; });
}

/// Returns "5" for "5um", and `before` for "um"; "" if the word is no number with a unit of length.
std::string number_with_unit(const std::string& word, const std::string& before) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789.eE+-"), word.size());
  std::string unit = word.substr(digits);
  if (unit.ends_with('2') || unit.ends_with('3')) unit.pop_back();
  if (io::length_unit(unit) == io::LengthUnit::unknown) return "";
  return digits == 0 ? before : word.substr(0, digits);
}

/// Returns the comparison with both sides exchanged, of a number with a measure.
std::string turned(const std::string& number, const std::string& relation, const std::string& measure) {
  const char first = relation.front();
  const std::string other = first == '<'   ? ">" + relation.substr(1)
                            : first == '>' ? "<" + relation.substr(1)
                                           : relation;
  return measure + " " + other + " " + number;
}

/// Recursive descent: `or` joins what `and` joins, and `and` joins comparisons and parentheses.
class Parser {
 public:
  explicit Parser(const std::string& text) : words_(words_of(text)) {}

  Condition parse() {
    read_either();
    if (!next().text.empty()) throw unexpected();
    for (const Word& word : words_) {
      const bool is_close = condition_.text.ends_with('(') || word.text == ")" || word.text.empty();
      condition_.text += (condition_.text.empty() || is_close ? "" : " ") + word.text;
    }
    return std::move(condition_);
  }

 private:
  const Word& next() const { return words_[at_]; }
  bool is_next(std::string_view word) const { return io::lower_case(next().text) == word; }
  bool accept(std::string_view word) {
    if (!is_next(word)) return false;
    ++at_;
    return true;
  }

  Error wrong(const std::string& reason) const {
    const std::string what = next().text.empty() ? "the end" : "'" + next().text + "'";
    return {ErrorCode::usage, what + " at character " + std::to_string(next().at) + " " + reason};
  }

  /// Returns the word so many words further on; beyond the last the empty one.
  const std::string& ahead(std::size_t words) const {
    return words_[std::min(at_ + words, words_.size() - 1)].text;
  }

  /// Returns the error for a word after a comparison.
  Error unexpected() const {
    const std::string& word = next().text;
    if (word == ")") return wrong("has no opening parenthesis");
    if (const std::string number = number_with_unit(word, number_); !number.empty()) return has_unit(number);
    if (is_relation(word) && is_number(ahead(1)))
      return wrong("compares again; write " + measure_ + " " + relation_ + " " + number_ + " and " +
                   measure_ + " " + word + " " + ahead(1));
    if (is_calculation(word)) return wrong(kNoCalculations);
    return wrong("is unexpected here; join comparisons with 'and' or 'or'");
  }

  Error has_unit(const std::string& number) const {
    const std::string physical = measure_ + "_physical";
    return wrong("has a unit; " +
                 (is_measure(physical)
                      ? "use " + physical + ", which is in the unit of the spacing: " + physical
                      : "write the number alone: " + measure_) +
                 " " + relation_ + " " + number);
  }

  /// Returns the error for a word that should be a measure.
  Error not_a_measure() const {
    const std::string& word = next().text;
    if (is_number(word) && is_relation(ahead(1)) && is_measure(ahead(2))) {
      std::string both = turned(word, ahead(1), ahead(2));
      if (is_relation(ahead(3)) && is_number(ahead(4)))
        both += " and " + ahead(2) + " " + ahead(3) + " " + ahead(4);
      return wrong("is not a measure; begin with the measure: " + both);
    }
    if (io::lower_case(word) == "not" || word == "!")
      return wrong("is not supported; write the opposite comparison, such as area <= 5 for not area > 5");
    return wrong("is not a measure");
  }

  Error not_a_number() const {
    const std::string& word = next().text;
    if (const std::string number = number_with_unit(word, ""); !number.empty()) return has_unit(number);
    if (is_measure(word)) return wrong("is a measure; compare with a number");
    if ((word == "<" || word == ">") && relation_ == "=")
      return wrong("is not a number; write " + word + "= instead of =" + word);
    return wrong("is not a number");
  }

  static constexpr const char* kNoCalculations = "is not supported; compare one measure with one number";
  static bool is_calculation(const std::string& word) {
    return word.size() == 1 && std::string_view("*/+-^%").find(word[0]) != std::string_view::npos;
  }

  void read_either() {
    read_both();
    while (accept("or")) {
      read_both();
      condition_.steps.push_back({.kind = Kind::either});
    }
  }

  void read_both() {
    read_one();
    while (accept("and")) {
      read_one();
      condition_.steps.push_back({.kind = Kind::both});
    }
  }

  void read_one() {
    if (!is_next("(")) return read_comparison();
    // Each level has at most two results that wait, of `or` and of `and`.
    if (2 * ++depth_ + 3 > Condition::kDeepest) throw wrong("opens too many parentheses");
    accept("(");
    read_either();
    if (!accept(")")) throw wrong("is unexpected here; close the parenthesis");
    --depth_;
  }

  void read_comparison() {
    Condition::Step step;
    if (accept(kValue)) {
      step.kind = Kind::comparison_of_value;
    } else if (accept(kLabelOfObject)) {
      step.kind = Kind::comparison_of_value;
      step.name = kLabelOfObject;
    } else {
      read_measure(step);
    }
    measure_ = words_[at_ - 1].text;
    relation_ = next().text;
    step.relation = read_relation();
    number_ = next().text;
    const std::optional<double> number = parse_number<double>(number_);
    if (!number || std::isnan(*number)) throw not_a_number();
    step.number = *number;
    if (step.kind == Kind::comparison_of_value && std::isfinite(*number) && std::abs(*number) >= kMaxExact)
      step.number = whole_number();
    ++at_;
    condition_.steps.push_back(step);
  }

  /// Returns the integer of 64 bits that is read, which doubles cannot represent.
  long double whole_number() const {
    if (const auto natural = parse_number<std::uint64_t>(number_)) return static_cast<long double>(*natural);
    if (const auto integer = parse_number<std::int64_t>(number_)) return static_cast<long double>(*integer);
    throw wrong("is not an integer of 64 bits; write values beyond 2^53 with all digits");
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
    if (is_number(word) || io::lower_case(word) == "not" || word == "!") throw not_a_measure();
    const std::string nearest = nearest_measure(name, names);
    throw wrong("is not a measure" +
                (nearest.empty() ? "; see 'gpuccl list --measures'" : "; did you mean " + nearest + "?"));
  }

  Relation read_relation() {
    for (const auto& [word, relation] : kRelations)
      if (accept(word)) return relation;
    throw wrong(is_calculation(next().text) ? kNoCalculations : "is not one of < <= > >= == !=");
  }

  std::vector<Word> words_;
  std::size_t at_ = 0;
  std::string measure_, relation_, number_;  // of the comparison read last
  int depth_ = 0;
  Condition condition_;
};

}  // namespace

Condition parse_condition(const std::string& text) { return Parser(text).parse(); }

}  // namespace gpuccl::app
