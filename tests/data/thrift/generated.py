"""What code that Apache's compiler generates for Python makes of a struct that was left out, and of calls that failed.

Given a folder with one folder for each program, which starts with `a.thrift`. Writes one JSON object: for each program
what it says, either

  {"value": VALUE}      the field `a` of `M`, read from a message in which nothing is
  {"thrown": {NAME: BYTES}, "caught": {BYTES: NAME}}   what `S.f` throws, and for all bytes of all programs which exception
                        a caller is told of; none where the call passes for a success

A struct is {"fields": {ID: VALUE}}, of all fields that are declared.
"""
import importlib
import json
import os
import subprocess
import sys

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TMemoryBuffer


def value(made):
    if hasattr(made, "thrift_spec"):
        fields = [field for field in made.thrift_spec if field]
        return {"fields": {str(field[0]): value(getattr(made, field[2])) for field in fields}}
    if isinstance(made, (set, frozenset)):
        return {"set": sorted(made)}
    if isinstance(made, dict):
        return {"map": sorted(([key, value(one)] for key, one in made.items()), key=lambda entry: entry[0])}
    if isinstance(made, (list, tuple)):
        return {"list": [value(one) for one in made]}
    return made


def read(of, data):
    of.read(TBinaryProtocol(TMemoryBuffer(data)))
    return of


def exceptions(result):
    return [field for field in result.thrift_spec if field and field[0] != 0]


def thrown(result):
    told = {}
    for field in exceptions(result):
        kind = field[3][0]
        out = TMemoryBuffer()
        result(**{field[2]: kind(why="x")}).write(TBinaryProtocol(out))
        told[kind.__name__] = out.getvalue().hex()
    return told


def caught(result, data):
    """As the generated client does: the first exception that is set is raised."""
    seen = read(result(), bytes.fromhex(data))
    set_ = [getattr(seen, field[2]) for field in exceptions(result)]
    return next((type(one).__name__ for one in set_ if one is not None), "none")


def load(folder):
    """The modules that are generated of a program: its types, and its service where there is one."""
    subprocess.run(["thrift", "-r", "--gen", "py", "-out", folder, os.path.join(folder, "a.thrift")], check=True)
    for name in [name for name in sys.modules if name.split(".")[0] in ("a", "p")]:
        del sys.modules[name]
    importlib.invalidate_caches()
    sys.path.insert(0, folder)
    try:
        types = importlib.import_module("a.ttypes")
        return types, None if hasattr(types, "M") else importlib.import_module("a.S")
    finally:
        sys.path.remove(folder)


def main(folder):
    programs, results = {}, {}
    for name in sorted(os.listdir(folder)):
        types, service = load(os.path.join(folder, name))
        if service is None:
            programs[name] = {"value": value(read(types.M(), b"\x00").a)}
        else:
            results[name] = service.f_result
            programs[name] = {"thrown": thrown(service.f_result)}
    data = {one for program in programs.values() for one in program.get("thrown", {}).values()}
    for name, result in results.items():
        programs[name]["caught"] = {one: caught(result, one) for one in sorted(data)}
    print(json.dumps(programs))


main(sys.argv[1])
