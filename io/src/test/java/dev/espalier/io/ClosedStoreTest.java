// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.LongIndex;
import dev.espalier.io.Faults.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store that was closed, however that went, is out of its pool, and its file says what it is. */
@Timeout(60)
class ClosedStoreTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 16;
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final Faults faults = new Faults();
  private final BufferPool pool = BufferPool.create((FRAMES + 1) * PAGE_BYTES, PAGE_BYTES);
  private FilePageStore store;

  @BeforeEach
  void makeStore() {
    store = store("pages");
  }

  private FilePageStore store(String name) {
    return Stores.create(folder.resolve(name), faults.over(PageFiles.CHANNEL), pool);
  }

  /** Checks that a pool has no trace of closed stores: another can use all its frames. */
  @AfterEach
  void useAllFrames() {
    if (!store.isClosed()) {
      store.close();
    }
    try (FilePageStore other = store("other")) {
      int[] pages = Stores.allocate(other, 3 * FRAMES);
      for (int page : pages) {
        long offset = other.pin(page);
        assertEquals(page, Stores.contents(other, offset));
        other.unpin(offset, false);
      }
      long[] offsets =
          LongStream.rangeClosed(1, FRAMES).map(page -> other.pin((int) page)).toArray();
      LongStream.of(offsets).forEach(offset -> other.unpin(offset, false));
    }
    pool.close();
  }

  private boolean isClean() {
    return Espalier.describe(folder.resolve("pages"), FileOptions.DEFAULT).isClean();
  }

  @Test
  void changeLeftHalfwayIsToldByCloseAndByTheFile() {
    Stores.allocate(store, 5);
    store.flush();
    Stores.allocate(store, 1);
    PageFileException cause = new PageFileException(store.file.path(), "unreadable", Errno.EIO);
    store.leftHalfway(cause);
    PageFileException lost = assertThrows(PageFileException.class, store::close);
    assertSame(cause, lost.getCause());
    assertTrue(lost.getMessage().startsWith(store.file.path() + ": closed without "));
    assertTrue(lost.getMessage().contains("unreadable"), lost.getMessage());
    assertTrue(store.isClosed());
    assertFalse(isClean());
    store.close(); // a second call does nothing
  }

  @Test
  void changeLeftHalfwayIsToldEvenIfTheHeaderCanNotBeWritten() {
    Stores.allocate(store, 5);
    store.leftHalfway(new IllegalStateException("torn"));
    faults.failFrom(1, Errno.EIO, Operation.WRITE);
    PageFileException lost = assertThrows(PageFileException.class, store::close);
    assertTrue(lost.getMessage().contains("torn"), lost.getMessage());
    assertEquals(Errno.EIO, ((PageFileException) lost.getSuppressed()[0]).errno());
    assertTrue(store.isClosed());
    faults.heal();
  }

  @Test
  void pageIsNotGivenOutWhenTheStoreIsClosedMeanwhile() {
    faults.afterNext(Operation.GROW, store::close);
    IllegalStateException closed = assertThrows(IllegalStateException.class, store::allocate);
    assertTrue(closed.getMessage().contains("closed"), closed.getMessage());
  }

  @Test
  void pageChangedAfterTheStoreWasClosedHarmsNoOtherIndex() {
    int[] pages = Stores.allocate(store, 3);
    long[] leaked = {store.pin(pages[0]), store.pin(pages[1]), store.pin(pages[2])};
    store.close();
    for (long offset : leaked) {
      store.unpin(offset, true);
    }
  }

  @Test
  void pagesAreNotReadAheadForAClosedStore() {
    int[] pages = Stores.allocate(store, 3 * FRAMES);
    store.flush();
    store.close();
    store.readAhead(pages, 0, 4);
    assertEquals(0, pool.counters().readAheads());
    assertThrows(IllegalStateException.class, () -> store.pin(pages[0]));
  }

  @Test
  void closeThatThrowsGivesUpDescriptorLockAndMemory() throws IOException {
    Path path = folder.resolve("index");
    FileOptions options =
        PagedTrees.options("DiskFirstFpbPlusTree", PAGE_BYTES, FRAMES)
            .withEngine(faults.over(PageFiles.BEST));
    LongIndex index = Espalier.open(path, options);
    index.put(1, 1);
    faults.failFrom(1, Errno.EIO, Operation.WRITE);
    assertThrows(PageFileException.class, index::close);
    faults.heal();
    assertTrue(index.isClosed());
    assertThrows(IllegalStateException.class, () -> index.get(1));
    assertEquals(0, Espalier.describe(path, FileOptions.DEFAULT).entries());
    Espalier.open(path, options).close();
    assumeTrue(Files.isDirectory(DESCRIPTORS), "the system does not list descriptors");
    assertEquals(0, descriptors(path));
  }

  private static long descriptors(Path path) throws IOException {
    try (Stream<Path> all = Files.list(DESCRIPTORS)) {
      return all.filter(each -> leadsTo(each, path)).count();
    }
  }

  private static boolean leadsTo(Path descriptor, Path path) {
    try {
      return Files.readSymbolicLink(descriptor).equals(path.toRealPath());
    } catch (IOException gone) {
      return false;
    }
  }
}
