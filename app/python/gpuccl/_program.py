"""The program, for files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from typing import Any

#: Exit codes of the program (docs/architecture.md) and what they are raised as; all others are OSError.
_RAISED = {64: ValueError, 65: ValueError, 66: FileNotFoundError, 69: RuntimeError, 70: RuntimeError, 71: MemoryError}


def program() -> str:
    """Returns the path of the program `gpuccl`: where pip installs it, also with --user or --target, else from PATH."""
    target = os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin")
    users = sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))
    for folder in (target, sysconfig.get_path("scripts"), users, os.path.dirname(sys.executable)):
        path = os.path.join(folder, "gpuccl")
        if os.access(path, os.X_OK):
            return path
    if path := shutil.which("gpuccl"):
        return path
    raise FileNotFoundError("the program gpuccl is neither in this environment nor on the PATH")


def _word(value: Any) -> str:
    """A value as the command line has it."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return ",".join(map(_word, value))
    return str(value)


def _is_batch(input: str, stack: Any) -> bool:
    """Whether an input is many images: a folder, other than a Zarr group or the slices of a volume, or a list."""
    is_zarr = any(os.path.exists(os.path.join(input, name)) for name in (".zgroup", ".zarray", "zarr.json"))
    return input.startswith("@") or (os.path.isdir(input) and not stack and not is_zarr)


def label_file(input: Any, output: Any = None, *arguments: Any, **options: Any) -> Any:
    """Label an image or volume in a file, or a batch of them, by the program `gpuccl label`.

    Parameters
    ----------
    input : path
        A file or folder, of any format that the program reads. A folder is a batch; with ``stack=True`` its files are
        the slices of one volume.
    output : path, optional
        The label image; its format goes by the name. Without one only the report is made. For a batch, a folder.
    *arguments : str
        More words of the command line, as they are.
    **options
        Options by their names, with ``_`` for ``-``: ``threshold="otsu"`` is ``--threshold otsu``,
        ``invert=True`` is ``--invert``, ``stats="cells.csv"`` is ``--stats cells.csv``, and of a sequence or array items
        are joined by commas. ``None`` and ``False`` are left out, as are ``json`` and ``report``, which are returned.

    Returns
    -------
    dict
        The report; `man gpuccl-label` and its schema explain it. For a batch a list with a dict for each image: its
        ``input``, ``status`` and number of ``components``, as ``--report`` has them; reports are beside the outputs.

    Raises
    ------
    ValueError, FileNotFoundError, MemoryError, OSError, RuntimeError
        With the program's own message.

    Examples
    --------
    >>> report = gpuccl.label_file("cells.tif", "labels.tiff", threshold="otsu")  # doctest: +SKIP
    >>> report["labeling"]["components"]                                          # doctest: +SKIP
    48
    """
    for name in ("json", "report"):
        if options.get(name) is not None:
            raise ValueError(f"{name} is what label_file returns: leave it out")
    input = os.fspath(input)
    is_batch = _is_batch(input, options.get("stack"))
    command = [program(), "label", input, "--report" if is_batch else "--json", "-", "--quiet"]
    if output is not None:
        command += ["-o", os.fspath(output)]
    for name, value in options.items():
        option = ("--" if len(name) > 1 else "-") + name.replace("_", "-")
        if value is None or value is False:
            continue
        command.append(option)
        if value is True:
            continue
        command.append(_word(value))
    command += [str(word) for word in arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip() or f"gpuccl ended with {done.returncode}"
        raise _RAISED.get(done.returncode, OSError)(message)
    if is_batch:
        return [json.loads(line) for line in done.stdout.splitlines()]
    return json.loads(done.stdout)
