"""Changesets as values to work with: what `changeset.py` reads as lines, without its checks.

Numbers that the author declared are replaced by what they stand for:

    class       (name, whether embedded, type of the key)
    property    (class, name, type, collection, target class or None)
    value       (tag, content); (EMBEDDED, {property: value}) and (COLLECTION, kind) for those
    key         a value
    link        (LINK, (class, generation, key))
    stamp       (time, author, index)
    element     (author, sequence, index)
"""

from collections import namedtuple

from octets import Octets
from values import COLLECTION, EMBEDDED, LINK

IDENTITY, ANY = 10, 14
CREATE, DELETE, ASSIGN, INCREMENT, INSERT, ASSIGN_ELEMENT, MOVE, REMOVE, CLEAR = range(1, 10)
INSERT_MEMBER, REMOVE_MEMBER, ASSIGN_ENTRY, REMOVE_ENTRY, CONTROL = range(10, 15)

Changeset = namedtuple("Changeset", "author sequence time needs operations")
# `steps` lead into embedded objects, `nested` from the property into collections in slots of any type.
Operation = namedtuple("Operation", "kind index cls generation key steps property nested arguments")
Step = namedtuple("Step", "kind property name instance")


class Author:
    """The declarations of an author so far."""

    def __init__(self, name):
        self.classes, self.properties, self.authors = [], [], [name]

    def read(self, data):
        """The next changeset of the author; ValueError for what only `decode.py` explains."""
        return Reader(self, data).changeset()


class Reader:
    def __init__(self, author, data):
        self.author, self.octets = author, Octets(data)
        self.object, self.position = None, b""

    def changeset(self):
        self.octets.u8()
        self.sequence, self.time = self.octets.sequence(), self.octets.time()
        needs = [
            (self.octets.varint32(), self.octets.sequence(), self.octets.take(32))
            for _ in range(self.octets.varint())
        ]
        for _ in range(self.octets.varint()):
            self.declare(self.octets.u8())
        needs = [(self.author.authors[number], *rest) for number, *rest in needs]
        operations = [self.operation(index) for index in range(self.octets.varint())]
        return Changeset(self.author.authors[0], self.sequence, self.time, needs, operations)

    def declare(self, tag):
        octets, author = self.octets, self.author
        if tag in (1, 6):
            author.classes.append((octets.text(255), False, octets.u8()))
            if tag == 6:
                octets.text(255)
        elif tag == 2:
            author.classes.append((octets.text(255), True, IDENTITY))
        elif tag == 3:
            owner, name = self.cls(), octets.text(255)
            kind, collection = octets.u8(), octets.u8()
            target = self.cls() if kind in (LINK, EMBEDDED) else None
            author.properties.append((owner, name, kind, collection, target))
        else:
            author.authors.append(octets.author() if tag == 4 else octets.branched_author())

    def operation(self, index):
        first = self.octets.u8()
        kind = first & 0x0F
        if kind == CONTROL:
            return self.control(index)
        if not first & 0x10:
            cls = self.object[0] if first & 0x20 else self.cls()
            usual = 2 if kind == DELETE else 1
            generation = usual if first & 0x40 else self.octets.varint32()
            self.object = (cls, generation, self.value())
        steps, nested, target = [], [], None
        if first & 0x80:
            for _ in range(self.octets.varint()):
                step = self.step()
                (steps if step.kind < 3 else nested).append(step)
        if kind > DELETE:
            target = self.property()
        arguments = self.arguments(kind)
        cls, generation, key = self.object
        return Operation(kind, index, cls, generation, key, steps, target, nested, arguments)

    def control(self, index):
        """A release (the author, its last changeset) or a superseding (the author, first and last)."""
        is_release = self.octets.u8() == 0
        author = self.author.authors[self.octets.varint32()]
        numbers = [self.octets.sequence() for _ in range(1 if is_release else 2)]
        return Operation(CONTROL, index, None, 0, None, [], None, [], (author, *numbers))

    def step(self):
        kind = self.octets.u8()
        target = self.property() if kind < 3 else None
        name = self.element() if kind % 3 == 1 else self.name() if kind % 3 == 2 else None
        return Step(kind, target, name, self.stamp())

    def arguments(self, kind):
        octets = self.octets
        if kind == CREATE:
            return {
                number: (tag & 0x80 != 0, self.value(tag & 0x7F)) for number, tag in self.fields()
            }
        if kind in (ASSIGN, INSERT_MEMBER, REMOVE_MEMBER):
            return self.value()
        if kind == INCREMENT:
            return octets.signed(), self.stamp() if octets.u8() else None
        if kind == INSERT:
            return self.position_key(), self.value()
        if kind == ASSIGN_ELEMENT:
            return self.element(), self.value()
        if kind == MOVE:
            return self.element(), self.position_key()
        if kind == REMOVE:
            return self.element()
        if kind == CLEAR:
            return self.elements()
        if kind == ASSIGN_ENTRY:
            return self.name(), self.value()
        return self.name() if kind == REMOVE_ENTRY else None

    # Parts

    def cls(self):
        return self.author.classes[self.octets.varint32()]

    def property(self):
        return self.author.properties[self.octets.varint32()]

    def name(self):
        return self.octets.text(64 << 10)

    def stamp(self):
        time = self.time - self.octets.varint()
        return time, self.author.authors[self.octets.varint32()], self.octets.varint32()

    def element(self):
        author = self.author.authors[self.octets.varint32()]
        return author, self.octets.sequence(), self.octets.varint32()

    def elements(self):
        sequence, index, found = 0, 0, []
        for _ in range(self.octets.varint()):
            author = self.author.authors[self.octets.varint32()]
            sequence += self.octets.signed()
            index += self.octets.signed()
            found.append((author, sequence, index))
        return found

    def position_key(self):
        shared, count = self.octets.varint(), self.octets.varint()
        self.position = self.position[:shared] + self.octets.take(count)
        return self.position

    def fields(self):
        number = -1
        for _ in range(self.octets.varint()):
            number += 1 + self.octets.varint32()
            yield self.author.properties[number], self.octets.u8()

    def value(self, tag=None):
        octets = self.octets
        tag = octets.u8() if tag is None else tag
        read = {
            0: lambda: None, 1: octets.u8, 2: octets.signed, 3: octets.f32, 4: octets.f64,
            5: lambda: octets.text(1 << 28), 6: lambda: octets.take(octets.varint()),
            7: octets.f64, 8: lambda: octets.take(16), 9: lambda: octets.take(12),
            IDENTITY: self.identity, LINK: lambda: (self.cls(), octets.varint32(), self.value()),
            EMBEDDED: lambda: {number: self.value(inner) for number, inner in self.fields()},
            13: lambda: octets.take(16), COLLECTION: octets.u8,
        }
        return tag, read[tag]()

    def identity(self):
        tag = self.octets.u8()
        if tag == 0:
            author, sequence = self.author.authors[0], self.sequence - self.octets.varint()
        else:
            author = self.octets.author() if tag == 1 else self.octets.branched_author()
            sequence = self.octets.sequence()
        return author, sequence, self.octets.varint32()
