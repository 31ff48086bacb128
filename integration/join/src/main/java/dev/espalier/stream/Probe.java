// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

/**
 * A probe or an update as an object, as publishers give them. {@code tag} comes back with the
 * answer and must not be negative.
 */
public sealed interface Probe {

  /** Asks for the value of a key. */
  record Get(long key, long tag) implements Probe {
    /** Checks the tag. */
    public Get {
      checkTag(tag);
    }
  }

  /** Asks for the entry with the greatest key that is not above {@code key}. */
  record Floor(long key, long tag) implements Probe {
    /** Checks the tag. */
    public Floor {
      checkTag(tag);
    }
  }

  /** Asks for the entry with the least key that is not below {@code key}. */
  record Ceiling(long key, long tag) implements Probe {
    /** Checks the tag. */
    public Ceiling {
      checkTag(tag);
    }
  }

  /** Asks for all entries from {@code from} to {@code to}, both included. */
  record Range(long from, long to, long tag) implements Probe {
    /** Checks the tag. */
    public Range {
      checkTag(tag);
    }
  }

  /** Stores a value; it has no answer. */
  record Put(long key, long value) implements Probe {}

  /** Removes a key, if it is there; it has no answer. */
  record Delete(long key) implements Probe {}

  private static void checkTag(long tag) {
    ProbeBatch.checkTag(tag);
  }
}
