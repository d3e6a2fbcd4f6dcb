"""schema.py GPUCCL: reports, tables and scores satisfy the schemas that gpuccl schema prints, which refuse others.

Exit status 77, skipped, where jsonschema is missing.
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def report(gpuccl, *words, command="label"):
    done = subprocess.run([gpuccl, command, *words, "--json", "-"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def unique(pairs):
    assert len(dict(pairs)) == len(pairs), f"a key is there twice: {[key for key, _ in pairs]}"
    return dict(pairs)


def validator_of(gpuccl, output):
    text = subprocess.run([gpuccl, "schema", output], check=True, capture_output=True, text=True).stdout
    if output != "stats":
        assert text == (DATA / f"{output}.schema.json").read_text()
    schema = json.loads(text, object_pairs_hook=unique)
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    return validator(schema)


def number(text):
    return json.loads(text) if text[0] in "-0123456789" else text


def check_tables(gpuccl):
    """Rows of tables have the columns and types of the schema of stats."""
    row_is = validator_of(gpuccl, "stats")
    columns = set()
    for words in (
        ["cells.tif", "--measure", "all", "--spacing", "1,1,2,um", "--intensity", DATA / "cells.tif"],
        ["page.png", "--measure", "all", "--intensity", f"{DATA / 'page.png'},{DATA / 'page-g4.tif'}", "--values"],
        ["cells-slices"],
    ):
        command = [gpuccl, "label", DATA / words[0], *words[1:], "--stats", "-"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        assert rows
        for row in rows[:50]:
            given = {name: number(cell) for name, cell in row.items() if cell}
            row_is.validate(given)
            columns |= given.keys()
    assert {"file", "value", "unit", "area_physical", "cz", "sphericity_physical"} <= columns
    assert any("[" in name for name in columns)
    for wrong in ({}, {**given, "label": "1"}, {**given, "other": 1}, {**given, "area": 1.5}):
        assert not row_is.is_valid(wrong), wrong


def check_scores(gpuccl, folder):
    """Reports of match satisfy their schema."""
    report_is = validator_of(gpuccl, "match")
    for name in "ab":
        (folder / name).mkdir()
        for k, size in enumerate(("40x30", "40x30x4")):
            subprocess.run([gpuccl, "generate", "blobs", "--size", size, "-o", folder / name / f"{k}.tif"], check=True)
    (folder / "a" / "2.tif").write_bytes(b"no image")
    (folder / "b" / "2.tif").write_bytes(b"no image")

    def match(*words, code=0):
        done = subprocess.run([gpuccl, "match", *words, "--json", "-"], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout, object_pairs_hook=unique)

    one = folder / "a" / "1.tif"
    reports = [
        match(one, one, "--label", "--threshold", "0.5,0.75", "--regions"),
        match(one, one, "--label", "--regions", "--distances", "--tolerance", "1"),
        match(one, one, "--per-value", "--distances", "--tolerance", "1", "--min-size", "truth=5"),
        match(folder / "a", folder / "b", "--per-value", "--distances", code=65),
        match("--track", DATA / "cells-slices", "--label"),
        match(one, folder / "missing.tif", code=66),
    ]
    for each in reports:
        report_is.validate(each)
    assert reports[3]["failed"] and reports[3]["images"] and "error" in reports[5]
    for wrong in ({}, {**reports[0], "other": 1}, {"error": {}}, {**reports[0], "total": {}}):
        assert not report_is.is_valid(wrong), wrong
    extra = json.loads(json.dumps(reports[3]))
    extra["images"][0]["other"] = 1
    assert not report_is.is_valid(extra)
    return len(reports)


def main():
    gpuccl = sys.argv[1]
    validator = validator_of(gpuccl, "report")
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "labels.tif"
        reports = [
            report(gpuccl, DATA / "page.png", "-o", output),
            report(gpuccl, DATA / "page.png", "-c", "4", "--min-size", "5", "--order", "size"),
            report(gpuccl, DATA / "page-g4.tif", "--invert", "--threshold", "otsu"),
            report(gpuccl, DATA / "cells.tif", "-c", "6", "-o", output),
            report(gpuccl, DATA / "cells.tif", "--per-slice", "--algo", "flood-fill"),
            report(gpuccl, DATA / "cells.tif", "--threshold", "255"),
            report(gpuccl, DATA / "cells-slices", "--stack"),
            report(gpuccl, DATA / "cells.tif", "--values", "--per-value", "--largest", "3"),
            report(gpuccl, DATA / "cells.tif", "--measure", "all", "--spacing", "1,1,2"),
            report(gpuccl, DATA / "page.png", "--measure", "all"),
            report(gpuccl, DATA / "cells-slices", "--stack", "--fill-holes"),
            report(gpuccl, DATA / "cells.tif", "--intensity", DATA / "cells.tif"),
            report(gpuccl, DATA / "page.png", "--intensity", DATA / "page.png", "--intensity-channel", "all"),
            report(gpuccl, output, "--measure", "components", "--relabel", command="measure"),
        ]
        validator.validate(report(gpuccl, DATA / "page.png", "--no-components"))
        check_tables(gpuccl)
        scores = check_scores(gpuccl, pathlib.Path(folder))
    for each in reports:
        validator.validate(each)
        assert len(each["components"]) == each["labeling"]["components"]
        assert [row["label"] for row in each["components"]] == list(range(1, len(each["components"]) + 1))
        phases = each["timings_ms"]["phases"]
        assert phases and all(phase["ms"] >= 0 and phase["launches"] >= 1 for phase in phases)

    for key in ("gpuccl", "input", "labeling", "timings_ms"):
        broken = {name: value for name, value in reports[0].items() if name != key}
        if validator.is_valid(broken):
            sys.exit("the schema does not require %r" % key)
    print(len(reports) + scores, "reports are valid")


main()
