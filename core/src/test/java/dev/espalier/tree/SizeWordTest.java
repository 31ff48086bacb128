// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.blink.BLinkTree;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import dev.espalier.prefix.LongsInByteStrings;
import dev.espalier.prefix.PrefixBPlusTree;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * The meta word with the number of entries, of trees that many threads write: no write changes it,
 * and whoever asks the store for the words finds it right.
 */
class SizeWordTest {
  private static final int PAGE_BYTES = 4096;

  enum Kind {
    LINKED {
      @Override
      LongIndex open(PageStore store) {
        return BLinkTree.open(IndexOptions.DEFAULT, store);
      }
    },
    LINKED_IN_PAGE {
      @Override
      LongIndex open(PageStore store) {
        return FpbLinkTree.open(IndexOptions.DEFAULT, store);
      }
    },
    STRINGS {
      @Override
      LongIndex open(PageStore store) {
        return new LongsInByteStrings(ConcurrentPrefixBPlusTree.open(store), 0, 2);
      }
    },
    /** The same pages with one writer, who writes to the word. */
    STRINGS_OF_ONE_WRITER {
      @Override
      LongIndex open(PageStore store) {
        return new LongsInByteStrings(PrefixBPlusTree.open(store), 0, 2);
      }
    };

    abstract LongIndex open(PageStore store);
  }

  private final MemoryPageStore store = IndexOptions.DEFAULT.pagesInMemory(PAGE_BYTES);

  private void assertSize(long expected, LongIndex index) {
    assertEquals(expected, index.size());
    assertEquals(expected, store.meta()[StoreTree.SIZE]);
    index.verify();
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "STRINGS_OF_ONE_WRITER")
  void noWriteToALeafChangesAMetaWord(Kind kind) {
    try (LongIndex index = kind.open(store)) {
      index.put(0, 1);
      long[] meta = store.meta();
      long[] before = meta.clone();
      for (int i = 1; i < 10; i++) {
        index.put(i, 1);
        index.insert(-i, 1);
        index.put(i, 2);
        index.put(i, 3);
      }
      for (int i = 0; i < 5; i++) {
        index.remove(i);
      }
      index.removeRange(8, true, 9, true);
      assertArrayEquals(before, meta);
      assertSize(12, index);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoAsksForTheWordsFindsTheSize(Kind kind) {
    int keys = 3000;
    try (LongIndex index = kind.open(store)) {
      assertSize(0, index);
      for (int i = 0; i < keys; i++) {
        index.put(i, 1);
      }
      assertSize(keys, index);
      for (int i = 0; i < keys; i += 2) {
        index.remove(i);
      }
      assertSize(keys / 2, index);
      assertEquals(500, index.removeRange(1000, true, 2000, false));
      assertSize(keys / 2 - 500, index);
      index.clear();
      assertSize(0, index);
      index.put(7, 1);
      assertSize(1, index);
    }
  }

  /** The words are those of the tree that was opened last, and of none that was refused. */
  @ParameterizedTest
  @EnumSource
  void aStoreAsksTheTreeThatHasIt(Kind kind) {
    LongIndex before = kind.open(store);
    for (int i = 0; i < 1000; i++) {
      before.put(i, 1);
    }
    for (Kind other : Kind.values()) {
      try {
        LongIndex another = other.open(store);
        assertEquals(1000, another.size());
        another.put(-1, 1);
        assertSize(1001, another);
        another.remove(-1);
      } catch (IllegalArgumentException refused) {
        assertEquals(1000, store.meta()[StoreTree.SIZE]);
      }
    }
    try (LongIndex again = kind.open(store)) {
      assertSize(1000, again);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LINKED", "LINKED_IN_PAGE"})
  void bulkloadsAndTheirFailuresAreCounted(Kind kind) {
    long[] keys = new long[5000];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = i;
    }
    try (LongIndex index = kind.open(store)) {
      index.put(1, 1);
      index.remove(1);
      index.bulkload(keys, keys);
      assertSize(keys.length, index);
      index.remove(17);
      index.shrink();
      assertSize(keys.length - 1, index);
      index.clear();
      index.put(1, 1);
      index.remove(1);
      keys[4000] = 0;
      try {
        index.bulkload(keys, keys);
      } catch (IllegalArgumentException notAscending) {
        assertSize(0, index);
      }
      index.put(1, 1);
      assertSize(1, index);
    }
  }
}
