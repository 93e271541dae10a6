#!/usr/bin/env python3
"""Decodes the vectors of `protocol/vectors`, or changesets given as hexadecimal.

    decode.py                     every changeset and frame of ../vectors
    decode.py AUTHOR HEX …        changesets of one author ("replica.incarnation")

It shares no code with Atoll and needs nothing but Python 3: what it prints for a vector is what the
pages alone say that the bytes mean. A test of Atoll's compares it with Atoll's own decoder.
"""

import sys
from pathlib import Path

import changeset
import frames
from octets import Refused

VECTORS = Path(__file__).resolve().parent.parent / "vectors"


def blocks(path):
    """Blocks of `key: text` lines, divided by empty lines; `#` starts a remark."""
    for part in path.read_text("utf-8").split("\n\n"):
        lines = [line.split(": ", 1) for line in part.split("\n") if line[:1] not in ("", "#")]
        if lines:
            yield {key: [text for k, text in lines if k == key] for key, _ in lines}


def meaning(decode):
    """What bytes mean, a line for each thing, or why they are refused."""
    try:
        return [f"means: {line}" for line in decode()]
    except Refused as refusal:
        return [f"refused: {refusal}"]


def show_changesets(name):
    for block in blocks(VECTORS / "changesets" / f"{name}.txt"):
        data = bytes.fromhex("".join(block["bytes"]))
        author = block["author"][0]
        show(f"{name}: {block['name'][0]}", meaning(lambda: changeset.decode(data, author)))


def show_frames():
    for path in sorted((VECTORS / "frames").glob("*.txt")):
        lines = [line for line in path.read_text("utf-8").split("\n") if line[:1] != "#"]
        data = bytes.fromhex("".join(line.split(" ", 1)[0] for line in lines))
        show(f"frames: {path.stem}", meaning(lambda: frames.decode(data)))


def show(name, lines):
    print(f"{name}\n" + "\n".join(lines) + "\n")


def main(arguments):
    sys.stdout.reconfigure(encoding="utf-8")
    if not arguments:
        show_changesets("changesets")
        show_changesets("refused")
        show_frames()
    for text in arguments[1:]:
        show(text[:40], meaning(lambda: changeset.decode(bytes.fromhex(text), arguments[0])))


if __name__ == "__main__":
    main(sys.argv[1:])
