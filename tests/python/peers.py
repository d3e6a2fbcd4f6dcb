"""A plugin of pytest that runs the tests of other packages over the functions of gpuccl that have their names.

PYTHONPATH=tests/python:PACKAGE_DIR python -m pytest -p peers --pyargs scipy.ndimage.tests.test_measurements
PYTHONPATH=tests/python:PACKAGE_DIR python -m pytest -p peers FOLDER/tests/skimage/measure/test_regionprops.py ...

scikit-image, cc3d (automated_test.py) and dask-image have their tests in their repositories.
"""

import importlib
import types


class Both(types.ModuleType):
    """A module with the functions of gpuccl, and all else from the original."""

    def __init__(self, ours, theirs):
        super().__init__(theirs.__name__)
        for name in {*dir(theirs), *ours.__all__}:
            setattr(self, name, getattr(ours if name in ours.__all__ else theirs, name))


def pytest_collection_modifyitems(items):
    for module in {item.module for item in items}:
        for ours, package in (("scipy", "ndimage"), ("cc3d", "cc3d"), ("skimage", None), ("dask_image", "dask_image")):
            names = vars(module)
            if package is None and any(str(getattr(one, "__module__", "")).startswith("skimage") for one in names.values()):
                shim = importlib.import_module(f"gpuccl.compat.{ours}")
                names.update({name: getattr(shim, name) for name in shim.__all__ if name in names})
            elif package in names:
                shim = importlib.import_module(f"gpuccl.compat.{ours}")
                theirs = names[package]
                if ours == "dask_image":
                    theirs.ndmeasure = Both(shim, theirs.ndmeasure)
                else:
                    names[package] = Both(shim, theirs)
