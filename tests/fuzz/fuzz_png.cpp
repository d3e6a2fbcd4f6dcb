#include <libdeflate.h>

#include "decode.hpp"
#include "io/image/formats.hpp"

// The PNG reader, on files whose checksums are right, for else libpng would look at nothing after them.
namespace {

constexpr std::size_t kSignature = 8, kChunkHead = 8, kChecksum = 4;

std::uint32_t read_big_endian(const std::uint8_t* bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | bytes[i];
  return value;
}

void correct_checksums(std::uint8_t* data, std::size_t size) {
  for (std::size_t at = kSignature; at + kChunkHead + kChecksum <= size;) {
    const std::size_t length = read_big_endian(data + at);
    if (length > size - at - kChunkHead - kChecksum) return;
    const std::uint32_t sum = libdeflate_crc32(0, data + at + 4, 4 + length);
    std::uint8_t* const place = data + at + kChunkHead + length;
    for (int i = 0; i < 4; ++i) place[i] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
    at += kChunkHead + length + kChecksum;
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 16 != 0) correct_checksums(data, mutated);
  return mutated;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto is_wanted = [](const gpuccl::io::InputFile& file) {
    return gpuccl::io::FileStart(file).is_of(gpuccl::io::kPngFormat);
  };
  gpuccl::fuzz::decode_if(is_wanted, data, size);
  return 0;
}
