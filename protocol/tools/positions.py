"""Position keys: `protocol/changeset.md`, "Position keys"."""

LEFT_SIDE, ELEMENT_SIDE, LONG_NAME, SHORT_NAMES = 0x00, 0x01, 0xFF, 254


def is_path(key):
    """Whether bytes are a row of names, fractions and sides that ends in 0x01."""
    if not key or key[-1] != ELEMENT_SIDE:
        return False
    names, place = [], 0
    while place < len(key):
        if key[place] == LONG_NAME:
            name = key[place + 1 : place + 9]
            if len(name) < 8 or name in names[:SHORT_NAMES]:
                return False
            names.append(name)
            place += 9
        elif 0 < key[place] <= min(len(names), SHORT_NAMES):
            place += 1
        else:
            return False
        start = place
        while place < len(key) and key[place] > ELEMENT_SIDE:
            place += number_length(key[place])
        if place == start or place >= len(key):
            return False
        place += 1
    return True


def number_length(first):
    """Bytes of a fraction's number; those below 0 are complements."""
    first ^= 0xFF if first < 0x80 else 0
    if first < 0xC0:
        return 1
    if first < 0xE0:
        return 2
    return 3 if first < 0xF0 else 8 if first == 0xF0 else 2**32
