#!/usr/bin/env python3
"""Makes the sample images of this folder again, bit for bit (Pillow, NumPy, tifffile, DejaVu fonts).

The page shows the text of the license file next to the project's own sentences; the volume is drawn from random
ellipsoids with a fixed seed. Nothing comes from a third party but the glyph shapes of the free DejaVu fonts.
"""

import pathlib
import textwrap

import numpy as np
import tifffile
from PIL import Image, ImageDraw, ImageFont

HERE = pathlib.Path(__file__).resolve().parent
FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")


def page() -> Image.Image:
    """An A4 page at 150 dpi as a scanner sees it: ink is 0, a little skew, specks of dust."""
    width, height = 1240, 1754
    image = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(image)
    title = ImageFont.truetype(str(FONTS / "DejaVuSans-Bold.ttf"), 40)
    body = ImageFont.truetype(str(FONTS / "DejaVuSans.ttf"), 19)
    draw.text((110, 90), "Connected components", font=title, fill=0)
    draw.line((110, 150, width - 110, 150), fill=0, width=3)
    text = " ".join((HERE.parent / "LICENSE").read_text().split())
    y = 180
    for line in textwrap.wrap(text, 92):
        draw.text((110, y), line, font=body, fill=0)
        y += 29
    top = y + 30
    draw.rectangle((110, top, width - 110, top + 420), outline=0, width=2)
    for row in range(1, 8):
        draw.line((110, top + row * 52, width - 110, top + row * 52), fill=0, width=1)
    for column in range(1, 5):
        x = 110 + column * 204
        draw.line((x, top, x, top + 420), fill=0, width=1)
    for row in range(8):
        for column in range(5):
            draw.text((122 + column * 204, top + 16 + row * 52), f"{(row * 5 + column) * 8191 % 100003}", font=body, fill=0)
    draw.ellipse((250, top + 480, 450, top + 680), outline=0, width=9)
    draw.ellipse((350, top + 480, 550, top + 680), outline=0, width=9)
    draw.polygon([(700, top + 660), (820, top + 480), (940, top + 660)], fill=0)
    image = image.rotate(0.4, resample=Image.BICUBIC, fillcolor=255)
    ink = np.asarray(image) < 128
    dust = np.random.RandomState(1)
    ink[dust.randint(0, height, 150), dust.randint(0, width, 150)] = True
    return ink


def cells() -> np.ndarray:
    """160 x 120 x 48 voxels: about sixty ellipsoids of several sizes, some of which touch."""
    depth, height, width = 48, 120, 160
    z, y, x = np.ogrid[:depth, :height, :width]
    random = np.random.RandomState(7)
    volume = np.zeros((depth, height, width), bool)
    for _ in range(60):
        center = random.uniform((0, 0, 0), (depth, height, width))
        radius = random.uniform((2, 3, 3), (6, 11, 13))
        volume |= ((z - center[0]) / radius[0]) ** 2 + ((y - center[1]) / radius[1]) ** 2 + ((x - center[2]) / radius[2]) ** 2 < 1
    return volume


def main() -> None:
    ink = page()
    Image.fromarray(ink).save(HERE / "page.png", dpi=(150, 150), optimize=True)
    Image.fromarray(~ink).save(HERE / "page-g4.tif", compression="group4", dpi=(150, 150), tiffinfo={262: 0})

    volume = cells()
    tifffile.imwrite(HERE / "cells.tif", np.where(volume, 255, 0).astype(np.uint8), compression="zlib",
                     imagej=False, photometric="minisblack", metadata=None, software="")
    stack = HERE / "cells-slices"
    stack.mkdir(exist_ok=True)
    for index, slice_ in enumerate(volume[::4]):
        Image.fromarray(slice_).save(stack / f"slice{index}.png", optimize=True)


if __name__ == "__main__":
    main()
