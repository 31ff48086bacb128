// SPDX-License-Identifier: Apache-2.0
package dev.espalier.stream;

/**
 * A probe or an update as an object, for publishers. The {@code tag} is passed on with the answer,
 * and must not be negative.
 */
public sealed interface Probe {

  /** Asks for the value of a key. */
  record Get(long key, long tag) implements Probe {
    /** Checks the tag. */
    public Get {
      checkTag(tag);
    }
  }

  /** Asks for the entry with the greatest key less than or equal to {@code key}. */
  record Floor(long key, long tag) implements Probe {
    /** Checks the tag. */
    public Floor {
      checkTag(tag);
    }
  }

  /** Asks for the entry with the least key greater than or equal to {@code key}. */
  record Ceiling(long key, long tag) implements Probe {
    /** Checks the tag. */
    public Ceiling {
      checkTag(tag);
    }
  }

  /** Asks for all entries with keys from {@code from} to {@code to}, inclusive. */
  record Range(long from, long to, long tag) implements Probe {
    /** Checks the tag. */
    public Range {
      checkTag(tag);
    }
  }

  /** Stores a value; there is no answer. */
  record Put(long key, long value) implements Probe {}

  /** Removes a key, if present; there is no answer. */
  record Delete(long key) implements Probe {}

  private static void checkTag(long tag) {
    ProbeBatch.checkTag(tag);
  }
}
