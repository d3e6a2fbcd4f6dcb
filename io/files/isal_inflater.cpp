#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>

#include "io/files/gunzipped_file.hpp"

#ifdef GPUCCL_HAS_ISAL
#include <isa-l.h>
#endif

namespace gpuccl::io {
#ifdef GPUCCL_HAS_ISAL
namespace {

/// Rejects bits reserved by RFC 1952 and windows not allowed by RFC 1950, which ISA-L accepts.
bool has_bad_header(bool is_gzip, std::span<const unsigned char> in) {
  constexpr unsigned kReserved = 0xe0, kMaxWindow = 7;
  return in.size() > 3 && (is_gzip ? (in[3] & kReserved) != 0 : in[0] >> 4 > kMaxWindow);
}

class IsalInflater final : public Inflater {
 public:
  explicit IsalInflater(bool is_gzip) : is_gzip_(is_gzip) {
    isal_inflate_init(&state_);
    state_.crc_flag = is_gzip ? ISAL_GZIP : ISAL_ZLIB;
  }

  std::unique_ptr<Inflater> copy() const override { return std::make_unique<IsalInflater>(*this); }
  void begin_member() override {
    isal_inflate_reset(&state_);
    begins_ = true;
  }
  std::string damage() const override { return "no valid data"; }

  Progress inflate(std::span<const unsigned char> in, std::span<unsigned char> out) override {
    if (std::exchange(begins_, false) && has_bad_header(is_gzip_, in)) return {0, 0, State::damaged};
    state_.next_in = const_cast<unsigned char*>(in.data());
    state_.avail_in = static_cast<std::uint32_t>(in.size());
    state_.next_out = out.data();
    state_.avail_out = static_cast<std::uint32_t>(out.size());
    const int status = isal_inflate(&state_);
    const bool is_at_end = state_.block_state == ISAL_BLOCK_FINISH;
    return {state_.next_in - in.data() - (is_at_end ? state_.read_in_length / 8 : 0),
            static_cast<std::size_t>(state_.next_out - out.data()),
            status != ISAL_DECOMP_OK ? State::damaged
            : is_at_end              ? State::at_end
                                     : State::inside};
  }

 private:
  inflate_state state_;
  bool is_gzip_, begins_ = true;
};

}  // namespace

std::unique_ptr<Inflater> make_fast_inflater(bool is_gzip) { return std::make_unique<IsalInflater>(is_gzip); }
std::int64_t fast_inflater_bytes() { return sizeof(IsalInflater); }
std::string fast_inflater_version() {
  return fmt::format("{}.{}.{}", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
}
#else
std::unique_ptr<Inflater> make_fast_inflater(bool) { return nullptr; }
std::int64_t fast_inflater_bytes() { return 0; }
std::string fast_inflater_version() { return ""; }
#endif

}  // namespace gpuccl::io
