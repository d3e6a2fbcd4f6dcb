#include "io/pnm/pnm_text.hpp"

#include <cctype>

namespace gpuccl::io {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 14;

}  // namespace

int PnmText::peek() {
  if (position_ < first_ || position_ >= first_ + bytes_.size()) {
    bytes_.resize(kPiece);
    bytes_.resize(file_.read_at(position_, bytes_.data(), bytes_.size()));
    first_ = position_;
  }
  return bytes_.empty() ? kEnd : bytes_[static_cast<std::size_t>(position_ - first_)];
}

void PnmText::skip_blanks() {
  for (bool is_comment = false;; ++position_) {
    const int next = peek();
    if (next == kEnd) return;
    if (next == '#') is_comment = true;
    if (next == '\n' || next == '\r') is_comment = false;
    if (!is_comment && std::isspace(next) == 0) return;
  }
}

std::optional<int> PnmText::number() {
  constexpr std::int64_t kMost = 2147483647;
  skip_blanks();
  std::optional<std::int64_t> value;
  for (; std::isdigit(peek()) != 0; ++position_) {
    value = value.value_or(0) * 10 + (peek() - '0');
    if (*value > kMost) return std::nullopt;
  }
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<int> PnmText::digit() {
  skip_blanks();
  if (std::isdigit(peek()) == 0) return std::nullopt;
  const int value = peek() - '0';
  ++position_;
  return value;
}

}  // namespace gpuccl::io
