#!/usr/bin/env python3
"""Lists the source files that labeling one PNG executes, and its calls that run from a layer up into a higher one.

    path.py PROGRAM [ARGUMENT...]   runs `PROGRAM label data/page.png`, or PROGRAM with other arguments, in callgrind

PROGRAM needs line numbers, and no optimization, so that each function is seen in its own file:

    cmake --preset cpu -B build/path -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O0 -g1" -DGPUCCL_TESTS=OFF
    cmake --build build/path --target gpuccl

The layers are those of layers.cmake. A lower layer calls a higher one only through what it was given: a template argument
or a virtual function, which are counted, or a std::function, whose calls pass through headers of the C++ library. Public
headers declare functions of all layers of lib. Any other call up is an error.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Functions that only declare things. A reader of the path skips their callees.
LISTS = {
    "declarations of options": re.compile(
        r"gpuccl::app::(\w+::|\(anonymous namespace\)::)*(add(_\w+)?\(gpuccl::app::Command const&|wrong_path\()"),
    "the table of measures": re.compile(r"gpuccl::(measures|measures_of|columns|by_name_only|measuring::[^(]*)\("),
    "initialization of constants": re.compile(r"_GLOBAL__sub_I_|__static_initialization|::be_child\("),
    "the version": re.compile(r"gpuccl::app::version"),
}


def profile(command, folder):
    """Runs the command. Returns the file of each function, and its callees; a function is (file, name)."""
    out = f"{folder}/calls"
    subprocess.run(["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no",
                    f"--callgrind-out-file={out}", *command], check=True, capture_output=True, cwd=ROOT)
    callees, current, file, callee_file = collections.defaultdict(set), None, "", None
    for line in open(out, errors="replace"):
        key, _, value = line.rstrip("\n").partition("=")
        if key in ("fl", "fi", "fe"):
            file = os.path.normpath(value)
        elif key == "fn":
            current = (file, value)
            callees[current]
        elif key in ("cfi", "cfl"):
            callee_file = os.path.normpath(value)
        elif key == "cfn":
            callees[current].add((callee_file or file, value))
            callee_file = None
    return callees


def reached(callees, passed_by):
    """Returns the functions that are executed, without those in the patterns and what only these call."""
    called = {callee for all_of in callees.values() for callee in all_of}
    found, waiting = set(), [function for function in callees if function not in called]
    while waiting:
        function = waiting.pop()
        if function in found or any(pattern.search(function[1]) for pattern in passed_by):
            continue
        found.add(function)
        waiting += callees.get(function, ())
    return found


def sources(functions):
    """Returns the source files, without headers, of functions of the project."""
    paths = {pathlib.Path(file) for file, _ in functions if file.endswith(".cpp")}
    return sorted({str(path.relative_to(ROOT)) if path.is_relative_to(ROOT / name) else f"build: {path.name}"
                   for path in paths for name in ("app", "io", "lib", "build") if path.is_relative_to(ROOT / name)})


def layer_of():
    """Returns a function from a path to the number of its layer; None outside all layers."""
    text = (ROOT / "tests/lint/layers.cmake").read_text()
    layers = re.search(r"set\(layers\n(.*?)\)", text, re.S)[1].replace('"', "").splitlines()
    number = {folder: i for i, line in enumerate(layers) for folder in line.split()}

    def layer(path):
        path = pathlib.Path(path)
        if not path.is_relative_to(ROOT):
            return None
        return next((number[str(folder)] for folder in path.relative_to(ROOT).parents if str(folder) in number), None)
    return layer


def scope_and_name(function):
    """Returns the class, namespace or enclosing function of a function, and its name without arguments."""
    text, depth = re.sub(r"( const)?( \[clone.*\])?$", "", function), 0
    for end in range(len(text) - 1, -1, -1):
        depth += (text[end] == ")") - (text[end] == "(")
        if depth == 0:
            break
    text, depth, begin, split = text[:end], 0, 0, 0
    for i, c in enumerate(text):  # arguments of templates contain names, too
        depth += (c in "<({") - (c in ">)}")
        if depth == 0 and c == " ":  # templates have a return type
            begin = split = i + 1
        elif depth == 0 and text[i - 1:i + 1] == "::":
            split = i + 1
    return text[begin:max(begin, split - 2)], re.sub(r"\[abi:\w+\]|<.*", "", text[split:])


def is_argument(callee, caller):
    """Returns whether the callee is a lambda or a member of a class that the caller, a template, was made for."""
    scope, name = scope_and_name(callee[1])
    if caller[1].startswith("_Z"):  # callgrind cannot read every name of a template
        return name == "operator()"
    is_namespace = re.search(r"(^|::)([a-z]\w*|\(anonymous namespace\))$", scope)
    return "<" in caller[1] and scope in caller[1] and not is_namespace


def overrides(callee):
    """Returns whether the file of the callee, or its header, declares a function of this name with `override`."""
    pattern = rf"(?<!\w){re.escape(scope_and_name(callee[1])[1])}\([^;{{]*\boverride\b"
    files = [pathlib.Path(callee[0]), pathlib.Path(callee[0]).with_suffix(".hpp")]
    return any(re.search(pattern, file.read_text()) for file in files if file.exists())


def main():
    with tempfile.TemporaryDirectory() as folder:
        arguments = sys.argv[2:] or ["label", "data/page.png", "-o", f"{folder}/labels.tif"]
        callees = profile([str(pathlib.Path(sys.argv[1]).resolve()), *arguments], folder)
    every, path = sources(reached(callees, ())), sources(reached(callees, LISTS.values()))
    print("\n".join(path))
    print(f"{len(every)} files are executed, {len(path)} without {', '.join(LISTS)}")

    layer, kinds = layer_of(), collections.Counter()
    for caller, called in callees.items():
        for callee in called:
            if None in (layer(caller[0]), layer(callee[0])) or layer(caller[0]) >= layer(callee[0]):
                continue
            kind = ("template" if is_argument(callee, caller) else "virtual" if overrides(callee) else
                    "public" if "/lib/include/" in caller[0] else "other")
            kinds[kind] += 1
            if kind == "other":
                print(f"runs up: {caller[1]} -> {callee[1]}")
    print(f"calls up: {kinds['template']} of template arguments, {kinds['virtual']} of virtual functions, "
          f"{kinds['other']} others")
    return 1 if kinds["other"] else 0


sys.exit(main())
