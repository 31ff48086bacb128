// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of pages that were written, if there is no memory to note that. */
@Tag("fallback-too")
class RefusedNotesTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 8;
  private static final int GATHERED = 4;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** Pages in the order of their numbers, of whose writes some can't be noted. */
  private static final class ForgetfulStore extends PooledPageStore {
    private final long[] meta = new long[16];
    private final BitSet notWritten = new BitSet();
    private final BitSet written = new BitSet();
    private int pages;

    /** How many notes are taken before one is refused; negative if none is. */
    private int untilRefusal = -1;

    ForgetfulStore(PageFile file, BufferPool pool) {
      super(
          file,
          pool,
          new StoreCondition(file.path(), "a test", false),
          new AtomicInteger(),
          4 * FRAMES,
          false);
      pool.enter(this);
    }

    @Override
    long position(int page) {
      return written.get(page) ? (long) page * PAGE_BYTES : -1;
    }

    @Override
    long seal(MemorySegment copies, long at, int page) {
      return (long) page * PAGE_BYTES;
    }

    @Override
    void noteWritten(int page, long position, int checksum) {
      if (untilRefusal-- == 0) {
        throw new OutOfMemoryError("Java heap space, says a test");
      }
      written.set(page);
    }

    @Override
    void noteNotWritten(int page, long position) {
      notWritten.set(page);
    }

    @Override
    @Nullable PageFileException fault(MemorySegment memory, long offset, int page) {
      return null;
    }

    @Override
    void checkPage(long page) {
      checkUsable();
    }

    @Override
    public long[] meta() {
      return meta;
    }

    @Override
    public void whenMetaIsWanted(Runnable task) {}

    @Override
    public int allocate() {
      pool.waves.addFresh(this, pages + 1);
      return ++pages;
    }

    @Override
    public int allocate(int count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void free(int page) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void clear() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int pagesInUse() {
      return pages;
    }

    @Override
    public boolean isInUse(int page) {
      return page <= pages;
    }

    @Override
    public boolean hasRoom(long extent, long more) {
      return true;
    }

    @Override
    public void leftHalfway(Throwable cause) {
      condition.noteHalfway(cause);
    }

    @Override
    public void flush() {
      pool.writeBack.writeAll(this);
    }

    @Override
    public void close() {
      condition.noteClosed();
      pool.invalidation.forget(this);
      pool.leave(this);
    }
  }

  private static List<Integer> unwritten(ForgetfulStore store) {
    return IntStream.rangeClosed(1, store.pagesInUse())
        .filter(page -> store.frames.isUnwritten(store.frameOf(page)))
        .boxed()
        .toList();
  }

  @Test
  void pagesWhoseWriteIsNotNotedStayChangedAndNobodyWaitsForThem() {
    assertTimeoutPreemptively(Duration.ofSeconds(60), this::refuseOneOfFour);
  }

  private void refuseOneOfFour() {
    try (BufferPool pool = BufferPool.withRooms(FRAMES, PAGE_BYTES, 1, GATHERED);
        PageFile file = PageFiles.CHANNEL.open(folder.resolve("f"), Access.CREATE, PAGE_BYTES)) {
      file.grow(4L * FRAMES * PAGE_BYTES);
      ForgetfulStore store = new ForgetfulStore(file, pool);
      Stores.allocate(store, FRAMES);
      store.untilRefusal = 1;
      assertThrows(OutOfMemoryError.class, store::allocate);

      assertEquals(List.of(2, 3, 4, 5, 6, 7, 8), unwritten(store));
      assertEquals(FRAMES - 1, store.changedPages.get());
      assertEquals(BitSet.valueOf(new long[] {0b11100}), store.notWritten);
      IntStream.rangeClosed(1, FRAMES)
          .forEach(page -> assertFalse(pool.frames.isBeingWritten(store.frameOf(page))));

      int[] more = Stores.allocate(store, FRAMES); // others make room, and are written
      assertEquals(FRAMES + 1, more[0]);
      store.flush();
      assertEquals(0, store.changedPages.get());
      for (int page = 1; page <= 2 * FRAMES; page++) {
        long offset = store.pin(page);
        assertEquals(page, Stores.contents(store, offset));
        store.unpin(offset, false);
      }
      store.close();
    }
  }
}
