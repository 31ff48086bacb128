// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import dev.espalier.benchmarks.WorkKeys;

/**
 * What a store holds, and how it is opened: one process of a store has one setting.
 *
 * @param kind keys and values
 * @param data where the entries are, or that stores are as they come
 * @param sync when writes are safe from a crash
 * @param entries how many are loaded
 */
public record Setting(Kind kind, Data data, Sync sync, int entries) {
  private static final long LEAST_POOL_BYTES = 1L << 20;
  private static final long SPARE_POOL_BYTES = 64L << 20;

  /** So many times the bytes of the entries are enough for any store to hold them all. */
  private static final int AMPLE = 4;

  private static final int FRACTION = 10;

  /** Keys and values. */
  public enum Kind {
    LONGS("longs", Long.BYTES),
    STRINGS_8("strings, values of 8 bytes", 8),
    STRINGS_100("strings, values of 100 bytes", 100),
    STRINGS_1000("strings, values of 1,000 bytes", 1000);

    private final String label;
    private final int valueBytes;

    Kind(String label, int valueBytes) {
      this.label = label;
      this.valueBytes = valueBytes;
    }

    /** Returns what it is called on the page. */
    public String label() {
      return label;
    }

    /** Returns the bytes of each value. */
    public int valueBytes() {
      return valueBytes;
    }

    /** Returns the bytes of each key. */
    public int keyBytes() {
      return this == LONGS ? Long.BYTES : Coding.STRING_BYTES;
    }
  }

  /**
   * Where the entries are; or that nobody says, nor anything else: then a store is opened as the
   * first example of its documentation does it, without the size of a cache, pool, filter, buffer
   * or page.
   */
  public enum Data {
    AS_IT_COMES("as it comes"),
    MEMORY("in memory"),
    POOL("in a file, all in the pool"),
    TENFOLD("in a file of ten times the pool");

    private final String label;

    Data(String label) {
      this.label = label;
    }

    /** Returns what it is called on the page. */
    public String label() {
      return label;
    }
  }

  /** When writes are safe from a crash. */
  public enum Sync {
    NOTHING("nothing synced"),
    GROUPS("durable commits of %d writes".formatted(GROUP));

    private final String label;

    Sync(String label) {
      this.label = label;
    }

    /** Returns what it is called on the page. */
    public String label() {
      return label;
    }
  }

  /** Writes of one thread that are committed together where commits are durable. */
  public static final int GROUP = 100;

  /**
   * Returns whether there is such a setting: what is in memory only is never safe, and nobody asks
   * a store for safety that is as it comes.
   */
  public boolean exists() {
    return sync == Sync.NOTHING || data == Data.POOL || data == Data.TENFOLD;
  }

  /** Returns whether the store is to be opened with nothing set. */
  public boolean isAsItComes() {
    return data == Data.AS_IT_COMES;
  }

  /**
   * Returns whether the system is to cache no more of the file than the pool holds, where it can be
   * told so.
   */
  public boolean isBounded() {
    return data == Data.TENFOLD;
  }

  /** Returns whether every commit is to be forced to the device. */
  public boolean isDurable() {
    return sync == Sync.GROUPS;
  }

  /** Returns whether keys and values are longs. */
  public boolean isOfLongs() {
    return kind == Kind.LONGS;
  }

  /** Returns the bytes of all keys and values that are loaded. */
  public long dataBytes() {
    return (long) entries * (kind.keyBytes() + kind.valueBytes());
  }

  /**
   * Returns the bytes of the cache that a store may have.
   *
   * @throws IllegalStateException if the store is to be as it comes
   */
  public long poolBytes() {
    if (isAsItComes()) {
      throw new IllegalStateException("a store that is as it comes is told no size of a cache");
    }
    return data == Data.TENFOLD
        ? Math.max(LEAST_POOL_BYTES, dataBytes() / FRACTION)
        : AMPLE * dataBytes() + SPARE_POOL_BYTES;
  }

  /** Returns the key of an entry, as the long that all forms of it stand for. */
  public static long key(long entry) {
    return WorkKeys.key(entry);
  }

  /** Returns what the setting is called on the page. */
  public String label() {
    String place = kind.label + ", " + data.label;
    return isAsItComes() ? place : place + ", " + sync.label;
  }
}
