#!/usr/bin/env python3
"""Writes an SPDX 2.3 document that lists what is linked into the programs of a release.

    sbom.py VERSION OUTPUT FILE=BUILD_DIR:TARGET[,TARGET...]|FILE=@LIBRARY|FILE=...

FILE is a file of the release, TARGET a program or module in it, LIBRARY a library that it contains as it is. FILE can be
named several times. What is linked comes from the linker's map of the target
(GPUCCL_LINK_MAPS=ON), its dynamic section, and the headers that the compiler read. Debian packages own libraries and
headers; others are listed in OTHERS. Fails for a library without an owner, and for a static library under the GPL.
Times are SOURCE_DATE_EPOCH.
"""

import datetime
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

#: SPDX expressions by Debian's source package.
LICENSES = {
    "blosc": "BSD-3-Clause", "c-blosc": "BSD-3-Clause", "cli11": "BSD-3-Clause", "fmtlib": "MIT",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1", "glibc": "LGPL-2.1-or-later", "hdf5": "BSD-3-Clause",
    "isa-l": "BSD-3-Clause", "jbigkit": "GPL-2.0-or-later", "lerc": "Apache-2.0", "libdeflate": "MIT",
    "libisal": "BSD-3-Clause", "libjpeg-turbo": "IJG AND BSD-3-Clause AND Zlib", "libpng1.6": "libpng-2.0",
    "libwebp": "BSD-3-Clause", "libzstd": "BSD-3-Clause", "linux": "GPL-2.0-only WITH Linux-syscall-note",
    "lz4": "BSD-2-Clause", "nlohmann-json3": "MIT", "onetbb": "Apache-2.0", "pugixml": "MIT",
    "snappy": "BSD-3-Clause", "tiff": "libtiff", "xz-utils": "0BSD", "zlib": "Zlib",
}  # fmt: skip

#: What is not Debian's, by the path of a library or header: name, license, and how to read the version.
OTHERS = (
    (r"/static/(lib/libfmt\.a|include/fmt/)", "fmtlib", None, lambda found: installed(found, "fmtlib")),
    (r"/static/(lib/libtbb\.a|include/(oneapi/)?tbb/)", "onetbb", None, lambda found: installed(found, "onetbb")),
    (r"/static/(lib/libtiff\.a|include/tiff)", "tiff", None, lambda found: installed(found, "tiff")),
    (r"/nanobind/ext/robin_map/", "robin-map", "MIT", lambda found: None),
    (r"libnanobind[^/]*\.a$|/nanobind/", "nanobind", "BSD-3-Clause", lambda found: nanobind_version(found)),
    (r"/cuda(-[\d.]+)?/(targets/[^/]+/)?(include|lib|lib64)/", "cuda-toolkit", "LicenseRef-NVIDIA-CUDA-EULA", lambda found: cuda_version(found)),
    (r"/include/python3\.\d+/", "python", "PSF-2.0", lambda found: re.search(r"python(3\.\d+)", found)[1]),
)  # fmt: skip


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout


def installed(path, package):
    """The version of what release/wheel built from source."""
    return (pathlib.Path(path[: path.index("/static/")]) / "static" / package).read_text().strip()


def nanobind_version(path):
    folder = next((p for p in pathlib.Path(path).parents if p.name == "nanobind"), None)
    header = folder / "include/nanobind/nanobind.h" if folder else None
    if header is None or not header.exists():
        return None
    text = header.read_text()
    return ".".join(re.search(rf"define NB_VERSION_{part} +(\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def cuda_version(path):
    for folder in pathlib.Path(path).parents:
        if (folder / "version.json").exists():
            return json.loads((folder / "version.json").read_text())["cuda"]["version"]
    return None


class Linked:
    """Parts of a target: paths of static libraries and objects, shared libraries, and headers."""

    def __init__(self, build, target):
        self.build = pathlib.Path(build).resolve()
        text = (self.build / f"{target}.map").read_text(errors="replace")
        head, _, rest = text.partition("\nLinker script and memory map\n")
        members = re.findall(r"^(\S+\.a)\([^)]*\)$", head, re.M)
        loaded = re.findall(r"^LOAD (\S+)$", rest, re.M)
        # Every program has the C library's and the compiler's start files.
        objects = [path for path in loaded if path.endswith(".o") and not re.search(r"crt[^/]*\.o$", path)]
        members = [path for path in members if not path.endswith("/libc_nonshared.a")]
        self.elf = self.build / re.search(r"^OUTPUT\((\S+) ", rest, re.M)[1]
        self.static = self.paths(members + objects)
        needed = re.findall(r"^ +NEEDED +(\S+)$", output("objdump", "-p", str(self.elf)), re.M)
        self.shared = {self.find(name, loaded) for name in needed}
        self.headers = self.read_headers(target)

    def paths(self, names):
        """Absolute paths, without what this build has compiled itself."""
        found = {os.path.realpath(self.build / name) for name in names}
        own = str(self.build) + os.sep
        return {path for path in found if not path.startswith(own) or "nanobind" in os.path.basename(path)}

    def find(self, soname, loaded):
        for path in loaded:
            if ".so" in path and os.path.basename(os.path.realpath(self.build / path)).startswith(soname.split(".so")[0]):
                return os.path.realpath(self.build / path)
        for line in output("/sbin/ldconfig", "-p").splitlines():
            if line.split(" ", 1)[0].strip() == soname:
                return os.path.realpath(line.rpartition("=> ")[2])
        raise SystemExit(f"sbom.py: {self.elf}: needs {soname}, which was not found")

    def read_headers(self, target):
        """Headers of the objects of the target, and of the libraries of this build in it."""
        inputs = output("ninja", "-C", str(self.build), "-t", "inputs", target).splitlines()
        objects = {line.strip() for line in inputs if line.strip().endswith(".o")}
        headers, wanted = set(), False
        for line in output("ninja", "-C", str(self.build), "-t", "deps").splitlines():
            if not line.startswith(" "):
                wanted = line.partition(": #deps")[0] in objects
            elif wanted:
                headers.add(line.strip())
        outside = self.paths(headers)
        root = str(pathlib.Path(__file__).resolve().parents[1]) + os.sep
        return {path for path in outside if not path.startswith(root) or any(re.search(o[0], path) for o in OTHERS)}


@functools.cache
def debian_files():
    """The Debian package of every file: `dpkg -S` for each would take minutes."""
    owners = {}
    for listing in pathlib.Path("/var/lib/dpkg/info").glob("*.list"):
        for path in listing.read_text().splitlines():
            owners.setdefault(path, listing.name[: -len(".list")])
    return owners


def debian_package(path):
    owners = debian_files()
    for other in (path, path.removeprefix("/usr"), "/usr" + path):
        if other in owners:
            return owners[other]
    return None


@functools.cache
def debian_source(package):
    """(source package, version) of a binary package."""
    format_ = "${source:Package} ${source:Version}"
    return tuple(output("dpkg-query", "-W", "-f", format_, package).split(" "))


@functools.cache
def has_library(package):
    name = package.partition(":")[0]
    return any(owner.partition(":")[0] == name and re.search(r"\.(a|so)$", path) for path, owner in debian_files().items())


def owner_of(path):
    """(name, version, license, whether it is Debian's) of what a file is of, or None."""
    for pattern, name, license_, version in OTHERS:
        if re.search(pattern, path):
            return name, version(path), license_ or LICENSES[name], license_ is None
    package = debian_package(path)
    if package is None:
        return None
    source, version = debian_source(package)
    return source, version, LICENSES.get(re.sub(r"^gcc-\d+$", "gcc-12", source), "NOASSERTION"), True


def contents(linked):
    """{owner: relation}: the closest of static, dynamic, headers alone, and opened at run time if it is there."""
    found = {}
    for relation, paths in (("STATIC_LINK", linked.static), ("DYNAMIC_LINK", linked.shared)):
        for path in sorted(paths):
            owner = owner_of(path)
            if owner is None:
                raise SystemExit(f"sbom.py: {path}: of no package; list it in OTHERS")
            found.setdefault(owner, relation)
    for path in sorted(linked.headers):
        owner = owner_of(path)
        if owner is not None and owner not in found and owner[0] != "linux":
            package = debian_package(path)
            found[owner] = "OPTIONAL_DEPENDENCY_OF" if package and has_library(package) else "STATIC_LINK"
    # A library may be without a version where its headers have one.
    for owner in [owner for owner in found if owner[1] is None]:
        same = next((other for other in found if other[0] == owner[0] and other[1] is not None), None)
        if same is not None:
            found[same] = found.pop(owner)
    for (name, _, license_, _), relation in found.items():
        if relation == "STATIC_LINK" and re.match(r"A?GPL", license_) and "exception" not in license_.lower():
            raise SystemExit(f"sbom.py: {linked.elf}: {name} is linked statically, and its license is {license_}")
    return found


def identifier(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def document(version, files):
    """`files`: {path: {owner: relation}}."""
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    packages, relations, entries, digest = {}, [], [], hashlib.sha256()
    main = identifier("Package", "gpuccl")
    for path, owners in sorted(files.items()):
        data = pathlib.Path(path).read_bytes()
        digest.update(data)
        name = os.path.basename(path)
        entries.append(
            {
                "SPDXID": identifier("File", name),
                "fileName": f"./{name}",
                "checksums": [
                    {"algorithm": kind.upper(), "checksumValue": hashlib.new(kind, data).hexdigest()}
                    for kind in ("sha1", "sha256")
                ],
                "licenseConcluded": "NOASSERTION",
                "copyrightText": "NOASSERTION",
            }
        )
        relations.append((identifier("File", name), "GENERATED_FROM", main))
        for owner, kind in sorted(owners.items(), key=str):
            package, its_version, license_, debian = owner
            id_ = identifier("Package", package, its_version or "")
            packages[id_] = package_entry(id_, package, its_version, license_, debian)
            pair = (identifier("File", name), kind, id_)
            relations.append(pair if not kind.endswith("_OF") else pair[::-1])
    own = package_entry(main, "gpuccl", version, "MIT", False)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"gpuccl-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/gpuccl-{version}-{digest.hexdigest()}",
        "creationInfo": {"created": created, "creators": ["Tool: gpuccl-sbom"]},
        "packages": [own] + [packages[id_] for id_ in sorted(packages)],
        "files": entries,
        "hasExtractedLicensingInfos": [
            {"licenseId": "LicenseRef-NVIDIA-CUDA-EULA", "extractedText": "https://docs.nvidia.com/cuda/eula/index.html"}
        ] if any(p["licenseDeclared"].startswith("LicenseRef-NVIDIA") for p in packages.values()) else [],
        "relationships": [relation("SPDXRef-DOCUMENT", "DESCRIBES", main)] + [relation(*pair) for pair in relations],
    }  # fmt: skip


def relation(of, kind, to):
    return {"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": to}


def package_entry(id_, name, version, license_, debian):
    entry = {
        "SPDXID": id_,
        "name": name,
        "versionInfo": version or "NOASSERTION",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": license_,
        "copyrightText": "NOASSERTION",
    }
    if debian:
        entry["externalRefs"] = [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch=source",
            }
        ]
    return entry


def main(version, to, *specifications):
    files = {}
    for specification in specifications:
        path, _, made = specification.partition("=")
        owners = files.setdefault(path, {})
        if made.startswith("@"):
            owner = owner_of(os.path.realpath(made[1:]))
            if owner is None:
                raise SystemExit(f"sbom.py: {made[1:]}: of no package; list it in OTHERS")
            owners[owner] = "CONTAINS"
            continue
        if not made:
            continue
        build, _, targets = made.rpartition(":")
        for target in targets.split(","):
            for owner, kind in contents(Linked(build, target)).items():
                if owners.get(owner) not in ("STATIC_LINK", "CONTAINS"):
                    owners[owner] = kind
    pathlib.Path(to).write_text(json.dumps(document(version, files), indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
