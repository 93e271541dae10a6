"""The changesets that change something: `protocol/changeset.md`, *Releasing and superseding*, and `owners.md`."""

from collections import namedtuple

from operations import CONTROL, CREATE

# Changesets `first` to `last` of an author count for nothing; `writer` has reissued them, if anybody has.
Silenced = namedtuple("Silenced", "author first last writer")
END = 1 << 53


class Counting:
    def __init__(self, changesets):
        self.changesets = changesets
        self.silenced = []
        # A removed replica supersedes nothing by what counts no more.
        while True:
            said = [*self.superseded(), *self.removed()]
            if said == self.silenced:
                break
            self.silenced = said

    def counts(self, author, sequence):
        return self.silencing(author, sequence) is None

    def silencing(self, author, sequence):
        return next((one for one in self.silenced
                     if one.author == author and one.first <= sequence <= one.last), None)

    def is_left_out(self, author, sequence):
        """Tells if a removal leaves it out; what is superseded alone goes on superseding."""
        return any(one.writer is None and one.author == author and one.first <= sequence for one in self.silenced)

    def may_follow(self, changeset, applied):
        """Tells if a changeset may be applied: after what it depends on, and after that was reissued."""
        if applied.get(changeset.author, 0) + 1 != changeset.sequence:
            return False
        return all(self.is_there(author, sequence, changeset, applied)
                   for author, sequence, _ in changeset.needs)

    def is_there(self, author, sequence, changeset, applied):
        if applied.get(author, 0) < sequence:
            return False
        by = self.silencing(author, sequence)
        if by is None or by.writer in (None, changeset.author):
            return True
        # The first of the range is reissued as the writer's second.
        return applied.get(by.writer, 0) >= sequence - by.first + 2

    def superseded(self):
        for one in self.changesets:
            for operation in one.operations:
                if operation.kind == CONTROL and len(operation.arguments) == 3 and not self.is_left_out(
                        one.author, one.sequence):
                    author, first, last = operation.arguments
                    yield Silenced(author, first, last, one.author)

    def removed(self):
        """Of a removed replica count those changesets that are in the past of every removal of it."""
        owners = {operation.key[1] for _, operation, _ in self.words("atoll.Owner")}
        kept = {}
        for _, operation, past in self.words("atoll.Removed"):
            replica = operation.key[1]
            for author in {one.author for one in self.changesets}:
                if author.split(".")[0] == replica and replica not in owners:
                    last = past.get(author, 0)
                    kept[author] = min(kept.get(author, last), last)
        return [Silenced(author, last + 1, END, None) for author, last in sorted(kept.items())]

    def words(self, name):
        """The objects of a reserved class, each with the past of its changeset."""
        pasts = {}
        for one in self.changesets:
            past = pasts.setdefault(one.author, {})
            for author, sequence, _ in one.needs:
                past[author] = max(past.get(author, 0), sequence)
            for operation in one.operations:
                if operation.kind == CREATE and operation.cls[0] == name and self.counts(
                        one.author, one.sequence):
                    yield one, operation, dict(past)
