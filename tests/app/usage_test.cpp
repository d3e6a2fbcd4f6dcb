#include "binary.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/images.hpp"
#include "support/scratch_folder.hpp"

// Exit code 64: what is refused before any file is touched. The inputs do not exist.
namespace gpuccl {
namespace {

void refused(const Words& words, const std::string& part) {
  Words all = {"label", "no-such-file.png"};
  all.insert(all.end(), words.begin(), words.end());
  fails(all, 64, part);
}

TEST_CASE("a command line that says nothing sensible is refused with a hint") {
  fails(Words{}, 64, "gpuccl --help");
  fails({"lable", "x.png"}, 64, "no command or option 'lable'");
  fails({"--frobnicate"}, 64, "no command or option '--frobnicate'");
  fails({"label"}, 64, "gpuccl label --help");
  fails({"label", "x.png"}, 64, "nothing to write");
  fails({"label", "x.png", "y.png", "-o", "z.tif"}, 64, "let its name end in /");
  fails({"label", "", "-o", "z.tif"}, 64, "a name is missing");
  refused({"--frobnicate"}, "no option '--frobnicate'");
  fails({"label", "--frobnicate", "x.png"}, 64, "no option '--frobnicate'");
  fails({"label", "--frobnicate"}, 64, "no option '--frobnicate'");  // said before that there is no input
  refused({"-o"}, "--output");
}

TEST_CASE("values that an option does not take are refused") {
  refused({"-o", "x.tif", "-c", "5"}, "'5' is not one of 4|8|6|18|26");
  refused({"-o", "x.tif", "--device", "gpu"}, "'gpu' is not one of auto|cuda|cpu");
  refused({"-o", "x.tif", "--device", "1"}, "'1' is not one of");
  refused({"-o", "x.tif", "--algo", "magic"}, "no algorithm 'magic'; there are auto, runs");
  refused({"-o", "x.tif", "--threads", "0"}, "--threads");
  refused({"-o", "x.tif", "--threads", "two"}, "--threads");
  refused({"-o", "x.tif", "--gpu", "-1"}, "--gpu");
  refused({"-o", "x.tif", "--threshold", "high"}, "'high' is neither a number nor otsu");
  refused({"-o", "x.tif", "--threshold", "nan"}, "'nan' is neither");
  for (const char* count : {"-3", "1K", "0x10", "1.0", " 1", "99999999999999999999"})
    refused({"-o", "x.tif", "--min-size", count}, "is not a whole number from 0 on");
  refused({"-o", "x.tif", "--jobs", "256"}, "'256' is not a whole number from 1 to 255");
  for (const char* option : {"-o", "--preview", "--json-dir", "--stats-dir"})
    refused({option, "-"}, "goes to a file, not to standard output");
  for (const char* option : {"-o", "--json", "--stats", "--preview", "--report", "--json-dir"})
    refused({option, "--quiet"}, "looks like an option; a file of that name is ./--quiet");
  for (const char* image : {"page.png", "in/scan.TIF", "labels.npy"})
    for (const char* option : {"--json", "--stats", "--report"})
      refused({option, image}, "is the name of an image, and this is text");
  for (const char* size : {"0", "-1", "4Q", "4GB", "G", "1.5G", "9999999999G", ""})
    refused({"-o", "x.tif", "--memory", size}, "is not a size such as");
  for (const char* given : {"--no-fsync=maybe", "--quiet=0", "--keep-going=99999999999999999999"})
    refused({"-o", "x.tif", given}, "takes no value");
  refused({"-o", "x.tif", "--label-type", "u64"}, "u64");
  refused({"-o", "x.tif", "--compress", "zip"}, "zip");
  refused({"-o", "x.tif", "--order", "random"}, "random");
  refused({"-o", "x.tif", "--foreground", "dark"}, "dark");
}

TEST_CASE("options that contradict each other are refused") {
  refused({"-o", "x.tif", "--quiet", "--progress"}, "excludes");
  refused({"--json", "-", "--stats", "-"}, "only one of --json, --stats and --report can go to");
  refused({"--json", "-", "--compress", "lzw"}, "need a label image");
  refused({"--stats", "x.csv", "--label-type", "u8"}, "need a label image");
  refused({"-o", "x.tif", "--skip-existing"}, "--skip-existing is for several inputs");
  fails({"--quiet", "label", "x.png"}, 64, "no command or option '--quiet' before 'label'");
  fails({"help", "label"}, 64, "no command or option 'help' before 'label' (see 'gpuccl label --help')");
  refused({"-o", "x.tif", "--min-size", "9", "--max-size", "8"}, "--min-size");
  refused({"-o", "x.tif", "--algo", "bke", "-c", "4"}, "bke does not label 4-connectivity");
  refused({"-o", "x.tif", "--algo", "bke", "--device", "cpu"}, "--device cpu");
  refused({"-o", "x.tif", "--algo", "flood-fill", "--device", "cuda"}, "--device cuda");
  fails({"label", "-", "--stack", "-o", "x.tif"}, 64, "--stack");
}

TEST_CASE("a name with control characters stays on one line") {
  const ScratchFolder scratch;
  const std::string line =
      fails({"label", scratch / "a\nb\x1b[2Jc\x7f.png", "--json", "-"}, 66, "a\\x0ab\\x1b[2Jc\\x7f.png: ");
  CHECK(line.find('\x1b') == std::string::npos);
}

TEST_CASE("odd names are names") {
  const ScratchFolder scratch;
  const BitVolume image = tests::drawn(Words{"#.#"});
  for (const std::string& name :
       {std::string("[a,b].png"), std::string("a b\n.png"), std::string("\xff\xfe.png"),
        std::string("\"q\".png"), std::string(251, 'n') + ".png"}) {
    save(scratch / name, image.view());
    CHECK(report_of({scratch / name, "-o", scratch / "out.tif"})["labeling"]["components"] == 2);
    succeeds({"label", scratch / name, "--json", "/dev/null", "--preview", scratch / ("_" + name.substr(1))});
  }
}

}  // namespace
}  // namespace gpuccl
