// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import dev.espalier.memory.PageStore;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges of byte strings that leave by whole leaves, beside a sorted map. */
class PrefixRangesTest {
  private static final int ENTRIES = TestSize.of(1_200, 3_000);

  private final TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);

  BytesIndex open(PageStore store) {
    return PrefixBPlusTree.open(store);
  }

  BytesIndex create(int pageBytes) {
    return PrefixBPlusTree.create(IndexOptions.DEFAULT, pageBytes);
  }

  /** Returns how many looks it may take to remove entries of a long range one by one. */
  int looksOneByOne() {
    return 0;
  }

  PrefixStructure structure(BytesIndex tree) {
    return ((PrefixBPlusTree) tree).structure();
  }

  @ParameterizedTest
  @CsvSource({
    "512, 0", "512, 1", "512, 2", "512, 3", "512, 4", "512, 5", "512, 6", "512, 7", "1024, 5",
    "1024, 7", "4096, 7"
  })
  void rangesOfEveryLengthLeaveTheOtherEntries(int pageBytes, int kind) {
    for (long seed : TestSize.seeds(2, 6)) {
      model.clear();
      SplittableRandom random = new SplittableRandom(seed * 31 + kind);
      try (BytesIndex tree = create(pageBytes)) {
        for (int range = 0; range < 12; range++) {
          change(tree, random, kind);
          removeRange(tree, random, kind);
          assertHolds(tree);
        }
        byte[] greatest = model.isEmpty() ? new byte[0] : model.lastKey();
        assertEquals(model.size(), tree.removeRange(new byte[0], true, greatest, true));
        model.clear();
        assertHolds(tree);
        assertEquals(1, structure(tree).store.pagesInUse());
      }
    }
  }

  /** Puts entries, and removes some of them one by one. */
  private void change(BytesIndex tree, SplittableRandom random, int kind) {
    int removes = random.nextInt(8);
    for (int i = 0; i < ENTRIES / 2; i++) {
      byte[] key = anyKey(random, kind);
      if (random.nextInt(10) < removes) {
        assertEquals(model.remove(key) != null, tree.delete(key));
      } else {
        byte[] value = PrefixModelTest.value(random);
        model.put(key, value);
        tree.set(key, value);
      }
    }
  }

  private static byte[] anyKey(SplittableRandom random, int kind) {
    return PrefixModelTest.key(random, kind == 7 ? random.nextInt(7) : kind);
  }

  private void removeRange(BytesIndex tree, SplittableRandom random, int kind) {
    byte[] from = anyKey(random, kind);
    byte[] to = anyKey(random, kind);
    boolean isInOrder = Arrays.compareUnsigned(from, to) <= 0;
    removeRange(
        tree,
        isInOrder ? from : to,
        random.nextBoolean(),
        isInOrder ? to : from,
        random.nextBoolean());
  }

  private void removeRange(
      BytesIndex tree, byte[] from, boolean fromInclusive, byte[] to, boolean toInclusive) {
    boolean isEmpty = Arrays.equals(from, to) && !(fromInclusive && toInclusive);
    long expected = isEmpty ? 0 : removed(model.subMap(from, fromInclusive, to, toInclusive));
    assertEquals(expected, tree.removeRange(from, fromInclusive, to, toInclusive));
  }

  private static long removed(NavigableMap<byte[], byte[]> range) {
    long size = range.size();
    range.clear();
    return size;
  }

  private void assertHolds(BytesIndex tree) {
    tree.verify();
    assertEquals(model.size(), tree.size());
    BytesCursor cursor = tree.cursor();
    for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
      assertTrue(cursor.next());
      assertArrayEquals(entry.getKey(), cursor.keyArray());
      assertArrayEquals(entry.getValue(), cursor.valueArray());
    }
    assertFalse(cursor.next());
  }

  /** A queue: what is old leaves from the left, and what is new comes at the right. */
  @ParameterizedTest
  @ValueSource(ints = {512, 1024})
  void rangesLeaveFromTheLeftWhileOthersComeAtTheRight(int pageBytes) {
    try (BytesIndex tree = create(pageBytes)) {
      int most = 0;
      for (int i = 0; i < 8 * ENTRIES; i++) {
        put(tree, i);
        if (i % ENTRIES == ENTRIES - 1) {
          removeRange(tree, new byte[0], true, key(i - ENTRIES / 2), true);
          assertHolds(tree);
          int pages = structure(tree).store.pagesInUse();
          most = most == 0 ? pages : most;
          assertTrue(pages <= most * 5 / 4, pages + " pages are in use, which were " + most);
        }
      }
    }
  }

  private void put(BytesIndex tree, int i) {
    byte[] value = i % 50 == 0 ? new byte[2_000] : new byte[i % 20];
    tree.set(key(i), value);
    model.put(key(i), value);
  }

  private static byte[] key(int i) {
    byte[] key = "device/0017/............".getBytes();
    ByteBuffer.wrap(key).putInt(12, i);
    return key;
  }

  /** Each border of a range in turn lies at each key around the borders of leaves and parents. */
  @Test
  void rangesBeginAndEndAtEveryKeyOfTwoParents() {
    int entries = 700;
    for (int from = 0; from < entries; from += 29) {
      for (int to = from; to <= entries; to += 41) {
        model.clear();
        try (BytesIndex tree = create(512)) {
          for (int i = 0; i < entries; i++) {
            put(tree, i);
          }
          assertTrue(structure(tree).height() > 2);
          removeRange(tree, key(from), true, key(to), false);
          tree.verify();
          assertEquals(model.size(), tree.size());
        }
      }
    }
  }

  @Test
  void rangesThatAreEmptyOrInTheWrongOrderChangeNothing() {
    try (BytesIndex tree = create(512)) {
      assertEquals(0, tree.removeRange(key(1), true, key(2), true));
      for (int i = 0; i < 100; i += 2) {
        put(tree, i);
      }
      assertEquals(0, tree.removeRange(key(1), true, key(1), true));
      assertEquals(0, tree.removeRange(key(2), false, key(4), false));
      assertEquals(0, tree.removeRange(key(2), true, key(2), false));
      assertThrows(
          IllegalArgumentException.class, () -> tree.removeRange(key(2), true, key(1), true));
      assertHolds(tree);
    }
  }

  @Test
  void aCursorWithinTheRangeIsNextOnWhatIsBehindIt() {
    try (BytesIndex tree = create(512)) {
      for (int i = 0; i < ENTRIES; i++) {
        put(tree, i);
      }
      BytesCursor cursor = tree.cursor();
      assertTrue(cursor.ceiling(MemorySegment.ofArray(key(ENTRIES / 2))));
      removeRange(tree, key(10), true, key(ENTRIES - 10), true);
      assertTrue(cursor.next());
      assertArrayEquals(key(ENTRIES - 9), cursor.keyArray());
    }
  }

  @Test
  void clearsOfViewsAndPrefixesGiveTheirPagesBack() {
    try (BytesIndex tree = create(512)) {
      byte[] first = {'a'};
      byte[] last = {(byte) 0xff, (byte) 0xff};
      for (byte[] key : new byte[][] {first, last}) {
        tree.set(key, key);
        model.put(key, key);
      }
      for (int i = 0; i < ENTRIES; i++) {
        put(tree, i);
      }
      tree.prefixView("device/".getBytes()).clear();
      removed(model.subMap(key(0), true, key(ENTRIES), false));
      assertHolds(tree);
      assertTrue(structure(tree).store.pagesInUse() <= 3);
      tree.prefixView(new byte[] {(byte) 0xff}).clear(); // has no key behind its last
      model.remove(last);
      assertHolds(tree);
      for (int i = 0; i < ENTRIES; i++) {
        put(tree, i);
      }
      tree.tailView(key(5), false).clear();
      removed(model.tailMap(key(5), false));
      assertHolds(tree);
      tree.headView(key(3), true).descendingView().clear();
      removed(model.headMap(key(3), true));
      assertHolds(tree);
    }
  }

  /** Counts how often pages are looked at. */
  private static final class Looks extends ForwardingPageStore {
    long pins;

    Looks(PageStore store) {
      super(store);
    }

    @Override
    public long pin(int page) {
      pins++;
      return super.pin(page);
    }
  }

  @Test
  void aRangeTakesOneLookAtEachOfItsLeaves() {
    Looks looks = new Looks(new MemoryPageStore(4096, Long.MAX_VALUE, HugePages.OFF));
    try (BytesIndex tree = open(looks)) {
      int entries = 50_000;
      for (int i = 0; i < entries; i++) {
        tree.set(key(i), new byte[8]);
      }
      int pages = looks.pagesInUse();
      looks.pins = 0;
      assertEquals(entries - 200, tree.removeRange(key(100), true, key(entries - 100), false));
      assertTrue(
          looks.pins < 3L * pages + looksOneByOne(), looks.pins + " looks at " + pages + " pages");
      assertTrue(looks.pagesInUse() < 10);
      tree.verify();
    }
  }
}
