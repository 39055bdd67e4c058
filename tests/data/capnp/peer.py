"""Asks the reference implementation of Cap'n Proto, a line of JSON for a line of JSON.

{"load": {"old": text, "new": text}}                    -> {} or {"refused": message}
{"writer": side, "reader": side, "type": name, "value": text}
                                                        -> {"wrote": json, "read": json}, or {"unwritten": message}
{"reader": side, "type": name, "bytes": hexadecimal}    -> {"read": json}

What a reader rejects is {"rejected": message} in place of what it read. The program follows structs in unions that hold
themselves without an end when it prints them; where it cannot print what it wrote, nothing is compared.
"""
import json
import os
import subprocess
import sys
import tempfile

FOLDER = tempfile.TemporaryDirectory()


def capnp(arguments, given=b""):
    return subprocess.run(["capnp", *arguments], input=given, capture_output=True, timeout=60)


def schema(side):
    return os.path.join(FOLDER.name, side + ".capnp")


def load(sides):
    for side, text in sides.items():
        with open(schema(side), "w", encoding="utf-8") as out:
            out.write(text)
        done = capnp(["compile", "-o-", "--src-prefix=" + FOLDER.name, schema(side)])
        if done.returncode != 0:
            return {"refused": side + ": " + done.stderr.decode("utf-8", "replace")}
    return {}


def read(side, name, message):
    done = capnp(["convert", "--quiet", "binary:json", schema(side), name], message)
    if done.returncode < 0 or b"Received signal" in done.stderr:
        return {}
    if done.returncode != 0:
        return {"rejected": done.stderr.decode("utf-8", "replace")[:400]}
    return json.loads(done.stdout)


def answer(asked):
    if "load" in asked:
        return load(asked["load"])
    if "bytes" in asked:
        return {"read": read(asked["reader"], asked["type"], bytes.fromhex(asked["bytes"]))}
    done = capnp(["encode", schema(asked["writer"]), asked["type"]], asked["value"].encode())
    if done.returncode != 0:
        return {"unwritten": done.stderr.decode("utf-8", "replace")}
    wrote = read(asked["writer"], asked["type"], done.stdout)
    if not wrote or "rejected" in wrote:
        return {"wrote": {}, "read": {}}
    return {"wrote": wrote, "read": read(asked["reader"], asked["type"], done.stdout)}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
