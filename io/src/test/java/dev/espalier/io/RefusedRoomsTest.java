// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a pool does if the system refuses memory to gather what is written. */
@Timeout(60)
@Tag("fallback-too")
class RefusedRoomsTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 16;
  private static final int ROOMS = 3;

  /** More than the address space of a process. */
  private static final long TOO_MANY_BYTES = 1L << 60;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final AtomicInteger asked = new AtomicInteger();
  private final HeldWrites writes = new HeldWrites();

  /** Takes memory for the first batch, and asks for too much for any other. */
  private MemorySegment forOneBatch(Arena arena, long bytes) {
    long wanted = asked.getAndIncrement() == 0 ? bytes : TOO_MANY_BYTES;
    return Region.ofArena(arena, wanted, Descriptor.DIRECT_ALIGNMENT);
  }

  private static long use(SlotPageStore store, int page, boolean changes) {
    long offset = store.pin(page);
    long contents = Stores.contents(store, offset);
    store.unpin(offset, changes);
    return contents;
  }

  @Test
  void poolGoesOnWithTheRoomThatItHas() throws Exception {
    try (BufferPool pool = BufferPool.withRooms(FRAMES, PAGE_BYTES, ROOMS, 2, this::forOneBatch);
        ExecutorService others = Executors.newFixedThreadPool(2)) {
      SlotPageStore store =
          Stores.create(folder.resolve("pages"), writes.over(PageFiles.CHANNEL), pool);
      int[] pages = Stores.allocate(store, 2 * FRAMES);
      assertEquals(1, asked.get(), "one thread needs no more");
      for (int page : pages) {
        use(store, page, true);
      }
      int[] absent =
          Arrays.stream(pages).filter(page -> store.frameOf(page) == Frames.NONE).toArray();
      HeldWrites.Hold hold = writes.next();
      Future<Long> first = others.submit(() -> use(store, absent[0], false));
      hold.awaitBegin();
      Future<Long> second = others.submit(() -> use(store, absent[1], false));
      try {
        while (asked.get() == 1) {
          Thread.onSpinWait();
        }
      } finally {
        hold.release();
      }
      assertEquals(absent[0], first.get(60, TimeUnit.SECONDS));
      assertEquals(absent[1], second.get(60, TimeUnit.SECONDS));
      assertEquals(2, asked.get(), "what was refused is not asked for again");
      assertEquals((FRAMES + 2) * PAGE_BYTES, pool.bytes());
      for (int page : pages) {
        assertEquals(page, use(store, page, true));
      }
      store.flush();
      store.close();
      store.file.close();
    }
  }

  @Test
  void poolWithoutRoomForOneBatchGivesItsMemoryBack() {
    Arena[] ofPool = {Arena.global()};
    WriteRoom.Memory none =
        (arena, _) -> {
          ofPool[0] = arena;
          return Region.ofArena(arena, TOO_MANY_BYTES, Descriptor.DIRECT_ALIGNMENT);
        };
    long shared = BufferPool.mostSharedBytes();
    assertThrows(
        MemoryLimitException.class, () -> BufferPool.withRooms(1 << 14, 4096, ROOMS, 2, none));
    assertFalse(ofPool[0].scope().isAlive());
    assertEquals(shared, BufferPool.mostSharedBytes(), "pools of the process may take it again");
  }
}
