// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file that grows, on a device that takes its time, beside others that share the pool. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GrowthBesideOthersTest {
  private static final int PAGE_BYTES = 4096;
  private static final int FRAMES = 16;

  /** Far more than there are frames, and than a file has room for without growing. */
  private static final int PAGES = 1000;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final AtomicBoolean isSlow = new AtomicBoolean();
  private final CountDownLatch isGrowing = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  private PageFile open(Path path, Access access, int blockBytes) {
    return new PageFileAround(PageFiles.CACHED.open(path, access, blockBytes)) {
      @Override
      public void grow(long bytes) {
        if (isSlow.get() && bytes > bytes()) {
          isGrowing.countDown();
          Waiting.await(goOn);
        }
        super.grow(bytes);
      }
    };
  }

  @Test
  void othersReadTheirPagesMeanwhile() throws InterruptedException {
    try (BufferPool pool = BufferPool.withRooms(FRAMES, PAGE_BYTES, 1, 8)) {
      SlotPageStore other = Stores.create(folder.resolve("other"), PageFiles.CACHED, pool);
      int[] pages = Stores.allocate(other, PAGES);
      other.flush();
      SlotPageStore growing = Stores.create(folder.resolve("growing"), this::open, pool);
      isSlow.set(true);
      Thread writer = Thread.ofPlatform().daemon().start(() -> Stores.allocate(growing, PAGES));
      isGrowing.await();
      for (int page : pages) {
        long offset = other.pin(page);
        assertEquals(page, Stores.contents(other, offset));
        other.unpin(offset, false);
      }
      assertTrue(writer.isAlive());
      goOn.countDown();
      writer.join();
      assertEquals(PAGES, growing.pagesInUse());
      growing.flush();
      for (SlotPageStore store : new SlotPageStore[] {other, growing}) {
        store.close();
        store.file.close();
      }
    }
  }
}
