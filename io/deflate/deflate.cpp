#include "io/deflate/deflate.hpp"

#include <libdeflate.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/deflate/block_inflater.hpp"
#include "io/deflate/deflate_symbols.hpp"

namespace gpuccl::io {
namespace {

bool are_zeros(const void* data, std::size_t bytes) {
  const auto* first = static_cast<const unsigned char*>(data);
  return bytes > 0 && *first == 0 && std::memcmp(first, first + 1, bytes - 1) == 0;
}

std::size_t checked(std::size_t size) {
  if (size == 0) throw Error(ErrorCode::internal, "compressed data are larger than they can be");
  return size;
}

}  // namespace

Deflater::Deflater(int level) : compressor_(libdeflate_alloc_compressor(level)) {
  if (!compressor_) throw std::bad_alloc();
}

void Deflater::Free::operator()(libdeflate_compressor* compressor) const {
  libdeflate_free_compressor(compressor);
}

std::size_t Deflater::compress(const void* data, std::size_t bytes, std::vector<std::byte>& out) {
  if (!are_zeros(data, bytes)) return compress_any(data, bytes, out);
  if (zero_bytes_ != bytes) {
    zeros_size_ = compress_any(data, bytes, zeros_);
    zero_bytes_ = bytes;
  }
  if (out.size() < zeros_size_) out.resize(zeros_size_);
  std::copy_n(zeros_.begin(), zeros_size_, out.begin());
  return zeros_size_;
}

std::size_t Deflater::compress_any(const void* data, std::size_t bytes, std::vector<std::byte>& out) {
  const std::size_t bound = libdeflate_zlib_compress_bound(compressor_.get(), bytes);
  if (out.size() < bound) out.resize(bound);
  return checked(libdeflate_zlib_compress(compressor_.get(), data, bytes, out.data(), out.size()));
}

std::size_t Deflater::compress_gzip(const void* data, std::size_t bytes, std::vector<std::byte>& out) {
  const std::size_t bound = libdeflate_gzip_compress_bound(compressor_.get(), bytes);
  if (out.size() < bound) out.resize(bound);
  return checked(libdeflate_gzip_compress(compressor_.get(), data, bytes, out.data(), out.size()));
}

namespace {

constexpr std::size_t kWindowBytes = kWindow;
constexpr std::size_t kMostMembers = std::size_t{1} << 13;  // maximum of a piece; BGZF has fewer
constexpr std::size_t kUnitsAtOnce = 4 * kWindowBytes;      // with the window; they fit in the cache

/// End of a member.
struct MemberEnd {
  std::uint64_t made = 0;      // bytes of the piece before it
  std::uint32_t checksum = 0;  // as stored
  std::uint32_t bytes = 0;     // length of the member modulo 2^32; of gzip only
};

/// Reader of the header and the trailer of a member.
class Framing {
 public:
  Framing(Wrapping wrapping, std::span<const std::byte> in) : wrapping_(wrapping), in_(in) {}

  /// Returns the offset of the first block; nothing for an unusual header.
  std::optional<std::size_t> begin(std::size_t at) const {
    return wrapping_ == Wrapping::zlib ? begin_zlib(at) : begin_gzip(at);
  }
  /// Reads a trailer and moves `at` to its end; nothing if it is truncated.
  std::optional<MemberEnd> end(std::size_t& at) const {
    const std::size_t size = wrapping_ == Wrapping::zlib ? 4 : 8;
    if (in_.size() - std::min(in_.size(), at) < size) return std::nullopt;
    MemberEnd end;
    std::memcpy(&end.checksum, &in_[at], sizeof end.checksum);
    if (wrapping_ == Wrapping::zlib) {
      end.checksum = __builtin_bswap32(end.checksum);
    } else {
      std::memcpy(&end.bytes, &in_[at + 4], sizeof end.bytes);
    }
    at += size;
    return end;
  }
  bool is_followed(std::size_t at) const {
    return wrapping_ == Wrapping::gzip && at + 2 <= in_.size() && number(at) == 0x1f &&
           number(at + 1) == 0x8b;
  }

 private:
  unsigned number(std::size_t at) const { return std::to_integer<unsigned>(in_[at]); }

  std::optional<std::size_t> begin_zlib(std::size_t at) const {
    constexpr unsigned kDeflateOf32KiB = 0x78, kDictionary = 0x20;
    if (in_.size() < at + 2 || number(at) != kDeflateOf32KiB) return std::nullopt;
    const unsigned flags = number(at + 1);
    if ((flags & kDictionary) != 0 || (kDeflateOf32KiB << 8 | flags) % 31 != 0) return std::nullopt;
    return at + 2;
  }

  std::optional<std::size_t> begin_gzip(std::size_t at) const {
    constexpr std::size_t kHeader = 10;
    constexpr unsigned kDeflate = 8, kChecksum = 2, kExtra = 4, kName = 8, kComment = 16, kReserved = 0xe0;
    if (!is_followed(at) || in_.size() - at < kHeader || number(at + 2) != kDeflate) return std::nullopt;
    const unsigned flags = number(at + 3);
    if ((flags & (kReserved | kChecksum)) != 0) return std::nullopt;
    at += kHeader;
    if ((flags & kExtra) != 0) {
      if (in_.size() - at < 2) return std::nullopt;
      at += 2 + (number(at) | number(at + 1) << 8);
    }
    for (const unsigned text : {kName, kComment}) {
      if ((flags & text) == 0 || at >= in_.size()) continue;
      const auto zero = std::find(in_.begin() + static_cast<std::ptrdiff_t>(at), in_.end(), std::byte{0});
      at = static_cast<std::size_t>(zero - in_.begin()) + 1;
    }
    return at < in_.size() ? std::optional(at) : std::nullopt;
  }

  Wrapping wrapping_;
  std::span<const std::byte> in_;
};

/// Room for inflated units.
template <class Unit>
struct Room {
  const Unit* floor;  // first unit that a match may copy
  Unit* begin;
  Unit* at;
  Unit* end;
  std::uint64_t made_before = 0;  // overwritten units

  std::uint64_t made() const { return made_before + static_cast<std::uint64_t>(at - begin); }
};

/// End of a piece: the start of another piece, the end of the stream, a full room, or damage.
enum class Ending { piece, stream, full, damaged };

/// Part of the stream, from the start of a block to that of another one.
struct Piece {
  std::uint64_t begin = 0;  // bit of the stream
  std::uint64_t end = 0;    // bit of the stream
  Ending ending = Ending::damaged;
  std::uint64_t size = 0;                // inflated bytes
  std::vector<std::uint16_t> last;       // last kWindowBytes of these
  std::vector<MemberEnd> members;        // ends of members in it
  std::uint64_t offset = 0;              // of its first byte in the output
  std::uint64_t member = 0;              // offset of the member that contains its first byte
  std::vector<std::uint32_t> checksums;  // of its bytes between the ends of members
};

/// First unit that stands for a byte of the window before the piece.
constexpr std::uint16_t kOfWindow = 0x8000;

class ParallelInflate {
 public:
  ParallelInflate(Wrapping wrapping, std::span<const std::byte> in, std::span<std::byte> out)
      : framing_(wrapping, in),
        wrapping_(wrapping),
        in_(in),
        out_(reinterpret_cast<std::uint8_t*>(out.data())),
        size_(out.size()) {}

  std::optional<std::size_t> run(std::size_t pieces) {
    if (!find_pieces(pieces)) return std::nullopt;
    for_all(pieces_.size(), [&](std::size_t i) { i == 0 ? inflate_first() : inflate_blindly(pieces_[i]); });
    if (!chain() || !place_windows()) return std::nullopt;
    std::vector<char> good(chain_.size());
    for_all(chain_.size(), [&](std::size_t i) { good[i] = inflate_into_place(*chain_[i]); });
    if (std::find(good.begin(), good.end(), false) != good.end() || !is_intact()) return std::nullopt;
    return static_cast<std::size_t>(chain_.back()->end / 8);
  }

 private:
  template <class Work>
  static void for_all(std::size_t count, Work work) {
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, count, 1),
          [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t i = range.begin(); i < range.end(); ++i) work(i);
          },
          tbb::simple_partitioner());
    });
  }

  bool find_pieces(std::size_t count) {
    const std::optional<std::size_t> first = framing_.begin(0);
    if (!first) return false;
    std::vector<std::optional<std::uint64_t>> begins(count);
    begins[0] = *first * 8;
    for_all(count, [&](std::size_t i) {
      const std::size_t from = i * in_.size() / count, to = (i + 1) * in_.size() / count;
      if (i > 0) begins[i] = BlockInflater::find_block(in_, std::uint64_t{from} * 8, std::uint64_t{to} * 8);
    });
    for (const std::optional<std::uint64_t>& begin : begins)
      if (begin && (pieces_.empty() || *begin > pieces_.back().begin)) pieces_.emplace_back().begin = *begin;
    return pieces_.size() > 1;
  }

  bool begins_piece(std::uint64_t bit) const {
    const auto piece = std::lower_bound(pieces_.begin(), pieces_.end(), bit,
                                        [](const Piece& each, std::uint64_t at) { return each.begin < at; });
    return piece != pieces_.end() && piece->begin == bit;
  }

  /// Inflates blocks and members up to the start of another piece. Calls `more_room(room)` for a full room,
  /// and ends if that returns false.
  template <class Unit, class MoreRoom>
  Ending inflate(Piece& piece, Room<Unit>& room, MoreRoom more_room) const {
    BlockInflater inflater(in_, piece.begin);
    for (;;) {
      if (!inflater.begin_block()) return Ending::damaged;
      BlockInflater::State state;
      while ((state = inflater.inflate(room.floor, room.at, room.end)) == BlockInflater::State::full) {
        if (inflater.is_past_end()) return Ending::damaged;
        if (!more_room(room)) return Ending::full;
      }
      if (state == BlockInflater::State::damaged || inflater.is_past_end()) return Ending::damaged;
      if (inflater.is_last()) {
        auto at = static_cast<std::size_t>((inflater.position() + 7) / 8);
        std::optional<MemberEnd> end = framing_.end(at);
        if (!end || piece.members.size() == kMostMembers) return Ending::damaged;
        end->made = room.made();
        piece.members.push_back(*end);
        piece.end = std::uint64_t{at} * 8;
        if (!framing_.is_followed(at)) return Ending::stream;
        const std::optional<std::size_t> next = framing_.begin(at);
        if (!next) return Ending::damaged;
        inflater.go_to(std::uint64_t{*next} * 8);
        room.floor = room.at;
      }
      piece.end = inflater.position();
      if (begins_piece(piece.end)) return Ending::piece;
    }
  }

  /// Inflates the first piece, which needs no window, into place.
  void inflate_first() {
    Piece& first = pieces_.front();
    Room<std::uint8_t> room{out_, out_, out_, out_ + size_};
    first.ending = inflate(first, room, [](auto&) { return false; });
    first.size = room.made();
  }

  /// Finds the last bytes of another piece, without knowing the window before it.
  void inflate_blindly(Piece& piece) const {
    const auto units = std::make_unique_for_overwrite<std::uint16_t[]>(kUnitsAtOnce);
    for (std::size_t i = 0; i < kWindowBytes; ++i) units[i] = static_cast<std::uint16_t>(kOfWindow + i);
    std::uint16_t* const begin = units.get() + kWindowBytes;
    Room<std::uint16_t> room{units.get(), begin, begin, units.get() + kUnitsAtOnce};
    piece.ending = inflate(piece, room, [&](Room<std::uint16_t>& full) {
      if (full.made() > size_) return false;
      const std::uint16_t* const kept = full.at - kWindowBytes;
      const std::ptrdiff_t shift = kept - units.get();
      full.floor -= std::min(shift, full.floor - units.get());
      full.made_before = full.made();
      std::copy(kept, kept + kWindowBytes, units.get());
      full.at = begin;
      return true;
    });
    piece.size = room.made();
    const auto held = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(piece.size, kWindowBytes));
    piece.last.assign(room.at - held, room.at);
  }

  /// Lists the pieces that follow each other from the first on. Returns false if they do not make `size_`
  /// bytes.
  bool chain() {
    std::uint64_t offset = 0, member = 0;
    for (auto piece = pieces_.begin();;) {
      chain_.push_back(&*piece);
      piece->offset = offset;
      piece->member = member;
      if (piece->size > size_ - offset) return false;
      if (!piece->members.empty()) member = offset + piece->members.back().made;
      offset += piece->size;
      if (piece->ending != Ending::piece) return piece->ending == Ending::stream && offset == size_;
      piece = std::find_if(piece, pieces_.end(), [&](const Piece& next) { return next.begin == piece->end; });
    }
  }

  /// Writes the last bytes of each piece, the window of the next one. Returns false if a piece copies from
  /// before the start of its member.
  bool place_windows() {
    // The first access to new memory clears it, which takes longer than all else here.
    for_all(chain_.size(), [&](std::size_t i) {
      const Piece& piece = *chain_[i];
      std::fill_n(out_ + piece.offset + piece.size - piece.last.size(), piece.last.size(), std::uint8_t{0});
    });
    for (const Piece* const piece : chain_) {
      const std::uint64_t known = std::min<std::uint64_t>(piece->offset - piece->member, kWindowBytes);
      const std::uint64_t first = kOfWindow + kWindowBytes - known;
      const std::uint8_t* const window = out_ + piece->offset - known;
      std::uint8_t* to = out_ + piece->offset + piece->size - piece->last.size();
      for (const std::uint16_t unit : piece->last) {
        const bool is_copied = unit >= kOfWindow;
        if (is_copied && unit < first) return false;
        *to++ = is_copied ? window[unit - first] : static_cast<std::uint8_t>(unit);
      }
    }
    return true;
  }

  bool inflate_into_place(Piece& piece) const {
    std::uint8_t* const begin = out_ + piece.offset;
    if (piece.size > piece.last.size() && !piece.last.empty()) {
      Piece again;
      again.begin = piece.begin;
      Room<std::uint8_t> room{out_ + piece.member, begin, begin, begin + piece.size - piece.last.size()};
      if (inflate(again, room, [](auto&) { return false; }) != Ending::full) return false;
    }
    std::uint64_t from = 0;
    const auto check_to = [&](std::uint64_t to) {
      const auto count = static_cast<std::size_t>(to - from);
      piece.checksums.push_back(wrapping_ == Wrapping::gzip ? libdeflate_crc32(0, begin + from, count)
                                                            : libdeflate_adler32(1, begin + from, count));
      from = to;
    };
    for (const MemberEnd& member : piece.members) check_to(member.made);
    check_to(piece.size);
    return true;
  }

  /// Compares the checksums and lengths of members with those that are stored.
  bool is_intact() const {
    std::uint32_t crc = 0;
    Adler32 adler;
    std::uint64_t bytes = 0;
    for (const Piece* const piece : chain_) {
      std::uint64_t from = 0;
      for (std::size_t i = 0; i < piece->checksums.size(); ++i) {
        const bool is_end = i < piece->members.size();
        const std::uint64_t to = is_end ? piece->members[i].made : piece->size;
        if (wrapping_ == Wrapping::gzip)
          crc = static_cast<std::uint32_t>(
              crc32_combine(crc, piece->checksums[i], static_cast<z_off_t>(to - from)));
        else
          adler.append(to - from, Adler32(piece->checksums[i]));
        bytes += to - from;
        from = to;
        if (!is_end) continue;
        const MemberEnd& end = piece->members[i];
        if (end.checksum != (wrapping_ == Wrapping::gzip ? crc : adler.value())) return false;
        if (wrapping_ == Wrapping::gzip && end.bytes != static_cast<std::uint32_t>(bytes)) return false;
        crc = 0;
        adler = {};
        bytes = 0;
      }
    }
    return true;
  }

  Framing framing_;
  Wrapping wrapping_;
  std::span<const std::byte> in_;
  std::uint8_t* out_;
  std::uint64_t size_;
  std::vector<Piece> pieces_;
  std::vector<Piece*> chain_;
};

constexpr std::size_t kLeastPiece = std::size_t{8} << 10;  // zlib's blocks of masks have about 5 KiB
constexpr std::size_t kLeastBytes = std::size_t{4} << 20;  // less takes no longer than starting threads
constexpr std::size_t kPiecesEach = 2;  // per thread, because they take unequally long; each takes a search

/// Returns the threads of the arena, within the limit of --threads.
std::size_t threads_here() {
  return std::min(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
                  static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
}

/// Returns the number of pieces; 1 if it does not pay, because most bytes are inflated twice.
std::size_t pieces_of(std::size_t stored, std::size_t bytes) {
  constexpr std::size_t kLeastThreads = 4;
  const std::size_t threads = threads_here();
  if (threads < kLeastThreads || bytes < kLeastBytes || stored > most_stored_in_parallel(bytes)) return 1;
  return std::clamp<std::size_t>(stored / kLeastPiece, 1, threads * kPiecesEach);
}

}  // namespace

std::size_t bytes_to_inflate_in_parallel(std::size_t stored, std::size_t bytes) {
  constexpr std::size_t kFewestPieces = 4;
  const std::size_t pieces = pieces_of(stored, bytes);
  if (pieces < kFewestPieces) return 0;
  return pieces * kWindowBytes * sizeof(std::uint16_t) +
         threads_here() * (kUnitsAtOnce * sizeof(std::uint16_t) + sizeof(BlockInflater));
}

std::optional<std::size_t> inflate_in_parallel(Wrapping wrapping, std::span<const std::byte> in,
                                               std::span<std::byte> out) {
  if (bytes_to_inflate_in_parallel(in.size(), out.size()) == 0) return std::nullopt;
  return ParallelInflate(wrapping, in, out).run(pieces_of(in.size(), out.size()));
}

}  // namespace gpuccl::io
