"""Writes small image files byte by byte, for tests in Python."""
import json
import struct
import zlib


def npy_header(shape, kind="|u1"):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode()


def npy(path, shape, data, kind="|u1"):
    path.write_bytes(npy_header(shape, kind) + data)


def png(path, pixels):
    """Writes a PNG of gray rows."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(row) for row in pixels)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 0, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def tiff(pages, descriptions=(), channels=1, photometric=1):
    """A TIFF of uncompressed bytes. `pages`: width, height and samples of each; `descriptions`: of the first ones."""
    content, link = bytearray(b"II*\0\0\0\0\0"), 4
    for number, (width, height, samples) in enumerate(pages):
        text = descriptions[number].encode() + b"\0" if number < len(descriptions) and descriptions[number] else b""
        struct.pack_into("<I", content, link, len(content))
        tags = {256: width, 257: height, 258: 8, 259: 1, 262: photometric, 273: 0, 277: channels, 278: height, 279: len(samples)}
        if text:
            tags[270] = 0
        if channels > 1:
            tags[338] = 0
        text_at = len(content) + 2 + 12 * len(tags) + 4
        tags.update({273: text_at + len(text)} | ({270: text_at} if text else {}))
        content += struct.pack("<H", len(tags))
        for tag, value in sorted(tags.items()):
            kind, count = (2, len(text)) if tag == 270 else (3, 1) if tag in (258, 338) else (4, 1)
            if tag == 258 and channels == 2:
                count, value = 2, value | value << 16
            content += struct.pack("<HHII", tag, kind, count, value)
        link = len(content)
        content += bytes(4) + text + samples
        content += bytes(len(content) % 2)
    return bytes(content)


def zarr(path, shape, chunks, files=(), **more):
    """An array of bytes in Zarr format 2."""
    path.mkdir(parents=True)
    (path / ".zarray").write_text(json.dumps({"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": "|u1", "compressor": None,
                                              "fill_value": 0, "order": "C", "filters": None, **more}))
    for name, content in files:
        (path / name).write_bytes(content)
