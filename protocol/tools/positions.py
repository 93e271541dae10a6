"""Position keys: `protocol/changeset.md`, "Position keys"."""

from hashlib import sha256

LEFT_SIDE, ELEMENT_SIDE, LONG_NAME, SHORT_NAMES = 0x00, 0x01, 0xFF, 254
# First byte, bits of the number in it, bytes after it, and the least number of that length.
LENGTHS = ((0x80, 6, 0, 0), (0xC0, 5, 1, 64), (0xE0, 4, 2, 8_256), (0xF0, 0, 7, 1_056_832))
LARGEST = 1_056_832 + (1 << 56) - 1


def is_path(key):
    """Tells whether bytes are a row of names, fractions and sides that ends in 0x01."""
    return levels_of(key) is not None


def levels_of(key):
    """Name, where the fraction starts, and the fraction of each level; None if it is no path."""
    if not key or key[-1] != ELEMENT_SIDE:
        return None
    names, levels, place = [], [], 0
    while place < len(key):
        if key[place] == LONG_NAME:
            name = key[place + 1 : place + 9]
            if len(name) < 8 or name in names[:SHORT_NAMES]:
                return None
            names.append(name)
            place += 9
        elif 0 < key[place] <= min(len(names), SHORT_NAMES):
            name = names[key[place] - 1]
            place += 1
        else:
            return None
        start, fraction = place, []
        while place < len(key) and key[place] > ELEMENT_SIDE:
            number, place = number_at(key, place)
            if number is None:
                return None
            fraction.append(number)
        if not fraction or place >= len(key):
            return None
        levels.append((name, start, fraction))
        place += 1
    return levels


def number_at(key, place):
    """A fraction's number and the place after it; those below 0 are complements."""
    mask = 0xFF if key[place] < 0x80 else 0
    first = key[place] ^ mask
    for lead, bits, more, base in reversed(LENGTHS):
        if first >= lead:
            break
    if lead == 0xF0 and first != lead or place + more >= len(key):
        return None, place
    number = first & (1 << bits) - 1
    for byte in key[place + 1 : place + 1 + more]:
        number = number << 8 | byte ^ mask
    return (-(base + number) - 1 if mask else base + number), place + 1 + more


def number_bytes(number):
    magnitude, mask = (-number - 1, 0xFF) if number < 0 else (number, 0)
    for lead, _, more, base in reversed(LENGTHS):
        if magnitude >= base:
            break
    rest = magnitude - base
    data = [lead | rest >> 8 * more] + [rest >> 8 * (more - 1 - i) & 0xFF for i in range(more)]
    return bytes(byte ^ mask for byte in data)


def fraction_between(low, high):
    """A fraction between two, None being no bound; None if its bytes could not hold it."""
    if low is None:
        found = [high[0] - 1]
    elif high is None:
        found = [low[0] + 1]
    else:
        shared = next((i for i, (a, b) in enumerate(zip(low, high)) if a != b), None)
        if shared is None:
            found = low + [high[len(low)] - 1] if len(low) < len(high) else low + [0]
        elif high[shared] - low[shared] >= 2:
            found = low[:shared] + [low[shared] + 1]
        elif len(low) > shared + 1:
            found = low[: shared + 1] + [low[shared + 1] + 1]
        else:
            found = low + [0]
    return found if all(-LARGEST - 1 <= number <= LARGEST for number in found) else None


def key_between(left, right, author):
    """The key that an author gives to an element between two keys; None is an end of the list."""
    name = sha256(bytes.fromhex(author.replace(".", ""))).digest()[:8]
    rooms = [room(left, right, name, False), room(right, left, name, True)]
    rooms = [found for found in rooms if found]
    if rooms:
        return min(rooms, key=lambda found: found[0])[1]
    if right and (not left or right.startswith(left)):
        parent = right[:-1] + bytes([LEFT_SIDE])
    else:
        parent = left or b""
    names = []
    for known, _, _ in levels_of(left if parent == left else right) if parent else []:
        names += [known] if known not in names else []
    short = name in names[:SHORT_NAMES]
    mine = bytes([names.index(name) + 1]) if short else bytes([LONG_NAME]) + name
    return parent + mine + number_bytes(0) + bytes([ELEMENT_SIDE])


def room(near, far, name, is_right):
    """Depth and key of the author's shallowest level on the way to `near` that has room."""
    far_levels = levels_of(far) if far else []
    for depth, (known, start, fraction) in enumerate(levels_of(near) if near else []):
        if known != name:
            continue
        through, opposite = near[:start], None
        if far and far.startswith(through):
            opposite = far_levels[depth][2]
        if opposite == fraction:
            continue
        bounds = (opposite, fraction) if is_right else (fraction, opposite)
        found = fraction_between(*bounds)
        if found is None:
            return None
        return depth, through + b"".join(map(number_bytes, found)) + bytes([ELEMENT_SIDE])
    return None
