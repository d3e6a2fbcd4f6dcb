"""The manifest of the napari plugin is valid, and its command labels layers."""

import importlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import gpuccl
from gpuccl._napari import label_layer

MANIFEST = Path(gpuccl.__file__).parent / "napari.yaml"


def image(data, **more):
    return SimpleNamespace(data=np.asarray(data), name="cells", scale=np.ones(np.ndim(data)), **more)


def test_manifest():
    npe2 = pytest.importorskip("npe2")
    manifest = npe2.PluginManifest.from_file(MANIFEST)
    manifest.validate_imports()
    (widget,) = manifest.contributions.widgets
    (command,) = manifest.contributions.commands
    module, _, name = command.python_name.partition(":")
    assert widget.command == command.id and getattr(importlib.import_module(module), name) is label_layer


def test_an_image_is_labeled_above_the_threshold():
    data = np.array([[9, 0, 5], [0, 9, 0], [0, 0, 2]])
    labels, meta, kind = label_layer(image(data, rgb=False), threshold=4)
    assert kind == "labels" and meta["name"] == "cells components"
    np.testing.assert_array_equal(labels, [[1, 0, 1], [0, 1, 0], [0, 0, 0]])
    assert meta["features"]["index"].tolist() == [1] and meta["features"]["area"].tolist() == [3]
    assert label_layer(image(data), threshold=4, neighbors="faces")[0].max() == 3


def test_labels_that_differ_do_not_connect_and_small_ones_are_dropped():
    data = np.array([[1, 1, 2, 0, 2, 2]])
    layer = image(data, selected_label=1)
    assert label_layer(layer)[0].tolist() == [[1, 1, 2, 0, 3, 3]]
    assert label_layer(layer, min_size=2)[0].tolist() == [[1, 1, 0, 0, 2, 2]]


def test_components_lie_where_the_layer_does():
    place = dict(translate=[10, 20], rotate=[[1, 0], [0, 1]], units=("um", "um"), axis_labels=("y", "x"))
    meta = label_layer(image([[9, 0]], **place))[1]
    assert {name: meta[name] for name in place} == place and "shear" not in meta
    scales = SimpleNamespace(data=[np.array([[9, 0, 9]]), np.array([[9]])], name="a", scale=[1, 1], multiscale=True)
    assert label_layer(scales, threshold=4)[0].tolist() == [[1, 0, 2]]
    with pytest.raises(ValueError, match="no pixels"):
        label_layer(SimpleNamespace(data=[[1, 2]], name="points", scale=[1, 1]))


def test_colors_are_refused():
    with pytest.raises(ValueError, match="colors"):
        label_layer(image(np.zeros((4, 4, 3)), rgb=True))
