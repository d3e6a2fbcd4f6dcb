"""schema.py GPUCCL: reports satisfy data/report.schema.json, which refuses what is not one.

Exit status 77, skipped, where jsonschema is missing.
"""
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


def main():
    gpuccl = sys.argv[1]
    schema = json.loads((DATA / "report.schema.json").read_text(), object_pairs_hook=unique)
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
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
        jsonschema.validate(report(gpuccl, DATA / "page.png", "--no-components"), schema)
    for each in reports:
        jsonschema.validate(each, schema)
        assert len(each["components"]) == each["labeling"]["components"]
        assert [row["label"] for row in each["components"]] == list(range(1, len(each["components"]) + 1))
        phases = each["timings_ms"]["phases"]
        assert phases and all(phase["ms"] >= 0 and phase["launches"] >= 1 for phase in phases)

    for key in ("gpuccl", "input", "labeling", "timings_ms"):
        broken = {name: value for name, value in reports[0].items() if name != key}
        if validator(schema).is_valid(broken):
            sys.exit("the schema does not require %r" % key)
    print(len(reports), "reports are valid")


main()
