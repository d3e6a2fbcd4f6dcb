// Streams that all threads inflate, against what zlib made them of.

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <zlib.h>

#include <cstdint>
#include <random>
#include <string>

#include "io/deflate/deflate.hpp"
#include "support/catch.hpp"

using namespace gpuccl::io;

namespace {

constexpr std::size_t kBytes = std::size_t{5} << 20;

/// Rows of samples of so many bytes, of objects whose borders shift from row to row.
std::string mask(std::size_t sample, unsigned seed) {
  constexpr std::size_t kRow = 1024;
  std::mt19937 random(seed);
  std::string bytes(kBytes, '\0');
  for (std::size_t row = 0; row + kRow <= kBytes; row += kRow)
    for (std::size_t from = 0; from < kRow;) {
      const std::size_t to = std::min(kRow, from + (20 + random() % 60) * sample);
      const char value = random() % 2 == 0 ? '\0' : '\1';
      for (std::size_t i = from; i < to; i += sample) bytes[row + i] = value;
      from = to;
    }
  return bytes;
}

std::string noise(unsigned range, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(kBytes, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() % range);
  return bytes;
}

/// Copies of pieces from near and far, of lengths and distances of all sizes.
std::string copies(unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes = noise(256, seed).substr(0, 40000);
  while (bytes.size() < kBytes) {
    const std::size_t distance = 1 + random() % (1u << (1 + random() % 15));
    for (std::size_t left = 3 + random() % 300; left > 0; --left) bytes += bytes[bytes.size() - distance];
    bytes += static_cast<char>(random());
  }
  return bytes.substr(0, kBytes);
}

struct Method {
  int level = 6, strategy = Z_DEFAULT_STRATEGY, flush = Z_NO_FLUSH;  // after every 100 KB
};

std::string compressed(const std::string& data, Wrapping wrapping, const Method& method = {}) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, method.level, Z_DEFLATED, MAX_WBITS + (wrapping == Wrapping::gzip ? 16 : 0),
                       8, method.strategy) == Z_OK);
  std::string in = data, out(deflateBound(&stream, static_cast<unsigned long>(data.size())) + 10000, '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(in.data());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  for (std::size_t left = data.size(); left > 0;) {
    stream.avail_in = static_cast<unsigned>(std::min<std::size_t>(left, 100000));
    left -= stream.avail_in;
    REQUIRE(deflate(&stream, method.flush) >= Z_OK);
  }
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct Inflated {
  std::optional<std::size_t> used;
  std::string bytes;
};

Inflated inflated(const std::string& stored, Wrapping wrapping, std::size_t bytes = kBytes, int threads = 4) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  Inflated out{{}, std::string(bytes, 'x')};
  tbb::task_arena(threads).execute([&] {
    out.used = inflate_in_parallel(wrapping, std::as_bytes(std::span(stored)),
                                   std::as_writable_bytes(std::span(out.bytes)));
  });
  return out;
}

void expect_whole(const std::string& stored, Wrapping wrapping, const std::string& data, int threads = 4) {
  const Inflated out = inflated(stored, wrapping, data.size(), threads);
  REQUIRE(out.used == stored.size());
  REQUIRE((out.bytes == data));
}

}  // namespace

TEST_CASE("all threads inflate what zlib made, whatever it is and however it was made") {
  int count = 0;
  for (const std::string& data :
       {mask(1, 1), mask(2, 2), mask(4, 3), noise(2, 4), noise(256, 5), copies(6), copies(7)}) {
    ++count;  // each method meets both wrappings
    for (const Method& method :
         {Method(), Method{1}, Method{9}, Method{6, Z_RLE}, Method{6, Z_HUFFMAN_ONLY}, Method{6, Z_FILTERED},
          Method{6, Z_DEFAULT_STRATEGY, Z_SYNC_FLUSH}, Method{6, Z_DEFAULT_STRATEGY, Z_FULL_FLUSH}}) {
      const Wrapping wrapping = count++ % 2 == 0 ? Wrapping::zlib : Wrapping::gzip;
      const std::string stored = compressed(data, wrapping, method);
      CAPTURE(method.level, method.strategy, method.flush, stored.size());
      const Inflated out = inflated(stored, wrapping);
      // Stored blocks do not look like any, and too little is not shared out.
      const bool is_left = stored.size() > kBytes || stored.size() < 40000;
      REQUIRE(((is_left && !out.used) || out.used == stored.size()));
      if (out.used) REQUIRE((out.bytes == data));
    }
  }
}

TEST_CASE("the number of threads that inflate does not matter, if there are enough") {
  const std::string data = mask(1, 8), stored = compressed(data, Wrapping::gzip);
  for (const int threads : {4, 5, 16, 61}) expect_whole(stored, Wrapping::gzip, data, threads);
  for (const int threads : {1, 2, 3}) CHECK(!inflated(stored, Wrapping::gzip, kBytes, threads).used);
}

TEST_CASE("nothing is inflated that has no blocks with codes of their own") {
  const std::string data = noise(2, 9);
  for (const Method& method : {Method{0}, Method{6, Z_FIXED}})
    CHECK(!inflated(compressed(data, Wrapping::zlib, method), Wrapping::zlib).used);
}

TEST_CASE("blocks of other kinds are inflated between those with codes of their own") {
  const std::string data = copies(1);
  std::string all, stored;
  for (std::size_t from = 0, i = 0; from < kBytes; from += 150001, ++i) {
    const std::string part = data.substr(from, 150001);
    const Method method = i % 4 == 1 ? Method{0} : i % 4 == 3 ? Method{6, Z_FIXED} : Method();
    stored += compressed(part, Wrapping::gzip, method);
    all += part;
  }
  expect_whole(stored, Wrapping::gzip, all);
}

TEST_CASE("all threads inflate members of gzip, empty and short ones among them") {
  const std::string data = mask(2, 11);
  for (const std::size_t step : {65280UL, 3000UL, 1000000UL}) {
    std::string stored;
    for (std::size_t from = 0; from < data.size(); from += step) {
      stored += compressed(data.substr(from, step), Wrapping::gzip);
      if (from / step % 3 == 0) stored += compressed("", Wrapping::gzip);
    }
    CAPTURE(step);
    expect_whole(stored, Wrapping::gzip, data);
    for (const std::string more : {"x", "more than that"}) {
      const Inflated out = inflated(stored + more, Wrapping::gzip);
      REQUIRE(out.used == stored.size());
      REQUIRE((out.bytes == data));
    }
  }
}

TEST_CASE("what does not fill the room to its last byte is left to others") {
  const std::string data = mask(1, 12);
  for (const Wrapping wrapping : {Wrapping::zlib, Wrapping::gzip}) {
    const std::string stored = compressed(data, wrapping);
    for (const std::size_t bytes : {kBytes - 1, kBytes + 1, kBytes - 40000, kBytes + 40000})
      REQUIRE(!inflated(stored, wrapping, bytes).used);
  }
}

TEST_CASE("streams much longer than their content are left to others") {
  const std::string data = mask(1, 18), stored = compressed(data, Wrapping::gzip);
  CHECK(inflated(stored + std::string(1000, 'x'), Wrapping::gzip).used == stored.size());
  CHECK(!inflated(stored + std::string(kBytes * 9 / 8, 'x'), Wrapping::gzip).used);
}

TEST_CASE("streams with very many members are left to others") {
  const std::string data = mask(1, 19), empty = compressed("", Wrapping::gzip);
  for (const bool are_many : {false, true}) {
    std::string stored = compressed(data.substr(0, kBytes / 2), Wrapping::gzip);
    for (int i = are_many ? 9000 : 7000; i > 0; --i) stored += empty;
    stored += compressed(data.substr(kBytes / 2), Wrapping::gzip);
    CAPTURE(are_many);
    CHECK(inflated(stored, Wrapping::gzip).used.has_value() == !are_many);
  }
}

TEST_CASE("what is cut or damaged is not taken for whole") {
  for (const std::string& data : {mask(1, 13), copies(14)})
    for (const Wrapping wrapping : {Wrapping::zlib, Wrapping::gzip}) {
      const std::string whole = compressed(data, wrapping);
      for (std::size_t left = 1; left < 30; ++left)
        REQUIRE(!inflated(whole.substr(0, whole.size() - left), wrapping).used);
      std::mt19937 random(15);
      for (int i = 0; i < 60; ++i) {
        std::string damaged = whole;
        const std::size_t at = i < 20 ? static_cast<std::size_t>(i) % 10 : random() % whole.size();
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
        CAPTURE(static_cast<int>(wrapping), at);
        const Inflated out = inflated(damaged, wrapping);  // not all bits of headers say anything
        if (out.used) REQUIRE((out.bytes == data));
      }
    }
}

TEST_CASE("a distance that leads out of a member is damage, though another one is before it") {
  const std::string second = copies(17);
  // Compressed as if its own begin were in front of it, which the member before is.
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string window = second.substr(0, 30000), in = second;
  REQUIRE(deflateSetDictionary(&stream, reinterpret_cast<const unsigned char*>(window.data()), 30000) ==
          Z_OK);
  std::string raw(kBytes * 2, '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(in.data());
  stream.avail_in = static_cast<unsigned>(in.size());
  stream.next_out = reinterpret_cast<unsigned char*>(raw.data());
  stream.avail_out = static_cast<unsigned>(raw.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  raw.resize(stream.total_out);
  deflateEnd(&stream);
  const auto crc = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const unsigned char*>(second.data()), static_cast<unsigned>(second.size())));
  const auto size = static_cast<std::uint32_t>(second.size());
  std::string member("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  member += raw;
  member.append(reinterpret_cast<const char*>(&crc), 4).append(reinterpret_cast<const char*>(&size), 4);
  const std::string before = compressed(window, Wrapping::gzip);
  CHECK(!inflated(before + member, Wrapping::gzip, window.size() + second.size()).used);
}
