// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What readers find between two steps of a write: at each page that a writer comes to, all ways to
 * read must agree that the write has happened, or that it has not, and once it has, so it stays.
 */
class SplitsBesideReadersTest {
  private static final int WRITES = 600;
  private static final int MOST_KEYS = 300;

  /** Cursors before the write begins, at the entries around its key. */
  private static final int CURSORS_EACH_SIDE = 6;

  private final Paused pages = new Paused();
  private final BytesIndex index = ConcurrentPrefixBPlusTree.open(pages);
  private final TreeMap<Long, byte[]> before = new TreeMap<>();
  private final TreeMap<Long, byte[]> after = new TreeMap<>();

  /** Lets readers in whenever a writer comes to a page, or leaves one. */
  private static final class Paused extends ForwardingPageStore {
    private Runnable readers = () -> {};
    private boolean isReading;

    Paused() {
      super(new MemoryPageStore(512, Long.MAX_VALUE, HugePages.OFF));
    }

    private void pause() {
      if (!isReading) {
        isReading = true;
        try {
          readers.run();
        } finally {
          isReading = false;
        }
      }
    }

    @Override
    public long pin(int page) {
      pause();
      return super.pin(page);
    }

    @Override
    public long pinFresh(int page) {
      pause();
      return super.pinFresh(page);
    }

    @Override
    public void unpin(long offset, boolean changed) {
      super.unpin(offset, changed);
      pause();
    }
  }

  /** A write, and the readers that it meets. */
  private final class Write implements Runnable {
    private final long key;
    private final TreeMap<Long, BytesCursor> cursors = new TreeMap<>();
    private boolean hasHappened;
    private int pauses;

    Write(long key) {
      this.key = key;
      Long from = key;
      Long to = key;
      for (int i = 0; i < CURSORS_EACH_SIDE; i++) {
        from = from == null ? null : before.lowerKey(from);
        to = to == null ? null : before.higherKey(to);
        place(from);
        place(to);
      }
    }

    private void place(@Nullable Long at) {
      if (at != null && at != key) {
        BytesCursor cursor = index.cursor();
        cursors.put(at, cursor);
        assertTrue(cursor.floor(memory(at)));
      }
    }

    @Override
    public void run() {
      pauses++;
      byte[] found = index.get(bytes(key));
      if (hasHappened) {
        assertArrayEquals(after.get(key), found, "a lookup of " + key + " has found it before");
      }
      hasHappened = Arrays.equals(after.get(key), found);
      TreeMap<Long, byte[]> now = hasHappened ? after : before;
      assertArrayEquals(now.get(key), found);
      for (Map.Entry<Long, BytesCursor> each : cursors.entrySet()) {
        BytesCursor cursor = each.getValue();
        assertEntry(now.higherEntry(each.getKey()), cursor, cursor.next());
        assertTrue(cursor.floor(memory(each.getKey())));
        assertEntry(now.lowerEntry(each.getKey()), cursor, cursor.previous());
        assertTrue(cursor.ceiling(memory(each.getKey())));
      }
      BytesCursor cursor = index.cursor();
      assertEntry(now.ceilingEntry(key), cursor, cursor.ceiling(memory(key)));
      assertEntry(now.floorEntry(key), cursor, cursor.floor(memory(key)));
      assertEntry(now.firstEntry(), cursor, cursor.first());
      assertEntry(now.lastEntry(), cursor, cursor.last());
      assertAll(now);
    }

    private void assertAll(TreeMap<Long, byte[]> now) {
      BytesCursor cursor = index.cursor();
      List<Long> upwards = new ArrayList<>();
      for (boolean isOn = cursor.first(); isOn; isOn = cursor.next()) {
        upwards.add(key(cursor));
      }
      assertEquals(List.copyOf(now.keySet()), upwards, "upwards beside a write of " + key);
      List<Long> downwards = new ArrayList<>();
      for (boolean isOn = cursor.last(); isOn; isOn = cursor.previous()) {
        downwards.add(key(cursor));
      }
      assertEquals(List.copyOf(now.descendingKeySet()), downwards, "downwards beside " + key);
    }

    private void assertEntry(
        Map.@Nullable Entry<Long, byte[]> expected, BytesCursor cursor, boolean isOn) {
      assertEquals(expected != null, isOn);
      if (expected != null) {
        assertEquals(expected.getKey(), key(cursor), "beside a write of " + key);
        assertArrayEquals(expected.getValue(), cursor.valueArray());
      }
    }
  }

  private static byte[] bytes(long key) {
    return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
  }

  private static MemorySegment memory(long key) {
    return MemorySegment.ofArray(bytes(key));
  }

  private static long key(BytesCursor cursor) {
    return ByteBuffer.wrap(cursor.keyArray()).getLong();
  }

  private Write begin(long key) {
    before.clear();
    before.putAll(after);
    return new Write(key);
  }

  private int set(long key, byte[] value) {
    Write write = begin(key);
    after.put(key, value);
    pages.readers = write;
    index.set(bytes(key), value);
    pages.readers = () -> {};
    return write.pauses;
  }

  private void delete(long key) {
    Write write = begin(key);
    after.remove(key);
    pages.readers = write;
    assertTrue(index.delete(bytes(key)));
    pages.readers = () -> {};
  }

  /** Values of all lengths that are in a page, and some that are not. */
  private static byte[] value(SplittableRandom random) {
    byte[] value = new byte[random.nextInt(8) == 0 ? 600 : random.nextInt(40)];
    random.nextBytes(value);
    return value;
  }

  @Test
  void readersFindAWriteAllTogether() {
    SplittableRandom random = new SplittableRandom(1);
    int pauses = 0;
    for (int i = 0; i < WRITES; i++) {
      long key = random.nextInt(MOST_KEYS);
      if (after.size() > MOST_KEYS / 4 && i % 3 == 0 && after.containsKey(key)) {
        delete(key);
      } else {
        pauses = Math.max(pauses, set(key, value(random)));
      }
    }
    assertTrue(index.rootView().level() > 1, "pages above leaves were split, too");
    assertTrue(pauses > 20, pauses + " pauses in a write");
    index.verify();
  }

  @Test
  void readersFindAnEntryBehindTheLastOneAllTogether() {
    for (long key = 0; key < MOST_KEYS; key++) {
      set(key, new byte[16]);
    }
    index.verify();
  }
}
