// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.InvariantNumbers;
import dev.espalier.cola.Cola.Geometry;
import dev.espalier.inspect.InvariantViolationException;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("fallback-thorough")
class ColaVerifierTest {
  private static final int PAGE_BYTES = 1024;

  /** Filled once; each corruption is done to copies. */
  private static final List<Cola> HEALTHY = new ArrayList<>();

  @BeforeAll
  static void fill() {
    HEALTHY.add(fill(new Geometry(2, 0.3, 20)));
    HEALTHY.add(fill(new Geometry(4, 1, 10)));
  }

  @AfterAll
  static void close() {
    HEALTHY.forEach(Cola::close);
    HEALTHY.clear(); // filled anew when the class runs twice in a JVM, as DrawTest makes it
  }

  @ParameterizedTest
  @EnumSource
  void corruptionIsReportedByItsNumber(ColaCorruption corruption) {
    for (Cola healthy : HEALTHY) {
      try (Cola index = copy(healthy)) {
        index.verify();
        corruption.inflictOn(index.tree);
        InvariantViolationException violation =
            assertThrows(InvariantViolationException.class, index::verify);
        assertEquals(corruption.invariant(), violation.invariant(), violation::toString);
        assertTrue(
            String.valueOf(violation.getMessage()).startsWith(corruption.invariant() + ": "));
      }
    }
  }

  @Test
  void tombstoneOverNothingIsReported() {
    try (Cola index = Cola.create(IndexOptions.DEFAULT)) {
      index.put(1, 10);
      ColaStructure tree = index.tree;
      long page = tree.store.pin((int) tree.meta[ColaStructure.TOP]);
      ElementPage.isPut(tree.pages, page, 0, false);
      tree.layout.value(tree.pages, page, 0, ElementPage.TOMBSTONE);
      InvariantViolationException violation =
          assertThrows(InvariantViolationException.class, index::verify);
      assertEquals("I8", violation.invariant());
    }
  }

  @Test
  void everyInvariantOfTheOverviewIsCheckedAndHasACorruption() throws IOException {
    Set<String> stated = InvariantNumbers.stated("cola/ColaStructure");
    Set<String> corrupted =
        Arrays.stream(ColaCorruption.values())
            .map(ColaCorruption::invariant)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(11, stated.size(), stated::toString);
    assertEquals(stated, InvariantNumbers.checked("cola/ColaVerifier"));
    assertEquals(stated, corrupted);
  }

  @Test
  void listenerIsToldAndMayCancel() {
    try (Cola index = Cola.create(IndexOptions.DEFAULT)) {
      long[] keys = LongStream.range(0, 300_000).toArray();
      index.bulkload(keys, keys);
      List<Long> told = new ArrayList<>();
      index.verify(
          (done, total) -> {
            assertTrue(total >= 300_000);
            told.add(done);
            return true;
          });
      assertTrue(told.size() >= 4, told::toString);
      assertEquals(told.stream().sorted().toList(), told);
      assertThrows(CancellationException.class, () -> index.verify((done, total) -> false));
    }
  }

  private static Cola copy(Cola index) {
    PageStore from = index.tree.store;
    PageStore to = new MemoryPageStore(PAGE_BYTES, Long.MAX_VALUE, HugePages.OFF);
    int pages = (int) (index.statistics().committedBytes() / PAGE_BYTES);
    to.allocate(pages);
    for (int page = 1; page <= pages; page++) {
      if (!from.isInUse(page)) {
        to.free(page);
      }
    }
    long bytes = (long) pages * PAGE_BYTES;
    MemorySegment.copy(from.segment(), 0, to.segment(), 0, bytes);
    System.arraycopy(from.meta(), 0, to.meta(), 0, PageStore.META_WORDS);
    return Cola.open(IndexOptions.DEFAULT, to, index.tree.geometry);
  }

  /** Puts and removes scattered keys until the levels are what the corruptions want. */
  private static Cola fill(Geometry geometry) {
    Cola index =
        Cola.open(IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(PAGE_BYTES), geometry);
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 2000 || !isReady(index.tree); i++) {
      assertTrue(i < 50_000, geometry::toString);
      long key = 10 * random.nextLong(3000);
      if (random.nextInt(4) == 0) {
        index.remove(key);
      } else {
        index.put(key, i);
      }
    }
    index.tree.foldedTop();
    return index;
  }

  private static boolean isReady(ColaStructure tree) {
    if (tree.depth < 3) {
      return false;
    }
    Level upper = tree.levels[ColaCorruption.upper(tree)];
    long last = upper.elements() - 1;
    int level = ColaCorruption.upper(tree);
    return tree.levels[1].runs() == 0
        && tree.levels[tree.depth].pages() > 1
        && upper.pages() > 1
        && upper.messages() > upper.tombstones()
        && !ColaCorruption.isPointer(tree, level, last)
        && pointersStandAlone(tree, level)
        && ColaCorruption.tombstone(tree) >= 0
        && ColaCorruption.lastingTombstone(tree) >= 0
        && hasPutAndTombstone(tree);
  }

  /** Tells whether the second pointer has a neighbour that is none. */
  private static boolean pointersStandAlone(ColaStructure tree, int level) {
    long position = 1;
    while (!ColaCorruption.isPointer(tree, level, position)) {
      position++;
    }
    return position > 1;
  }

  private static boolean hasPutAndTombstone(ColaStructure tree) {
    long page = tree.store.pin((int) tree.meta[ColaStructure.TOP]);
    int noPuts = tree.layout.noPuts(tree.pages, page);
    long number = ElementPage.number(tree.pages, page);
    return noPuts > 0 && noPuts + 1 < TopPage.sortedCount(number) + TopPage.tailCount(number);
  }
}
