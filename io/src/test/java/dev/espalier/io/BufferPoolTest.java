// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the pool reads, keeps, writes and refuses, counted. */
@Timeout(60)
class BufferPoolTest {
  private static final int PAGE_BYTES = 256;
  private static final int FRAMES = 16;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final Faults watch = new Faults();
  private final BufferPool pool = BufferPool.create((FRAMES + 1) * PAGE_BYTES, PAGE_BYTES);
  private SlotPageStore store;

  @BeforeEach
  void makeStore() {
    store = store("pages");
  }

  private SlotPageStore store(String name) {
    return Stores.create(folder.resolve(name), watch.over(PageFiles.CHANNEL), pool);
  }

  @AfterEach
  void closePool() {
    if (!store.isClosed()) {
      store.close();
    }
    pool.close();
  }

  private int[] allocate(int count) {
    return Stores.allocate(store, count);
  }

  private long contents(long offset) {
    return Stores.contents(store, offset);
  }

  private void use(int page) {
    long offset = store.pin(page);
    assertEquals(page, contents(offset));
    store.unpin(offset, false);
  }

  @Test
  void pagesThatFitAreReadOnce() {
    allocate(FRAMES);
    for (int page = 1; page <= FRAMES; page++) {
      use(page);
    }
    assertEquals(0, pool.counters().misses());
    assertEquals(0, pool.counters().written());
  }

  @Test
  void hitsAreCountedBeyondWhatAFrameCanCount() {
    allocate(1);
    use(1);
    int frame = store.frameOf(1);
    long before = pool.counters().hits();
    pool.frames.set(frame, Frames.MANY_HITS);
    long set = pool.counters().hits();
    assertEquals(Frames.MOVED_HITS, set - before);
    use(1);
    use(1);
    assertEquals(set + 2, pool.counters().hits());
    assertEquals(0, pool.frames.state(frame) & Frames.MANY_HITS, "they were moved");
    assertEquals(0, pool.frames.state(frame) & Frames.PINS);
  }

  @Test
  void hitsOfPagesThatMadeRoomStayCounted() {
    int[] pages = allocate(FRAMES);
    store.flush();
    long before = pool.counters().hits();
    for (int page : pages) {
      use(page);
    }
    store.clear();
    assertEquals(before + FRAMES, pool.counters().hits());
  }

  @Test
  void pagesMakeRoomByClock() {
    allocate(FRAMES);
    store.flush();
    // All were used. The hand goes round once, and takes the first it comes to again.
    store.allocate();
    assertEquals(1, pool.counters().evictions());
    use(2); // used again, so the hand passes it
    store.allocate();
    assertEquals(2, pool.counters().evictions());
    long misses = pool.counters().misses();
    use(2);
    assertEquals(misses, pool.counters().misses());
    use(3);
    assertEquals(misses + 1, pool.counters().misses());
  }

  @Test
  void pagesNotNeededMakeRoomFirst() {
    int[] pages = allocate(FRAMES);
    store.wontNeed(pages[7]);
    store.wontNeed(pages[9]);
    store.allocate();
    store.allocate();
    assertEquals(2, pool.counters().evictions());
    assertEquals(2, pool.counters().written(), "others were written too");
    for (int page : pages) {
      if (page != pages[7] && page != pages[9]) {
        use(page);
      }
    }
    assertEquals(0, pool.counters().misses());
    use(pages[7]);
    use(pages[9]);
    assertEquals(2, pool.counters().misses());
  }

  @Test
  void pageNotNeededThatIsUsedStays() {
    int[] pages = allocate(FRAMES);
    store.wontNeed(pages[7]);
    store.wontNeed(pages[9]);
    use(pages[9]);
    store.allocate();
    use(pages[9]);
    assertEquals(0, pool.counters().misses());
    use(pages[7]);
    assertEquals(1, pool.counters().misses());
  }

  @Test
  void pagesToBeGivenBackAreNotWritten() {
    int[] pages = allocate(FRAMES);
    store.flush();
    long written = pool.counters().written();
    for (int page : pages) {
      long offset = store.pin(page);
      store.unpin(offset, page == pages[3]);
      store.willFree(page);
    }
    int[] more = allocate(FRAMES - 1);
    assertEquals(written, pool.counters().written());
    use(pages[3]);
    assertEquals(0, pool.counters().misses());
    for (int page : more) {
      store.free(page);
    }
  }

  @Test
  void hintsForNoFrameOrTooOftenDoNoHarm() {
    int[] pages = allocate(2 * FRAMES);
    for (int round = 0; round < 5; round++) {
      for (int page : pages) {
        store.wontNeed(page);
        store.willFree(page);
      }
    }
    for (int page : pages) {
      use(page);
    }
  }

  @Test
  void changedPagesAreWrittenInOrderAndNeighboursTogether() {
    int[] pages = allocate(FRAMES);
    int before = watch.written().size();
    List<Integer> shuffled = new ArrayList<>();
    for (int page : pages) {
      shuffled.add(page);
    }
    Collections.shuffle(shuffled, new Random(1));
    for (int page : shuffled) {
      long offset = store.pin(page);
      store.unpin(offset, true);
    }
    long requests = pool.counters().writeRequests();
    store.flush();
    List<Long> blocks =
        watch.written().stream()
            .skip(before)
            .filter(at -> at >= StoreHeader.areaBytes(PAGE_BYTES))
            .toList();
    assertEquals(blocks.stream().sorted().toList(), blocks);
    assertEquals(FRAMES, pool.counters().written());
    // The room to gather is one page here: each goes by itself; a larger pool joins them.
    assertEquals(FRAMES, pool.counters().writeRequests() - requests);
  }

  @Test
  void largePoolWritesRunsOfPagesByOneRequest() {
    try (BufferPool large = BufferPool.create(512 * PAGE_BYTES, PAGE_BYTES);
        LongIndex index =
            Espalier.open(
                folder.resolve("run"),
                FileOptions.DEFAULT
                    .withPageBytes(PAGE_BYTES)
                    .withPool(large)
                    .withEngine(PageFiles.CHANNEL))) {
      long[] keys = LongStream.range(0, 2_000).toArray();
      index.bulkload(keys, keys);
      index.flush();
      PoolCounters counters = large.counters();
      assertTrue(counters.written() > 100, counters.toString());
      assertTrue(counters.writeRequests() * 10 < counters.written(), counters.toString());
    }
  }

  @Test
  void pinnedPagesStayWhateverIsRead() {
    int[] pages = allocate(3 * FRAMES);
    long[] offsets = new long[pool.mostPins()];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = pages[i];
    }
    store.pinAll(offsets, 0, offsets.length);
    for (int round = 0; round < 3; round++) {
      for (int page : pages) {
        use(page);
        store.readAhead(pages, page % FRAMES, 8);
      }
    }
    for (int i = 0; i < offsets.length; i++) {
      assertEquals(pages[i], contents(offsets[i]));
      store.unpin(offsets[i], false);
    }
  }

  /** Whoever looks for another page in a frame, which it has lost since, counts a pin there. */
  @Test
  void pageIsTakenBackOnceAPinThatIsCountedForAMomentIsGone() throws Exception {
    int[] pages = allocate(2);
    long offset = store.pin(pages[0]);
    Thread freeing = Thread.currentThread();
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (freeing.getState() != Thread.State.TIMED_WAITING
                      && !Thread.currentThread().isInterrupted()) {
                    Thread.onSpinWait();
                  }
                  store.unpin(offset, false);
                });
    try {
      store.free(pages[0]);
    } finally {
      other.interrupt();
      other.join();
    }
    assertEquals(1, store.pagesInUse());
  }

  @Test
  void waveReadsEachPageOnceAndPinsItAsOftenAsAsked() {
    int[] pages = allocate(2 * FRAMES);
    store.flush();
    for (int i = FRAMES; i < 2 * FRAMES; i++) {
      use(pages[i]);
    }
    long waves = pool.counters().readWaves();
    long[] offsets = {1, 2, 1, 1};
    store.pinAll(offsets, 0, 4);
    assertEquals(waves + 1, pool.counters().readWaves());
    assertEquals(offsets[0], offsets[2]);
    assertEquals(offsets[0], offsets[3]);
    assertEquals(2, contents(offsets[1]));
    store.unpin(offsets[0], false);
    store.unpin(offsets[1], false);
    store.unpin(offsets[2], false);
    IllegalStateException pinned = assertThrows(IllegalStateException.class, () -> store.free(1));
    assertTrue(pinned.getMessage().contains("page 1"), pinned.getMessage());
    store.unpin(offsets[3], false);
    store.free(1);
  }

  @Test
  void pagesReadAheadAreThereWhenTheyArePinned() {
    int[] pages = allocate(3 * FRAMES);
    store.flush();
    long waves = pool.counters().readWaves();
    store.readAhead(pages, 0, 4);
    assertEquals(4, pool.counters().readAheads());
    for (int i = 0; i < 4; i++) {
      use(pages[i]);
    }
    assertEquals(waves + 1, pool.counters().readWaves());
    assertEquals(0, pool.counters().readAheadsWasted());
  }

  @Test
  void exhaustedPoolIsAnExceptionAndNotAHang() {
    int[] pages = allocate(FRAMES + 1);
    List<Long> offsets = new ArrayList<>();
    for (int i = 0; i < FRAMES; i++) {
      offsets.add(store.pin(pages[i]));
    }
    IllegalStateException exhausted =
        assertThrows(IllegalStateException.class, () -> store.pin(pages[FRAMES]));
    assertTrue(exhausted.getMessage().contains("exhausted"), exhausted.getMessage());
    store.unpin(offsets.removeFirst(), false);
    use(pages[FRAMES]);
    for (long offset : offsets) {
      store.unpin(offset, false);
    }
  }

  @Test
  void leakedPinsKeepTheirFramesAndContentsButHarmNoOtherIndex() {
    int[] pages = allocate(4);
    long[] leaked = {store.pin(pages[0]), store.pin(pages[1]), store.pin(pages[2])};
    store.close();
    store = store("others");
    for (int page : allocate(3 * FRAMES)) {
      use(page);
    }
    for (int i = 0; i < leaked.length; i++) {
      assertEquals(pages[i], contents(leaked[i]));
      store.unpin(leaked[i], false); // late, but it frees the frame
    }
    long[] all = new long[FRAMES];
    for (int i = 0; i < FRAMES; i++) {
      all[i] = store.pin(i + 1);
    }
    for (long offset : all) {
      store.unpin(offset, false);
    }
  }

  @Test
  void pageThatIsNotInUseIsNamed() {
    allocate(2);
    for (int page : new int[] {-1, 0, 3, 1 << 20}) {
      CorruptPageException refused =
          assertThrows(CorruptPageException.class, () -> store.pin(page));
      assertTrue(refused.getMessage().contains("page"), refused.getMessage());
      long[] offsets = {1, page};
      assertThrows(CorruptPageException.class, () -> store.pinAll(offsets, 0, 2));
    }
    store.free(1); // was not left pinned
  }

  @Test
  void indexesShareAPoolAndItsLimit() {
    long[] keys = LongStream.range(0, 1_000).toArray();
    try (BufferPool shared = BufferPool.create(33 * 1024, 1024)) {
      FileOptions options =
          FileOptions.DEFAULT.withPageBytes(1024).withPool(shared).withEngine(PageFiles.CHANNEL);
      try (LongIndex a = Espalier.open(folder.resolve("a"), options)) {
        try (LongIndex b = Espalier.open(folder.resolve("b"), options)) {
          for (long key : keys) {
            a.put(key, key);
            b.put(key, -key);
          }
          IllegalStateException used = assertThrows(IllegalStateException.class, shared::close);
          assertTrue(used.getMessage().contains("still used"), used.getMessage());
        }
        for (long key : keys) {
          assertEquals(key, a.get(key));
        }
        a.verify();
      }
      assertThrows(
          IllegalArgumentException.class,
          () -> Espalier.open(folder.resolve("c"), options.withPageBytes(512)));
    }
  }

  @Test
  void indexesThatGrowAtOnceShareAPool() throws Exception {
    try (BufferPool shared = BufferPool.create(33 * 1024, 1024);
        ExecutorService writers = Executors.newFixedThreadPool(3)) {
      FileOptions options =
          FileOptions.DEFAULT.withPageBytes(1024).withPool(shared).withEngine(PageFiles.CHANNEL);
      List<Future<?>> results = new ArrayList<>();
      for (int writer = 0; writer < 3; writer++) {
        Path path = folder.resolve("growing" + writer);
        results.add(writers.submit(() -> grow(path, options)));
      }
      for (Future<?> result : results) {
        result.get();
      }
    }
  }

  private static @Nullable Void grow(Path path, FileOptions options) {
    try (LongIndex index = Espalier.open(path, options)) {
      for (long key = 0; key < 5_000; key++) {
        index.put(key * 7919 % 5_000, key);
      }
      index.verify();
      assertEquals(5_000, index.size());
    }
    return null;
  }

  @Test
  void closedPoolIsRefused() {
    BufferPool closed = BufferPool.create(33 * 1024, 1024);
    FileOptions options = FileOptions.DEFAULT.withPageBytes(1024).withPool(closed);
    for (int i = 0; i < 2; i++) {
      closed.close();
    }
    assertThrows(IllegalStateException.class, () -> Espalier.open(folder.resolve("d"), options));
  }

  @Test
  void poolsTooSmallAndTooLargeAreRefused() {
    for (long bytes : new long[] {8 * 4096, -1, BufferPool.MOST_BYTES + 1}) {
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> BufferPool.create(bytes, 4096));
      assertTrue(refused.getMessage().contains("bytes is " + bytes), refused.getMessage());
    }
  }

  @Test
  void readersAtOnceSeeWhatOneSees() throws Exception {
    readAtOnce(4, 8);
    readAtOnce(8, 64);
  }

  private void readAtOnce(int threads, int frames) throws Exception {
    Path path = folder.resolve("many" + frames);
    long[] keys = LongStream.range(0, 5_000).toArray();
    FileOptions options =
        PagedTrees.options("DiskFirstFpbPlusTree", 1024, frames).withEngine(PageFiles.DIRECT);
    try (LongIndex index = Espalier.open(path, options);
        ExecutorService readers = Executors.newFixedThreadPool(threads)) {
      index.bulkload(keys, keys);
      List<Future<?>> results = new ArrayList<>();
      for (int reader = 0; reader < threads; reader++) {
        int seed = reader;
        results.add(readers.submit(() -> read(index, keys.length, seed)));
      }
      for (Future<?> result : results) {
        result.get();
      }
      index.verify();
    }
  }

  private static @Nullable Void read(LongIndex index, int entries, int seed) {
    Random random = new Random(seed);
    long[] keys = new long[16];
    long[] values = new long[16];
    for (int i = 0; i < 300; i++) {
      long key = random.nextInt(entries);
      assertEquals(key, index.get(key));
      for (int j = 0; j < keys.length; j++) {
        keys[j] = random.nextInt(entries);
      }
      index.getAll(keys, values);
      assertEquals(keys[7], values[7]);
      LongCursor cursor = index.cursor();
      cursor.scanTo(key + 100);
      assertTrue(cursor.ceiling(key));
      for (long next = key; next < Math.min(key + 100, entries); next++) {
        assertEquals(next, cursor.value());
        cursor.next();
      }
    }
    return null;
  }

  @Test
  void closingUnderReadersEndsInExceptionsOnly() throws Exception {
    long[] keys = LongStream.range(0, 3_000).toArray();
    for (int round = 0; round < 20; round++) {
      Path path = folder.resolve("closing" + round);
      LongIndex index = Espalier.open(path, PagedTrees.options("CacheFirstFpbPlusTree", 1024, 12));
      index.bulkload(keys, keys);
      AtomicReference<@Nullable Throwable> wrong = new AtomicReference<>();
      CountDownLatch begun = new CountDownLatch(2);
      List<Thread> readers = new ArrayList<>();
      for (int reader = 0; reader < 2; reader++) {
        readers.add(Thread.ofPlatform().start(() -> readUntilClosed(index, begun, wrong)));
      }
      assertTrue(begun.await(10, TimeUnit.SECONDS));
      index.close();
      for (Thread reader : readers) {
        reader.join();
      }
      assertNull(wrong.get());
    }
  }

  private static void readUntilClosed(
      LongIndex index, CountDownLatch begun, AtomicReference<@Nullable Throwable> wrong) {
    try {
      for (long key = 0; ; key = (key + 17) % 3_000) {
        if (index.get(key) != key) {
          wrong.set(new AssertionError("key " + key));
          return;
        }
        begun.countDown();
      }
    } catch (IllegalStateException | PageFileException closed) {
      assertFalse(closed.getMessage().isEmpty());
    } catch (Throwable other) {
      wrong.set(other);
    }
  }

  @Test
  void interruptedReaderReadsOn() throws ExecutionException, InterruptedException {
    long[] keys = LongStream.range(0, 3_000).toArray();
    try (LongIndex index =
        Espalier.open(
            folder.resolve("interrupted"), PagedTrees.options("DiskFirstFpbPlusTree", 1024, 8))) {
      index.bulkload(keys, keys);
      Thread.currentThread().interrupt();
      for (long key = 0; key < 3_000; key += 7) {
        assertEquals(key, index.get(key));
      }
      index.flush();
      assertTrue(Thread.interrupted());
    }
  }

  @Test
  void aPageThatIsPinnedTooOftenIsAnExceptionAndStaysSound() {
    allocate(1);
    store.flush();
    long[] offsets = new long[1 << 17];
    int[] pins = {0};
    IllegalStateException refused =
        assertThrows(
            IllegalStateException.class,
            () -> {
              while (pins[0] < offsets.length) {
                offsets[pins[0]] = store.pin(1);
                pins[0]++;
              }
            });
    assertEquals(Frames.MOST_PINS, pins[0]);
    assertTrue(refused.getMessage().startsWith("page 1 of " + store.file()), refused.getMessage());
    for (int i = 0; i < pins[0]; i++) {
      store.unpin(offsets[i], false);
    }
    assertEquals(Frames.USED, pool.frames.state(store.frameOf(1)) & (Frames.PINS | Frames.USED));
    assertFalse(pool.frames.isChanged(store.frameOf(1)));
    use(1);
  }
}
