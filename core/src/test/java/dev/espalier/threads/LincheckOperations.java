// SPDX-License-Identifier: Apache-2.0
package dev.espalier.threads;

import dev.espalier.LongEntry;
import dev.espalier.LongIndex;
import java.util.NavigableMap;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;

/**
 * What Lincheck calls, at random and from several threads: each method of an index and of its map
 * that takes effect at one moment, on few keys. {@link LincheckModel} says what each is to do.
 *
 * <p>Left out are cursors, and what is found by one: {@code firstKey}, {@code floorKey}, {@code
 * pollFirstEntry} and the like are weakly consistent, and {@code size} is a sum of counters.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:4")
@Param(name = "value", gen = IntGen.class, conf = "0:2")
public abstract class LincheckOperations {
  /** Stands for no value. */
  static final long MISSING = -1;

  /** Keys beside those of the calls, which fill the leaves: an insertion soon splits one. */
  private static final int FIRST_FILLER = 5;

  private final LongIndex index;
  private final NavigableMap<Long, Long> map;

  /**
   * Takes an empty index.
   *
   * @param fillers how many keys are put beside those that the calls use
   */
  protected LincheckOperations(LongIndex index, int fillers) {
    this.index = index;
    this.map = index.asMap();
    for (int key = FIRST_FILLER; key < FIRST_FILLER + fillers; key++) {
      index.put(key, key);
    }
  }

  /** Checks and frees the index, when all calls of a round have ended. */
  @Validate
  public final void verifyAndClose() {
    index.verify();
    index.close();
  }

  // ---------------------------------------------------------------- the index

  @Operation
  public final long get(@Param(name = "key") int key) {
    return index.getOrDefault(key, MISSING);
  }

  @Operation
  public final boolean containsKey(@Param(name = "key") int key) {
    return index.containsKey(key);
  }

  /** A batch takes another way down; of one key, it has one moment. */
  @Operation
  public final long getAll(@Param(name = "key") int key) {
    long[] value = new long[1];
    long[] found = new long[1];
    return index.getAll(new long[] {key}, value, found) == 1 ? value[0] : MISSING;
  }

  @Operation
  public final void putAll(@Param(name = "key") int key, @Param(name = "value") int value) {
    index.putAll(new long[] {key}, new long[] {value});
  }

  @Operation
  public final void set(@Param(name = "key") int key, @Param(name = "value") int value) {
    index.set(key, value);
  }

  @Operation
  public final void delete(@Param(name = "key") int key) {
    index.delete(key);
  }

  @Operation
  public final boolean insert(@Param(name = "key") int key, @Param(name = "value") int value) {
    return index.insert(key, value);
  }

  @Operation
  public final boolean replaceIf(
      @Param(name = "key") int key,
      @Param(name = "value") int expected,
      @Param(name = "value") int value) {
    return index.replace(key, expected, value);
  }

  @Operation
  public final boolean removeIf(@Param(name = "key") int key, @Param(name = "value") int expected) {
    return index.remove(key, expected);
  }

  @Operation
  public final long mergeLongs(@Param(name = "key") int key, @Param(name = "value") int value) {
    return index.merge(key, value, Long::sum);
  }

  /** Counts up, and removes what has got to 2. */
  @Operation
  public final long computeLongs(@Param(name = "key") int key) {
    LongEntry entry = new LongEntry();
    boolean stays =
        index.compute(
            key,
            entry,
            (now, isThere) -> {
              boolean goes = isThere && now.value() > 1;
              now.setValue(isThere ? now.value() + 1 : 0);
              return !goes;
            });
    return stays ? entry.value() : MISSING;
  }

  // ---------------------------------------------------------------- its map

  @Operation
  public final @Nullable Long put(@Param(name = "key") int key, @Param(name = "value") int value) {
    return map.put((long) key, (long) value);
  }

  @Operation
  public final @Nullable Long remove(@Param(name = "key") int key) {
    return map.remove((long) key);
  }

  @Operation
  public final @Nullable Long putIfAbsent(
      @Param(name = "key") int key, @Param(name = "value") int value) {
    return map.putIfAbsent((long) key, (long) value);
  }

  @Operation
  public final @Nullable Long replace(
      @Param(name = "key") int key, @Param(name = "value") int value) {
    return map.replace((long) key, (long) value);
  }

  @Operation
  public final boolean replaceInMap(
      @Param(name = "key") int key,
      @Param(name = "value") int expected,
      @Param(name = "value") int value) {
    return map.replace((long) key, (long) expected, (long) value);
  }

  @Operation
  public final boolean removeFromMap(
      @Param(name = "key") int key, @Param(name = "value") int expected) {
    return map.remove((long) key, (long) expected);
  }

  /** Counts up, and removes what has got to 2. */
  @Operation
  public final @Nullable Long compute(@Param(name = "key") int key) {
    return map.compute(
        (long) key, (_, value) -> value == null ? Long.valueOf(0) : value > 1 ? null : value + 1);
  }

  @Operation
  public final @Nullable Long computeIfAbsent(
      @Param(name = "key") int key, @Param(name = "value") int value) {
    return map.computeIfAbsent((long) key, _ -> (long) value);
  }

  @Operation
  public final @Nullable Long computeIfPresent(@Param(name = "key") int key) {
    return map.computeIfPresent((long) key, (_, value) -> value > 1 ? null : value + 1);
  }

  @Operation
  public final @Nullable Long merge(
      @Param(name = "key") int key, @Param(name = "value") int value) {
    return map.merge((long) key, (long) value, Long::sum);
  }
}
