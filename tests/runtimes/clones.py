"""What the replays of histories ask of a clone of a git repository."""

import collections
import re
import subprocess

HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
SIDES = ("old", "new")


def git(clone, *arguments):
    return subprocess.run(["git", "-C", clone, *arguments], capture_output=True).stdout


def lines(clone, *arguments):
    return git(clone, *arguments).decode("utf-8", "replace").splitlines()


def commits(clone, globs, most):
    """The newest commits with one parent that touch some files."""
    return lines(clone, "log", "--format=%H", "--no-merges", "--min-parents=1", f"-n{most}", "--", *globs)


def touched(clone, commit, *globs):
    """By side, the lines that the commit touches in some files: path -> set of lines."""
    sides = (collections.defaultdict(set), collections.defaultdict(set))
    names, is_head = [None, None], False
    # Each by itself: a file that a partial clone lacks ends the diff of all behind it.
    diffs = (lines(clone, "diff", "-U0", "--no-color", "--no-renames", f"{commit}^", commit, "--", glob) for glob in globs)
    for line in (line for diff in diffs for line in diff):
        # A line that was removed or added may begin with dashes or pluses itself.
        if line.startswith("diff --git "):
            is_head = True
        elif is_head and line.startswith(("--- ", "+++ ")):
            names[line.startswith("+++ ")] = line[4:].strip().removeprefix("a/").removeprefix("b/")
        elif hunk := HUNK.match(line):
            is_head = False
            numbers = [int(number) if number is not None else 1 for number in hunk.groups()]
            for side, (first, count) in enumerate((numbers[:2], numbers[2:])):
                sides[side][names[side]].update(range(first, first + max(count, 2)))
    return sides


def is_outside(finding, sides):
    """Whether all places of a finding are on lines that were not touched."""
    places = [(finding.get(side), sides[index]) for index, side in enumerate(SIDES)]
    places = [(place, known) for place, known in places if place]
    hit = any(line in known[place["file"]] for place, known in places for line in range(place["line"], place["end_line"] + 1))
    return bool(places) and not hit


def shape(message):
    """A problem without the names in it."""
    return re.sub(r"`[^`]*`", "`…`", message)[:90]
