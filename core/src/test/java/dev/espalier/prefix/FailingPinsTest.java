// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.Drawn;
import dev.espalier.IndexOptions;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.PageStore;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Pages that can't be had in the middle of a change, because the device fails or the pool is
 * exhausted: either nothing has changed, or the store is told that the change was left halfway.
 */
@Timeout(60)
class FailingPinsTest {
  private static final int PAGE_BYTES = 1024;
  private static final int KEYS = 60;

  /** Changes, most of which have to do with long values. */
  enum Change {
    NEW_VALUE(index -> index.set(key(KEYS), value(1, 700))),
    LONG_FOR_LONG(index -> index.set(key(7), value(2, 3000))),
    SHORT_FOR_LONG(index -> index.set(key(7), value(3, 10))),
    PUT(index -> index.put(key(9), value(4, 650))),
    PUT_IF_ABSENT(index -> index.putIfAbsent(key(8), value(5, 700))),
    LONG_KEY(index -> index.set(longKey(), value(6, 900))),
    DELETE(index -> index.delete(key(7))),
    REMOVE(index -> index.remove(key(10))),
    RANGE(index -> index.removeRange(key(3), true, key(30), true)),
    LEAVES(index -> index.removeRange(key(0), true, key(KEYS - 2), false));

    private final Consumer<BytesIndex> change;

    Change(Consumer<BytesIndex> change) {
      this.change = change;
    }

    /** Tells whether a part of the change may have been made. */
    boolean isOfMany() {
      return this == RANGE || this == LEAVES;
    }
  }

  /** A store of which some pins fail. */
  private static final class FailingPins extends ForwardingPageStore {
    private long pins;
    private long from = Long.MAX_VALUE;
    private long to;
    private boolean isHalfway;

    FailingPins(PageStore store) {
      super(store);
    }

    /** Lets so many pins fail from one on, counted from 1. */
    void fail(long number, long count) {
      pins = 0;
      from = number;
      to = number + count;
    }

    private void count() {
      pins++;
      if (pins >= from && pins < to) {
        throw new IllegalStateException("no page, as ordered");
      }
    }

    @Override
    public long pin(int page) {
      count();
      return super.pin(page);
    }

    @Override
    public long pinFresh(int page) {
      count();
      return super.pinFresh(page);
    }

    @Override
    public void leftHalfway(Throwable cause) {
      isHalfway = true;
    }
  }

  private static byte[] key(int i) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
  }

  private static byte[] longKey() {
    return Arrays.copyOf(key(5), 300);
  }

  private static byte[] value(int number, int length) {
    byte[] value = new byte[length];
    for (int i = 0; i < length; i++) {
      value[i] = (byte) (number + i * 31);
    }
    return value;
  }

  private static TreeMap<byte[], byte[]> entries(BytesIndex index) {
    TreeMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
    for (var cursor = index.cursor(); cursor.next(); ) {
      entries.put(cursor.keyArray(), cursor.valueArray());
    }
    return entries;
  }

  private static void assertSame(TreeMap<byte[], byte[]> expected, BytesIndex index) {
    TreeMap<byte[], byte[]> found = entries(index);
    assertEquals(expected.size(), found.size());
    expected.forEach((key, value) -> assertArrayEquals(value, found.get(key)));
  }

  /** Makes a tree with values of all forms, and gaps between their pieces. */
  private static BytesIndex fill(PageStore store) {
    BytesIndex index = ConcurrentPrefixBPlusTree.open(store);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < KEYS; i++) {
        if (i % 9 != 8) {
          index.set(key(i), value(i, i % 3 == 0 ? 20 : 300 + (i * 97 + round * 311) % 2000));
        }
      }
    }
    index.delete(key(KEYS - 1));
    return index;
  }

  @Drawn(false)
  @ParameterizedTest
  @EnumSource
  void aChangeIsMadeOrNotOrIsSaidToBeLeftHalfway(Change change) {
    TreeMap<byte[], byte[]> before;
    TreeMap<byte[], byte[]> after;
    try (PageStore pages = IndexOptions.DEFAULT.pagesInMemory(PAGE_BYTES)) {
      BytesIndex index = fill(pages);
      before = entries(index);
      change.change.accept(index);
      after = entries(index);
    }
    for (int count : new int[] {1, 2, 3, Integer.MAX_VALUE}) {
      boolean hasFailed = true;
      for (long number = 1; hasFailed; number++) {
        hasFailed = fails(change, number, count, before, after);
        assertTrue(number < 10_000);
      }
    }
  }

  /** Lets some pins of a change fail; returns whether there were as many. */
  private static boolean fails(
      Change change,
      long number,
      long count,
      TreeMap<byte[], byte[]> before,
      TreeMap<byte[], byte[]> after) {
    try (FailingPins pages = new FailingPins(IndexOptions.DEFAULT.pagesInMemory(PAGE_BYTES))) {
      BytesIndex index = fill(pages);
      pages.fail(number, count);
      boolean isRefused = false;
      try {
        change.change.accept(index);
      } catch (IllegalStateException refused) {
        isRefused = true;
      }
      boolean hasFailed = pages.pins >= number;
      pages.fail(Long.MAX_VALUE, 0);
      if (!pages.isHalfway) {
        index.verify();
        if (!isRefused) {
          assertSame(after, index);
        } else if (!change.isOfMany()) {
          assertSame(before, index);
        }
        index.set(key(100), value(7, 800));
        index.verify();
      }
      return hasFailed;
    }
  }
}
