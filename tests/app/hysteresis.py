"""hysteresis.py GPUCCL: --threshold LOW:HIGH is apply_hysteresis_threshold of scikit-image, and --seeds keeps the
components that reconstruction by dilation keeps.

Random images, whole and in slabs, and in parts. Exit status 77, skipped, where scikit-image is missing.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy.ndimage import generate_binary_structure
    from skimage.filters import apply_hysteresis_threshold
    from skimage.morphology import reconstruction
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

IMAGES = 400 if os.environ.get("GPUCCL_LONG") else 40


def main():
    random = np.random.default_rng(35)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def label(*words):
            subprocess.run([sys.argv[1], "label", "in.npy", *map(str, words), "--quiet", "--overwrite"], cwd=folder, check=True)

        def in_parts(*words):
            for _ in range(3):  # labels, measures, outputs
                for part in (1, 2, 3):
                    label(*words, "--part", f"{part}/3", "--parts-dir", "parts")
                subprocess.run([sys.argv[1], "join", "parts"], cwd=folder, check=True)

        for i in range(IMAGES):
            shape = tuple(random.integers(3, 30, size=2 + i % 2))
            image = random.integers(0, 256, shape).astype(random.choice([np.uint8, np.int16, np.float32]))
            seeds = random.random(shape) < 0.02
            np.save(folder / "in.npy", image)
            np.save(folder / "seeds.npy", seeds)
            low, high = sorted(int(one) for one in random.integers(0, 256, 2))
            high = max(high, 200)
            connectivity = 4 if len(shape) == 2 else 6
            label("--threshold", f"{low}:{high}", "-c", connectivity, "-o", "out.npy")
            right = apply_hysteresis_threshold(image, low, high)
            assert np.array_equal(np.load(folder / "out.npy").reshape(shape) > 0, right), (i, low, high)
            label("--threshold", low, "--seeds", "seeds.npy", "-c", 8 if len(shape) == 2 else 26, "-o", "out.npy")
            mask = image > low
            right = reconstruction((seeds & mask).astype(np.uint8), mask.astype(np.uint8), footprint=np.ones((3,) * len(shape)))
            assert np.array_equal(np.load(folder / "out.npy").reshape(shape) > 0, right > 0), (i, low)

        # A volume that is labeled in slabs.
        image = np.kron(random.integers(0, 256, (20, 100, 101)), np.ones((3, 3, 3))).astype(np.uint8)
        np.save(folder / "in.npy", image)
        np.save(folder / "seeds.npy", random.random(image.shape) < 0.001)
        words = ["--threshold", "190:250", "--seeds", "seeds.npy", "-c", 6, "--stats", "out.csv", "-o", "out.npy"]
        outputs = []
        for memory in ([], ["--memory", "24M"]):
            label(*words, *memory)
            outputs.append([(folder / name).read_bytes() for name in ("out.csv", "out.npy")])
        in_parts(*words)
        outputs.append([(folder / name).read_bytes() for name in ("out.csv", "out.npy")])
        assert outputs[0] == outputs[1] == outputs[2]
        mask = np.load(folder / "out.npy") > 0
        marked = apply_hysteresis_threshold(image, 190, 250)
        right = reconstruction((np.load(folder / "seeds.npy") & marked).astype(np.uint8), marked.astype(np.uint8),
                               footprint=generate_binary_structure(3, 1))
        assert np.array_equal(mask, right > 0)
    print(IMAGES, "images are as scikit-image has them")


main()
