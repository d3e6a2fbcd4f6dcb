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

/// Calls work(), which is compiled twice with the functions that it calls: for any processor, and for AVX2.
template <class Work>
void by_fastest_code(Work work) {
  if (has_avx2()) return with_avx2(work);
  work();
}

/// Returns true if the processor counts the set bits of eight words at once: from 2019 (Intel) and 2022 (AMD)
/// on.
inline bool counts_by_vectors() {
  static const bool has = has_avx2() && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq");
  return has;
}

template <class Work>
[[gnu::target("avx512f,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt"), gnu::flatten]] void with_avx512(
    Work& work) {
  work();
}

/// Calls work() compiled for these processors, or otherwise() on others.
template <class Work, class Otherwise>
void by_fastest_counting(Work work, Otherwise otherwise) {
  if (counts_by_vectors()) return with_avx512(work);
  otherwise();
}

#else

inline bool has_avx2() { return false; }

template <class Work, class Otherwise>
void by_fastest_counting(Work, Otherwise otherwise) {
  otherwise();
}

template <class Work>
void by_fastest_code(Work work) {
  work();
}

#endif

/// Calls work() compiled for any processor.
template <class Work>
void by_fastest_counting(Work work) {
  by_fastest_counting(work, work);
}

}  // namespace gpuccl
