// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

/**
 * One thread's access to a store. Entries are given by number; each form of store makes keys and
 * values of its own from it, in the measured time.
 */
public interface BoardSession extends AutoCloseable {

  /** Is shown the entries of a scan. */
  @FunctionalInterface
  interface Visitor {
    /**
     * Is shown an entry.
     *
     * @param key the long that its key stands for
     * @param word that its value begins with, or {@link Word#TORN}
     */
    void visit(long key, long word);
  }

  /** Returns the word of an entry, {@link Word#ABSENT} if it is not there. */
  long read(long entry);

  /** Writes the value of a word; after a return every session reads it. */
  void write(long entry, long word);

  /** Removes an entry; after a return no session reads it. */
  void remove(long entry);

  /** Shows up to {@code count} entries in order, from the key of an entry on. */
  void scan(long entry, int count, Visitor visitor);

  /** Writes values as one change, which is safe after a return where the setting is durable. */
  void writeTogether(long[] entries, long[] words, int count);

  /** Removes entries as one change, which is safe after a return where the setting is durable. */
  void removeTogether(long[] entries, int count);

  /** Frees what the session holds. */
  @Override
  default void close() {}
}
