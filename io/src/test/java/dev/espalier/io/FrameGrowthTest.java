// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames are taken into use as pages come, up to the limit and no further. */
@Tag("fallback-too")
@Timeout(60)
final class FrameGrowthTest {
  private static final int PAGE_BYTES = 256;

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  private static void use(PooledPageStore store, int page) {
    long offset = store.pin(page);
    assertEquals(page, Stores.contents(store, offset));
    store.unpin(offset, false);
  }

  @Test
  void pageTakesAFrameIntoUseAsLongAsThereAreSome() {
    int frames = 2 * 512 + 7;
    try (BufferPool pool = BufferPool.withRooms(frames, PAGE_BYTES, 1, 8);
        SlotPageStore store = Stores.create(folder.resolve("a"), PageFiles.CHANNEL, pool)) {
      assertEquals(0, pool.usedBytes());
      for (int pages = 1; pages <= frames; pages++) {
        Stores.allocate(store, 1);
        assertEquals(pages * PAGE_BYTES, pool.usedBytes());
      }
      assertEquals(0, pool.counters().evictions());
      int[] more = Stores.allocate(store, frames);
      assertEquals(frames * PAGE_BYTES, pool.usedBytes());
      assertTrue(pool.counters().evictions() >= frames, pool.counters()::toString);
      for (int page = 1; page <= more[more.length - 1]; page++) {
        use(store, page);
      }
    }
  }

  @Test
  void framesOfAClosedFileAreUsedAgain() {
    try (BufferPool pool = BufferPool.withRooms(1000, PAGE_BYTES, 1, 8)) {
      for (int file = 0; file < 5; file++) {
        try (SlotPageStore store =
            Stores.create(folder.resolve("file" + file), PageFiles.CHANNEL, pool)) {
          Stores.allocate(store, 600);
        }
        assertEquals(600 * PAGE_BYTES, pool.usedBytes());
      }
      assertEquals(0, pool.counters().evictions());
    }
  }

  @Test
  void changedPagesAreCountedForTheirOwnFile() {
    try (BufferPool pool = BufferPool.withRooms(1000, PAGE_BYTES, 1, 8);
        SlotPageStore busy = Stores.create(folder.resolve("busy"), PageFiles.CHANNEL, pool);
        SlotPageStore idle = Stores.create(folder.resolve("idle"), PageFiles.CHANNEL, pool)) {
      int[] pages = Stores.allocate(busy, 700);
      Stores.allocate(idle, 2);
      assertEquals(700, busy.changedPages.get());
      assertEquals(2, idle.changedPages.get());
      idle.flush();
      assertEquals(700, busy.changedPages.get());
      assertEquals(0, idle.changedPages.get());
      busy.free(pages[0]);
      assertEquals(699, busy.changedPages.get());
      busy.clear();
      assertEquals(0, busy.changedPages.get());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {9 * 4096, 40 * 4096, 700 * 4096})
  void indexInAPoolWithALimitHoldsWhatAMapHolds(long bytes) {
    FileOptions files = FileOptions.DEFAULT.withPageBytes(4096).withPoolBytes(bytes);
    TreeMap<Long, Long> model = new TreeMap<>();
    Random random = new Random(bytes);
    try (LongIndex index = Espalier.open(folder.resolve("model"), files)) {
      for (int i = 0; i < TestSize.share(20_000, 200_000); i++) {
        long key = random.nextInt(100_000);
        if (random.nextInt(4) == 0) {
          index.remove(key);
          model.remove(key);
        } else {
          index.put(key, i);
          model.put(key, (long) i);
        }
      }
      index.verify();
      assertEquals(model.size(), index.size());
      model.forEach((key, value) -> assertEquals((long) value, index.get(key)));
    }
  }

  /** Whoever pins without the lock must not see a frame before its notes. */
  @Test
  void threadsPinPagesWhileFramesAreTakenIntoUse() throws Exception {
    int pages = 5000;
    AtomicInteger top = new AtomicInteger(1);
    try (BufferPool pool = BufferPool.withRooms(pages, PAGE_BYTES, 2, 8);
        SlotPageStore store = Stores.create(folder.resolve("t"), PageFiles.CHANNEL, pool);
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      Stores.allocate(store, 1);
      List<Future<?>> all = new ArrayList<>();
      for (int seed = 0; seed < 4; seed++) {
        Random random = new Random(seed);
        all.add(
            threads.submit(
                () -> {
                  while (top.get() < pages) {
                    use(store, top.get());
                    use(store, 1 + random.nextInt(top.get()));
                  }
                }));
      }
      while (top.get() < pages) {
        top.set(Stores.allocate(store, 1)[0]);
      }
      for (Future<?> each : all) {
        each.get();
      }
      assertEquals(pages, pool.frames.inUse());
    }
  }

  @Test
  void checkpointOfAFileIsOfItsOwnPagesWhateverOthersInThePoolHaveChanged() {
    try (BufferPool pool = BufferPool.create(32 << 20, 4096)) {
      StoreOptions options =
          StoreOptions.DEFAULT.withFiles(FileOptions.DEFAULT.withPageBytes(4096).withPool(pool));
      try (IndexStore busy = IndexStore.open(folder.resolve("busy"), options);
          IndexStore idle = IndexStore.open(folder.resolve("idle"), options);
          LongIndex large = busy.index("large");
          LongIndex small = idle.index("small")) {
        for (long key = 0; key < 300_000; key++) {
          large.put(key, key);
        }
        small.put(1, 2);
        int changed = busy.state().changedPages.get();
        assertTrue(changed > 500, () -> changed + " pages");
        long written = pool.counters().written();
        idle.checkpoint();
        assertTrue(pool.counters().written() - written < 20);
        assertTrue(busy.state().changedPages.get() > 500);
        busy.checkpoint();
        assertEquals(0, busy.state().changedPages.get());
        large.put(1, 7);
        busy.verify();
        assertEquals(7, large.get(1));
      }
    }
  }

  /**
   * The first round leaves more than half of what there was, so that writers have to take turns.
   */
  @Test
  void checkpointIsWholeThoughAllPagesChangeAgainWhileItWritesThem() throws Exception {
    int keys = 300_000;
    Path path = folder.resolve("busy");
    AtomicReference<Runnable> meanwhile = new AtomicReference<>();
    PageFileOpener engine =
        (file, access, blockBytes) -> {
          PageFile opened = PageFiles.CHANNEL.open(file, access, blockBytes);
          return file.equals(path) ? new Watched(opened, meanwhile) : opened;
        };
    FileOptions files =
        FileOptions.DEFAULT.withPageBytes(4096).withPoolBytes(64 << 20).withEngine(engine);
    try (IndexStore store = IndexStore.open(path, StoreOptions.DEFAULT.withFiles(files));
        LongIndex index = store.index("index");
        ExecutorService writer = Executors.newSingleThreadExecutor()) {
      putAll(index, keys, 1);
      int changed = store.state().changedPages.get();
      assertTrue(changed > 1024, () -> changed + " pages, no more than the pause may write");
      Future<?>[] written = new Future<?>[1];
      meanwhile.set(
          () -> {
            written[0] = writer.submit(() -> putAll(index, keys, 2));
            try {
              written[0].get();
            } catch (InterruptedException | ExecutionException failed) {
              throw new AssertionError(failed);
            }
          });
      store.checkpoint();
      assertTrue(written[0] != null && written[0].isDone());
      assertEquals(0, store.state().changedPages.get());
      store.verify();
      try (Snapshot snapshot = store.snapshot()) {
        LongIndex then = snapshot.index("index");
        assertEquals(keys, then.size());
        for (long key = 0; key < keys; key += 999) {
          assertEquals(key + 2, then.get(key));
        }
      }
    }
  }

  private static void putAll(LongIndex index, int keys, long more) {
    for (long key = 0; key < keys; key++) {
      index.put(key, key + more);
    }
  }

  /** Does something once, before pages are written. */
  private static final class Watched extends PageFileAround {
    private final AtomicReference<Runnable> before;

    Watched(PageFile file, AtomicReference<Runnable> before) {
      super(file);
      this.before = before;
    }

    @Override
    public void startWrite(IoBatch batch) {
      Runnable action = before.getAndSet(null);
      if (action != null) {
        action.run();
      }
      super.startWrite(batch);
    }
  }
}
