// SPDX-License-Identifier: Apache-2.0
package dev.espalier.css;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.Indexes;
import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.memory.MemoryLimitException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What fits below a memory limit, and what a tree is after something did not. */
@Tag("fallback-thorough")
class CssMemoryLimitTest {
  @RegisterExtension final Indexes indexes = new Indexes();

  @ParameterizedTest(name = "limit {0}")
  @ValueSource(longs = {40_000, 500_003, 1 << 20, 3 << 20})
  void rebuildThatDoesNotFitLeavesEverythingAsItWas(long limit) {
    CssTree index = create(limit);
    int entries = insertUntilFull(index);
    List<Long> state = state(index);
    assertThrows(MemoryLimitException.class, index::rebuild);
    assertEquals(state, state(index));
    assertThrows(MemoryLimitException.class, () -> index.put(scatter(entries), entries));
    assertEquals(state, state(index));
    assertTrue(index.tree.delta.count > 0);
    index.verify();
    for (int i = 0; i < entries; i++) {
      assertEquals(i, index.get(scatter(i)));
    }
    for (int i = 0; i < entries / 2; i++) {
      index.remove(scatter(i));
    }
    index.rebuild();
    assertEquals(0, index.tree.delta.count);
    assertEquals(entries - entries / 2, index.tree.array.count);
  }

  @ParameterizedTest(name = "limit {0}")
  @ValueSource(longs = {40_000, 500_003, 1 << 20, 3 << 20})
  void insertsFillMostOfTheLimit(long limit) {
    double share = 17.2 * insertUntilFull(create(limit)) / limit;
    assertTrue(share > 0.75, "entries fill " + share);
  }

  @ParameterizedTest(name = "limit {0}")
  @ValueSource(longs = {40_000, 500_003, 1 << 20, 3 << 20})
  void bulkloadFillsMostOfTheLimit(long limit) {
    CssTree index = create(limit);
    int entries = (int) (0.85 * limit / 17.2);
    long[] keys = LongStream.range(0, entries).toArray();
    index.bulkload(keys, keys);
    assertEquals(entries, index.size());
    assertTrue(index.statistics().committedBytes() <= limit);
  }

  @Test
  void bulkloadThatFailsMidwayGivesItsMemoryBack() {
    CssTree index = create(64 << 20);
    LongEntrySource failing =
        new LongEntrySource() {
          private long key = -1;

          @Override
          public boolean next() {
            if (++key == 200_000) {
              throw new UncheckedIOException(new IOException("the source is broken"));
            }
            return true;
          }

          @Override
          public long key() {
            return key;
          }

          @Override
          public long value() {
            return key;
          }
        };
    assertThrows(
        UncheckedIOException.class,
        () -> index.bulkload(failing, 1.0, 300_000, ProgressListener.NONE));
    assertTrue(index.isEmpty());
    assertFalse(index.cursor().first());
    assertTrue(index.statistics().committedBytes() <= 4096);
    index.put(1, 10);
    assertEquals(10, index.get(1));
  }

  private CssTree create(long limit) {
    return indexes.keep(CssTree.create(IndexOptions.DEFAULT.withMemoryLimit(limit)));
  }

  /** Returns how many entries went in. */
  private static int insertUntilFull(CssTree index) {
    int[] entries = {0};
    assertThrows(
        MemoryLimitException.class,
        () -> {
          for (; ; entries[0]++) {
            index.put(scatter(entries[0]), entries[0]);
          }
        });
    return entries[0];
  }

  private static List<Long> state(CssTree index) {
    CssStructure tree = index.tree;
    return List.of(
        tree.array.count,
        tree.delta.count,
        tree.removed.count,
        (long) tree.directory.levels,
        tree.directory.usedBytes());
  }

  /** Numbers to keys in no order: multiplied by an odd number, which no two share. */
  private static long scatter(long number) {
    return number * 0x9e37_79b9_7f4a_7c15L;
  }
}
