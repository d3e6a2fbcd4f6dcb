"""The program, for files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig

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


def label_file(input, output=None, *arguments, **options) -> dict | list[dict]:
    """Label an image or volume in a file, or the images of a folder, by the program `gpuccl label`.

    Parameters
    ----------
    input : path
        A file, of any format that the program reads, or a folder; with ``stack=True`` its images are slices.
    output : path, optional
        The label image; its format goes by the name. Of a folder, a folder. Without one only the report is made.
    *arguments : str
        More words of the command line, as they are.
    **options
        Options by their names, with ``_`` for ``-``: ``threshold="otsu"`` is ``--threshold otsu``,
        ``invert=True`` is ``--invert``, ``stats="cells.csv"`` is ``--stats cells.csv``, and of a sequence items are
        joined by commas, as those of an array. ``None`` and ``False`` are left out.

    Returns
    -------
    dict, or list of dict
        The report; `man gpuccl-label` and its schema explain it. Of a folder of images, the status of each, as
        ``--report`` writes it.

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
    batch = os.path.isdir(input) and not options.get("stack") and not _is_zarr(input)
    if batch and "report" in options:
        raise ValueError("report is what label_file returns; leave it out")
    command = [program(), "label", os.fspath(input), "--report" if batch else "--json", "-", "--quiet"]
    if output is not None:
        command += ["-o", os.fspath(output)]
    for name, value in options.items():
        option = ("--" if len(name) > 1 else "-") + name.replace("_", "-")
        if value is None or value is False:
            continue
        command.append(option)
        if value is True:
            continue
        if hasattr(value, "__iter__") and not isinstance(value, str):
            value = ",".join(str(item) for item in value)
        command.append(os.fspath(value) if isinstance(value, os.PathLike) else str(value))
    command += [str(word) for word in arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip() or f"gpuccl ended with {done.returncode}"
        raise _RAISED.get(done.returncode, OSError)(message)
    return [json.loads(line) for line in done.stdout.splitlines()] if batch else json.loads(done.stdout)


def _is_zarr(folder) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in ("zarr.json", ".zgroup", ".zarray", ".zattrs"))
