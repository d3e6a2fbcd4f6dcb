#include "io/image/length_unit.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace gpuccl::io {
namespace {

struct NamedUnit {
  LengthUnit unit;
  std::string_view name, word;  // "um", "micrometer"
  double picometres;
};

constexpr NamedUnit kUnits[] = {
    {LengthUnit::pm, "pm", "picometer", 1},     {LengthUnit::angstrom, "angstrom", "angstrom", 100},
    {LengthUnit::nm, "nm", "nanometer", 1e3},   {LengthUnit::um, "um", "micrometer", 1e6},
    {LengthUnit::mm, "mm", "millimeter", 1e9},  {LengthUnit::cm, "cm", "centimeter", 1e10},
    {LengthUnit::dm, "dm", "decimeter", 1e11},  {LengthUnit::m, "m", "meter", 1e12},
    {LengthUnit::inch, "inch", "inch", 2.54e10}};

struct OtherName {
  std::string_view name;
  LengthUnit unit;
};

// The micro sign, the letter mu, and how ImageJ and JSON escape the former; the letter and the sign of
// Ångström.
constexpr OtherName kOtherNames[] = {
    {"\xc2\xb5m", LengthUnit::um},      {"\xce\xbcm", LengthUnit::um},
    {"\\u00B5m", LengthUnit::um},       {"micron", LengthUnit::um},
    {"\xc3\x85", LengthUnit::angstrom}, {"\xe2\x84\xab", LengthUnit::angstrom},
    {"\\u00C5", LengthUnit::angstrom},  {"in", LengthUnit::inch},
    {"inches", LengthUnit::inch}};

const NamedUnit* find(LengthUnit unit) {
  const auto* const found = std::find_if(std::begin(kUnits), std::end(kUnits),
                                         [&](const NamedUnit& known) { return known.unit == unit; });
  return found == std::end(kUnits) ? nullptr : found;
}

/// "micrometres" as "micrometer".
std::string american_singular(std::string_view name) {
  std::string word(name.substr(0, name.size() - (name.size() > 4 && name.ends_with('s') ? 1 : 0)));
  if (word.ends_with("metre")) word.replace(word.size() - 2, 2, "er");
  return word;
}

}  // namespace

std::string_view name_of(LengthUnit unit) {
  const NamedUnit* const known = find(unit);
  return known == nullptr ? "" : known->name;
}

std::string_view word_of(LengthUnit unit) {
  const NamedUnit* const known = find(unit);
  return known == nullptr ? "" : known->word;
}

LengthUnit length_unit(std::string_view name) {
  const std::string word = american_singular(name);
  for (const NamedUnit& known : kUnits)
    if (name == known.name || word == known.word) return known.unit;
  for (const OtherName& other : kOtherNames)
    if (name == other.name || word == other.name) return other.unit;
  return LengthUnit::unknown;
}

double unit_ratio(LengthUnit from, LengthUnit to) { return find(from)->picometres / find(to)->picometres; }

}  // namespace gpuccl::io
