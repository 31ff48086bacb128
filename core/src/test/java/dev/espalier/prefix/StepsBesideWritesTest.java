// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Writes of another thread while a cursor is on its way from one leaf to the next. */
class StepsBesideWritesTest {
  private static final int STRIDE = 10;
  private static final int ENTRIES = 200;

  private final Watched pages = new Watched();
  private final BytesIndex index = ConcurrentPrefixBPlusTree.open(pages);

  /** Knows which page was looked at last, and does something before one is. */
  private static final class Watched extends ForwardingPageStore {
    private int last;
    private int watched;
    private Runnable action = () -> {};

    Watched() {
      super(new MemoryPageStore(512, Long.MAX_VALUE, HugePages.OFF));
    }

    @Override
    public long look(int page) {
      last = page;
      if (page == watched) {
        watched = 0;
        action.run();
      }
      return super.look(page);
    }
  }

  private void set(long key) {
    index.set(bytes(key), new byte[8]);
  }

  private static byte[] bytes(long key) {
    return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
  }

  private static long key(BytesCursor cursor) {
    return ByteBuffer.wrap(cursor.keyArray()).getLong();
  }

  @Test
  void aStepThatSeesAWriteSeesThoseBeforeIt() {
    for (long i = 0; i < ENTRIES; i++) {
      set(i * STRIDE);
    }
    for (long i = 1; i < ENTRIES; i += 3) {
      index.delete(bytes(i * STRIDE)); // So leaves have room.
    }
    BytesCursor cursor = index.cursor();
    assertTrue(cursor.first());
    long last;
    do {
      last = key(cursor);
      pages.last = 0;
      assertTrue(cursor.next());
    } while (pages.last == 0);
    int next = pages.last;
    long first = key(cursor);
    index.delete(bytes(first));
    assertTrue(cursor.floor(MemorySegment.ofArray(bytes(last))));
    long added = last + 1;
    pages.watched = next;
    pages.action =
        () -> {
          set(added);
          set(first);
        };
    assertTrue(cursor.next());
    assertEquals(added, key(cursor));
    assertTrue(cursor.next());
    assertEquals(first, key(cursor));
  }
}
