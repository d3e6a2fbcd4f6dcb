#include "app/parts/joined_parts.hpp"

#include <string_view>

#include "gpuccl/error.hpp"
#include "io/files/file_error.hpp"
#include "io/files/fingerprint.hpp"

namespace gpuccl::app {
namespace {

enum Section : std::size_t { kCounts, kLabels, kValueTable, kPartsBegin };

std::string_view bytes_of(const std::vector<std::uint64_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint64_t)};
}

}  // namespace

std::uint64_t labels_id(const io::CheckedFile& labels) {
  std::vector<std::uint64_t> sums;
  for (std::size_t section = sections::kComponents; section < sections::kOfLabels; ++section) {
    sums.push_back(labels.checksum(section));
    sums.push_back(labels.bytes(section));
  }
  return io::fingerprint(bytes_of(sums));
}

std::uint64_t JoinedParts::id() const { return io::fingerprint(bytes_of(labels)); }

void JoinedParts::check_image(bool keeps_values) const {
  if (image_type == io::LabelType::automatic || (!keeps_values && image_largest != count))
    throw Error(Failure::data, "was joined without a label image");
}

std::size_t JoinedParts::sections() const { return kPartsBegin + parts.size(); }

void JoinedParts::write(const TaskFolder& folder) const {
  io::concerning(folder.joined_path(), [&] {
    io::CheckedFileWriter file(folder.joined_path(), folder.joined_tag(), folder.options());
    file.put(std::vector<std::uint64_t>{count, dropped, largest, static_cast<std::uint64_t>(image_type),
                                        image_largest, nans, holes.count, holes.elements});
    file.put(labels);
    file.put(values);
    for (const PieceReport& part : parts) {
      file.add(part.text());
      file.end_section();
    }
    file.commit();
  });
}

JoinedParts JoinedParts::read(const TaskFolder& folder) {
  const auto parts = static_cast<std::size_t>(folder.parts());
  const io::CheckedFile file(folder.joined_path(), folder.joined_tag(), kPartsBegin + parts);
  JoinedParts joined;
  const auto counts = file.take<std::uint64_t>(kCounts);
  joined.labels = file.take<std::uint64_t>(kLabels);
  if (counts.size() != 8 || joined.labels.size() != parts ||
      counts[3] > static_cast<std::uint64_t>(io::LabelType::f32))
    io::CheckedFile::refuse();
  joined.count = counts[0];
  joined.dropped = counts[1];
  joined.largest = counts[2];
  joined.image_type = static_cast<io::LabelType>(counts[3]);
  joined.image_largest = static_cast<Label>(counts[4]);
  joined.nans = counts[5];
  joined.holes = {counts[6], counts[7]};
  joined.values = file.take<io::OfValue>(kValueTable);
  for (std::size_t i = 0; i < parts; ++i)
    joined.parts.push_back(PieceReport::of_text(file.take_text(kPartsBegin + i)));
  return joined;
}

}  // namespace gpuccl::app
