"""Digests: `protocol/digest.md`. The hash of everything that a store of `merging.py` holds, one by one."""

import math
import struct

from decimals import ordered_bytes
from merging import LIST, MAP, Collection
from operations import IDENTITY
from values import COLLECTION, DECIMAL, EMBEDDED, LINK

WORD = (1 << 64) - 1
START = 0xA0761D6478BD642F, 0x1D8E4E27C47D124F
STEP = 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3
END = 0x589965CC75374CC3, 0xEB44ACCAB455D165
AUTHOR, CLASS, PROPERTY, OBJECT, ELEMENT, CONTAINER, LISTED, MEMBER, ENTRY, CELL, PLACE = range(1, 12)
NOTHING = 0, 0


def fold(a, b):
    product = a * b
    return product >> 64 ^ product & WORD


def digest(kind, *taken):
    """The hash of words, texts, bytes and hashes (pairs of words), after the number of its kind."""
    high, low = START
    for word in words((kind, *taken)):
        one, other = word if isinstance(word, tuple) else (word, word)
        high, low = fold(high ^ one, STEP[0]), fold(low + other & WORD, STEP[1])
    first, second = fold(high ^ END[0], low ^ END[1]), fold(low ^ END[0], high ^ END[1])
    return first + low & WORD, second + high & WORD


def words(taken):
    for one in taken:
        if isinstance(one, str):
            one = one.encode("utf-8")
        if isinstance(one, bytes):
            yield len(one)
            for place in range(0, len(one), 8):
                yield int.from_bytes(one[place : place + 8], "little")
        elif isinstance(one, list):
            yield from words(one)
        else:
            yield one if isinstance(one, tuple) else one & WORD


def text(one):
    return f"{one[0]:016x}{one[1]:016x}"


def plus(a, b):
    return a[0] + b[0] & WORD, a[1] + b[1] & WORD


# Names


def author_words(name):
    return [int(part[place : place + 16], 16)
            for part in name.split(".") for place in range(0, len(part), 16)]


def class_digest(cls):
    return digest(CLASS, cls[0], cls[2])


def property_digest(prop, around=None):
    _, name, kind, collection, target = prop
    return digest(PROPERTY, around or NOTHING, name, kind, collection,
                  class_digest(target) if target else NOTHING)


def object_digest(cls, key, generation):
    return digest(OBJECT, class_digest(cls), generation, value_words(key))


def stamp_words(order):
    if order is None:
        return [0]
    is_assigned, (time, author, index) = order
    return [2 if is_assigned else 1, time, digest(AUTHOR, author_words(author)), index]


def number_word(number):
    bits = struct.unpack(">Q", struct.pack(">d", number))[0]
    return 0x7FF8000000000000 if math.isnan(number) else bits


def value_words(value):
    tag, content = value
    if tag == EMBEDDED:
        return [0x101]
    if tag == COLLECTION:
        return [0x110 + content]
    if tag == LINK:
        cls, generation, key = content
        return [0x100, object_digest(cls, key, generation)]
    if tag in (3, 4, 7):
        return [tag, number_word(content)]
    if tag == 8:
        return [tag, int.from_bytes(content[:8], "big"), int.from_bytes(content[8:], "big")]
    if tag == DECIMAL:
        return [tag, ordered_bytes(content)]
    if tag == IDENTITY:
        author, sequence, index = content
        return [tag, *author_words(author), sequence, index]
    return [tag] if content is None else [tag, content]


# Everything there is


class Digests:
    """Lines that name each hash, and the sums of classes and of all."""

    def __init__(self, store):
        self.lines, self.classes = [], {}
        for (cls, _), found in sorted(store.objects.items(), key=repr):
            self.sum = NOTHING
            self.object(cls, found)
            if self.sum != NOTHING:
                self.classes[cls] = plus(self.classes.get(cls, NOTHING), self.sum)
        self.total = NOTHING
        for one in self.classes.values():
            self.total = plus(self.total, one)

    def add(self, what, one):
        self.lines.append(f"{what} = {text(one)}")
        self.sum = plus(self.sum, one)

    def object(self, cls, found):
        name = f"{cls[0]} {found.key[1]}"
        if found.generation % 2 == 0 and cls[2] == IDENTITY:
            return
        identity = object_digest(cls, found.key, found.generation)
        self.add(f"object {name} generation {found.generation}", identity)
        if found.generation % 2:
            self.level(name, identity, found.level, None)

    def level(self, name, identity, level, around):
        for prop, cell in level.cells.items():
            self.cell(f"{name}.{prop[1]}", identity, prop, cell, around)
        for prop, collection in level.collections.items():
            self.collection(f"{name}.{prop[1]}", identity, prop, collection, around)

    def cell(self, name, identity, prop, cell, around):
        if cell.order is None and not cell.steps:
            return
        node = property_digest(prop, around)
        order = stamp_words(cell.order)
        self.add(f"cell {name}", digest(CELL, identity, order, node, cell.steps, value_words(cell.value)))
        if isinstance(cell.inside, Collection):
            self.collection(name, identity, prop, cell.inside, around)
        elif cell.inside:
            self.level(name, identity, cell.inside, node)

    def collection(self, name, identity, prop, collection, around):
        container = digest(CONTAINER, identity, property_digest(prop, around))
        for key, item in collection.items.items():
            element = digest(ELEMENT, stamp_words((True, item.stamp)))
            if collection.kind == LIST:
                if item.is_removed:
                    continue
                place = [item.position, *stamp_words((True, item.position_stamp))]
                self.add(f"listed {name}", digest(LISTED, container, element, item.sequence, 0, place))
            else:
                kind, more = (ENTRY, [key]) if collection.kind == MAP else (MEMBER, [])
                word = "entry" if kind == ENTRY else "member"
                self.add(f"{word} {name}",
                         digest(kind, container, element, item.sequence, item.is_removed, more))
            self.cell(f"{name}[]", element, prop, item.cell, None)
