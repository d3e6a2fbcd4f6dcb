"""Functions of other packages with their own names, arguments and results: one line of import is changed.

What gpuccl does not do is done by the package itself, where it is installed.
"""

from __future__ import annotations

import importlib
from typing import Any


def original(name: str, module: str, *packages: str) -> Any:
    """What the original packages have by a name, for the module that stands for them."""
    missing = []
    if not name.startswith("__"):
        for package in packages:
            try:
                return getattr(importlib.import_module(package), name)
            except ImportError:
                missing.append(package)
            except AttributeError:
                pass
    reason = f"; {', '.join(missing)} may have it, but is not installed" if missing else ""
    raise AttributeError(f"module {module!r} has no attribute {name!r}{reason}")
