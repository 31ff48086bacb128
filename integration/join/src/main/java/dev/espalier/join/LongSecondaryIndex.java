// SPDX-License-Identifier: Apache-2.0
package dev.espalier.join;

import dev.espalier.IndexOptions;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.LongLongConsumer;
import dev.espalier.ProgressListener;
import dev.espalier.bplus.PbPlusTree;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.LongStream;

/**
 * Long keys with any number of ids each, as needed to index rows in memory by a column that is not
 * unique. Two rows may have the same key, and a row may have several keys.
 *
 * {@snippet :
 * try (LongSecondaryIndex byCustomer = LongSecondaryIndex.create()) {
 *   byCustomer.bulkload(customers, orders);
 *   byCustomer.add(17, 4711);
 *   byCustomer.ids(17); // all orders of customer 17, in ascending order
 * }
 * }
 *
 * <p>It does for longs in memory what {@link dev.espalier.bytes.SecondaryIndex} does for keys of
 * any kind, in files too, and takes a fraction of its time and memory: 8 bytes for an id, and for a
 * key the bytes of an entry of a {@link LongIndex} and 8 more. A key that gets more ids one by one
 * has room for up to twice as many. {@link LongSecondaryIndexJoin} joins rows with the ids of their
 * keys.
 *
 * <p>Many threads may read at the same time, or one may write. Close it after use. Afterwards every
 * method throws {@link IllegalStateException}.
 *
 * <p>Costs are given for {@code n} keys, and a tree whose nodes have {@code B} children.
 */
public final class LongSecondaryIndex implements AutoCloseable {
  /** Each key with the run of its ids, of which there is at least one. */
  private final LongIndex runOfKey;

  private final IdRuns runs = new IdRuns();
  private final long[] found = new long[1];
  private long size;

  /** Grows with every change, after which a run that was found may be elsewhere. */
  private long changes;

  private LongSecondaryIndex(LongIndex runOfKey) {
    this.runOfKey = runOfKey;
  }

  /** Creates an empty index, whose keys are in a {@link PbPlusTree}. */
  public static LongSecondaryIndex create() {
    return new LongSecondaryIndex(PbPlusTree.create(IndexOptions.DEFAULT));
  }

  /**
   * Creates an empty index whose keys are in a given tree.
   *
   * @param keys an empty index in memory, which is for this class alone from now on, and closed
   *     with it
   * @throws IllegalArgumentException if {@code keys} is not empty
   */
  public static LongSecondaryIndex over(LongIndex keys) {
    if (!keys.isEmpty()) {
      throw new IllegalArgumentException("keys has " + keys.size() + " entries; it must be empty");
    }
    return new LongSecondaryIndex(keys);
  }

  // ---------------------------------------------------------------- write

  /**
   * Fills this empty index with pairs of a key and an id, several times faster than {@link #add}.
   * They may come in any order; a pair that comes several times is stored once. Takes up to 32
   * bytes for each pair while it runs. O(pairs).
   *
   * @param keys the keys
   * @param ids the id of each pair
   * @throws IllegalArgumentException if the arrays differ in length
   * @throws IllegalStateException if the index is not empty
   * @throws dev.espalier.memory.MemoryLimitException if the pairs do not fit; the index is then
   *     empty
   */
  public void bulkload(long[] keys, long[] ids) {
    if (keys.length != ids.length) {
      throw new IllegalArgumentException(
          "keys and ids differ in length: keys.length=%d, ids.length=%d"
              .formatted(keys.length, ids.length));
    }
    if (!runOfKey.isEmpty()) {
      throw new IllegalStateException("the index has " + size + " pairs; it must be empty");
    }
    PairSort pairs = new PairSort(keys, ids);
    int count = pairs.dropEqual();
    long[] sorted = pairs.first;
    long[] offsets = new long[count];
    int distinct = 0;
    for (int i = 0; i < count; i++) {
      distinct += i == 0 || sorted[i] != sorted[i - 1] ? 1 : 0;
    }
    runs.clear();
    runs.reserve((long) distinct + count);
    distinct = 0;
    for (int from = 0, to; from < count; from = to) {
      for (to = from + 1; to < count && sorted[to] == sorted[from]; ) {
        to++;
      }
      offsets[distinct] = runs.add(pairs.second, from, to - from);
      sorted[distinct] = sorted[from];
      distinct++;
    }
    changes++;
    runOfKey.bulkload(
        LongEntrySource.of(sorted, offsets, distinct), 1.0, distinct, ProgressListener.NONE);
    size = count;
  }

  /**
   * Adds an id to a key. O(log_B n), and O(ids of the key) unless the id is greater than most of
   * them.
   *
   * @return whether the key did not have it before
   * @throws dev.espalier.memory.MemoryLimitException if there is no room for the pair; nothing has
   *     changed then
   */
  public boolean add(long key, long id) {
    if (!runOfKey.find(key, found)) {
      addKey(key, id);
    } else if (!addTo(key, found[0], id)) {
      return false;
    }
    changes++;
    size++;
    return true;
  }

  private void addKey(long key, long id) {
    setRun(key, runs.add(id));
  }

  /** Stores the run of a key, or releases it if there is no room. */
  private void setRun(long key, long run) {
    try {
      runOfKey.set(key, run);
    } catch (RuntimeException failed) {
      runs.release(run);
      throw failed;
    }
  }

  private boolean addTo(long key, long run, long id) {
    int place = runs.lowerBound(run, id);
    if (runs.isAt(run, place, id)) {
      return false;
    }
    long now = runs.insert(run, place, id);
    if (now != run) {
      setRun(key, now);
      runs.release(run);
    }
    return true;
  }

  /**
   * Removes an id from a key. O(log_B n), and O(ids of the key) unless the id is greater than most
   * of them.
   *
   * @return whether the key had it
   */
  public boolean remove(long key, long id) {
    if (!runOfKey.find(key, found)) {
      return false;
    }
    long run = found[0];
    int place = runs.lowerBound(run, id);
    if (!runs.isAt(run, place, id)) {
      return false;
    }
    if (runs.count(run) == 1) {
      runOfKey.delete(key);
      runs.release(run);
    } else {
      runs.remove(run, place);
    }
    changes++;
    size--;
    return true;
  }

  // ---------------------------------------------------------------- read

  /** Returns whether a key has an id. O(log_B n + log(ids of the key)). */
  public boolean contains(long key, long id) {
    long[] value = new long[1];
    return runOfKey.find(key, value) && runs.isAt(value[0], runs.lowerBound(value[0], id), id);
  }

  /** Returns the number of ids of a key. O(log_B n). */
  public long count(long key) {
    long[] value = new long[1];
    return runOfKey.find(key, value) ? runs.count(value[0]) : 0;
  }

  /** Returns the ids of a key, as they are now, in ascending order. O(log_B n + ids). */
  public LongStream ids(long key) {
    long[] value = new long[1];
    if (!runOfKey.find(key, value)) {
      return LongStream.empty();
    }
    long[] ids = new long[runs.count(value[0])];
    runs.copy(value[0], 0, ids, 0, ids.length);
    return Arrays.stream(ids);
  }

  /**
   * Passes the keys between two keys, with each of their ids, to {@code action}, in ascending order
   * of the keys and then of the ids. The action must not change the index. O(log_B n + pairs).
   *
   * @throws IllegalArgumentException if {@code from} is greater than {@code to}
   */
  public void range(
      long from, boolean fromInclusive, long to, boolean toInclusive, LongLongConsumer action) {
    Objects.requireNonNull(action, "action is null");
    runOfKey
        .subView(from, fromInclusive, to, toInclusive)
        .forEach(
            (key, run) -> {
              int count = runs.count(run);
              for (int i = 0; i < count; i++) {
                action.accept(key, runs.id(run, i));
              }
            });
  }

  /** Returns the number of pairs of a key and an id. */
  public long size() {
    runOfKey.isEmpty(); // Refuses a closed index.
    return size;
  }

  /** Returns the number of keys, each of which has at least one id. */
  public long keyCount() {
    return runOfKey.size();
  }

  /**
   * Checks the tree of the keys, and that the ids of each key ascend and are as many as the index
   * says.
   *
   * @throws dev.espalier.inspect.InvariantViolationException if the tree is damaged
   * @throws IllegalStateException if the ids are
   */
  public void verify() {
    runOfKey.verify();
    long[] counted = new long[1];
    runOfKey.forEach(
        (key, run) -> {
          int count = runs.count(run);
          counted[0] += count;
          for (int i = 1; i < count; i++) {
            if (runs.id(run, i - 1) >= runs.id(run, i)) {
              throw new IllegalStateException("the ids of key " + key + " do not ascend");
            }
          }
        });
    if (counted[0] != size) {
      throw new IllegalStateException(
          "size is %d, but there are %d pairs".formatted(size, counted[0]));
    }
  }

  /** Returns whether {@link #close} was called. */
  public boolean isClosed() {
    return runOfKey.isClosed();
  }

  /** Frees the memory. A second call does nothing. */
  @Override
  public void close() {
    if (!runOfKey.isClosed()) {
      runOfKey.close();
      runs.close();
    }
  }

  // ---------------------------------------------------------------- join

  /** Returns the index of the keys, whose values are numbers of runs. */
  LongIndex keys() {
    return runOfKey;
  }

  IdRuns runs() {
    return runs;
  }

  long changes() {
    return changes;
  }
}
