// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.blink.BLinkTree;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.ObjLongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Searches in a tree whose pages make room for others at each point where they can. */
@Timeout(120)
class SearchesBesideEvictionTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 16;
  private static final int KEYS = 400;

  /** Levels of a tree of so many keys. */
  private static final int HEIGHT = 3;

  /** Searches begin with keys all over the tree. */
  private static final int STEP = 37;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final BufferPool pool = BufferPool.create((FRAMES + 1) * PAGE_BYTES, PAGE_BYTES);

  @AfterEach
  void closePool() {
    pool.close();
  }

  /** What takes the frames of the tree's pages. */
  private enum Others {
    /** Pages of a tree with the same keys and other values. */
    TREE,
    /** Pages that have the largest numbers that there are. */
    ONES,
    /** Pages with nothing in it. */
    ZEROS,
    /** Pages that are like none, but of one of the lowest levels. */
    RANDOM
  }

  private SlotPageStore store(String name) {
    return Stores.create(folder.resolve(name), PageFiles.CHANNEL, pool);
  }

  private static LongIndex tree(PageStore store, int sign) {
    LongIndex index = BLinkTree.open(IndexOptions.DEFAULT, store);
    for (long key = 1; key <= KEYS; key++) {
      index.put(key, sign * key);
    }
    index.flush();
    return index;
  }

  /** Makes a store with as many pages as there are frames, and more. */
  private SlotPageStore others(Others kind) {
    SlotPageStore store = store("others");
    if (kind == Others.TREE) {
      tree(store, -1);
      return store;
    }
    SplittableRandom random = new SplittableRandom(1);
    for (int page : Stores.allocate(store, 2 * FRAMES)) {
      long at = store.pin(page);
      MemorySegment bytes =
          store.segment().asSlice(at, PAGE_BYTES).asSlice(PageStore.RESERVED_BYTES);
      bytes.fill((byte) (kind == Others.ONES ? 0xff : 0));
      if (kind == Others.RANDOM) {
        for (long i = 0; i < bytes.byteSize(); i += Integer.BYTES) {
          bytes.set(ValueLayout.JAVA_INT, i, random.nextInt() >>> random.nextInt(Integer.SIZE));
        }
        bytes.set(ValueLayout.JAVA_INT, 0, random.nextInt(2));
      }
      store.unpin(at, true);
    }
    store.flush();
    return store;
  }

  /** A store that lets all its pages make room at one of the points of a search. */
  private final class Evicting extends ForwardingPageStore {
    private final PageStore behind;
    private final SlotPageStore others;

    /** Points until then. */
    private int left = Integer.MAX_VALUE;

    /** Looks that were over when they were asked about. */
    private int over;

    Evicting(PageStore behind, SlotPageStore others) {
      super(behind);
      this.behind = behind;
      this.others = others;
    }

    private void point() {
      if (left-- == 0) {
        evict();
      }
    }

    private void evict() {
      for (int page = 1; page <= 2 * FRAMES; page++) {
        others.unpin(others.pin(page), false);
      }
    }

    @Override
    public long look(int page) {
      point();
      long look = behind.look(page);
      point();
      return look;
    }

    @Override
    public long offset(long look) {
      return behind.offset(look);
    }

    @Override
    public boolean isStill(long look) {
      point();
      boolean isStill = behind.isStill(look);
      over += isStill ? 0 : 1;
      return isStill;
    }

    @Override
    public void noteLooks(int pages) {
      behind.noteLooks(pages);
    }

    @Override
    public long pin(int page) {
      point();
      return behind.pin(page);
    }
  }

  /** Searches for keys all over a tree, for each as often as there are points in the search. */
  private void atEachPoint(Others kind, ObjLongConsumer<LongIndex> search) {
    Evicting store = new Evicting(store("pages"), others(kind));
    try (LongIndex index = tree(store, 1)) {
      for (long key = 1; key <= KEYS; key += STEP) {
        int point = 0;
        do {
          search.accept(index, key); // Its pages are there now.
          store.left = point++;
          search.accept(index, key);
        } while (store.left < 0);
        store.left = Integer.MAX_VALUE;
        assertTrue(point > 3 * HEIGHT, "only " + point + " points");
      }
      assertTrue(store.over > KEYS / STEP, "looks were over " + store.over + " times");
      index.verify();
    }
    store.others.close();
  }

  @ParameterizedTest
  @EnumSource
  void lookupsFindWhatIsThere(Others kind) {
    atEachPoint(kind, (index, key) -> assertEquals(key, index.get(key)));
  }

  @ParameterizedTest
  @EnumSource
  void lookupsDoNotFindWhatIsNotThere(Others kind) {
    atEachPoint(
        kind,
        (index, key) -> {
          assertFalse(index.containsKey(-key));
          assertFalse(index.find(KEYS + key, new long[1]));
        });
  }

  @ParameterizedTest
  @EnumSource
  void writersComeToTheLeafOfTheirKey(Others kind) {
    atEachPoint(kind, (index, key) -> assertEquals(key, index.put(key, key)));
  }
}
