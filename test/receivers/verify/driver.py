"""Prints whether each vector, a line of stdin, is genuine. Argument: the folder of verify.py."""

import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True

from verify import is_genuine  # noqa: E402

for line in sys.stdin.buffer.read().decode().strip("\n").split("\n"):
    body, id, timestamp, signatures, secrets, now = line.split("\t")
    print(str(is_genuine(body.encode(), id, timestamp, signatures, secrets.split(" "), int(now))).lower())
