"""match, against definitions and, where it is installed, against StarDist's `matching`."""

import importlib.util
import sys
import types

import numpy as np
import pytest
from conftest import LONG, refused

import gpuccl

PAIRS = 10_000 if LONG else 300
THRESHOLDS = (0.1, 0.5, 0.7, 0.9)


def boxes(random, shape, type):
    labels = np.zeros(shape, type)
    for _ in range(random.integers(0, 12)):
        low = [random.integers(0, size) for size in shape]
        labels[tuple(slice(begin, begin + random.integers(1, 9)) for begin in low)] = random.integers(1, 100)
    return labels


def pair(random):
    """Two label images of the same shape, of which the second is mostly a disturbed copy of the first."""
    shape = tuple(random.integers(3, 24, size=random.integers(1, 4)))
    types_of = [("u1", "i2", "u4", "i8", "f4")[i] for i in random.integers(0, 5, 2)]
    truth = boxes(random, shape, types_of[0])
    prediction = truth.copy() if random.random() < 0.7 else boxes(random, shape, "i4")
    noise = random.random(shape) < random.choice([0, 0.05, 0.3])
    prediction[noise] = random.permutation(prediction[noise])
    return truth, prediction.astype(types_of[1])


def load_stardist_matching():
    """The module of StarDist alone: its package loads networks."""
    found = importlib.util.find_spec("stardist")
    if found is None:
        pytest.skip("StarDist is not installed")
    package = types.ModuleType("stardist")
    package.__path__ = list(found.submodule_search_locations)
    sys.modules["stardist"] = package
    from stardist.matching import matching

    return matching


def test_scores_are_stardist_s(random):
    matching = load_stardist_matching()
    names = {
        "tp": "true_positives",
        "fp": "false_positives",
        "fn": "false_negatives",
        "precision": "precision",
        "recall": "recall",
        "accuracy": "accuracy",
        "f1": "f1",
        "mean_true_score": "mean_true_iou",
        "mean_matched_score": "mean_matched_iou",
        "panoptic_quality": "panoptic_quality",
    }
    for _ in range(PAIRS):
        truth, prediction = pair(random)
        found = gpuccl.match(truth, prediction, THRESHOLDS)["matching"]
        assert [scores["threshold"] for scores in found] == list(THRESHOLDS)
        for scores in found:
            expected = matching(truth.astype(int), prediction.astype(int), thresh=scores["threshold"])
            for theirs, ours in names.items():  # StarDist's IoU has 32 bits
                score = 0 if np.isnan(scores[ours]) else scores[ours]  # of two empty images
                assert score == pytest.approx(getattr(expected, theirs), abs=1e-6), (theirs, truth, prediction)


def test_counts_and_pairs_are_those_of_the_definitions(random):
    for _ in range(PAIRS):
        truth, prediction = pair(random)
        scores, table = gpuccl.match(truth, prediction, pairs=True)
        objects = [np.unique(labels[labels != 0]) for labels in (truth, prediction)]
        both = (truth != 0) & (prediction != 0)
        assert scores["objects"] == {"truth": objects[0].size, "prediction": objects[1].size}
        assert scores["foreground"]["common"] == np.count_nonzero(both)
        assert scores["detection"]["found"] == np.unique(truth[both]).size
        assert scores["detection"]["without_overlap"] == objects[1].size - np.unique(prediction[both]).size
        partners = [np.unique(labels, return_counts=True)[1] for labels in zip(*{*zip(truth[both], prediction[both])})]
        splits, merges = ([int((counts > 1).sum()) for counts in partners]) or (0, 0)
        assert (scores["detection"]["splits"], scores["detection"]["merges"]) == (splits, merges)
        assert scores["average_precision"] == pytest.approx(scores["matching"][0]["accuracy"], abs=0, nan_ok=True)

        rows = list(zip(*(table[name].tolist() for name in ("truth", "prediction"))))
        overlapping = set(zip(truth[both].astype(int).tolist(), prediction[both].astype(int).tolist()))
        alone = {(int(i), 0) for i in objects[0] if not (truth[both] == i).any()}
        alone |= {(0, int(i)) for i in objects[1] if not (prediction[both] == i).any()}
        assert len(rows) == len(set(rows)) and set(rows) == overlapping | alone
        assert table["matched"].sum() == scores["matching"][0]["true_positives"]
        for i, (a, b) in enumerate(rows):
            one, other = (truth == a) & (a != 0), (prediction == b) & (b != 0)
            common = np.count_nonzero(one & other)
            assert table["truth_area"][i] == one.sum() and table["prediction_area"][i] == other.sum()
            assert table["overlap"][i] == common
            assert table["iou"][i] == common / np.count_nonzero(one | other)
            assert table["dice"][i] == 2 * common / (one.sum() + other.sum())


def test_a_match_needs_the_threshold():
    truth, prediction = np.array([[3, 3, 3, 0]]), np.array([[0, 9, 9, 9]])
    assert gpuccl.match(truth, prediction, 0.5)["matching"][0]["true_positives"] == 1
    assert gpuccl.match(truth, prediction, 0.51)["matching"][0]["true_positives"] == 0
    same = gpuccl.match(truth, truth[:, ::-1][:, ::-1], 1)["matching"][0]
    assert same["panoptic_quality"] == same["f1"] == 1


@pytest.mark.parametrize("code", ("u1", "u2", "u4", "u8", "i4", "i8"))
def test_the_largest_labels_are_matched(code):
    image = np.full((3, 4), np.iinfo(code).max, code)
    image[0, 1:] = 1, 0, np.iinfo(code).max - 1
    scores, table = gpuccl.match(image, image, pairs=True)
    assert scores["objects"] == {"truth": 3, "prediction": 3} and scores["matching"][0]["true_positives"] == 3
    assert sorted(map(int, table["truth"])) == [1, np.iinfo(code).max - 1, np.iinfo(code).max]


def test_arrays_without_elements():
    for shape in ((0,), (3, 0), (0, 3), (2, 3, 0), (2, 0, 3), (0, 2, 3)):
        for per_value in (False, True):
            nothing = np.zeros(shape, np.uint8)
            scores, table = gpuccl.match(
                nothing, nothing, pairs=True, per_value=per_value, distances=True, tolerance=1, regions=True
            )
            of_all = scores["distances"]["class_mean" if per_value else "foreground"]
            assert np.isnan(of_all["hausdorff"]) and scores["regions"]["count"] == 0
            assert all(column.size == 0 for column in table.values())


def test_empty_images():
    empty = np.zeros((4, 5), np.uint8)
    scores, table = gpuccl.match(empty, empty, pairs=True)
    # No number would be right, so means over images can leave them out.
    assert np.isnan(scores["foreground"]["dice"]) and np.isnan(scores["matching"][0]["f1"])
    assert all(column.size == 0 for column in table.values())
    for number in (0, 1):
        scores = gpuccl.match(empty, empty, per_value=True, empty=number)
        assert scores["foreground"]["dice"] == scores["matching"][0]["recall"] == scores["average_precision"] == number
        assert scores["class_mean"] == {"dice": number, "f1": number, "panoptic_quality": number}
        assert gpuccl.match(empty, empty + 1, empty=number)["matching"][0]["f1"] == 0
    assert gpuccl.match(empty, empty, empty="skip") is None
    assert gpuccl.match(empty, empty, empty="skip", pairs=True)[0] is None
    assert gpuccl.match(empty, empty + 1, empty="skip")["matching"][0]["f1"] == 0
    for wrong in (2, "null"):
        refused(ValueError, "empty is None, 0, 1 or 'skip'", gpuccl.match, empty, empty, empty=wrong)


def test_classes_are_matched_by_themselves(random):
    for _ in range(PAIRS // 10):
        truth, prediction = (labels % 4 for labels in pair(random))
        scores, table = gpuccl.match(truth, prediction, THRESHOLDS, pairs=True, per_value=True)
        values = np.unique(np.concatenate([truth[truth != 0], prediction[prediction != 0]])).tolist()
        assert [one["value"] for one in scores["classes"]] == values
        rows = 0
        for one in scores["classes"]:
            value = one.pop("value")
            alone = gpuccl.match(*(gpuccl.label(labels == value)[0] for labels in (truth, prediction)), THRESHOLDS, pairs=True)
            assert str(one) == str(alone[0]), (value, truth, prediction)  # equal, or both NaN
            rows += len(alone[1]["iou"])
            of_value = table["value"] == value
            assert sorted(table["iou"][of_value]) == sorted(alone[1]["iou"])
            assert table["matched"][of_value].sum() == alone[1]["matched"].sum()
        assert len(table["value"]) == rows
        numbers = [gpuccl.label(labels, values=True)[1] for labels in (truth, prediction)]
        assert [scores["objects"][name] for name in ("truth", "prediction")] == numbers
        for name in ("dice", "f1", "panoptic_quality"):
            each = [{**one["foreground"], **one["matching"][0]}[name] for one in scores["classes"]]
            assert scores["class_mean"][name] == pytest.approx(np.mean(each) if each else np.nan, nan_ok=True)


def test_classes_of_a_connectivity():
    truth = np.array([[1, 0], [0, 1]])
    assert gpuccl.match(truth, truth, per_value=True)["objects"]["truth"] == 1
    assert gpuccl.match(truth, truth, per_value=True, connectivity=1)["objects"]["truth"] == 2
    empty, table = gpuccl.match(truth * 0, truth * 0, per_value=True, pairs=True)
    assert empty["classes"] == [] and np.isnan(empty["class_mean"]["f1"]) and table["value"].size == 0
    refused(ValueError, "per_value", gpuccl.match, truth, truth, connectivity=1)


def test_errors():
    labels = np.ones((4, 5), np.int32)
    for wrong in (0, -1, 1.5, float("nan"), []):
        refused(ValueError, "threshold", gpuccl.match, labels, labels, wrong)
    refused(ValueError, "shape", gpuccl.match, labels, labels.T)
    refused(ValueError, "shape", gpuccl.match, labels, labels[None])
    with pytest.raises(ValueError):
        gpuccl.match(labels + 0.5, labels)


def erosion(mask):
    """SciPy's binary erosion."""
    padded = np.pad(mask, 1)
    inner = mask.copy()
    for axis in range(mask.ndim):
        for step in (-1, 1):
            inner &= np.roll(padded, step, axis)[(slice(1, -1),) * mask.ndim]
    return inner


def test_distances_are_those_of_all_pairs_of_surface_elements():
    random = np.random.default_rng(5)
    for _ in range(60):
        shape = tuple(random.integers(2, 12, size=random.integers(2, 4)))
        truth, prediction = random.random(shape) < 0.3, random.random(shape) < 0.3
        truth.flat[0] = prediction.flat[-1] = True
        spacing = random.choice([0.5, 1, 3], len(shape))
        a, b = (np.argwhere(mask & ~erosion(mask)) * spacing for mask in (truth, prediction))
        every = np.sqrt(((a[:, None] - b[None]) ** 2).sum(2))
        to_b, to_a = every.min(1), every.min(0)
        both = np.concatenate([to_b, to_a])
        found = gpuccl.match(truth, prediction, distances=True, spacing=spacing, tolerance=1.5)["distances"]["foreground"]
        assert found["hausdorff"] == pytest.approx(both.max())
        assert found["hausdorff_95"] == pytest.approx(max(np.quantile(to_a, 0.95), np.quantile(to_b, 0.95)))
        assert found["assd"] == pytest.approx(both.mean())
        assert found["surface_dice"] == pytest.approx((both <= 1.5).mean())


def test_distances_of_matches_are_columns():
    truth = np.array([[1, 1, 1, 0, 0, 0, 0, 2]])
    prediction = np.array([[1, 1, 1, 1, 1, 0, 0, 0]])
    scores, table = gpuccl.match(truth, prediction, pairs=True, distances=True, spacing=2)
    assert "surface_dice" not in table and "surface_dice" not in scores["distances"]["matches"]
    assert table["hausdorff"][0] == 4 and np.isnan(table["hausdorff"][1])
    assert scores["distances"]["matches"]["pairs"] == 1 and scores["distances"]["matches"]["assd"] == 0.75
    classes = gpuccl.match(truth, prediction, per_value=True, distances=True, tolerance=0)["classes"]
    assert [one["distances"]["foreground"]["surface_dice"] for one in classes] == [0.75, 0]
    for wrong in ({"spacing": 1}, {"tolerance": 1}, {"distances": True, "tolerance": -1}, {"distances": True, "tolerance": "1"}):
        with pytest.raises(ValueError):
            gpuccl.match(truth, prediction, **wrong)


def masks(random, ndim=3):
    """Two masks of boxes or specks; either may be empty."""
    shape = tuple(random.integers(3, 12, size=ndim))
    of_specks = lambda: random.random(shape) < random.choice([0.02, 0.1, 0.3])  # noqa: E731
    truth, prediction = (of_specks() if random.random() < 0.6 else boxes(random, shape, "u1") > 0 for _ in range(2))
    if random.random() < 0.4:
        prediction = truth ^ (random.random(shape) < 0.1)
    return truth, prediction


def cc_metrics_reference(truth, prediction, tolerance, spacing):
    """Dice and surface Dice in each region, by the definition of CC-Metrics: the distance transform of each component."""
    from scipy import ndimage

    components, count = ndimage.label(truth, np.ones((3,) * truth.ndim))
    nearest, least = np.zeros(truth.shape, int), np.full(truth.shape, np.inf)
    for label in range(1, count + 1):
        distance = ndimage.distance_transform_edt(components != label, spacing)
        nearest[distance < least] = label
        least = np.minimum(least, distance)
    dice, surface_dice = [], []
    for label in range(1, count + 1):
        one, other = components == label, prediction & (nearest == label)
        dice.append(2 * (one & other).sum() / (one.sum() + other.sum()))
        edges = [mask & ~erosion(mask) for mask in (one, other)]
        if not other.any():
            surface_dice.append(0)
            continue
        to_other, to_one = (ndimage.distance_transform_edt(~edge, spacing) for edge in reversed(edges))
        both = np.concatenate([to_other[edges[0]], to_one[edges[1]]])
        surface_dice.append((both <= tolerance + 1e-9).mean())
    return dice, surface_dice


def test_regions_are_those_of_cc_metrics(random):
    pytest.importorskip("scipy")
    for i in range(PAIRS):
        truth, prediction = masks(random, 3 if i % 4 else 2)
        spacing = random.choice([1, 2, 3], truth.ndim) if i % 2 else np.ones(truth.ndim)
        tolerance = random.integers(0, 3)
        numbers = gpuccl.label(truth)[0]
        regions, table = gpuccl.match(
            numbers, prediction, regions=True, distances=True, tolerance=tolerance, spacing=spacing, empty=1, pairs=True
        )
        regions = regions["regions"]
        if not truth.any():  # as CC-Metrics: best score for two empty images, else worst
            assert regions["count"] == 1 and regions["dice"] == regions["surface_dice"] == (not prediction.any())
            continue
        dice, surface_dice = cc_metrics_reference(truth, prediction, tolerance, spacing)
        assert regions["count"] == len(dice)
        assert regions["dice"] == pytest.approx(np.mean(dice)), (truth, prediction)
        assert regions["surface_dice"] == pytest.approx(np.mean(surface_dice)), (truth, prediction)
        for number, one, other in zip(table["truth"], table["region_dice"], table["region_surface_dice"]):
            assert number == 0 or one == pytest.approx(dice[number - 1]) and other == pytest.approx(surface_dice[number - 1])
            assert number != 0 or np.isnan(one)
    alone = gpuccl.match(truth, prediction, regions=True, pairs=True)
    assert set(alone[0]["regions"]) == {"count", "dice"} and "region_hausdorff" not in alone[1]






def test_further_thresholds_are_columns(random):
    for _ in range(PAIRS // 10):
        truth, prediction = pair(random)
        _, table = gpuccl.match(truth, prediction, THRESHOLDS, pairs=True)
        for threshold in THRESHOLDS[1:]:
            alone = gpuccl.match(truth, prediction, threshold, pairs=True)[1]
            assert np.array_equal(table[f"matched_{threshold}"], alone["matched"])
    # Rows of many pairs are made some at a time.
    truth = np.kron(np.arange(1, 2501).reshape(50, 50), np.ones((4, 4), int))
    prediction = truth * (random.random(truth.shape) < 0.8)
    _, table = gpuccl.match(truth, prediction, (0.6, 0.8), pairs=True, distances=True)
    assert np.array_equal(table["truth"], np.arange(1, 2501)) and np.array_equal(table["truth_area"], np.full(2500, 16))
    assert np.array_equal(table["iou"] * 16, np.bincount(prediction.ravel(), minlength=2501)[1:])
    for name, threshold in (("matched", 0.6), ("matched_0.8", 0.8)):
        assert np.array_equal(table[name], table["iou"] >= threshold) and 0 < table[name].sum() < 2500
    assert np.array_equal(np.isnan(table["hausdorff"]), table["matched"] == 0)


def test_small_objects_are_left_out_by_name():
    truth, prediction = np.array([[1, 1, 0, 2, 0, 3, 3]]), np.array([[1, 1, 0, 5, 5, 0, 7]])

    def counts(**options):
        return tuple(gpuccl.match(truth, prediction, **options)["objects"].values())

    assert counts() == (3, 3) and counts(min_size=2) == (2, 2)
    assert counts(min_size={"truth": 2}) == (2, 3) and counts(min_size={"prediction": 3}) == (3, 0)
    assert gpuccl.match(truth, prediction, min_size=2, pairs=True)[1]["truth"].tolist() == [1, 3, 0]
    for wrong in (-1, {"both": 1}):
        with pytest.raises(ValueError):
            counts(min_size=wrong)


def test_overlaps_that_are_counted_elsewhere_give_the_same_scores():
    random = np.random.default_rng(5)
    for shape in ((40, 50), (5, 20, 30)):
        truth, prediction = (random.integers(0, 12, shape).repeat(2, -1) for _ in range(2))
        keys, first, pixels = np.unique(truth * 100 + prediction, return_index=True, return_counts=True)
        shared = keys > 0
        columns = [column[shared].astype(np.int64) for column in (keys // 100, keys % 100, pixels, first)]
        for smallest in ([0, 0], [9, 30]):
            scores, table = gpuccl.match(
                truth, prediction, (0.02, 0.1), pairs=True, min_size=dict(zip(("truth", "prediction"), smallest))
            )
            found, pairs = gpuccl._core.match_overlaps(*columns, [0.02, 0.1], True, np.nan, smallest)
            assert repr(found) == repr(scores)
            assert all(np.array_equal(pairs[name], column) for name, column in table.items())
    with pytest.raises(ValueError):
        gpuccl._core.match_overlaps(*columns, [0.0], False, np.nan, [0, 0])
