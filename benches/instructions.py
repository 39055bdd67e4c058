#!/usr/bin/env python3
"""Counts the instructions of whole runs and holds them against those that are recorded in benches/instructions.txt.

    benches/instructions.py [--bin target/release/wireproof] [--update]

Counts do not depend on what else the machine does, as times do. valgrind counts them, on one thread. A run that needs more
than the recorded number and a tenth ends with exit code 1; one that needs less than nine tenths is said, so that it is
recorded anew with `--update`. Another compiler gives other numbers by a few per cent: that is what the tenth is for.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

import monorepo

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.txt")
MOST = 1.10
LEAST = 0.90
SECONDS = 300


def cases(folder):
    """Names of runs, each with its arguments and where it is run."""
    for language, suffix in monorepo.SUFFIX.items():
        text = monorepo.TEXT[language]
        for name, fields, edit in (("tiny", 3, "field"), ("wide", 300, "every")):
            pair = []
            for side, how in (("old", "none"), ("new", edit)):
                path = os.path.join(folder, f"{language}-{name}-{side}.{suffix}")
                with open(path, "w", encoding="utf-8") as out:
                    out.write(text(0, fields, [], how))
                pair.append(path)
            yield f"{language}-{name}", ["compare", *pair, "-q"], folder
    repository = os.path.join(folder, "repository")
    monorepo.make(repository, "protobuf", 400, 20, 3, "field")
    yield "protobuf-one-of-400", ["compare", "git:old", "git:new", "-q"], repository
    yield "protobuf-same-of-400", ["compare", "git:old", "git:old", "-q"], repository


def count(program, arguments, place, folder):
    """Instructions of one run; ends the program where there is no number."""
    out = os.path.join(folder, "callgrind.out")
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, *arguments]
    environment = dict(os.environ, RAYON_NUM_THREADS="1", NO_COLOR="1", WIREPROOF_CACHE="off")
    ran = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS)
    found = re.search(r"Collected : (\d+)", ran.stderr)
    if ran.returncode not in (0, 1) or not found:
        sys.exit(f"{' '.join(command)} exited with {ran.returncode}:\n{ran.stderr[-2000:]}")
    return int(found.group(1))


def recorded():
    if not os.path.exists(RECORDED):
        return {}
    with open(RECORDED, encoding="utf-8") as lines:
        return {name: int(number) for name, number in (line.split() for line in lines if line.strip())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="target/release/wireproof")
    parser.add_argument("--update", action="store_true", help="record what is counted")
    given = parser.parse_args()
    program = os.path.abspath(given.bin)
    before = recorded()
    with tempfile.TemporaryDirectory() as folder:
        counted = {name: count(program, arguments, place, folder) for name, arguments, place in cases(folder)}
    if given.update:
        with open(RECORDED, "w", encoding="utf-8") as out:
            out.writelines(f"{name} {number}\n" for name, number in counted.items())
    failed = []
    for name, number in counted.items():
        if name not in before:
            told = "not recorded"
            failed.append(name)
        else:
            ratio = number / before[name]
            told = f"{ratio:.2f} of {before[name]:,}"
            if ratio > MOST:
                failed.append(name)
            elif ratio < LEAST:
                told += ", less: record it with --update"
        print(f"{name:<24} {number:>15,}  {told}")
    failed += [name for name in before if name not in counted]
    if failed and not given.update:
        sys.exit(f"more instructions than recorded, or not recorded, or gone: {', '.join(failed)}")


main()
