// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pages that are looked at without a pin, and what may happen to them meanwhile. */
@Timeout(60)
class LooksTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 16;
  private static final int VERSION_SHIFT = 32;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final BufferPool pool = BufferPool.create((FRAMES + 1) * PAGE_BYTES, PAGE_BYTES);
  private SlotPageStore store;
  private int[] pages;

  /** Has twice as many pages as there is room for; the last ones are there. */
  @BeforeEach
  void makeStore() {
    store = Stores.create(folder.resolve("pages"), PageFiles.CHANNEL, pool);
    pages = Stores.allocate(store, 2 * FRAMES);
    store.flush();
  }

  @AfterEach
  void closePool() {
    if (!store.isClosed()) {
      store.close();
    }
    pool.close();
  }

  private void use(int page) {
    long offset = store.pin(page);
    assertEquals(page, Stores.contents(store, offset));
    store.unpin(offset, false);
  }

  private long look(int page) {
    long look = store.look(page);
    assertTrue(look >= 0, "page " + page + " is there");
    return look;
  }

  private int frameOf(int page) {
    return store.frameOf(page);
  }

  /** Lets a page make room for another one, and returns that. */
  private int replace(int page) {
    int frame = frameOf(page);
    int other = pages[0] == page ? pages[1] : pages[0];
    assertEquals(Frames.NONE, frameOf(other));
    store.wontNeed(page);
    use(other);
    assertEquals(frame, frameOf(other));
    return other;
  }

  private long[] words() {
    return IntStream.range(0, FRAMES).mapToLong(pool.frames::state).toArray();
  }

  // ---------------------------------------------------------------- what is there

  @Test
  void lookFindsAPageWhereAPinDoes() {
    for (int page : pages) {
      use(page);
      long look = look(page);
      assertEquals(page, Stores.contents(store, store.offset(look)));
      long offset = store.pin(page);
      assertEquals(offset, store.offset(look));
      store.unpin(offset, false);
      assertTrue(store.isStill(look));
    }
  }

  @Test
  void pagesThatAreNotThereAreNotFound() {
    for (int page : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 10 * FRAMES}) {
      assertTrue(store.look(page) < 0);
    }
    assertEquals(Frames.NONE, frameOf(pages[0]));
    assertTrue(store.look(pages[0]) < 0);
    int last = pages[pages.length - 1];
    store.free(last);
    assertTrue(store.look(last) < 0);
  }

  @Test
  void pageIsNotFoundBeforeItIsRead() {
    int ahead = pages[0];
    store.wontNeed(pages[pages.length - 1]);
    store.readAhead(new int[] {ahead}, 0, 1);
    assertNotEquals(Frames.NONE, frameOf(ahead));
    assertTrue(store.look(ahead) < 0);
    use(ahead);
    assertEquals(ahead, Stores.contents(store, store.offset(look(ahead))));
  }

  // ---------------------------------------------------------------- what is written

  @Test
  void looksChangeNoWordOfAFrameThatWasUsedLately() throws Exception {
    for (int i = FRAMES; i < 2 * FRAMES; i++) {
      use(pages[i]);
    }
    long[] before = words();
    Thread[] threads = new Thread[4];
    int[] found = new int[threads.length];
    for (int thread = 0; thread < threads.length; thread++) {
      int number = thread;
      threads[thread] =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = FRAMES; i < 2 * FRAMES; i++) {
                      found[number] += store.isStill(store.look(pages[i])) ? 1 : 0;
                    }
                  });
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (int count : found) {
      assertEquals(FRAMES, count);
    }
    for (int frame = 0; frame < FRAMES; frame++) {
      assertEquals(before[frame], pool.frames.state(frame), "of frame " + frame);
    }
  }

  @Test
  void firstLookAtAPageThatWasNotUsedLatelySaysThatItIs() {
    int page = pages[FRAMES];
    pool.frames.clear(frameOf(page), Frames.USED);
    long before = pool.frames.state(frameOf(page));
    look(page);
    assertEquals(before | Frames.USED, pool.frames.state(frameOf(page)));
    look(page);
    assertEquals(before | Frames.USED, pool.frames.state(frameOf(page)));
  }

  @Test
  void pageThatIsLookedAtStaysWhileOthersMakeRoom() {
    use(pages[0]); // The hand has gone round, and no other page counts as used any more.
    int kept = pool.frames.page((frameOf(pages[0]) + 1) % FRAMES);
    for (int i = 1; i < FRAMES - 1; i++) {
      look(kept);
      use(pages[i]);
    }
    look(kept);
  }

  @Test
  void pageReadAheadThatIsLookedAtWasNotReadInVain() {
    int page = pages[0];
    store.wontNeed(pages[2 * FRAMES - 1]);
    store.wontNeed(pages[2 * FRAMES - 2]);
    store.readAhead(new int[] {page, pages[1]}, 0, 2);
    use(pages[1]);
    look(page);
    store.wontNeed(page);
    use(pages[2]);
    assertEquals(Frames.NONE, frameOf(page));
    assertEquals(0, pool.counters().readAheadsWasted());
  }

  @Test
  void pagesThatWereLookedAtAreHits() {
    long hits = pool.counters().hits();
    store.noteLooks(3);
    assertEquals(hits + 3, pool.counters().hits());
  }

  // ---------------------------------------------------------------- frames that change hands

  @Test
  void lookIsOverOnceThePageHasMadeRoom() {
    int page = pages[2 * FRAMES - 1];
    long look = look(page);
    int other = replace(page);
    assertFalse(store.isStill(look));
    assertEquals(other, Stores.contents(store, store.offset(look)), "the memory stays");
    assertTrue(store.look(page) < 0);
    assertTrue(store.isStill(look(other)));
  }

  /** As it is when a frame has been found for another page that is not read yet. */
  @Test
  void lookIsOverAsSoonAsTheFrameIsClaimed() {
    int page = pages[2 * FRAMES - 1];
    long look = look(page);
    int frame = frameOf(page);
    assertTrue(pool.frames.makeBusy(frame, 0) >= 0);
    assertFalse(store.isStill(look));
    assertTrue(store.look(page) < 0);
    pool.frames.makePinnable(frame, Frames.USED);
    assertFalse(store.isStill(look), "what was there meanwhile, it can't know");
    assertTrue(store.isStill(look(page)));
  }

  @Test
  void lookIsOverThoughThePageIsInItsFrameAgain() {
    int page = pages[2 * FRAMES - 1];
    int frame = frameOf(page);
    long[] pinned = new long[FRAMES - 1];
    for (int i = 0; i < pinned.length; i++) {
      pinned[i] = store.pin(pages[FRAMES + i]);
    }
    long look = look(page);
    int other = replace(page);
    store.wontNeed(other);
    use(page);
    assertEquals(frame, frameOf(page));
    assertEquals(store.offset(look), store.offset(look(page)));
    assertFalse(store.isStill(look));
    for (long offset : pinned) {
      store.unpin(offset, false);
    }
  }

  @Test
  void versionOfAFrameComesRoundWithoutAnyOtherEffect() {
    int page = pages[2 * FRAMES - 1];
    int frame = frameOf(page);
    pool.frames.set(frame, -1L << VERSION_SHIFT);
    long hits = pool.counters().hits();
    long look = look(page);
    assertTrue(store.isStill(look));
    int other = replace(page);
    assertFalse(store.isStill(look));
    assertEquals(0, pool.frames.state(frame) >>> VERSION_SHIFT);
    assertTrue(store.isStill(look(other)));
    assertEquals(hits, pool.counters().hits());
  }

  @Test
  void lookOutlastsPinsAndWrites() {
    int page = pages[FRAMES];
    long look = look(page);
    store.unpin(store.pin(page), true);
    assertTrue(store.isStill(look));
    store.flush();
    assertTrue(store.isStill(look));
    assertEquals(page, Stores.contents(store, store.offset(look)));
  }

  @Test
  void lookIsOverOnceThePageIsGivenBack() {
    int page = pages[FRAMES];
    long look = look(page);
    store.free(page);
    assertFalse(store.isStill(look));
  }

  @Test
  void lookIsOverOnceAllPagesAreForgotten() {
    long look = look(pages[FRAMES]);
    store.clear();
    assertFalse(store.isStill(look));
  }

  @Test
  void closedStoreHasNoPageToLookAt() {
    int page = pages[FRAMES];
    long look = look(page);
    store.close();
    assertFalse(store.isStill(look));
    assertTrue(store.look(page) < 0);
    assertThrows(IllegalStateException.class, () -> store.pin(page));
  }
}
