"""Pages of `gpuccl bench --report` in a browser: bench_page.py GPUCCL [SCREENSHOTS]"""
import json
import math
import pathlib
import re
import shutil
import tempfile

from browser import Browser, gpuccl

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
QUICK = ["--device", "cpu", "--images", "2", "--repetitions", "3", "--warm-up", "1"]
ELEMENT = re.compile(r'(<script type="application/json" id="results">)(.*?)(</script>)', re.S)


def report(folder, *words):
    """A report: its page, and its results as --json has them, which the page embeds."""
    gpuccl("bench", *words, "--json", folder / "out.json", "--report", folder / "report")
    page, results = folder / "report/index.html", json.loads((folder / "out.json").read_text())
    assert json.loads(ELEMENT.search(page.read_text())[2]) == results
    return page, results


def changed(page, name, results):
    """The page of other results."""
    text = ELEMENT.sub(lambda match: match[1] + json.dumps(results).replace("<", "\\u003c") + match[3], page.read_text())
    made = page.with_name(name)
    made.write_text(text)
    return made


def three(number):
    """As the page shows numbers below 100."""
    assert number < 100, number
    digits = f"{number:#.3g}".rstrip(".")
    return digits if "e" not in digits else f"{number:.{2 - math.floor(math.log10(number))}f}"


def total(row):
    return row["measures"][0]["median_ms"]


BARS = """
return [...document.querySelectorAll("#charts .chart")].map((chart) => ({ title: chart.querySelector("h3").textContent,
  dots: Boolean(chart.querySelector(".dots")), lines: [...chart.querySelectorAll(".line")].map((line) => ({
    name: line.querySelector(".name").textContent, value: line.querySelector(".value").firstChild.textContent,
    share: line.querySelector(".fill, .part").getBoundingClientRect().width / line.querySelector(".track").getBoundingClientRect().width })) }))
"""


def check_headline(browser, results):
    logs = {}
    for group in results["results"]:
        for row in group["algorithms"]:
            logs.setdefault(row["algorithm"], []).append(math.log(total(row)))
    (first, name), (second, next_one) = sorted((sum(values), name) for name, values in logs.items())[:2]
    assert browser("return document.getElementById('title').textContent") == f"{name} is the fastest"
    speedup = math.exp((second - first) / len(results["results"]))
    assert browser("return document.querySelector('.card strong').textContent") == three(speedup) + "×"
    assert f" as fast as {next_one} (geometric mean over {len(results['results'])} image sets)" in browser("return document.querySelector('.card span').textContent")


def check_bars(browser, results):
    browser("const axis = document.getElementById('axis'); axis.value = 'linear'; axis.dispatchEvent(new Event('change'))")
    charts = browser(BARS)
    assert len(charts) == len(results["results"])
    for chart, group in zip(charts, results["results"]):
        rows = sorted(group["algorithms"], key=total)
        assert [line["name"] for line in chart["lines"]] == [row["algorithm"] for row in rows]
        most = 1.04 * max(total(rows[-1]), rows[0]["floor"]["median_ms"])
        for line, row in zip(chart["lines"], rows):
            assert line["value"] == three(total(row)) + " ms", (line, row)
            assert abs(line["share"] - total(row) / most) < 0.01, (line, row)
    browser("document.querySelector('.chip').click()")
    hidden = results["results"][0]["algorithms"][0]["algorithm"]
    for chart in browser(BARS):
        assert len(chart["lines"]) == len(rows) - 1 and hidden not in [line["name"] for line in chart["lines"]]
    browser("document.querySelector('.chip').click()")


def check_table(browser, results):
    medians = [one["median_ms"] for group in results["results"] for row in group["algorithms"] for one in row["measures"]]
    assert browser("return gpucclBench.table.list.length") == len(medians)
    rows = browser("const { columns } = gpucclBench.table; return columns[0].values.map((_, i) => ['images', 'algorithm'].map((key) => columns.find(({ name }) => name === key).values[i]))")
    for group in results["results"]:
        ours = list(dict.fromkeys(algorithm for images, algorithm in rows if images == group["title"]))
        assert ours == [row["algorithm"] for row in sorted(group["algorithms"], key=total)], rows
    head = "gpucclBench.table.heads.find((head) => head.textContent === 'median ms').querySelector('button').click()"
    for order in (sorted(medians), sorted(medians, reverse=True)):
        browser(head)
        assert browser("const { table } = gpucclBench, at = table.columns.find(({ name }) => name === 'median ms'); return [...table.list].map((i) => at.values[i])") == order


def check_curves(browser, results):
    """Figures of the page at a place are those of the results; by pointer and by keys."""
    point = """
const [chart, share] = arguments, svg = document.querySelectorAll(".curves")[chart], box = svg.getBoundingClientRect();
svg.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + 52 + share * (box.width - 66), clientY: box.top + 50, bubbles: true }));
const tip = svg.parentNode.querySelector(".values");
return [tip.querySelector("b").textContent, Object.fromEntries([...tip.querySelectorAll("dt")].map((dt) => [dt.textContent, dt.nextSibling.textContent]))]
"""
    assert browser("return document.querySelectorAll('.curves').length") == 1
    assert browser("return document.querySelectorAll('.curves .band').length") == len(results["results"][0]["algorithms"])
    for group in results["results"]:
        where, values = browser(point, 0, group["density"])
        assert where == f"density (%): {100 * group['density']:g}", where
        for row in group["algorithms"]:
            one = row["measures"][0]
            shown = f"{three(total(row))} ms ({three(one['low_ms'])} to {three(one['high_ms'])})"
            assert values[row["algorithm"]] == shown, (values, row)
    said = browser("""
const svg = document.querySelector(".curves");
svg.dispatchEvent(new PointerEvent("pointerleave"));
svg.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
return svg.parentNode.querySelector(".values b").textContent""")
    assert said == "density (%): 0", said


def look(browser, page, name):
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
        browser.open(page, width, 900 if width > 600 else 844, scheme)
        assert browser("return document.getElementById('title').getBoundingClientRect().bottom < innerHeight / 4"), "the result is first"
        tops = [browser("return document.getElementById(arguments[0]).getBoundingClientRect().top", name) for name in ("headline", "figures", "drawings")]
        assert browser("return gpucclBench.table.heads.find((head) => head.textContent === 'median ms').getBoundingClientRect().right") < width
        assert tops == sorted(tops) if width < 600 else tops[1] > tops[2], tops
        browser.shot(f"{name}-{width}-{scheme}.png")
    browser.open(page, 1020, 720, "print")
    assert browser("return getComputedStyle(document.querySelector('#chips')).display") == "none"
    browser.shot(f"{name}-print.png")


def counted_results(results, test, phases):
    """Results of a test that needs a GPU, made of those of another."""
    made = json.loads(json.dumps(results))
    made.update(test=test, fastest=[])
    for group in made["results"]:
        for n, row in enumerate(group["algorithms"], 1):
            del row["measures"]
            row["phases"] = [{"name": name, "launches": 1, **{key: n * value for key, value in counts.items()}} for name, counts in phases]
    return made


def main():
    browser = Browser()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        page, results = report(folder, "--algo", "runs,sauf,drag,flood-fill", "--size", "200x150,300x100", "--densities", "0.5", "--granularities", "1,8", *QUICK)
        look(browser, page, "bench-average")
        browser.open(page)
        check_headline(browser, results)
        check_bars(browser, results)
        check_table(browser, results)

        hostile = json.loads(json.dumps(results))
        name = "a <b>\"c\"</b> </script> & 'd'"
        for group in hostile["results"]:
            group["title"] = name
        hostile["results"][0]["algorithms"][1].update(measures=[], images=0, wrong=2, problem="<i>: wrong labels")
        hostile.update(complete=False, incomplete="interrupted after 1 of <2> images", warnings=["the clock of the <GPU> moved"])
        browser.open(changed(page, "hostile.html", hostile))
        assert browser(BARS)[0]["title"] == name
        problems = browser("return document.getElementById('problems').innerText")
        assert "Warning: the clock of the <GPU> moved" in problems, problems
        assert "Incomplete: interrupted after 1 of <2> images" in problems and "sauf: 2 of 2 images not timed; <i>: wrong labels" in problems, problems

        counts = dict(image_reads=10, reads=5, writes=3, atomics=2, tile_reads=9, tile_writes=9, tile_atomics=9)
        memory = counted_results(results, "memory", [("Init", counts), ("Merge", counts)])
        browser.open(changed(page, "memory.html", memory))
        assert browser(BARS)[0]["lines"][1]["value"] == "80.0 accesses", browser(BARS)[0]
        work = counted_results(results, "work", [("Init", dict(blocks=1, steps_mean=0, longest_walk_mean=0, atomics_mean=0)),
                                                 ("Merge", dict(blocks=1, steps_mean=4, longest_walk_mean=7, atomics_mean=1))])
        browser.open(changed(page, "work.html", work))
        assert [line["value"] for line in browser(BARS)[0]["lines"]] == ["7.00 steps", "14.0 steps", "21.0 steps", "28.0 steps"]

        page, _ = report(folder, "--algo", "runs,sauf", "--size", "200x150", "--densities", "0.5", "--granularities", "1", *("1" if word == "3" else word for word in QUICK))
        browser.open(page)
        assert "×" not in browser("return document.body.innerText"), "one repetition gives no factor"

        page, results = report(folder, "--test", "density", "--algo", "runs,sauf,drag", "--size", "200x150", "--granularities", "1", *QUICK)
        look(browser, page, "bench-density")
        browser.open(page)
        check_headline(browser, results)
        check_curves(browser, results)
        for test in ("steps", "size", "granularity", "host"):
            page, results = report(folder, "--test", test, "--algo", "runs,sauf", "--size", "100x80,200x160", *QUICK)
            look(browser, page, f"bench-{test}")
        datasets = folder / "data"
        datasets.mkdir()
        shutil.copy(DATA / "page.png", datasets)
        page, _ = report(folder, "--dataset", datasets, "--algo", "runs", *QUICK)
        browser.open(page)
        assert browser("return document.getElementById('title').textContent") == "Results of --test average"
        browser.check_requests()
    browser.driver.quit()


main()
