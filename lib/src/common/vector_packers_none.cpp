#include "gpuccl/detail/pack_samples.hpp"

namespace gpuccl {

template <class Sample>
std::vector<SamplePacker<Sample>> vector_packers() {
  return {};
}

template std::vector<SamplePacker<std::uint8_t>> vector_packers();
template std::vector<SamplePacker<std::uint16_t>> vector_packers();
template std::vector<SamplePacker<std::uint32_t>> vector_packers();
template std::vector<SamplePacker<std::uint64_t>> vector_packers();

}  // namespace gpuccl
