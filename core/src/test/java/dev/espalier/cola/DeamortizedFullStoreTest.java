// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongCursor;
import dev.espalier.memory.CheckedPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.RefusingPageStore;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A deamortized COLA whose store refuses pages, with merges half done, and pins no page too many.
 */
class DeamortizedFullStoreTest {
  private static final int PAGE_BYTES = 1024;

  private final RefusingPageStore full =
      new RefusingPageStore(
          new MemoryPageStore(PAGE_BYTES, IndexOptions.DEFAULT.memoryLimit(), HugePages.OFF),
          Integer.MAX_VALUE);
  private final CheckedPageStore pages = new CheckedPageStore(full, CheckedPageStore.MIN_PINS);
  private final DeamortizedCola index =
      DeamortizedCola.open(IndexOptions.DEFAULT, pages, new DeamortizedCola.Geometry(3));
  private final TreeMap<Long, Long> model = new TreeMap<>();

  @AfterEach
  void close() {
    index.close();
  }

  /** Every few thousand writes the store begins or ends to refuse pages, wherever merges are. */
  @Test
  void writesGoOnInPlaceWhileMergesAreHalfDone() {
    SplittableRandom random = new SplittableRandom(11);
    int refused = 0;
    int inPlace = 0;
    for (int i = 0; i < 12_000; i++) {
      if (i % 1000 == 0) {
        full.mostPages(i % 2000 == 0 ? Integer.MAX_VALUE : pages.pagesInUse());
      }
      long key = random.nextInt(3000);
      boolean isFull = i % 2000 >= 1000;
      if (random.nextInt(4) == 0) {
        index.delete(key);
        model.remove(key);
      } else if (isPut(key, i)) {
        inPlace += isFull && index.tree.topCount() == 3 ? 1 : 0;
        model.put(key, (long) i);
      } else {
        refused++;
        assertFalse(model.containsKey(key), "an entry can be overwritten without memory");
      }
      if (i % 97 == 0) {
        check();
      }
    }
    check();
    assertTrue(refused > 100 && inPlace > 100, refused + " refused, " + inPlace + " in place");
  }

  private boolean isPut(long key, long value) {
    try {
      index.set(key, value);
      return true;
    } catch (MemoryLimitException _) {
      return false;
    }
  }

  @Test
  void pagesOneMoreAtATimeLetEachWriteThrough() {
    full.mostPages(2);
    for (long i = 0; i < 600; i++) {
      long key = i * 0x9e37_79b9_7f4a_7c15L;
      for (int mostPages = pages.pagesInUse(); !isPut(key, i); mostPages++) {
        pages.checkBalanced();
        assertFalse(index.containsKey(key));
        full.mostPages(mostPages);
      }
      model.put(key, i);
      if (i % 20 == 0) {
        check();
      }
    }
    check();
  }

  @Test
  void removedEntriesMakeRoomForOthers() {
    full.mostPages(40);
    long key = 0;
    while (isPut(key, key)) {
      model.put(key, key);
      key++;
    }
    check();
    int entries = model.size();
    assertTrue(entries > 500, () -> entries + " entries");
    for (long removed = 0; removed < entries / 2; removed++) {
      index.delete(removed);
      model.remove(removed);
    }
    check();
    for (long added = 0; added < entries / 3; added++) {
      index.set(key + added, added);
      model.put(key + added, added);
    }
    check();
    assertTrue(pages.pagesInUse() <= 40);
  }

  @Test
  void deleteForWhichEverythingIsMergedAwayLeavesNoTombstone() {
    for (long key = 0; key < 300; key++) {
      index.set(key, key);
    }
    for (long key = 0; key < 300; key++) {
      index.delete(key);
    }
    long absent = 1000;
    while (index.tree.depth > 0 && absent < 2000) {
      // Too few to go on, but enough to merge all that there is.
      full.mostPages(pages.pagesInUse() + (int) (absent % 30));
      index.delete(absent++);
    }
    assertEquals(0, index.tree.depth, "everything was merged away");
    check();
    assertEquals(0, index.tree.topCount());
  }

  @Test
  void withoutAPageMoreEverythingCanBeRemoved() {
    for (long key = 0; key < 2000; key++) {
      index.put(key, key);
    }
    full.mostPages(2); // What an index without entries has.
    for (long key = 0; key < 2000; key++) {
      assertEquals(key, index.remove(key));
      if (key % 100 == 0) {
        index.verify();
      }
    }
    pages.checkBalanced();
    assertTrue(index.isEmpty());
    check();
  }

  private void check() {
    pages.checkBalanced();
    index.verify();
    assertEquals(model.size(), index.size());
    LongCursor cursor = index.cursor();
    for (Map.Entry<Long, Long> entry : model.entrySet()) {
      assertTrue(cursor.next());
      assertEquals(entry.getKey(), cursor.key());
      assertEquals(entry.getValue(), cursor.value());
    }
    assertFalse(cursor.next());
  }
}
