// SPDX-License-Identifier: Apache-2.0
package dev.espalier.blink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.memory.Words;
import dev.espalier.paged.DiskFirstFpbPlusTree.Geometry;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Searches that look at pages which are no longer there. */
@Timeout(120)
class BLinkLooksTest {
  private static final int PAGE_BYTES = 256;
  private static final int KEYS = 300;

  /** The first key. Taken for lines of a page, parts of it are beyond the last one. */
  private static final long FIRST_KEY = 0x0010_0010_0010_0000L;

  private static final int LOOKUPS = TestSize.share(200_000, 5_000_000);

  /** A store that misleads every other look to the last page of its memory, and then says so. */
  private static final class MisleadingStore extends ForwardingPageStore {
    private final PageStore behind;
    private int looks;
    private int misled;

    MisleadingStore(PageStore behind) {
      super(behind);
      this.behind = behind;
    }

    long lastPage() {
      return segment().byteSize() - PAGE_BYTES;
    }

    @Override
    public long look(int page) {
      return looks++ % 2 == 0 ? lastPage() : behind.look(page);
    }

    @Override
    public boolean isStill(long look) {
      misled += look == lastPage() ? 1 : 0;
      return look != lastPage();
    }
  }

  /**
   * What is read of a page that made room is any bytes at all, and other bytes when it is read once
   * more. Nothing beyond its end is read, which would be beyond the memory's.
   */
  @ParameterizedTest
  @ValueSource(strings = {"BLinkTree", "FpbLinkTree"})
  void whatIsReadOfAPageThatMadeRoomDoesNoHarm(String tree) throws Exception {
    MisleadingStore store = new MisleadingStore(IndexOptions.DEFAULT.pagesInMemory(PAGE_BYTES));
    try (LongIndex index = open(tree, store)) {
      for (long i = 0; i < KEYS; i++) {
        index.put(FIRST_KEY + i, i);
      }
      assertTrue(store.pagesInUse() * (long) PAGE_BYTES <= store.lastPage());
      AtomicBoolean done = new AtomicBoolean();
      Thread scribbler = Thread.ofPlatform().start(() -> scribble(store, done));
      try {
        for (int i = 0; i < LOOKUPS; i++) {
          long key = FIRST_KEY + i % KEYS;
          assertEquals(i % KEYS, index.get(key));
          assertFalse(index.containsKey(-key));
        }
      } finally {
        done.set(true);
        scribbler.join();
      }
      assertTrue(store.misled > LOOKUPS, "misled " + store.misled + " times");
    }
  }

  private static LongIndex open(String tree, PageStore store) {
    return tree.equals("BLinkTree")
        ? BLinkTree.open(IndexOptions.DEFAULT, store)
        : FpbLinkTree.open(IndexOptions.DEFAULT, store, new Geometry(1, 1));
  }

  /** Writes ascending keys into a page, and all kinds of levels, counts and other numbers. */
  private static void scribble(MisleadingStore store, AtomicBoolean done) {
    MemorySegment pages = store.segment();
    long page = store.lastPage();
    for (long i = LinkedPage.HEADER_BYTES; i < PAGE_BYTES; i += Long.BYTES) {
      Words.putLong(pages, page + i, FIRST_KEY + (i - LinkedPage.HEADER_BYTES) / Long.BYTES);
    }
    SplittableRandom random = new SplittableRandom(1);
    while (!done.get()) {
      LinkedPage.level(pages, page, random.nextInt(-1, 3));
      LinkedPage.flags(pages, page, random.nextInt(8) == 0 ? random.nextInt() : 0);
      LinkedPage.high(pages, page, random.nextBoolean() ? Long.MAX_VALUE : random.nextLong());
      LinkedPage.right(pages, page, random.nextInt());
      for (int count = 0; count < 20; count++) {
        LinkedPage.count(pages, page, random.nextBoolean() ? count : random.nextInt());
        LinkedPage.level(pages, page, count & 1);
      }
    }
  }
}
