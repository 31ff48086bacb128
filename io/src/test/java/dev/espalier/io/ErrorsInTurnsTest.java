// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.LongIndex;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An error at the end of a write beside a transaction, when others are to be let in again. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ErrorsInTurnsTest {
  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private IndexStore open() {
    StoreEnvironment environment = Stores.environment(PageFiles.CACHED);
    return new StoreOpening(folder.resolve("store"), IndexStoreTest.SMALL, environment).open();
  }

  /** Has another thread do something, and waits until it has. */
  private static void letAnother(Runnable action) throws InterruptedException {
    FutureTask<Boolean> done = new FutureTask<>(action, true);
    Thread.ofPlatform().daemon().start(done);
    try {
      done.get();
    } catch (ExecutionException failed) {
      throw new AssertionError(failed.getCause());
    }
  }

  private static void failAtTheEnd(IndexStore store, Runnable write) {
    Transactions transactions = store.state().transactions;
    try (Transaction _ = store.begin(Isolation.SNAPSHOT)) {
      transactions.atPlace =
          place -> {
            if (place == Transactions.Place.TREES_ARE_CHANGED) {
              throw new StackOverflowError("says a test");
            }
          };
      assertThrows(StackOverflowError.class, write::run);
      transactions.atPlace = _ -> {};
    }
  }

  @Test
  void whatWasWrittenIsThereAndNobodyIsKeptOut() throws Exception {
    try (IndexStore store = open()) {
      LongIndex longs = store.index("a");
      failAtTheEnd(store, () -> longs.put(1, 10));
      letAnother(() -> longs.put(2, 20));
      long[] many = LongStream.range(0, 100).toArray();
      LongIndex loaded = store.index("b");
      failAtTheEnd(store, () -> loaded.bulkload(many, many));
      letAnother(store::checkpoint);
      assertEquals(10, longs.get(1));
      assertEquals(20, longs.get(2));
      assertEquals(100, loaded.size());
    }
  }
}
