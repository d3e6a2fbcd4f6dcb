"""oss_fuzz.py: what OSS-Fuzz gets builds the fuzzers that there are, with seeds and valid dictionaries.

GPUCCL_LONG: build.sh builds one of them with clang, as OSS-Fuzz calls it, and the fuzzer runs.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
OSS_FUZZ = HERE / "oss-fuzz"


def check_scripts():
    for script in (OSS_FUZZ / "build.sh", HERE / "seeds.sh"):
        assert os.access(script, os.X_OK), script
        subprocess.run(["bash", "-n", script], check=True)
        if shutil.which("shellcheck"):
            subprocess.run(["shellcheck", "-S", "error", script], check=True)


def check_targets():
    """Every fuzzer, except those whose finds belong to others."""
    there = set(re.findall(r"^gpuccl_add_fuzzer\((\w+)", (HERE / "CMakeLists.txt").read_text(), re.M)) - {"hdf5"}
    built = set(re.search(r"FUZZERS:-([a-z0-9 ]+)}", (OSS_FUZZ / "build.sh").read_text())[1].split())
    assert built == there, built ^ there
    return sorted(there)


def check_project():
    fields = dict(re.findall(r"^([a-z_]+):(.*)$", (OSS_FUZZ / "project.yaml").read_text(), re.M))
    assert fields["language"].strip() == "c++", fields
    assert {"sanitizers", "fuzzing_engines", "base_os_version"} <= fields.keys()
    base = re.search(r"^FROM gcr\.io/oss-fuzz-base/base-builder:(\S+)$", (OSS_FUZZ / "Dockerfile").read_text(), re.M)
    assert base and base[1] == fields["base_os_version"].strip(), "another system in project.yaml than in Dockerfile"
    # The packages that ./dev installs to build, without tools that the image has.
    needs = re.search(r"needs\(\) \{\n  cat <<'EOF'\n(.*?)\nEOF", (SOURCE / "release/setup.sh").read_text(), re.S)[1]
    wanted = {line.split()[0] for line in needs.splitlines()} - {"g++", "git", "libhdf5-dev"}
    missing = wanted - set((OSS_FUZZ / "Dockerfile").read_text().split())
    assert not missing, missing


def check_dictionaries(targets):
    entry = re.compile(r'([A-Za-z0-9_]+=)?"([^"\\\x00-\x1f]|\\"|\\\\|\\x[0-9a-fA-F]{2})+"')
    for path in (HERE / "dictionaries").iterdir():
        assert path.suffix == ".dict" and path.stem in targets, path
        lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
        assert lines and len(set(lines)) == len(lines), path
        for line in lines:
            assert entry.fullmatch(line), (path, line)


def check_seeds(targets, scratch):
    for target in targets:
        folder = pathlib.Path(scratch) / "seeds" / target
        subprocess.run([HERE / "seeds.sh", target, folder], check=True, env={**os.environ, "GPUCCL_SHARED": scratch})
        assert any(path.stat().st_size for path in folder.iterdir()), target
    wrong = subprocess.run([HERE / "seeds.sh", "nothing", scratch], capture_output=True)
    assert wrong.returncode == 64, wrong


def build(scratch):
    """As OSS-Fuzz does, with its flags."""
    source, out = pathlib.Path(scratch) / "src", pathlib.Path(scratch) / "out"
    source.mkdir()
    out.mkdir()
    (source / "gpuccl").symlink_to(SOURCE)
    flags = "-O1 -fno-omit-frame-pointer -gline-tables-only -fsanitize=address -fsanitize=fuzzer-no-link"
    environment = {**os.environ, "SRC": str(source), "WORK": str(pathlib.Path(scratch) / "work"), "OUT": str(out), "FUZZERS": "nrrd",
                   "CC": "clang", "CXX": "clang++", "CFLAGS": flags, "CXXFLAGS": flags, "LIB_FUZZING_ENGINE": "-fsanitize=fuzzer"}
    done = subprocess.run([OSS_FUZZ / "build.sh"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    with zipfile.ZipFile(out / "fuzz_nrrd_seed_corpus.zip") as seeds:
        assert seeds.namelist()
        seeds.extractall(out / "seeds")
    # Libraries come from the folder of the program.
    listed = subprocess.run(["ldd", out / "fuzz_nrrd"], capture_output=True, text=True, check=True).stdout
    assert str(out / "lib") in listed, listed
    ran = subprocess.run([out / "fuzz_nrrd", f"-dict={out / 'fuzz_nrrd.dict'}", "-runs=20000", "-max_len=5000", out / "seeds"],
                         capture_output=True, text=True, cwd=out)
    assert ran.returncode == 0 and "Done 20000 runs" in ran.stderr, ran.stderr[-3000:]
    print("fuzz_nrrd was built and did 20,000 runs")


with tempfile.TemporaryDirectory() as scratch:
    check_scripts()
    targets = check_targets()
    check_project()
    check_dictionaries(targets)
    check_seeds(targets, scratch)
    print(len(targets), "fuzzers with seeds,", len(list((HERE / "dictionaries").iterdir())), "dictionaries")
    if os.environ.get("GPUCCL_LONG"):
        if not shutil.which("clang++") or not shutil.which("zip"):
            print("skipped: no clang or no zip")
            sys.exit(0)
        build(scratch)
