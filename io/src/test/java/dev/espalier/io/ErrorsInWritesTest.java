// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.LongIndex;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An error in the middle of a write, as a thread has whose stack is full: nobody knows what the
 * device has got, so nothing is said to be safe afterwards.
 */
class ErrorsInWritesTest {
  @TempDir(factory = MemoryFolder.class)
  Path folder;

  /** What is called of a file. */
  private enum Call {
    START,
    FINISH,
    FORCE
  }

  /** The next call that ends in an error, null if none does. */
  private final AtomicReference<@Nullable Call> failing = new AtomicReference<>();

  private final PageFileOpener faulty =
      (path, access, blockBytes) ->
          new PageFileAround(PageFiles.DIRECT.open(path, access, blockBytes)) {
            @Override
            public void startWrite(IoBatch batch) {
              reach(Call.START);
              super.startWrite(batch);
            }

            @Override
            public void finish(IoBatch batch) {
              super.finish(batch);
              reach(Call.FINISH);
            }

            @Override
            public void force() {
              reach(Call.FORCE);
              super.force();
            }
          };

  private void reach(Call call) {
    if (failing.compareAndSet(call, null)) {
      throw new StackOverflowError("as ordered");
    }
  }

  private IndexStore open(PageFileOpener pages, PageFileOpener log) {
    StoreEnvironment environment =
        new StoreEnvironment(new SystemFiles(pages, log), new Random(1), false, false);
    return new StoreOpening(folder.resolve("store"), IndexStoreTest.SMALL, environment).open();
  }

  private static LongIndex index(IndexStore store) {
    return store.index("a", DiskOptimizedBPlusTree.VARIANT);
  }

  private void assertRecovered(long value) {
    try (IndexStore store = open(PageFiles.DIRECT, PageFiles.DIRECT)) {
      store.verify();
      assertEquals(value, index(store).get(-1));
    }
  }

  private static void assertTakesNoMoreChanges(IndexStore store) {
    LongIndex index = index(store);
    assertThrows(PageFileException.class, store::commit);
    assertThrows(IllegalStateException.class, () -> index.set(0, 0));
    assertThrows(IllegalStateException.class, store::checkpoint);
    assertThrows(PageFileException.class, store::commit);
    assertThrows(PageFileException.class, store::close);
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void nothingIsCalledSafeAfterAnErrorInAForceOfTheLog(Call call) {
    IndexStore store = open(PageFiles.DIRECT, faulty);
    LongIndex index = index(store);
    index.set(-1, 1);
    store.commit();
    for (long key = 0; key < 500; key++) {
      index.set(key, key);
    }
    failing.set(call);
    assertThrows(StackOverflowError.class, store::commit);
    assertTakesNoMoreChanges(store);
    assertRecovered(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Call.class,
      names = {"START", "FINISH"})
  void nothingIsCalledSafeAfterAnErrorWhereTheLogGoesOnInAnotherSegment(Call call) {
    IndexStore store = open(PageFiles.DIRECT, faulty);
    LongIndex index = index(store);
    index.set(-1, 1);
    store.commit();
    Log log = store.state().log;
    LogSegment first = log.end.current();
    for (long key = 0; log.end.current().equals(first); key++) {
      index.set(key, key);
    }
    log.prepare();
    failing.set(call);
    assertThrows(
        StackOverflowError.class,
        () -> {
          for (long key = 0; key < 100_000; key++) {
            index.set(key, -key);
          }
        });
    assertTakesNoMoreChanges(store);
    assertRecovered(1);
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void noCheckpointFollowsOneThatEndedInAnError(Call call) {
    IndexStore store = open(faulty, PageFiles.DIRECT);
    LongIndex index = index(store);
    index.set(-1, 1);
    store.checkpoint();
    for (long key = 0; key < 500; key++) {
      index.set(key, key);
    }
    index.set(-1, 2);
    store.commit();
    failing.set(call);
    assertThrows(StackOverflowError.class, store::checkpoint);
    assertThrows(IllegalStateException.class, () -> index.set(-1, 3));
    assertThrows(IllegalStateException.class, store::checkpoint);
    assertThrows(PageFileException.class, store::close);
    assertRecovered(2);
  }
}
