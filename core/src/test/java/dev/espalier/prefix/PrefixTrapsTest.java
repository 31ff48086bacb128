// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesEntrySource;
import dev.espalier.bytes.ValueReader;
import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small histories in which prefix B+-trees go wrong that are not quite right. */
class PrefixTrapsTest {
  private static final byte[] VALUE = {1, 2, 3};

  private final PrefixBPlusTree tree = PrefixBPlusTree.create(IndexOptions.DEFAULT, 512);

  @AfterEach
  void close() {
    tree.close();
  }

  private static byte[] ff(int length, int... then) {
    byte[] key = new byte[length + then.length];
    Arrays.fill(key, 0, length, (byte) 0xff);
    for (int i = 0; i < then.length; i++) {
      key[length + i] = (byte) then[i];
    }
    return key;
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void put(byte[] key) {
    assertNull(tree.put(key, VALUE));
    tree.verify();
  }

  @Test
  void equalHeadsAreNotEqualKeys() {
    put(ff(5));
    assertNull(tree.get(ff(5, 0)));
    put(text("a"));
    put(text("a\0"));
    put(text("a\0\0"));
    assertNull(tree.get(text("a\0\0\0")));
    assertEquals(4, tree.size());
  }

  @Test
  void greatestHeadIsFoundThoughItLooksLikePadding() {
    put(ff(38));
    assertArrayEquals(VALUE, tree.get(ff(38)));
    assertNull(tree.get(ff(39)));
    assertNull(tree.get(ff(8)));
  }

  @Test
  void bytesAreUnsigned() {
    put(new byte[] {(byte) 0x80});
    put(new byte[] {0x7f});
    BytesCursor cursor = tree.cursor();
    assertTrue(cursor.first());
    assertArrayEquals(new byte[] {0x7f}, cursor.keyArray());
  }

  @Test
  void paddingComesBackWhenAnEntryGoes() {
    put(new byte[0]);
    put(new byte[1]);
    assertTrue(tree.delete(new byte[1]));
    tree.verify();
    assertNull(tree.get(new byte[1]));
    put(new byte[] {5});
    assertEquals(2, tree.size());
  }

  @Test
  void keysThatFallAreDivided() {
    for (int length = 90; length > 0; length--) {
      put(ff(length));
    }
    assertEquals(90, tree.size());
  }

  @Test
  void mergedPagesHaveAShorterPrefix() {
    for (int length = 1; length <= 60; length++) {
      put(ff(length, length));
    }
    for (int length = 60; length > 0; length--) {
      assertTrue(tree.delete(ff(length, length)));
      tree.verify();
    }
    assertEquals(1, tree.structure().store.pagesInUse());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 7, 8, 9, 15, 16, 17, 47, 48, 49, 491, 492, 493, 65_535})
  void keyAndValueOfAnyLengthComeBack(int length) {
    for (int other : new int[] {0, 17, 18, 71, 72, 73, 492, 493, 100_000}) {
      byte[] value = new byte[other];
      Arrays.fill(value, (byte) other);
      tree.set(ff(length), value);
      tree.verify();
      assertArrayEquals(value, tree.get(ff(length)));
    }
    put(ff(length == 65_535 ? 65_534 : length + 1));
    assertTrue(tree.delete(ff(length)));
    tree.verify();
  }

  @Test
  void longKeysThatDifferAtTheEndAreToldApart() {
    byte[] key = ff(65_535);
    for (int last = 0; last < 60; last++) {
      key[65_534] = (byte) (last * 7 % 60);
      put(key.clone());
    }
    BytesCursor cursor = tree.cursor();
    for (int last = 0; last < 60; last++) {
      assertTrue(cursor.next());
      assertEquals(last, cursor.keyArray()[65_534]);
    }
  }

  @Test
  void writeThatFindsNoMemoryChangesNothing() {
    for (long limit = 16 << 10; limit < 40 << 10; limit += 512) {
      try (PrefixBPlusTree small =
          PrefixBPlusTree.create(IndexOptions.DEFAULT.withMemoryLimit(limit), 512)) {
        int[] next = {0};
        assertThrows(
            MemoryLimitException.class,
            () -> {
              for (; ; next[0]++) {
                small.set(ff(next[0] % 130, next[0] / 256, next[0]), new byte[next[0] * 37 % 900]);
              }
            });
        int pages = small.structure().store.pagesInUse();
        small.verify();
        assertEquals(next[0], small.size());
        byte[] refused = ff(next[0] % 130, next[0] / 256, next[0]);
        assertThrows(MemoryLimitException.class, () -> small.set(refused, new byte[20_000]));
        assertEquals(pages, small.structure().store.pagesInUse());
        small.verify();
        assertTrue(small.delete(ff(5, 0, 5)));
        small.verify();
      }
    }
  }

  // ---------------------------------------------------------------- space

  private static double fill(int pageBytes, boolean bulk, int count, IntFunction<String> keys) {
    try (PrefixBPlusTree index = PrefixBPlusTree.create(IndexOptions.DEFAULT, pageBytes)) {
      long bytes = 0;
      for (int i = 0; i < count; i++) {
        bytes += keys.apply(i).length() + 8;
      }
      if (bulk) {
        index.bulkload(new Keys(count, keys), 1, -1, dev.espalier.ProgressListener.NONE);
      } else {
        for (int i = 0; i < count; i++) {
          index.set(text(keys.apply(i)), new byte[8]);
        }
      }
      index.verify();
      assertEquals(count, index.size());
      return (double) index.structure().store.pagesInUse() * pageBytes / bytes;
    }
  }

  /** Pages are full after ascending puts, though the last leaf has no fence to cut a prefix off. */
  @Test
  void ascendingKeysFillPages() {
    double spent = fill(4096, false, 8_000, "tenant/0001/orders/%010d"::formatted);
    assertTrue(spent < 0.70, "bytes over those of entries: " + spent);
  }

  @Test
  void bulkloadFillsPages() {
    double spent = fill(4096, true, 8_000, "tenant/0001/orders/%010d"::formatted);
    assertTrue(spent < 0.70, "bytes over those of entries: " + spent);
  }

  private static final class Keys implements BytesEntrySource {
    private final int count;
    private final IntFunction<String> keys;
    private int at = -1;

    Keys(int count, IntFunction<String> keys) {
      this.count = count;
      this.keys = keys;
    }

    @Override
    public boolean next() {
      return ++at < count;
    }

    @Override
    public MemorySegment key() {
      return MemorySegment.ofArray(text(keys.apply(at)));
    }

    @Override
    public void value(ValueReader reader) {
      reader.read(MemorySegment.ofArray(new byte[8]), 0, 8, 0, 8);
    }

    @Override
    public long valueBytes() {
      return 8;
    }
  }
}
