#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/common/messages.hpp"
#include "binary.hpp"
#include "support/test.hpp"

// Exit codes beyond usage, one test a code; outputs are absent or old after each.
namespace gpuccl {
namespace {

namespace fs = std::filesystem;

/// A folder with an image and an old output, which every failure must leave alone.
struct OldOutput : WorkFolder {
  OldOutput() {
    save(*this / "in.png", tests::random_image({300, 200, 1}, 0.5, 1, 1).view());
    write("out.tif", "old");
  }
  void keeps(const Command& typed, int code, const std::string& part) const {
    const std::size_t entries = count_entries(path());
    gpuccl::fails(typed, code, part);
    CHECK(read("out.tif") == "old");
    CHECK(count_entries(path()) == entries);
  }
  void keeps(const std::string& line, int code, const std::string& part) const {
    keeps(command(line), code, part);
  }
  /// A command that does `more` in its process before it is the program.
  Command with(const std::string& line, const std::function<void()>& more) const {
    Command typed = command(line);
    typed.prepare = [in_folder = typed.prepare, more] {
      in_folder();
      more();
    };
    return typed;
  }
};

/// Root may do anything; file modes are tried as somebody else.
void become_nobody() {
  if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(125);
}

void limit(int resource, rlim_t bytes) {
  const rlimit both{bytes, bytes};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

TEST_CASE("each failure has its code") {
  CHECK(app::exit_code(ErrorCode::usage) == 64);
  CHECK(app::exit_code(ErrorCode::data) == 65);
  CHECK(app::exit_code(ErrorCode::no_input) == 66);
  CHECK(app::exit_code(ErrorCode::unavailable) == 69);
  CHECK(app::exit_code(ErrorCode::internal) == 70);
  CHECK(app::exit_code(ErrorCode::memory) == 71);
  CHECK(app::exit_code(ErrorCode::cannot_create) == 73);
  CHECK(app::exit_code(ErrorCode::io) == 74);
  CHECK(app::exit_code(ErrorCode::temporary) == 75);
}

TEST_CASE_METHOD(OldOutput, "an error goes to where the report goes, as an object of JSON") {
  write("broken.png", "no image");
  const auto error_of = [&](const std::string& line) {
    const Ended ended = type(line);
    const Json error = Json::parse(ended.out).at("error");
    CHECK(error.size() == 5);
    CHECK(error["code"] == ended.code);
    const std::string input = error["input"].is_null() ? "" : error["input"].get<std::string>() + ": ";
    const std::string remedy = error["remedy"].is_null() ? "" : "; " + error["remedy"].get<std::string>();
    CHECK(ended.err == "gpuccl: " + input + error["message"].get<std::string>() + remedy + "\n");
    return error["kind"].get<std::string>();
  };
  for (const char* line : {"label missing.png --json -", "measure missing.png --json -",
                           "match in.png missing.png --json -", "label @nowhere -o out/ --report -"})
    CHECK(error_of(line) == "missing");
  for (const char* line : {"label broken.png --json -", "match in.png broken.png --json -"})
    CHECK(error_of(line) == "bad data");
  CHECK(type("label in.png --json - -c 6 --per-slice").out.empty());  // wrong usage
  CHECK(type("label missing.png --json report.json").out.empty());
}

TEST_CASE_METHOD(OldOutput, "a pattern that no file has, and a limit that opens no TIFF, are named") {
  for (const char* line : {"label *.gif --json -", "label page?.png --json -"})
    fails(line, 66, "the shell found no file for this pattern");
  save(*this / "small.tif", tests::drawn(Words{"#.#"}).view());
  CHECK_FALSE(has(fails("label small.tif --json - --memory 1", 71, "small.tif: "),
                  "TIFFClientOpen"));  // libtiff's words
}

TEST_CASE("samples without a header are refused with the header to read or to write") {
  const ScratchFolder scratch;
  const std::string samples(60, '\1'), raw = scratch / "scan.raw", header = scratch / "scan.mhd";
  const std::string needs_header =
      "has samples without a header; write a .mhd header for them (docs/formats.md ";
  for (const char* name : {"scan.raw", "scan.bin", "scan.dat", "scan.img"}) {
    write_file(scratch / name, samples);
    fails({"label", scratch / name, "--json", "-"}, 65, needs_header);
  }
  write_file(header,
             "ObjectType = Image\nNDims = 3\nDimSize = 5 4 3\nElementType = MET_UCHAR\n"
             "ElementDataFile = scan.raw\n");
  fails({"label", raw, "--json", "-"}, 65, "has samples without a header; read " + header + " instead");
  CHECK(succeeds({"label", header, "--json", "-"}).find("\"depth\": 3") != std::string::npos);
  std::string analyze(348, '\0');
  analyze.replace(0, 2, "\x5c\1");
  analyze[38] = 'r';
  write_file(scratch / "scan.hdr", analyze);
  fails({"label", scratch / "scan.img", "--json", "-"}, 65, "; read " + (scratch / "scan.hdr") + " instead");
  fails({"label", scratch / "scan.hdr", "--json", "-"}, 65, "is an Analyze header; convert it to NIfTI with");
}

TEST_CASE("files of other formats are refused with their format") {
  const ScratchFolder scratch;
  const std::string file = scratch / "file.png";
  const std::string unnamed = scratch / "file";  // only the content says what it is
  const std::string blank(400, 'x');
  const auto with = [&](std::size_t offset, const std::string& magic) {
    return std::string(blank).replace(offset, magic.size(), magic);
  };
  const std::pair<std::string, const char*> others[] = {
      {with(0, "\xff\xd8\xff\xe0"), "damaged (no frame in a JPEG)"},
      {with(0, "GIF89a"), "is a GIF file; convert it to PNG or TIFF"},
      {with(0, std::string("BM\1\1\0\0\0\0\0\0", 10)), "not a usable BMP (a header of"},
      {with(0, "RIFF....WEBP"), "is a WebP file; convert"},
      {"%PDF-1.4", "is a PDF file; convert its pages"},
      {with(128, "DICM"), "is a DICOM file; convert it to NIfTI with dcm2niix"},
      {"SIMPLE  =                    T", "is a FITS file; convert it to .npy with astropy"},
      {"# vtk DataFile Version 3.0\n", "is a VTK file; convert it to .mha with ParaView"},
      {"<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\">",
       "is a VTK file; convert it to .mha with ParaView"},
      {with(0, "MATLAB 5.0 MAT-file"), "is a MATLAB 5 file; convert it to .npy with scipy.io.loadmat"},
      {with(4, "ftypheic"), "is a HEIF file; convert it to PNG or TIFF"},
      {with(4, "ftypavif"), "is an AVIF file; convert it to PNG or TIFF"},
      {with(4, "ftypisom"), "is a movie or photo in a container such as MP4; save its frames with 'ffmpeg"},
      {with(0, std::string("\0\0\0\x0cJXL ", 8)), "is a JPEG XL file; convert it to PNG or TIFF"},
      {"CDF\1 dimensions", "is a netCDF 3 or MINC 1 file; convert it to netCDF 4 with 'nccopy"},
      {"CDF\2 dimensions", "is a netCDF 3 file; convert it to netCDF 4 with 'nccopy"},
      {"CDF\5 dimensions", "is a netCDF 3 file; convert it to netCDF 4 with 'nccopy"},
      {with(0, "\x89HDF\r\n\x1a\n"), ""},  // as libhdf5 says it, or that it is not built in
      {with(0, "PK\3\4"), "is a zip archive that is damaged or truncated"},
      {"a b.png\nc.png\n", "is a list of images; write '@' before its name"},
      {"scans/1.TIF\r\n", "is a list of images;"},
      {"\x1f\x8b", "the compressed samples end early"},
      {std::string("\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0", 20),
       "is compressed by gzip; unpack it"}};
  for (const auto& [content, what] : others) {
    write_file(file, content);
    fails({"label", file, "--json", "-", "--formats", "any"}, 65, std::string("file.png: ") + what);
    write_file(unnamed, content);
    fails({"compare", unnamed, unnamed}, 65, std::string("file: ") + what);
  }
  fs::create_directory(scratch / "dicom");
  write_file(scratch / "dicom/scan.dcm", std::string("II*\0", 4) + with(124, "DICM"));
  fails({"label", scratch / "dicom/scan.dcm", "--json", "-"}, 65, "is a DICOM file; convert it to NIfTI");
  fails({"label", scratch / "dicom", "--stack", "--json", "-"}, 65, "contains DICOM files; convert them");
  const std::pair<std::string, const char*> misnamed[] = {
      {with(0, "\xff\xd8\xff\xe0"), "JPEG"},
      {with(0, std::string("BM\1\1\0\0\0\0\0\0", 10)), "BMP"},
      {with(0, "\x89HDF\r\n\x1a\n"), "HDF5"},
      {with(0, "\x93NUMPY"), ".npy"}};
  for (const auto& [content, format] : misnamed) {
    const std::string what =
        "file.png: contains " + std::string(format) + ", but its name is that of PNG; rename it";
    write_file(file, content);
    fails({"label", file, "--json", "-"}, 65, what);
    fails({"compare", file, file}, 65, what);
  }
  fails({"label", file, "--json", "-", "--formats", "any"}, 65, "not a usable .npy file");
  write_file(scratch / "file.npy", with(0, "\x93NUMPY"));
  fails({"label", scratch / "file.npy", "--json", "-"}, 65, "not a usable .npy file");
  fails({"compare", scratch / "file.npy", scratch / "file.npy"}, 65, "not a usable .npy file");
  for (const char* content :
       {"BM", "x", "BMore text than that", "PK", "a.png", "a\x1b.png\n", "label,area\n1,a.png\n"}) {
    write_file(file, content);
    fails({"label", file, "--json", "-"}, 65, "is not in a supported format (PNG, TIFF");
    fails({"compare", file, file}, 65, "is not in a supported format (PNG, TIFF");
  }
}

TEST_CASE_METHOD(OldOutput, "65: a header that claims more than the file can hold is refused at once") {
  // 65535 x 65535 pixels of 16-bit RGBA, in a file of 57 bytes.
  const std::string header("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x10\x06\0\0\0", 29);
  const std::string crc("\xe6\x95\x05\x13", 4);
  const std::string end("\0\0\0\0IEND\xae\x42\x60\x82", 12);
  write("bomb.png", header + crc + end);
  keeps("label bomb.png -o out.tif", 65, "bomb.png: ");
  CHECK(type("label bomb.png -o out.tif").peak_kib < 256 * 1024);
}

TEST_CASE_METHOD(OldOutput, "66: an input that is missing or cannot be read") {
  make_folders({"folder"});
  fs::create_symlink("nowhere", *this / "dangling.png");
  fs::create_symlink("loop.png", *this / "loop.png");
  for (const auto& [input, part] : {std::pair("missing.png", "missing.png: "),
                                    {"in.png/x.png", "x.png: "},
                                    {"in.png:volume/raw", "is named as in cells.h5:/volume/raw"},
                                    {"folder", "folder: "},
                                    {"dangling.png", "dangling.png: "},
                                    {"loop.png", "loop.png: "},
                                    {"missing --stack", "missing: "}})
    keeps("label -o out.tif " + std::string(input), 66, part);
  fs::permissions(*this / "in.png", fs::perms::none);
  fs::permissions(path(), fs::perms::all);
  keeps(with("label in.png -o out.tif", become_nobody), 66, "in.png: ");
}

TEST_CASE_METHOD(OldOutput, "71: more memory than --memory, or than there is") {
  keeps("label in.png -o out.tif --memory 64", 71, "in.png: ");
  keeps("label in.png -o out.tif --memory 64", 71, "; see MEMORY USAGE in 'man gpuccl-label'");
  const auto with_little = [] { limit(RLIMIT_AS, rlim_t{256} << 20); };
  if (run(with("--version", with_little)).code != 0) {
    WARN("skipped: this build does not start in little memory");  // AddressSanitizer maps terabytes
    return;
  }
  save(*this / "large.tif", BitVolume({48000, 48000, 1}).view());
  keeps(with("label large.tif -o out.tif --memory 8G", with_little), 71, "large.tif: ");
}

TEST_CASE_METHOD(OldOutput, "73: an output that cannot be created") {
  make_folders({"folder.tif"});
  keeps("label in.png -o none/out.tif", 73, "none/out.tif: ");
  keeps("label in.png -o folder.tif", 73, "folder.tif: ");
  keeps("label in.png -o out.tif --json none/out.json", 73, "none/out.json: ");
  keeps("label in.png -o out.tif --preview /dev/null", 64, "/dev/null: ");
  keeps("label in.png -o /dev/stdout", 64, "/dev/stdout: ");

  fs::permissions(path(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(*this / "in.png", fs::perms::all);
  if (::geteuid() != 0) fs::permissions(path(), fs::perms::owner_read | fs::perms::owner_exec);
  keeps(with("label in.png -o out.tif", become_nobody), 73, "out.tif: ");
  fs::permissions(path(), fs::perms::owner_all);
}

TEST_CASE_METHOD(OldOutput, "74: a disk that is full, a file size limit, a reader that is gone") {
  keeps(with("label in.png -o out.tif", [] { limit(RLIMIT_FSIZE, 4096); }), 74, "out.tif: ");
  for (const char* text : {"--json", "--stats"})
    keeps("label in.png -o out.tif " + std::string(text) + " /dev/full", 74, "/dev/full: ");
  for (const char* line : {"label in.png --json -", "list"}) {
    Command full = command(line);
    full.output = "/dev/full";
    keeps(full, 74, "standard output: ");
  }
}

}  // namespace
}  // namespace gpuccl
