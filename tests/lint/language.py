#!/usr/bin/env python3
"""Checks the language of documents, help, messages, comments and commits against the guide in CONTRIBUTING.md.

    language.py              README, docs, man pages, messages, comments, docstrings, names of tests, links and commit subjects
    language.py PROGRAM      the same without commits, and the help of every command of PROGRAM
"""
import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_WORDS, MAX_HELP, MAX_SUBJECT = 35, 90, 65

# Phrases that the guide replaces, with their replacements.
FORBIDDEN = {
    r"besides?": "next to, compared with, in addition to",
    r"be it": "also if",
    r"likewise": "the sentence itself",
    r"for (it|they|these|this|there|its)(?= \w+( \w+)?[^.;]* (is|are|has|have|was|were|needs?|takes?)\b)": "because",
    r"nor (do|does|is|are)": "a sentence with not",
    r"whole numbers?": "integer",
    r"the least of": "minimum of",
    r"to make do with": "limit",
    r"in place of": "instead of",
    r"what (there is|it is that|is not there|is asked for|others|such)": "a noun",
    r"(as many|so many) (as|of) (there|it|them)\b": "a number",
    r"the same of": "the noun",
    r"go(es)? round": "cycle",
    r"at the side of": "next to",
    r"nothing else at work": "idle",
    r"is told in": "see",
    r"the card": "GPU, device",
}
FORBIDDEN = [(re.compile(r"(?<![\w-])" + (", " if pattern.startswith("for ") else "") + pattern + r"(?![\w-])", re.I),
              instead) for pattern, instead in FORBIDDEN.items()]

# Clauses with which no comment begins; its subject comes first.
CLAUSES = re.compile(r"(What|Of|The same|Those|Such|Likewise|Then|None|As in|Whatever)\b")

MIN_EXAMPLES = 3  # of a man page
# The beginning of comments by the suffix of a file; scripts without a suffix begin with #!.
SLASHES = {".hpp", ".cpp", ".cuh", ".cu", ".js"}
HASHES = {".py", ".cmake", ".txt", ".sh", ".bash", ""}

SUBJECTS_SINCE = "2026-11-25T06:00:00Z"  # older subjects are as they are

# Imperatives that end like other forms of a verb.
IMPERATIVES = {"focus", "bias", "alias", "embed", "need", "seed", "feed", "speed", "shed", "exceed", "bring", "string", "ring"}

failures = []


def fail(where, what):
    failures.append(f"{where}: {what}")


def documents():
    return sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md",
                   ROOT / "data/README.md",
                   *(ROOT / "docs").rglob("*.md")])


def without_code(text):
    """A Markdown page without fenced blocks; lines keep their numbers."""
    return re.sub(r"^ *```.*?^ *```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.S | re.M)


def paragraphs_of_markdown(text):
    """(line, text) of paragraphs, list items and table cells; links as their text, code as one word."""
    text = re.sub(r"<!--.*?-->", lambda note: "\n" * note[0].count("\n"), without_code(text), flags=re.S)
    text = re.sub(r"`[^`\n]*`", "code", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>\n]*>", "", text)
    start, lines = 0, []
    for number, line in enumerate(text.split("\n") + [""], 1):
        single = line.startswith(("|", "#"))
        if single or not line.strip() or re.match(r" *([-*]|\d+\.) ", line):
            if lines:
                yield start, " ".join(lines)
            lines = []
        if line.startswith("|"):
            yield from ((number, cell) for cell in line.split("|"))
        elif line.strip() and not single:
            start = start if lines else number
            lines.append(re.sub(r"^ *([-*]|\d+\.) ", "", line).strip())


def paragraphs_of_man(text):
    """(line, text) of paragraphs of a manual page, without fonts and blocks that are set as they are."""
    start, lines, literal = 0, [], False
    for number, line in enumerate(text.split("\n") + [".PP"], 1):
        macro, _, rest = line.partition(" ")
        if macro in (".nf", ".EX", ".SH", ".SS"):
            literal = macro in (".nf", ".EX")
        if macro in (".fi", ".EE"):
            literal = False
        if macro in (".B", ".I", ".BR", ".RB", ".IR", ".RI", ".BI", ".IB"):
            line = re.sub(r'"([^"]*)"', r"\1", rest) if macro in (".B", ".I") else \
                "".join(re.findall(r'"([^"]*)"|(\S+)', rest) and [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', rest)])
        elif line.startswith((".", "\\\"")):
            if lines:
                yield start, " ".join(lines)
            lines = []
            continue
        if not literal:
            start = start if lines else number
            lines.append(re.sub(r"\\f[BIRP]|\\&|\\", "", line))


def check_text(where, text, words=True):
    for pattern, instead in FORBIDDEN:
        found = pattern.search(text)
        if found:
            fail(where, f'"{found[0]}": {instead}')
    if words:
        for sentence in re.split(r"(?<=[.!?])\)?\s+(?=[A-Z\[*\"(-])|(?<=:)\s+(?=[A-Z*])", text):
            count = len(re.findall(r"[\w.'/+^%-]*\w[\w.'/+^%-]*", sentence))
            if count > MAX_WORDS:
                fail(where, f"{count} words in one sentence: {sentence.strip()[:60]}...")


def check_documents():
    for page in documents():
        for line, text in paragraphs_of_markdown(page.read_text()):
            check_text(f"{page.relative_to(ROOT)}:{line}", text)
    for page in sorted((ROOT / "man").glob("*.[0-9]")):
        for line, text in paragraphs_of_man(page.read_text()):
            check_text(f"man/{page.name}:{line}", text)


def check_messages():
    """String literals of the program, which users read."""
    for source in sorted(path for folder in ("app", "io", "lib") for path in (ROOT / folder).rglob("*.?pp")):
        for number, line in enumerate(source.read_text().split("\n"), 1):
            for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', line.split("//")[0]):
                if " " in literal:
                    check_text(f"{source.relative_to(ROOT)}:{number}", literal, words=False)


def sources():
    """(path, text) of all files of code, without those that hold data."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True, check=True)
    for name in sorted(listed.stdout.splitlines()):
        path = ROOT / name
        is_code = path.suffix in SLASHES | HASHES and (path.suffix != ".txt" or path.name == "CMakeLists.txt")
        if not is_code or not path.exists() or path == pathlib.Path(__file__).resolve():
            continue
        text = path.read_text(errors="replace")
        if path.suffix or text.startswith("#!"):
            yield path, text


def check_beginning(where, text):
    if CLAUSES.match(text):
        fail(where, f'begins with "{CLAUSES.match(text)[0]}": put the subject first')


def check_comments():
    """Words and beginnings of comments."""
    for source, text in sources():
        first = r" *//[/!]?<? ?(.*)" if source.suffix in SLASHES else r" *# ?(?!!)(.*)"
        mark = "//" if source.suffix in SLASHES else "# "
        inside = False
        for number, line in enumerate(text.split("\n"), 1):
            comment = re.match(first, line)
            where = f"{source.relative_to(ROOT)}:{number}"
            if comment and not inside:
                check_beginning(where, comment[1])
            inside = bool(comment)
            if mark in line:
                check_text(where, re.sub(r"`[^`]*`", "", line.partition(mark)[2]), words=False)


def check_docstrings():
    for source, text in sources():
        if source.suffix != ".py":
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                docstring = ast.get_docstring(node)
                if docstring:
                    where = f"{source.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
                    check_beginning(where, docstring)
                    check_text(where, re.sub(r"`[^`]*`", "", re.sub(r"\s+", " ", docstring)), words=False)


def check_test_names():
    """Names of tests are sentences like comments."""
    for source, text in sources():
        names = re.finditer(r'TEST_CASE(?:_METHOD)?\((?:\w+, )?"((?:[^"\\]|\\.)*)"' if source.suffix == ".cpp" else
                            r"def (test_\w+)", text)
        for name in names if source.is_relative_to(ROOT / "tests") else ():
            where = f"{source.relative_to(ROOT)}:{text.count(chr(10), 0, name.start()) + 1}"
            words = name[1].removeprefix("test_").replace("_", " ")
            check_text(where, words, words=False)
            found = re.search(r"\b(what|such|whatever)\b", words, re.I)
            if found:
                fail(where, f'the name of a test has "{found[0]}": name the thing')


def check_man_pages():
    """Synopsis, examples, options in this order; enough examples; one option per paragraph."""
    for page in sorted((ROOT / "man").glob("*.1")):
        where, text = page.relative_to(ROOT), page.read_text()
        titles = re.findall(r"^\.SH (.*)$", text, flags=re.M)
        if page.stem != "gpuccl" and titles[:3] != ["NAME", "SYNOPSIS", "EXAMPLES"]:
            fail(where, "begins with " + ", ".join(titles[:3]))
        examples = re.search(r"^\.SH EXAMPLES\n(.*?)(?=^\.SH )", text, flags=re.M | re.S)
        count = len(re.findall(r"^(?!\.).*\bgpuccl(\\-mpi)? ", examples[1], flags=re.M)) if examples else 0
        if count < MIN_EXAMPLES:
            fail(where, f"{count} examples, at least {MIN_EXAMPLES}")
        options = re.search(r"^\.SH OPTIONS\n(.*?)(?=^\.SH )", text, flags=re.M | re.S)
        for tag in re.findall(r"^\.TP\n(.*)", options[1] if options else "", flags=re.M):
            names = re.findall(r"\\fB(\\-\\-(?:\w|\\-)+)", tag)
            if any(not names[0].startswith(other) for other in names[1:]):  # --gpu is short for --gpus
                fail(where, "several options in one paragraph: " + " ".join(names))


def anchors(page):
    titles = re.findall(r"^#+ (.*)$", without_code(page.read_text()), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def check_links():
    for page in documents() + sorted((ROOT / "lib").rglob("*.md")):
        for _, target in re.findall(r'(\]\(|src="|href=")([^)"\s]+)', without_code(page.read_text())):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                fail(page.relative_to(ROOT), f"{target}: is missing")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                fail(page.relative_to(ROOT), f"{target}: has no such heading")


def check_help(program):
    shown = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) {2,}", shown[shown.index("Subcommands" if "Subcommands" in shown else "Commands"):],
                          flags=re.M)
    if len(commands) < 5:
        fail("help", f"only {len(commands)} commands were found")
    for command in commands:
        text = subprocess.run([program, command, "--help"], capture_output=True, text=True, check=True).stdout
        options = re.findall(r"^  (-\S.*(?:\n {10,}.*)*)", text, flags=re.M)
        if not options:
            fail(f"help {command}", "no options were found")
        for option in options:
            name, _, rest = re.sub(r"\s*\n\s*", "  ", option).partition("  ")
            rest = re.sub(r"\s+", " ", rest).strip()
            where = f"help {command} {name.split(' ')[0]}"
            check_text(where, rest)
            if re.match(r"(The|As|Its?|What|How|Whether|Which)\b", rest):
                fail(where, f"begins with neither a verb nor the noun that is set: {rest}")
            described = re.sub(r" \[[^\]]*\]( \([a-z, ]*\))?$", "", rest)
            if len(described) > MAX_HELP:
                fail(where, f"{len(described)} characters, at most {MAX_HELP}: {described}")


def check_subjects():
    """Of commits since SUBJECTS_SINCE, as far as the clone has them."""
    done = subprocess.run(["git", "-C", str(ROOT), "log", "--no-merges", f"--since={SUBJECTS_SINCE}", "--format=%h %s"],
                          capture_output=True, text=True)
    for line in done.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        area, verb = re.fullmatch(r"((?:[a-z][\w.+/-]*: )?)(\S+).*", subject).groups()
        word = verb.lower().rstrip(":,")
        if len(subject) > MAX_SUBJECT:
            fail(commit, f"{len(subject)} characters, at most {MAX_SUBJECT}: {subject}")
        if subject.endswith("."):
            fail(commit, f"ends with a period: {subject}")
        if not area and not verb[0].isupper():
            fail(commit, f"begins with neither a capital letter nor an area: {subject}")
        if re.search(r"([^s]s|ed|ing)$", word) and word not in IMPERATIVES:
            fail(commit, f"begins with no imperative: {subject}")


def main():
    check_documents()
    check_man_pages()
    check_messages()
    check_comments()
    check_docstrings()
    check_test_names()
    check_links()
    if len(sys.argv) > 1:
        check_help(sys.argv[1])
    else:
        check_subjects()
    print("\n".join(failures))
    sys.exit(f"{len(failures)} faults of language; see CONTRIBUTING.md" if failures else 0)


if __name__ == "__main__":
    main()
