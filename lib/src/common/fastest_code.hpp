#pragma once

namespace gpuccl {

#if defined(__x86_64__) && defined(__GNUC__)

/// True on processors with AVX2 and with BMI2, whose shifts need no counter register: from 2013 (Intel) and
/// 2015 (AMD) on.
inline bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  return has;
}

template <class Work>
[[gnu::target("avx2,bmi,bmi2,popcnt"), gnu::flatten]] void with_avx2(Work& work) {
  work();
}

/// Calls work(), which is compiled twice, with all that it calls: for any processor, and for those with AVX2.
template <class Work>
void by_fastest_code(Work work) {
  if (has_avx2()) return with_avx2(work);
  work();
}

#else

inline bool has_avx2() { return false; }

template <class Work>
void by_fastest_code(Work work) {
  work();
}

#endif

}  // namespace gpuccl
