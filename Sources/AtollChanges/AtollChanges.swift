// Changes: their meaning, their bytes, and the merge rules.
//
// The module decides five things, all of them without a clock, a file or a socket, so that every
// replica and every implementation in another language decides them alike:
//
// - the bytes of a changeset. There is exactly one encoding of each, because its SHA-256 is part of
//   its name: ``ChangesetEncoder`` writes it, ``ChangesetReader`` reads it and refuses all others;
// - the chain: ``ChainHash`` binds each changeset to its author and to all that went before;
// - what an author's numbers mean: a ``DeclarationTable`` grows with each changeset of that author
//   and checks its operations against what was declared, so that storage can trust what passes;
// - where a list element stands: ``PositionKey/between(_:_:author:)``;
// - who wins: ``Existence``, ``Register``, ``KeyedRegister``, ``Counter``, ``EmbeddedSlot`` and
//   ``ListElement`` are the kinds of cell, each with the one function that merges it.
//
// The module refuses, with a ``ChangesetError`` that names the place, what it found and what it
// expected, everything that a peer could send and that is not what this build would have written:
// bytes left over, numbers longer than they need be, text that is not UTF-8, undeclared numbers,
// values of another type than declared, and whatever exceeds ``Limits``. Nothing here traps on bytes.
//
// The life of one changeset: a write transaction starts a ``ChangesetEncoder`` and appends an
// ``Operation`` for each intention; at commit the encoder adds what was declared and what it depends
// on and gives the canonical bytes, which are stored, hashed, sent and forwarded as they are. On
// another replica a ``ChangesetReader`` turns them into operations again, the author's
// ``DeclarationTable`` admits them, and storage merges each into its cell by the rules here.
// `protocol/changeset.md` says the same for readers without this code.
