#include "io/image/cf_attributes.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "gpuccl/types.hpp"

namespace gpuccl::io {
namespace {

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

constexpr double kBeyondAll = std::numeric_limits<double>::infinity();

bool is_infinite(const std::string& word) {
  const std::string small = in_lower_case(word);
  return small == "inf" || small == "-inf" || small == "infinity" || small == "-infinity";
}

/// Returns the only number of a text, `otherwise` if the text is empty.
double one_number_in(const std::string& text, const std::string& name, double otherwise) {
  if (text.empty()) return otherwise;
  const std::vector<SampleValue> numbers = sample_values_in(text, name);
  if (numbers.size() != 1 || std::abs(numbers.front().number()) == kBeyondAll)
    throw Error(ErrorCode::data, "has the " + name + " '" + text + "', not one number");
  return numbers.front().number();
}

}  // namespace

std::vector<SampleValue> sample_values_in(const std::string& text, const std::string& name) {
  std::vector<SampleValue> numbers;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (const std::string small = in_lower_case(word); small == "nan" || small == "-nan") continue;
    const std::optional<SampleValue> number =
        is_infinite(word) ? SampleValue::of(word.front() == '-' ? -kBeyondAll : kBeyondAll)
                          : SampleValue::parse(word.starts_with('+') ? word.substr(1) : word);
    if (!number) throw Error(ErrorCode::data, "has the " + name + " '" + text + "', which is not a number");
    numbers.push_back(*number);
  }
  return numbers;
}

void apply_cf(const CfAttributes& attributes, SampleFormat& format) {
  const auto& [scale_factor, add_offset, fill_value, missing_value, is_unsigned] = attributes;
  format.slope = one_number_in(scale_factor, kCfAttributes[0], 1);
  format.intercept = one_number_in(add_offset, kCfAttributes[1], 0);
  std::vector<SampleValue> missing = sample_values_in(fill_value, kCfAttributes[2]);
  for (const SampleValue& one : sample_values_in(missing_value, kCfAttributes[3])) missing.push_back(one);
  // NetCDF-3 has no unsigned types; the attributes of missing samples are of the stored type.
  const bool was_signed = format.kind == SampleKind::signed_integer;
  if (!is_unsigned.empty() && format.kind != SampleKind::floating) {
    const bool becomes_signed = in_lower_case(is_unsigned) == "false";
    format.kind = becomes_signed ? SampleKind::signed_integer : SampleKind::unsigned_integer;
    if (was_signed != becomes_signed)
      for (SampleValue& one : missing) one = SampleValue::reinterpret(one, format.bits, was_signed);
  }
  format.set_missing(missing);
}

}  // namespace gpuccl::io
