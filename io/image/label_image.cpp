#include "io/image/label_image.hpp"

#include <cstring>

#include "io/files/descriptor.hpp"

namespace gpuccl::io {

namespace {

struct Stored {
  char kind;
  int bits;
};
constexpr Stored kStored[] = {{'u', 32}, {'u', 8},  {'u', 16}, {'u', 32}, {'i', 8}, {'i', 16},
                              {'i', 32}, {'f', 32}, {'u', 64}, {'i', 64}, {'f', 64}};  // as LabelType

const Stored& stored(LabelType type) { return kStored[static_cast<std::size_t>(type)]; }

}  // namespace

int bits_per_sample(LabelType type) { return stored(type).bits; }

char kind_of(LabelType type) { return stored(type).kind; }

std::string numpy_name(LabelType type) {
  const int bytes = bits_per_sample(type) / 8;
  return (bytes == 1 ? "|" : "<") + std::string(1, kind_of(type)) + std::to_string(bytes);
}

std::string short_name(LabelType type) { return kind_of(type) + std::to_string(bits_per_sample(type)); }

std::string long_name(LabelType type) {
  const char kind = kind_of(type);
  return (kind == 'f' ? "float" : kind == 'i' ? "int" : "uint") + std::to_string(bits_per_sample(type));
}

/// Labels are rendered into the upper half of `out` and replaced from the front, so no other memory is
/// needed.
static void render_wide(const MappedLabels& labels, std::int64_t first_row, std::int64_t rows, void* out) {
  const auto samples = static_cast<std::size_t>(rows * labels.labels.extent().width);
  auto* const bytes = static_cast<std::byte*>(out);
  std::byte* const rendered = bytes + samples * sizeof(Label);
  render({labels.labels, labels.map, labels.count}, LabelType::u32, first_row, rows, rendered);
  for (std::size_t i = 0; i < samples; ++i) {
    Label label = 0;
    std::memcpy(&label, rendered + i * sizeof(Label), sizeof label);
    const std::uint64_t sample = labels.wide[label];
    std::memcpy(bytes + i * sizeof sample, &sample, sizeof sample);
  }
}

void render(const MappedLabels& labels, LabelType type, std::int64_t first_row, std::int64_t rows,
            void* out) {
  if (bits_per_sample(type) == 64) return render_wide(labels, first_row, rows, out);
  LabelsOut typed = static_cast<std::uint32_t*>(out);
  if (bits_per_sample(type) == 8) typed = static_cast<std::uint8_t*>(out);
  if (bits_per_sample(type) == 16) typed = static_cast<std::uint16_t*>(out);
  labels.labels.render(first_row, rows, typed, labels.map.empty() ? nullptr : labels.map.data());
}

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

}  // namespace gpuccl::io
