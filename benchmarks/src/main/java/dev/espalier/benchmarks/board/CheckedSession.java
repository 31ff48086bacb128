// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

/**
 * A session all of whose answers are checked by {@link EntryStates}. Where commits are durable, it
 * keeps writes until there is a group of them, and only then hands them to the store.
 */
final class CheckedSession {
  private final BoardSession session;
  private final EntryStates states;
  private final boolean isGrouped;
  private final long[] entries = new long[Setting.GROUP];
  private final long[] words = new long[Setting.GROUP];
  private int writes;
  private int removals;

  /**
   * One in so many entries of a scan is looked up in the states. To look each up would cost a miss
   * of the cache, which is more than most stores take for an entry.
   */
  private static final int LOOKED_UP = 16;

  // Kept, so that a scan makes no object.
  private final BoardSession.Visitor visitor = this::visit;
  private int scanned;
  private long firstWord;
  private long lastKey;

  CheckedSession(BoardSession session, EntryStates states, boolean isGrouped) {
    this.session = session;
    this.states = states;
    this.isGrouped = isGrouped;
  }

  /**
   * Reads an entry.
   *
   * @throws WrongAnswerException if it can't have what the store says
   */
  void read(long entry) {
    long before = states.state(entry);
    check("read", entry, before, session.read(entry));
  }

  private void check(String call, long entry, long before, long word) {
    long after = states.state(entry);
    if (!EntryStates.isPossible(entry, before, after, word)) {
      throw new WrongAnswerException(
          "%s of entry %d found %s; %s"
              .formatted(call, entry, text(word), EntryStates.expectation(before, after)));
    }
  }

  private static String text(long word) {
    if (word == Word.ABSENT) {
      return "nothing";
    }
    return word == Word.TORN
        ? "a value that nobody wrote"
        : "version %d of entry %d".formatted(Word.version(word), Word.entry(word));
  }

  /** Writes the next version of an entry. */
  void write(long entry) {
    long word = states.begin(entry);
    if (!isGrouped) {
      session.write(entry, word);
      states.end(entry);
      return;
    }
    if (removals > 0) {
      commit();
    }
    entries[writes] = entry;
    words[writes++] = word;
    if (writes == entries.length) {
      commit();
    }
  }

  /** Removes an entry. */
  void remove(long entry) {
    states.beginRemoval(entry);
    if (!isGrouped) {
      session.remove(entry);
      states.end(entry);
      return;
    }
    if (writes > 0) {
      commit();
    }
    entries[removals++] = entry;
    if (removals == entries.length) {
      commit();
    }
  }

  /** Hands to the store what was kept. */
  void commit() {
    if (writes > 0) {
      session.writeTogether(entries, words, writes);
    }
    if (removals > 0) {
      session.removeTogether(entries, removals);
    }
    for (int i = 0; i < writes + removals; i++) {
      states.end(entries[i]);
    }
    writes = 0;
    removals = 0;
  }

  /**
   * Scans from the key of an entry on that is there and stays.
   *
   * @throws WrongAnswerException if the entries are not in order, if one has another's value, if
   *     the first or one of those looked up can't have the value that the store says, if the first
   *     is another, or if there are too few
   */
  void scan(long entry, int count) {
    long before = states.state(entry);
    scanned = 0;
    session.scan(entry, count, visitor);
    boolean isShort = scanned < count && lastKey < states.greatestKey();
    if (scanned == 0 || scanned > count || isShort) {
      throw new WrongAnswerException(
          "scan of %d entries from entry %d found %d".formatted(count, entry, scanned));
    }
    check("scan", entry, before, firstWord);
  }

  private void visit(long key, long word) {
    if (scanned == 0) {
      firstWord = word;
    } else if (key <= lastKey) {
      throw new WrongAnswerException("scan went from key %d to %d".formatted(lastKey, key));
    }
    long entry = word < 0 ? -1 : Word.entry(word);
    boolean isKnown = entry >= 0 && entry < states.capacity() && Setting.key(entry) == key;
    boolean isLookedUp = scanned % LOOKED_UP == LOOKED_UP - 1;
    if (!isKnown || (isLookedUp && !EntryStates.isPossible(entry, 0, states.state(entry), word))) {
      throw new WrongAnswerException("scan found %s at key %d".formatted(text(word), key));
    }
    lastKey = key;
    scanned++;
  }

  void close() {
    session.close();
  }
}
