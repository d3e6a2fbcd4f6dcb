#include "io/files/header_lines.hpp"

#include "gpuccl/types.hpp"

namespace gpuccl::io {
namespace {

constexpr std::size_t kHeaderPiece = std::size_t{1} << 12;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 22;

}  // namespace

std::optional<std::string> HeaderLines::next() {
  std::size_t end = waiting_.find('\n');
  while (end == std::string::npos) {
    if (position_ + waiting_.size() > kMostBytes) throw Error(Failure::data, "its header does not end");
    const std::size_t had = waiting_.size();
    waiting_.resize(had + kHeaderPiece);
    waiting_.resize(had + file_.read_at(position_ + had, waiting_.data() + had, kHeaderPiece));
    if (waiting_.size() == had) break;
    end = waiting_.find('\n', had);
  }
  if (waiting_.empty()) return std::nullopt;
  const std::size_t length = end == std::string::npos ? waiting_.size() : end;
  std::string line = waiting_.substr(0, length);
  const std::size_t taken = end == std::string::npos ? length : length + 1;
  waiting_.erase(0, taken);
  position_ += taken;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

}  // namespace gpuccl::io
