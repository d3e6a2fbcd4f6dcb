#include "app/label/label_options.hpp"

#include <strings.h>

#include <algorithm>
#include <filesystem>

#include "app/common/messages.hpp"
#include "app/label/batch_checks.hpp"
#include "app/options/option_helpers.hpp"
#include "io/files/file_error.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

void add_selection(const Command& command, SelectionOptions& selection) {
  command.group("Selection");
  const auto count = [&](const char* name, std::uint64_t& target, const char* help) {
    add_number(command, name, target, 0, std::numeric_limits<std::uint64_t>::max(), "N", help);
  };
  count("--min-size", selection.min_size, "Drop components of fewer elements");
  count("--max-size", selection.max_size, "Drop components of more elements");
  count("--largest", selection.largest, "Keep only the N largest components; 0: all");
  add_switch(command, "--clear-border", selection.clear_border, "Drop components that touch the border");
  add_choice<LabelOrder>(command, "--order", selection.order,
                         {{"raster", LabelOrder::raster}, {"size", LabelOrder::size}},
                         "Number by first element in raster order, or by size, largest first [raster]");
}

void add_files(const Command& command, std::vector<std::string>& inputs, LabelPaths& files) {
  command
      .add_values("INPUT", "",
                  "PNG, TIFF (pages are slices), - for standard input, or with --stack a folder; several of "
                  "them, folders of them, or @FILE with a name a line, go to the folder that -o names",
                  [&inputs](const std::string& given) {
                    inputs.push_back(given);
                    return given.empty() ? "a name is missing" : std::string();
                  })
      .required();
  command.group("Output");
  add_path(command, "-o,--output", files.image, "FILE",
           "Label image: .tif, .tiff, .png or .npy; FOLDER/ for several");
  add_text_path(command, "--json", files.json,
                "Report, - for standard output [beside the label image, same name with .json]");
  add_text_path(command, "--stats", files.stats,
                "Table of components as CSV, - for standard output; one of all inputs if there are several");
  add_path(command, "--preview", files.preview, "FILE", "Colour picture of the labels as PNG");
}

void add_format(const Command& command, LabelOptions& options) {
  using io::Compression;
  using io::LabelType;
  add_choice<LabelType>(command, "--label-type", options.label_type,
                        {{"auto", LabelType::automatic},
                         {"u8", LabelType::u8},
                         {"uint8", LabelType::u8},
                         {"u16", LabelType::u16},
                         {"uint16", LabelType::u16},
                         {"u32", LabelType::u32},
                         {"uint32", LabelType::u32}},
                        "Type of the label image; auto: u16 if the labels fit, else u32 [auto]");
  add_choice<Compression>(command, "--compress", options.compression,
                          {{"none", Compression::none},
                           {"deflate", Compression::deflate},
                           {"lzw", Compression::lzw},
                           {"zstd", Compression::zstd},
                           {"packbits", Compression::packbits}},
                          "Compression of a label TIFF [deflate]");
  using io::BigTiff;
  add_choice<BigTiff>(command, "--bigtiff", options.big_tiff,
                      {{"auto", BigTiff::automatic}, {"yes", BigTiff::yes}, {"no", BigTiff::no}},
                      "Offsets of 64 bits in a label TIFF; auto: where the file passes 4 GiB [auto]");
}

void check_single(const LabelOptions& options) {
  const LabelPaths& files = options.files;
  if (!files.any_output())
    throw Error(Failure::usage, "nothing to write; give -o, --json, --stats or --preview");
  if (options.input.stack && options.inputs.front() == "-")
    throw Error(Failure::usage, "--stack needs a folder, not standard input");
  if (!files.preview.empty() &&
      ::strcasecmp(std::filesystem::path(files.preview).extension().c_str(), ".png") != 0)
    throw io::FileError(files.preview, Failure::usage, "a preview is a PNG; let its name end in .png");
}

io::LabelFormat format_of_labels(const LabelOptions& options) {
  if (options.is_batch()) return options.batch.format();
  const std::string& image = options.files.image;
  return image.empty() ? io::LabelFormat::tiff
                       : io::concerning(image, [&] { return io::label_format(image); });
}

}  // namespace

void LabelOptions::add_to(const Command& command) {
  add_files(command, inputs, files);
  add_format(command, *this);
  output.add_to(command);
  input.add_to(command, "Memory to make do with; what needs more is labelled part by part");
  algorithm.add_to(command);
  add_selection(command, selection);
  batch.add_to(command);

  command.group("Messages");
  const Option silence = add_switch(command, "--quiet", quiet, "Print nothing but errors");
  add_switch(command, "--progress", progress, "Say on standard error what is being done").excludes(silence);
}

bool LabelOptions::is_batch() const { return app::is_batch(*this); }

void LabelOptions::check() const {
  if (selection.min_size > selection.max_size) throw Error(Failure::usage, "--min-size is above --max-size");
  is_batch() ? check_batch(*this) : check_single(*this);
  const auto is_stdout = [](const std::string& path) { return path == "-"; };
  const std::string streams[] = {files.json, files.stats, batch.report};
  if (std::count_if(std::begin(streams), std::end(streams), is_stdout) > 1)
    throw Error(Failure::usage, "only one of --json, --stats and --report can go to standard output");
  if (files.image.empty() && (compression || big_tiff || label_type != io::LabelType::automatic))
    throw Error(Failure::usage, "--compress, --bigtiff and --label-type need a label image; give -o");

  const io::LabelFormat format = format_of_labels(*this);
  if (compression && format != io::LabelFormat::tiff)
    throw io::FileError(files.image, Failure::usage, "--compress is for label images in TIFF");
  if (big_tiff && format != io::LabelFormat::tiff)
    throw io::FileError(files.image, Failure::usage, "--bigtiff is for label images in TIFF");
  if (label_type == io::LabelType::u32 && format == io::LabelFormat::png)
    throw io::FileError(files.image, Failure::usage, "a PNG cannot hold 32-bit labels; write a .tiff");
  algorithm.check();
}

}  // namespace gpuccl::app
