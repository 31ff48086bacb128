// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.io.Faults.Operation;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores on a device that has no more room. */
class FullStoreTest {
  private static final StoreOptions SMALL = IndexStoreTest.SMALL;

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  private final Faults faults = new Faults();

  private IndexStore open() {
    FileOptions files = SMALL.files().withEngine(faults.over(PageFiles.BEST));
    return IndexStore.open(folder.resolve("store"), SMALL.withFiles(files));
  }

  private static int inUse(IndexStore store) {
    return store.state().space.account().current().cardinality();
  }

  @Test
  void pagesThatFindNoRoomTakeNone() {
    try (IndexStore store = open()) {
      LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
      for (long key = 0; key < 5_000; key++) {
        index.set(key, key);
      }
      store.checkpoint();
      for (long key = 0; key < 5_000; key++) {
        index.set(key, -key);
      }
      faults.failFrom(1, Errno.ENOSPC, Operation.GROW);
      List<Integer> taken = new ArrayList<>();
      SlotSpace space = store.state().space;
      assertThrows(
          NoSlotException.class,
          () -> {
            while (true) {
              taken.add(space.take());
            }
          });
      for (int slot : taken.subList(0, 3)) {
        space.release(slot);
      }
      int before = inUse(store);
      SlotPageStore pages = ((StoreIndex) index).pages();
      assertThrows(NoSlotException.class, pages::flush);
      assertEquals(before, inUse(store));
      faults.heal();
      taken.subList(3, taken.size()).forEach(space::release);
      store.checkpoint();
      store.verify();
      assertEquals(-4_999, index.get(4_999));
    }
  }

  @Test
  void writesAreRefusedAndGoOnWhenASnapshotIsClosed() {
    try (IndexStore store = open()) {
      LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
      for (long key = 0; key < 50_000; key++) {
        index.set(key, key);
      }
      Snapshot snapshot = store.snapshot();
      faults.failFrom(1, Errno.ENOSPC, Operation.GROW);
      long[] next = {0};
      MemoryLimitException full =
          assertThrows(
              MemoryLimitException.class,
              () -> {
                for (; next[0] < 10_000_000; next[0]++) {
                  index.set(next[0], -next[0]);
                }
              });
      assertTrue(full.getMessage().contains("has no room for more pages"), full.getMessage());
      store.commit();
      store.verify();
      assertEquals(50_000, snapshot.index("a").size());
      assertEquals(49_999, snapshot.index("a").get(49_999));
      snapshot.close();
      index.set(next[0], -next[0]);
      store.checkpoint();
      store.verify();
      assertEquals(-next[0], index.get(next[0]));
      faults.heal();
    }
  }

  @Test
  void aFileThatIsMadeShorterKeepsRoomForTheNextCheckpoint() {
    try (PageFile file = PageFiles.BEST.open(folder.resolve("file"), Access.CREATE, 4096)) {
      SlotSpace space = new SlotSpace(file, 4096, null);
      int first = space.takeRun(5_000);
      space.reserve(10);
      for (int slot = first; slot < first + 5_000; slot++) {
        space.release(slot);
      }
      space.truncate();
      assertEquals(space.first() + 10, space.room());
      assertEquals(space.room() * 4096L, file.bytes());
    }
  }
}
