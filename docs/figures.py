#!/usr/bin/env python3
"""Makes the figures of README again, or compares them with those that are there. Needs Python only.

    docs/figures.py GPUCCL            writes docs/page.png, docs/cells.png, docs/ten.png and docs/speed.svg, and the
                                      table of machines in docs/results/README.md
    docs/figures.py GPUCCL --check    fails where another picture would be made now

The pictures are what `gpuccl label --preview` draws of the samples in data/, the page next to its preview and cut to
its first lines. The chart shows a column of the table in docs/performance.md. The table of machines compares the
submissions in docs/results: JSON of `gpuccl bench --submit`, or with the same images and protocol.
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

DOCS = pathlib.Path(__file__).resolve().parent
DATA = DOCS.parent / "data"


def read_png(data):
    """Rows of 8-bit RGB, from 1-bit gray or 8-bit RGB, not interlaced: what this script meets."""
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, bits, color = struct.unpack(">IIBB", data[at + 8:at + 18])
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    step = 3 if color == 2 else 1
    stride = (width * step * bits + 7) // 8
    raw, rows, above = zlib.decompress(packed), [], bytearray(stride)
    for y in range(height):
        method, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = (row[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
            if method == 1:
                row[i] = (row[i] + a) & 255
            elif method == 2:
                row[i] = (row[i] + b) & 255
            elif method == 3:
                row[i] = (row[i] + (a + b) // 2) & 255
            elif method == 4:
                row[i] = (row[i] + min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]) & 255
        rows.append(bytes(row) if step == 3 else b"".join(
            b"\xff\xff\xff" if row[x // 8] >> (7 - x % 8) & 1 else b"\0\0\0" for x in range(width)))
        above = row
    return rows


def write_png(rows):
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)),
              (b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)


def preview(program, *words):
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder) / "preview.png"
        subprocess.run([program, "label", *map(str, words), "--preview", str(picture), "--quiet"], check=True)
        return read_png(picture.read_bytes())


def page(program):
    """The first lines of the page and the same part of its preview."""
    left, top, width, height = 100, 80, 480, 270
    pictures = read_png((DATA / "page.png").read_bytes()), preview(program, DATA / "page.png")
    gap = b"\x80\x80\x80" * 6
    return [gap.join(picture[y][3 * left:3 * (left + width)] for picture in pictures) for y in range(top, top + height)]


def cells(program):
    return preview(program, DATA / "cells-slices", "--stack")


def ten_largest(program):
    return preview(program, DATA / "cells.tif", "--order", "size", "--largest", "10")


def speed():
    """Bars of one column of the first table in performance.md: 8192x8192, density .5, granularity 8."""
    text = (DOCS / "performance.md").read_text()
    column = [cell.strip() for cell in re.search(r"^\| 8192x8192.*", text, re.M)[0].split("|")].index(".5 / 8")
    table = text[text.index("| 8192x8192"):].split("\n\n")[0]
    bars = [(cells[1].strip(" `"), cells[column].split()[0])
            for cells in (line.split("|") for line in table.splitlines()) if re.match(r" `[a-z0-9-]+` $", cells[1])]
    floor = float(re.search(r"is (\S+) ms for 8192x8192", text)[1])
    row, left, scale = 22, 92, 130
    height = row * len(bars) + 62
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{height}" font-family="sans-serif" font-size="13">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="20">NVIDIA H200, 8192x8192, density 0.5, granularity 8: milliseconds, less is better</text>']
    for i, (name, ms) in enumerate(bars):
        y = 34 + row * i
        fill = "#1a7f37" if name.startswith("runs") else "#8c959f"
        width = float(ms) * scale
        out += [f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{name}</text>',
                f'<rect x="{left}" y="{y}" width="{width:.1f}" height="{row - 5}" fill="{fill}"/>',
                f'<text x="{left + width + 6:.1f}" y="{y + 14}">{ms}</text>']
    x, end = left + floor * scale, 34 + row * len(bars)
    out += [f'<line x1="{x:.1f}" y1="30" x2="{x:.1f}" y2="{end}" stroke="#cf222e" stroke-dasharray="3 2"/>',
            f'<text x="{left}" y="{end + 18}" fill="#cf222e">{floor:g}: the floor, reading the image and writing the '
            'labels and nothing else</text>', "</svg>"]
    return "\n".join(out) + "\n"


def submissions():
    """The results of each submission: the machines by device, and the minima by set of images, device and algorithm."""
    runs = [json.loads(path.read_text()) for path in (DOCS / "results").glob("*.json")]
    for run in sorted(runs, key=lambda run: run["machine"]["date"]):
        if run.get("protocol") != "tpds2024" or any(group.get("size") != [2048, 2048, 1] for group in run["results"]):
            continue
        machine = {"cuda": run["machine"].get("GPU", "").split(",")[0].removeprefix("NVIDIA "),
                   "cpu": run["machine"]["CPU"].replace("(R)", "").split(" of ")[0]}
        times = {}
        for group in run["results"]:
            for row in group["algorithms"]:
                least = [one["min_ms"] for one in row["measures"] if one["name"] == "allocated"]
                if least and not row["wrong"]:
                    times[f"{group['density']:g}, {group['granularity']}", row["device"], row["algorithm"]] = least[0]
        yield machine, times


def machines():
    """Markdown: for each device an algorithm a line, a machine a column for each set of images."""
    found = list(submissions())
    tables = []
    for device, title in (("cuda", "GPU"), ("cpu", "CPU")):
        runs = {}  # by machine; of several measurements of an algorithm the newest counts
        for machine, times in found:
            for key, ms in times.items():
                if key[1] == device:
                    runs.setdefault(machine[device], {})[key] = ms
        if not runs:
            continue
        runs = list(runs.items())
        sets = list(dict.fromkeys(key[0] for _, times in runs for key in times if key[1] == device))
        names = list(dict.fromkeys(key[2] for _, times in runs for key in times if key[1] == device))
        columns = [(one, machine, times) for one in sets for machine, times in runs]
        lines = [f"| {title} | " + " | ".join(f"{one}: {machine}" for one, machine, _ in columns) + " |",
                 "|---|" + "--:|" * len(columns)]
        for name in names:
            cells = [times.get((one, device, name)) for one, _, times in columns]
            lines.append(f"| `{name}` | " + " | ".join("" if ms is None else f"{ms:.0f}" if ms >= 100 else f"{ms:#.3g}" for ms in cells) + " |")
        tables.append("\n".join(lines))
    return "\n\n".join(tables)


def with_machines(text):
    begin, end = "<!-- machines -->\n", "\n<!-- end of machines -->"
    return text[:text.index(begin) + len(begin)] + machines() + text[text.index(end):]


def main():
    program, checking = sys.argv[1], sys.argv[2:] == ["--check"]
    wrong = []
    for name, rows in (("page.png", page(program)), ("cells.png", cells(program)), ("ten.png", ten_largest(program))):
        path = DOCS / name
        if not checking:
            path.write_bytes(write_png(rows))
        elif read_png(path.read_bytes()) != rows:
            wrong.append(name)
    results = DOCS / "results/README.md"
    if not checking:
        results.write_text(with_machines(results.read_text()))
    elif with_machines(results.read_text()) != results.read_text():
        wrong.append("results/README.md")
    if not checking:
        (DOCS / "speed.svg").write_text(speed())
    elif (DOCS / "speed.svg").read_text() != speed():
        wrong.append("speed.svg")
    if wrong:
        sys.exit(f"docs/figures.py: {', '.join(wrong)}: out of date; run this script without --check")


if __name__ == "__main__":
    main()
