"""Images of every format that gpuccl reads, made of a fixed generator: the inputs of commands.tsv and of random commands."""
import gzip
import json
import pathlib
import random
import shutil
import struct
import subprocess
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def product(shape):
    count = 1
    for length in shape:
        count *= length
    return count


def blocks(shape, seed, most):
    """Values 0..most in small blocks that touch each other, half of them 0."""
    rng = random.Random(seed)
    depth, height, width = (1,) * (3 - len(shape)) + tuple(shape)
    few = {}
    def value(key):
        if key not in few:
            few[key] = int(rng.random() * (most + 1)) if rng.random() < 0.6 else 0
        return few[key]
    return [value((z // 2, y // 3, x // 4)) for z in range(depth) for y in range(height) for x in range(width)]


def noise(count, seed, most, share=0.4):
    rng = random.Random(seed)
    return [1 + int(rng.random() * most) if rng.random() < share else 0 for _ in range(count)]


def packed(values, code, order="<"):
    return struct.pack(f"{order}{len(values)}{code}", *values)


def write_npy(path, shape, values, kind="|u1", fortran=False):
    code = {"u1": "B", "b1": "?", "i1": "b", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q", "f4": "f", "f8": "d"}[kind[1:]]
    header = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {tuple(shape)}, }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + packed(values, code, ">" if kind[0] == ">" else "<"))


def write_nifti(path, shape, values, kind=2, code="B", spacing=(1, 1, 1), order="<"):
    size = tuple(reversed(shape))
    header = struct.pack(order + "i36s8h", 348, b"", len(size), *size, *(1,) * (7 - len(size)))
    header += struct.pack(order + "3f4h8f", 0, 0, 0, 0, kind, struct.calcsize("<" + code) * 8, 0, 1, *spacing, *(1,) * (7 - len(spacing)))
    header += struct.pack(order + "3fhBB4f", 352, 1, 0, 0, 0, 2, 0, 0, 0, 0)  # millimeters
    header = header.ljust(344, b"\0") + b"n+1\0" + b"\0" * 4
    data = header + packed(values, code, order)
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def write_nrrd(path, shape, values, kind="uint8", code="B", encoding="raw", detached=None):
    fields = [f"NRRD0004", f"type: {kind}", f"dimension: {len(shape)}", "sizes: " + " ".join(map(str, reversed(shape))),
              "spacings: " + " ".join(["0.5", "0.25", "2"][:len(shape)]), "endian: little", f"encoding: {encoding}"]
    data = packed(values, code)
    data = gzip.compress(data, mtime=0) if encoding == "gzip" else data
    if detached:
        fields.append("data file: " + detached)
        (path.parent / detached).write_bytes(data)
    path.write_bytes("\n".join(fields).encode() + b"\n" + (b"" if detached else b"\n" + data))


def write_metaimage(path, shape, values, kind="MET_UCHAR", code="B", compressed=False, detached=None):
    data = packed(values, code)
    fields = ["ObjectType = Image", f"NDims = {len(shape)}", "BinaryData = True", "BinaryDataByteOrderMSB = False",
              f"CompressedData = {compressed}", "ElementSpacing = " + " ".join(["0.5", "0.5", "2"][:len(shape)]),
              "DimSize = " + " ".join(map(str, reversed(shape))), f"ElementType = {kind}"]
    if compressed:
        data = zlib.compress(data)
        fields.insert(5, f"CompressedDataSize = {len(data)}")
    fields.append("ElementDataFile = " + (detached or "LOCAL"))
    if detached:
        (path.parent / detached).write_bytes(data)
    path.write_bytes("\n".join(fields).encode() + b"\n" + (b"" if detached else data))


def write_mrc(path, shape, values, mode=0, code="b", order="<"):
    size = (*reversed(shape), *(1,) * (3 - len(shape)))
    header = struct.pack(order + "10i6f3i3f2i", *size, mode, 0, 0, 0, *size, *(n * s for n, s in zip(size, (5, 5, 7.5))), 90, 90, 90, 1, 2, 3, 0, -1, -2, 1, 16)
    header = header.ljust(208, b"\0") + b"MAP " + (b"\x44\x44" if order == "<" else b"\x11\x11")
    data = header.ljust(1024 + 16, b"\0") + packed(values, code, order)
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def write_pnm(path, width, height, values, kind, most=255):
    text = [f"P{kind}", "# made by inputs.py", f"{width} {height}"] + ([] if kind in (1, 4) else [str(most)])
    if kind in (1, 2, 3):
        data = " ".join(map(str, values)).encode()
    elif kind == 4:
        rows = [values[y * width:(y + 1) * width] for y in range(height)]
        data = b"".join(bytes(sum((row[x + i] > 0) << 7 - i for i in range(8) if x + i < width) for x in range(0, width, 8)) for row in rows)
    else:
        data = packed(values, "B" if most < 256 else "H", ">")
    path.write_bytes("\n".join(text).encode() + b"\n" + data)


def write_bmp(path, width, height, values, bits):
    rows = []
    for y in reversed(range(height)):
        row = values[y * width:(y + 1) * width]
        data = bytes(sum((row[x + i] > 0) << 7 - i for i in range(8) if x + i < width) for x in range(0, width, 8)) if bits == 1 else \
            bytes(row) if bits == 8 else b"".join(bytes([v, v // 2, 255 - v]) for v in row)
        rows.append(data + b"\0" * (-len(data) % 4))
    palette = b"".join(bytes([i, i, i, 0]) for i in ([0, 255] if bits == 1 else range(256) if bits == 8 else []))
    data = b"".join(rows)
    start = 54 + len(palette)
    path.write_bytes(struct.pack("<2sIHHI", b"BM", start + len(data), 0, 0, start)
                     + struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, len(data), 2835, 2835, len(palette) // 4, 0) + palette + data)


def write_png(path, width, height, values, bits=8, channels=1):
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    step = width * channels
    rows = [values[y * step:(y + 1) * step] for y in range(height)]
    def row_bytes(row):
        if bits == 1:
            return bytes(sum((row[x + i] > 0) << 7 - i for i in range(8) if x + i < width) for x in range(0, width, 8))
        return packed(row, "B" if bits == 8 else "H", ">")
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    pixels = zlib.compress(b"".join(b"\0" + row_bytes(row) for row in rows))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0)) + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


def packbits(data):
    return b"".join(bytes([len(data[i:i + 100]) - 1]) + data[i:i + 100] for i in range(0, len(data), 100))


def write_tiff(path, pages, order="<", big=False):
    """Pages are dictionaries: width, height, values, code, and if they are not usual channels, planar, tile, rows,
    compression, photometric, description, resolution."""
    word = "Q" if big else "I"
    out = bytearray((b"II" if order == "<" else b"MM") + (struct.pack(order + "HHHQ", 43, 8, 0, 0) if big else struct.pack(order + "HI", 42, 0)))
    link = len(out) - struct.calcsize(word)
    for page in pages:
        width, height, code, channels = page["width"], page["height"], page.get("code", "B"), page.get("channels", 1)
        size = struct.calcsize("<" + code) * 8
        planes = channels if page.get("planar") else 1
        per = channels // planes
        tile, compression = page.get("tile"), page.get("compression", 1)
        chunks = []
        for plane in range(planes):
            values = page["values"][plane * width * height: (plane + 1) * width * height] if planes > 1 else page["values"]
            if tile:
                for top in range(0, height, tile):
                    for left in range(0, width, tile):
                        chunks.append([values[(y * width + x) * per + c] if y < height and x < width else 0
                                       for y in range(top, top + tile) for x in range(left, left + tile) for c in range(per)])
            else:
                rows = page.get("rows", height)
                chunks += [values[y * width * per: min(y + rows, height) * width * per] for y in range(0, height, rows)]
        places, sizes = [], []
        for chunk in chunks:
            data = packed(chunk, code, order)
            if compression == 32773:
                step = (tile or width) * per * size // 8
                data = b"".join(packbits(data[i:i + step]) for i in range(0, len(data), step))
            data = zlib.compress(data) if compression == 8 else data
            places.append(len(out))
            sizes.append(len(data))
            out += data
        tags = {256: ("I", [width]), 257: ("I", [height]), 258: ("H", [size] * channels), 259: ("H", [compression]),
                262: ("H", [page.get("photometric", 2 if channels > 2 else 1)]), 277: ("H", [channels]), 284: ("H", [2 if planes > 1 else 1]),
                339: ("H", [3 if code in "fd" else 2 if code in "bhiq" else 1] * channels)}
        if channels == 4 or channels == 2:
            tags[338] = ("H", [0])
        if "description" in page:
            tags[270] = ("s", page["description"].encode() + b"\0")
        if "resolution" in page:
            tags.update({282: ("II", page["resolution"]), 283: ("II", page["resolution"]), 296: ("H", [3])})
        tags.update({322: ("I", [tile]), 323: ("I", [tile]), 324: (word, places), 325: (word, sizes)} if tile else
                    {273: (word, places), 278: ("I", [page.get("rows", height)]), 279: (word, sizes)})
        entries = []
        for tag, (kind, values) in sorted(tags.items()):
            data = values if kind == "s" else struct.pack(order + kind * (len(values) // len(kind)), *values)
            count = len(data) if kind == "s" else len(values) // len(kind)
            if len(data) > struct.calcsize(word):
                at = len(out)
                out += data + b"\0" * (len(data) % 2)
                data = struct.pack(order + word, at)
            entries.append(struct.pack(order + "HH" + word, tag, {"s": 2, "H": 3, "I": 4, "II": 5, "Q": 16}[kind], count) + data.ljust(struct.calcsize(word), b"\0"))
        out += b"\0" * (len(out) % 2)
        out[link:link + struct.calcsize(word)] = struct.pack(order + word, len(out))
        out += struct.pack(order + ("Q" if big else "H"), len(entries)) + b"".join(entries)
        link = len(out)
        out += struct.pack(order + word, 0)
    path.write_bytes(out)


def write_zarr(path, shape, values, chunks, version=2, compressor=None, axes="zyx", scale=None):
    """An OME-Zarr of one resolution."""
    axes = axes[-len(shape):]
    named = [{"name": axis, "type": "space", "unit": "micrometer"} if axis in "zyx" else {"name": axis, "type": {"c": "channel", "t": "time"}[axis]} for axis in axes]
    scales = {"coordinateTransformations": [{"type": "scale", "scale": scale or [1] * len(shape)}]}
    image = [{"version": "0.4" if version == 2 else "0.5", "axes": named, "datasets": [{"path": "0", **scales}]}]
    data = path / "0"
    data.mkdir(parents=True)
    if version == 2:
        (path / ".zgroup").write_text('{"zarr_format": 2}')
        (path / ".zattrs").write_text(json.dumps({"multiscales": image}))
        (data / ".zarray").write_text(json.dumps({"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": "|u1", "order": "C", "filters": None, "fill_value": 0,
                                                  "dimension_separator": "/", "compressor": compressor and {"id": compressor, "level": 1}}))
    else:
        (path / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5", "multiscales": image}}}))
        codecs = [{"name": "bytes"}] + ([{"name": compressor, "configuration": {"level": 1}}] if compressor else [])
        (data / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "uint8", "fill_value": 0, "attributes": {}, "codecs": codecs,
                                                    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
                                                    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}}))
    steps = [product(shape[i + 1:]) for i in range(len(shape))]

    def elements(corner, axis=0, at=0):
        if axis == len(shape):
            return [values[at]]
        found = []
        for i in range(corner[axis], corner[axis] + chunks[axis]):
            found += elements(corner, axis + 1, at + i * steps[axis]) if i < shape[axis] else [0] * product(chunks[axis + 1:])
        return found

    corners = [[]]
    for length, chunk in zip(shape, chunks):
        corners = [[*corner, i] for corner in corners for i in range(0, length, chunk)]
    for corner in corners:
        name = data.joinpath(*(["c"] if version == 3 else []), *(str(i // chunk) for i, chunk in zip(corner, chunks)))
        name.parent.mkdir(parents=True, exist_ok=True)
        content = bytes(elements(corner))
        name.write_bytes(gzip.compress(content, mtime=0) if compressor == "gzip" else zlib.compress(content) if compressor == "zlib" else content)


def random_image(folder, shape, rng, by_values):
    """A small image of any format in `folder`; returns its name."""
    most = 5 if by_values or rng.random() < 0.5 else 1
    seed = int(rng.random() * 1e9)
    values = blocks(shape, seed, most) if rng.random() < 0.5 else noise(product(shape), seed, most, 0.1 + 0.8 * rng.random())
    formats = ["npy", "npy", "npy", "nii", "nrrd", "mha", "tif", "tif", "zarr"] + (["pgm", "png", "bmp"] if len(shape) == 2 else [])
    extension = formats[int(rng.random() * len(formats))]
    path = folder / ("image." + extension)
    if extension == "npy":
        write_npy(path, shape, values, ["|u1", "<u2", "<i4", ">i2", "<f4", "<u8"][int(rng.random() * 6)])
    elif extension == "nii":
        write_nifti(path, shape, values, spacing=(0.5, 0.5, 2))
    elif extension == "nrrd":
        write_nrrd(path, shape, values, encoding="raw" if rng.random() < 0.5 else "gzip")
    elif extension == "mha":
        write_metaimage(path, shape, values, compressed=rng.random() < 0.5)
    elif extension == "zarr":
        write_zarr(path, shape, values, [4, 7, 9][-len(shape):], version=2 if rng.random() < 0.5 else 3, compressor="gzip")
    elif extension == "tif":
        height, width = shape[-2:]
        step = width * height
        more = [{}, {"tile": 16}, {"rows": 3}, {"compression": 8}, {"compression": 32773, "rows": 2}][int(rng.random() * 5)]
        write_tiff(path, [{"width": width, "height": height, "values": values[i:i + step], **more} for i in range(0, len(values), step)])
    else:
        height, width = shape
        {"pgm": lambda: write_pnm(path, width, height, values, 5), "png": lambda: write_png(path, width, height, values),
         "bmp": lambda: write_bmp(path, width, height, values, 8)}[extension]()
    return path.name


def random_samples(folder, shape, rng):
    kind, most = [("|u1", 255), ("<i2", 9000), ("<u4", 2**31), ("<f4", 0)][int(rng.random() * 4)]
    values = [rng.random() * 10 ** int(rng.random() * 6) if most == 0 else int(rng.random() * most) for _ in range(product(shape))]
    write_npy(folder / "samples.npy", shape, values, kind)
    return "samples.npy"


def make_all(folder, gpuccl):
    folder.mkdir()
    for name in ("page.png", "page-g4.tif", "cells.tif"):
        shutil.copy(ROOT / "data" / name, folder / name)
    (folder / "slices").mkdir()
    for i, name in enumerate(sorted((ROOT / "data/cells-slices").iterdir())):
        if i % 4 == 0:
            shutil.copy(name, folder / "slices" / f"{i:02}.png")
    for name in ("contiguous.h5", "filters.h5", "several.h5", "axistags.h5", "coordinates.nc", "dimensions.nc"):
        shutil.copy(ROOT / "tests/io/hdf5" / name, folder / name)
    shutil.copy(ROOT / "tests/golden/gray.jpg", folder / "gray.jpg")

    def generate(name, *words):
        subprocess.run([gpuccl, "generate", *words, "--no-clobber", "-o", str(folder / name)], check=True)

    generate("noise.png", "random", "--size", "70x50", "--density", "0.4", "--seed", "1")
    generate("noise.tif", "random", "--size", "70x50", "--density", "0.4", "--seed", "1")
    generate("canary.tif", "random", "--size", "300x200", "--density", "0.3", "--seed", "2")
    generate("dense.tif", "random", "--size", "61x47x8", "--density", "0.7", "--seed", "3")
    generate("sparse.tif", "random", "--size", "61x47x8", "--density", "0.15", "--seed", "4")
    generate("blobs.png", "blobs", "--size", "200x150", "--density", "0.5")
    generate("blobs.tif", "blobs", "--size", "60x50x20", "--density", "0.3")
    for kind in ("checkerboard", "dots", "spiral", "comb"):
        generate(kind + ".png", kind, "--size", "95x64")
    generate("text.png", "page", "--size", "300x200")
    generate("hilbert.tif", "hilbert", "--size", "16x16x16", "--order", "3")

    flat, deep = (30, 41), (9, 30, 41)
    image, volume = blocks(flat, 1, 5), blocks(deep, 2, 5)
    fine = noise(product(deep), 3, 3)
    write_npy(folder / "image.npy", flat, image)
    write_npy(folder / "volume.npy", deep, volume)
    write_npy(folder / "noise.npy", deep, fine)
    write_npy(folder / "bool.npy", flat, [v > 2 for v in image], "|b1")
    for kind in ("i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"):
        write_npy(folder / f"{kind}.npy", flat, [v * 20 for v in image], "<" + kind if kind != "i1" else "|i1")
    for kind in ("i2", "f8"):
        write_npy(folder / f"big-{kind}.npy", flat, [v * 20 - (40 if kind == "i2" else 0) for v in image], ">" + kind)
    write_npy(folder / "fortran.npy", deep, volume, fortran=True)
    write_npy(folder / "wide.npy", flat, [2**63 + v if v else 0 for v in image], "<u8")
    write_npy(folder / "nan.npy", flat, [float("nan") if v == 5 else float("inf") if v == 4 else v / 3 for v in image], "<f4")
    write_npy(folder / "empty.npy", flat, [0] * len(image))
    write_npy(folder / "full.npy", deep, [1] * len(volume))
    write_npy(folder / "one.npy", (1, 1), [1])
    write_npy(folder / "flat.npy", (1, 3, 3), [1, 1, 1, 1, 0, 1, 1, 1, 1])
    write_npy(folder / "row.npy", (1, 500), noise(500, 4, 3))
    write_npy(folder / "column.npy", (500, 1), noise(500, 4, 3))
    write_npy(folder / "shells.npy", (21, 21, 21), [int(max(abs(x - 10), abs(y - 10), abs(z - 10)) in (2, 4, 7, 9)) for z in range(21) for y in range(21) for x in range(21)])
    write_npy(folder / "rings.npy", (41, 41), [int(max(abs(x - 20), abs(y - 20)) % 4 < 2) for y in range(41) for x in range(41)])
    write_npy(folder / "ramp.npy", flat, [(x + 2 * y) % 97 for y in range(30) for x in range(41)])
    write_npy(folder / "ramp-f4.npy", flat, [(x * 0.25 + 2 * y) % 9.7 for y in range(30) for x in range(41)], "<f4")
    rng = random.Random(5)
    write_npy(folder / "samples.npy", flat, [int(rng.random() * 256) for _ in image])
    write_npy(folder / "samples-i2.npy", flat, [int(rng.random() * 60000) - 30000 for _ in image], "<i2")
    write_npy(folder / "samples-f4.npy", flat, [rng.random() * 100 for _ in image], "<f4")
    write_npy(folder / "samples-3d.npy", deep, [int(rng.random() * 60000) for _ in volume], "<u2")
    write_npy(folder / "samples-u8.npy", flat, [int(rng.random() * 2**63) for _ in image], "<u8")
    (folder / "empty").write_bytes(b"")
    (folder / "text.txt").write_text("no image\n")
    (folder / "cut.npy").write_bytes((folder / "image.npy").read_bytes()[:500])
    (folder / "cut.tif").write_bytes((folder / "noise.tif").read_bytes()[:100])
    (folder / "cut.png").write_bytes((folder / "noise.png").read_bytes()[:200])

    write_nifti(folder / "volume.nii", deep, volume, spacing=(0.5, 0.5, 2))
    write_nifti(folder / "volume.nii.gz", deep, volume, spacing=(0.5, 0.5, 2))
    write_nifti(folder / "big.nii", deep, [v * 100 for v in volume], 4, "h", order=">")
    write_nifti(folder / "float.nii", deep, [v * 0.5 for v in volume], 16, "f")
    write_nifti(folder / "frames.nii", (2, *deep), volume + fine)
    write_nifti(folder / "image.nii", flat, image)
    write_nrrd(folder / "volume.nrrd", deep, volume)
    write_nrrd(folder / "gzip.nrrd", deep, [v * 100 for v in volume], "uint16", "H", "gzip")
    write_nrrd(folder / "image.nrrd", flat, [v * 0.5 for v in image], "float", "f")
    write_nrrd(folder / "detached.nhdr", deep, volume, detached="detached.raw")
    write_metaimage(folder / "volume.mha", deep, volume)
    write_metaimage(folder / "zlib.mha", deep, [v * 100 for v in volume], "MET_SHORT", "h", True)
    write_metaimage(folder / "image.mha", flat, [v * 0.5 for v in image], "MET_FLOAT", "f")
    write_metaimage(folder / "detached.mhd", deep, volume, detached="mhd.raw")
    write_mrc(folder / "volume.mrc", deep, volume)
    write_mrc(folder / "big.mrc.gz", deep, [v * 100 for v in volume], 6, "H", ">")
    write_mrc(folder / "image.mrc", flat, [v * 0.5 for v in image], 2, "f")

    height, width = flat
    dots = noise(product(flat), 6, 1)
    write_pnm(folder / "p1.pbm", width, height, dots, 1)
    write_pnm(folder / "p2.pgm", width, height, image, 2)
    write_pnm(folder / "p3.ppm", width, height, [v for value in image for v in (value, 0, 5 - value)], 3)
    write_pnm(folder / "p4.pbm", width, height, dots, 4)
    write_pnm(folder / "p5.pgm", width, height, image, 5)
    write_pnm(folder / "p5-16.pgm", width, height, [v * 1000 for v in image], 5, 65535)
    write_pnm(folder / "p6.ppm", width, height, [v for value in image for v in (value, 0, 5 - value)], 6)
    write_bmp(folder / "bit.bmp", width, height, image, 1)
    write_bmp(folder / "gray.bmp", width, height, image, 8)
    write_bmp(folder / "rgb.bmp", width, height, image, 24)
    write_png(folder / "gray.png", width, height, image)
    write_png(folder / "gray16.png", width, height, [v * 1000 for v in image], 16)
    write_png(folder / "rgb.png", width, height, [v for value in image for v in (value, 0, 5 - value)], 8, 3)
    write_png(folder / "rgba.png", width, height, [v for value in image for v in (value, 0, 5 - value, 255)], 8, 4)

    def page(values=image, **more):
        return {"width": width, "height": height, "values": values, **more}

    slices = [volume[i:i + width * height] for i in range(0, len(volume), width * height)]
    rgb = [v for value in image for v in (value, 0, 5 - value)]
    write_tiff(folder / "strips.tif", [page(rows=7)])
    write_tiff(folder / "tiles.tif", [page(tile=16)])
    write_tiff(folder / "deflate.tif", [page(compression=8, rows=5)])
    write_tiff(folder / "packbits.tif", [page(compression=32773, rows=5)])
    write_tiff(folder / "white.tif", [page([255 - v for v in image], photometric=0)])
    write_tiff(folder / "u16.tif", [page([v * 1000 for v in image], code="H", rows=4)])
    write_tiff(folder / "i16.tif", [page([v * 1000 - 2000 for v in image], code="h")])
    write_tiff(folder / "u32.tif", [page([v * 100000 for v in image], code="I", tile=16)])
    write_tiff(folder / "f32.tif", [page([v * 0.5 for v in image], code="f")])
    write_tiff(folder / "f64.tif", [page([v * 0.5 for v in image], code="d")])
    write_tiff(folder / "mm.tif", [page([v * 1000 for v in image], code="H", rows=4)], order=">")
    write_tiff(folder / "big.tif", [page([v * 1000 for v in image], code="H", rows=4)], big=True)
    write_tiff(folder / "rgb.tif", [page(rgb, channels=3)])
    write_tiff(folder / "planar.tif", [page(rgb[::3] + rgb[1::3] + rgb[2::3], channels=3, planar=True)])
    write_tiff(folder / "resolution.tif", [page(resolution=[20000, 1])])
    write_tiff(folder / "pages.tif", [page(values) for values in slices])
    write_tiff(folder / "pages-tiles.tif", [page(values, tile=16, compression=8) for values in slices])
    write_tiff(folder / "damaged.tif", [page(values, compression=8) for values in slices[:4]])
    streams = (folder / "damaged.tif").read_bytes().split(b"x\x9c")  # the third is that of page 2
    (folder / "damaged.tif").write_bytes(b"x\x9c".join(streams[:3]) + b"damaged!" + b"x\x9c".join(streams[3:])[6:])
    write_tiff(folder / "smaller.tif", [page(slices[0]), {"width": 20, "height": 10, "values": image[:200]}])
    hyperstack = "ImageJ=1.53\nimages=8\nchannels=2\nslices=2\nframes=2\nhyperstack=true\nunit=micron\nspacing=2.0\n"
    write_tiff(folder / "imagej.tif", [page(values, **({"description": hyperstack} if i == 0 else {})) for i, values in enumerate(slices[:8])])
    def pixels(i, z, c, t):
        return (f'<Image ID="Image:{i}"><Pixels ID="Pixels:{i}" DimensionOrder="XYZCT" Type="uint8" SizeX="{width}" SizeY="{height}" SizeZ="{z}" SizeC="{c}" SizeT="{t}" '
                f'PhysicalSizeX="0.5" PhysicalSizeY="0.5" PhysicalSizeZ="2"><TiffData IFD="{4 * i}" PlaneCount="{z * c * t}"/>'
                + ('<Channel Name="DAPI"/><Channel Name="GFP"/>' if c == 2 else "") + "</Pixels></Image>")
    ome = '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">{}</OME>'
    write_tiff(folder / "ome.tif", [page(values, **({"description": ome.format(pixels(0, 2, 2, 2))} if i == 0 else {})) for i, values in enumerate(slices[:8])])
    write_tiff(folder / "series.tif", [page(values, **({"description": ome.format(pixels(0, 4, 1, 1) + pixels(1, 4, 1, 1))} if i == 0 else {})) for i, values in enumerate(slices[:8])])

    write_zarr(folder / "v2.zarr", list(deep), volume, [4, 16, 16], scale=[2, 0.5, 0.5])
    write_zarr(folder / "v2-gzip.zarr", list(deep), volume, [9, 30, 41], compressor="gzip")
    write_zarr(folder / "v2-zlib.zarr", list(deep), volume, [1, 30, 41], compressor="zlib")
    write_zarr(folder / "v3.zarr", list(deep), volume, [4, 16, 16], 3, scale=[2, 0.5, 0.5])
    with zipfile.ZipFile(folder / "v3.ozx", "w") as archive:
        for path in sorted((folder / "v3.zarr").rglob("*")):
            if path.is_file():
                archive.writestr(zipfile.ZipInfo(str(path.relative_to(folder / "v3.zarr"))), path.read_bytes())
    write_zarr(folder / "v3-gzip.zarr", list(deep), volume, [3, 30, 41], 3, "gzip")
    write_zarr(folder / "channels.zarr", [2, 3, *flat], volume[:6 * product(flat)], [1, 1, 30, 41], axes="czyx")
    write_zarr(folder / "image.zarr", list(flat), image, [16, 16])

    batch = folder / "batch"
    (batch / "deeper").mkdir(parents=True)
    for name in ("image.npy", "gray.png", "strips.tif", "volume.nii"):
        shutil.copy(folder / name, batch / name)
    shutil.copy(folder / "p5.pgm", batch / "deeper" / "p5.pgm")
    (folder / "list.txt").write_text("in/image.npy\nin/gray.png\n")
    (folder / "n5").mkdir()
    (folder / "n5" / "attributes.json").write_text('{"dimensions": [41, 30], "blockSize": [41, 30], "dataType": "uint8"}')
    (folder / "sides").mkdir()
    for name in ("image.npy", "bool.npy"):
        shutil.copy(folder / "samples.npy", folder / "sides" / name)
