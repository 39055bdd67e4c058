#!/usr/bin/env python3
"""Replays real histories of JSON Schemas: every commit that changes a schema, against its parent.

tests/runtimes/json_schema/history.py CLONE... [--bin wireproof] [--commits 100] [--glob '*.json'] [--jobs 2] [--list] [--files]

For each CLONE (a git repository, bare or not) a line is printed: how many commits, the exit codes, in how many a change
could not be told, how many instances were shown and how many of them a validator does not confirm, how many findings have
their places on lines that the commit did not touch, the slowest run, and what could not be told. A commit is judged as a gate
does, by `check` of the folders that it touches. A schema is a JSON file that says `$schema` of json-schema.org, or has the
ending .schema.json. Each instance is given to `jsonschema` for Python and, where WIREPROOF_AJV names the folder of its
packages, to Ajv, with the schemas that were changed and what they refer to: the writer's schema has to take it, and the
reader's to refuse it. With --files only the schemas that were changed and what they refer to are compared, as where a clone has
not all objects. What neither can be asked, since a reference leads out of these folders, is counted as such.
"""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from clones import SIDES, commits, git, is_outside, lines, shape, touched  # noqa: E402
NODE = os.path.join(HERE, "validate.js")
DIALECTS = re.compile(rb'"\$schema"\s*:\s*"https?://json-schema\.org/')
REFERENCES = re.compile(rb'"\$ref"\s*:\s*"([^"#]+)')


def is_schema(path, text):
    return path.endswith(".schema.json") or DIALECTS.search(text[:4000]) is not None


def write_side(clone, revision, folders, files, into):
    """Writes the schemas that were changed in a revision, and what they refer to below some folders, at any distance."""
    known = collections.defaultdict(list)
    for path in lines(clone, "ls-tree", "-r", "--name-only", revision, "--", *sorted(folders)):
        if path.endswith(".json"):
            known[os.path.basename(path)].append(path)
    wanted, seen = list(files), set()
    while wanted:
        path = wanted.pop()
        if path in seen:
            continue
        seen.add(path)
        text = git(clone, "show", f"{revision}:{path}")
        if not is_schema(path, text):
            continue
        target = os.path.join(into, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(text)
        for reference in REFERENCES.findall(text):
            wanted += known[os.path.basename(reference.decode("utf-8", "replace"))]


def changed(clone, commit, globs):
    """The JSON files that a commit changes, where both sides have a schema."""
    found = []
    for line in lines(clone, "diff", "--name-only", "--no-renames", "--diff-filter=M", f"{commit}^", commit, "--", *globs):
        texts = [git(clone, "show", f"{revision}:{line}") for revision in (f"{commit}^", commit)]
        if all(is_schema(line, text) for text in texts):
            found.append(line)
    return found


class Validators:
    """What takes an instance, of both sides of a comparison."""

    def __init__(self, folder):
        from referencing import Registry, Resource
        from referencing.jsonschema import DRAFT202012

        self.folder, self.documents, self.registries = folder, {}, {}
        for side in SIDES:
            self.documents[side] = {}
            resources = []
            for inside, _, names in os.walk(os.path.join(folder, side)):
                for name in names:
                    full = os.path.join(inside, name)
                    path = os.path.relpath(full, os.path.join(folder, side))
                    try:
                        with open(full, encoding="utf-8-sig") as file:
                            # `file://` before a relative path is taken for it.
                            text = re.sub(r'("\$ref"\s*:\s*")file://(?!/)', r"\1", file.read())
                            self.documents[side][path] = json.loads(text)
                    except ValueError:
                        continue
                    resource = Resource.from_contents(self.documents[side][path], default_specification=DRAFT202012)
                    resources += [(f"file:///{path}", resource)]
                    if isinstance(resource.id(), str):
                        resources += [(resource.id(), resource)]
            self.registries[side] = Registry().with_resources(resources)

    def python(self, side, path, instance):
        """Whether the instance is valid; None where that cannot be said."""
        import jsonschema

        schema = self.documents[side].get(path)
        # Without an address of its own the references in it lead from its path.
        if isinstance(schema, dict) and not ("$id" in schema or "id" in schema):
            schema = {"$ref": f"file:///{path}"}
        if schema is None:
            return None
        kind = jsonschema.validators.validator_for(self.documents[side].get(path), default=jsonschema.Draft202012Validator)
        try:
            return kind(schema, registry=self.registries[side]).is_valid(instance)
        except Exception:  # a reference that leads out, or a pattern that Python does not know
            return None

    def ajv(self, asked):
        if "WIREPROOF_AJV" not in os.environ:
            return [None] * len(asked)
        environment = {**os.environ, "NODE_PATH": os.environ["WIREPROOF_AJV"]}
        text = json.dumps({"folder": self.folder, "asked": asked})
        done = subprocess.run(["node", NODE], input=text, capture_output=True, text=True, env=environment, timeout=120)
        return json.loads(done.stdout) if done.returncode == 0 else [None] * len(asked)


def witnesses(report):
    """The schemas that instances are of: those that refer to what was changed as well."""
    shown = [one for finding in report["findings"] for one in finding.get("evidence", ()) if one.get("bytes")]
    return {name for one in shown for name in (one["type"], one.get("reader") or one["type"])}


def replay(folder, report):
    """What validators say of the instances of a report: how many, what is not confirmed, what could not be asked."""
    shown = []
    for finding in report["findings"]:
        for one in finding.get("evidence", ()):
            if one["surface"] == "json" and one["outcome"] == "fails" and one.get("bytes"):
                writer, reader = SIDES if one["direction"] == "backward" else SIDES[::-1]
                paths = one["type"], one.get("reader") or one["type"]
                instance = json.loads(one["bytes"])
                if (writer, reader, paths, instance) not in shown:
                    shown.append((writer, reader, paths, instance))
    if not shown:
        return 0, [], 0
    validators = Validators(folder)
    asked = []
    for writer, reader, (wrote, read), instance in shown:
        asked += [[writer, wrote, instance], [reader, read, instance]]
    of_ajv = validators.ajv(asked)
    refuted, unasked = [], 0
    for index, (writer, reader, (wrote, read), instance) in enumerate(shown):
        of_python = [validators.python(writer, wrote, instance), validators.python(reader, read, instance)]
        for name, (takes, still) in (("python", of_python), ("ajv", of_ajv[2 * index : 2 * index + 2])):
            if None in (takes, still):
                unasked += 1
            elif (takes, still) != (True, False):
                refuted.append(f"{name}: {writer} {wrote} {takes} {still} {json.dumps(instance)[:300]}")
    return len(shown), refuted, unasked


def judge(arguments, clone, commit):
    files = changed(clone, commit, arguments.glob)
    if not files:
        return None
    folders = {os.path.dirname(path) or "." for path in files}
    folder = tempfile.mkdtemp(prefix="history-")
    try:
        for side, revision in zip(SIDES, (f"{commit}^", commit)):
            os.makedirs(os.path.join(folder, side))
            write_side(clone, revision, folders, files, os.path.join(folder, side))
        place, command = clone, [arguments.bin, "check", *sorted(folders), "--against", f"git:{commit}^", "--head", f"git:{commit}"]
        if arguments.files:
            place, command = folder, [arguments.bin, "compare", "old", "new"]
        command += ["--type", "json-schema", "--format", "json", "--no-config"]
        started = time.monotonic()
        try:
            done = subprocess.run(command, cwd=place, capture_output=True, text=True, errors="replace", timeout=arguments.timeout)
        except subprocess.TimeoutExpired:
            return {"exit": "timeout", "seconds": arguments.timeout, "files": files}
        seconds = time.monotonic() - started
        try:
            report = json.loads(done.stdout)
        except json.JSONDecodeError:
            return {"exit": done.returncode, "seconds": seconds, "cause": done.stderr.strip().splitlines()[-1:], "files": files}
        for side, revision in zip(SIDES, (f"{commit}^", commit)):
            write_side(clone, revision, folders, witnesses(report), os.path.join(folder, side))
        shown, refuted, unasked = replay(folder, report)
        sides = touched(clone, commit)
        errors = [problem["message"] for problem in report["problems"] if problem["severity"] == "error"]
        return {
            "exit": done.returncode,
            "seconds": seconds,
            "untold": sum("could not be told" in message for message in errors),
            "cause": errors[:3] if done.returncode not in (0, 1) else [],
            "shown": shown,
            "refuted": refuted,
            "unasked": unasked,
            "outside": [one["path"] for one in report["findings"] if one["breaking"] and is_outside(one, sides)],
            "files": files,
        }
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clones", nargs="+")
    parser.add_argument("--bin", default="wireproof")
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--glob", action="append")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--files", action="store_true")
    arguments = parser.parse_args()
    arguments.glob = arguments.glob or ["*.json"]
    arguments.bin = os.path.abspath(arguments.bin) if os.sep in arguments.bin else arguments.bin
    for clone in arguments.clones:
        named = commits(clone, arguments.glob, arguments.commits)
        with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
            judged = list(pool.map(lambda commit: judge(arguments, clone, commit), named))
        kept = [(commit, one) for commit, one in zip(named, judged) if one is not None]
        exits = collections.Counter(str(one["exit"]) for _, one in kept)
        total = lambda key: sum(len(one[key]) if isinstance(one[key], list) else one[key] for _, one in kept if key in one)
        causes = collections.Counter(shape(one["cause"][0]) for _, one in kept if one.get("cause"))
        told = " ".join(f"{code}:{count}" for code, count in sorted(exits.items()))
        slowest = max((one["seconds"] for _, one in kept), default=0)
        untold = sum(bool(one.get("untold")) for _, one in kept)
        print(
            f"{os.path.basename(os.path.dirname(clone.rstrip('/'))) or clone:<40} {len(kept):>4}  {told:<24} could not be told {untold:<3} "
            f"instances {total('shown')} refuted {total('refuted')} not asked {total('unasked')} outside {total('outside')} "
            f"slowest {slowest:.1f} s"
        )
        for cause, count in causes.most_common():
            print(f"    {count:>4} {cause}")
        if arguments.list:
            for commit, one in kept:
                if one["exit"] not in (0, 1) or one["refuted"] or one["outside"]:
                    print(f"    {commit[:12]} {one}")
        sys.stdout.flush()


main()
