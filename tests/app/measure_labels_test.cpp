// gpuccl measure: what it writes and refuses. tests/app/measure.py compares its numbers with scikit-image.

#include <filesystem>
#include <string>

#include "binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/scratch_folder.hpp"

namespace gpuccl {
namespace {

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

/// A label image of 4 x 2 pixels.
std::string label_file(const ScratchFolder& scratch, const std::string& name, const std::string& type,
                       const std::string& bytes) {
  const std::string path = scratch / name;
  write_file(path, "NRRD0004\ntype: " + type +
                       "\ndimension: 2\nsizes: 4 2\nendian: little\nencoding: raw\n\n" + bytes);
  return path;
}

// 9 consists of two pieces, one of which touches 4.
const std::string kLabels{9, 9, 0, 0, 0, 4, 9, 0};
constexpr const char* kHeader = "label,area,x0,y0,x1,y1,cx,cy\n";

}  // namespace

TEST_CASE("each value is one object, connected or not, and stands in the column of labels") {
  const ScratchFolder scratch;
  const std::string labels = label_file(scratch, "labels.nrrd", "uint8", kLabels);
  const std::string rows = "4,1,1,1,1,1,1,1\n9,3,0,0,2,1,1,0.3333333333333333\n";
  CHECK(succeeds({"measure", labels, "--stats", "-"}) == kHeader + rows);
  CHECK(succeeds({"measure", labels, "--stats", "-", "--keep", "area > 1"}) ==
        kHeader + rows.substr(rows.find('\n') + 1));
  CHECK(succeeds({"measure", labels, "--stats", "-", "--order", "raster"}) ==
        kHeader + rows.substr(rows.find('\n') + 1) + rows.substr(0, rows.find('\n') + 1));
  const Json report = Json::parse(succeeds({"measure", labels, "--json", "-"}));
  CHECK(report["labeling"]["components"] == 2);
  CHECK(report["components"][0]["label"] == 4);
  CHECK(report["input"]["foreground_rule"] == "each value is an object");
  CHECK(report["options"] == "measure");
  // The pieces, for comparison.
  CHECK(Json::parse(succeeds(
            {"label", labels, "--values", "-c", "4", "--json", "-"}))["labeling"]["components"] == 3);
}

TEST_CASE("values of 64 bits and floating-point integers are labels, others are refused") {
  const ScratchFolder scratch;
  const auto table = [&](const std::string& type, const std::string& bytes) {
    return succeeds({"measure", label_file(scratch, "in.nrrd", type, bytes), "--stats", "-"});
  };
  CHECK(table("uint64", bytes_of<std::uint64_t>({UINT64_MAX, 0, 0, 0, 0, 0, 0, 5})) ==
        kHeader + std::string("5,1,3,1,3,1,3,1\n18446744073709551615,1,0,0,0,0,0,0\n"));
  CHECK(table("float", bytes_of<float>({0, 0, 1e6f, 0, 0, 0, 0, 5})) ==
        kHeader + std::string("5,1,3,1,3,1,3,1\n1000000,1,2,0,2,0,2,0\n"));
  const auto is_refused = [&](const std::string& type, const std::string& bytes, const std::string& reason) {
    fails({"measure", label_file(scratch, "in.nrrd", type, bytes), "--stats", scratch / "out.csv"}, 65,
          reason);
    CHECK(!std::filesystem::exists(scratch / "out.csv"));
  };
  is_refused("double", bytes_of<double>({1, 2.5, 0, 0, 0, 0, 0, 0}), "2.5, which is not a label");
  is_refused("short", bytes_of<short>({1, -2, 0, 0, 0, 0, 0, 0}), "-2, which is not a label");
  CHECK(succeeds({"measure", label_file(scratch, "in.nrrd", "short", std::string(16, '\0')), "--quiet",
                  "--stats", "-"}) == kHeader);
}

TEST_CASE("the label image of objects keeps their values, or has new labels") {
  const ScratchFolder scratch;
  const std::string labels = label_file(scratch, "labels.nrrd", "uint8", kLabels);
  const auto written = [&](const Words& more) {
    Words words{"measure", labels, "-o", scratch / "out.nrrd", "--compress", "none"};
    words.insert(words.end(), more.begin(), more.end());
    succeeds(words);
    return read_file(scratch / "out.nrrd");
  };
  CHECK(written({}).ends_with(kLabels));
  CHECK(written({"--largest", "1"}).ends_with(std::string{9, 9, 0, 0, 0, 0, 9, 0}));
  CHECK(written({"--relabel", "--label-type", "u8"}).ends_with(std::string{2, 2, 0, 0, 0, 1, 2, 0}));
  fails({"measure", labels, "-o", scratch / "out.nrrd", "--label-type", "u8"}, 64, "--relabel");
  const std::string large =
      label_file(scratch, "large.nrrd", "uint64", bytes_of<std::uint64_t>({1ull << 32, 0, 0, 0, 0, 0, 0, 5}));
  succeeds({"measure", large, "-o", scratch / "large.npy", "--quiet"});
  CHECK(
      read_file(scratch / "large.npy").ends_with(bytes_of<std::uint64_t>({1ull << 32, 0, 0, 0, 0, 0, 0, 5})));
  succeeds({"measure", large, "-o", scratch / "large.tif", "--relabel"});
}

TEST_CASE("several label images have one table") {
  const ScratchFolder scratch;
  label_file(scratch, "a.nrrd", "uint8", kLabels);
  label_file(scratch, "b.nrrd", "double", bytes_of<double>({0, 0.5, 0, 0, 0, 0, 0, 0}));
  label_file(scratch, "c.nrrd", "uint16", bytes_of<std::uint16_t>({0, 0, 0, 700, 0, 0, 0, 0}));
  const Ended ended = gpuccl({"measure", scratch / "a.nrrd", scratch / "b.nrrd", scratch / "c.nrrd",
                              "--stats", scratch / "all.csv", "--json-dir", scratch / "reports"});
  CHECK(ended.code == 65);
  CHECK(ended.err.find("b.nrrd: contains the value 0.5") != std::string::npos);
  const std::string table = read_file(scratch / "all.csv");
  CHECK(table.find("a.nrrd,9,3,") != std::string::npos);
  CHECK(table.find("c.nrrd,700,1,") != std::string::npos);
  // From reports, which have the same labels.
  gpuccl({"measure", scratch / "a.nrrd", scratch / "b.nrrd", scratch / "c.nrrd", "--stats",
          scratch / "all.csv", "--json-dir", scratch / "reports", "--skip-existing"});
  CHECK(read_file(scratch / "all.csv") == table);
}

TEST_CASE("objects that reach into several slabs are one") {
  const ScratchFolder scratch;
  const std::string volume = scratch / "volume.nrrd";
  std::string samples(9000000, '\0');
  for (std::size_t i = 0; i < samples.size(); i += 3) samples[i] = static_cast<char>(1 + i / 300 % 7);
  write_file(volume, "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 300 300 100\nencoding: raw\n\n" + samples);
  const auto outputs = [&](const std::string& memory) {
    Words words{"measure", volume, "--measure", "shape", "-o", scratch / (memory + ".npy"), "--progress"};
    words.insert(words.end(), {"--stats", scratch / (memory + ".csv"), "--memory", memory});
    const Ended ended = gpuccl(words);
    CHECK(ended.code == 0);
    CHECK((ended.err.find("slabs") != std::string::npos) == (memory == "60M"));
    return read_file(scratch / (memory + ".npy")) + read_file(scratch / (memory + ".csv"));
  };
  CHECK(outputs("60M") == outputs("2G"));
}

TEST_CASE("what measure cannot do is refused") {
  const ScratchFolder scratch;
  const std::string labels = label_file(scratch, "labels.nrrd", "uint8", kLabels);
  fails({"measure", labels, "--stats", "-", "--measure", "perimeter"}, 64, "label --value V");
  fails({"measure", labels, "--stats", "-", "--keep", "euler_number = 1"}, 64, "label --value V");
  fails({"measure", labels}, 64, "nothing to write");
  fails({"measure", labels, "--stats", "-", "--threshold", "3"}, 64, "--threshold");
}

}  // namespace gpuccl
