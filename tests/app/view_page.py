"""Pages of `gpuccl view` and `gpuccl label --view` in a browser: view_page.py GPUCCL [SCREENSHOTS]"""
import csv
import json
import pathlib
import random
import subprocess
import tempfile

from browser import Browser, Firefox, FIREFOX, gpuccl, PROGRAM, websocket

import numpy
import tifffile

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


# Where the pointer is: what the page says of the label there, and which element it is.
POINT = """
const [name, x, y] = arguments, plane = gpucclView.planes.planes.find((p) => p.name === name);
const box = plane.canvas.getBoundingClientRect();
plane.canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + x, clientY: box.top + y, bubbles: true }));
return [document.getElementById("readout").textContent, plane.elementAt(x, y), 1 / plane.step(plane.axes[0]), 1 / plane.step(plane.axes[1])];
"""
SIZE = "const p = gpucclView.planes.planes.find((p) => p.name === arguments[0]); return [p.canvas.clientWidth, p.canvas.clientHeight]"


def check_labels(browser, labels, count, seed, least=None):
    """The page shows the labels of the file at random positions of the screen."""
    labels = labels.reshape((1,) * (3 - labels.ndim) + labels.shape)
    chance = random.Random(seed)
    names = browser("return gpucclView.planes.planes.map((p) => p.name)")
    assert len(names) == (3 if labels.shape[0] > 1 else 1), names
    seen, objects = set(), numpy.argwhere(labels)
    for i in range(count):
        name = names[i % len(names)]
        if i % 10 == 0:  # another place and scale
            z, y, x = (int(n) for n in chance.choice(objects))
            browser("const p = gpucclView.planes; p.go(arguments[0]); p.center = arguments[0].map((n) => n + 0.5); p.zoom(arguments[1])",
                    [x, y, z], chance.choice([0.6, 1.0, 1.7, 3.0]))
            if i % 50 == 0:
                browser("gpucclView.planes.fit()")
            browser.settle()
        width, height = browser(SIZE, name)
        near = 1.0 if i % 2 else 0.1  # anywhere, or around the middle, where objects are
        across, along = (0.5 + near * (chance.random() - 0.5) for _ in range(2))
        said, pointed, right, down = browser(POINT, name, across * (width - 1), along * (height - 1))
        if said == "":
            assert any(n < right or n > size - right for n, size in zip(pointed, labels.shape[::-1])), (pointed, name)
            continue
        what, where = said.split(" at ")
        place = [int(n) for n in where.split(", ")] + [0] * (labels.ndim - 1 - where.count(", "))
        label = int(labels[place[2], place[1], place[0]])
        assert what == (f"Label {label}" if label else "Background"), (name, said, label)
        # That is where the pointer is, to a pixel of the screen.
        steps = [{name[0]: right, name[1]: down}.get(axis, 1) for axis in "xyz"]
        assert all(abs(n + 0.5 - at) <= 0.5 + step for n, at, step in zip(place, pointed, steps)), (said, pointed, steps)
        seen.add(label)
    assert len(seen) > (least or count // 25), seen


def drag(browser, measure, low, high):
    """Drags over the histogram of a measure, from one share of its width to another."""
    browser("""
const [name, low, high] = arguments, { svg } = gpucclView.histograms.find(({ column }) => column.name === name);
const box = svg.getBoundingClientRect(), at = (share) => ({ clientX: box.left + share * box.width, clientY: box.top + 5, pointerId: 1, bubbles: true });
svg.setPointerCapture = () => {};
svg.dispatchEvent(new PointerEvent("pointerdown", at(low)));
svg.dispatchEvent(new PointerEvent("pointermove", at((low + high) / 2)));
svg.dispatchEvent(new PointerEvent("pointerup", at(high)));
""", measure, low, high)


def kept_labels(browser):
    return browser("return [...gpucclView.table.list].map((row) => Number(gpucclView.column.label.values[row]))")


def check_filter(browser, folder, drags, before):
    """The command that the page gives keeps the rows that the page shows."""
    for words in drags:
        drag(browser, *words)
    shown = sorted(kept_labels(browser))
    assert 0 < len(shown) < len(before), len(shown)
    command = browser("return [...document.querySelectorAll('#commands code')].map((code) => code.textContent)")
    assert command[0].startswith("--keep '"), command
    table = folder / "kept.csv"
    line = command[1].replace("gpuccl ", f"'{PROGRAM}' ", 1) + f" --stats '{table}'"
    subprocess.run(["bash", "-c", line], check=True, cwd=folder, capture_output=True)
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    # Components are numbered anew, and are where they were.
    place = lambda row: tuple(row[name] for name in row if name in ("area", "x0", "y0", "z0", "x1", "y1", "z1", "cx", "cy", "cz"))
    kept = set(shown)
    want = [place(row) for row in before if int(row["label"]) in kept]
    assert [place(row) for row in rows] == want, (command, len(rows), len(want))
    browser("document.getElementById('reset').click()")
    assert len(kept_labels(browser)) == len(before)
    return command[0]


def check_sorting(browser, before):
    for name in ("area", "cx"):
        browser("""gpucclView.table.heads.find((head) => head.textContent === arguments[0]).querySelector("button").click()""", name)
        values = [numpy.float32(row[name]) for row in before]
        order = sorted(range(len(before)), key=lambda i: (values[i], i))
        assert kept_labels(browser) == [int(before[i]["label"]) for i in order], name
    text = browser("""return [...document.querySelectorAll("#table tbody tr[data-at]")][0].innerText""")
    assert text.split("\t")[0].strip() == before[order[0]]["label"], text


def read_table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def check_page(browser, folder, name, source, options, drags, view_words):
    labels_file, table, page = folder / f"{name}.tif", folder / f"{name}.csv", folder / f"{name}.html"
    gpuccl("label", source, *options, "-o", labels_file, "--stats", table, "--view", page, "--quiet")
    before, labels = read_table(table), tifffile.imread(labels_file)
    browser.open(page)
    check_labels(browser, labels, 500, name)
    check_sorting(browser, before)
    said = check_filter(browser, folder, drags, before)
    # Makes the same page from the written files.
    again = folder / f"{name}-again.html"
    gpuccl("view", labels_file, *view_words, "--image", source, "--stats", table, "--report", labels_file.with_suffix(".json"), "-o", again)
    browser.open(again)
    check_labels(browser, labels, 60, name)
    assert check_filter(browser, folder, drags, before) == said
    assert browser("return gpucclView.table.columns.length") == len([column for column in before[0] if column != "unit"])
    # Other looks, at nothing but themselves.
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
        browser.open(page, width, 900 if width > 600 else 844, scheme)
        browser("const p = gpucclView; p.chooseRow(p.count >> 1, null); p.table.reveal(p.count >> 1)")
        browser.settle()
        browser.shot(f"{name}-{width}-{scheme}.png")
    browser.check_requests()


def check_measured(browser, folder, labels):
    """Without a report, a page gives a command of gpuccl measure, and for a filter of samples only the expression."""
    table, page = folder / "measured.csv", folder / "measured.html"
    gpuccl("measure", labels, "--intensity", labels, "--measure", "extent", "--stats", table, "--quiet")
    gpuccl("view", labels, "--stats", table, "-o", page)
    browser.open(page)
    check_filter(browser, folder, [("area", 0.2, 0.9)], read_table(table))
    drag(browser, "area", 0.2, 0.9)
    assert browser("return document.querySelectorAll('#commands code')[1].textContent").startswith("gpuccl measure ")
    drag(browser, "intensity_mean", 0.2, 0.9)
    shown = browser("return [...document.querySelectorAll('#commands code, #commands p')].map((line) => line.textContent)")
    assert len(shown) == 2 and "intensity_mean >= " in shown[0] and "gpuccl view --report" in shown[1], shown


def check_slices(browser, folder, volume):
    """Without a report, a command counts slices of the labels, and the table may count those of the file."""
    labels, table, page = folder / "slices.tif", folder / "slices.csv", folder / "slices.html"
    gpuccl("label", volume, "--per-slice", "--page", "5..20", "-o", labels, "--stats", table, "--quiet")
    gpuccl("view", labels, "--stats", table, "-o", page)
    browser.open(page)
    browser("document.getElementById('more-histograms').parentElement.open = true")
    browser.settle()
    areas = {int(row["label"]): row["area"] for row in read_table(table)}
    for name in ("z0", "cz"):
        drag(browser, name, 0.3, 0.8)
        shown = sorted(areas[label] for label in kept_labels(browser))
        assert 0 < len(shown) < len(areas), shown
        line = browser("return document.querySelectorAll('#commands code')[1].textContent").replace("gpuccl ", f"'{PROGRAM}' ", 1)
        subprocess.run(["bash", "-c", f"{line} --stats kept.csv"], check=True, cwd=folder, capture_output=True)
        assert sorted(row["area"] for row in read_table(folder / "kept.csv")) == shown, line
        browser("document.getElementById('reset').click()")


def check_keys(browser, page):
    """Keys alone: slices, zoom, rows of the table, bounds of a histogram."""
    browser.open(page)
    press = """
const [at, key, shift] = arguments, target = at === "plane" ? gpucclView.planes.planes[0].canvas : at === "table" ? gpucclView.table.box : gpucclView.histograms[0].svg;
target.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey: Boolean(shift), bubbles: true, cancelable: true }));
"""
    z, scale = browser("return [gpucclView.planes.place[2], gpucclView.planes.scale]")
    browser(press, "plane", "PageDown")
    browser(press, "plane", "+")
    assert browser("return gpucclView.planes.place[2]") == z + 1
    assert browser("return gpucclView.planes.scale") > scale
    browser(press, "table", "ArrowDown")
    assert browser("return [...gpucclView.selected]") == [1]
    assert browser("return document.querySelector('#table tr[aria-selected=true] td').textContent") == "2"
    for _ in range(10):
        browser(press, "histogram", "ArrowRight")
    kept = browser("return gpucclView.filter.keptCount")
    assert 0 < kept < browser("return gpucclView.count"), kept


def check_many(browser, folder):
    """10^5 components: the size of the page, and its filters."""
    size = 1000
    image = numpy.zeros((size, size), numpy.uint8)
    chance = numpy.random.default_rng(1)
    image[1::3, 1::3] = 255  # 333 x 333 components
    wide = chance.random((333, 333)) < 0.5
    image[1:999:3, 2:999:3][wide] = 255
    tifffile.imwrite(folder / "many.tif", image)
    page, table = folder / "many.html", folder / "many.csv"
    gpuccl("label", folder / "many.tif", "--measure", "shape", "--stats", table, "--view", page, "--quiet")
    before = read_table(table)
    assert len(before) > 100000
    assert page.stat().st_size <= 10_000_000, page.stat().st_size
    browser.open(page)
    check_filter(browser, folder, [("area", 0.7, 1.0)], before)
    small = folder / "small.html"
    gpuccl("view", DATA / "cells.tif", "--image", DATA / "cells.tif", "--size", "150K", "-o", small)
    assert small.stat().st_size <= 150 * 1024, small.stat().st_size


def check_firefox(folder):
    """Checks pages in Firefox, if it is installed."""
    if not FIREFOX or not websocket:
        print("Firefox or python3-websocket is not installed")
        return
    for scheme in ("light", "dark"):
        firefox = Firefox(scheme)
        try:
            for name in ("page", "cells"):
                firefox.open(folder / f"{name}.html")
                assert firefox("return matchMedia('(prefers-color-scheme: dark)').matches") == (scheme == "dark")
                firefox.shot(f"{name}-firefox-{scheme}.png")
                if scheme == "dark":
                    continue
                before = read_table(folder / f"{name}.csv")
                check_labels(firefox, tifffile.imread(folder / f"{name}.tif"), 500, name)
                check_sorting(firefox, before)
                check_filter(firefox, folder, [("area", 0.3, 1.0)], before)
                firefox.open(folder / f"{name}.html", 390, 844)
            firefox.open(folder / "many.html")
            firefox.check_requests()
        finally:
            firefox.quit()
    print("Firefox shows the same")


def check_slabs(browser, folder):
    """Labels that are made in slabs have the page of the whole."""
    whole, slabs = folder / "whole.html", folder / "slabs.html"
    words = ["label", DATA / "cells.tif", "-o", folder / "slabs.tif", "--no-fsync"]
    gpuccl(*words, "--quiet", "--view", whole)
    done = subprocess.run([PROGRAM, *words, "--progress", "--memory", "200K", "--view", slabs], capture_output=True, text=True)
    assert done.returncode == 0 and " slabs" in done.stderr, done.stderr
    assert slabs.read_bytes() == whole.read_bytes()
    browser.open(slabs)
    check_labels(browser, tifffile.imread(folder / "slabs.tif"), 100, "slabs")


def check_thin(browser, folder):
    """Where many elements are one pixel, lines and dots of one element are drawn, and pointing at them names them."""
    image = numpy.zeros((2400, 3600), numpy.uint8)
    image[1::97, 5:3000] = 255
    image[50:2300, 3101::83] = 255
    image[7::97, 3010:3090:20] = 255
    tifffile.imwrite(folder / "thin.tif", image)
    page, labels = folder / "thin.html", folder / "thin-labels.tif"
    gpuccl("label", folder / "thin.tif", "-o", labels, "--view", page, "--quiet")
    browser.open(page)
    count = browser("return gpucclView.count")
    assert browser("return gpucclView.planes.scale") < 0.4
    assert browser("return new Set(gpucclView.planes.planes[0].ids).size") == count + 1
    check_labels(browser, tifffile.imread(labels), 200, "thin", 4)


def check_names(browser, folder):
    """Commands with file names that a shell would take apart, or a program for options."""
    image = tifffile.imread(DATA / "cells.tif")[0]
    for name in ("two words", "$HOME `touch made`;touch made", "it's <b>&amp;", "-o", "new\nline"):
        tifffile.imwrite(folder / f"{name}.tif", image)
        page, table = folder / "names.html", folder / "names.csv"
        subprocess.run([PROGRAM, "label", f"./{name}.tif", "-o", f"./{name} out.tif", "--view", page, "--stats", table, "--overwrite", "--quiet"],
                       check=True, cwd=folder)
        browser.open(page)
        check_filter(browser, folder, [("area", 0.2, 0.9)], read_table(table))
        assert not (folder / "made").exists()
        for path in folder.glob(f"{name} out*"):
            path.unlink()


def check_no_command(browser, folder):
    """Filters that no command can have: without components, of values beyond 2^53 or with --delta, and of folders of a batch."""
    page = folder / "none.html"
    tifffile.imwrite(folder / "background.tif", numpy.zeros((9, 9), numpy.uint8))
    gpuccl("label", folder / "background.tif", "--view", page, "--quiet")
    browser.open(page)
    assert browser("return gpucclView.histograms.length") == 0
    values = numpy.zeros((8, 8), numpy.uint64)
    values[1, 1], values[3, 3], values[5, 5:8] = 5, 2**60, 2**62
    numpy.save(folder / "long.npy", values)
    gpuccl("label", folder / "long.npy", "--values", "--view", page, "--overwrite", "--quiet")
    browser.open(page)
    browser("gpucclView.filter.set(gpucclView.column.value, 2 ** 59, null); gpucclView.changed()")
    lines = "return [...document.querySelectorAll('#commands code, #commands p')].map((line) => line.textContent)"
    said = browser(lines)
    assert len(said) == 1 and "2^53" in said[0], said
    tifffile.imwrite(folder / "gray.tif", numpy.kron([[10, 0, 60, 0, 200]], numpy.ones((9, 9))).astype(numpy.uint8))
    gpuccl("label", folder / "gray.tif", "--values", "--delta", "9", "--view", page, "--overwrite", "--quiet")
    browser.open(page)
    drag(browser, "value", 0.2, 1)
    said = browser(lines)
    assert len(said) == 1 and "--delta" in said[0], said
    for name in ("in", "intensity"):
        (folder / name).mkdir()
        tifffile.imwrite(folder / name / "one.tif", tifffile.imread(DATA / "cells.tif")[0])
    gpuccl("label", folder / "in", "-o", f"{folder}/out/", "--intensity", f"{folder}/intensity/", "--view", f"{folder}/pages/", "--quiet")
    browser.open(folder / "pages" / "one.html")
    drag(browser, "area", 0.2, 0.9)
    said = browser(lines)
    assert len(said) == 2 and said[0].startswith("--keep 'area >= ") and said[1].startswith("Add this"), said


def check_split(browser, folder):
    """Labels that --split-values gave are those of the table and of the label image."""
    values = numpy.zeros((40, 60), numpy.uint8)
    values[::4, :20], values[2:30:6, 30:50], values[35, 55] = 9, 4, 200
    numpy.save(folder / "values.npy", values)
    page, table, labels = folder / "split.html", folder / "split.csv", folder / "split.npy"
    gpuccl("label", folder / "values.npy", "--values", "--split-values", "-o", labels, "--stats", table, "--view", page, "--quiet")
    browser.open(page)
    there = numpy.load(labels)
    want = [int(row["label"]) for row in read_table(table)]
    assert sorted(want) != want and sorted(want) == [int(n) for n in numpy.unique(there)[1:]], want
    assert browser("return [...gpucclView.column.label.values].map(Number)") == want
    check_labels(browser, there, 300, "split", 5)


# Red, green and blue of the image at an element as they are shown, and those and the opacity of the label over it.
PIXEL = """
const [plane] = gpucclView.planes.planes, [x, y] = plane.pixelOf(arguments[0].map((n) => n + 0.5));
return [plane.base, plane.canvas].map((layer) => {
  const seen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  [seen.canvas.width, seen.canvas.height] = [layer.width, layer.height];
  seen.filter = layer.style.filter || "none";
  seen.drawImage(layer, 0, 0);
  return [...seen.getImageData(x, y, 1, 1).data].slice(0, layer === plane.base ? 3 : 4);
});
"""


def look_at(browser, x, y, z=0):
    browser.settle()
    return browser(PIXEL, [x, y, z])


def set_control(browser, name, value):
    browser("""
const control = document.getElementById(arguments[0]);
if (control.type === "checkbox") control.checked = arguments[1];
else control.value = arguments[1];
for (const event of ["input", "change"]) control.dispatchEvent(new Event(event));""", name, value)


def check_light(browser, folder):
    """Dark ink of --invert is light, white paper and what a mask has beyond its labels are dim, and the image has controls."""
    page, image = folder / "light.html", numpy.full((60, 90), 220, numpy.uint8)
    image[10:30, 10:40] = 30
    image[40:55, 50:80] = 90
    tifffile.imwrite(folder / "ink.tif", image)
    for source, words in (("label", [folder / "ink.tif", "--invert", "--threshold", "120", "--min-size", "500", "-o", folder / "ink-labels.tif", "--overwrite"]),
                          ("view", [folder / "ink-labels.tif", "--image", folder / "ink.tif", "--report", folder / "ink-labels.json", "-o", page])):
        gpuccl(source, *words, *(["--view", page, "--quiet"] if source == "label" else []))
        browser.open(page)
        ink, dropped, paper = (look_at(browser, *at) for at in ((20, 20), (60, 45), (85, 5)))
        assert min(ink[0]) > 240 and 130 < dropped[0][0] < 190 and max(paper[0]) < 5, (ink, dropped, paper)
        assert ink[1][3] > 0 and dropped[1][3] == 0
    set_control(browser, "brightness", 0.5)
    assert look_at(browser, 60, 45)[0][0] > 240
    set_control(browser, "brightness", 0)
    set_control(browser, "contrast", -1)
    assert abs(look_at(browser, 20, 20)[0][0] - 159) < 4 and abs(look_at(browser, 85, 5)[0][0] - 96) < 4
    set_control(browser, "contrast", 0)
    set_control(browser, "invert", False)
    ink, paper = look_at(browser, 20, 20), look_at(browser, 85, 5)
    assert max(ink[0]) < 5 and 80 < paper[0][0] < 100, (ink, paper)
    set_control(browser, "style", "none")
    assert look_at(browser, 85, 5)[0][0] > 250

    mask = numpy.zeros((60, 90), numpy.uint8)
    mask[10:30, 10:40] = mask[40:45, 50:55] = 255
    tifffile.imwrite(folder / "mask.tif", mask)
    gpuccl("label", folder / "mask.tif", "--min-size", "100", "--view", page, "--overwrite", "--quiet")
    browser.open(page)
    assert look_at(browser, 52, 42) == [[89] * 3, [0] * 4]


def check_channels(browser, folder):
    """Channels of an image are shown one at a time in gray, or together in colors."""
    image, page = numpy.zeros((3, 40, 60), numpy.uint16), folder / "channels.html"
    image[0, 5:15, 5:25], image[1, 20:35, 10:30], image[2, 5:30, 40:55] = 900, 4000, 70
    image[:, 36:39] = [[[450]], [[2000]], [[35]]]  # a mask would be dim
    tifffile.imwrite(folder / "channels.ome.tif", image, metadata=dict(axes="CYX", Channel=dict(Name=["DAPI", "GFP", "RFP"])))
    gpuccl("label", folder / "channels.ome.tif", "--channel", "1", "-o", folder / "channels-labels.tif", "--view", page, "--quiet")
    browser.open(page)
    assert browser("return [...document.querySelectorAll('#channels label')].map((label) => [label.textContent, label.firstChild.checked])") == [["DAPI", False], ["GFP", True], ["RFP", False]]
    assert look_at(browser, 12, 25)[0] == [255] * 3 and look_at(browser, 8, 8)[0] == look_at(browser, 45, 10)[0] == [0] * 3
    browser("for (const box of document.querySelectorAll('#channels input')) if (!box.checked) box.click()")
    (dapi, _), (gfp, _), (rfp, _) = (look_at(browser, *at) for at in ((8, 8), (12, 25), (45, 10)))
    assert dapi[2] == 255 and max(dapi[:2]) < 120 and gfp[1] > 200 and max(gfp[0], gfp[2]) < 80 and rfp[0] == 255 and max(rfp[1:]) < 80, (dapi, gfp, rfp)
    browser.open(page, 390)
    bar, (width, height) = browser("return document.querySelector('#viewer > .bar').clientHeight"), browser(SIZE, "xy")
    assert bar < 100 and abs(height - width * 40 / 60) < 3, ("two rows of controls, no gap", bar, width, height)
    gpuccl("view", folder / "channels-labels.tif", "--image", folder / "channels.ome.tif", "--channel", "RFP", "-o", page)
    browser.open(page)
    assert look_at(browser, 45, 10)[0] == [255] * 3 and look_at(browser, 12, 25)[0] == [0] * 3
    tifffile.imwrite(folder / "many.ome.tif", numpy.repeat(image, 3, axis=0), metadata=dict(axes="CYX"))
    gpuccl("label", folder / "many.ome.tif", "--channel", "8", "--view", folder / "many-channels.html", "--quiet")
    assert "Black to white of GFP" in browser("return document.getElementById('foot').textContent")
    browser.open(folder / "many-channels.html")
    assert "1 of 9 is shown" in browser("return document.getElementById('foot').textContent") and not browser("return document.getElementById('channels').children.length")


def check_small(browser, folder):
    """Objects below four pixels of the screen have no outline, larger ones have."""
    image, page = numpy.zeros((100, 200), numpy.uint8), folder / "small-objects.html"
    image[10:13, 10:13] = image[40:60, 40:60] = image[80, 10:190] = 200
    tifffile.imwrite(folder / "objects.tif", image)
    gpuccl("label", folder / "objects.tif", "--view", page, "--quiet")
    browser.open(page)
    alpha = lambda x, y: look_at(browser, x, y)[1][3]
    browser("gpucclView.planes.zoom(1 / gpucclView.planes.scale)")
    assert [alpha(10, 10), alpha(40, 50), alpha(50, 50), alpha(100, 80)] == [115, 255, 115, 115]
    set_control(browser, "style", "outline")
    assert [alpha(10, 10), alpha(40, 50), alpha(50, 50)] == [115, 255, 0]
    browser("gpucclView.planes.zoom(4)")
    browser("gpucclView.planes.center = [11, 11, 0.5]; gpucclView.planes.draw()")
    assert alpha(11, 11) == 0, "the object is larger now"


def check_histograms(browser, folder):
    """Measures that differ have histograms, means first; bars are as high as they have components."""
    values, page = numpy.zeros((30, 90), numpy.uint16), folder / "histograms.html"
    for i in range(20):
        values[5:7 + (i % 4 == 0), 4 * i:4 * i + 3] = 7 + i
    tifffile.imwrite(folder / "ids.tif", values)
    gpuccl("label", folder / "ids.tif", "--values", "--intensity", folder / "ids.tif", "--measure", "intensity,euler_number,area_physical", "--spacing", "0.5,0.5,um", "--view", page, "--quiet")
    browser.open(page)
    assert browser("return gpucclView.histograms.map(({ column }) => column.name)")[:2] == ["area", "intensity_mean"]
    shown = set(browser("return gpucclView.histograms.map(({ column }) => column.name)"))
    assert "area_physical" in shown and not shown & {"value", "label", "euler_number", "intensity_std"}, shown
    said = browser("return document.getElementById('filters').textContent")
    assert "The same for all (" in said and "euler_number 1" in said and "area_physical (\u00b5m\u00b2)" in said, said
    assert "0.5 \u00d7 0.5 \u00b5m" in browser("return document.getElementById('summary').textContent")
    path, peak = browser("const { keptBars, box } = gpucclView.histograms[0]; return [keptBars.getAttribute('d'), box.querySelector('small').textContent]")
    assert [float(part.split("h")[0]) for part in path.split("v-")[1:]] == [64, round(64 * 5 / 15, 2)] and peak == "peak 15", (path, peak)
    pointed = browser("""
const { svg, range } = gpucclView.histograms[0], box = svg.getBoundingClientRect();
svg.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + 2, clientY: box.top + 5, bubbles: true }));
return range.textContent""")
    assert pointed == "15 of 6", pointed


def check_volume(browser, folder):
    """All planes of a volume fit, however long its elements are; slices count from 1, and keys are listed."""
    for name, shape, spacing in (("flat", (12, 100, 140), "0.2,0.2,2,um"), ("tall", (90, 30, 40), "1,1,5,um"), ("thin", (2, 200, 20), "1,1,1,um")):
        image, page = numpy.zeros(shape, numpy.uint8), folder / f"{name}.html"
        image[:, 2:9, 2:12] = 200
        tifffile.imwrite(folder / f"{name}.tif", image)
        gpuccl("label", folder / f"{name}.tif", "--spacing", spacing, "--view", page, "--quiet")
        for width in (1280, 390):
            browser.open(page, width)
            browser("document.getElementById('layout').value = 'all'; document.getElementById('layout').dispatchEvent(new Event('change')); document.getElementById('fit').click()")
            browser.settle()
            ends = browser("const { shownPlanes } = gpucclView.planes; return shownPlanes.map((p) => [p.pixelOf([0, 0, 0]), p.pixelOf(gpucclView.head.extent), [p.canvas.clientWidth, p.canvas.clientHeight]])")
            assert len(ends) == 3 and all(-1 <= low[k] < high[k] <= size[k] + 1 for low, high, size in ends for k in (0, 1)), (name, ends)
        browser("gpucclView.planes.go([0, 0, 0])")
        assert browser("return document.getElementById('slice-name').textContent") == f"Slice 1 of {shape[0]} (z 0)"
    assert "Page Down" in browser("return document.getElementById(gpucclView.planes.planes[0].canvas.getAttribute('aria-describedby')).textContent")


def check_print(browser, folder):
    """On paper the planes, the command and the table are there, and controls are not."""
    for name in ("page", "cells"):
        browser.open(folder / f"{name}.html", 1020, 720, "print")
        browser.shot(f"{name}-print.png")
        gone = browser("return ['#style', '#reset', '#find', '#tip'].filter((id) => document.querySelector(id).checkVisibility())")
        assert gone == [], gone
        there = browser("return ['#planes canvas', '#commands code', '#table td', '#foot'].filter((id) => !document.querySelector(id).checkVisibility())")
        assert there == [], there
        assert browser("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    # Prints the first of many rows, without blank pages for the others.
    browser.open(folder / "many.html", 1020, 720, "print")
    rows, height, last = browser("return [document.querySelectorAll('#table tbody tr').length, document.documentElement.scrollHeight, document.querySelector('#table tbody tr:last-child').textContent]")
    assert rows == 201 and height < 10000, (rows, height)
    assert last.endswith("more rows are not printed."), last


def main():
    browser = Browser()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        check_page(browser, folder, "page", DATA / "page.png", ["--measure", "extent,perimeter"],
                   [("area", 0.3, 1.0), ("extent", 0.2, 0.75)], [])
        check_page(browser, folder, "cells", DATA / "cells.tif",
                   ["--spacing", "5,5,30,nm", "--intensity", DATA / "cells.tif", "--measure", "extent,area_physical,intensity_mean", "--min-size", "150", "--keep", "area < 2600", "--largest", "40"],
                   [("area", 0.2, 0.9), ("extent", 0.1, 0.8)], ["--spacing", "5,5,30,nm"])
        check_measured(browser, folder, folder / "cells.tif")
        check_slices(browser, folder, DATA / "cells.tif")
        check_keys(browser, folder / "cells.html")
        check_many(browser, folder)
        check_slabs(browser, folder)
        check_thin(browser, folder)
        check_names(browser, folder)
        check_no_command(browser, folder)
        check_split(browser, folder)
        for check in (check_light, check_channels, check_small, check_histograms, check_volume, check_print):
            check(browser, folder)
        check_firefox(folder)
    browser.driver.quit()


main()
