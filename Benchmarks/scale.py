#!/usr/bin/env python3
"""The merges of the benchmark in Yrs and Loro, for scale: both hold everything in memory, nothing is durable.

    python3 -m venv venv && venv/bin/pip install y-py loro
    venv/bin/python Benchmarks/scale.py

Prints milliseconds, the median of nine rounds, and the bytes of the update for one small edit. A library that is
not installed is left out.
"""

from statistics import median
from time import perf_counter

ROUNDS = 9
EDITS = 10_000
SMALL_EDITS = 1000


def timed(merge):
    start = perf_counter()
    merge()
    return 1000 * (perf_counter() - start)


class Yrs:
    """One transaction a replica, as the benchmark has it."""

    name = "Yrs (y-py)"

    def __init__(self):
        import y_py

        self.yrs = y_py

    def merge(self):
        first, second = self.yrs.YDoc(), self.yrs.YDoc()
        for doc, start in ((first, 0), (second, EDITS)):
            with doc.begin_transaction() as transaction:
                numbers = doc.get_array("numbers")
                numbers.extend(transaction, list(range(start, start + EDITS)))
        update = self.yrs.encode_state_as_update(second, self.yrs.encode_state_vector(first))
        took = timed(lambda: self.yrs.apply_update(first, update))
        assert len(first.get_array("numbers")) == 2 * EDITS
        return took

    def bytes(self):
        doc = self.yrs.YDoc()
        values, size = doc.get_map("values"), 0
        for number in range(SMALL_EDITS):
            known = self.yrs.encode_state_vector(doc)
            with doc.begin_transaction() as transaction:
                values.set(transaction, str(number * 7919 % 100), number)
            size += len(self.yrs.encode_state_as_update(doc, known))
        return size / SMALL_EDITS


class Loro:
    """Each edit is an operation; a commit a replica."""

    name = "Loro"

    def __init__(self):
        import loro

        self.loro = loro

    def merge(self):
        first, second = self.loro.LoroDoc(), self.loro.LoroDoc()
        for doc, start in ((first, 0), (second, EDITS)):
            numbers = doc.get_list("numbers")
            for number in range(start, start + EDITS):
                numbers.push(number)
            doc.commit()
        update = second.export(self.loro.ExportMode.Updates(first.oplog_vv))
        took = timed(lambda: first.import_(update))
        assert len(first.get_list("numbers")) == 2 * EDITS
        return took

    def bytes(self):
        doc, size = self.loro.LoroDoc(), 0
        for number in range(SMALL_EDITS):
            known = doc.oplog_vv
            doc.get_map("values").insert(str(number * 7919 % 100), number)
            doc.commit()
            size += len(doc.export(self.loro.ExportMode.Updates(known)))
        return size / SMALL_EDITS


def main():
    for library in (Yrs, Loro):
        try:
            peer = library()
        except ImportError:
            print(f"{library.name}: not installed")
            continue
        merges = median([peer.merge() for _ in range(ROUNDS)])
        print(f"{peer.name}: {EDITS} appends into {EDITS}: {merges:.1f} ms", flush=True)
        print(f"{peer.name}: the update of a small edit: {peer.bytes():.1f} bytes", flush=True)


if __name__ == "__main__":
    main()
