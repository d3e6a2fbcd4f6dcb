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

from ._kinds import warn

#: Errors for the exit codes of the program; OSError for other codes.
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


def _path(
    value: Any,
    needed: str = "a path is needed, or an array of zarr or h5py in a local file",
    remedy: str = "gpuccl.label labels arrays in memory, gpuccl.dask.label those of dask",
) -> str:
    """Returns a path as a word of the command line, which is neither an option nor a list."""
    try:
        name = os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{needed}, not {type(value).__name__}; {remedy}") from None
    return os.path.join(os.curdir, name) if name.startswith(("-", "@")) else name


def _file_of(value: Any) -> Any:
    """Returns the path of an array of zarr or h5py, and other values as they are."""
    library = type(value).__module__.partition(".")[0]
    if library == "zarr" and hasattr(value, "store"):
        root = getattr(value.store, "root", getattr(value.store, "path", None))  # of zarr 3, of zarr 2
        if type(value.store).__name__ not in ("LocalStore", "DirectoryStore", "NestedDirectoryStore"):
            raise TypeError(
                f"a zarr array of {type(value.store).__name__} is not in a local folder; "
                "use gpuccl.dask.label(dask.array.from_zarr(x))"
            )
        return os.path.join(root, value.path)
    if library == "h5py" and hasattr(value, "file"):
        if value.file.driver not in ("sec2", "stdio"):
            raise TypeError(f"a dataset of the driver {value.file.driver} is not in a local file; use gpuccl.label(x[...])")
        value.file.flush()
        return f"{value.file.filename}:{value.name}"
    return value


def _word(value: Any) -> str:
    """Returns the value of an option as a word of the command line."""
    value = _file_of(value)
    if isinstance(value, (os.PathLike, bytes)):
        return _path(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(map(_word, value))
    return str(value)


def label_file(input: Any, output: Any = None, *arguments: Any, **options: Any) -> Any:
    """Label an image or volume in a file, or a batch of them, with the program ``gpuccl label``.

    Parameters
    ----------
    input : path, zarr.Array or h5py.Dataset
        A file or folder, in any format that the program reads, or an array in one. A folder is a batch; with
        ``stack=True`` its files are the slices of one volume. ``"@FILE"`` is the batch that a file lists, unless a
        file has that name. With ``frame="all"`` or a folder as output, a file is a batch, too.
    output : path, optional
        The label image, whose name selects the format; for a batch, a folder. By default only the report is made;
        a file that is a batch needs this folder, ``stats`` or ``summary``.
    *arguments : str
        More words of the command line.
    **options
        Options by name, with ``_`` for ``-``: ``threshold="otsu"`` is ``--threshold otsu``, ``invert=True`` is
        ``--invert``. Items of sequences are joined with commas. ``None`` and ``False`` are left out.

    Returns
    -------
    dict
        The report, as in ``man gpuccl-label``, whose ``hints`` are also warnings. For a batch a list with a dict for each
        image: ``input``, ``status``, ``error``, ``components`` and others, as in ``--report``. If images fail, a warning
        counts them.

    Raises
    ------
    ValueError, FileNotFoundError, MemoryError, OSError, RuntimeError
        The program failed; the message is that of the program.

    Examples
    --------
    >>> report = gpuccl.label_file("cells.tif", "labels.tiff", threshold="otsu")  # doctest: +SKIP
    >>> report["labeling"]["components"]                                          # doctest: +SKIP
    48
    """
    for name in ("json", "report"):
        if options.get(name) is not None:
            raise ValueError(f"{name} is what label_file returns: leave it out")
    if options.get("dry_run"):
        raise ValueError("dry_run prints lines for a terminal: run gpuccl.program() with --dry-run")
    input = _file_of(input)
    is_list = isinstance(input, str) and input.startswith("@") and not os.path.exists(input)
    command = [program(), "label", input if is_list else _path(input), "--json", "-", "--quiet"]
    if output is not None:
        command += ["-o", _path(output, "output is a path", "write to a new file")]
    for name, value in options.items():
        if value is None or value is False:
            continue
        option = ("--" if len(name) > 1 else "-") + name.replace("_", "-")
        if value is True:
            command.append(option)
        elif len(name) > 1:
            command.append(f"{option}={_word(value)}")  # the value may begin with -
        else:
            command += [option, _word(value)]
    command += [str(word) for word in arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if is_batch := done.returncode == 64 and b"--json is for one input" in done.stderr:  # before it reads anything
        command[command.index("--json")] = "--report"
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    records = [one for one in map(json.loads, done.stdout.splitlines()) if "input" in one] if is_batch else []
    if done.returncode != 0 and not records:
        message = done.stderr.decode(errors="replace").strip() or f"gpuccl ended with {done.returncode}"
        raise _RAISED.get(done.returncode, OSError)(message)
    if not is_batch:
        report = json.loads(done.stdout)
        for hint in dict.fromkeys(report.get("hints", ())):
            warn(hint)
        return report
    if failed := [one["input"] for one in records if one.get("error") is not None]:
        text = f"{len(failed)} of {len(records)} images failed, the first is {failed[0]}; see error in the result"
        warn(text)
    elif done.returncode != 0:
        warn(done.stderr.decode(errors="replace").strip())
    return records
