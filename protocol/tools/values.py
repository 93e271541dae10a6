"""Values of changesets: `protocol/changeset.md`, "Values"."""

import math
import struct
from decimal import Decimal

from octets import Refused, quoted

VALUE_BYTES = 256 << 20
KEY_BYTES = 64 << 10
NESTING_DEPTH = 16
DECLARATIONS = 1 << 16

NAN_32, NAN_64 = 0x7FC00000, 0x7FF8000000000000
TYPES = {
    1: "Bool", 2: "Int", 3: "Float", 4: "Double", 5: "String", 6: "Data", 7: "Date", 8: "UUID",
    9: "ObjectId", 10: "identity", 11: "link", 12: "embedded object", 13: "Decimal128", 14: "any value",
}
LINK, EMBEDDED, DECIMAL, COLLECTION = 11, 12, 13, 14
KINDS = {1: "list", 3: "map"}


class Values:
    """Reads values; `author` and `sequence` are the changeset's, whose identities are short."""

    def __init__(self, octets, author, sequence):
        self.octets = octets
        self.author = author
        self.sequence = sequence

    def value(self, tag=None, start=None, depth=1):
        if tag is None:
            start = self.octets.place
            tag = self.octets.u8()
        if tag == LINK:
            return self.link()
        if tag == EMBEDDED:
            if depth > NESTING_DEPTH:
                raise Refused("overLimit", start)
            return "{%s}" % ", ".join(
                f"{number}: {self.value(tag, place, depth + 1)}"
                for number, tag, place in self.fields()
            )
        if tag == DECIMAL:
            return f"decimal {self.decimal()}"
        if tag == COLLECTION:
            return self.collection()
        if tag == 10:
            raise Refused("unknownTag", start)
        return self.scalar(tag, start, VALUE_BYTES)

    def created_fields(self):
        return "{%s}" % ", ".join(
            f"{number}: {self.value(tag & 0x7F, place)}{'' if tag & 0x80 else ' default'}"
            for number, tag, place in self.fields()
        )

    def fields(self):
        """Number, tag and the tag's place of each field, in ascending order."""
        following = 0
        for _ in range(self.octets.count(DECLARATIONS, each=2)):
            start = self.octets.place
            number = following + self.octets.varint32()
            if number >= 2**32:
                raise Refused("overLimit", start)
            following = number + 1
            start = self.octets.place
            yield number, self.octets.u8(), start

    def link(self):
        return f"link {self.octets.varint32()}" + self.life_and_key()

    def life_and_key(self):
        generation = self.octets.varint32()
        return f"[{self.key()}]/{generation}"

    def key(self):
        start = self.octets.place
        return self.scalar(self.octets.u8(), start, KEY_BYTES)

    def scalar(self, tag, start, limit):
        read = {
            0: lambda: "nil",
            1: lambda: f"bool {self.bool()}",
            2: lambda: f"int {self.octets.signed()}",
            3: lambda: f"float {self.float()}",
            4: lambda: f"double {self.double()}",
            5: lambda: f"string {quoted(self.octets.text(limit))}",
            6: lambda: f"data <{self.octets.take(self.octets.varint(limit)).hex()}>",
            7: lambda: f"date {self.double()}",
            8: lambda: f"uuid {self.uuid()}",
            9: lambda: f"objectid {self.octets.take(12).hex()}",
            10: lambda: f"identity {self.identity()}",
        }.get(tag)
        if read is None:
            raise Refused("unknownTag", start)
        return read()

    def bool(self):
        start = self.octets.place
        byte = self.octets.u8()
        if byte > 1:
            raise Refused("unknownTag", start)
        return "true" if byte else "false"

    def float(self):
        start = self.octets.place
        bits = self.octets.fixed(4)
        number = struct.unpack(">f", bits.to_bytes(4, "big"))[0]
        if math.isnan(number) and bits != NAN_32:
            raise Refused("notCanonical", start)
        shortest = (
            text for text in (f"{number:.{digits}g}" for digits in range(1, 10))
            if struct.pack(">f", float(text)) == struct.pack(">f", number)
        )
        return repr(float(next(shortest, "nan")))

    def double(self):
        start = self.octets.place
        bits = self.octets.fixed(8)
        number = struct.unpack(">d", bits.to_bytes(8, "big"))[0]
        if math.isnan(number) and bits != NAN_64:
            raise Refused("notCanonical", start)
        return repr(number)

    def uuid(self):
        digits = self.octets.take(16).hex().upper()
        return "-".join(digits[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))

    def identity(self):
        start = self.octets.place
        tag = self.octets.u8()
        if tag == 0:
            start = self.octets.place
            sequence = self.sequence - self.octets.varint()
            if sequence <= 0:
                raise Refused("outOfRange", start)
            return f"{self.author}:{sequence}#{self.octets.varint32()}"
        if tag not in (1, 2):
            raise Refused("unknownTag", start)
        author = self.octets.author() if tag == 1 else self.octets.branched_author()
        if author == self.author:
            raise Refused("notCanonical", start)
        return f"{author}:{self.octets.sequence()}#{self.octets.varint32()}"

    def decimal(self):
        """IEEE 754-2008 decimal128 in binary encoding: a whole number and a power of ten."""
        start = self.octets.place
        bits = self.octets.fixed(16)
        sign, rest = "-" * (bits >> 127), bits & (1 << 127) - 1
        if rest >> 125 == 3:
            if rest == 0x78 << 120:
                return f"{sign}Infinity"
            if bits == 0x7C << 120:
                return "NaN"
            raise Refused("notCanonical", start)
        digits, exponent = rest & (1 << 113) - 1, (rest >> 113) - 6176
        if digits >= 10**34:
            raise Refused("notCanonical", start)
        return str(Decimal(f"{sign}{digits}E{exponent}"))

    def collection(self):
        start = self.octets.place
        kind = self.octets.u8()
        if kind not in KINDS:
            raise Refused("unknownTag", start)
        return f"new {KINDS[kind]}"
