// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.LongIndex;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many stores, one thread that looks after them. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CaretakerTest {
  private static final int STORES = 30;
  private static final StoreOptions FORCED_SOON =
      StoreOptions.DEFAULT.withDurability(Durability.within(Duration.ofMillis(5)));

  @TempDir Path folder;

  @Test
  @Tag("thorough")
  void idleStoresHaveOneThreadTogether() {
    List<LongIndex> stores = new ArrayList<>();
    try {
      for (int i = 0; i < STORES; i++) {
        LongIndex store = Espalier.open(folder.resolve("store-" + i));
        stores.add(store);
        store.put(i, i);
      }
      await(() -> threads().equals(List.of("espalier-stores")));
    } finally {
      stores.forEach(LongIndex::close);
    }
  }

  @Tag("thorough")
  @Test
  void eachStoreGetsWhatItWasPromised() {
    StoreOptions options = FORCED_SOON.withCheckpointTime(Duration.ofMillis(50));
    List<IndexStore> stores = new ArrayList<>();
    List<LongIndex> indexes = new ArrayList<>();
    try {
      for (int i = 0; i < STORES; i++) {
        IndexStore store = IndexStore.open(folder.resolve("store-" + i), options);
        stores.add(store);
        indexes.add(store.index("numbers"));
      }
      for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < STORES; i++) {
          IndexStore store = stores.get(i);
          long checkpoint = store.statistics().checkpoint();
          long forces = store.statistics().forces();
          indexes.get(i).put(round, round);
          await(() -> store.statistics().forces() > forces);
          await(() -> store.statistics().checkpoint() > checkpoint);
        }
      }
    } finally {
      stores.forEach(IndexStore::close);
    }
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aStoreThatNeverWantsACheckpointKeepsNoOtherFromWhatItWasPromised() {
    StoreOptions never = FORCED_SOON.withCheckpointTime(Duration.ofSeconds(Long.MAX_VALUE));
    try (IndexStore store = IndexStore.open(folder.resolve("never"), never)) {
      store.index("numbers").put(1, 1);
      assertOthersAreLookedAfter();
      assertFalse(store.state().condition.hasFailed());
    }
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aStoreThatCantBeLookedAtSaysSoAndTheOthersAreLookedAfter() {
    IndexStore store = IndexStore.open(folder.resolve("broken"), FORCED_SOON);
    StoreState state = store.state();
    Log log = state.log;
    setLog(state, null);
    await(state.condition::hasFailed);
    assertOthersAreLookedAfter();
    setLog(state, log);
    assertThrows(PageFileException.class, store::close);
  }

  /** The thread that looks may find no memory for it, or none for another thread. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aStoreIsLookedAfterAgainAfterAnError() {
    AtomicInteger failures = new AtomicInteger(6);
    Caretaker caretaker =
        new Caretaker(
            task -> {
              int left = failures.decrementAndGet();
              if (left >= 0) {
                throw left % 2 == 0
                    ? new OutOfMemoryError("says a test")
                    : new StackOverflowError("says a test");
              }
              Thread.ofPlatform().daemon().start(task);
            });
    StoreEnvironment environment = Stores.environment(PageFiles.DIRECT);
    try (IndexStore store =
        new StoreOpening(folder.resolve("store"), FORCED_SOON, environment).open()) {
      StoreState state = store.state();
      Background background = new Background(state, new Checkpoints(state, new int[0]));
      store.index("numbers").put(1, 1);
      caretaker.add(background, 1_000_000);
      await(() -> state.log.forced() == state.log.appended());
      await(() -> failures.get() <= -2); // It has seen to the segments of the log, too.
      background.stop();
    }
  }

  @SuppressWarnings("NullAway") // The caretaker is to fail.
  private static void setLog(StoreState state, @Nullable Log log) {
    state.log = log;
  }

  /** And nothing after it, which would bring a checkpoint anyway. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void whatIsWrittenDuringACheckpointIsInTheNextOne() {
    AtomicReference<Runnable> atForce = new AtomicReference<>(() -> {});
    StoreOptions options = StoreOptions.DEFAULT.withCheckpointTime(Duration.ofMillis(50));
    try (IndexStore store = open(options, atForce)) {
      StoreState state = store.state();
      LongIndex index = store.index("numbers");
      index.put(1, 1);
      await(() -> state.header.sequence() == state.log.appended());
      atForce.set(() -> index.put(2, 2));
      index.put(3, 3);
      await(() -> index.containsKey(2));
      await(() -> state.header.sequence() == state.log.appended());
    }
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void whatIsWrittenDuringALongCheckpointIsForcedInTime() {
    AtomicReference<Runnable> atForce = new AtomicReference<>(() -> {});
    StoreOptions options = FORCED_SOON.withCheckpointTime(Duration.ofMillis(50));
    try (IndexStore store = open(options, atForce)) {
      Log log = store.state().log;
      LongIndex index = store.index("numbers");
      CountDownLatch isForcing = new CountDownLatch(1);
      CountDownLatch isForced = new CountDownLatch(1);
      atForce.set(
          () -> {
            isForcing.countDown();
            Waiting.await(isForced);
          });
      index.put(1, 1);
      Waiting.await(isForcing);
      try {
        index.put(2, 2);
        await(() -> log.forced() == log.appended());
      } finally {
        isForced.countDown();
      }
    }
  }

  /** Opens a store that does something once, before its pages are forced. */
  private IndexStore open(StoreOptions options, AtomicReference<Runnable> atForce) {
    PageFileOpener pages =
        (path, access, blockBytes) ->
            new PageFileAround(PageFiles.DIRECT.open(path, access, blockBytes)) {
              @Override
              public void force() {
                atForce.getAndSet(() -> {}).run();
                super.force();
              }
            };
    StoreFiles files = new SystemFiles(pages, PageFiles.DIRECT);
    StoreEnvironment environment = new StoreEnvironment(files, new Random(1), false, true);
    return new StoreOpening(folder.resolve("store"), options, environment).open();
  }

  /** Writes to another store for longer than it takes until all stores were looked at. */
  private void assertOthersAreLookedAfter() {
    try (IndexStore store = IndexStore.open(folder.resolve("other"), FORCED_SOON)) {
      LongIndex index = store.index("numbers");
      Log log = store.state().log;
      for (int round = 0; round < 50; round++) {
        index.put(round, round);
        await(() -> log.forced() == log.appended());
      }
    }
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("espalier-store"))
        .sorted()
        .toList();
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Waiting.nap(5_000_000);
    }
  }
}
