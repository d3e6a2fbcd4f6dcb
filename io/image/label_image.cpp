#include "io/image/label_image.hpp"

namespace gpuccl::io {

int bits_per_sample(LabelType type) {
  if (type == LabelType::u8 || type == LabelType::i8) return 8;
  return type == LabelType::u16 || type == LabelType::i16 ? 16 : 32;
}

char kind_of(LabelType type) {
  if (type == LabelType::f32) return 'f';
  return type == LabelType::i8 || type == LabelType::i16 || type == LabelType::i32 ? 'i' : 'u';
}

std::string numpy_name(LabelType type) {
  const int bytes = bits_per_sample(type) / 8;
  return (bytes == 1 ? "|" : "<") + std::string(1, kind_of(type)) + std::to_string(bytes);
}

std::string short_name(LabelType type) { return kind_of(type) + std::to_string(bits_per_sample(type)); }

std::string long_name(LabelType type) {
  const char kind = kind_of(type);
  return (kind == 'f' ? "float" : kind == 'i' ? "int" : "uint") + std::to_string(bits_per_sample(type));
}

void render(const MappedLabels& labels, LabelType type, std::int64_t first_row, std::int64_t rows,
            void* out) {
  LabelsOut typed = static_cast<std::uint32_t*>(out);
  if (bits_per_sample(type) == 8) typed = static_cast<std::uint8_t*>(out);
  if (bits_per_sample(type) == 16) typed = static_cast<std::uint16_t*>(out);
  labels.labels.render(first_row, rows, typed, labels.map.empty() ? nullptr : labels.map.data());
}

}  // namespace gpuccl::io
