"""The index of `gpuccl label --view FOLDER/` in a browser: batch_page.py GPUCCL [SCREENSHOTS]"""
import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile

from browser import Browser, gpuccl, PROGRAM

import numpy
import tifffile


def wait_until_ready(browser):
    """Until the page has drawn its image."""
    for _ in range(100):
        if browser("return document.body.dataset.ready"):
            return
        browser.settle()


def write_inputs(folder):
    """Nine images of about 20 squares, one of 200, one that is mostly foreground, and one that is broken."""
    chance = numpy.random.default_rng(1)

    def squares(count):
        image = numpy.zeros((200, 300), numpy.uint8)
        for place in chance.choice(20 * 30, count, replace=False):
            y, x = divmod(int(place), 30)
            image[10 * y:10 * y + 5, 10 * x:10 * x + 5] = 255
        return image

    for i in range(9):
        tifffile.imwrite(folder / f"usual {i}.tif", squares(18 + i % 5))
    tifffile.imwrite(folder / "many.tif", squares(300))
    full = squares(20)
    full[:, 100:] = 255
    tifffile.imwrite(folder / "100% full & <b>.tif", full)
    (folder / "broken.tif").write_bytes(b"II*\0no more")


TILES = """
return [...document.querySelectorAll(".tile")].map((tile) => ({ name: tile.querySelector("strong").textContent, link: tile.href,
  text: tile.querySelector(".soft").textContent, why: [...tile.querySelectorAll(".badge")].map((badge) => badge.textContent),
  seen: tile.querySelector("img")?.naturalWidth ?? 0 }))
"""


def check_odd_names(browser, folder):
    """Links of names that are not UTF-8, as long as they can be, or mean something in a URL lead to their pages."""
    images, pages = folder / "odd", folder / "odd pages"
    names = [b"caf\xe9.tif", b"caf\xe8.tif", b"l" * 251 + b".tif", b"l" * 250 + b"m.tif", "\u00fc".encode() * 125 + b".tif", b"50% #1?.tif", b"\xe9t\xe9/in.tif"]
    for i, name in enumerate(names):
        image = numpy.zeros((40, 60), numpy.uint8)
        image[::4, :4 * (i + 1):4] = 255  # each has another number of components
        path = bytes(images) + b"/" + name
        os.makedirs(os.path.dirname(path), exist_ok=True)
        made = io.BytesIO()
        tifffile.imwrite(made, image)
        with open(path, "wb") as file:
            file.write(made.getvalue())
    gpuccl("label", images, "--recursive", "-c", "8", "--view", f"{pages}/", "--quiet")
    browser.open(pages / "index.html")
    tiles = browser(TILES)
    assert len(tiles) == len(names)
    counts = set()
    for tile in tiles:
        browser.driver.get(tile["link"])
        wait_until_ready(browser)
        counts.add(browser("return gpucclView.head.components"))
        assert tile["text"].startswith(f"{browser('return gpucclView.head.components')} component"), tile
    assert counts == {10 * (i + 1) for i in range(len(names))}, counts


def check_formulas(browser, folder):
    """Names in the saved table are quoted, and a spreadsheet takes none for a formula."""
    (folder / "formulas").mkdir()
    names = ["=1+1.tif", "+a,b.tif", "@c.tif", "-d\".tif", "plain.tif"]
    for name in names:
        tifffile.imwrite(folder / "formulas" / name, numpy.ones((8, 8), numpy.uint8))
    (folder / "formulas/list").write_text("\n".join(names) + "\n")
    subprocess.run([PROGRAM, "label", "@list", "--view", "pages/", "--quiet"], cwd=folder / "formulas", check=True)
    browser.open(folder / "formulas/pages/index.html")
    rows = list(csv.DictReader(io.StringIO(browser("return gpucclBatch.table()"))))
    assert {row["input"] for row in rows} == {name if name == "plain.tif" else f"./{name}" for name in names}, rows


def check_plate(browser, folder):
    """Wells of a plate are where their names say, with failures and unusual counts; counts have a strip; thumbnails show the image."""
    images, pages = folder / "plate", folder / "plate pages"
    images.mkdir()
    counts = {}
    for i in range(96):
        name = f"run1_{'ABCDEFGH'[i // 12]}{i % 12 + 1:02}_dapi"
        if name in ("run1_C07_dapi", "run1_G11_dapi"):
            (images / f"{name}.tif").write_bytes(b"no image")
            continue
        image = numpy.full((60, 80), 100, numpy.uint8)  # of the background
        counts[name] = 60 if i == 14 else 20 + i % 5
        for n in range(counts[name]):
            image[2 + 6 * (n // 12):5 + 6 * (n // 12), 2 + 6 * (n % 12):5 + 6 * (n % 12)] = 250
        image[0] = 0
        tifffile.imwrite(images / f"{name}.tif", image)
    ended = subprocess.run([PROGRAM, "label", images, "--threshold", "200", "--view", f"{pages}/", "--quiet"], capture_output=True, text=True)
    assert ended.returncode == 65, ended.stderr
    for width, scheme in ((1280, "light"), (390, "dark")):
        browser.open(pages / "index.html", width, 900, scheme)
        browser.shot(f"plate-{width}-{scheme}.png")
    wells = browser("return [...document.querySelectorAll('#plate .well')].map((well) => [well.textContent, well.title, well.href ?? '', well.className])")
    assert len(wells) == 96
    for i, (text, title, link, look) in enumerate(wells):
        name = f"run1_{'ABCDEFGH'[i // 12]}{i % 12 + 1:02}_dapi"
        assert title.startswith(f"{'ABCDEFGH'[i // 12]}{i % 12 + 1}\n{name}: "), title
        assert text == (str(counts[name]) if name in counts else "\u2715") and ("failed" in look) == (name not in counts), (text, look)
        assert ("odd" in look) == (i == 14) and link.endswith(f"/{name}.html") == (name in counts), (look, link)
    strip = browser("return [...document.querySelectorAll('#strip circle')].map((dot) => [Number(dot.getAttribute('cx')), dot.textContent, dot.getAttribute('class')])")
    assert len(strip) == 94 and [text for _, text, look in strip if look == "odd"] == ["run1_B03_dapi: 60 components"], strip
    assert [x for x, _, _ in strip] == sorted(x for x, _, _ in strip), "more components are further to the right"
    seen = browser("""
const image = document.querySelector(".tile img"), canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
canvas.drawImage(image, 0, 0);
return [...canvas.getImageData(40, 50, 1, 1).data, ...canvas.getImageData(3, 3, 1, 1).data]""")
    assert seen[0] == seen[1] == seen[2] == 48 and len(set(seen[4:7])) > 1, seen  # 100 of 0 to 250, half as bright; an object


def check_fields(browser, folder):
    """A well of several images shows the median of their counts and finds their tiles."""
    images, pages = folder / "fields", folder / "field pages"
    images.mkdir()
    for well, counts in (("A1", (3, 5, 6)), ("B03", (7, None)), ("P24", (1200,))):
        for field, count in enumerate(counts, 1):
            image = numpy.zeros((100, 100), numpy.uint8)
            image[:98:2, :98:2].flat[:count or 0] = 1
            path = images / f"x_{well}f0{field}.tif"
            tifffile.imwrite(path, image) if count else path.write_bytes(b"no image")
    subprocess.run([PROGRAM, "label", images, "-c", "4", "--view", f"{pages}/", "--quiet"], capture_output=True, check=False)
    browser.open(pages / "index.html", 390, 844)
    wells = browser("return [...document.querySelectorAll('#plate .well')].filter((well) => well.title).map((well) => [well.title.split('\\n')[0], well.textContent, well.className.trim().replace(/ +/, ' '), well.localName])")
    assert wells == [["A1", "5", "well", "button"], ["B3", "7", "well failed", "button"], ["P24", "1.2k", "well odd", "a"]], wells
    browser("document.querySelector('#plate .well').click()")
    assert len(browser(TILES)) == 3 and browser("return document.getElementById('find').value") == "A1"


def check_plates(browser, folder):
    """Each plate has a grid of its own, also if its name is that of a well; so have names with several parts like wells."""
    pages = folder / "plates pages"
    for plate, counts in (("B2.zarr", (1, 2, 3, 4)), ("p.zarr", (5, 6, 7, 8))):
        wells = [f"{row}/{column}" for row in "AC" for column in (1, 12)]
        (folder / plate).mkdir()
        (folder / plate / ".zattrs").write_text(json.dumps({"plate": {"wells": [{"path": well} for well in wells]}}))
        for well, count in zip(wells, counts):
            image = folder / plate / well / "0"
            image.mkdir(parents=True)
            (image.parent / ".zattrs").write_text('{"well":{"images":[{"path":"0"}]}}')
            (image / ".zarray").write_text('{"zarr_format":2,"shape":[1,16],"chunks":[1,16],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}')
            (image / "0.0").write_bytes(bytes([1, 0] * count + [0] * (16 - 2 * count)))
    subprocess.run([PROGRAM, "label", folder / "B2.zarr", folder / "p.zarr", "--view", f"{pages}/", "--quiet"], check=True)
    show = """return [...document.querySelectorAll('#plate .plate')].map((plate) => [plate.previousElementSibling?.textContent ?? '',
        ...[...plate.querySelectorAll('.well')].filter((well) => well.title).map((well) => well.title.split('\\n')[0] + '=' + well.textContent)])"""
    browser.open(pages / "index.html", 1280, 900)
    browser.shot("plates-1280-light.png")
    assert browser(show) == [["B2.zarr", "A1=1", "A12=2", "C1=3", "C12=4"], ["p.zarr", "A1=5", "A12=6", "C1=7", "C12=8"]], browser(show)
    images = folder / "sites"
    images.mkdir()
    for count, name in enumerate(("A1_F1", "A1_F2", "B2_F1", "B2_F2"), 1):  # wells, and fields
        image = numpy.zeros((1, 16), numpy.uint8)
        image[0, :2 * count:2] = 1
        tifffile.imwrite(images / f"{name}.tif", image)
    subprocess.run([PROGRAM, "label", images, "-c", "4", "--view", f"{folder}/sites pages/", "--quiet"], check=True)
    browser.open(folder / "sites pages" / "index.html", 1280, 900)
    assert browser(show) == [["", "A1=2", "B2=4"]], browser(show)  # medians of 1 and 2, 3 and 4, rounded


def main():
    browser = Browser()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        images, pages = folder / "in", folder / "pages"
        images.mkdir()
        write_inputs(images)
        ended = subprocess.run([PROGRAM, "label", images, "--view", f"{pages}/", "--report", folder / "report.jsonl", "--quiet"], capture_output=True, text=True)
        assert ended.returncode == 65, ended.stderr
        lines = [json.loads(line) for line in (folder / "report.jsonl").read_text().splitlines()]
        report = {pathlib.Path(line["input"]).stem: line for line in lines}
        assert sorted(path.name for path in pages.iterdir()) == sorted(
            ["index.html"] + [f"{name}.html" for name, line in report.items() if line["status"] == "labeled"])

        index = pages / "index.html"
        for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark"), (720, "print")):
            browser.open(index, width, 900, scheme)
            browser.shot(f"batch-{width}-{scheme}.png")
        browser.open(index)
        assert browser("return document.getElementById('title').textContent") == "11 of 12 inputs labeled"
        failure = browser("return document.getElementById('failures').innerText")
        assert report["broken"]["error"] in failure and "broken.tif" in failure, failure
        tiles = browser(TILES)
        assert len(tiles) == 11
        assert {tile["name"] for tile in tiles[:2]} == {"many", "100% full & <b>"}, tiles[:3]
        why = {tile["name"]: tile["why"] for tile in tiles}
        assert "many components" in why["many"] and "much foreground" in why["100% full & <b>"], why
        assert not any(tile["why"] for tile in tiles[2:]), tiles[2:]
        for tile in tiles:
            image = tifffile.imread(images / f"{tile['name']}.tif")
            count, share = tile["text"].split(" components · ")
            assert int(count) == report[tile["name"]]["components"], tile
            assert abs(float(share.split()[0]) - 100 * (image > 0).mean()) < 0.05, tile
            assert tile["seen"] == 144, tile
        browser("const order = document.getElementById('order'); order.value = 'name'; order.dispatchEvent(new Event('change'))")
        assert [tile["name"] for tile in browser(TILES)][1:] == ["many"] + [f"usual {i}" for i in range(9)]
        rows = list(csv.DictReader(io.StringIO(browser("return gpucclBatch.table()"))))
        assert [(row["input"], row["status"], row["components"]) for row in rows] == [
            (line["input"], line["status"], str(line["components"] or "")) for line in lines], rows
        assert next(row for row in rows if row["status"] == "failed")["notes"] == report["broken"]["error"]
        # Every link leads to the page of its image.
        for tile in tiles:
            browser.driver.get(tile["link"])
            wait_until_ready(browser)
            assert browser("return document.getElementById('title').textContent") == tile["name"] + ".tif"
            assert browser("return document.getElementById('up').href") == index.resolve().as_uri()
        browser.check_requests()

        assert browser("return document.querySelectorAll('.well').length") == 0, "names of images are no wells"
        check_plate(browser, folder)
        check_fields(browser, folder)
        check_plates(browser, folder)
        check_odd_names(browser, folder)
        check_formulas(browser, folder)
    browser.driver.quit()


main()
