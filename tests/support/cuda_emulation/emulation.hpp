#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>

// CUDA on the CPU, for tests: kernels compiled as C++ run here thread for thread. What the headers of this
// folder offer is what lib/src/cuda uses; add what a new kernel needs.
//
// Thread blocks, and the threads of each, run in random order. A thread is a function call until it has to
// wait (barrier, warp function); then it becomes a fiber. Atomic operations and relaxed loads may switch
// threads too. Streams are queues: what is enqueued runs when it is waited for, and not before.
namespace emulation {

struct Settings {
  std::uint32_t seed = 1;      // of all orders
  unsigned host_threads = 1;   // that the thread blocks of a launch are spread over
  unsigned switch_one_in = 0;  // atomic operations switch threads once in so many times; 0: never
};

/// Applies to launches that run from now on.
void configure(const Settings& settings);

/// The `call`-th CUDA call from now on, 1 for the next, fails with `error` (a cudaError_t); 0 switches this
/// off. With `sticky`, so does every later call, as after an illegal address.
void fail_call(std::uint64_t call, int error, bool sticky = false);
/// CUDA calls that can fail, so far.
std::uint64_t calls();
/// Whether the failure planned by fail_call() has happened.
bool has_failed();

/// Number of devices and version of the driver as CUDA counts (13000 is 13.0; 0 is none).
void set_machine(int devices, int driver_version);

/// Devices that were made current since set_machine(). A thread that makes none current uses the first.
std::set<int> devices_in_use();

/// Launches so far that may begin before the one before them has ended.
std::uint64_t early_launches();

/// Buffers of the device asked for, so far.
std::uint64_t allocations();

/// Bytes of memory of the device; cudaMalloc() fails when they are taken.
void set_memory(std::size_t bytes);

/// Buffers and handles not given back yet.
std::int64_t live_objects();

/// Gives the machine so many devices. Afterwards it has one, which is current, all memory, and no failure.
struct Machine {
  explicit Machine(int devices = 1);
  ~Machine();
};

}  // namespace emulation
