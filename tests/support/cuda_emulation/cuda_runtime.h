#pragma once

// What nvcc adds to C++ for device code, as ordinary functions and variables.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "cuda_runtime_api.h"
#include "scheduler.hpp"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static thread_local  // a host thread runs one thread block at a time

#define threadIdx (::emulation::thread_index)
#define blockIdx (::emulation::block_index)
#define blockDim (::emulation::block_extent)
#define gridDim (::emulation::grid_extent)

using std::max;
using std::min;

// ---- memory

template <class T>
cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(memory), bytes);
}

/// Device memory is the host's.
template <class T>
cudaError_t cudaGetSymbolAddress(void** at, T& symbol) {
  *at = &symbol;
  return cudaSuccess;
}

template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
T __ldcs(const T* from) {
  return *from;
}
template <class T>
T __ldca(const T* from) {
  emulation::maybe_switch();
  return std::atomic_ref(*const_cast<T*>(from)).load(std::memory_order_relaxed);
}
// device/memory.cuh
#define GPUCCL_EMULATED_CUDA
template <class T>
T plain_load(const T* from) {
  return __ldca(from);
}
template <class T>
void plain_store(T* to, std::type_identity_t<T> value) {
  emulation::maybe_switch();
  std::atomic_ref(*to).store(value, std::memory_order_relaxed);
}
template <class T>
T __ldcg(const T* from) {
  return __ldca(from);
}
template <class T>
void __stwb(T* to, std::type_identity_t<T> value) {
  emulation::maybe_switch();
  std::atomic_ref(*to).store(value, std::memory_order_relaxed);
}
template <class T>
void __stcg(T* to, std::type_identity_t<T> value) {
  __stwb(to, value);
}
template <class T>
void __stcs(T* to, std::type_identity_t<T> value) {
  *to = value;
}

// ---- atomic operations

template <class T, class Change>
T emulate_atomic(T* at, Change change) {
  emulation::maybe_switch();
  const std::atomic_ref value(*at);
  T was = value.load(std::memory_order_relaxed);
  while (!value.compare_exchange_weak(was, change(was), std::memory_order_relaxed)) {
  }
  return was;
}
template <class T>
T atomicAdd(T* at, std::type_identity_t<T> v) {
  return emulate_atomic(at, [v](T was) { return static_cast<T>(was + v); });
}
template <class T>
T atomicMin(T* at, std::type_identity_t<T> v) {
  return emulate_atomic(at, [v](T was) { return std::min(was, v); });
}
template <class T>
T atomicMax(T* at, std::type_identity_t<T> v) {
  return emulate_atomic(at, [v](T was) { return std::max(was, v); });
}
template <class T>
T atomicOr(T* at, std::type_identity_t<T> v) {
  return emulate_atomic(at, [v](T was) { return was | v; });
}
template <class T>
T atomicAnd(T* at, std::type_identity_t<T> v) {
  return emulate_atomic(at, [v](T was) { return was & v; });
}
template <class T>
T atomicExch(T* at, std::type_identity_t<T> v) {
  return emulate_atomic(at, [v](T) { return v; });
}
template <class T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> v) {
  return emulate_atomic(at, [expected, v](T was) { return was == expected ? v : was; });
}

// ---- waiting and warp functions

inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __syncthreads() { emulation::meet_block(); }
inline int __syncthreads_or(int predicate) {
  __shared__ int any;
  any = 0;
  emulation::meet_block();
  if (predicate != 0) any = 1;
  emulation::meet_block();
  const int result = any;
  emulation::meet_block();  // the next call must not clear what others have yet to read
  return result;
}
inline void __syncwarp(unsigned mask = ~0u) { emulation::meet_warp(mask, "__syncwarp", 0); }

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const emulation::Meeting& meeting = emulation::meet_warp(mask, "__ballot_sync", predicate != 0);
  unsigned votes = 0;
  for (unsigned i = 0; i < 32; ++i)
    if ((mask >> i & 1u) != 0 && meeting.values[i] != 0) votes |= 1u << i;
  return votes;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) == mask; }

template <class T>
std::uint64_t to_meeting(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(value);
  if constexpr (sizeof(T) == 8) return std::bit_cast<std::uint64_t>(value);
}
template <class T>
T from_meeting(std::uint64_t value) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(static_cast<std::uint32_t>(value));
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(value);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int from) {
  const emulation::Meeting& meeting = emulation::meet_warp(mask, "__shfl_sync", to_meeting(value));
  return from_meeting<T>(meeting.values[from & 31]);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by) {
  const emulation::Meeting& meeting = emulation::meet_warp(mask, "__shfl_up_sync", to_meeting(value));
  const unsigned lane = emulation::lane();
  return lane < by ? value : from_meeting<T>(meeting.values[lane - by]);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by) {
  const emulation::Meeting& meeting = emulation::meet_warp(mask, "__shfl_down_sync", to_meeting(value));
  const unsigned lane = emulation::lane();
  return lane + by > 31 ? value : from_meeting<T>(meeting.values[lane + by]);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with) {
  const emulation::Meeting& meeting = emulation::meet_warp(mask, "__shfl_xor_sync", to_meeting(value));
  return from_meeting<T>(meeting.values[emulation::lane() ^ static_cast<unsigned>(with)]);
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  const emulation::Meeting& meeting = emulation::meet_warp(mask, "__match_any_sync", to_meeting(value));
  unsigned same = 0;
  for (unsigned i = 0; i < 32; ++i)
    if ((mask >> i & 1u) != 0 && meeting.values[i] == to_meeting(value)) same |= 1u << i;
  return same;
}

template <class T, class Combine>
T emulate_reduction(unsigned mask, const char* name, T value, Combine combine) {
  const emulation::Meeting& meeting = emulation::meet_warp(mask, name, to_meeting(value));
  bool first = true;
  T result{};
  for (unsigned i = 0; i < 32; ++i) {
    if ((mask >> i & 1u) == 0) continue;
    const T one = from_meeting<T>(meeting.values[i]);
    result = first ? one : combine(result, one);
    first = false;
  }
  return result;
}
template <class T>
T __reduce_add_sync(unsigned mask, T value) {
  return emulate_reduction(mask, "__reduce_add_sync", value, [](T a, T b) { return static_cast<T>(a + b); });
}
template <class T>
T __reduce_min_sync(unsigned mask, T value) {
  return emulate_reduction(mask, "__reduce_min_sync", value, [](T a, T b) { return std::min(a, b); });
}
template <class T>
T __reduce_max_sync(unsigned mask, T value) {
  return emulate_reduction(mask, "__reduce_max_sync", value, [](T a, T b) { return std::max(a, b); });
}
template <class T>
T __reduce_or_sync(unsigned mask, T value) {
  return emulate_reduction(mask, "__reduce_or_sync", value, [](T a, T b) { return a | b; });
}

// ---- bits

inline int __float_as_int(float v) { return std::bit_cast<int>(v); }
inline float __int_as_float(int v) { return std::bit_cast<float>(v); }
inline long long __double_as_longlong(double v) { return std::bit_cast<long long>(v); }
inline double __longlong_as_double(long long v) { return std::bit_cast<double>(v); }
inline int __popc(unsigned v) { return std::popcount(v); }
inline int __popcll(unsigned long long v) { return std::popcount(v); }
inline int __clz(int v) { return std::countl_zero(static_cast<unsigned>(v)); }
inline int __clzll(long long v) { return std::countl_zero(static_cast<unsigned long long>(v)); }
inline int __ffs(int v) { return v == 0 ? 0 : std::countr_zero(static_cast<unsigned>(v)) + 1; }
inline int __ffsll(long long v) {
  return v == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(v)) + 1;
}
inline unsigned __brev(unsigned v) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (v >> i & 1u) << (31 - i);
  return reversed;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  by &= 31u;
  return by == 0 ? high : high << by | low >> (32 - by);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  by &= 31u;
  return by == 0 ? low : low >> by | high << (32 - by);
}
