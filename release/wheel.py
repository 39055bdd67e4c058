#!/usr/bin/env python3
"""Makes the wheel for a platform from a program that is built already, and prints its path.

    python3 release/wheel.py TARGET VERSION PROGRAM FOLDER

A wheel is a zip file: the program, which pip puts on PATH, and a few files about it. Nothing is compiled, so what pip
installs is, byte by byte, what the archives of the release hold. The same input gives the same bytes.

`pip install` in a clone does not come here: there pyproject.toml names maturin, which compiles.
"""

import base64
import hashlib
import pathlib
import re
import sys
import tomllib
import zipfile

# Linked statically, a program runs with every C library, so one wheel says that it serves both kinds of Linux.
PLATFORMS = {
    "x86_64-unknown-linux-musl": ["manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"],
    "aarch64-unknown-linux-musl": ["manylinux2014_aarch64", "manylinux_2_17_aarch64", "musllinux_1_1_aarch64"],
    "x86_64-apple-darwin": ["macosx_10_12_x86_64"],
    "aarch64-apple-darwin": ["macosx_11_0_arm64"],
    "x86_64-pc-windows-msvc": ["win_amd64"],
}
LICENCES = ["LICENSE-MIT", "LICENSE-APACHE"]
ROOT = pathlib.Path(__file__).resolve().parent.parent


def of_python(version):
    """A version as Python spells it: 1.0.0-rc.1 is 1.0.0rc1 there."""
    words = {"alpha": "a", "beta": "b", "rc": "rc"}
    found = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?", version)
    if not found:
        sys.exit(f"`{version}` is no version that Python can spell")
    return found[1] + (words[found[2]] + found[3] if found[2] else "")


def metadata(version):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in LICENCES),
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown; charset=UTF-8; variant=GFM",
    ]
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text()


def write(file, name, content, mode):
    # The earliest date that a zip file knows.
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = (0o100000 | mode) << 16
    file.writestr(info, content)


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: python3 wheel.py TARGET VERSION PROGRAM FOLDER")
    target, version, program, folder = sys.argv[1:]
    if target not in PLATFORMS:
        sys.exit(f"there is no wheel for {target}")
    version, program, folder = of_python(version), pathlib.Path(program), pathlib.Path(folder)
    tags = [f"py3-none-{platform}" for platform in PLATFORMS[target]]
    about = f"wireproof-{version}.dist-info"
    wheel = "".join(["Wheel-Version: 1.0\nGenerator: wireproof\nRoot-Is-Purelib: false\n", *(f"Tag: {tag}\n" for tag in tags)])
    files = {f"wireproof-{version}.data/scripts/{program.name}": program.read_bytes()}
    files |= {f"{about}/licenses/{name}": (ROOT / name).read_bytes() for name in LICENCES}
    files |= {f"{about}/METADATA": metadata(version).encode(), f"{about}/WHEEL": wheel.encode()}
    record = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(content)}\n")
    files[f"{about}/RECORD"] = ("".join(record) + f"{about}/RECORD,,\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"wireproof-{version}-py3-none-{'.'.join(PLATFORMS[target])}.whl"
    with zipfile.ZipFile(path, "w") as file:
        for name, content in files.items():
            write(file, name, content, 0o755 if "/scripts/" in name else 0o644)
    print(path)


main()
