"""The export: `protocol/export.md`. What a store of `merging.py` shows, one line of JSON an object."""

import struct
from decimal import Decimal

from decimals import number_bytes
from digest import number_word
from merging import LIST, MAP, SET, Collection
from octets import Octets
from operations import ANY, IDENTITY
from values import DECIMAL, LINK, TYPES, Values

WORDS = {"data", "date", "uuid", "objectId", "decimal", "number", "float", "map", "identity"}
COLLECTIONS = {LIST: "list", SET: "set", MAP: "map"}
DAY, REFERENCE = 86400, 2451911  # The Julian day number of 2001-01-01.


def lines(store):
    alive = [(cls, found) for (cls, _), found in store.objects.items() if found.generation % 2]
    alive.sort(key=lambda one: (one[0][0].encode(), one[0][2], sort_bytes(one[1].key)))
    return [Line(store).object(cls, found) for cls, found in alive]


class Line:
    def __init__(self, store):
        self.store = store

    def object(self, cls, found):
        head = f'{{"class":{quoted(cls[0])},"key":{self.value(found.key)}'
        return head + "".join("," + one for one in self.fields(found.level, {"class", "key"})) + "}"

    def fields(self, level, reserved):
        shown = [(prop, cell) for prop, cell in level.cells.items() if cell.order or cell.steps]
        shown += [(prop, one) for prop, one in level.collections.items() if one.is_known()]
        shown.sort(key=lambda one: property_order(one[0]))
        names = [prop[1] for prop, _ in shown]
        for prop, held in shown:
            name = prop[1]
            if name in reserved or names.count(name) > 1:
                name = f"{name}:{label(prop)}"
            yield f"{quoted(name)}:{self.held(prop, held)}"

    def held(self, prop, held):
        is_any = prop[2] == ANY
        if isinstance(held, Collection):
            return self.collection(held, is_any, is_declared=True)
        return self.cell(held, is_any)

    def cell(self, cell, is_any):
        if isinstance(cell.inside, Collection):
            return self.collection(cell.inside, is_any, is_declared=False)
        if cell.inside:
            return "{" + ",".join(self.fields(cell.inside, set())) + "}"
        return self.value(cell.value, is_any)

    def collection(self, held, is_any, is_declared):
        if held.kind == MAP:
            return self.map(held, is_any, is_declared)
        if held.kind == LIST:
            items = [item for item in held.in_order() if self.is_shown(item, is_any)]
        else:
            items = [item for item in held.items.values()
                     if not item.is_removed and self.is_shown(item, False)]
            items.sort(key=lambda item: sort_bytes(item.cell.value))
        return "[" + ",".join(self.cell(item.cell, is_any) for item in items) + "]"

    def map(self, held, is_any, is_declared):
        items = sorted(
            (key.encode(), key, item) for key, item in held.items.items() if not item.is_removed)
        keys = {key for _, key, _ in items}
        is_unclear = is_any and not is_declared and (
            keys >= {"class", "key"} or len(keys) == 1 and keys <= WORDS)
        entries = ",".join(f"{quoted(key)}:{self.cell(item.cell, is_any)}" for _, key, item in items)
        return f'{{"map":{{{entries}}}}}' if is_unclear else f"{{{entries}}}"

    def is_shown(self, item, reads_nil):
        """Links that lead nowhere hide their element, and so does an embedded object that is not there."""
        tag, content = item.cell.value
        if tag == LINK:
            return reads_nil or self.store.alive(*content) is not None
        return True

    def value(self, value, is_any=False):
        tag, content = value
        if tag == LINK:
            cls, _, key = content
            if self.store.alive(*content) is None:
                return "null"
            return f'{{"class":{quoted(cls[0])},"key":{self.value(key)}}}'
        if tag == 0:
            return "null"
        if tag == 1:
            return "true" if content else "false"
        if tag in (2, 5):
            return str(content) if tag == 2 else quoted(content)
        if tag in (3, 4):
            number = shortest(tag, content)
            if tag == 3 and is_any:
                return f'{{"float":"{number}"}}'
            return number if number not in ("nan", "inf", "-inf") else f'{{"number":"{number}"}}'
        return f'{{"{TYPE_WORDS[tag]}":{quoted(special(tag, content))}}}'


TYPE_WORDS = {6: "data", 7: "date", 8: "uuid", 9: "objectId", IDENTITY: "identity", DECIMAL: "decimal"}


def special(tag, content):
    if tag == 7:
        return date_text(content)
    if tag == 8:
        digits = content.hex().upper()
        return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])
    if tag == DECIMAL:
        return Values(Octets(content), "", 0).decimal()
    if tag == IDENTITY:
        author, sequence, index = content
        return f"{author}:{sequence}:{index}"
    return content.hex()


def shortest(tag, number):
    """The fewest digits that read as the same number; with an exponent where it is very large or small."""
    if number != number or number in (float("inf"), float("-inf")):
        return repr(number)
    if tag == 3:
        number = next(float(text) for text in (f"{number:.{digits}g}" for digits in range(1, 10))
                      if struct.pack(">f", float(text)) == struct.pack(">f", number))
    if number == 0:
        return repr(number)
    sign, digits, power = Decimal(repr(number)).normalize().as_tuple()
    first = len(digits) + power - 1
    if first >= -4 and abs(number) <= (1 << 24 if tag == 3 else 1 << 53):
        plain = format(Decimal(repr(number)), "f")
        return plain if "." in plain else plain + ".0"
    rest = "".join(map(str, digits[1:]))
    return f"{'-' * sign}{digits[0]}{'.' + rest if rest else ''}e{'-' if first < 0 else '+'}{abs(first):02}"


def date_text(seconds):
    """ISO 8601 in UTC, with the shortest fraction; what lies outside of years 0 to 9999 as a number."""
    exact = Decimal(repr(seconds)) if seconds - seconds == 0 else None
    if exact is None or repr(seconds) == "-0.0":
        return repr(seconds)
    whole = int(exact // 1) - (exact % 1 < 0)
    fraction = format(exact - whole, "f").partition(".")[2].rstrip("0")
    day, second = divmod(whole, DAY)
    year, month, date = civil(day + REFERENCE)
    if not 0 <= year <= 9999:
        return repr(seconds)
    time = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return f"{year:04}-{month:02}-{date:02}T{time}" + (f".{fraction}" if fraction else "") + "Z"


def civil(julian_day):
    """Year, month and day of a Julian day number in the Gregorian calendar."""
    a = julian_day + 32044
    b = (4 * a + 3) // 146097
    c = a - 146097 * b // 4
    d = (4 * c + 3) // 1461
    e = c - 1461 * d // 4
    m = (5 * e + 2) // 153
    return 100 * b + d - 4800 + m // 10, m + 3 - 12 * (m // 10), e - (153 * m + 2) // 5 + 1


def quoted(text):
    known = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"%s"' % "".join(
        known.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 32 else c) for c in text)


def property_order(prop):
    _, name, kind, collection, target = prop
    return name.encode(), kind, collection, (target[0] if target else "").encode()


def label(prop):
    _, _, kind, collection, target = prop
    name = f"{TYPES[kind]} {target[0]}" if target else TYPES[kind]
    return f"{COLLECTIONS[collection]} of {name}" if collection else name


def sort_bytes(value):
    """Bytes by which keys, and members of a set, stand in order."""
    tag, content = value
    rest = b""
    if tag == 2:
        rest = (content + (1 << 63)).to_bytes(8, "big")
    elif tag in (3, 4, 7):
        bits = number_word(content)
        rest = ((~bits & (1 << 64) - 1) if bits >> 63 else bits | 1 << 63).to_bytes(8, "big")
    elif tag == 5:
        rest = content.encode()
    elif tag == DECIMAL:
        rest = number_bytes(content)
    elif tag == LINK:
        cls, generation, key = content
        rest = cls[0].encode() + bytes([0, cls[2]]) + generation.to_bytes(8, "big") + sort_bytes(key)
    elif tag == IDENTITY:
        author, sequence, index = content
        rest = author.encode() + sequence.to_bytes(8, "big") + index.to_bytes(8, "big")
    elif content is not None:
        rest = bytes([content]) if tag == 1 else content
    return bytes([tag]) + rest
