"""Snapshots: `protocol/snapshot.md`. A replica's cells, as a store of `merging.py`, and what is said of authors.

Refused is what departs from the pages, what has other digests than it says, and what no seal vouches for.
"""

from collections import namedtuple
from hashlib import sha256

import digest
import seals
from merging import Cell, Collection, Item, Level, Object, member_name
from octets import SEQUENCE_NUMBER, Octets, Refused
from operations import IDENTITY, Author, Reader
from values import COLLECTION, EMBEDDED, LINK

HEAD, OBJECT, ELEMENT, DEAD, AWAITED, END = range(1, 7)
VERSION = 4
RECORDED, ASSIGNED, APART, STAMP, APART_ASSIGNED, STEPS, HAS_STEPS = (1 << bit for bit in range(7))
REMOVED, INSIDE = 1, 2
# `holder` is (table, node) of the cells that hold the rows, None for objects of `cls`.
Table = namedtuple("Table", "cls holder nodes")
Writer = namedtuple("Writer", "author parent first sequence chain seal superseded")
Row = namedtuple("Row", "table number stamp key generation owner sequence flags place cells")
Written = namedtuple("Written", "flags stamp steps value")


def chain(pages):
    """The hash after each page; the last one is the snapshot's name."""
    found = [sha256(b"atoll snapshot").digest()]
    for page in pages:
        found.append(sha256(found[-1] + page).digest())
    return found[1:]


def goes_on(one, other):
    """Tells if the first changeset of a history follows the last one of another of its author."""
    return one.first == other.sequence + 1 and one.author.split(".")[:2] == other.author.split(".")[:2]


class Snapshot:
    """Everything that the pages of a snapshot say."""

    def __init__(self, pages):
        self.octets, self.writers, self.rows, self.names = None, [], [], {}
        self.classes, self.said, self.properties, self.tables = [], [], [], []
        self.objects = {}
        self.read_records(Octets(b"".join(pages)))
        self.check_seals()
        self.build()
        self.check_digests()

    def read_records(self, records):
        count, kind = 0, None
        while kind != END:
            start = records.place
            self.octets = Octets(records.take(records.varint()))
            kind = self.octets.u8()
            if (kind == HEAD) != (count == 0):
                raise Refused("unknownTag", start)
            self.record(kind, count, start)
            if self.octets.remaining:
                raise Refused("trailing", start)
            count += 1
        if records.remaining:
            raise Refused("trailing", records.place)

    def record(self, kind, count, start):
        if kind == HEAD:
            self.head()
        elif kind in (OBJECT, ELEMENT):
            self.rows.append(self.row(kind))
        elif kind == DEAD:
            cls, generation = self.cls(), self.octets.varint32()
            key = self.scalar()
            self.objects[cls, member_name(key)] = Object(generation, key)
        elif kind == AWAITED:
            cls, number = self.cls(), self.octets.varint()
            self.names[cls, number] = cls, self.octets.varint32(), self.scalar()
        elif kind != END or self.octets.varint() != count:
            raise Refused("unknownTag", start)

    # The head

    def head(self):
        octets = self.octets
        if octets.u8() != VERSION:
            raise Refused("unknownFormat", 0)
        self.store, self.time = octets.take(16).hex(), octets.time()
        for _ in range(octets.varint()):
            cls = octets.text(255), octets.u8() == 1, octets.u8()
            if cls[2] != IDENTITY:
                octets.text(255)
            self.classes.append(cls)
            self.said.append((octets.fixed(8), octets.fixed(8)))
        for _ in range(octets.varint()):
            owner, name, kind, collection = self.cls(), octets.text(255), octets.u8(), octets.u8()
            target = octets.varint()
            self.properties.append((owner, name, kind, collection, self.classes[target - 1] if target else None))
        for _ in range(octets.varint()):
            is_held = octets.u8()
            cls, holder = (None, (octets.varint(), octets.varint())) if is_held else (self.cls(), None)
            nodes = [(octets.varint() - 1, self.properties[octets.varint()]) for _ in range(octets.varint())]
            self.tables.append(Table(cls, holder, nodes))
        for _ in range(octets.varint()):
            self.writers.append(self.writer())

    def writer(self):
        octets = self.octets
        author = octets.branched_author() if octets.u8() else octets.author()
        parent, first, _ = octets.varint() - 1, octets.sequence(), octets.time()
        sequence, chain_hash, _ = octets.sequence(), octets.take(32), octets.time()
        seal = octets.take(96) if octets.u8() else None
        octets.sequence(), octets.time()
        superseded = [(octets.sequence(), octets.varint(SEQUENCE_NUMBER)) for _ in range(octets.varint())]
        self.seen()
        declared = [(octets.u8(), octets.varint()) for _ in range(octets.varint())]
        hashes = [chain_hash]
        for _ in range(octets.varint()):
            hashes.append(octets.take(32))
            octets.time()
            if octets.varint() > len(declared):
                raise Refused("overLimit", octets.place)
            self.seen()
        if hashes[-1] != chain_hash or len(hashes) - 1 > max(0, sequence + 1 - first):
            raise Refused("notCanonical", octets.place)
        return Writer(author, parent, first, sequence, chain_hash, seal, superseded)

    def seen(self):
        return [(self.octets.varint(), self.octets.sequence()) for _ in range(self.octets.varint())]

    def check_seals(self):
        """Each history of which anything is applied has a seal, or one goes on from it that has."""
        vouched = set()
        for number, one in enumerate(self.writers):
            if not one.seal:
                continue
            key, signature = one.seal[:32], one.seal[32:]
            if not seals.vouches(key, signature, self.store, one.author, one.sequence, one.chain):
                raise Refused("falseSeal", number)
            while one.sequence >= one.first and number not in vouched:
                vouched.add(number)
                if 0 <= one.parent < len(self.writers) and goes_on(one, self.writers[one.parent]):
                    number, one = one.parent, self.writers[one.parent]
        for number, one in enumerate(self.writers):
            if one.sequence >= one.first and number not in vouched:
                raise Refused("unsealed", number)

    # Rows

    def row(self, kind):
        octets = self.octets
        table, number, stamp = self.tables[octets.varint()], octets.varint(), self.stamp()
        key = generation = owner = sequence = place = None
        flags = 0
        if kind == OBJECT:
            generation, key = octets.varint32(), self.scalar()
            self.names[table.cls, number] = table.cls, generation, key
        else:
            owner, sequence, flags = octets.varint(), octets.sequence(), octets.u8()
            place = self.place()
        cells = {octets.varint(): self.cell() for _ in range(octets.varint())}
        return Row(table, number, stamp, key, generation, owner, sequence, flags, place, cells)

    def place(self):
        """Nothing for a member, an entry's key, or a list's position key and the stamp of the move that led there."""
        kind = self.octets.u8()
        if kind == 0:
            return None
        if kind == 3:
            return self.octets.text(64 << 10)
        position = self.octets.take(self.octets.varint())
        return position, self.stamp() if kind == 2 else None

    def cell(self):
        octets = self.octets
        flags = octets.u8()
        stamp = self.stamp() if flags & STAMP else None
        steps = octets.signed() if flags & STEPS else 0
        tag = octets.u8()
        if tag == LINK:
            value = LINK, (self.cls(), octets.varint())
        elif tag == EMBEDDED:
            value = EMBEDDED, {}
        elif tag == COLLECTION:
            value = COLLECTION, octets.u8()
        else:
            value = self.scalar(tag)
        return Written(flags, stamp, steps, value)

    def cls(self):
        return self.classes[self.octets.varint()]

    def stamp(self):
        time, author = self.octets.time(), self.octets.varint()
        if time > self.time:
            raise Refused("late", self.octets.place)
        return time, self.writers[author].author, self.octets.varint32()

    def scalar(self, tag=None):
        reader = Reader(Author(""), b"")
        reader.octets = self.octets
        return reader.value(tag)

    # The store that they make

    def build(self):
        """Puts each row where it belongs: holders stand in earlier tables, or, within a slot of any type, in their own."""
        placed = {}
        for row in self.rows:
            if row.owner is None:
                made = Object(row.generation, row.key)
                self.objects[row.table.cls, member_name(row.key)] = made
                placed[id(row.table), row.number] = self.fill(row, made.level, None)
        waiting = [row for row in self.rows if row.owner is not None]
        while waiting:
            left = [row for row in waiting if not self.put(row, placed)]
            if len(left) == len(waiting):
                raise Refused("ownerless", 0)
            waiting = left

    def put(self, row, placed):
        """Gives an element to the collection that holds it; whether that is there already."""
        table, node = row.table.holder
        if row.flags & INSIDE:
            around, node = row.table, 0
        else:
            around = self.tables[table]
        cells = placed.get((id(around), row.owner))
        if cells is None:
            return False
        parent, prop = around.nodes[node]
        if node in cells:
            held = cells[node].inside
        else:
            level = cells[parent].inside if parent >= 0 else cells[None]
            held = level.collections.setdefault(prop, Collection(prop[3]))
        item = Item(row.stamp, row.sequence, None, row.flags & REMOVED != 0)
        placed[id(row.table), row.number] = self.fill(row, None, item)
        if isinstance(row.place, tuple):
            position, moved = row.place
            item.position, item.position_stamp = position, moved or row.stamp
            held.items[row.stamp[1], row.sequence, row.stamp[2]] = item
        else:
            held.items[row.place if row.place is not None else member_name(item.cell.value)] = item
        return True

    def fill(self, row, level, item):
        """The row's cells by node; by None the level that those without a parent stand in."""
        cells = {None: level}
        for node in sorted(row.cells):
            parent, prop = row.table.nodes[node]
            if item and parent < 0:
                cell = item.cell
            else:
                cell = (cells[parent].inside if parent >= 0 else level).cell(prop)
            self.write(cell, row.cells[node], cells[parent].order if parent >= 0 else None, row.stamp)
            cells[node] = cell
        return cells

    def write(self, cell, written, around, stamp):
        """Gives a cell its order and its value; what was written with the slot around it has that one's order."""
        if written.flags & RECORDED:
            cell.order = around or (written.flags & ASSIGNED != 0, stamp)
        if written.stamp:
            cell.order = written.flags & APART_ASSIGNED != 0, written.stamp
        tag, content = written.value
        if tag == LINK:
            content = self.names[content]
        cell.written, cell.steps = (tag, content), written.steps
        if written.steps and content is not None:
            cell.written = tag, content - written.steps
        cell.inside = Level() if tag == EMBEDDED else Collection(content) if tag == COLLECTION else None

    def alive(self, cls, generation, key):
        found = self.objects.get((cls, member_name(key)))
        return found if found and found.generation == generation and generation % 2 else None

    def check_digests(self):
        classes = digest.Digests(self).classes
        for number, cls in enumerate(self.classes):
            if not cls[1] and classes.get(cls, digest.NOTHING) != self.said[number]:
                raise Refused("digest", number)

    def lines(self):
        """All that is said of authors, a line for each."""
        for one in self.writers:
            words = [f"author: {one.author} through {one.sequence} {one.chain.hex()}"]
            words += ["sealed"] if one.seal else []
            words += [f"superseded {first} to {last}" for first, last in one.superseded]
            yield ", ".join(words)
