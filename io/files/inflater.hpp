#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace gpuccl::io {

/// Inflates a member of gzip (RFC 1952) or a stream of zlib (RFC 1950), piece by piece, and checks the
/// header, the checksum and the length.
class Inflater {
 public:
  enum class State { inside, at_end, damaged };
  struct Progress {
    std::ptrdiff_t taken;  // of the input; below 0 where what earlier calls took was too much
    std::size_t made;
    State state;
  };

  virtual ~Inflater() = default;

  /// One that goes on from the same place.
  virtual std::unique_ptr<Inflater> copy() const = 0;
  /// Takes and makes what it can, of less than 4 GiB each. Throws std::bad_alloc.
  virtual Progress inflate(std::span<const unsigned char> in, std::span<unsigned char> out) = 0;
  /// Goes on to the next member.
  virtual void begin_member() = 0;
  /// Describes the damage in a few words.
  virtual std::string damage() const = 0;
};

/// By zlib, in whose words it is told what is damaged. Throws std::bad_alloc.
std::unique_ptr<Inflater> make_zlib_inflater();
constexpr std::int64_t kZlibInflaterBytes = 48 << 10;

/// By ISA-L, three times as fast, of gzip if `is_gzip` and else of zlib; null in a build without it. It takes
/// incomplete codes of which nothing is missing that occurs, where zlib does not. Throws std::bad_alloc.
std::unique_ptr<Inflater> make_fast_inflater(bool is_gzip);
/// Memory of one; 0 in a build without it.
std::int64_t fast_inflater_bytes();
/// Returns the version of ISA-L; empty in a build without it.
std::string fast_inflater_version();

}  // namespace gpuccl::io
