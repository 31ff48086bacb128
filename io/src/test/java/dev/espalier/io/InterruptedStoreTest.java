// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.InterruptedCalls;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.RandomInterrupts;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Stores and files, used by a thread whose interrupt status is set, or that is interrupted. A
 * thorough run makes more than 340,000 calls with the status set, so that three make a million.
 */
@Tag("fallback-thorough")
final class InterruptedStoreTest {
  private static final StoreOptions SMALL =
      IndexStoreTest.SMALL.withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);

  private static final int INTERRUPTS = TestSize.isExhaustive() ? 30_000 : TestSize.of(100, 300);

  private static final int PUTS = 200_000;

  /** Calls of an index that does not fit into its pool, in the order in which they are drawn. */
  private static final int MIXED_CALLS = 35_000;

  private static final int KEYS = 30_000;

  private static final int ENTRIES = 2_000;

  /** From this entry on, all are written again when a file that has them was opened. */
  private static final int FIRST_WRITTEN_AGAIN = 1_800;

  private static final int PAGE = 4096;

  private static long callsBefore;

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  /** How many files were named so far. */
  private int names;

  @BeforeAll
  static void countFromHere() {
    callsBefore = InterruptedCalls.made();
  }

  @AfterAll
  static void tellHowManyCallsWereMade(TestReporter reporter) {
    long calls = InterruptedCalls.made() - callsBefore;
    reporter.publishEntry("calls with the interrupt status set", String.valueOf(calls));
  }

  private Path newPath() {
    return folder.resolve("file" + names++);
  }

  private static StoreOptions on(EngineUnderTest engine) {
    engine.assumeItRuns();
    return SMALL.withFiles(
        SMALL.files().withEngine((path, access, _) -> engine.open(path, access)));
  }

  // ---------------------------------------------------------------- stores

  @Test
  void putsOfAThreadWithTheStatusSetAreKept() throws Exception {
    StoreOptions options = StoreOptions.DEFAULT.withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
    InterruptedCalls.run(
        PUTS,
        () -> {
          try (LongIndex index = Espalier.open(folder.resolve("store"), options)) {
            for (long key = 0; key < PUTS; key++) {
              index.put(key, key);
            }
          }
        });
    try (LongIndex index = Espalier.open(folder.resolve("store"), options)) {
      assertEquals(PUTS, index.size());
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.MATCH_ANY,
      names = {"RING_DIRECT", "THREADS_DIRECT", "NETTY_DIRECT", "CHANNEL"})
  void storeIsMadeCopiedRecoveredAndSalvagedWithTheStatusSet(EngineUnderTest engine)
      throws Exception {
    StoreOptions options = on(engine);
    Path path = folder.resolve("store");
    Path crashed = folder.resolve("crashed");
    InterruptedCalls.run(
        () -> {
          try (IndexStore store = IndexStore.open(path, options)) {
            fill(store, 0);
            store.backup(folder.resolve("copy"));
            copyOf(path, crashed);
          }
        });
    for (String name : List.of("store", "copy", "crashed")) {
      InterruptedCalls.run(
          () ->
              Salvage.salvage(
                  folder.resolve(name),
                  options.files(),
                  folder.resolve(name + "-saved"),
                  ProgressListener.NONE));
      InterruptedCalls.run(() -> checkFilled(folder.resolve(name + "-saved"), options));
      InterruptedCalls.run(() -> checkFilled(folder.resolve(name), options));
      assertEquals(
          List.of(),
          InterruptedCalls.call(
              () ->
                  Espalier.findDamage(
                      folder.resolve(name), options.files(), ProgressListener.NONE)));
      InterruptedCalls.call(() -> Espalier.describe(folder.resolve(name), options.files()));
    }
  }

  /** Most lookups read a page, and most writes write one in order to make room. */
  @ParameterizedTest
  @EnumSource(
      mode = Mode.MATCH_ANY,
      names = {"RING_DIRECT", "THREADS_DIRECT", "NETTY_DIRECT", "CHANNEL"})
  @Tag("thorough")
  void callsThatReadAndWritePagesAnswerAsAMapWithTheStatusSet(EngineUnderTest engine)
      throws Exception {
    StoreOptions options = on(engine);
    SplittableRandom random = new SplittableRandom(engine.ordinal());
    long[] model = new long[KEYS];
    InterruptedCalls.run(
        MIXED_CALLS,
        () -> {
          try (IndexStore store = IndexStore.open(folder.resolve("store"), options)) {
            LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
            index.putAll(LongStream.range(0, KEYS).toArray(), model);
            for (int i = 0; i < MIXED_CALLS; i++) {
              mixedCall(index, model, random);
            }
            assertTrue(store.statistics().pool().counters().misses() > MIXED_CALLS / 3);
          }
        });
  }

  private static void mixedCall(LongIndex index, long[] model, SplittableRandom random) {
    int key = random.nextInt(model.length);
    int value = random.nextInt();
    switch (random.nextInt(8)) {
      case 0 -> {
        index.delete(key);
        model[key] = index.missingValue();
      }
      case 1 -> {
        index.set(key, value);
        model[key] = value;
      }
      case 2 -> {
        assertEquals(model[key], index.put(key, value));
        model[key] = value;
      }
      default -> assertEquals(model[key], index.get(key));
    }
  }

  private static IndexStore fill(IndexStore store, int from) {
    LongIndex longs = store.index("a", DiskOptimizedBPlusTree.VARIANT);
    BytesIndex strings = store.bytesIndex("b");
    fill(longs, from);
    fill(strings, from);
    store.commit();
    return store;
  }

  private static void makeLongs(Path path) {
    try (LongIndex index = Espalier.open(path, SMALL)) {
      fill(index, 0);
    }
  }

  private static void makeStrings(Path path) {
    try (BytesIndex index = Espalier.openBytes(path, SMALL)) {
      fill(index, 0);
    }
  }

  private static void fill(LongIndex longs, int from) {
    for (int i = from; i < ENTRIES; i++) {
      longs.set(i, i);
    }
  }

  private static void fill(BytesIndex strings, int from) {
    for (int i = from; i < ENTRIES; i++) {
      strings.set(new byte[] {(byte) (i >> 8), (byte) i}, new byte[] {1, 2, 3});
    }
  }

  private static void checkFilled(Path path, StoreOptions options) {
    try (IndexStore store = IndexStore.open(path, options)) {
      store.verify();
      assertEquals(ENTRIES, store.index("a").size());
      assertEquals(ENTRIES, store.bytesIndex("b").size());
    }
  }

  /** Copies a store that is open, as a crash leaves it. */
  private static void copyOf(Path store, Path copy) throws IOException {
    for (Path file : IndexStore.files(store)) {
      String end = file.getFileName().toString().substring(store.getFileName().toString().length());
      Files.copy(file, copy.resolveSibling(copy.getFileName() + end));
    }
  }

  // ---------------------------------------------------------------- every method

  /** What to pass to the methods of stores, their indexes and their pools. */
  private @Nullable Object argument(Class<?> type) {
    if (type == Path.class) {
      return newPath();
    }
    if (type == TreeVariant.class) {
      return DiskOptimizedBPlusTree.VARIANT;
    }
    if (type == Isolation.class) {
      return Isolation.SERIALIZABLE;
    }
    if (type == Function.class) {
      return (Function<Transaction, Long>) transaction -> transaction.index("a").put(1, 7);
    }
    if (type == Savepoint.class) {
      return new Savepoint(0);
    }
    return type == WriteBatch.class ? new WriteBatch() : null;
  }

  /**
   * Returns the path of a new file that is like one that was filled and closed. That is done once
   * in a test, since it takes longer than to copy a file.
   */
  private Path copyOfFilled(Consumer<Path> make) {
    Path filled = folder.resolve("filled");
    if (!Files.exists(filled)) {
      make.accept(filled);
    }
    try {
      return Files.copy(filled, newPath());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Opens a store whose last entries are in pages that were changed, and in the log. */
  private IndexStore filledStore() {
    Path path = copyOfFilled(made -> fill(IndexStore.open(made, SMALL), 0).close());
    return fill(IndexStore.open(path, SMALL), FIRST_WRITTEN_AGAIN);
  }

  /** The store must take writes, and keep them. */
  private static void endStore(IndexStore store, Method called) {
    if (!store.isClosed()) {
      store.index("c", DiskOptimizedBPlusTree.VARIANT).set(1, 1);
      store.commit();
      store.verify();
    }
    store.close();
    try (IndexStore again = IndexStore.open(store.path(), SMALL)) {
      assertEquals(again.names().contains("c") ? 1 : 0, size(again, "c"), called::toString);
    }
  }

  private static long size(IndexStore store, String name) {
    return store.names().contains(name) ? store.index(name).size() : 0;
  }

  @Test
  @Tag("thorough")
  void everyCallOfAStoreAnswersAsWithoutTheStatus() throws Exception {
    InterruptedCalls.eachMethod(
        IndexStore.class, this::filledStore, this::argument, InterruptedStoreTest::endStore);
  }

  @Test
  @Tag("thorough")
  void everyCallOfAnIndexInAFileAnswersAsWithoutTheStatus() throws Exception {
    InterruptedCalls.eachMethod(
        LongIndex.class,
        () -> {
          LongIndex index = Espalier.open(copyOfFilled(InterruptedStoreTest::makeLongs), SMALL);
          fill(index, FIRST_WRITTEN_AGAIN);
          return index;
        },
        this::argument,
        (index, _) -> index.close());
  }

  @Test
  void everyCallOfByteStringsInAFileAnswersAsWithoutTheStatus() throws Exception {
    InterruptedCalls.eachMethod(
        BytesIndex.class,
        () -> {
          Path path = copyOfFilled(InterruptedStoreTest::makeStrings);
          BytesIndex index = Espalier.openBytes(path, SMALL);
          fill(index, FIRST_WRITTEN_AGAIN);
          return index;
        },
        this::argument,
        (index, _) -> index.close());
  }

  @Test
  void everyCallOfASnapshotAnswersAsWithoutTheStatus() throws Exception {
    try (IndexStore store = filledStore()) {
      InterruptedCalls.eachMethod(
          Snapshot.class, store::snapshot, this::argument, (snapshot, _) -> snapshot.close());
    }
  }

  @Test
  void everyCallOfATransactionAnswersAsWithoutTheStatus() throws Exception {
    try (IndexStore store = filledStore()) {
      InterruptedCalls.eachMethod(
          Transaction.class,
          () -> {
            Transaction transaction = store.begin(Isolation.SERIALIZABLE);
            transaction.index("a").addTo(1, 1);
            transaction.bytesIndex("b").set(new byte[] {1}, new byte[] {2});
            return transaction;
          },
          this::argument,
          (transaction, _) -> transaction.close());
    }
  }

  @Test
  void everyCallOfByteStringsInATransactionAnswersAsWithoutTheStatus() throws Exception {
    try (IndexStore store = filledStore()) {
      List<Transaction> open = new ArrayList<>();
      InterruptedCalls.eachMethod(
          BytesIndex.class,
          () -> {
            open.add(store.begin(Isolation.SERIALIZABLE));
            return open.getLast().bytesIndex("b");
          },
          this::argument,
          (_, _) -> open.removeLast().close());
    }
  }

  @Test
  void everyCallOfAPoolAnswersAsWithoutTheStatus() throws Exception {
    InterruptedCalls.eachMethod(
        BufferPool.class,
        () -> BufferPool.create(1 << 20, PAGE),
        this::argument,
        (pool, _) -> pool.close());
  }

  @ParameterizedTest
  @EnumSource
  void everyCallOfAFileAnswersAsWithoutTheStatus(EngineUnderTest engine) throws Exception {
    engine.assumeItRuns();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(PAGE, PAGE);
      InterruptedCalls.eachMethod(
          PageFile.class,
          () -> {
            PageFile file = engine.open(newPath(), Access.CREATE);
            file.grow(16 * PAGE);
            return file;
          },
          type -> {
            if (type == IoBatch.class) {
              IoBatch batch = new IoBatch(memory, 1);
              batch.add(0, 0, PAGE);
              return batch;
            }
            return type == long.class ? 32L * PAGE : null;
          },
          (file, _) -> file.close());
    }
  }

  // ---------------------------------------------------------------- random moments

  @ParameterizedTest
  @EnumSource(
      mode = Mode.MATCH_ANY,
      names = {"RING_DIRECT", "THREADS_DIRECT", "NETTY_DIRECT", "CHANNEL"})
  void interruptsAtRandomMomentsChangeNothing(EngineUnderTest engine) {
    StoreOptions options = on(engine).withDurability(Durability.ON_COMMIT);
    SplittableRandom random = new SplittableRandom(engine.ordinal());
    Path path = folder.resolve("store");
    long[] model = new long[1_000];
    try (RandomInterrupts interrupts = new RandomInterrupts(random.nextLong(), INTERRUPTS)) {
      while (interrupts.goOn()) {
        IndexStore store = IndexStore.open(path, options);
        interrupts.afterCall();
        LongIndex index = store.index("a", DiskOptimizedBPlusTree.VARIANT);
        interrupts.afterCall();
        for (int i = 0; i < 2_000 && interrupts.goOn(); i++) {
          int key = random.nextInt(model.length);
          assertEquals(model[key], index.getOrDefault(key, 0));
          interrupts.afterCall();
          model[key] = random.nextLong();
          index.set(key, model[key]);
          interrupts.afterCall();
          doSomethingRare(store, random.nextInt(400));
          interrupts.afterCall();
        }
        store.close();
        interrupts.afterCall();
      }
    }
    try (IndexStore store = IndexStore.open(path, options)) {
      store.verify();
      assertTrue(store.recovery().wasClean());
    }
  }

  private void doSomethingRare(IndexStore store, int what) {
    switch (what) {
      case 0 -> store.checkpoint();
      case 1 -> store.shrink();
      case 2 -> {
        Path target = newPath();
        store.backup(target);
        target.toFile().delete();
      }
      case 3 -> store.verify();
      case 4, 5, 6, 7, 8 -> store.commit();
      default -> {} // Most calls write.
    }
  }
}
