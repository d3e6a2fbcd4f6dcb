"""Functions with the names, arguments and results of other packages: change one import.

Calls that gpuccl does not support are passed on to the original package.
"""

from __future__ import annotations

import importlib
from typing import Any


def original(name: str, module: str, *packages: str) -> Any:
    """Returns the attribute of that name from the first of the original packages that has it."""
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
