#include "binary.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "io/files/atomic_file.hpp"
#include "io/write/label_writer.hpp"
#include "support/read_labels.hpp"
#include "support/test.hpp"
#include "support/tiff_file.hpp"

namespace gpuccl {

Command gpuccl_command(const Words& words) {
  Command command;
  command.words = {GPUCCL_PROGRAM};
  command.words.insert(command.words.end(), words.begin(), words.end());
  command.environment = {{"CUDA_VISIBLE_DEVICES", ""}};
  return command;
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Ended gpuccl(const Words& words) { return run(gpuccl_command(words)); }

std::string succeeds(const Words& words) {
  const Ended ended = gpuccl(words);
  CAPTURE(words);
  CHECK(ended.err == "");
  REQUIRE(ended.code == 0);
  return ended.out;
}

std::string fails(const Ended& ended, int code, const std::string& part) {
  CAPTURE(ended.err);
  CHECK(ended.code == code);
  CHECK(ended.err.starts_with("gpuccl: "));
  CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  CHECK(ended.err.find(part) != std::string::npos);
  CHECK((ended.out == "" || ended.out.starts_with("{\"error\":")));
  return ended.err;
}

std::string fails(const Command& command, int code, const std::string& part) {
  CAPTURE(command.words);
  return fails(run(command), code, part);
}

std::string fails(const Words& words, int code, const std::string& part) {
  return fails(gpuccl_command(words), code, part);
}

std::string said_on_terminal(const Words& words) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(::grantpt(terminal) == 0);
  REQUIRE(::unlockpt(terminal) == 0);
  const int program_side = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  Command command = gpuccl_command(words);
  command.prepare = [=] { ::dup2(program_side, STDERR_FILENO); };
  CHECK(run(command).code == 0);
  ::close(program_side);  // without a writer, reading ends once everything is there
  std::string said;
  char piece[4096];
  for (ssize_t bytes = 0; (bytes = ::read(terminal, piece, sizeof piece)) > 0;)
    said.append(piece, static_cast<std::size_t>(bytes));
  ::close(terminal);
  return said;
}

Json report_of(const Words& words) { return Json::parse(succeeds(joined({"label", "--json", "-"}, words))); }

std::string save(const std::string& path, BitView image) {
  io::AtomicFile file(path);
  io::write_image(file, image);
  file.commit();
  return path;
}

std::string save_gray(const std::string& path, const std::vector<std::vector<int>>& rows) {
  tests::TiffPageToWrite page;
  page.width = static_cast<std::uint32_t>(rows[0].size());
  page.height = static_cast<std::uint32_t>(rows.size());
  page.bits = 8;
  for (const std::vector<int>& row : rows) page.samples.insert(page.samples.end(), row.begin(), row.end());
  tests::write_tiff(path, {page});
  return path;
}

std::string save_nrrd(const std::string& path, const std::string& type, const std::string& sizes,
                      const std::string& bytes, const std::string& fields) {
  const auto axes = std::count(sizes.begin(), sizes.end(), ' ') + 1;
  write_file(path, "NRRD0004\ntype: " + type + "\ndimension: " + std::to_string(axes) + "\nsizes: " + sizes +
                       "\nendian: little\nencoding: raw\n" + fields + "\n" + bytes);
  return path;
}

std::string labels_in(const std::string& path) {
  const LabelImage labels = io::read_labels(path);
  const Extent extent = labels.extent();
  std::string text;
  for (int z = 0; z < extent.depth; ++z)
    for (int y = 0; y < extent.height; ++y) {
      if (y + z > 0) text += y == 0 ? "|" : "/";
      for (int x = 0; x < extent.width; ++x) text += (x == 0 ? "" : " ") + std::to_string(labels(x, y, z));
    }
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Command WorkFolder::command(const std::string& line) const {
  Words words;
  bool quoted = false, begun = false;
  for (const char letter : line) {
    if (letter == '\'') quoted = !quoted;
    const bool ends = letter == ' ' && !quoted;
    if (!ends && !begun) words.emplace_back();
    if (!ends && letter != '\'') words.back() += letter;
    begun = !ends;
  }
  Command command = gpuccl_command(words);
  command.prepare = [folder = path()] {
    if (::chdir(folder.c_str()) != 0) ::_exit(125);
  };
  return command;
}

std::string WorkFolder::succeeds(const std::string& line) const {
  const Ended ended = type(line);
  CAPTURE(line);
  CHECK(ended.err == "");
  REQUIRE(ended.code == 0);
  return ended.out;
}

std::string WorkFolder::fails(const std::string& line, int code, const std::string& part) const {
  return gpuccl::fails(command(line), code, part);
}

Ended WorkFolder::ends(const std::string& line, int code, const Words& parts) const {
  Ended ended = type(line);
  CAPTURE(line, ended.err);
  CHECK(ended.code == code);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(has(ended.err, part));
  }
  return ended;
}

Json WorkFolder::json(const std::string& line) const {
  const Ended ended = type(line + " --json -");
  CAPTURE(line, ended.err);
  REQUIRE(ended.code == 0);
  return Json::parse(ended.out);
}

std::string WorkFolder::read(const std::string& name) const { return read_file(*this / name); }

void WorkFolder::write(const std::string& name, const std::string& content) const {
  write_file(*this / name, content);
}

void WorkFolder::make_folders(const Words& names) const {
  for (const std::string& name : names) std::filesystem::create_directories(*this / name);
}

void WorkFolder::nrrd(const std::string& name, const std::string& sizes, const std::string& bytes,
                      const std::string& type, const std::string& fields) const {
  save_nrrd(*this / name, type, sizes, bytes, fields);
}

std::string source_file(const std::string& path) { return std::string(GPUCCL_SOURCE) + "/" + path; }

}  // namespace gpuccl
