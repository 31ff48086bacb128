// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pools of files that were opened without one. */
@Tag("fallback-too")
@Timeout(60)
final class SharedPoolsTest {
  private static final long LEAST = PoolMemory.LEAST_BYTES;
  private static final int LARGE_PAGE = 64 << 10;

  /** Of a size that no other test leaves files open with. */
  private static final FileOptions RARE_PAGES = FileOptions.DEFAULT.withPageBytes(32 << 10);

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  private final AtomicLong ownBytes = new AtomicLong();
  private final AtomicBoolean isShort = new AtomicBoolean();

  private SharedPools pools(long bytes, boolean isAsked) {
    return new SharedPools(new PoolMemory(bytes, isAsked), ownBytes::get, isShort::get);
  }

  /** Takes as many frames into use as there may be; returns their bytes. */
  private static long fill(BufferPool pool) {
    pool.frames.lock.lock();
    try {
      while (pool.frames.takeIntoUse() != Frames.NONE) {
        // One more.
      }
    } finally {
      pool.frames.lock.unlock();
    }
    return pool.usedBytes();
  }

  @Test
  void filesWithPagesOfOneSizeShareAPoolThatTheLastOneCloses() {
    SharedPools pools = pools(LEAST, false);
    BufferPool pool = pools.acquire(4096);
    assertSame(pool, pools.acquire(4096));
    BufferPool other = pools.acquire(8192);
    assertNotSame(pool, other);
    pools.release(pool);
    assertFalse(pool.isClosed());
    pools.release(pool);
    assertTrue(pool.isClosed());
    assertFalse(other.isClosed());
    BufferPool next = pools.acquire(4096);
    assertNotSame(pool, next);
    pools.release(next);
    pools.release(other);
  }

  @Test
  void onePageSizeMayHaveEverythingAndTheNextStillGetsTheLeast() {
    SharedPools pools = pools(3 * LEAST, true);
    BufferPool first = pools.acquire(LARGE_PAGE);
    long all = fill(first);
    assertTrue(all <= 3 * LEAST && (first.frames() < 2 * LEAST / LARGE_PAGE || all > 2 * LEAST));
    BufferPool second = pools.acquire(2 * LARGE_PAGE);
    long more = fill(second);
    assertTrue(more <= LEAST && more > LEAST - (8 << 20), () -> more + " bytes");
    assertEquals(all + more, pools.usedBytes());
    pools.release(first);
    assertEquals(more, pools.usedBytes());
    assertTrue(fill(second) >= more, "what the first had is free");
    pools.release(second);
    assertEquals(0, pools.usedBytes());
  }

  @Test
  void poolsOfTheProgramAreTakenOffTheDefaultButNotOffWhatWasAskedFor() {
    SharedPools byDefault = pools(4 * LEAST, false);
    SharedPools asked = pools(4 * LEAST, true);
    ownBytes.set(LEAST);
    assertEquals(3 * LEAST, byDefault.mostBytes());
    assertEquals(4 * LEAST, asked.mostBytes());
    ownBytes.set(100 * LEAST);
    assertEquals(LEAST, byDefault.mostBytes());
    BufferPool pool = byDefault.acquire(LARGE_PAGE);
    assertTrue(fill(pool) <= LEAST);
    byDefault.release(pool);
  }

  @Test
  void aPoolGrowsNoFurtherThanForSureWhileTheProcessIsShortOfMemory() {
    isShort.set(true);
    SharedPools pools = pools(4 * LEAST, false);
    BufferPool pool = pools.acquire(LARGE_PAGE);
    long sure = fill(pool);
    assertTrue(sure <= LEAST && sure > LEAST - (8 << 20), () -> sure + " bytes");
    isShort.set(false);
    for (long asked = 0; asked < SharedPools.LOOK_BYTES; asked += LARGE_PAGE) {
      fill(pool);
    }
    assertTrue(pool.frames() < 2 * LEAST / LARGE_PAGE || fill(pool) > 2 * LEAST);
    pools.release(pool);
  }

  @Test
  void aPoolThatIsShortOfMemoryStopsSoonAndOneThatWasAskedForDoesNot() {
    SharedPools asked = pools(4 * LEAST, true);
    SharedPools byDefault = pools(4 * LEAST, false);
    BufferPool pool = byDefault.acquire(LARGE_PAGE);
    pool.frames.lock.lock();
    try {
      while (pool.usedBytes() < LEAST + SharedPools.LOOK_BYTES / 2
          && pool.frames.takeIntoUse() != Frames.NONE) {
        // One more.
      }
    } finally {
      pool.frames.lock.unlock();
    }
    isShort.set(true);
    assertTrue(fill(pool) <= LEAST + 2 * SharedPools.LOOK_BYTES);
    byDefault.release(pool);
    BufferPool other = asked.acquire(LARGE_PAGE);
    assertTrue(other.frames() < 2 * LEAST / LARGE_PAGE || fill(other) > 2 * LEAST);
    asked.release(other);
  }

  @Test
  void everyPoolOfTheProgramIsCountedUntilItIsClosed() {
    SharedPools process = SharedPools.ofProcess();
    long before = process.mostBytes();
    try (BufferPool own = BufferPool.create(256 << 20, 4096)) {
      assertFalse(own.isShared());
      assertTrue(process.mostBytes() <= before);
    }
    // Those that other tests have dropped may have gone meanwhile.
    assertTrue(BufferPool.mostSharedBytes() >= before);
  }

  @Test
  void filesOpenedWithoutAPoolHaveOneOfWhichTheyUseLittle() {
    StoreOptions options = StoreOptions.DEFAULT.withFiles(RARE_PAGES);
    try (IndexStore one = IndexStore.open(folder.resolve("one"), options);
        IndexStore other = IndexStore.open(folder.resolve("other"), options);
        LongIndex index = one.index("index")) {
      BufferPool pool = one.state().pool;
      assertTrue(pool.isShared());
      assertSame(pool, other.state().pool);
      for (long key = 0; key < 10_000; key++) {
        index.put(key, -key);
      }
      assertEquals(-9_999, index.get(9_999));
      assertTrue(pool.usedBytes() >= 160_000, () -> pool.usedBytes() + " bytes");
      assertTrue(pool.usedBytes() < 4 << 20, () -> pool.usedBytes() + " bytes");
    }
  }

  @Test
  void fileThatIsRefusedGivesItsPoolBack() {
    Path path = folder.resolve("refused");
    StoreOptions options = StoreOptions.DEFAULT.withFiles(RARE_PAGES);
    Espalier.open(path, options).close();
    assertThrows(IllegalArgumentException.class, () -> Espalier.openBytes(path, options));
    IndexStore store = IndexStore.open(path, options);
    BufferPool pool = store.state().pool;
    assertFalse(pool.isClosed());
    store.close();
    assertTrue(pool.isClosed());
  }

  @Test
  void anInterruptedThreadOpensAndKeepsItsStatus() {
    Thread.currentThread().interrupt();
    SharedPools pools = pools(4 * LEAST, false);
    BufferPool pool = pools.acquire(4096);
    boolean isInterrupted = Thread.interrupted();
    assertTrue(isInterrupted);
    assertTrue(pool.frames() > 0);
    pools.release(pool);
  }
}
