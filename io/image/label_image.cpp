#include "io/image/label_image.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "io/files/descriptor.hpp"
#include "io/files/weighted_sum.hpp"

namespace gpuccl::io {

int bits_per_sample(LabelType type) {
  switch (type) {
    case LabelType::u8:
    case LabelType::i8:
      return 8;
    case LabelType::u16:
    case LabelType::i16:
      return 16;
    case LabelType::u64:
    case LabelType::i64:
    case LabelType::f64:
      return 64;
    default:
      return 32;
  }
}

char kind_of(LabelType type) {
  switch (type) {
    case LabelType::f32:
    case LabelType::f64:
      return 'f';
    case LabelType::i8:
    case LabelType::i16:
    case LabelType::i32:
    case LabelType::i64:
      return 'i';
    default:
      return 'u';
  }
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

namespace {

/// Labels are rendered into the upper half of `out` and replaced from the front, so no other memory is
/// needed.
void render_wide(const MappedLabels& labels, std::int64_t first_row, std::int64_t rows, void* out) {
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

}  // namespace

void render(const MappedLabels& labels, LabelType type, std::int64_t first_row, std::int64_t rows,
            void* out) {
  const auto add_to_hash = [&] {
    if (labels.hash != nullptr) labels.hash->add(first_row, rows, labels.labels.extent().width, out);
  };
  if (bits_per_sample(type) == 64) {
    render_wide(labels, first_row, rows, out);
    return add_to_hash();
  }
  LabelsOut typed = static_cast<std::uint32_t*>(out);
  if (bits_per_sample(type) == 8) typed = static_cast<std::uint8_t*>(out);
  if (bits_per_sample(type) == 16) typed = static_cast<std::uint16_t*>(out);
  labels.labels.render(first_row, rows, typed, labels.map.empty() ? nullptr : labels.map.data());
  add_to_hash();
}

namespace {

/// Adds up the runs of one row, from its left.
class RowSum {
 public:
  explicit RowSum(std::int64_t row) : row_(row) {}

  void add(int begin, int end, std::uint64_t number) {
    if (end - first_ <= Weights::kBlock) {
      of_block_ += number * weight(begin, end);
      return;
    }
    while (begin < end) {
      turn_to(begin >> Weights::kBlockBits);
      const int last = first_ + std::min(Weights::kBlock, end - first_);
      of_block_ += number * weight(begin, last);
      begin = last;
    }
  }
  /// Adds the weighted sum of a block.
  void add_block(int block, std::uint64_t sum) {
    sum_ += sum * factor_of_block(static_cast<std::uint64_t>(row_), static_cast<std::uint64_t>(block));
  }
  std::uint64_t sum() {
    turn_to(0);
    return sum_;
  }

 private:
  void turn_to(int block) {
    if (of_block_ != 0) add_block(first_ >> Weights::kBlockBits, std::exchange(of_block_, 0));
    first_ = block << Weights::kBlockBits;
  }
  /// Returns the weight of columns [begin, end) of the block.
  std::uint64_t weight(int begin, int end) const {
    return kWeights.before[static_cast<std::size_t>(end - first_)] -
           kWeights.before[static_cast<std::size_t>(begin - first_)];
  }

  std::int64_t row_;
  int first_ = 0;  // column of the block
  std::uint64_t of_block_ = 0, sum_ = 0;
};

std::uint64_t number_of(double value) {
  constexpr double kPastInt64 = 9223372036854775808.0;
  const bool is_integer = value >= -kPastInt64 && value < kPastInt64 && value == std::trunc(value);
  return is_integer ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                    : std::bit_cast<std::uint64_t>(value);
}

/// Returns the number of a sample of a type, given its bits.
template <class Sample, class Bits>
std::uint64_t number_of_bits(Bits bits) {
  if constexpr (std::is_floating_point_v<Sample>)
    return number_of(double{std::bit_cast<Sample>(bits)});
  else
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<Sample>(bits)));
}

/// `number` returns the number of a label.
template <class Number>
std::uint64_t sum_of_runs(std::int64_t first_row, const LabelRuns& rows, Number number) {
  std::uint64_t sum = 0;
  std::size_t i = 0;
  for (const std::size_t end : rows.ends) {
    RowSum row(first_row++);
    for (; i < end; ++i) row.add(rows.runs[i].begin, rows.runs[i].end, number(rows.runs[i].label));
    sum += row.sum();
  }
  return sum;
}

/// Returns the weighted sum of the first samples of a block.
template <class Sample, class Bits>
std::uint64_t sum_of_block(const Bits* samples, std::size_t count) {
  if constexpr (std::is_integral_v<Sample> && sizeof(Sample) <= sizeof(std::uint32_t))
    return weigh<Sample>(samples, count);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (samples[i] != 0) sum += number_of_bits<Sample>(samples[i]) * kWeights.of[i];
  return sum;
}

template <class Sample, class Bits>
std::uint64_t sum_of(std::int64_t first_row, std::int64_t rows, int width, const Bits* samples) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < rows; ++i, samples += width) {
    RowSum row(first_row + i);
    for (int x = 0; x < width; x += std::min(Weights::kBlock, width - x)) {
      const auto count = static_cast<std::size_t>(std::min(Weights::kBlock, width - x));
      if (const std::uint64_t of_block = sum_of_block<Sample>(samples + x, count); of_block != 0)
        row.add_block(x >> Weights::kBlockBits, of_block);
    }
    sum += row.sum();
  }
  return sum;
}

template <class Visit>
std::uint64_t with_sample(LabelType type, Visit visit) {
  switch (type) {
    case LabelType::u8:
      return visit(std::uint8_t{}, std::uint8_t{});
    case LabelType::u16:
      return visit(std::uint16_t{}, std::uint16_t{});
    case LabelType::i8:
      return visit(std::int8_t{}, std::uint8_t{});
    case LabelType::i16:
      return visit(std::int16_t{}, std::uint16_t{});
    case LabelType::i32:
      return visit(std::int32_t{}, std::uint32_t{});
    case LabelType::f32:
      return visit(float{}, std::uint32_t{});
    case LabelType::u64:
      return visit(std::uint64_t{}, std::uint64_t{});
    case LabelType::i64:
      return visit(std::int64_t{}, std::uint64_t{});
    case LabelType::f64:
      return visit(double{}, std::uint64_t{});
    default:
      return visit(std::uint32_t{}, std::uint32_t{});
  }
}

}  // namespace

void ContentHash::add(std::int64_t first_row, const LabelRuns& rows, std::span<const std::uint64_t> wide) {
  add_sum(with_sample(type_, [&](auto sample, auto bits) {
    using Sample = decltype(sample);
    if constexpr (sizeof bits == sizeof(std::uint64_t))
      return sum_of_runs(first_row, rows, [=](Label label) { return number_of_bits<Sample>(wide[label]); });
    else
      return sum_of_runs(first_row, rows, [](Label label) {
        return number_of_bits<Sample>(static_cast<decltype(bits)>(label));
      });
  }));
}

void ContentHash::add(std::int64_t first_row, std::int64_t rows, int width, const void* samples) {
  add_sum(with_sample(type_, [&](auto sample, auto bits) {
    return sum_of<decltype(sample)>(first_row, rows, width, static_cast<const decltype(bits)*>(samples));
  }));
}

void ContentHash::add(ValueType type, std::int64_t row, std::span<const ValueRun> runs) {
  RowSum sum(row);
  for (const ValueRun& run : runs) {
    const std::uint64_t number =
        is_floating(type) ? number_of(std::bit_cast<double>(run.value)) : std::uint64_t{run.value};
    sum.add(run.begin, run.end, number);
  }
  add_sum(sum.sum());
}

std::string ContentHash::text(const Extent& extent) const {
  std::uint64_t hash = sum();
  for (const int axis : {extent.width, extent.height, extent.depth})
    hash = mix(hash ^ kFirstMix, static_cast<std::uint64_t>(axis) ^ kSecondMix);
  return hex_of(hash);
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
