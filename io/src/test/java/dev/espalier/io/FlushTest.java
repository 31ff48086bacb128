// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.Faults.Done;
import dev.espalier.io.Faults.Operation;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A header that says clean is true whenever the machine stops: what is written in which order. */
class FlushTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 16;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final Faults watch = new Faults();
  private final BufferPool pool = BufferPool.create((FRAMES + 1) * PAGE_BYTES, PAGE_BYTES);
  private FilePageStore store;

  @BeforeEach
  void makeStore() {
    store = Stores.create(folder.resolve("pages"), watch.over(PageFiles.CHANNEL), pool);
  }

  @AfterEach
  void closePool() {
    store.close();
    pool.close();
  }

  /** Returns what a flush does to the file but for growing, position 0 standing for headers. */
  private List<Done> flush() {
    int before = watch.done().size();
    store.flush();
    return watch.done().stream()
        .skip(before)
        .filter(done -> done.operation() != Operation.GROW)
        .map(done -> isHeader(done) ? new Done(Operation.WRITE, 0) : done)
        .toList();
  }

  private static boolean isHeader(Done done) {
    return done.operation() == Operation.WRITE
        && done.position() < (long) FileHeader.BLOCKS * PAGE_BYTES;
  }

  /** Checks that each header is forced before anything else is done, and is the only thing then. */
  private static void assertHeadersStandAlone(List<Done> done) {
    Done force = new Done(Operation.FORCE, -1);
    Done header = new Done(Operation.WRITE, 0);
    assertEquals(List.of(header, force), done.subList(0, 2), "says that the file is changing");
    int last = done.size();
    assertEquals(List.of(force, header, force), done.subList(last - 3, last), "says clean");
    assertFalse(done.subList(2, last - 3).contains(header));
    assertTrue(done.subList(2, last - 3).stream().allMatch(each -> each.position() > 0));
  }

  @Test
  void pagesAreForcedBetweenTheHeaders() {
    Stores.allocate(store, 5);
    List<Done> done = flush();
    assertHeadersStandAlone(done);
    assertEquals(5 + 5, done.size());
  }

  @Test
  void freePagesAreForcedBetweenTheHeadersEvenIfNoPageWasChanged() {
    int[] pages = Stores.allocate(store, 5);
    flush();
    store.free(pages[3]);
    List<Done> done = flush();
    assertHeadersStandAlone(done);
    assertEquals(1 + 5, done.size());
  }

  @Test
  void flushOfWhatWasNotChangedDoesNothing() {
    Stores.allocate(store, 5);
    flush();
    assertEquals(List.of(), flush());
  }
}
