#include "app/view/pages.hpp"

#include <libdeflate.h>
#include <oneapi/tbb/parallel_for.h>

#include <memory>
#include <new>
#include <numeric>

namespace gpuccl::app {

std::string data_element(const std::string& id, const std::string& json) {
  std::string text = "<script type=\"application/json\" id=\"" + id + "\">";
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text + "</script>\n";
}

std::string page_with(std::string_view page, const std::string& data) {
  return std::string(page).replace(page.find(kDataPlace), kDataPlace.size(), data);
}

std::string bench_page(const std::string& json) {
  return page_with(kBenchPage, data_element("results", json));
}

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string packed(std::span<const std::uint8_t> bytes) {
  constexpr int kLevel = 8;
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      ::libdeflate_alloc_compressor(kLevel), ::libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::vector<std::uint8_t> stream(::libdeflate_zlib_compress_bound(compressor.get(), bytes.size()));
  stream.resize(::libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), stream.data(),
                                           stream.size()));  // never 0: there is room for any
  return base64({reinterpret_cast<const char*>(stream.data()), stream.size()});
}

std::vector<std::string> packed(const std::vector<std::vector<std::uint8_t>>& parts) {
  std::vector<std::string> lines(parts.size());
  oneapi::tbb::parallel_for(std::size_t{0}, parts.size(),
                            [&](std::size_t i) { lines[i] = packed(parts[i]); });
  return lines;
}

std::size_t bytes_of(const std::vector<std::string>& lines) {
  return std::accumulate(lines.begin(), lines.end(), std::size_t{0},
                         [](std::size_t sum, const std::string& line) { return sum + line.size() + 1; });
}

}  // namespace gpuccl::app
