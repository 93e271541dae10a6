"""The outcome of changesets that meet: `protocol/changeset.md`, *Merging*.

A model to compare with, in the plainest form: everything is in memory, and nothing is ever forgotten. It
knows one history of each author.
"""

from counting import Counting
from decimals import member_bytes
from operations import (
    ASSIGN, ASSIGN_ENTRY, CLEAR, CONTROL, CREATE, DELETE, IDENTITY, INCREMENT, INSERT, INSERT_MEMBER,
    MOVE, REMOVE, REMOVE_ENTRY, REMOVE_MEMBER, Author,
)
from values import COLLECTION, DECIMAL, EMBEDDED, LINK

NIL = (0, None)
LIST, SET, MAP = 1, 2, 3
MODULUS = 1 << 64


class Level:
    """The cells and collections of an object, of an embedded object, or of an element's value."""

    def __init__(self):
        self.cells, self.collections = {}, {}

    def cell(self, key):
        return self.cells.setdefault(key, Cell())


class Cell:
    """A register, and the counter in it. `order` is (assigned, stamp), None if nobody wrote it."""

    def __init__(self):
        self.order, self.written, self.steps = None, NIL, 0
        self.inside = None  # the level of an embedded object, or the collection in a slot of any type

    @property
    def value(self):
        """The value that is shown: the counter's steps on a default are added; a default of nil stays nil."""
        _, content = self.written
        if not self.steps or content is None and self.order:
            return self.written
        total = ((content or 0) + self.steps + MODULUS // 2) % MODULUS - MODULUS // 2
        return 2, total

    def write(self, order, value):
        """Writes the register, unless what it holds is later."""
        if self.order is not None and self.order > order:
            return
        if order[0]:
            self.steps = 0
        self.order, self.written = order, value
        self.inside = contents(order, value)

    def instance(self, stamp):
        """The inside, if it is the instance that a stamp names."""
        held = self.inside is not None and self.order[1] == stamp
        return self.inside if held else None

    def increment(self, amount, base):
        if base is None:
            if self.order is None or not self.order[0]:
                self.steps = (self.steps + amount + MODULUS // 2) % MODULUS - MODULUS // 2
        elif self.order == (True, base) and self.written[0] == 2:
            total = self.written[1] + amount
            self.written = 2, (total + MODULUS // 2) % MODULUS - MODULUS // 2


def contents(order, value):
    """The inside of a new value: an embedded object's cells, a new collection's nothing."""
    tag, content = value
    if tag == EMBEDDED:
        level = Level()
        for key, inner in content.items():
            level.cell(key).write(order, inner)
        return level
    return Collection(content) if tag == COLLECTION else None


class Collection:
    """A list by (author, sequence, index), a set by the values, a map by the keys."""

    def __init__(self, kind):
        self.kind, self.items = kind, {}

    def held(self, name):
        item = self.items.get(name)
        return item if item and not item.is_removed else None

    def put(self, name, stamp, sequence, value, is_removed):
        """Writes a member or an entry, which is a register, or removes it."""
        item = self.items.get(name)
        if item is None or item.stamp < stamp:
            self.items[name] = Item(stamp, sequence, value, is_removed)

    def insert(self, name, stamp, position, value):
        item = Item(stamp, name[1], value)
        item.position, item.position_stamp = position, stamp
        self.items.setdefault(name, item)

    def is_known(self):
        """Tells if anything is held, or, but in a list, was."""
        return bool(self.in_order() if self.kind == LIST else self.items)

    def in_order(self):
        """A list's elements that are not removed."""
        held = [(item.position, name, item) for name, item in self.items.items() if not item.is_removed]
        return [item for _, _, item in sorted(held, key=lambda one: one[:2])]


class Item:
    """An element, a member or an entry."""

    def __init__(self, stamp, sequence, value, is_removed=False):
        self.stamp, self.sequence, self.is_removed = stamp, sequence, is_removed
        self.cell = Cell()
        if value is not None:
            self.cell.write((True, stamp), value)

    def move(self, position, stamp):
        if stamp > self.position_stamp:
            self.position, self.position_stamp = position, stamp


class Object:
    def __init__(self, generation, key):
        self.generation, self.key, self.level = generation, key, Level()


class Store:
    """Everything that changesets have made, given as (author, bytes), each after those that it depends on."""

    def __init__(self, history):
        self.objects, authors = {}, {}
        changesets = [authors.setdefault(name, Author(name)).read(data) for name, data in history]
        counting = Counting(changesets)
        applied, waiting = {}, changesets
        while waiting:
            left = []
            for one in waiting:
                if counting.may_follow(one, applied):
                    applied[one.author] = one.sequence
                    if counting.counts(one.author, one.sequence):
                        self.carry_out_all(one)
                else:
                    left.append(one)
            if len(left) == len(waiting):
                break  # They wait for something that is not there.
            waiting = left

    def carry_out_all(self, changeset):
        for operation in changeset.operations:
            if operation.kind != CONTROL:
                stamp = changeset.time, changeset.author, operation.index
                self.carry_out(operation, stamp, changeset.sequence)

    def alive(self, cls, generation, key):
        found = self.objects.get((cls, member_name(key)))
        return found if found and found.generation == generation and generation % 2 else None

    def carry_out(self, operation, stamp, sequence):
        name = (operation.cls, member_name(operation.key))
        known = self.objects.get(name)
        number = known.generation if known else 0
        if operation.kind == DELETE:
            if operation.generation > number:
                self.objects[name] = Object(operation.generation, operation.key)
            return
        if operation.generation < number or number % 2 == 0 and number == operation.generation:
            return
        if operation.generation > number:
            if operation.kind != CREATE and operation.cls[2] == IDENTITY:
                return
            known = self.objects[name] = Object(operation.generation, operation.key)
        if operation.kind == CREATE:
            for key, (is_assigned, value) in operation.arguments.items():
                known.level.cell(key).write((is_assigned, stamp), value)
        else:
            self.edit(known.level, operation, stamp, sequence)

    def edit(self, level, operation, stamp, sequence):
        kind, arguments = operation.kind, operation.arguments
        for step in operation.steps:
            level = embedded(level, step)
            if level is None:
                return
        if operation.nested:
            place = nested(level, operation)
        elif kind in (ASSIGN, INCREMENT):
            place = level.cell(operation.property)
        else:
            collection = operation.property[3]
            place = level.collections.setdefault(operation.property, Collection(collection))
        if place is None:
            return
        if kind == ASSIGN:
            place.write((True, stamp), arguments)
        elif kind == INCREMENT:
            place.increment(*arguments)
        elif kind in (INSERT_MEMBER, REMOVE_MEMBER):
            # A removed member still says which value it was.
            is_removed = kind == REMOVE_MEMBER
            place.put(member_name(arguments), stamp, sequence, arguments, is_removed)
        elif kind in (ASSIGN_ENTRY, REMOVE_ENTRY):
            key, value = arguments if kind == ASSIGN_ENTRY else (arguments, None)
            if place.kind == MAP:
                place.put(key, stamp, sequence, value, value is None)
        elif place.kind == LIST:
            edit_list(place, kind, arguments, stamp, sequence)


def edit_list(place, kind, arguments, stamp, sequence):
    if kind == INSERT:
        place.insert((stamp[1], sequence, stamp[2]), stamp, *arguments)
        return
    names = arguments if kind == CLEAR else [arguments if kind == REMOVE else arguments[0]]
    for item in filter(None, map(place.held, names)):
        if kind in (REMOVE, CLEAR):
            item.is_removed = True
        elif kind == MOVE:
            item.move(arguments[1], stamp)
        else:
            item.cell.write((True, stamp), arguments[1])


def embedded(level, step):
    """The embedded object that a step leads to, if it is the one that it names."""
    if step.kind == 0:
        cell = level.cells.get(step.property)
    else:
        item = level.collections.get(step.property, Collection(0)).held(step.name)
        cell = item and item.cell
    return cell and cell.instance(step.instance)


def nested(level, operation):
    """The collection in a slot of any type that steps lead to, if each is the one that they name."""
    place = None
    for step in operation.nested:
        if step.kind == 3:
            cell = level.cells.get(operation.property)
        else:
            if place is None:
                place = level.collections.get(operation.property, Collection(0))
            item = place.held(step.name)
            cell = item and item.cell
        place = cell and cell.instance(step.instance)
        if place is None:
            return None
    return place


def member_name(value):
    """The name of a value among others: a decimal is its number, whose zero has a sign."""
    tag, content = value
    if tag == DECIMAL:
        return tag, member_bytes(content)
    if tag in (3, 4, 7):
        return tag, repr(content)
    if tag == LINK:
        cls, generation, key = content
        return tag, cls, generation, member_name(key)
    return value
