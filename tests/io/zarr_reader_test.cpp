// Zarr stores as images, and what is refused of them.

#include <sys/stat.h>

#include <initializer_list>

#include "io/image/chunk_codecs.hpp"
#include "io/read/intensity_reader.hpp"
#include "support/read_labels.hpp"
#include "support/reading.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::io;

namespace {

namespace fs = std::filesystem;
using tests::Options;
using Files = std::initializer_list<std::pair<std::string, std::string>>;

/// Replaces the files of a store.
std::string store(const ScratchFolder& scratch, Files files) {
  const fs::path folder = scratch.path() / "image.zarr";
  fs::remove_all(folder);
  for (const auto& [key, content] : files) {
    fs::create_directories((folder / key).parent_path());
    write_file(folder / key, content);
  }
  return folder;
}

std::string zarray(const std::string& shape, const std::string& chunks, const std::string& more = {}) {
  return R"({"zarr_format":2,"shape":)" + shape + R"(,"chunks":)" + chunks +
         (more.find("dtype") == std::string::npos ? R"(,"dtype":"|u1")" : "") +
         (more.find("compressor") == std::string::npos ? R"(,"compressor":null)" : "") + more + "}";
}

std::string v3(const std::string& shape, const std::string& chunk, const std::string& codecs,
               const std::string& more = {}) {
  return R"({"zarr_format":3,"node_type":"array","data_type":"uint8","fill_value":0,"shape":)" + shape +
         R"(,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":)" + chunk +
         R"(}},"chunk_key_encoding":{"name":"default"},"codecs":[)" + codecs + "]" + more + "}";
}

/// "10/01": rows of one slice.
std::string bits_of(const std::string& path, ReadOptions options = {}) {
  const BitVolume image = read_image(path, options);
  std::string text;
  for (std::int64_t row = 0; row < image.extent().rows(); ++row) {
    text += row == 0 ? "" : row % image.extent().height == 0 ? "|" : "/";
    for (int x = 0; x < image.extent().width; ++x)
      text += image(x, static_cast<int>(row % image.extent().height),
                    static_cast<int>(row / image.extent().height))
                  ? '1'
                  : '0';
  }
  return text;
}

std::string reason_for(const std::string& path, const ReadOptions& options = {},
                       ErrorCode failure = ErrorCode::data) {
  return tests::refusal(path, options, failure);
}

bool has(const std::string& text, const std::string& part) { return tests::contains(text, part); }

const std::string kOnes(4, '\1'), kZeros(4, '\0');
const std::string kBytes = R"({"name":"bytes"})";

std::string number(std::uint64_t value) { return {reinterpret_cast<const char*>(&value), 8}; }

std::string shards(const std::string& chunk = "[1,2]", const std::string& index = R"({"name":"bytes"})") {
  return R"({"name":"sharding_indexed","configuration":{"chunk_shape":)" + chunk +
         R"(,"codecs":[{"name":"bytes"}],"index_codecs":[)" + index + "]}}";
}

}  // namespace

TEST_CASE("OME-Zarr 0.6 is read with scale and translation; other transformations are refused by name") {
  const ScratchFolder scratch;
  // Axes of the first system are not those of the array: the transformation ends in the second.
  const auto image = [&](const std::string& transformation, const std::string& version = "0.6.dev3",
                         const std::string& output = R"({"name":"physical"})") {
    const std::string systems =
        R"("coordinateSystems":[{"name":"other","axes":[{"name":"x","type":"space"},{"name":"y","type":"space"}]},)"
        R"({"name":"physical","axes":[{"name":"y","type":"space","unit":"micrometer"},)"
        R"({"name":"x","type":"space","unit":"micrometer"}]}])";
    const std::string datasets = R"("datasets":[{"path":"0","coordinateTransformations":[{)" +
                                 transformation + R"(,"input":{"path":"0"},"output":)" + output + "}]}]";
    const std::string more =  // from there to a system that is not used
        R"("coordinateTransformations":[{"type":"rotation","rotation":[[0,1],[1,0]],)"
        R"("input":{"name":"physical"},"output":{"name":"other"}}])";
    return store(
        scratch,
        {{"zarr.json", R"({"zarr_format":3,"node_type":"group","attributes":{"ome":{"version":")" + version +
                           R"(","multiscales":[{)" + systems + "," + datasets + "," + more + "}]}}}"},
         {"0/zarr.json", v3("[2,2]", "[2,2]", kBytes)},
         {"0/c/0/0", kOnes.substr(0, 2) + kZeros.substr(0, 2)}});
  };
  const auto geometry = [&](const std::string& transformation) {
    return open_reader(image(transformation), {})->info().geometry;
  };
  const std::string scale = R"("type":"scale","scale":[2,3])",
                    translation = R"("type":"translation","translation":[10,20])",
                    sequence =
                        R"("type":"sequence","transformations":[{)" + scale + "},{" + translation + "}]";
  CHECK(bits_of(image(scale)) == "11/00");
  CHECK(geometry(scale).spacing == Vector3{3, 2, 0});
  CHECK(geometry(scale).unit == LengthUnit::um);
  CHECK(geometry(sequence).spacing == Vector3{3, 2, 0});
  CHECK(geometry(sequence).orientation->origin == Vector3{20, 10, 0});
  CHECK(geometry(R"("type":"identity")").spacing == Vector3{1, 1, 0});
  CHECK(open_reader(image(scale, "0.6", R"("physical")"), {})->info().geometry.spacing[0] == 3);  // a draft
  for (const std::string type : {"affine", "rotation", "mapAxis", "byDimension", "displacements"}) {
    const std::string reason = "has a coordinate transformation of type " + type +
                               "; gpuccl reads scale, translation, identity and sequences of them";
    CHECK(reason_for(image(R"("type":")" + type + "\"")) == reason);
    CHECK(reason_for(image(R"("type":"sequence","transformations":[{)" + scale + R"(},{"type":")" + type +
                           "\"}]")) == reason);
  }
  CHECK(reason_for(image(R"("affine":[[1,0,0],[0,1,0]])")) ==
        "has a coordinate transformation without a type; gpuccl reads scale, translation, identity and "
        "sequences of them");
  for (const std::string numbers : {R"("path":"scales/0")", R"("scale":[1,2,3])", R"("scale":["2","3"])",
                                    R"("scale":[2,-3])", R"("scale":6)", R"("translation":[1,2])"})
    CHECK(reason_for(image(R"("type":"scale",)" + numbers)) ==
          "has a scale that is not a list of 2 positive numbers; write one in its metadata");
  CHECK(reason_for(image(R"("type":"translation","translation":[1])")) ==
        "has a translation that is not a list of 2 numbers; write one in its metadata");
  CHECK(geometry(R"("type":"translation","translation":[-1,2])").orientation->origin == Vector3{2, -1, 0});
  CHECK(geometry(R"("type":"scale","scale":[2,0])").spacing == Vector3{0, 2, 0});
  for (const std::string list : {R"("x")", "null", "{}"})
    CHECK(reason_for(image(R"("type":"sequence","transformations":)" + list)) ==
          "has coordinate transformations that are no list; correct them");
  CHECK(reason_for(image(scale + R"(,"output":{"name":"other"}},{)" + scale)) ==
        "has 2 coordinate transformations of an array, not 1; write them as one sequence");
  CHECK(
      reason_for(image(scale, "0.6", R"({"name":"none"})")) ==
      "its arrays lie in the coordinate system 'none', which its metadata do not define; correct its output");
  for (const std::string version : {"0.7", "0.10", "1.0", "10.0"})
    CHECK(reason_for(image(scale, version))
              .starts_with("is OME-Zarr " + version + "; gpuccl reads versions up to 0.6"));
  CHECK(has(reason_for(store(scratch, {{"zarr.json", R"({"zarr_format":3,"node_type":"group","attributes":)"
                                                     R"({"ome":{"version":"0.6","scene":{}}}})"}})),
            "a scene"));
}

TEST_CASE("chunks of a Zarr become an image, those that are not there have the fill value") {
  const ScratchFolder scratch;
  CHECK(bits_of(store(scratch, {{".zarray", zarray("[3,4]", "[2,2]")}, {"0.0", kOnes}, {"1.1", kOnes}})) ==
        "1100/1100/0011");
  CHECK(bits_of(store(scratch, {{".zarray", zarray("[3,4]", "[2,2]", R"(,"fill_value":1)")},
                                {"0.1", kZeros}})) == "1100/1100/1111");
  for (const auto& [fill, bits] : {std::pair{"\"0\"", "1100/1100/0000"}, {"\"1\"", "1100/1100/1111"}})
    CHECK(bits_of(
              store(scratch, {{".zarray", zarray("[3,4]", "[2,2]", R"(,"fill_value":)" + std::string(fill))},
                              {"0.0", kOnes},
                              {"0.1", kZeros}})) == bits);
  const std::string rows("\1\0\0\1", 4);
  CHECK(bits_of(store(scratch, {{".zarray", zarray("[2,2]", "[2,2]", R"(,"order":"F")")},
                                {"0.0", std::string("\0\1\0\0", 4)}})) == "00/10");
  CHECK(
      bits_of(store(scratch, {{".zarray", zarray("[1,1,2,2]", "[1,1,2,2]", R"(,"dimension_separator":"/")")},
                              {"0/0/0/0", rows}})) == "10/01");
  CHECK(bits_of(store(scratch, {{"zarr.json", v3("[2,2]", "[2,2]", kBytes)}, {"c/0/0", rows}})) == "10/01");
  const auto folder =
      store(scratch, {{"zarr.json", v3("[4,2]", "[2,2]", shards())},
                      {"c/0/0", "\1\1" + number(0) + number(2) + number(~0ull) + number(~0ull)}});
  CHECK(bits_of(folder) == "11/00/00/00");
  CHECK(read_labels(folder).count() == 1);
}

TEST_CASE("any axis of a Zarr without z is slices if pages are asked for") {
  const ScratchFolder scratch;
  const auto array = [&](const std::string& names) {
    const std::string samples{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    return store(scratch, {{"zarr.json", v3("[3,2,2]", "[3,2,2]", kBytes, R"(,"dimension_names":)" + names)},
                           {"c/0/0/0", samples}});
  };
  const Options pages = Options().pages(0, 3);
  const std::string v2 = store(scratch, {{"v2/.zarray", zarray("[3,2,2]", "[3,2,2]")},
                                         {"v2/.zattrs", R"({"_ARRAY_DIMENSIONS":["time","lat","lon"]})"}});
  CHECK(reason_for(v2 + "/v2") ==
        "contains 3 time points; --frame N selects one, from 0, --page 0..2 all as slices");
  for (const char* names : {R"(["time","lat","lon"])", R"(["T","y","x"])"}) {
    const std::string path = array(names);
    CHECK(reason_for(path) ==
          "contains 3 time points; --frame N selects one, from 0, --page 0..2 all as slices");
    CHECK(bits_of(path, pages) == "10/00|01/00|00/10");
    CHECK(bits_of(path, Options().pages(2, 3)) == "00/10");
    CHECK(reason_for(path, Options().pages(1, 4)) == "has no page 3: there are 3, numbered from 0");
    CHECK(bits_of(path, Options().frame(1)) == "01/00");
  }
  const std::string channels = array(R"(["band","y","x"])");
  CHECK(reason_for(channels) ==
        "contains 3 channels; --channel N selects one, from 0, --page 0..2 all as slices");
  CHECK(bits_of(channels, pages) == "10/00|01/00|00/10");
}

TEST_CASE("groups of slices, one slice and rows of a Zarr are the same image") {
  const ScratchFolder scratch;
  std::string chunk(5 * 4 * 70, '\0');
  for (std::size_t i = 0; i < chunk.size(); i += 7) chunk[i] = '\1';
  const auto folder = store(
      scratch,
      {{".zarray", zarray("[8,6,100]", "[5,4,70]")}, {"0.0.0", chunk}, {"1.1.1", chunk}, {"0.0.1", chunk}});
  const auto reader = open_reader(folder, {});
  BitVolume all({100, 6, 8}), one({100, 6, 1}), some({100, 6, 3}), rows({100, 2, 1});
  reader->read(0, 8, all);
  for (int z = 0; z < 8; ++z) {
    reader->read(z, z + 1, one);
    reader->read(std::min(z, 5), std::min(z, 5) + 3, some);
    for (int y = 0; y < 6; ++y) {
      if (y % 2 == 0) reader->read_rows(z, y, y + 2, rows);
      for (int x = 0; x < 100; ++x)
        REQUIRE((all(x, y, z) == one(x, y) && all(x, y, z) == rows(x, y % 2) &&
                 all(x, y, z) == some(x, y, z - std::min(z, 5))));
    }
  }
  CHECK(count_foreground(all.view()) > 300);
}

TEST_CASE("samples of groups of slices are those of one slice, decoded once") {
  const ScratchFolder scratch;
  std::string chunk(5 * 2 * 3, '\0');
  for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<char>(i);
  const auto folder =
      store(scratch, {{".zarray", zarray("[8,2,3]", "[5,2,3]")}, {"0.0.0", chunk}, {"1.0.0", chunk}});
  for (const std::int64_t memory :
       {std::int64_t{64} * 6 * 3, std::int64_t{1} << 30}) {  // for three slices, or all
    const IntensityReader reader(folder, Options().memory(memory));
    for (const int first : {0, 3, 7, 1})
      for (int z = first, next = 0; z < 8; z = next) {
        next = z + reader.slices_at_once(z);
        REQUIRE(next > z);
        REQUIRE(next <= (memory > 1 << 20 ? 8 : z + 3));
        if (z == 0) fs::remove(fs::path(folder) / "0.0.0");  // what is ahead is in memory
        for (int i = z; i < next; ++i)
          reader.read(i, 0, reader.extent().height, [&](int y, int, const double* samples) {
            CHECK((y < 2 && samples[2] == (i % 5 * 2 + y) * 3 + 2));
          });
        if (z == 0) write_file(fs::path(folder) / "0.0.0", chunk);
      }
  }
}

TEST_CASE("OME's metadata names the array, its axes and their scale") {
  const ScratchFolder scratch;
  const std::string ome =
      R"("multiscales":[{"axes":[{"name":"c","type":"channel"},{"name":"y","type":"space","unit":"micrometer"},)"
      R"({"name":"x","type":"space","unit":"micrometer"}],"datasets":[{"path":"s0","coordinateTransformations":)"
      R"([{"type":"scale","scale":[1,0.5,0.25]}]},{"path":"s1"}],"coordinateTransformations":[{"type":"scale","scale":[1,1,2]}]}])";
  const std::string array = zarray("[1,2,2]", "[1,2,2]"), rows("\1\0\0\1", 4);
  const auto v2 = store(
      scratch, {{".zgroup", "{}"}, {".zattrs", "{" + ome + "}"}, {"s0/.zarray", array}, {"s0/0.0.0", rows}});
  CHECK(bits_of(v2) == "10/01");
  const Geometry geometry = open_reader(v2, {})->info().geometry;
  CHECK(geometry.spacing[0] == 0.5);
  CHECK(geometry.spacing[1] == 0.5);
  CHECK(geometry.unit == LengthUnit::um);
  CHECK(bits_of(v2 + "/s0") == "10/01");
  const std::string group = R"({"zarr_format":3,"node_type":"group","attributes":{"ome":{)" + ome + "}}}";
  CHECK(bits_of(store(scratch, {{"zarr.json", group},
                                {"s0/zarr.json", v3("[1,2,2]", "[1,2,2]", kBytes)},
                                {"s0/c/0/0/0", rows}})) == "10/01");

  CHECK(has(reason_for(store(scratch, {{".zgroup", "{}"}, {".zattrs", "{" + ome + "}"}})),
            "'s0/', which does not exist"));
  CHECK(has(reason_for(store(
                scratch,
                {{".zgroup", "{}"}, {".zattrs", "{" + ome + "}"}, {"s0/.zarray", zarray("[2,2]", "[2,2]")}})),
            "names 3 axes"));
  CHECK(has(reason_for(store(scratch, {{".zgroup", "{}"},
                                       {".zattrs", "{" + ome + "}"},
                                       {"s0/.zarray", zarray("[3,2,2]", "[1,2,2]")}})),
            "contains 3 channels; --channel N selects one, from 0"));
  CHECK(has(reason_for(store(scratch, {{".zgroup", "{}"}})), "without an OME image"));
  CHECK(has(reason_for(store(scratch, {{".zgroup", "{}"}, {".zattrs", R"({"labels":["a"]})"}})),
            "group of label images"));
  CHECK(has(reason_for(store(scratch, {{".zgroup", "{}"}, {".zattrs", R"({"plate":{}})"}})), "a plate"));
}

TEST_CASE(
    "one channel and one point in time of a Zarr are chosen, whatever the chunks and the order of axes") {
  const ScratchFolder scratch;
  const std::string axes = R"({"multiscales":[{"axes":[{"name":"t","type":"time"},{"name":"y"},{"name":"x"},)"
                           R"({"name":"c","type":"channel"}],"datasets":[{"path":"0"}]}],)"
                           R"("omero":{"channels":[{"label":"DAPI"},{"label":"GFP"}]}})";
  std::string samples(3 * 2 * 2 * 2, '\0');  // t, y, x, c
  for (const std::size_t place : {1, 7, 8, 22}) samples[place] = '\1';
  const auto image = store(scratch, {{".zgroup", "{}"},
                                     {".zattrs", axes},
                                     {"0/.zarray", zarray("[3,2,2,2]", "[2,2,2,2]")},
                                     {"0/0.0.0.0", samples.substr(0, 16)},
                                     {"0/1.0.0.0", samples.substr(16) + std::string(8, '\1')}});
  CHECK(bits_of(image, Options().channel(1).frame(0)) == "10/01");
  CHECK(bits_of(image, Options().channel("GFP").frame(0)) == "10/01");
  CHECK(bits_of(image, Options().channel(0).frame(0)) == "00/00");
  CHECK(bits_of(image, Options().channel(0).frame(1)) == "10/00");
  CHECK(bits_of(image, Options().channel(0).frame(2)) == "00/01");
  CHECK(has(reason_for(image), "; --"));
  CHECK(
      has(reason_for(image, Options().channel(1)), "contains 3 time points; --frame N selects one, from 0"));
  CHECK(has(reason_for(image, Options().channel(2).frame(0)),
            "has no channel 2: there are 2 channels (0 DAPI, 1 GFP)"));
  CHECK(has(reason_for(image, Options().channel(0).frame(3)), "has no frame 3"));
  CHECK(has(reason_for(image, Options().channel(0).frame(0).series(1)), "contains one image"));

  const auto plain = store(scratch, {{".zarray", zarray("[2,2]", "[2,2]")}, {"0.0", kOnes}});
  CHECK(bits_of(plain, Options().channel(0).frame(0)) == "11/11");
  CHECK(has(reason_for(plain, Options().channel(1)), "has no channel 1"));
}

TEST_CASE("the first of four axes of a Zarr is selected, named or not") {
  const ScratchFolder scratch;
  const std::string samples{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0};
  for (const auto& [names, what] : {std::pair{R"(["valid_time","lev","lat","lon"])", "time points"},
                                    {"[]", "elements along its axis 0"},
                                    {R"([null,"z","y","x"])", "elements along its axis 0"}}) {
    const auto array = store(scratch, {{".zarray", zarray("[2,2,2,2]", "[2,2,2,2]")},
                                       {".zattrs", R"({"_ARRAY_DIMENSIONS":)" + std::string(names) + "}"},
                                       {"0.0.0.0", samples}});
    CHECK(reason_for(array) == "contains 2 " + std::string(what) + "; --frame N selects one, from 0");
    CHECK(bits_of(array, Options().frame(1)) == "10/00|11/00");
  }
  const auto two = store(scratch, {{".zarray", zarray("[2,2,2,2]", "[2,2,2,2]")},
                                   {".zattrs", R"({"_ARRAY_DIMENSIONS":["time","lead_time","y","x"]})"}});
  CHECK(reason_for(two, Options().frame(1)) ==
        "has 2 elements along its axis 'lead_time', which is not z; --page N selects one, from 0, "
        "--page 0..1 all as slices");
}

TEST_CASE("a named axis is z only by a name of z") {
  const ScratchFolder scratch;
  const auto array = [&](const std::string& shape, const std::string& names) {
    return store(scratch, {{".zarray", zarray(shape, shape)},
                           {".zattrs", R"({"_ARRAY_DIMENSIONS":)" + names + "}"},
                           {shape == "[3,2,2]" ? "0.0.0" : "0.0.0.0",
                            std::string{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}});
  };
  const Options pages = Options().pages(0, 3);
  for (const char* name : {"member", "wavelength", "ch", "dim_a"})
    for (const char* plane : {R"("lat","lon")", R"("nlat","nlon")", R"("i","j")", R"("dim_1","k")"}) {
      const std::string path = array("[3,2,2]", '[' + ('"' + std::string(name)) + "\"," + plane + ']');
      CHECK(reason_for(path) == "has 3 elements along its axis '" + std::string(name) +
                                    "', which is not z; --page N selects one, from 0, --page 0..2 "
                                    "all as slices");
      CHECK(bits_of(path, pages) == "10/00|01/00|00/10");
    }
  for (const char* names : {R"(["","lat","lon"])", R"([null,"i","j"])", R"(["phony_dim_0","y","x"])"}) {
    const std::string path = array("[3,2,2]", names);
    CHECK(reason_for(path) ==
          "contains 3 elements along its axis 0; --frame N selects one, from 0, --page 0..2 all as slices");
    CHECK(bits_of(path, Options().frame(1)) == "01/00");
    CHECK(bits_of(path, pages) == "10/00|01/00|00/10");
  }
  for (const char* names : {"[]", R"(["dim_0","dim_1","dim_2"])", R"(["depth","height","width"])",
                            R"(["z","i","j"])", R"(["height","lat","lon"])"})
    CHECK(bits_of(array("[3,2,2]", names)) == "10/00|01/00|00/10");
  CHECK(has(reason_for(array("[3,2,2]", R"(["y","x","s"])")), "along its axis 's', which is not z"));
  for (const char* names : {R"(["z","y"])", R"(["lev","lat"])", R"(["","y"])", R"(["y","x"])"})
    CHECK(bits_of(store(scratch, {{".zarray", zarray("[2,2]", "[2,2]")},
                                  {".zattrs", R"({"_ARRAY_DIMENSIONS":)" + std::string(names) + "}"},
                                  {"0.0", {0, 1, 0, 0}}})) == "01/00");
  for (const char* name : {"depth", "lev", "slice", "Z"})
    CHECK(bits_of(array("[3,2,2]", '[' + ('"' + std::string(name)) + R"(","y","x"])"), {}) ==
          "10/00|01/00|00/10");
  for (const char* names :
       {R"(["lat","lon","z"])", R"(["row","col","depth"])", R"(["y","x","height"])", R"(["i","j","lev"])"})
    CHECK(bits_of(array("[3,2,2]", names)) == "10/00/01|00/10/00");
  CHECK(bits_of(array("[1,3,2,2]", R"(["z","time","lon","lat"])"), Options().frame(1)) == "00/10");
  const std::string members = array("[3,1,2,2]", R"(["member","time","nlat","nlon"])");
  CHECK(bits_of(members, pages) == "10/00|01/00|00/10");
  const std::string twice = array("[1,3,2,2]", R"(["time","valid_time","y","x"])");
  CHECK(bits_of(twice, Options().frame(2)) == "00/10");
  CHECK(has(reason_for(twice), "contains 3 time points; --frame N selects one"));
}

TEST_CASE("axes of an OME-Zarr have units of their own, which become that of x") {
  const ScratchFolder scratch;
  const auto geometry_of = [&](const std::string& z, const std::string& y, const std::string& x) {
    const auto axis = [](const std::string& name, const std::string& unit) {
      return R"({"name":")" + name + R"(","type":"space")" +
             (unit.empty() ? "" : R"(,"unit":")" + unit + '"') + "}";
    };
    const std::string ome = R"({"multiscales":[{"axes":[)" + axis("z", z) + "," + axis("y", y) + "," +
                            axis("x", x) +
                            R"(],"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale",)"
                            R"("scale":[2,500,0.25]},{"type":"translation","translation":[1,1000,3]}]}]}]})";
    return open_reader(
               store(scratch,
                     {{".zgroup", "{}"}, {".zattrs", ome}, {"0/.zarray", zarray("[2,2,2]", "[2,2,2]")}}),
               {})
        ->info()
        .geometry;
  };
  Geometry geometry = geometry_of("micrometer", "nanometer", "micrometer");
  CHECK(geometry.unit == LengthUnit::um);
  CHECK(geometry.spacing == Vector3{0.25, 0.5, 2});
  REQUIRE(geometry.orientation);
  CHECK(geometry.orientation->origin == Vector3{3, 1, 1});
  geometry = geometry_of("", "", "millimeter");  // where nothing is said, nothing is converted
  CHECK(geometry.unit == LengthUnit::mm);
  CHECK(geometry.spacing == Vector3{0.25, 500, 2});
  geometry = geometry_of("micrometer", "nanometer", "");
  CHECK(geometry.unit == LengthUnit::unknown);
  CHECK(geometry.spacing == Vector3{0.25, 500, 2});
}

TEST_CASE("nothing outside of a Zarr store is read") {
  const ScratchFolder scratch;
  write_file(scratch / "secret", kOnes);
  fs::create_directories(scratch.path() / "outside");
  write_file(scratch / "outside/.zarray", zarray("[2,2]", "[2,2]"));
  write_file(scratch / "outside/0.0", kOnes);
  const std::string nested = zarray("[2,2]", "[2,2]", R"(,"dimension_separator":"/")");
  const auto folder = store(scratch, {{".zarray", zarray("[2,2]", "[2,2]")}});
  fs::create_symlink(scratch / "secret", folder + "/0.0");
  CHECK(has(reason_for(folder), "symbolic link"));
  store(scratch, {{".zarray", nested}});
  fs::create_directory_symlink(scratch / "outside", folder + "/0");
  CHECK(has(reason_for(folder), "symbolic link"));
  for (const char* path : {"../outside", "0/../../outside", "/etc", ".", "", "x//y"}) {
    const std::string ome =
        R"({"multiscales":[{"axes":["y","x"],"datasets":[{"path":")" + std::string(path) + R"("}]}]})";
    store(scratch, {{".zgroup", "{}"}, {".zattrs", ome}});
    CAPTURE(path);
    reason_for(folder);
  }
  store(scratch, {{".zarray", zarray("[2,2]", "[2,2]")}});
  REQUIRE(::mkfifo((folder + "/0.0").c_str(), 0600) == 0);  // would be waited for without end
  CHECK(has(reason_for(folder), "is not a file"));
}

TEST_CASE("metadata of a Zarr that cannot be is refused") {
  const ScratchFolder scratch;
  for (const std::string& bad :
       {zarray("[2,2]", "[0,2]"),
        zarray("[2,2]", "[2]"),
        zarray("[2]", "[2]"),
        zarray("[2,-2]", "[2,2]"),
        zarray("[2,2.5]", "[2,2]"),
        zarray("2", "2"),
        zarray("[0,2]", "[2,2]"),
        zarray("[2,2]", "[4294967296,4294967296]"),
        zarray("[18446744073709551615,2]", "[2,2]"),
        zarray("[2,2]", "[2,2]", R"(,"dtype":"<u3")"),
        zarray("[2,2]", "[2,2]", R"(,"dtype":[["a","<u2"]])"),
        zarray("[2,2]", "[2,2]", R"(,"dtype":"<c8")"),
        zarray("[2,2]", "[2,2]", R"(,"dimension_separator":"..")"),
        zarray("[2,2]", "[2,2]", R"(,"fill_value":"x")"),
        zarray("[2,2]", "[2,2]", R"(,"filters":[{"id":"delta"}])"),
        zarray("[2,2]", "[2,2]", R"(,"compressor":{"id":"bz2"})"),
        zarray("[2,2]", "[2,2]", R"(,"compressor":5)"),
        zarray("[2,2]", "[2,2]", R"(,"filters":[{"id":"zlib"}],"compressor":{"id":"gzip"})"),
        std::string("[]"),
        std::string("{"),
        std::string(),
        std::string(100000, '['),
        R"({"shape":)" + std::string(3000000, '[')}) {
    CAPTURE(bad.substr(0, 200));
    reason_for(store(scratch, {{".zarray", bad}, {"0.0", kOnes}}));
  }
  for (const std::string& bad :
       {v3("[2,2]", "[2,2]", ""), v3("[2,2]", "[2,2]", R"({"name":"gzip"})"),
        v3("[2,2]", "[2,2]", kBytes + R"(,"bz2")"),
        v3("[2,2]", "[2,2]", R"({"name":"transpose","configuration":{"order":[0,0]}},)" + kBytes),
        v3("[2,2]", "[2,2]", R"({"name":"transpose","configuration":{"order":[0,2]}},)" + kBytes),
        v3("[2,2]", "[2,2]", kBytes, R"(,"storage_transformers":["x"])"), v3("[2,2]", "[2,2]", shards("[2]")),
        v3("[2,2]", "[2,2]", shards("[0,1]")), v3("[2,2]", "[3,3]", shards("[2,2]")),
        v3("[2,2]", "[2,2]", shards("[1,1]", "")),
        v3("[2,2]", "[2,2]", shards("[1,1]", R"({"name":"gzip"})")),
        v3("[2,2]", "[1073741824,1073741824]", shards("[1,1]")),
        v3("[2,2]", "[2,2]", shards() + ",\"gzip\"")}) {
    CAPTURE(bad);
    reason_for(store(scratch, {{"zarr.json", bad}}));
  }
  const Options small = Options().memory(1 << 20);
  reason_for(
      store(scratch, {{".zarray", zarray("[2,2]", "[2,2]", R"(,"x":")" + std::string(1 << 20, 'x') + "\"")}}),
      small, ErrorCode::memory);
  reason_for(store(scratch, {{".zarray", zarray("[2,2]", "[30000,30000]")}}), small, ErrorCode::memory);
  reason_for(
      store(scratch, {{".zarray", zarray("[2,2]", "[2,2]", "," + std::string(17 << 20, ' ') + "\"x\":1")}}));
}

TEST_CASE("chunks that are not as the metadata says are refused") {
  const ScratchFolder scratch;
  const std::string array = zarray("[2,2]", "[2,2]");
  for (const char* filter : {"bz2", "numcodecs.adler32"})
    CHECK(
        has(reason_for(store(scratch, {{"zarr.json", v3("[2,2]", "[2,2]", kBytes + ",\"" + filter + "\"")}})),
            "' is not in this build of gpuccl; rewrite the array with zarr-python and one of zlib"));
  for (const std::string& chunk : {std::string(), std::string("\1\1\1"), std::string(5, '\1')})
    CHECK(has(reason_for(store(scratch, {{".zarray", array}, {"0.0", chunk}})), "chunk 0.0 has"));
  using Codec = std::pair<const char*, ChunkCodec>;
  for (const auto& [name, codec] :
       {Codec{"zlib", ChunkCodec::zlib}, Codec{"gzip", ChunkCodec::gzip}, Codec{"zstd", ChunkCodec::zstd},
        Codec{"blosc", ChunkCodec::blosc}, Codec{"lz4", ChunkCodec::lz4}}) {
    const std::string packed =
        zarray("[2,2]", "[2,2]", R"(,"compressor":{"id":")" + std::string(name) + "\"}");
    if (!is_built_in(codec)) {
      CHECK(has(reason_for(store(scratch, {{".zarray", packed}, {"0.0", kOnes}})),
                "is not in this build of gpuccl"));
      continue;
    }
    for (const std::string& chunk : {std::string(), kOnes, std::string(100, 'x')})
      CHECK(has(reason_for(store(scratch, {{".zarray", packed}, {"0.0", chunk}})), "is damaged"));
    CHECK(has(reason_for(store(scratch, {{".zarray", packed}, {"0.0", std::string(1 << 20, 'x')}})),
              "more than its shape"));
  }
  const std::string sharded = v3("[2,2]", "[2,2]", shards());
  const auto index = [](std::uint64_t offset, std::uint64_t bytes) {
    return number(offset) + number(bytes) + number(0) + number(2);
  };
  for (const std::string& shard :
       {std::string(), std::string(31, 'x'), index(1ull << 63, 2), index(2, 1ull << 63), index(~0ull, 2),
        index(33, 2), index(32, 1), index(0, 3), index(0, 0)}) {
    CAPTURE(shard.size());
    reason_for(store(scratch, {{"zarr.json", sharded}, {"c/0/0", shard}}));
  }
  std::string packed = sharded;
  packed.insert(packed.find("]", packed.find("\"bytes\"")),
                R"(,{"name":"gzip","configuration":{"level":1}})");
  CHECK(has(reason_for(store(scratch, {{"zarr.json", packed}, {"c/0/0", index(0, 0)}})), "is damaged"));
  const std::string summed = v3("[2,2]", "[2,2]", kBytes + ",\"crc32c\"");
  CHECK(has(reason_for(store(scratch, {{"zarr.json", summed}, {"c/0/0", kOnes + kOnes}})), "checksum"));
  CHECK(has(reason_for(store(scratch, {{"zarr.json", summed}, {"c/0/0", "x"}})), "too short"));
  const std::string index_sum = v3("[2,2]", "[2,2]", shards("[1,2]", kBytes + R"(,{"name":"crc32c"})"));
  CHECK(has(reason_for(store(scratch, {{"zarr.json", index_sum}, {"c/0/0", std::string(36, '\0')}})),
            "checksum"));
}
