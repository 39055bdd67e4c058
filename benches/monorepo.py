#!/usr/bin/env python3
"""Makes a git repository of many schemas with two versions, tagged `old` and `new`.

    benches/monorepo.py FOLDER [--format protobuf] [--files 1000] [--fields 20] [--imports 3] [--edit field]

Nothing is random: the same arguments give the same files. A schema imports up to `--imports` others that come before it,
so that chains are as long as there are files.
"""

import argparse
import os
import subprocess
import sys

SUFFIX = {"protobuf": "proto", "avro": "avsc", "flatbuffers": "fbs", "thrift": "thrift"}
EDITS = ("none", "field", "retype", "message", "every")
IN_A_FOLDER = 100


def path_of(language, at):
    return f"group{at // IN_A_FOLDER}/file{at}.{SUFFIX[language]}"


def imported(at, imports):
    """The files that a file imports: the one before it, and others further back."""
    return sorted({at - 1 - step * 7 for step in range(imports) if at - 1 - step * 7 >= 0})


def fields_of(at, fields, edit):
    """Names of fields with whether each is a number, as the edited file has them."""
    held = [(f"field_{number}", number % 2 == 0) for number in range(1, fields + 1)]
    if edit == "field":
        held.append(("added", False))
    if edit == "retype":
        held[0] = (held[0][0], not held[0][1])
    if edit == "every":
        held = [(name, not is_number) for name, is_number in held]
    return held


def protobuf(at, fields, imports, edit):
    lines = ['syntax = "proto3";', "", f"package made.group{at // IN_A_FOLDER};", ""]
    lines += [f'import "{path_of("protobuf", other)}";' for other in imports]
    lines += ["", f"message Record{at} {{"]
    held = fields_of(at, fields, edit)
    lines += [f"  {'int64' if is_number else 'string'} {name} = {n};" for n, (name, is_number) in enumerate(held, 1)]
    refer = [f"  .made.group{other // IN_A_FOLDER}.Record{other} of_{other} = {1000 + n};" for n, other in enumerate(imports)]
    lines += refer + ["}"]
    if edit == "message":
        lines += ["", f"message Added{at} {{", "  string name = 1;", "}"]
    return "\n".join(lines) + "\n"


def avro(at, fields, imports, edit):
    held = fields_of(at, fields, edit)
    if edit == "message":
        held.append(("extra", False))
    parts = []
    for name, is_number in held:
        kind, default = ("long", "0") if is_number else ("string", '""')
        parts.append(f'    {{"name": "{name}", "type": "{kind}", "default": {default}}}')
    for other in imports:
        name = f"made.group{other // IN_A_FOLDER}.Record{other}"
        parts.append(f'    {{"name": "of_{other}", "type": ["null", "{name}"], "default": null}}')
    head = f'{{\n  "type": "record",\n  "name": "Record{at}",\n  "namespace": "made.group{at // IN_A_FOLDER}",\n  "fields": [\n'
    return head + ",\n".join(parts) + "\n  ]\n}\n"


def flatbuffers(at, fields, imports, edit):
    up = lambda other: os.path.relpath(path_of("flatbuffers", other), os.path.dirname(path_of("flatbuffers", at)))  # noqa: E731
    lines = [f'include "{up(other)}";' for other in imports]
    lines += [f"namespace made.group{at // IN_A_FOLDER};", "", f"table Record{at} {{"]
    held = fields_of(at, fields, "none" if edit == "field" else edit)
    lines += [f"  {name}: {'long' if is_number else 'string'};" for name, is_number in held]
    lines += [f"  of_{other}: made.group{other // IN_A_FOLDER}.Record{other};" for other in imports]
    lines += ["  added: string;"] if edit == "field" else []
    lines += ["}", f"root_type Record{at};"]
    if edit == "message":
        lines.insert(-1, f"table Added{at} {{ name: string; }}")
    return "\n".join(lines) + "\n"


def thrift(at, fields, imports, edit):
    up = lambda other: os.path.relpath(path_of("thrift", other), os.path.dirname(path_of("thrift", at)))  # noqa: E731
    lines = [f'include "{up(other)}"' for other in imports] + ["", f"struct Record{at} {{"]
    held = fields_of(at, fields, edit)
    lines += [f"  {n}: optional {'i64' if is_number else 'string'} {name}" for n, (name, is_number) in enumerate(held, 1)]
    lines += [f"  {1000 + n}: optional file{other}.Record{other} of_{other}" for n, other in enumerate(imports)]
    lines += ["}"]
    if edit == "message":
        lines += ["", f"struct Added{at} {{", "  1: optional string name", "}"]
    return "\n".join(lines) + "\n"


TEXT = {"protobuf": protobuf, "avro": avro, "flatbuffers": flatbuffers, "thrift": thrift}


def write(folder, language, files, fields, imports, edit):
    """One version: the file in the middle is edited, or every file where the edit is of all."""
    middle = files // 2
    for at in range(files):
        path = os.path.join(folder, path_of(language, at))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        here = edit if edit == "every" or at == middle else "none"
        with open(path, "w", encoding="utf-8") as out:
            out.write(TEXT[language](at, fields, imported(at, imports), here))


def make(folder, language="protobuf", files=1000, fields=20, imports=3, edit="field"):
    if os.path.exists(folder) and os.listdir(folder):
        sys.exit(f"{folder} is not empty")
    os.makedirs(folder, exist_ok=True)
    environment = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull)
    for who in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{who}_NAME": "bench", f"GIT_{who}_EMAIL": "bench@localhost", f"GIT_{who}_DATE": "1700000000 +0000"}
    git = lambda *words: subprocess.run(["git", "-C", folder, *words], env=environment, check=True, capture_output=True)  # noqa: E731
    git("init", "-q", "-b", "main")
    for tag, how in (("old", "none"), ("new", edit)):
        write(folder, language, files, fields, imports, how)
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", tag)
        git("tag", tag)
    # As repositories are after a clone.
    git("gc", "-q")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--format", choices=SUFFIX, default="protobuf", help="the language of the schemas")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--fields", type=int, default=20, help="fields of each file beside those of imported types")
    parser.add_argument("--imports", type=int, default=3, help="the most files that a file imports")
    parser.add_argument("--edit", choices=EDITS, default="field", help="what the version `new` changes")
    given = parser.parse_args()
    make(given.folder, given.format, given.files, given.fields, given.imports, given.edit)


if __name__ == "__main__":
    main()
