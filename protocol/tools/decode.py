#!/usr/bin/env python3
"""Decodes the vectors of `protocol/vectors`, changesets given as hexadecimal, or a recorded link; merges changesets.

    decode.py                     every vector: changesets, frames, chains, seals, what histories come to, and others
    decode.py AUTHOR HEX …        changesets of one author ("replica.incarnation")
    decode.py --merge FILE …      what the changesets of several authors come to, each on a line `AUTHOR HEX`
    decode.py --snapshot FILE …   what a snapshot holds, each of its pages on a line, as hexadecimal
    decode.py --stream FILE …     all bytes that one side of a link sent: frames, changesets in them

It shares no code with Atoll and needs nothing but Python 3: what it prints for a vector is what the
pages alone say that the bytes mean. A test of Atoll's compares it with Atoll's own decoder.
"""

import re
import sys
from hashlib import sha256
from pathlib import Path

import changeset
import digest
import export
import frames
import merging
import positions
import seals
import snapshot
from octets import Refused

VECTORS = Path(__file__).resolve().parent.parent / "vectors"


def blocks(path):
    """Blocks of `key: text` lines, divided by empty lines; `#` starts a remark."""
    for part in path.read_text("utf-8").split("\n\n"):
        lines = [line.split(": ", 1) for line in part.split("\n") if line[:1] not in ("", "#")]
        if lines:
            yield {key: [text for k, text in lines if k == key] for key, _ in lines}


def meaning(decode):
    """The meaning of bytes, a line for each thing, or the reason of a refusal."""
    try:
        return [f"means: {line}" for line in decode()]
    except Refused as refusal:
        return [f"refused: {refusal}"]


def show_changesets(name):
    for block in blocks(VECTORS / "changesets" / f"{name}.txt"):
        data = bytes.fromhex("".join(block["bytes"]))
        author = block["author"][0]
        show(f"{name}: {block['name'][0]}", meaning(lambda: changeset.decode(data, author)))


def show_chains():
    for block in blocks(VECTORS / "changesets" / "chain.txt"):
        author = block["author"][0]
        chain = sha256(b"atoll author" + bytes.fromhex(author.replace(".", ""))).digest()
        lines = [f"origin: {chain.hex()}"]
        for text in block["bytes"]:
            chain = sha256(chain + bytes.fromhex(text)).digest()
            lines.append(f"hash: {chain.hex()}")
        show(f"chain: {author}", lines)


def show_positions():
    for block in blocks(VECTORS / "changesets" / "positions.txt"):
        left, right = (bytes.fromhex("".join(block.get(side, []))) for side in ("left", "right"))
        key = positions.key_between(left, right, block["author"][0])
        show(f"positions: {block['name'][0]}", [f"key: {key.hex()}"])


def show_seals():
    for block in blocks(VECTORS / "changesets" / "seals.txt"):
        author, number = block["author"][0], int(block["sequence"][0])
        key, chain, signature = (bytes.fromhex(block[name][0]) for name in ("public key", "hash", "signature"))
        store = block["store"][0]
        vouches = seals.vouches(key, signature, store, author, number, chain)
        show(f"seals: {block['name'][0]}", [
            f"replica: {seals.replica(key).hex()}",
            f"message: {seals.message(store, author, number, chain).hex()}",
            f"vouches: {'yes' if vouches else 'no'}",
        ])


def show_owners():
    for block in blocks(VECTORS / "changesets" / "owners.txt"):
        founder, store = (bytes.fromhex(block[name][0]) for name in ("replica", "store"))
        show(f"owners: {block['name'][0]}", [
            f"founds: {seals.founded(founder).hex()}",
            f"owned: {'yes' if seals.is_owned(store) else 'no'}",
        ])


def show_recovery():
    for block in blocks(VECTORS / "changesets" / "recovery.txt"):
        key = seals.recovered(bytes.fromhex(block["secret"][0]))
        show(f"recovery: {block['name'][0]}", [
            f"private key: {key.hex()}",
            f"replica: {seals.replica(seals.public(key)).hex()}",
        ])


def show_merging():
    for block in blocks(VECTORS / "changesets" / "merging.txt"):
        show(f"merging: {block['name'][0]}", come_to(block["changeset"]))


def come_to(history):
    """The outcome of the changesets of some authors: each hash, each class, the sum, and the export."""
    lines = [line.split() for line in history]
    return held_by(merging.Store([(author, bytes.fromhex(data)) for author, data in lines]))


def held_by(store):
    """Each hash of a store, each class, the sum, and the export."""
    digests = digest.Digests(store)
    return [
        *(f"hash: {line}" for line in digests.lines),
        *(f"class: {cls[0]} = {digest.text(one)}" for cls, one in digests.classes.items()),
        f"digest: {digest.text(digests.total)}",
        *(f"export: {line}" for line in export.lines(store)),
    ]


def show_snapshots():
    for block in blocks(VECTORS / "changesets" / "snapshots.txt"):
        show(f"snapshots: {block['name'][0]}", held_by_pages(block["page"]))


def held_by_pages(lines):
    """The name of a snapshot, its authors, and what it holds; or why it is refused."""
    pages = [bytes.fromhex(line) for line in lines]
    try:
        found = snapshot.Snapshot(pages)
    except Refused as refusal:
        return [f"refused: {refusal.kind}"]
    return [f"snapshot: {snapshot.chain(pages)[-1].hex()}", *found.lines(), *held_by(found)]


def show_frames():
    for path in sorted((VECTORS / "frames").glob("*.txt")):
        lines = [line for line in path.read_text("utf-8").split("\n") if line[:1] != "#"]
        data = bytes.fromhex("".join(line.split(" ", 1)[0] for line in lines))
        show(f"frames: {path.stem}", meaning(lambda: frames.decode(data)))


def show_stream(path):
    number = 0
    try:
        for number, lines in enumerate(frames.stream(Path(path).read_bytes()), 1):
            show(f"frame {number}", [f"means: {line}" for line in lines] + inside(lines))
    except Refused as refusal:
        show(f"frame {number + 1}", [f"refused: {refusal}"])


def inside(lines):
    """The meaning of the changesets that a frame carries whole."""
    found = (re.fullmatch(r"changeset (\S+):\d+ <(.*)>", line) for line in lines)
    return [
        line for match in found if match
        for line in meaning(lambda: changeset.decode(bytes.fromhex(match[2]), match[1]))
    ]


def show(name, lines):
    print(f"{name}\n" + "\n".join(lines) + "\n")


def main(arguments):
    sys.stdout.reconfigure(encoding="utf-8")
    if not arguments:
        show_changesets("changesets")
        show_changesets("refused")
        show_chains()
        show_positions()
        show_seals()
        show_owners()
        show_recovery()
        show_merging()
        show_snapshots()
        show_frames()
    if arguments[:1] == ["--merge"]:
        for path in arguments[1:]:
            show(path, come_to(Path(path).read_text("utf-8").splitlines()))
        return
    if arguments[:1] == ["--snapshot"]:
        for path in arguments[1:]:
            show(path, held_by_pages(Path(path).read_text("utf-8").split()))
        return
    if arguments[:1] == ["--stream"]:
        for path in arguments[1:]:
            show_stream(path)
        return
    for text in arguments[1:]:
        show(text[:40], meaning(lambda: changeset.decode(bytes.fromhex(text), arguments[0])))


if __name__ == "__main__":
    main(sys.argv[1:])
