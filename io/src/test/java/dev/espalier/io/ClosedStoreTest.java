// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
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
  private SlotPageStore store;

  @BeforeEach
  void makeStore() {
    store = store("pages");
  }

  private SlotPageStore store(String name) {
    return Stores.create(folder.resolve(name), faults.over(PageFiles.CHANNEL), pool);
  }

  /** Checks that a pool has no trace of closed stores: another can use all its frames. */
  @AfterEach
  void useAllFrames() {
    if (!store.isClosed()) {
      store.close();
    }
    try (SlotPageStore other = store("other")) {
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

  private StoreOptions options() {
    return StoreOptions.DEFAULT
        .withFiles(
            PagedTrees.options("DiskFirstFpbPlusTree", PAGE_BYTES, FRAMES)
                .withEngine(faults.over(PageFiles.DIRECT)))
        .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
  }

  @Test
  void changeLeftHalfwayIsToldByCloseAndUndoneByTheNextOpening() {
    Path path = folder.resolve("index");
    IndexStore opened = IndexStore.open(path, options());
    LongIndex index = opened.index("a");
    index.put(1, 1);
    opened.commit();
    index.put(2, 2);
    PageFileException cause = new PageFileException(path, "unreadable", Errno.EIO);
    opened.state().open.get("a").pages().leftHalfway(cause);
    assertThrows(IllegalStateException.class, () -> index.get(1));
    PageFileException lost = assertThrows(PageFileException.class, opened::close);
    assertSame(cause, lost.getCause());
    assertTrue(lost.getMessage().startsWith(path + ": closed without "));
    assertTrue(lost.getMessage().contains("unreadable"), lost.getMessage());
    assertTrue(opened.isClosed());
    opened.close(); // a second call does nothing
    assertFalse(Espalier.describe(path, FileOptions.DEFAULT).isClean());
    try (IndexStore again = IndexStore.open(path, options())) {
      assertEquals(1, again.index("a").get(1));
    }
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
    LongIndex index = Espalier.open(path, options());
    index.put(1, 1);
    faults.failFrom(1, Errno.EIO, Operation.WRITE);
    assertThrows(PageFileException.class, index::close);
    faults.heal();
    assertTrue(index.isClosed());
    assertThrows(IllegalStateException.class, () -> index.get(1));
    assertFalse(Espalier.describe(path, FileOptions.DEFAULT).isClean());
    Espalier.open(path, options()).close();
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

  /** Opens a store whose log, or only its pages, may fail. */
  private IndexStore open(Path path, boolean logMayFail) {
    PageFileOpener faulty = faults.over(PageFiles.DIRECT);
    StoreFiles files = new SystemFiles(faulty, logMayFail ? faulty : PageFiles.DIRECT);
    return new StoreOpening(path, options(), Stores.environment(faulty).withFiles(files)).open();
  }

  @Test
  void whatOnlyTheLogHasSurvivesALastCheckpointThatFails() {
    Path path = folder.resolve("index");
    IndexStore opened = open(path, false);
    LongIndex index = opened.index("a");
    index.put(1, 1);
    opened.commit();
    index.put(2, 2);
    faults.failFrom(1, Errno.EIO, Operation.WRITE);
    PageFileException lost = assertThrows(PageFileException.class, opened::close);
    faults.heal();
    assertTrue(lost.getMessage().contains("the next opening recovers"), lost.getMessage());
    assertEquals(0, lost.getSuppressed().length);
    try (IndexStore again = IndexStore.open(path, options())) {
      assertEquals(2, again.index("a").get(2));
    }
  }

  @Test
  void whatOnlyTheLogHasSurvivesAnEarlierFailureOfAPage() {
    Path path = folder.resolve("index");
    IndexStore opened = open(path, false);
    LongIndex index = opened.index("a");
    index.put(1, 1);
    index.put(2, 2);
    faults.failFrom(1, Errno.EIO, Operation.WRITE);
    assertThrows(PageFileException.class, opened::checkpoint);
    assertThrows(IllegalStateException.class, () -> index.put(3, 3));
    PageFileException lost = assertThrows(PageFileException.class, opened::close);
    faults.heal();
    assertTrue(lost.getMessage().contains("the next opening recovers"), lost.getMessage());
    try (IndexStore again = IndexStore.open(path, options())) {
      assertEquals(2, again.index("a").get(2));
    }
  }

  @Test
  void closeSaysWhatMayBeLostIfTheLogFailsAsWell() {
    Path path = folder.resolve("index");
    IndexStore opened = open(path, true);
    LongIndex index = opened.index("a");
    index.put(1, 1);
    opened.commit();
    index.put(2, 2);
    faults.failFrom(1, Errno.EIO, Operation.WRITE);
    PageFileException lost = assertThrows(PageFileException.class, opened::close);
    faults.heal();
    assertTrue(
        lost.getMessage().endsWith("what was written since the last commit may be lost"),
        lost.getMessage());
    assertEquals(1, lost.getSuppressed().length);
    try (IndexStore again = IndexStore.open(path, options())) {
      assertEquals(1, again.index("a").get(1));
    }
  }

  @Test
  void anIndexThatCantBeClosedKeepsNothingElseFromBeingClosed() {
    Path path = folder.resolve("index");
    IndexStore opened = open(path, false);
    opened.index("a").put(1, 1);
    OpenIndex index = opened.state().open.get("a");
    opened.state().open.put("a", new Unwilling(index));
    IllegalStateException failed = assertThrows(IllegalStateException.class, opened::close);
    assertEquals("closed unwillingly", failed.getMessage());
    assertTrue(opened.isClosed());
    try (IndexStore again = IndexStore.open(path, options())) {
      assertEquals(1, again.index("a").get(1));
    }
  }

  /** An index that is closed, and fails then. */
  private record Unwilling(OpenIndex index) implements OpenIndex {
    @Override
    public int id() {
      return index.id();
    }

    @Override
    public SlotPageStore pages() {
      return index.pages();
    }

    @Override
    public IndexLocks locks() {
      return index.locks();
    }

    @Override
    public boolean isOf(StoreWriter other) {
      return index.isOf(other);
    }

    @Override
    public IndexFailures failures() {
      return index.failures();
    }

    @Override
    public void closeTree() {
      index.closeTree();
      throw new IllegalStateException("closed unwillingly");
    }

    @Override
    public void verifyTree(ProgressListener listener) {
      index.verifyTree(listener);
    }
  }
}
