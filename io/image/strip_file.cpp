#include "io/image/strip_file.hpp"

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

void StripFile::write_head(int file) const {
  const std::vector<std::byte> bytes = head();
  write_all_at(file, bytes.data(), bytes.size(), 0);
}

void encode_strips(const StripLayout& strips, StripRange range, const PrepareRows& prepare,
                   const NewStripEncoder& new_encoder, const TakeStrip& take, const TellProgress& progress) {
  struct Slot {
    std::unique_ptr<StripEncoder> encoder;
    EncodedStrip strip;
  };
  const auto encode = [&](Slot& slot, std::int64_t strip) {
    if (!slot.encoder) slot.encoder = new_encoder();
    slot.strip = slot.encoder->encode(strip);
  };
  const auto take_encoded = [&](Slot& slot, std::int64_t strip) {
    take(strip, slot.strip);
    if (progress)
      progress(static_cast<double>(strip + 1 - range.begin) / static_cast<double>(range.end - range.begin));
  };
  for_each_strip<Slot>(strips, range, prepare, encode, take_encoded);
}

void write_strip_file(int descriptor, StripFile& file, const PrepareRows& prepare,
                      const NewStripEncoder& new_encoder, const TellProgress& progress) {
  file.write_head(descriptor);
  std::uint64_t end = file.head().size();
  const auto take = [&](std::int64_t strip, const EncodedStrip& encoded) {
    file.check_end(end + encoded.bytes.size());
    if (!encoded.bytes.empty()) write_all_at(descriptor, encoded.bytes.data(), encoded.bytes.size(), end);
    end += encoded.bytes.size();
    if (file.places() == StripFile::Places::after_others)
      file.append(strip, {encoded.bytes.size(), encoded.checksum});
  };
  encode_strips(file.strips(), {0, file.strips().count()}, prepare, new_encoder, take, progress);
  file.write_tail(descriptor, end);
}

}  // namespace gpuccl::io
