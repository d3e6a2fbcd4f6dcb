#!/usr/bin/env python3
"""The parts of release/all: notes, sums, the list of what is linked, symbols of wheels, and libraries that packages
require. Arguments of unittest. 77 (skipped) without CMake, Ninja or Debian packages.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(linked LANGUAGES CXX)
add_link_options(LINKER:-Map=linked.map)
add_library(own STATIC own.cpp)
add_executable(linked main.cpp)
target_link_libraries(linked own libz.a png16 LIBRARIES)
add_executable(unused unused.cpp)
"""


def run(*command, cwd=None, fails=False, **variables):
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, env={**ENVIRONMENT, **variables}
    )
    if (done.returncode != 0) != fails:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout + done.stderr


class Parts(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, **files):
        for name, text in files.items():
            (self.folder / name.replace("_", ".")).write_text(text)

    def test_notes_are_the_section_of_the_version(self):
        log = self.folder / "CHANGELOG.md"
        log.write_text("# Changelog\n\n## 0.2.0 (2030-01-02)\n\n- New.\n\n## 0.1.0 (2029-01-01)\n\n- First.\n")
        (self.folder / "gpuccl-0.1.0-cp312-abi3-manylinux_2_34_x86_64.whl").write_bytes(bytes(4_200_000))
        notes = run(ROOT / "release/notes.py", log, "0.1.0", self.folder)
        self.assertIn("- First.", notes)
        self.assertNotIn("New", notes)
        self.assertRegex(notes, r"\| `gpuccl-0.1.0-cp312.*whl` \| 4.2 MB \| .*pip install")
        self.assertNotIn("CHANGELOG", notes)
        self.assertIn("no section 0.3.0", run(ROOT / "release/notes.py", log, "0.3.0", self.folder, fails=True))
        self.assertIn("no section 0.1", run(ROOT / "release/notes.py", log, "0.1", self.folder, fails=True))

    def test_sums_are_of_every_file(self):
        version = re.search(r"^project\(gpuccl VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
        names = {f"gpuccl-{version}.tar.gz", f"gpuccl_{version}_amd64.deb", f"gpuccl-{version}.spdx.json"}
        for name in names:
            (self.folder / name).write_text(name)
        for _ in range(2):
            run(ROOT / "release/finish.sh", self.folder, version)
            sums = (self.folder / "SHA256SUMS").read_text()
            self.assertEqual({line.split("  ")[1] for line in sums.splitlines()}, names | {"NOTES.md"})
            run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=self.folder)
        self.assertEqual({path.name for path in self.folder.iterdir()}, names | {"NOTES.md", "SHA256SUMS"})
        (self.folder / f"gpuccl-{version}.tar.gz").write_text("another")
        run("sha256sum", "--check", "SHA256SUMS", cwd=self.folder, fails=True)

    def build(self, libraries):
        self.write(
            CMakeLists_txt=PROJECT.replace("LIBRARIES", libraries),
            own_cpp="#include <CLI/CLI.hpp>\n#include <hdf5/serial/hdf5.h>\nint own() { return CLI::App().count_all(); }\n",
            unused_cpp="#include <nlohmann/json.hpp>\nint main() {}\n",
            main_cpp="#include <png.h>\n#include <zlib.h>\nint own();\n"
            'extern "C" const char* jbg_strerror(int);\n'
            "int main() { return zlibVersion()[0] + png_access_version_number() + own() + STRING; }\n".replace(
                "STRING", "jbg_strerror(1)[0]" if libraries else "0"
            ),
        )
        run("cmake", "-G", "Ninja", "-B", "build", cwd=self.folder)
        run("ninja", "-C", "build", "linked", cwd=self.folder)
        (self.folder / "release.tar").write_text("contents")
        return ROOT / "release/sbom.py", "1.2", self.folder / "sbom.json", f"{self.folder}/release.tar={self.folder}/build:linked"

    def test_linked_libraries_are_listed(self):
        command = self.build("")
        run(*command, f"{self.folder}/release.tar=@/usr/lib/x86_64-linux-gnu/liblz4.so")
        first = (self.folder / "sbom.json").read_bytes()
        sbom = json.loads(first)
        names = {package["SPDXID"]: package["name"] for package in sbom["packages"]}
        file = "SPDXRef-File-release.tar"
        linked = {
            (names.get(r["relatedSpdxElement"], file), r["relationshipType"], names.get(r["spdxElementId"], file))
            for r in sbom["relationships"] if file in (r["spdxElementId"], r["relatedSpdxElement"])
        }  # fmt: skip
        for expected in (("zlib", "STATIC_LINK", file), ("libpng1.6", "DYNAMIC_LINK", file), ("cli11", "STATIC_LINK", file),
                         ("glibc", "DYNAMIC_LINK", file), ("lz4", "CONTAINS", file),
                         (file, "OPTIONAL_DEPENDENCY_OF", "hdf5")):  # fmt: skip
            self.assertIn(expected, linked)
        self.assertFalse({"nlohmann-json3", "jbigkit", "own"} & set(names.values()))
        for package in sbom["packages"]:
            self.assertTrue(package["versionInfo"] and package["licenseDeclared"], package)
        zlib = next(package for package in sbom["packages"] if package["name"] == "zlib")
        installed = run("dpkg-query", "-W", "-f", "${source:Version}", "zlib1g-dev")
        self.assertEqual((zlib["versionInfo"], zlib["licenseDeclared"]), (installed, "Zlib"))
        self.assertEqual(sbom["files"][0]["checksums"][1]["checksumValue"], run("sha256sum", self.folder / "release.tar")[:64])
        self.assertEqual(sbom["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        run(*command, f"{self.folder}/release.tar=@/usr/lib/x86_64-linux-gnu/liblz4.so")
        self.assertEqual((self.folder / "sbom.json").read_bytes(), first)

    def test_a_library_under_the_gpl_is_refused(self):
        if not pathlib.Path("/usr/lib/x86_64-linux-gnu/libjbig.a").exists():
            self.skipTest("no libjbig-dev")
        self.assertIn("jbigkit is linked statically", run(*self.build("libjbig.a"), fails=True))

    def test_a_library_without_an_owner_is_refused(self):
        command = self.build("")
        (self.folder / "x.so").write_text("")
        self.assertIn("x.so: of no package", run(*command, f"{self.folder}/release.tar=@{self.folder}/x.so", fails=True))

    def test_symbols_of_wheels(self):
        self.write(
            old_c='#include <stdio.h>\nint main(void) { return puts("old"); }\n',
            new_c="#include <stdlib.h>\nint main(void) { return (int)arc4random(); }\n",
            of_cpp="#include <string>\nint main(int n, char** words) { return std::string(words[0]).size() + n; }\n",
        )
        for name, compiler, complaint in (("old.c", "gcc", ""), ("new.c", "gcc", "GLIBC_2.36"), ("of.cpp", "g++", "libstdc++")):
            run(compiler, "-o", "program", name, cwd=self.folder)
            said = run(ROOT / "tests/python/manylinux.sh", "program", cwd=self.folder, fails=bool(complaint))
            self.assertIn(complaint, said)

    def test_packages_require_libraries(self):
        """Without the .pc file of one library, a build of a package is not configured."""
        paths = run("pkg-config", "--variable", "pc_path", "pkg-config").strip().split(":")
        have = {path.name: path for folder in reversed(paths) for path in pathlib.Path(folder).glob("*.pc")}
        for without, names in (("blosc", {"blosc.pc"}), ("hdf5", {"hdf5.pc", "hdf5-serial.pc"})):
            pc = self.folder / without
            pc.mkdir()
            for name in have.keys() - names:
                (pc / name).symlink_to(have[name])
            said = run(
                "cmake", "--preset", "package-cpu", "-B", self.folder / f"build-{without}", "-DGPUCCL_TESTS=OFF",
                cwd=ROOT, fails=True, PKG_CONFIG_LIBDIR=str(pc),
            )  # fmt: skip
            self.assertIn("CMake Error", said)
            self.assertRegex(said, rf"(?i){without}.*not found|None of the required '{without}")


if __name__ == "__main__":
    if not all(map(shutil.which, ("cmake", "ninja", "dpkg-query", "objdump", "pkg-config"))):
        print("skipped: CMake, Ninja, binutils or Debian packages are missing")
        sys.exit(77)
    unittest.main()
