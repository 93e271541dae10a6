"""Changesets: `protocol/changeset.md`. Each becomes the lines that the vectors call its meaning."""

from octets import SEQUENCE_NUMBER, Octets, Refused, quoted
from positions import is_path
from values import KEY_BYTES, NESTING_DEPTH, TYPES, Values

FORMAT, CONTINUED = 1, 2
CHANGESET_BYTES = 512 << 20
OPERATIONS = 8 << 20
DECLARATIONS = 1 << 16
NAME_BYTES = 255
VECTOR_ENTRIES = 1 << 14
POSITION_KEY_BYTES = 64 << 10

SAME_OBJECT, SAME_CLASS, USUAL_LIFE, HAS_STEPS = 0x10, 0x20, 0x40, 0x80
CREATE, DELETE = 1, 2
LAST_KIND = 13
CONTROL_OPERATION = 14
COLLECTIONS = {0: "", 1: "list of ", 2: "set of ", 3: "map of "}


def decode(data, author):
    """The lines of a changeset; raises Refused for anything that no encoder writes."""
    octets = Octets(data)
    if len(data) > CHANGESET_BYTES:
        raise Refused("overLimit", 0)
    version = octets.u8()
    if version not in (FORMAT, CONTINUED):
        raise Refused("unknownFormat", 0)
    sequence = sequence_number(octets)
    time = octets.time()
    lines = [f"changeset {sequence} at {time_text(time)}"]
    if version == CONTINUED:
        lines[0] += ", continued"
    lines += dependencies(octets)
    lines += [declaration(octets) for _ in range(octets.count(DECLARATIONS, each=2))]
    operations = Operations(octets, author, sequence, time)
    count = octets.count(OPERATIONS, each=2)
    if count == 0:
        raise Refused("outOfRange", octets.place - 1)
    lines += [operations.next() for _ in range(count)]
    if octets.remaining:
        raise Refused("notCanonical", octets.place)
    return lines


def time_text(time):
    return f"{time >> 16}+{time & 0xFFFF}"


def sequence_number(octets):
    start = octets.place
    number = octets.sequence()
    if number == 0:
        raise Refused("outOfRange", start)
    return number


def dependencies(octets):
    previous = 0
    for _ in range(octets.count(VECTOR_ENTRIES, each=34)):
        start = octets.place
        author = octets.varint32()
        if author <= previous:
            raise Refused("notCanonical", start)
        previous = author
        yield f"needs {author}:{sequence_number(octets)} {octets.take(32).hex()}"


def declaration(octets):
    start = octets.place
    tag = octets.u8()
    if tag == 1:
        return f"declare class {quoted(octets.text(NAME_BYTES))} key {type_name(octets)}"
    if tag == 2:
        return f"declare embedded class {quoted(octets.text(NAME_BYTES))}"
    if tag == 3:
        return declared_property(octets)
    if tag == 4:
        return f"declare author {octets.author()}"
    if tag == 5:
        return f"declare author {octets.branched_author()}"
    if tag == 6:
        name, kind = octets.text(NAME_BYTES), type_name(octets)
        return f"declare class {quoted(name)} key {kind} {quoted(octets.text(NAME_BYTES))}"
    raise Refused("unknownTag", start)


def declared_property(octets):
    owner, name, kind = octets.varint32(), octets.text(NAME_BYTES), type_name(octets)
    start = octets.place
    collection = octets.u8()
    if collection not in COLLECTIONS:
        raise Refused("unknownTag", start)
    target = f" of {octets.varint32()}" if kind in ("link", "embedded object") else ""
    return f"declare property {owner}.{quoted(name)} {COLLECTIONS[collection]}{kind}{target}"


def type_name(octets):
    start = octets.place
    tag = octets.u8()
    if tag not in TYPES:
        raise Refused("unknownTag", start)
    return TYPES[tag]


class Operations:
    """Reads operations one after the other, remembering what the next may leave unsaid."""

    def __init__(self, octets, author, sequence, time):
        self.octets = octets
        self.time = time
        self.values = Values(octets, author, sequence)
        self.previous = None  # class, generation, the bytes of the key, and the text of it all
        self.position = b""

    def next(self):
        start = self.octets.place
        first = self.octets.u8()
        if first == CONTROL_OPERATION:
            return self.control_operation()
        kind = first & 0x0F
        if kind == 0 or kind > LAST_KIND:
            raise Refused("unknownTag", start)
        target = self.object(first, kind)
        if kind in (CREATE, DELETE):
            if first & HAS_STEPS:
                raise Refused("notCanonical", start)
            fields = f" {self.values.created_fields()}" if kind == CREATE else ""
            return ("create " if kind == CREATE else "delete ") + target + fields
        return self.edit(kind, target + self.path(first))

    def control_operation(self):
        """A control operation, which is about another author's changesets."""
        start = self.octets.place
        tag = self.octets.u8()
        if tag > 1:
            raise Refused("unknownTag", start)
        author = self.octets.varint32()
        first = sequence_number(self.octets)
        if tag == 0:
            return f"release {author} through {first}"
        start = self.octets.place
        last = self.octets.sequence()
        if last < first:
            raise Refused("outOfRange", start)
        return f"supersede {author} from {first} through {last}"

    def edit(self, kind, path):
        """The effect of an operation of that kind at a path."""
        value = self.values.value
        if kind == 3:
            return f"assign {path} = {value()}"
        if kind == 4:
            return f"increment {path} by {self.octets.signed()} on {self.base()}"
        if kind == 5:
            return f"insert {path} at {self.position_key()} = {value()}"
        if kind == 6:
            return f"assign {path}{self.element()} = {value()}"
        if kind == 7:
            return f"move {path}{self.element()} to {self.position_key()}"
        if kind == 8:
            return f"remove {path}{self.element()}"
        if kind == 9:
            return f"clear {path} of {self.elements()}"
        if kind == 10:
            return f"insert {path} member {value()}"
        if kind == 11:
            return f"remove {path} member {value()}"
        if kind == 12:
            return f"assign {path}{self.entry()} = {value()}"
        return f"remove {path}{self.entry()}"

    # Objects and paths

    def object(self, first, kind):
        start = self.octets.place
        if first & SAME_OBJECT:
            if self.previous is None:
                raise Refused("outOfRange", start - 1)
            if first & (SAME_CLASS | USUAL_LIFE):
                raise Refused("notCanonical", start - 1)
            return self.previous[3]
        number = self.object_class(first)
        generation = self.object_generation(first, 2 if kind == DELETE else 1)
        key_start = self.octets.place
        key = self.values.key()
        found = (number, generation, self.octets.data[key_start : self.octets.place])
        if self.previous and self.previous[:3] == found:
            raise Refused("notCanonical", start)
        self.previous = found + (f"{number}[{key}]/{generation}",)
        return self.previous[3]

    def object_class(self, first):
        start = self.octets.place
        if first & SAME_CLASS:
            if self.previous is None:
                raise Refused("outOfRange", start - 1)
            return self.previous[0]
        number = self.octets.varint32()
        if self.previous and number == self.previous[0]:
            raise Refused("notCanonical", start)
        return number

    def object_generation(self, first, usual):
        if first & USUAL_LIFE:
            return usual
        start = self.octets.place
        generation = self.octets.varint32()
        if generation == usual:
            raise Refused("notCanonical", start)
        return generation

    def path(self, first):
        """Steps into embedded objects, the property, then steps into what an any-typed slot holds."""
        steps, nested = [], []
        if first & HAS_STEPS:
            start = self.octets.place
            count = self.octets.count(2 * NESTING_DEPTH, each=4)
            if count == 0:
                raise Refused("notCanonical", start)
            for _ in range(count):
                self.step(steps, nested)
        return f"{''.join(steps)}.{self.octets.varint32()}{''.join(nested)}"

    def step(self, steps, nested):
        start = self.octets.place
        tag = self.octets.u8()
        if tag > 5:
            raise Refused("unknownTag", start)
        if tag < 3 and nested:
            raise Refused("notCanonical", start)
        row = steps if tag < 3 else nested
        if len(row) == NESTING_DEPTH:
            raise Refused("overLimit", start)
        text = f".{self.octets.varint32()}" if tag < 3 else ""
        if tag % 3 == 1:
            text += self.element()
        elif tag % 3 == 2:
            text += self.entry()
        row.append(text + "{%s}" % self.stamp())

    def stamp(self):
        start = self.octets.place
        time = self.time - self.octets.varint()
        if time < 0:
            raise Refused("outOfRange", start)
        author = self.octets.varint32()
        return f"{time_text(time)}@{author}#{self.octets.varint32()}"

    def base(self):
        start = self.octets.place
        tag = self.octets.u8()
        if tag > 1:
            raise Refused("unknownTag", start)
        return self.stamp() if tag else "default"

    # Lists and maps

    def entry(self):
        return f"[{quoted(self.octets.text(KEY_BYTES))}]"

    def element(self):
        author, sequence = self.octets.varint32(), self.octets.sequence()
        return f"[{author}:{sequence}#{self.octets.varint32()}]"

    def elements(self):
        sequence, index, found = 0, 0, []
        for _ in range(self.octets.count(OPERATIONS, each=3)):
            author = self.octets.varint32()
            start = self.octets.place
            sequence += self.octets.signed()
            if not 0 <= sequence <= SEQUENCE_NUMBER:
                raise Refused("outOfRange", start)
            start = self.octets.place
            index += self.octets.signed()
            if not 0 <= index < 2**32:
                raise Refused("outOfRange", start)
            found.append(f"[{author}:{sequence}#{index}]")
        return "".join(found) or "none"

    def position_key(self):
        start = self.octets.place
        shared = self.octets.varint(POSITION_KEY_BYTES)
        count = self.octets.varint(POSITION_KEY_BYTES)
        if shared > len(self.position) or shared + count > POSITION_KEY_BYTES:
            raise Refused("outOfRange", start)
        rest = self.octets.take(count)
        if rest and shared < len(self.position) and rest[0] == self.position[shared]:
            raise Refused("notCanonical", start)
        key = self.position[:shared] + rest
        if not is_path(key):
            raise Refused("invalidPositionKey", start)
        self.position = key
        return key.hex()
