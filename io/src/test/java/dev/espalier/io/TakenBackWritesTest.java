// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.ConcurrentLongIndex;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.family.Family;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.PageStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Writes to a tree for many threads that fail after the log was told of them: a crash does not
 * bring them back.
 */
class TakenBackWritesTest {
  private static final TreeVariant PLAIN = Family.named("BLinkTree");

  private final SimulatedDisk disk = DiskTrials.disk(1);

  private IndexStore open() {
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(1), false, false, Set.of());
    return new StoreOpening(SimulatedDisk.path("store"), StoreOptions.DEFAULT, environment).open();
  }

  /** Returns a tree that has no room for a third entry by any of the calls that are tried here. */
  private static TreeVariant full() {
    return TreeVariant.inPages(
        PLAIN.name(),
        PLAIN.paper(),
        PLAIN.factory(),
        (options, pages) -> full(PLAIN.open(options, pages), pages));
  }

  private static LongIndex full(LongIndex tree, PageStore pages) {
    return (LongIndex)
        Proxy.newProxyInstance(
            TakenBackWritesTest.class.getClassLoader(),
            new Class<?>[] {ConcurrentLongIndex.class},
            (_, method, arguments) -> {
              if (method.getName().equals("set") && tree.size() == 2) {
                pages.beforeSet((long) arguments[0], (long) arguments[1]);
                throw new MemoryLimitException("full");
              }
              if (method.getName().equals("putAll")) {
                tree.putAll((long[]) arguments[0], 0, (long[]) arguments[2], 0, 1);
                throw new MemoryLimitException("full");
              }
              try {
                return method.invoke(tree, arguments);
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
            });
  }

  private IndexStore losePower(IndexStore store) {
    store.commit();
    disk.losePower();
    try {
      store.close();
    } catch (PageFileException | PowerLostException lost) {
      // It can't say farewell.
    }
    disk.restart(CrashPlan.NOTHING);
    return open();
  }

  @Test
  void aWriteThatFailsIsNotThereAfterACrash() {
    IndexStore store = open();
    LongIndex index = store.index("a", full());
    index.set(1, 10);
    index.set(2, 20);
    assertThrows(MemoryLimitException.class, () -> index.set(1, 11));
    assertThrows(MemoryLimitException.class, () -> index.set(3, 30));
    index.put(4, 40);
    try (IndexStore again = losePower(store)) {
      LongIndex left = again.index("a", PLAIN);
      assertEquals(10, left.get(1));
      assertEquals(20, left.get(2));
      assertEquals(40, left.get(4));
      assertEquals(3, left.size());
    }
  }

  @Test
  void ofABatchThatFailsOnlyThatIsThereWhichWasStored() {
    IndexStore store = open();
    LongIndex index = store.index("a", full());
    index.set(2, 2);
    long[] keys = {1, 2, 3};
    assertThrows(MemoryLimitException.class, () -> index.putAll(keys, new long[] {10, 20, 30}));
    assertEquals(2, index.size());
    try (IndexStore again = losePower(store)) {
      LongIndex left = again.index("a", PLAIN);
      assertEquals(10, left.get(1));
      assertEquals(2, left.get(2));
      assertEquals(2, left.size());
    }
  }
}
