"""CPU time and memory of whole processes."""

import os
import resource
import subprocess

# What runs keep for later ones is measured where a script says so.
os.environ.setdefault("WIREPROOF_CACHE", "off")


def measured(command, place):
    """CPU seconds and peak MB of one run, and its exit code. A process between keeps the children of runs apart."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = subprocess.run(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(writer, f"{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024} {code}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as told:
        seconds, peak, code = told.read().split()
    return float(seconds), float(peak), int(code)
