// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What a store may hold after a crash: what was acknowledged, and of what was written since then
 * any beginning.
 */
final class CrashModel {

  /** What is in a store at one moment: its indexes with their entries, and its note. */
  static final class State {
    final Map<String, TreeMap<Long, Long>> indexes = new TreeMap<>();
    String note = "";

    static State copy(State other) {
      State copy = new State();
      other.indexes.forEach((name, entries) -> copy.indexes.put(name, new TreeMap<>(entries)));
      copy.note = other.note;
      return copy;
    }

    /** Reads all of a store. */
    static State of(IndexStore store, String tree) {
      return of(store.names(), name -> StoredIndex.of(store, tree, name), store.note());
    }

    /** Reads all of a snapshot. */
    static State of(Snapshot snapshot, String tree) {
      return of(snapshot.names(), name -> StoredIndex.of(snapshot, tree, name), snapshot.note());
    }

    private static State of(
        List<String> names, Function<String, StoredIndex> indexes, byte[] note) {
      State state = new State();
      for (String name : names) {
        state.indexes.put(name, new TreeMap<>(indexes.apply(name).entries()));
      }
      state.note = new String(note, StandardCharsets.UTF_8);
      return state;
    }

    TreeMap<Long, Long> index(String name) {
      TreeMap<Long, Long> entries = indexes.get(name);
      if (entries == null) {
        throw new IllegalStateException("no index " + name);
      }
      return entries;
    }

    boolean isSame(State other) {
      return note.equals(other.note) && indexes.equals(other.indexes);
    }

    /** Says where another state differs first. */
    String difference(State found) {
      if (!note.equals(found.note)) {
        return "note is '%s', not '%s'".formatted(found.note, note);
      }
      if (!indexes.keySet().equals(found.indexes.keySet())) {
        return "indexes are %s, not %s".formatted(found.indexes.keySet(), indexes.keySet());
      }
      for (String name : indexes.keySet()) {
        TreeMap<Long, Long> lacking = new TreeMap<>(index(name));
        TreeMap<Long, Long> more = new TreeMap<>(found.index(name));
        lacking.entrySet().removeAll(found.index(name).entrySet());
        more.entrySet().removeAll(index(name).entrySet());
        if (!lacking.isEmpty() || !more.isEmpty()) {
          return "index %s lacks %s and has %s".formatted(name, lacking, more);
        }
      }
      return "nothing";
    }
  }

  /** What was acknowledged last. */
  private State safe = new State();

  /** With all that was written since then. */
  private State now = new State();

  private final Deque<Consumer<State>> since = new ArrayDeque<>();
  private long written;

  /** Returns what the store holds while no crash comes between. */
  State now() {
    return now;
  }

  /** Returns the number of writes. */
  long written() {
    return written;
  }

  /** Notes a write that is about to be made: all of it will be there after a crash, or nothing. */
  void write(Consumer<State> change) {
    since.addLast(change);
    change.accept(now);
    written++;
  }

  /** Takes the last write back, which was refused. */
  void refuse() {
    since.removeLast();
    written--;
    now = State.copy(safe);
    since.forEach(change -> change.accept(now));
  }

  /** Notes that the first so many writes are safe from every crash. */
  void acknowledge(long count) {
    while (written - since.size() < count) {
      since.removeFirst().accept(safe);
    }
  }

  /**
   * Goes on from what was found after a crash, which is safe now.
   *
   * @throws AssertionError if it is not what is acknowledged and a beginning of what followed
   */
  void recover(State found) {
    State expected = State.copy(safe);
    boolean same = expected.isSame(found);
    for (Consumer<State> change : since) {
      if (same) {
        break;
      }
      change.accept(expected);
      same = expected.isSame(found);
    }
    if (!same) {
      throw new AssertionError(
          "found is no state after the acknowledged one: against that, %s; against the last of %d, %s"
              .formatted(safe.difference(found), since.size(), now.difference(found)));
    }
    safe = found;
    now = State.copy(found);
    since.clear();
  }
}
