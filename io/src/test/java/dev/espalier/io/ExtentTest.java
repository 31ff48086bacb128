// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.Faults.Operation;
import dev.espalier.memory.MemoryLimitException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Extents in a file: where they are, that nothing is read for them, and a full device. */
@Timeout(60)
class ExtentTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 8;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final Faults faults = new Faults();
  private final BufferPool pool = BufferPool.create((FRAMES + 1) * PAGE_BYTES, PAGE_BYTES);
  private SlotPageStore store;

  @BeforeEach
  void makeStore() {
    store = Stores.create(folder.resolve("pages"), faults.over(PageFiles.CHANNEL), pool);
  }

  @AfterEach
  void closePool() {
    faults.heal();
    store.close();
    pool.close();
  }

  private void write(int first, int count, long contents) {
    for (int page = first; page < first + count; page++) {
      long offset = store.pinFresh(page);
      store.segment().set(ValueLayout.JAVA_LONG, offset + 16, contents + page);
      store.unpin(offset, true);
    }
  }

  private void assertContents(int first, int count, long contents) {
    for (int page = first; page < first + count; page++) {
      long offset = store.pin(page);
      assertEquals(contents + page, store.segment().get(ValueLayout.JAVA_LONG, offset + 16));
      store.unpin(offset, false);
    }
  }

  @Test
  void extentIsWrittenWithoutReadingAndReadAgain() {
    assertEquals(1, store.allocate());
    assertEquals(2, store.allocate(3 * FRAMES));
    write(2, 3 * FRAMES, 100);
    assertEquals(0, faults.count(Operation.READ));
    assertContents(2, 3 * FRAMES, 100);
    assertEquals(3 * FRAMES + 1, store.pagesInUse());
  }

  @Test
  void extentInTheGapOfAnotherHasNothingOfIt() {
    assertEquals(1, store.allocate(3 * FRAMES));
    write(1, 3 * FRAMES, 100);
    store.flush();
    for (int page = 3; page < 12; page++) {
      store.free(page);
    }
    assertEquals(3, store.allocate(5));
    long reads = faults.count(Operation.READ);
    long offset = store.pinFresh(4);
    assertEquals(reads, faults.count(Operation.READ));
    assertEquals(0, store.segment().get(ValueLayout.JAVA_LONG, offset + 16));
    store.unpin(offset, true);
    write(3, 5, 900);
    assertContents(1, 2, 100);
    assertContents(3, 5, 900);
    assertContents(12, 5, 100);
  }

  @Test
  void pinOfAPageThatIsThereIsNotFreshAgain() {
    store.allocate(1);
    write(1, 1, 5);
    assertContents(1, 1, 5);
    long offset = store.pinFresh(1);
    assertEquals(6, store.segment().get(ValueLayout.JAVA_LONG, offset + 16));
    store.unpin(offset, false);
  }

  @Test
  void fullDeviceRefusesAnExtentAndWhatFitsIsTaken() {
    store.allocate(4);
    write(1, 4, 100);
    faults.failFrom(1, Errno.ENOSPC, Operation.GROW);
    MemoryLimitException full =
        assertThrows(MemoryLimitException.class, () -> store.allocate(5_000));
    assertTrue(full.getMessage().contains("ENOSPC"), full.getMessage());
    assertTrue(full.getMessage().contains(folder.toString()), full.getMessage());
    assertEquals(4, store.pagesInUse());
    assertFalse(store.isInUse(5));
    store.free(2);
    store.free(3);
    assertEquals(2, store.allocate(2));
    write(2, 2, 200);
    assertContents(2, 2, 200);
    faults.heal();
    assertEquals(5, store.allocate(5_000));
    assertEquals(5_004, store.pagesInUse());
  }

  @Test
  void hasRoomForAsManyPagesAsThereAreNumbers() {
    store.allocate(10);
    assertTrue(store.hasRoom(1_000_000, 1_000_000));
    assertTrue(store.hasRoom(Integer.MAX_VALUE - 10, 0));
    assertFalse(store.hasRoom(Integer.MAX_VALUE - 10, 1));
    assertFalse(store.hasRoom(1L << 40, 0));
    assertThrows(MemoryLimitException.class, () -> store.allocate(Integer.MAX_VALUE));
    assertEquals(10, store.pagesInUse());
  }

  @Test
  void pagesThatCanNotBeWrittenRefuseTheNextOneAtOnceAndCanBeTakenBack() {
    store.allocate(3 * FRAMES);
    write(1, 2, 100);
    store.flush();
    faults.failFrom(1, Errno.EIO, Operation.WRITE);
    IllegalStateException refused =
        assertThrows(IllegalStateException.class, () -> write(3, 2 * FRAMES, 100));
    assertTrue(refused.getMessage().contains("EIO"), refused.getMessage());
    assertTrue(refused.getMessage().contains(folder.toString()), refused.getMessage());
    assertThrows(IllegalStateException.class, () -> store.allocate(1));
    for (int page = 3; page <= 3 * FRAMES; page++) {
      store.free(page);
    }
    assertEquals(2, store.pagesInUse());
    assertContents(1, 2, 100); // Frames are free again to read them.
  }
}
