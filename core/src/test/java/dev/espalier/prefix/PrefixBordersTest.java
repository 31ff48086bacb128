// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.PackedBytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lengths and bytes at which a prefix B+-tree does one thing on one side and another beyond. */
class PrefixBordersTest {
  private static final int PAGE_BYTES = 512;

  private final NavigableSet<byte[]> model = new TreeSet<>(Arrays::compareUnsigned);

  private static PrefixBPlusTree tree(int pageBytes) {
    return PrefixBPlusTree.create(IndexOptions.DEFAULT, pageBytes);
  }

  private static byte[] filled(int length, int with, int... then) {
    byte[] key = new byte[length + then.length];
    Arrays.fill(key, 0, length, (byte) with);
    for (int i = 0; i < then.length; i++) {
      key[length + i] = (byte) then[i];
    }
    return key;
  }

  private void put(PrefixBPlusTree tree, byte[] key) {
    tree.set(key, key);
    model.add(key);
  }

  /** Looks up a key and all that are a byte longer, shorter, larger or smaller. */
  private void assertFindsAround(PrefixBPlusTree tree, byte[] key) {
    List<byte[]> keys = new ArrayList<>(List.of(key, filled(key.length + 1, 0)));
    System.arraycopy(key, 0, keys.get(1), 0, key.length);
    if (key.length > 0) {
      keys.add(Arrays.copyOf(key, key.length - 1));
      for (int change : new int[] {-1, 1}) {
        byte[] beside = key.clone();
        beside[key.length - 1] += (byte) change;
        keys.add(beside);
      }
    }
    BytesCursor cursor = tree.cursor();
    for (byte[] sought : keys) {
      assertArrayEquals(model.contains(sought) ? sought : null, tree.get(sought));
      byte[] ceiling = model.ceiling(sought);
      assertEquals(ceiling != null, cursor.ceiling(MemorySegment.ofArray(sought)));
      if (ceiling != null) {
        assertArrayEquals(ceiling, cursor.keyArray());
      }
    }
    List<byte[]> found = new ArrayList<>();
    tree.getAll(
        PackedBytes.of(keys),
        (_, piece, from, bytes, position, total) -> {
          if (position + bytes == total) {
            found.add(piece.asSlice(from, bytes).toArray(ValueLayout.JAVA_BYTE));
          }
        });
    assertEquals(keys.stream().filter(model::contains).count(), found.size());
  }

  @ParameterizedTest
  @ValueSource(ints = {512, 1024, 4096, 65_536})
  void valueLeavesItsPageWithTheFirstByteTooMany(int pageBytes) {
    int mostOfKey = new PageLayout(pageBytes).keyBytes;
    for (int length : new int[] {0, 1, 8, 9, mostOfKey - 1, mostOfKey, mostOfKey + 1}) {
      byte[] key = filled(length, 'k');
      try (PrefixBPlusTree tree = tree(pageBytes)) {
        PageLayout layout = tree.structure().layout;
        int border = 0;
        while (layout.isInline(length, border + 1)) {
          border++;
        }
        int pages = length > mostOfKey ? 2 : 1;
        for (int bytes : new int[] {border - 1, border, border + 1, border, border + 1, 0}) {
          byte[] value = filled(bytes, bytes);
          tree.set(key, value);
          tree.verify();
          assertArrayEquals(value, tree.get(key));
          assertEquals(
              bytes > border ? pages + 1 : pages, tree.structure().store.pagesInUse(), "pages");
        }
        for (int i = 1; i < 4; i++) {
          tree.set(filled(length, 'k', i), filled(1, i));
        }
        tree.verify();
      }
    }
  }

  @Test
  void separatorsOfEveryLengthDivide() {
    int mostOfKey = new PageLayout(PAGE_BYTES).keyBytes;
    for (int common = 0; common < mostOfKey + 20; common++) {
      model.clear();
      try (PrefixBPlusTree tree = tree(PAGE_BYTES)) {
        for (int i = 0; i < 90; i++) {
          put(tree, filled(common, 's', i * 37 % 90, 7));
        }
        tree.verify();
        assertTrue(tree.structure().height() > 1);
        for (byte[] key : model) {
          assertFindsAround(tree, key);
        }
      }
    }
  }

  @Test
  void entriesOfOneHeadAreToldApartWhereverTheyDiffer() {
    for (int common = 0; common < 30; common++) {
      for (int count : new int[] {1, 2, 7, 8, 9, 40}) {
        model.clear();
        try (PrefixBPlusTree tree = tree(4096)) {
          put(tree, filled(1, 'a')); // So that the page has no prefix.
          put(tree, filled(1, 'z'));
          for (int i = 0; i < count; i++) {
            put(tree, filled(8 + common, 'h', i * 3));
            put(tree, filled(8 + common, 'h', i * 3, 0));
          }
          tree.verify();
          for (byte[] key : model) {
            assertFindsAround(tree, key);
          }
        }
      }
    }
  }

  @Test
  void headsLikeThePaddingAreFoundAmongSeveralLinesOfThem() {
    try (PrefixBPlusTree tree = tree(4096)) {
      for (int length = 0; length < 60; length++) {
        put(tree, filled(length, 0xff));
        put(tree, filled(length, 0xff, 0));
      }
      tree.verify();
      for (byte[] key : List.copyOf(model)) {
        assertFindsAround(tree, key);
      }
      for (byte[] key : List.copyOf(model)) {
        assertTrue(tree.delete(key));
        model.remove(key);
        assertFindsAround(tree, key);
      }
      tree.verify();
    }
  }

  @Test
  void prefixesOf0xffAloneHaveNoEnd() {
    try (PrefixBPlusTree tree = tree(PAGE_BYTES)) {
      for (int length = 0; length < 40; length++) {
        put(tree, filled(length, 0xff));
        put(tree, filled(length, 0xff, 0xfe));
        put(tree, filled(length, 0xff, 1, 0xff));
      }
      for (int length = 0; length < 42; length++) {
        byte[] prefix = filled(length, 0xff);
        List<byte[]> expected =
            model.stream()
                .filter(key -> Arrays.equals(prefix, Arrays.copyOf(key, prefix.length)))
                .toList();
        BytesCursor cursor = tree.prefixView(prefix).cursor();
        for (byte[] key : expected) {
          assertTrue(cursor.next());
          assertArrayEquals(key, cursor.keyArray());
        }
        assertFalse(cursor.next());
      }
    }
  }

  /** It would often be at the end of the page, and 65,536 is no offset of two bytes. */
  @ParameterizedTest
  @ValueSource(ints = {512, 65_536})
  void recordWithoutBytesIsAtOffset0(int pageBytes) {
    try (PrefixBPlusTree tree = tree(pageBytes)) {
      byte[] empty = new byte[0];
      tree.set(empty, empty);
      tree.verify(); // I7
      assertArrayEquals(empty, tree.get(empty));
      for (byte[] value : new byte[][] {{1, 2, 3}, empty, {4}}) {
        tree.set(empty, value);
        tree.verify();
        assertArrayEquals(value, tree.get(empty));
      }
      tree.set(new byte[] {5}, empty);
      tree.verify();
      assertTrue(tree.delete(empty));
      tree.verify();
      assertArrayEquals(empty, tree.get(new byte[] {5}));
    }
  }

  /**
   * Keys of one head in every number that a page has, told apart by second words or behind them.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 7, 8, 9, 20})
  void findsKeysOfOneHeadInAnyNumber(int alike) {
    try (PrefixBPlusTree tree = tree(4096)) {
      byte[] beginning = filled(Long.BYTES + alike, 'k');
      for (int i = 0; i < 80; i++) {
        byte[] key = Arrays.copyOf(beginning, beginning.length + 1 + i % 3);
        key[beginning.length] = (byte) (3 * i);
        tree.set(key, key);
        model.add(key);
        List<byte[]> sought = new ArrayList<>();
        for (int last = 0; last < 256; last++) {
          for (int more = 0; more < 4; more++) {
            byte[] some = Arrays.copyOf(beginning, beginning.length + more);
            if (more > 0) {
              some[beginning.length] = (byte) last;
            }
            sought.add(some);
          }
        }
        List<Integer> found = new ArrayList<>();
        tree.getAll(PackedBytes.of(sought), (at, _, _, _, _, _) -> found.add(at));
        List<Integer> expected = new ArrayList<>();
        for (int at = 0; at < sought.size(); at++) {
          if (model.contains(sought.get(at))) {
            expected.add(at);
          }
          assertEquals(model.contains(sought.get(at)), tree.containsKey(sought.get(at)));
        }
        assertEquals(expected, found);
      }
    }
  }

  @Test
  void getAllReadsNothingBehindThePages() {
    try (PrefixBPlusTree tree = tree(64 << 10)) {
      byte[] key = filled(20, 'k');
      tree.set(key, new byte[0]); // Its value begins where the only page ends.
      assertEquals(1, tree.getAll(PackedBytes.of(List.of(key)), (_, _, _, _, _, _) -> {}));
    }
  }
}
