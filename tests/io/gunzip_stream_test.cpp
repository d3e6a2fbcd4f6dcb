// Streams of gzip and zlib, whoever inflates them: zlib, and ISA-L in builds that have it.

#include <zlib.h>

#include "io/files/gunzipped_file.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // that a stream reads of its file

InputFile file_of(const std::string& bytes) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return InputFile(std::vector<std::byte>(begin, begin + bytes.size()));
}

std::string random_bytes(std::size_t count, unsigned range, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() % range);
  return bytes;
}

enum class Kind { zlib, gzip, gzip_with_fields };  // every field that a header of gzip may have

/// Bytes compressed by zlib.
std::string compressed(const std::string& data, Kind kind, int level = 6) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + (kind == Kind::zlib ? 0 : 16), 8,
                       Z_DEFAULT_STRATEGY) == Z_OK);
  std::string extra = "abcdefgh", name = "volume.nii", comment = "no comment";
  gz_header header{};
  header.extra = reinterpret_cast<unsigned char*>(extra.data());
  header.extra_len = static_cast<unsigned>(extra.size());
  header.name = reinterpret_cast<unsigned char*>(name.data());
  header.comment = reinterpret_cast<unsigned char*>(comment.data());
  header.hcrc = 1;
  if (kind == Kind::gzip_with_fields) REQUIRE(deflateSetHeader(&stream, &header) == Z_OK);
  std::string out(deflateBound(&stream, static_cast<unsigned long>(data.size())) + 100, '\0');
  std::string in = data;
  stream.next_in = reinterpret_cast<unsigned char*>(in.data());
  stream.avail_in = static_cast<unsigned>(in.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Requires that ISA-L, if the build has it, reads undamaged streams to the end.
void expect_own_inflater(const GunzipStream& stream) {
  REQUIRE(stream.is_by_zlib() == fast_inflater_version().empty());
}

/// All of it by `read` of so many bytes, or what is wrong with it.
std::string read_by(const std::string& file_bytes, std::size_t step) {
  const InputFile file = file_of(file_bytes);
  try {
    GunzipStream stream(file);
    std::string all, some(step, '\0');
    while (const std::size_t got = stream.read(some.data(), step)) all.append(some, 0, got);
    return all;
  } catch (const Error& error) {
    return error.what();
  }
}

/// Inflates with zlib from memory.
std::string read_by_zlib(std::string file) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, MAX_WBITS + 32) == Z_OK);
  std::string all, some(std::size_t{1} << 20, '\0'), wrong;
  stream.next_in = reinterpret_cast<unsigned char*>(file.data());
  stream.avail_in = static_cast<unsigned>(file.size());
  for (bool is_over = false; !is_over;) {
    stream.next_out = reinterpret_cast<unsigned char*>(some.data());
    stream.avail_out = static_cast<unsigned>(some.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    all.append(some, 0, some.size() - stream.avail_out);
    if (status == Z_STREAM_END) {
      is_over = stream.avail_in < 2 || stream.next_in[0] != 0x1f || stream.next_in[1] != 0x8b;
      if (!is_over) inflateReset(&stream);
    } else if (status == Z_BUF_ERROR) {
      wrong = "the compressed samples end early";
    } else if (status != Z_OK) {
      wrong =
          std::string("damaged (Deflate: ") + (stream.msg != nullptr ? stream.msg : "no valid data") + ")";
    }
    is_over = is_over || !wrong.empty();
  }
  inflateEnd(&stream);
  return wrong.empty() ? all : wrong;
}

}  // namespace

TEST_CASE("members of gzip begin wherever in a piece of the file") {
  const std::string second = random_bytes(5000, 3, 2);
  for (std::size_t before = 0; before < 60; ++before) {
    const std::string first = random_bytes(kPiece - 100 + before, 256, 1);
    const Kind kind = Kind::gzip_with_fields;
    const std::string file = compressed(first, kind, 0) + compressed("", kind) + compressed(second, kind);
    CAPTURE(before);
    REQUIRE((read_by(file, 70000) == first + second));
    const InputFile input = file_of(file);
    GunzipStream stream(input);
    REQUIRE(stream.skip(file.size() * 2) == first.size() + second.size());
    expect_own_inflater(stream);
  }
}

TEST_CASE("where a stream ends, and whether anything follows, is known to the byte") {
  for (const Kind kind : {Kind::zlib, Kind::gzip, Kind::gzip_with_fields})
    for (std::size_t more = 0; more < 40; ++more)
      for (const int level : {0, 6}) {
        const std::string data = random_bytes(level == 0 ? kPiece - 45 + more : 300 + more, 2, 1);
        for (const std::string after : {"", "x", "12345678", "123456789abcdef"}) {
          CAPTURE(static_cast<int>(kind), more, level, after);
          const InputFile file = file_of("12345" + compressed(data, kind, level) + after);
          GunzipStream stream(file, 5);
          while (stream.skip(100) == 100) continue;
          REQUIRE(stream.position() == data.size());
          REQUIRE(stream.skip(1) == 0);
          REQUIRE(stream.is_followed() == !after.empty());
          expect_own_inflater(stream);
        }
      }
}

TEST_CASE("streams and their copies read the same in steps of any size") {
  const std::string data =
      random_bytes(700000, 2, 1) + random_bytes(100000, 256, 2) + std::string(500000, 'a');
  for (const Kind kind : {Kind::zlib, Kind::gzip, Kind::gzip_with_fields}) {
    const std::string file_bytes =
        kind == Kind::zlib ? compressed(data, kind)
                           : compressed(data.substr(0, 123456), kind) + compressed(data.substr(123456), kind);
    for (const std::size_t step : {99UL, 4096UL, 32768UL, 65537UL, 300000UL, 2000000UL})
      REQUIRE((read_by(file_bytes, step) == data));
    const InputFile file = file_of(file_bytes);
    GunzipStream stream(file);
    for (std::mt19937 random(5); stream.skip(random() % 90000) > 0;) {
      GunzipStream copy(stream);
      const auto at = static_cast<std::size_t>(copy.position());
      std::string rest(data.size() - at, '\0');
      REQUIRE(copy.read(rest.data(), rest.size()) == rest.size());
      REQUIRE((rest == data.substr(at)));
      REQUIRE(copy.skip(1) == 0);
      expect_own_inflater(copy);
    }
  }
}

TEST_CASE("cut or damaged streams are reported in the words of zlib") {
  const std::string data = random_bytes(3000, 2, 1) + random_bytes(300, 200, 2) + std::string(9000, 'a');
  for (const Kind kind : {Kind::zlib, Kind::gzip, Kind::gzip_with_fields}) {
    const bool has_members = kind != Kind::zlib;
    const std::string whole = compressed(data, kind) + (has_members ? compressed(data, kind, 0) : "");
    for (std::size_t size = 0; size < whole.size(); size += size < 100 ? 1 : 41)
      REQUIRE(read_by(whole.substr(0, size), 5000) == read_by_zlib(whole.substr(0, size)));
    std::mt19937 random(7);
    for (int i = 0; i < 3000; ++i) {
      std::string damaged = whole;
      const std::size_t at = random() % (i % 2 == 0 ? 100 : whole.size());
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
      CAPTURE(static_cast<int>(kind), at, i);
      const std::string found = read_by(damaged, 5000), by_zlib = read_by_zlib(damaged);
      // ISA-L takes a set of codes that lacks some which do not occur.
      const bool is_harmless = by_zlib.ends_with(" set)") && found == (has_members ? data + data : data);
      REQUIRE((found == by_zlib || is_harmless));
    }
  }
  std::string window = compressed(data, Kind::zlib);  // of 64 KiB
  window[0] = '\x88';
  window[1] = '\x1c';
  CHECK(read_by(window, 5000) == read_by_zlib(window));
}
