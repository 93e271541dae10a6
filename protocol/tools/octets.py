"""Reading bytes that somebody else wrote: numbers, text, and refusals that name their byte."""

import struct

SEQUENCE_NUMBER = (1 << 53) - 1
STAMP_MILLISECONDS = 1 << 45


class Refused(Exception):
    """Why bytes are refused, and where: `kind` is a word of the vectors, `place` a byte."""

    def __init__(self, kind, place):
        super().__init__(f"{kind} at byte {place}")
        self.kind = kind
        self.place = place


class Octets:
    """Bytes and a place in them; whatever reads moves the place or raises Refused."""

    def __init__(self, data):
        self.data = bytes(data)
        self.place = 0

    @property
    def remaining(self):
        return len(self.data) - self.place

    def take(self, count):
        if count > self.remaining:
            raise Refused("truncated", self.place)
        self.place += count
        return self.data[self.place - count : self.place]

    def u8(self):
        return self.take(1)[0]

    def fixed(self, width):
        """A number of `width` bytes, most significant first."""
        return int.from_bytes(self.take(width), "big")

    def f32(self):
        return struct.unpack(">f", self.take(4))[0]

    def f64(self):
        return struct.unpack(">d", self.take(8))[0]

    def varint(self, limit=2**64 - 1):
        """Seven bits a byte, least significant first, in the fewest bytes."""
        start, number, shift = self.place, 0, 0
        while True:
            byte = self.u8()
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 63:
                raise Refused("outOfRange", start)
        if shift > 0 and byte == 0:
            raise Refused("notCanonical", start)
        if number >= 2**64:
            raise Refused("outOfRange", start)
        if number > limit:
            raise Refused("overLimit", start)
        return number

    def sequence(self):
        """A changeset's number, or 0."""
        return self.varint(SEQUENCE_NUMBER)

    def time(self):
        """A hybrid time: 48 bits of milliseconds, 16 of a counter."""
        start = self.place
        time = self.fixed(8)
        if time >> 16 >= STAMP_MILLISECONDS:
            raise Refused("overLimit", start)
        return time

    def varint32(self):
        return self.varint(2**32 - 1)

    def signed(self):
        """0, 1, 2, 3 … are 0, −1, 1, −2 …"""
        number = self.varint()
        return (number >> 1) ^ -(number & 1)

    def count(self, limit, each=1):
        """Reads a number of items of at least `each` bytes."""
        number = self.varint(limit)
        if number > self.remaining // each:
            raise Refused("truncated", self.place)
        return number

    def text(self, limit):
        count = self.varint(limit)
        start = self.place
        data = self.take(count)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused("invalidText", start) from None

    def author(self):
        """Replica and incarnation, as hexadecimal joined by a dot."""
        return f"{self.take(16).hex()}.{self.take(8).hex()}"

    def branched_author(self):
        """An author and one of its histories, joined by another dot."""
        author, start = self.author(), self.place
        branch = self.take(8)
        if not any(branch):
            raise Refused("notCanonical", start)
        return f"{author}.{branch.hex()}"


def quoted(text):
    """Text between quotation marks; what cannot be seen is escaped."""
    known = {"\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    return '"%s"' % "".join(
        known.get(c) or (f"\\u{{{ord(c):02X}}}" if ord(c) < 32 or ord(c) == 127 else c)
        for c in text
    )
