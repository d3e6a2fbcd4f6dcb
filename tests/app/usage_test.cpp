#include "binary.hpp"
#include "support/test.hpp"

// Exit code 64: what is refused before any file is touched. The inputs do not exist.
namespace gpuccl {
namespace {

void refused(const Words& words, const std::string& part) {
  fails(joined({"label", "no-such-file.png"}, words), 64, part);
}

TEST_CASE("a command line that says nothing sensible is refused with a hint") {
  fails(Words{}, 64, "gpuccl --help");
  fails({"lable", "x.png"}, 64, "no command or option 'lable'");
  fails({"--frobnicate"}, 64, "no command or option '--frobnicate'");
  fails({"label"}, 64, "gpuccl label --help");
  fails({"label", "x.png"}, 64, "nothing to write");
  fails({"label", "x.png", "y.png", "-o", "z.tif"}, 64, "whose name ends in /");
  fails({"label", "x.png", "-o", "labels"}, 64,
        "labels: has an unknown extension; use .tiff, .tif, .png, .npy, .nii, .nii.gz, .nrrd, .mha, .mrc, "
        ".ozx or "
        ".zarr, for a folder /");
  fails({"label", "", "-o", "z.tif"}, 64, "a name is missing");
  refused({"--frobnicate"}, "no option '--frobnicate'");
  fails({"label", "--frobnicate", "x.png"}, 64, "no option '--frobnicate'");
  fails({"label", "--frobnicate"}, 64, "no option '--frobnicate'");  // said before that there is no input
  // Words that are too long for the name of a file.
  const std::string frobnicate(300, 'f'), third = "0." + std::string(300, '3');
  fails({frobnicate}, 64, "no command or option '" + frobnicate);
  fails({"label", "--" + frobnicate}, 64, "no option '--" + frobnicate);
  fails({"label", "--fill-holes", third, "x.png"}, 64, third);
  refused({"-o"}, "--output needs a value: FILE");
  refused({"-o", "a.tif", "-o", "b.tif"}, "--output is given 2 times");
  fails({"list", "runs"}, 64, "'runs' is unexpected: list takes options only");
  fails({"compare", "a", "b", "c"}, 64, "'c' is unexpected: compare takes only A and B");
}

TEST_CASE("a misspelt name is refused with the one that was meant") {
  const std::pair<const char*, const char*> misspelt[] = {{"--min_size", "--min-size"},
                                                          {"--minsize=3", "--min-size"},
                                                          {"--Min-Size", "--min-size"},
                                                          {"--min-siez", "--min-size"},
                                                          {"--out", "--output"},
                                                          {"--outptu=x.tif", "--output"},
                                                          {"--verbose", "--progress"},
                                                          {"-json", "--json"},
                                                          {"--js", "--json"},
                                                          {"--algorithm=bke", "--algo"},
                                                          {"--threshhold", "--threshold"}};
  for (const auto& [given, meant] : misspelt)
    refused({"-o", "x.tif", given},
            "no option '" + std::string(given) + "'; did you mean " + meant + "? (see ");
  const std::pair<const char*, const char*> of_others[] = {
      {"--csv", "; did you mean --stats?"},
      {"--min-area", "; did you mean --min-size?"},
      {"--watershed", "; splitting touching objects is not part of gpuccl; do it first"}};
  for (const auto& [given, remedy] : of_others)
    refused({"-o", "x.tif", given}, "no option '" + std::string(given) + "'" + remedy);
  fails({"measure", "x.tif", "--view", "x.html"}, 64,
        "no option '--view'; run gpuccl view on the label image");
  for (const char* command : {"measure", "match"})
    fails({command, "x.tif", "--periodic", "xy"}, 64,
          "no option '--periodic'; run gpuccl label --periodic first");
  fails({"track", "movie.tif"}, 64, "no command or option 'track'; did you mean match --track?");
  fails({"bench", source_file("data/page.png")}, 64, "; for your own images use --dataset ");
  fails({"lable", "x.png"}, 64, "no command or option 'lable'; did you mean label?");
  fails({"help", "lable"}, 64, "no command or option 'lable'; did you mean label?");
  fails({"help", "foo"}, 64, "no command or option 'foo' (see 'gpuccl --help')");
  fails({"foo", "--help"}, 64, "no command or option 'foo'");
  fails({"help", "label", "foo"}, 64, "'foo' is unexpected: help takes one command");
  for (const Words& asked :
       {Words{"help"}, Words{"help", "label"}, Words{"label", "--help"}, Words{"--help"}})
    CHECK(succeeds(asked).find("Usage: gpuccl") != std::string::npos);
  for (const char* version : {"--version", "-V"}) fails({"label", version}, 64, "try gpuccl --version");
  fails({"--verson"}, 64, "did you mean --version?");
  CHECK(fails({"label", "x.png", "--frobnicate"}, 64, "'--frobnicate'").find("mean") == std::string::npos);
  fails({"in.png"}, 64, "'in.png'; to label it: gpuccl label in.png -o labels.tiff");
  // A folder that is there is meant, also where a command has nearly its name.
  const std::filesystem::path before = std::filesystem::current_path();
  {
    const ScratchFolder scratch;
    std::filesystem::create_directory(scratch / "lable");
    std::filesystem::current_path(scratch.path());
    fails({"lable"}, 64, "; to label it: gpuccl label lable -o labels/");
    std::filesystem::current_path(before);
  }
  fails({"a b.png"}, 64, "; to label it: gpuccl label 'a b.png' -o labels.tiff");
  fails({source_file("data")}, 64, "; to label it: gpuccl label " + source_file("data") + " -o labels/");
  CHECK(succeeds({"-V"}) == succeeds({"--version"}));
  fails({"label", "in.png", "out.tiff"}, 64, "to write a label image of that name, use -o out.tiff");
}

TEST_CASE("a short option with letters at its end is no value") {
  const ScratchFolder scratch;
  const std::string image = save(scratch / "in.png", tests::drawn(Words{"#.#"}).view());
  fails({"label", image, "-out", scratch / "o.tiff"}, 64, "no option '-out'; did you mean --output?");
  fails({"label", image, "-of", scratch / "o.tiff"}, 64, "no option '-of'; did you mean -o f?");
  fails({"label", image, "-o=" + scratch / "o.tiff"}, 64, "did you mean -o " + scratch / "o.tiff" + "?");
  CHECK(count_entries(scratch.path()) == 1);
  succeeds({"label", image, "-o" + scratch / "o.tiff", "-c4"});
  CHECK(count_entries(scratch.path()) == 3);
}

TEST_CASE("a dash of a word processor is no input") {
  const std::pair<const char*, const char*> typed[] = {{"\u2013o", "-o"},
                                                       {"\u2014output", "--output"},
                                                       {"\u2013\u2013output=x.tif", "--output"},
                                                       {"\u2212c", "-c"}};
  for (const auto& [given, meant] : typed)
    refused({given, "o.tif"},
            "'" + std::string(given) + "' does not begin with a hyphen; did you mean " + meant + "?");
  fails({"\u2014help"}, 64, "no command or option '\u2014help'; did you mean --help?");
}

TEST_CASE("words after -- are names") {
  const ScratchFolder scratch;
  const std::string image = save(scratch / "in.png", tests::drawn(Words{"#.#"}).view());
  fails({"label", "--json", "-", "--", "-o"}, 66, "gpuccl: ./-o: ");
  CHECK(report_of({"--", image})["labeling"]["components"] == 2);
  fails({"list", "--", "--json"}, 64, "'./--json' is unexpected: list takes options only");
}

TEST_CASE("values that an option does not take are refused") {
  refused({"-o", "x.tif", "--device", "tpu"}, "'tpu' is not one of auto|cuda|cpu");
  refused({"-o", "x.tif", "--device", "1"}, "'1' is not one of");
  refused({"-o", "x.tif", "--threads", "0"}, "--threads");
  refused({"-o", "x.tif", "--threads", "two"}, "--threads");
  refused({"-o", "x.tif", "--gpu", "-1"}, "--gpu");
  for (const char* const gpus : {"", "0,,1", "one", "0,1024", "2,1,2"})
    refused({"-o", "x.tif", "--gpus", gpus}, "--gpu");
  refused({"-o", "x.tif", "--threshold", "high"}, "'high' is not a number, LOW:HIGH or otsu");
  refused({"-o", "x.tif", "--threshold", "nan"}, "'nan' is not a number");
  for (const char* value : {"", "1,", "x", "nan", "1 2"})
    refused({"-o", "x.tif", "--value", value}, "is not a number");
  refused({"-o", "x.tif", "--value", "1,5..2"}, "'5..2' ends before it begins");
  for (const char* count : {"-3", "1K", "0x10", "1.0", " 1", "99999999999999999999"})
    refused({"-o", "x.tif", "--min-size", count},
            "'" + std::string(count) + "' is neither an integer nor a size");
  refused({"-o", "x.tif", "--jobs", "256"}, "'256' is not an integer from 1 to 255");
  for (const char* option : {"--preview", "--view"}) refused({option, "-"}, "cannot go to standard output");
  for (const char* option : {"--json-dir", "--stats-dir", "--contacts-dir", "--preview-dir", "--parts-dir"})
    refused({option, "-"}, "is a folder, not a stream");
  for (const char* option : {"-o", "--json", "--stats", "--preview", "--report", "--json-dir"})
    refused({option, "--quiet"}, "looks like an option; for a file of that name use ./--quiet");
  for (const char* image : {"page.png", "in/scan.TIF", "labels.npy"})
    for (const char* option : {"--json", "--stats", "--report"})
      refused({option, image}, "is the name of an image, but the output is text");
  for (const char* size : {"0", "-1", "4Q", "4GBs", "4iB", "G", "GB", "1.5G", ""})
    refused({"-o", "x.tif", "--memory", size}, "is not a size such as");
  for (const char* given : {"--no-fsync=maybe", "--quiet=0", "--keep-going=99999999999999999999"})
    refused({"-o", "x.tif", given}, "takes no value");
  refused({"-o", "x.tif", "--label-type", "u64"}, "u64");
  refused({"-o", "x.tif", "--compress", "zip"}, "zip");
  refused({"-o", "x.tif", "--order", "random"}, "random");
  refused({"-o", "x.tif", "--foreground", "dark"}, "dark");
}

TEST_CASE("values are taken as other programs write them") {
  const ScratchFolder scratch;
  const std::string image = save(scratch / "in.png", tests::drawn(Words{"#.#"}).view());
  const auto label_type = [&](const char* type) {
    return report_of({image, "-o", scratch / "o.tif", "--label-type", type})["labeling"]["label_type"];
  };
  CHECK(label_type("uint8") == label_type("u8"));
  CHECK(label_type("UINT16") == label_type("u16"));
  CHECK(label_type("uint32") == label_type("u32"));
  CHECK(label_type("u8") != label_type("u32"));
  for (const char* size :
       {"2GB", "2g", "2GiB", "2gb", "2G", "9223372036854775808", "18446744073709551616", "99999999999999T"})
    succeeds(
        {"label", image, "--json", "/dev/null", "--memory", size, "--threshold", "Otsu", "--order", "Size"});
  refused({"--json", "-", "--device", "GPU", "--algo", "Flood-Fill"},
          "flood-fill runs only on the CPU; use --device cpu");
}

TEST_CASE("options that contradict each other are refused") {
  refused({"--stats", "x.csv", "--label-type", "u8"}, "--label-type needs --output FILE");
  refused({"--stats", "x.csv", "--format", "png"}, "--format needs --output FOLDER/");
  refused({"-o", "x.tif", "--gpus", "0", "--device", "cpu"}, "--device cpu uses none");
  refused({"-o", "x.tif", "--time-phases", "--device", "cpu"}, "cannot be combined");
  refused({"-o", "x.tif", "--skip-existing"}, "--skip-existing needs an output folder");
  fails({"--quiet", "label", "x.png"}, 64, "no command or option '--quiet' before 'label'");
  refused({"-o", "x.tif", "--algo", "bke", "-c", "4"}, "bke does not label 4-connectivity");
  refused({"-o", "x.tif", "--algo", "bke", "--device", "cpu"}, "bke runs only on a GPU; use --device cuda");
  refused({"-o", "x.tif", "--algo", "flood-fill", "--device", "cuda"},
          "flood-fill runs only on the CPU; use --device cpu");
  fails({"label", "-", "--stack", "-o", "x.tif"}, 64, "--stack");
}

TEST_CASE("likely mistakes in inputs are refused with the right command") {
  const ScratchFolder scratch;
  fails({"label", "@in.png", "-o", "out/"}, 64, "in.png: is an image, not a list of inputs");
  fails({"label", scratch.path().string(), "--json", "-"}, 64, "--report for one file or stream");
  fails({"label", source_file("data/page.png"), "--recursive", "-o", scratch / "o.tiff"}, 64,
        "page.png: is one file; remove --recursive");
  fails({"label", "1.png", "2.png", "-o", "s.tiff"}, 64, "give their folder and --stack");
  const std::string page = source_file("data/page.png"), cells = source_file("data/cells.tif");
  fails({"label", page, "--measure", "shape", "topology", "border", "--stats", "-"}, 64,
        "'topology' is taken as an input and does not exist; lists are joined by commas: --measure "
        "shape,topology,border");
  fails({"label", page, "--value", "2", "3", "--stats", "-"}, 64, "joined by commas: --value 2,3");
  fails({"label", page, "--value", "-2", "-3", "--stats", "-"}, 64, "joined by commas: --value -2,-3");
  CHECK(gpuccl({"label", page, "--measure", "shape", "gone.png", "--stats", "-"})
            .err.find("gone.png: no such file") != std::string::npos);
  fails({"label", page, "--fill-holes", "2um3", "-o", "p.tif"}, 64, "--fill-holes: '2um3' is ");
  fails({"label", page, "--intensity", page, cells, "--stats", scratch / "t.csv"}, 64,
        "if '" + cells + "' is not an input, join images by commas: --intensity " + page + "," + cells);
  fails({"label", page, "--report", "x.json"}, 64,
        "--report is for several inputs; for one use --json x.json");
  fails({"label", page, "--report", "x.json", "-o", "x.tif"}, 64, "for the report of one input use --json");
  fails({"label", page, "-o", "no/such/x.tif"}, 73,
        "the folder does not exist; make it first: mkdir -p no/such");
  refused({"-o", "x.tif", "--spacing", "1x1x1"},
          "'1x1x1' is not X,Y or X,Y,Z or X,Y,Z,UNIT, such as 0.2,0.2,1,um");
}

TEST_CASE("a name does nothing to the terminal that a message with it goes to") {
  const ScratchFolder scratch;
  const std::pair<const char*, const char*> names[] = {
      {"\x9b[2J", "\\x9b[2J"},                // C1 as a byte of its own, which is no UTF-8
      {"\xc2\x9b[2J", "\\xc2\\x9b[2J"},       // the same character in UTF-8
      {"a\u202egnp", "a\\xe2\\x80\\xaegnp"},  // from here on right to left
      {"a\u2066b\u200fc", "a\\xe2\\x81\\xa6b\\xe2\\x80\\x8fc"},
      {"a\u2028b", "a\\xe2\\x80\\xa8b"},
      {"\xc0\xaf\xed\xa0\x80\xf5", "\\xc0\\xaf\\xed\\xa0\\x80\\xf5"},  // no characters
      {"\u00fc\u20ac\u6f22\U0001f642", "\u00fc\u20ac\u6f22\U0001f642"}};
  for (const auto& [name, shown] : names)
    fails({"label", scratch / (std::string(name) + ".png"), "--json", "-"}, 66,
          "/" + std::string(shown) + ".png: ");
}

TEST_CASE("a name with control characters stays on one line") {
  const ScratchFolder scratch;
  const std::string line =
      fails({"label", scratch / "a\nb\x1b[2Jc\x7f.png", "--json", "-"}, 66, "a\\x0ab\\x1b[2Jc\\x7f.png: ");
  CHECK(line.find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace gpuccl
