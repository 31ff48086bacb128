// SPDX-License-Identifier: Apache-2.0
package dev.espalier.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.memory.ForwardingPageStore;
import dev.espalier.memory.HugePages;
import dev.espalier.memory.MemoryPageStore;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Writes of another thread while a cursor is on its way from one leaf to the next. */
class StepsBesideWritesTest {
  private static final int STRIDE = 10;
  private static final int ENTRIES = 200;

  private final Watched pages = new Watched();
  private final ConcurrentPrefixBPlusTree index = ConcurrentPrefixBPlusTree.open(pages);

  /** Does something before a page is looked at. */
  private static final class Watched extends ForwardingPageStore {
    private int watched;
    private Runnable action = () -> {};

    /** Done before a page is pinned by the one who changes the structure. */
    private @Nullable Runnable atChange;

    private BooleanSupplier isChanging = () -> false;

    Watched() {
      super(new MemoryPageStore(512, Long.MAX_VALUE, HugePages.OFF));
    }

    @Override
    public long look(int page) {
      if (page == watched) {
        watched = 0;
        action.run();
      }
      return super.look(page);
    }

    @Override
    public long pin(int page) {
      Runnable now = atChange;
      if (now != null && isChanging.getAsBoolean()) {
        atChange = null;
        now.run();
      }
      return super.pin(page);
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
    long last = enterNextLeaf(cursor);
    long first = key(cursor);
    int next = leafOf(first);
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

  /** A leaf is empty until what has emptied it merges it; and two are passed then. */
  @Test
  void aStepOverAnEmptyLeafSeesTheWritesBeforeTheOneItSees() {
    for (long i = 0; i < ENTRIES; i++) {
      set(i * STRIDE);
    }
    BytesCursor cursor = index.cursor();
    assertTrue(cursor.first());
    long last = enterNextLeaf(cursor);
    final long first = key(cursor);
    final long end = enterNextLeaf(cursor);
    final int behind = leafOf(key(cursor));
    final long added = key(cursor) - 1;
    index.delete(bytes(key(cursor))); // So the leaf behind has room.
    for (long key = first; key < end; key += STRIDE) {
      index.delete(bytes(key));
      set(key);
    }
    for (long key = first + STRIDE; key <= end; key += STRIDE) {
      assertTrue(index.delete(bytes(key)));
    }
    pages.isChanging = index.structure().shared().structure::isHeldByCurrentThread;
    pages.atChange =
        () -> {
          BytesCursor reader = index.cursor();
          assertTrue(reader.floor(MemorySegment.ofArray(bytes(last))));
          pages.watched = behind;
          pages.action =
              () ->
                  CompletableFuture.runAsync(
                          () -> {
                            set(first);
                            set(added);
                          })
                      .join();
          assertTrue(reader.next());
          assertEquals(first, key(reader), "it was there before " + added);
          assertTrue(reader.next());
          assertEquals(added, key(reader));
        };
    assertTrue(index.delete(bytes(first)));
    assertNull(pages.atChange, "the leaf was to be merged");
    assertEquals(0, pages.watched, "the leaf behind it was looked at");
    index.verify();
  }

  /** Goes to the first entry of the next leaf; returns the last key of the one before. */
  private long enterNextLeaf(BytesCursor cursor) {
    int leaf = leafOf(key(cursor));
    long last;
    do {
      last = key(cursor);
      assertTrue(cursor.next());
    } while (leafOf(key(cursor)) == leaf);
    return last;
  }

  /** Returns the page where a key is. */
  private int leafOf(long key) {
    PrefixSpace space = index.structure().shared();
    int operation = space.epochs.enter();
    try {
      PrefixLook look = new PrefixLook(index.structure(), space);
      look.findLeaf(MemorySegment.ofArray(bytes(key)), 0);
      look.release();
      return look.number;
    } finally {
      space.epochs.exit(operation);
    }
  }
}
