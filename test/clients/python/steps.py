"""Reads one step a line from client-steps.ts and answers each with one line, until its input ends."""

import sys
from urllib.parse import quote, unquote


def serve(steps):
    for line in sys.stdin:
        name, *args = map(unquote, line.rstrip("\n").split("\t"))
        try:
            answer = ["ok", *(steps[name](*args) or [])]
        except Exception as error:
            answer = ["failed", type(error).__name__, str(error)]
        print("\t".join(quote(word, safe="") for word in answer), flush=True)


def write(file, data):
    with open(file, "wb") as target:
        target.write(data)


def blocks(file):
    """Yields a file in pieces of one megabyte, like a program that generates its data."""
    with open(file, "rb") as source:
        while block := source.read(1 << 20):
            yield block
