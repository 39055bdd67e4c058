"""Builds the test program with mends in it that a variable of the environment takes back, one at a time.

A mend begins with its name, a source file, what stands there, and what is put in its place; the sources are restored.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = ["cargo", "test", "--locked", "--no-run"]


def is_taken(name):
    """The expression that says whether a mend is the one that is taken back."""
    return f'std::env::var("TAKEN_BACK").is_ok_and(|name| name == "{name}")'


def switched(name, here, taken):
    """What stands there, unless the environment takes it back."""
    return f"(if {is_taken(name)} {{ {taken} }} else {{ {here} }})"


def texts_of(sources, mends):
    """The files that mends stand in, by path; ends the program where a mend does not stand in its file, or does twice."""
    texts = {}
    for name, file, here, *_ in mends:
        path = os.path.normpath(os.path.join(sources, file))
        if path not in texts:
            with open(path, encoding="utf-8") as source:
                texts[path] = source.read()
        if texts[path].count(here) != 1:
            sys.exit(f"{name}: {file} has it {texts[path].count(here)} times: {here}")
    return texts


def check(sources, mends):
    """Says that all mends stand in the sources, and ends the program."""
    texts_of(sources, mends)
    print(f"{len(mends)} mends stand in the sources")
    sys.exit(0)


def build(sources, mends, switch=switched):
    """The program with all mends in it to be taken back; their files lie below `sources`."""
    return build_all(sources, mends, ["it"], switch)["it"]


def write(texts):
    for path, text in texts.items():
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)


def build_all(sources, mends, tests, switch=switched):
    """The programs of several tests with all mends in them, by the name of the test."""
    texts = texts_of(sources, mends)
    try:
        mended = dict(texts)
        for name, file, here, taken, *_ in mends:
            path = os.path.normpath(os.path.join(sources, file))
            if mended[path].count(here) != 1:
                sys.exit(f"{name}: another mend in {file} has it as well: {here}")
            mended[path] = mended[path].replace(here, switch(name, here, taken))
        write(mended)
        command = COMMAND + [word for test in tests for word in ("--test", test)]
        command += ["--target-dir", os.environ.get("TAKEN_BACK_TARGET", "target")]
        built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    finally:
        write(texts)
    found = re.findall(r"Executable tests/(\w+)\S* \((.*)\)", built.stderr)
    if built.returncode != 0 or len(found) < len(tests):
        sys.exit(built.stderr[-6000:])
    return {name: os.path.join(ROOT, path) for name, path in found}
