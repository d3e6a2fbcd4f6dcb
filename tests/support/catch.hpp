#pragma once

#include <string>

// Debian 12 has Catch2 2.13 (one header), newer systems 3.x.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
namespace tests {
inline auto containing(const std::string& part) { return Catch::Matchers::ContainsSubstring(part); }
}  // namespace tests
#else
#include <catch2/catch.hpp>
namespace tests {
inline auto containing(const std::string& part) { return Catch::Contains(part); }
}  // namespace tests
#endif
