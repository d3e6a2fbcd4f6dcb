#include "io/image/label_image.hpp"

namespace gpuccl::io {

int bits_per_sample(LabelType type) { return type == LabelType::u8 ? 8 : type == LabelType::u16 ? 16 : 32; }

void render(const MappedLabels& labels, LabelType type, std::int64_t first_row, std::int64_t rows,
            void* out) {
  LabelsOut typed = static_cast<std::uint32_t*>(out);
  if (type == LabelType::u8) typed = static_cast<std::uint8_t*>(out);
  if (type == LabelType::u16) typed = static_cast<std::uint16_t*>(out);
  labels.labels.render(first_row, rows, typed, labels.map.empty() ? nullptr : labels.map.data());
}

}  // namespace gpuccl::io
