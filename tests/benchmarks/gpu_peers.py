#!/usr/bin/env python3
"""Compares gpuccl with libraries that label on an NVIDIA GPU and prints a Markdown table: correct or not, then the time.

Every row is measured in this run, on the same images, which are in GPU memory already: the median of 15 labelings
between two events, after three that are not counted (of 3, where they take long). The labels of a library are compared with those of gpuccl on the
CPU before it is timed. Partition: each component has one label and no two components share one. Libraries that cannot
be loaded are left out, and the table says so. NPP is loaded from the package nvidia-npp or the CUDA toolkit. PyTorch has
no labeling of its own; kornia has two made of its functions, of which one is a fixed number of steps of a pixel each.

    gpu_peers.py --gpuccl build/release/app/gpuccl             table
    gpu_peers.py --python                                      table of calls of Python, gpuccl's among them
    gpu_peers.py --npp-is-wrong     fails if NPP labels the images of docs/bench.md rightly; 77 without GPU, CuPy or NPP
"""
import argparse
import ctypes
import glob
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile

try:
    import cupy
    import numpy
except ImportError as problem:
    print(f"gpu_peers.py: {problem}; install cupy-cuda13x")
    sys.exit(77)

from label_images import noise
from partition import count_of, same_partition, verdict

WARM_UP, REPETITIONS, SLOW_MS = 3, 15, 1500


# ---- libraries: name, version, connectivities, and a function that labels an image in GPU memory


class Peer:
    def __init__(self, name, version, connectivities, label, dimensions=(2, 3)):
        self.name, self.version, self.connectivities, self.label = name, version, connectivities, label
        self.dimensions = dimensions


def with_cupy():
    ndimage = importlib.import_module("cupyx.scipy.ndimage")

    def label(image, connectivity):
        structure = ndimage.generate_binary_structure(image.ndim, 1 if connectivity in (4, 6) else image.ndim)
        return ndimage.label(image, structure)[0]

    return [Peer("CuPy ndimage.label", cupy.__version__, (4, 8, 6, 26), label)]


def with_cucim():
    measure = importlib.import_module("cucim.skimage.measure")

    def label(image, connectivity):
        return measure.label(image, connectivity=1 if connectivity in (4, 6) else image.ndim)

    return [Peer("cuCIM measure.label", importlib.import_module("cucim").__version__, (4, 8, 6, 26), label)]


def with_bkeccl():
    bkeccl = importlib.import_module("bkeccl")

    def labels_with(**options):
        def label(image, _connectivity):
            found = bkeccl.ccl(image, **options, **({"dimensionality": "3D"} if image.ndim == 3 else {}))
            return found[0] if isinstance(found, tuple) else found
        return label

    version = importlib.import_module("importlib.metadata").version("bkeccl")
    return [Peer("bkeccl", version, (8, 26), labels_with()),
            Peer("bkeccl, raw", version, (8, 26), labels_with(output_mode="raw"))]


def with_cvcuda():
    cvcuda = importlib.import_module("cvcuda")

    def label(image, _connectivity):
        tensor = cvcuda.as_tensor(image[..., None], "HWC" if image.ndim == 2 else "DHWC")
        background = cvcuda.as_tensor(cupy.zeros(1, image.dtype), "N")
        labels, _, _ = cvcuda.label(tensor, bg_label=background)
        return cupy.asarray(labels.cuda()).reshape(image.shape)

    return [Peer("CV-CUDA label", cvcuda.__version__, (4, 6), label)]


class NppContext(ctypes.Structure):
    """NppStreamContext of nppdefs.h."""
    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int),
                ("threads_per_multiprocessor", ctypes.c_int), ("threads_per_block", ctypes.c_int),
                ("shared_memory", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int),
                ("flags", ctypes.c_uint), ("reserved", ctypes.c_int)]


class NppSize(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


def npp_library(name):
    folders = [os.path.join(path, "nvidia", "cu*", "lib") for path in sys.path]
    folders += [os.path.join(path, "nvidia", "npp", "lib") for path in sys.path] + ["/usr/local/cuda/lib64"]
    found = [file for folder in folders for file in sorted(glob.glob(os.path.join(folder, f"lib{name}.so.*")))]
    if not found:
        raise ImportError(f"lib{name} is not there")
    return ctypes.CDLL(found[0], mode=ctypes.RTLD_GLOBAL)


def with_npp():
    common, filters = npp_library("nppc"), npp_library("nppif")
    number = common.nppGetLibVersion
    number.restype = ctypes.POINTER(ctypes.c_int * 3)
    version = ".".join(map(str, number().contents))
    attributes = cupy.cuda.Device().attributes
    capability = cupy.cuda.Device().compute_capability  # "90"
    context = NppContext(cupy.cuda.get_current_stream().ptr, cupy.cuda.Device().id, attributes["MultiProcessorCount"],
                         attributes["MaxThreadsPerMultiProcessor"], attributes["MaxThreadsPerBlock"],
                         attributes["MaxSharedMemoryPerBlock"], int(capability[:-1]), int(capability[-1]), 0, 0)

    def call(function, *arguments):
        status = getattr(filters, function)(*arguments)
        if status != 0:
            raise RuntimeError(f"{function} returns {status}")

    def pointer(array):
        return ctypes.c_void_p(array.data.ptr)

    buffers = {}

    def label(image, connectivity, compress=False):
        height, width = image.shape
        size = NppSize(width, height)
        if image.shape not in buffers:
            needed, more = ctypes.c_int(), ctypes.c_int()
            call("nppiLabelMarkersUFGetBufferSize_32u_C1R", size, ctypes.byref(needed))
            call("nppiCompressMarkerLabelsGetBufferSize_32u_C1R", ctypes.c_int(width * height), ctypes.byref(more))
            buffers[image.shape] = cupy.empty(max(needed.value, 1), "u1"), cupy.empty(max(more.value, 1), "u1")
        labels = cupy.empty(image.shape, cupy.uint32)
        norm = 0 if connectivity == 8 else 1  # nppiNormInf, nppiNormL1
        call("nppiLabelMarkersUF_8u32u_C1R_Ctx", pointer(image), ctypes.c_int(width), pointer(labels),
             ctypes.c_int(4 * width), size, ctypes.c_int(norm), pointer(buffers[image.shape][0]), context)
        if compress:
            count = ctypes.c_int()
            call("nppiCompressMarkerLabelsUF_32u_C1IR_Ctx", pointer(labels), ctypes.c_int(4 * width), size,
                 ctypes.c_int(width * height), ctypes.byref(count), pointer(buffers[image.shape][1]), context)
        return labels

    return [Peer("NPP LabelMarkersUF", version, (4, 8), label, (2,)),
            Peer("NPP, and CompressMarkerLabelsUF", version, (4, 8),
                 lambda image, connectivity: label(image, connectivity, True), (2,))]


def with_kornia():
    torch, contrib = importlib.import_module("torch"), importlib.import_module("kornia.contrib")
    version = f"{importlib.import_module('kornia').__version__}, PyTorch {torch.__version__}"

    def by(function):
        return lambda image, _connectivity: cupy.from_dlpack(function(torch.from_dlpack(image)[None, None])[0, 0])

    return [Peer("kornia connected_components", version, (8,), by(contrib.connected_components), (2,)),
            Peer("kornia connected_components_union_find", version, (8,), by(contrib.connected_components_union_find),
                 (2,))]


def load_peers():
    peers, missing = [], []
    for name, load in (("CuPy", with_cupy), ("cuCIM", with_cucim), ("bkeccl", with_bkeccl), ("CV-CUDA", with_cvcuda),
                       ("NPP", with_npp), ("kornia", with_kornia)):
        try:
            peers += load()
        except Exception as problem:  # of whatever kind: the others are still compared
            missing.append(f"{name} ({problem})")
    return peers, missing


# ---- correctness


def numbers_of(labels, expected):
    """Words on the labels of a right partition."""
    foreground = expected != 0
    if (labels[~foreground] != 0).any():
        return "background is labeled"
    if (labels == expected).all():
        return "1 to N in raster order"
    return "1 to N" if count_of(labels) == count_of(expected) else "gaps"


# ---- our side, by the program or by Python


class Package:
    """The Python package: one more peer, timed as the others are."""
    images = [((8192, 8192), d, g, 8) for d, g in ((0.1, 1), (0.5, 1), (0.5, 8), (0.9, 8))]
    images += [((2048, 2048), 0.5, 4, 8), ((1080, 1920), 0.5, 4, 8)]
    images += [((512, 512, 512), d, g, 26) for d, g in ((0.1, 1), (0.3, 4))]

    def __init__(self):
        self.module = importlib.import_module("gpuccl")

    def labels(self, image, connectivity):
        return self.module.label(image, connectivity)[0]

    def rows(self, _image, _connectivity):
        return []

    def peer(self):
        return Peer("gpuccl.label_async", self.module.__version__, (4, 8, 6, 26),
                    lambda image, connectivity: self.module.label_async(image, connectivity)[0])


class Program:
    images = [((2048, 2048), d, g, c) for d, g in ((0.5, 1), (0.5, 8)) for c in (8, 4)]
    images += [((8192, 8192), 0.5, 8, 8), ((256, 256, 256), 0.3, 1, 26), ((256, 256, 256), 0.5, 8, 26)]
    images += [((256, 256, 256), 0.5, 8, 6)]

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def labels(self, image, connectivity):
        """The labels by the CPU."""
        path, out = os.path.join(self.folder, "image.npy"), os.path.join(self.folder, "labels.npy")
        numpy.save(path, image)
        subprocess.run([self.program, "label", path, "-o", out, "-c", str(connectivity), "--device", "cpu", "--quiet",
                        "--label-type", "u32", "--overwrite"], check=True)
        return numpy.load(out).reshape(image.shape)

    def rows(self, image, connectivity):
        """Milliseconds on the GPU to labels 1 to N, and to provisional labels, by algorithm."""
        names = ["runs-bytes", "bke-ic"] if connectivity in (8, 26) else ["runs-bytes", "uf"]
        path, out = os.path.join(self.folder, "image.npy"), os.path.join(self.folder, "bench.json")
        numpy.save(path, image)
        subprocess.run([self.program, "bench", "--device", "cuda", "--algo", ",".join(names), "-c", str(connectivity),
                        "--dataset", path, "--preallocated", "--test", "average", "--repetitions", str(REPETITIONS),
                        "--warm-up", str(WARM_UP), "--json", out], check=True, stdout=subprocess.DEVNULL)
        with open(out) as file:
            rows = json.load(file)["results"][0]["algorithms"]
        for row in rows:
            times = {one["name"]: one["median_ms"] for one in row["measures"]}
            yield f"gpuccl {row['algorithm']}", "yes", "1 to N in raster order", times["numbered"]
            yield f"gpuccl {row['algorithm']}, provisional", "yes", "gaps", times["preallocated"]


# ---- the experiments


def median_ms(action):
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    times = []
    while len(times) < WARM_UP + REPETITIONS and (len(times) < 2 * WARM_UP or sum(times) < SLOW_MS):
        begin.record()
        action()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
    return statistics.median(times[WARM_UP:])


def compare(gpuccl, peers):
    for shape, density, granularity, connectivity in gpuccl.images:
        name = f"{'x'.join(map(str, reversed(shape)))}, density {density}, granularity {granularity}, {connectivity}-conn."
        image = noise(numpy, shape, density, granularity).astype(numpy.uint8)
        for row in gpuccl.rows(image, connectivity):
            yield name, *row
        expected = cupy.asarray(gpuccl.labels(image, connectivity))
        on_gpu = cupy.asarray(image)
        for peer in peers:
            if connectivity not in peer.connectivities or image.ndim not in peer.dimensions:
                continue
            try:
                labels = cupy.asarray(peer.label(on_gpu, connectivity)).reshape(image.shape)
                right = verdict(labels, expected)
                numbers = numbers_of(labels, expected) if right == "yes" else ""
                del labels
                yield name, peer.name, right, numbers, median_ms(lambda: peer.label(on_gpu, connectivity))
            except Exception as problem:  # of whatever kind: the others are still compared
                yield name, peer.name, f"failed: {problem}", "", None
        cupy.get_default_memory_pool().free_all_blocks()


# The images of docs/bench.md, by connectivity: one component, in which NPP 13.2.0 finds two.
SPLIT_BY_NPP = {8: ("#.#", "#.#", ".#."), 4: ("#.#", "#.#", "#.#", "###")}


def expect_npp_is_wrong():
    """Ends with 1 if a minimal image is labeled rightly: then the documents, which warn of NPP, are out of date."""
    try:
        peer = with_npp()[0]
    except Exception as problem:  # of whatever kind: no GPU, no library
        print(f"skipped: {problem}")
        sys.exit(77)
    right = []
    for connectivity, rows in SPLIT_BY_NPP.items():
        image = numpy.array([[pixel == "#" for pixel in row] for row in rows], numpy.uint8)
        labels = cupy.asnumpy(peer.label(cupy.asarray(image), connectivity)).reshape(image.shape)
        print(f"NPP {peer.version}, {connectivity}-connectivity: {len(numpy.unique(labels[image != 0]))} labels in 1 component")
        if same_partition(labels, image):
            right.append(f"{connectivity}-connectivity")
    if right:
        sys.exit(f"gpu_peers.py: NPP {peer.version} is right now with {', '.join(right)}; docs/bench.md says that it is wrong")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ours = parser.add_mutually_exclusive_group(required=True)
    ours.add_argument("--gpuccl", help="the program, built with CUDA")
    ours.add_argument("--python", action="store_true", help="the package gpuccl of this Python instead")
    ours.add_argument("--npp-is-wrong", action="store_true",
                      help="fail if NPP labels the images of docs/bench.md rightly")
    arguments = parser.parse_args()
    if arguments.npp_is_wrong:
        return expect_npp_is_wrong()
    peers, missing = load_peers()
    if arguments.python:
        package = Package()
        peers.insert(0, package.peer())
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    versions = [f"{peer.name} {peer.version}" for peer in peers]
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for row in compare(package if arguments.python else Program(arguments.gpuccl, folder), peers):
            rows.append(row)
            print("  " + ", ".join(str(cell) for cell in row), file=sys.stderr)
    print(f"{device}; {', '.join(versions)}. Missing: {', '.join(missing) or 'none'}. "
          f"Median of {REPETITIONS} labelings in milliseconds, image and labels in GPU memory.\n")
    print("| Image | Library | Partition correct | Numbers | ms |")
    print("|---|---|---|---|--:|")
    for image, library, right, numbers, milliseconds in rows:
        print(f"| {image} | {library} | {right} | {numbers} | {'' if milliseconds is None else f'{milliseconds:.3f}'} |")


if __name__ == "__main__":
    main()
