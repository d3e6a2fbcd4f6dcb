#include "cuda/cuda.hpp"

#include "common/c_status.hpp"
#include "gpuccl/detail/staged.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/gpuccl.h"
#include "gpuccl/types.hpp"

namespace gpuccl {

namespace {

constexpr const char* kReason = "this build of gpuccl has no CUDA";

std::unique_ptr<Labeler> not_built_in(int) { throw Error(ErrorCode::unavailable, kReason); }

gpuccl_status unavailable() {
  return status_of([] { throw Error(ErrorCode::unavailable, kReason); });
}

}  // namespace

namespace cuda {

std::vector<Variant> variants_of(const std::string&, const std::vector<Connectivity>& connectivities) {
  std::vector<Variant> variants;
  variants.reserve(connectivities.size());
  for (const Connectivity connectivity : connectivities) variants.push_back({connectivity, not_built_in});
  return variants;
}

std::vector<Variant> instrumented_variants_of(const std::string& name,
                                              const std::vector<Connectivity>& connectivities) {
  return variants_of(name, connectivities);
}

std::vector<BlockConfiguration> block_configurations_of(const Algorithm& algorithm) {
  if (algorithm.name != "c2fl" && algorithm.name != "dlp") return {};
  return {{"", algorithm.variants}};
}

std::unique_ptr<ValueLabeler> make_value_labeler(int, Connectivity, bool) {
  throw Error(ErrorCode::unavailable, kReason);
}

void require_device(int, int) { throw Error(ErrorCode::unavailable, kReason); }
void start_up(int) { throw Error(ErrorCode::unavailable, kReason); }

std::string device_name(int) { return {}; }

}  // namespace cuda

CudaStatus cuda_status() {
  CudaStatus status;
  status.problem = kReason;
  return status;
}

int count_cuda_devices() { return 0; }

std::uint64_t cuda_memory_bytes(int) { return 0; }

BandwidthBound measure_bandwidth_bound(int, Extent, int) { throw Error(ErrorCode::unavailable, kReason); }

}  // namespace gpuccl

// Functions of gpuccl.h on a device.
#define UNAVAILABLE(name, ...) \
  gpuccl_status name(__VA_ARGS__) { return gpuccl::unavailable(); }

extern "C" {

UNAVAILABLE(gpuccl_device_workspace_bytes, gpuccl_extent, int, size_t*)
UNAVAILABLE(gpuccl_label_on_device, const gpuccl_device_image*, int, const gpuccl_device_result*, void*,
            size_t, struct CUstream_st*)
UNAVAILABLE(gpuccl_new_device_labeler, const char*, int, gpuccl_device_labeler**)
UNAVAILABLE(gpuccl_label_on_device_by, gpuccl_device_labeler*, const gpuccl_device_image*,
            const gpuccl_device_result*, struct CUstream_st*)
UNAVAILABLE(gpuccl_device_value_workspace_bytes, gpuccl_extent, int, size_t*)
UNAVAILABLE(gpuccl_label_values_on_device, const gpuccl_device_value_image*, int, const gpuccl_device_result*,
            uint64_t*, void*, size_t, struct CUstream_st*)
UNAVAILABLE(gpuccl_highest_label_on_device, const gpuccl_device_value_image*, unsigned long long*,
            struct CUstream_st*)
UNAVAILABLE(gpuccl_device_measure_workspace_bytes, const gpuccl_device_measuring*, size_t*)
UNAVAILABLE(gpuccl_measure_on_device, const gpuccl_device_measuring*, void*, size_t, struct CUstream_st*)
UNAVAILABLE(gpuccl_table_on_device, const gpuccl_component*, size_t, const unsigned long long*, gpuccl_extent,
            int, const double*, const gpuccl_device_column*, size_t, struct CUstream_st*)
UNAVAILABLE(gpuccl_relabel_on_device, const gpuccl_device_relabeling*, struct CUstream_st*)
UNAVAILABLE(gpuccl_device_clean_workspace_bytes, const gpuccl_device_cleaning*, size_t*)
UNAVAILABLE(gpuccl_clean_on_device, const gpuccl_device_cleaning*, void*, size_t, struct CUstream_st*)
UNAVAILABLE(gpuccl_device_overlaps_workspace_bytes, size_t, size_t*)
UNAVAILABLE(gpuccl_device_contacts_workspace_bytes, size_t, size_t*)
UNAVAILABLE(gpuccl_overlaps_on_device, const gpuccl_device_value_image*, const gpuccl_device_value_image*,
            uint32_t, const gpuccl_device_pairs*, void*, size_t, struct CUstream_st*)
UNAVAILABLE(gpuccl_contacts_on_device, const gpuccl_device_value_image*, int, uint32_t,
            const gpuccl_device_pairs*, void*, size_t, struct CUstream_st*)
UNAVAILABLE(gpuccl_rank_on_device, const gpuccl_device_ranking*, void*, size_t, struct CUstream_st*)

void gpuccl_delete_device_labeler(gpuccl_device_labeler*) {}

}  // extern "C"
