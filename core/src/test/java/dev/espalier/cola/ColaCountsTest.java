// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.cola.Cola.Geometry;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What writes cost and what levels hold, as counts: the paper's analysis with its constants. */
class ColaCountsTest {
  private static final int PAGE_BYTES = 1024;
  private static final int WRITES = 30_000;

  private static Cola create(Geometry geometry) {
    return Cola.open(
        IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(PAGE_BYTES), geometry);
  }

  /** Returns a key for each number, scattered, none twice. */
  private static long scattered(long i) {
    return i * 0x9e37_79b9_7f4a_7c15L;
  }

  private static Cola fill(Geometry geometry, int writes) {
    Cola index = create(geometry);
    for (int i = 0; i < writes; i++) {
      index.set(scattered(i), i);
    }
    return index;
  }

  /**
   * A run is written (growth - 1) / 2 times in each level on average. With each merge into a level
   * its pointers are written too, at most one per stride of the next level: a density's part of its
   * capacity.
   */
  @ParameterizedTest
  @CsvSource({"2, 0.1, 2", "2, 1, 16", "4, 0.1, 16", "4, 1, 2", "8, 0.1, 16", "8, 0.5, 60"})
  void messagesAreWrittenAsOftenAsTheAnalysisSays(int growth, double density, int batch) {
    try (Cola index = fill(new Geometry(growth, density, batch), WRITES)) {
      double levels = index.tree.depth;
      double each = (growth - 1) * (0.5 + density);
      // An extent of pointers has one more than the proportion says: the first.
      double rounding = levels / batch;
      double bound = levels * each + rounding;
      double written = (double) index.tree.written / WRITES;
      assertTrue(written <= bound, written + " of at most " + bound);
      assertTrue(written >= 0.4 * levels * (growth - 1) / 2, "counted " + written);
    }
  }

  /** With a batch of two, levels 1, 2, 3 ... are the paper's. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 8})
  void levelsHaveThePapersCapacities(int growth) {
    try (Cola index = create(new Geometry(growth, 0.1, 2))) {
      long expected = 2L * (growth - 1);
      for (int k = 1; k <= 6; k++) {
        assertEquals(expected, index.tree.capacity(k));
        expected *= growth;
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 1, 1", "2, 0.1, 7", "3, 0.3, 2", "4, 0.1, 2", "8, 1, 3"})
  void runsAreTheDigitsOfTheMerges(int growth, double density, int batch) {
    Geometry geometry = new Geometry(growth, density, batch);
    try (Cola index = create(geometry)) {
      ColaStructure tree = index.tree;
      for (int n = 1; n <= 3000; n++) {
        index.set(scattered(n), n);
        long merges = (n - 1) / batch;
        if (n % 97 < batch) {
          assertEquals(merges, tree.meta[ColaStructure.MERGES]);
          assertEquals(n, tree.messages());
          long left = merges;
          for (int k = 1; k <= tree.depth; k++) {
            assertEquals(left % growth, tree.levels[k].runs());
            assertEquals(left % growth * tree.run(k), tree.levels[k].messages());
            left /= growth;
          }
          assertEquals(0, left);
        }
      }
    }
  }

  /** A level's pointers are a density's part of its capacity at most. */
  @Test
  void pointersAreAsManyAsTheDensitySays() {
    for (double density : new double[] {0.01, 0.1, 1}) {
      try (Cola index = fill(new Geometry(4, density, 2), 5_000)) {
        ColaStructure tree = index.tree;
        for (int k = 1; k <= tree.depth; k++) {
          Level level = tree.levels[k];
          long pointers = tree.pointersBefore(level, level.elements());
          assertTrue(pointers <= density * tree.capacity(k) + 1);
          assertEquals(k < tree.depth, pointers > 0);
        }
      }
    }
  }

  @Test
  void fewKeysWrittenAMillionTimesStayInFewLevels() {
    try (Cola index = create(new Geometry(2, 0.1, 60))) {
      SplittableRandom random = new SplittableRandom(8);
      for (int i = 0; i < 1_000_000; i++) {
        index.set(random.nextInt(100), i);
        // 100 messages fit into levels of 60 and 120; one more takes what these can't.
        assertTrue(index.tree.depth <= 3);
      }
      assertTrue(index.tree.messages() <= 60 * 8);
      assertEquals(100, index.size());
      index.verify();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void levelsDeletedBlindlyShrink(int growth) {
    int entries = 20_000;
    try (Cola index = fill(new Geometry(growth, 0.1, 16), entries)) {
      for (int i = 0; i < entries; i++) {
        index.delete(scattered(i));
      }
      assertTrue(index.isEmpty());
      // Puts and their tombstones that have not met: half of what was there is gone at least.
      assertTrue(index.tree.messages() <= entries, index.tree.messages() + " are left");
      assertEquals(0, index.size());
      index.verify();
    }
  }

  @Test
  void deletingWhatIsNotThereLeavesNothingForEver() {
    try (Cola index = fill(new Geometry(4, 0.1, 16), 1000)) {
      long most = 0;
      for (int i = 0; i < 100_000; i++) {
        index.delete(2 * i + 1L);
        most = Math.max(most, index.tree.messages());
      }
      assertTrue(most <= 4 * 1000, "there were " + most + " messages");
      assertEquals(1000, index.size());
    }
  }

  @Test
  void lastEntryRemovedTakesAllLevelsWithIt() {
    try (Cola index = create(new Geometry(2, 1, 2))) {
      for (int i = 0; i < 1000; i++) {
        index.put(scattered(i), i);
      }
      for (int i = 0; i < 1000; i++) {
        assertEquals(i, index.remove(scattered(i)));
      }
      assertEquals(0, index.tree.messages());
      assertEquals(2, index.tree.store.pagesInUse(), "the manifest and level 0");
    }
  }

  @Test
  void sizeIsKnownUntilAWriteDoesNotLook() {
    try (Cola index = create(new Geometry(4, 0.1, 16))) {
      for (int i = 0; i < 5000; i++) {
        index.put(i, i);
        index.remove(i - 1000L);
      }
      assertEquals(1000, index.tree.meta[ColaStructure.SIZE]);
      index.set(7, 7);
      assertEquals(ColaStructure.UNKNOWN, index.tree.meta[ColaStructure.SIZE]);
      assertEquals(1001, index.size());
      assertEquals(1001, index.tree.meta[ColaStructure.SIZE]);
      index.remove(7);
      assertEquals(1000, index.tree.meta[ColaStructure.SIZE]);
      index.delete(7);
      assertEquals(ColaStructure.UNKNOWN, index.tree.meta[ColaStructure.SIZE]);
      assertEquals(1000, index.size());
    }
  }

  @Test
  void bulkloadedEntriesAreWrittenOnce() {
    try (Cola index = create(Geometry.DEFAULT)) {
      long[] keys = LongStream.range(0, 50_000).toArray();
      index.bulkload(keys, keys);
      Level deepest = index.tree.levels[index.tree.depth];
      assertEquals(50_000, deepest.messages());
      assertEquals(50_000, deepest.elements());
      assertEquals(50_000, index.tree.messages());
      assertTrue(index.tree.capacity(index.tree.depth - 1) < 50_000);
    }
  }
}
