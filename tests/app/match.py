"""match.py GPUCCL: scores of `gpuccl match` are those of StarDist's `matching`.

Random pairs of label images, 2D and 3D, at five thresholds: 300 pairs, and 10,000 with GPUCCL_LONG. Exit status 77,
skipped, where StarDist is missing. Only its module for matching is loaded, which does not need its networks:
`pip install numpy scipy scikit-image numba tqdm six`, then `pip install --no-deps stardist csbdeep`.
"""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

try:
    import numpy as np

    found = importlib.util.find_spec("stardist")
    if found is None:
        raise ImportError("No module named 'stardist'")
    package = types.ModuleType("stardist")
    package.__path__ = list(found.submodule_search_locations)
    sys.modules["stardist"] = package
    from stardist.matching import matching
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

PAIRS = 10000 if os.environ.get("GPUCCL_LONG") else 300
THRESHOLDS = [0.1, 0.3, 0.5, 0.7, 0.9]
COUNTS = {"tp": "true_positives", "fp": "false_positives", "fn": "false_negatives"}
RATIOS = {"precision": "precision", "recall": "recall", "accuracy": "accuracy", "f1": "f1",
          "mean_true_score": "mean_true_iou", "mean_matched_score": "mean_matched_iou",
          "panoptic_quality": "panoptic_quality"}
SINGLE = 1e-6  # StarDist's IoU has 32 bits


def boxes(random, shape):
    """Boxes that cover each other, with values anywhere below 400."""
    labels = np.zeros(shape, np.uint16)
    for _ in range(random.integers(0, 14)):
        low = [random.integers(0, size) for size in shape]
        box = tuple(slice(begin, begin + random.integers(1, 9)) for begin in low)
        labels[box] = random.integers(1, 400)
    return labels


def pair(random):
    shape = tuple(random.integers(3, 24, size=random.integers(2, 4)))
    truth = boxes(random, shape)
    prediction = truth.copy() if random.random() < 0.7 else boxes(random, shape)
    noise = random.random(shape) < random.choice([0, 0.05, 0.3])
    prediction[noise] = random.permutation(prediction[noise])
    return truth, np.roll(prediction, 1, axis=0) if random.random() < 0.5 else prediction


def main():
    random = np.random.default_rng(35)
    pairs = [pair(random) for _ in range(PAIRS)]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("truth", "prediction"):
            (folder / name).mkdir()
        for i, (truth, prediction) in enumerate(pairs):
            np.save(folder / "truth" / f"{i}.npy", truth)
            np.save(folder / "prediction" / f"{i}.npy", prediction)
        result = subprocess.run([sys.argv[1], "match", folder / "truth", folder / "prediction", "--json", "-",
                                 "--threshold", ",".join(map(str, THRESHOLDS))], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    rows = {row["input"]: row["matching"] for row in json.loads(result.stdout)["images"]}
    for i, (truth, prediction) in enumerate(pairs):
        for threshold, ours in zip(THRESHOLDS, rows[str(i)]):
            theirs = matching(truth.astype(np.int32), prediction.astype(np.int32), thresh=threshold)
            for name, own in COUNTS.items():
                assert getattr(theirs, name) == ours[own], (i, threshold, theirs, ours)
            for name, own in RATIOS.items():
                assert abs(getattr(theirs, name) - ours[own]) <= SINGLE, (i, threshold, theirs, ours)
    print(f"{PAIRS} pairs at {len(THRESHOLDS)} thresholds have StarDist's scores")


main()
