"""match.py GPUCCL: scores of `gpuccl match` are those of StarDist's `matching`, and class by class those of panoptica and MONAI.

Random pairs of label images, 2D and 3D, at five thresholds, and of semantic segmentations with three classes: 300
pairs, and 10,000 with GPUCCL_LONG. A peer that is missing is left out; exit status 77, skipped, where all are. Of
StarDist and MONAI only the modules of these metrics are loaded, which do not need networks:
`pip install numpy scipy scikit-image connected-components-3d numba tqdm six pandas plotly rich ruamel.yaml typer torch`,
then `pip install --no-deps stardist csbdeep panoptica monai`.
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
    from scipy import ndimage
    from scipy.optimize import linear_sum_assignment
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

PAIRS = 10000 if os.environ.get("GPUCCL_LONG") else 300
THRESHOLDS = [0.1, 0.3, 0.5, 0.7, 0.9]
OF_CLASSES = [0.5503, 0.7501]  # no IoU of small objects: peers differ in whether a match may have the threshold itself
COUNTS = {"tp": "true_positives", "fp": "false_positives", "fn": "false_negatives"}
RATIOS = {"precision": "precision", "recall": "recall", "accuracy": "accuracy", "f1": "f1",
          "mean_true_score": "mean_true_iou", "mean_matched_score": "mean_matched_iou",
          "panoptic_quality": "panoptic_quality"}
SINGLE = 1e-6  # StarDist's IoU has 32 bits


def stardist_matching():
    found = importlib.util.find_spec("stardist")
    if found is None:
        return None
    package = types.ModuleType("stardist")
    package.__path__ = list(found.submodule_search_locations)
    sys.modules["stardist"] = package
    try:
        from stardist.matching import matching
    except ImportError:
        return None
    return matching


def panoptica_scores():
    """scores(truth, prediction, threshold) of two masks, whose components are the objects: counts, RQ, SQ, PQ and Dice."""
    try:
        from panoptica import ConnectedComponentsInstanceApproximator, InputType, Metric, NaiveThresholdMatching, Panoptica_Evaluator
        from panoptica.utils.constants import CCABackend
    except ImportError:
        return None
    evaluators = {threshold: Panoptica_Evaluator(
        expected_input=InputType.SEMANTIC, instance_approximator=ConnectedComponentsInstanceApproximator(cca_backend=CCABackend.cc3d),
        instance_matcher=NaiveThresholdMatching(matching_metric=Metric.IOU, matching_threshold=threshold),
        instance_metrics=[Metric.IOU], global_metrics=[Metric.DSC]) for threshold in OF_CLASSES}

    def scores(truth, prediction, threshold):
        found = evaluators[threshold].evaluate(prediction.astype(np.uint8), truth.astype(np.uint8), verbose=False)["ungrouped"]
        quality = (found.rq, found.sq, found.pq) if found.tp else (0, 0, 0)
        return (found.tp, found.fp, found.fn), quality, found.global_bin_dsc

    return scores


def monai_scores():
    try:
        import torch
        from monai.metrics.panoptic_quality import compute_panoptic_quality
    except ImportError:
        return None

    def scores(truth, prediction, threshold):
        objects = [torch.as_tensor(ndimage.label(mask, np.ones((3,) * mask.ndim))[0]) for mask in (prediction, truth)]
        tp, fp, fn, iou = map(float, compute_panoptic_quality(*objects, match_iou_threshold=threshold, output_confusion_matrix=True))
        rq = tp / (tp + fp / 2 + fn / 2)
        return (tp, fp, fn), (rq, iou / tp if tp else 0, iou / tp * rq if tp else 0), None

    return scores


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


def classes(random):
    """Two semantic segmentations with classes 1 to 3."""
    truth, prediction = pair(random)
    return truth % 4, prediction % 4


def matched(folder, pairs, thresholds, *options):
    """The report of each pair."""
    for name, side in (("truth", 0), ("prediction", 1)):
        (folder / name).mkdir(parents=True)
        for i, images in enumerate(pairs):
            np.save(folder / name / f"{i}.npy", images[side])
    result = subprocess.run([sys.argv[1], "match", folder / "truth", folder / "prediction", "--json", "-",
                             "--threshold", ",".join(map(str, thresholds)), *options], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    rows = {row["input"]: row for row in json.loads(result.stdout)["images"]}
    return [rows[str(i)] for i in range(len(pairs))]


def sums_of_ties(truth, prediction, threshold):
    """The least and the largest sum of IoU of matches, of assignments that are equally good by StarDist's rule."""
    objects = [[labels == value for value in np.unique(labels[labels > 0])] for labels in (truth, prediction)]
    iou = np.array([[(a & b).sum() / (a | b).sum() for b in objects[1]] for a in objects[0]])
    matches = iou * (iou >= threshold)
    costs = -(iou >= threshold).astype(float) - iou / (2 * min(iou.shape))
    return [matches[linear_sum_assignment(costs + sign * 1e-9 * matches)].sum() for sign in (1, -1)]


def check_objects(folder, random, matching):
    pairs = [pair(random) for _ in range(PAIRS)]
    ties = 0
    for i, ((truth, prediction), row) in enumerate(zip(pairs, matched(folder, pairs, THRESHOLDS))):
        for threshold, ours in zip(THRESHOLDS, row["matching"]):
            theirs = matching(truth.astype(np.int32), prediction.astype(np.int32), thresh=threshold)
            for name, own in COUNTS.items():
                assert getattr(theirs, name) == ours[own], (i, threshold, theirs, ours)
            means = (theirs.mean_matched_score, ours["mean_matched_iou"])
            if abs(means[0] - means[1]) > SINGLE:
                least, most = (found / ours["true_positives"] for found in sums_of_ties(truth, prediction, threshold))
                assert all(least - SINGLE <= mean <= most + SINGLE for mean in means), (i, threshold, theirs, ours, least, most)
                ties += 1
                continue
            for name, own in RATIOS.items():
                assert abs(getattr(theirs, name) - ours[own]) <= SINGLE, (i, threshold, theirs, ours)
    assert ties <= PAIRS // 1000, ties
    print(f"{PAIRS} pairs at {len(THRESHOLDS)} thresholds have StarDist's scores, but for {ties} ties", flush=True)


def check_classes(folder, random, peers):
    pairs = [classes(random) for _ in range(PAIRS)]
    compared = 0
    for i, ((truth, prediction), row) in enumerate(zip(pairs, matched(folder, pairs, OF_CLASSES, "--per-value"))):
        values = sorted({*np.unique(truth), *np.unique(prediction)} - {0})
        assert [one["value"] for one in row["classes"]] == values, (i, row)
        for value, ours in zip(values, row["classes"]):
            for name, scores in peers.items():
                k = i % len(OF_CLASSES)
                mine = ours["matching"][k]
                counts, qualities, dice = scores(truth == value, prediction == value, OF_CLASSES[k])
                assert counts == tuple(mine[own] for own in COUNTS.values()), (i, name, value, counts, mine)
                for theirs, own in zip(qualities, ("f1", "mean_matched_iou", "panoptic_quality")):
                    assert abs(theirs - mine[own]) <= SINGLE, (i, name, value, own, theirs, mine)
                assert dice is None or abs(dice - ours["foreground"]["dice"]) <= SINGLE, (i, name, value, dice, ours)
                compared += 1
    print(f"{PAIRS} pairs of segmentations, {compared} comparisons, have the scores of {' and '.join(peers)}")


def main():
    random = np.random.default_rng(35)
    matching = stardist_matching()
    peers = {name: scores for name, scores in (("panoptica", panoptica_scores()), ("MONAI", monai_scores())) if scores}
    if not matching and not peers:
        print("skipped: no StarDist, panoptica or MONAI")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        if matching:
            check_objects(pathlib.Path(folder) / "objects", random, matching)
        if peers:
            check_classes(pathlib.Path(folder) / "classes", random, peers)


main()
