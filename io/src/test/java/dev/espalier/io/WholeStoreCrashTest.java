// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.TreeVariant;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.cola.Cola;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stores that lose power while they are made shorter, are copied, and have snapshots. */
class WholeStoreCrashTest {
  private static final Path STORE = SimulatedDisk.path("store");
  private static final Path COPY = SimulatedDisk.path("copy");

  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(4096).withPoolBytes(24 * 4096))
          .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
          .withCheckpointTime(Duration.ofHours(1));

  static Stream<TreeVariant> trees() {
    return Stream.of(FpbLinkTree.VARIANT, DiskFirstFpbPlusTree.VARIANT, Cola.VARIANT);
  }

  private static IndexStore open(SimulatedDisk disk, Path path, long seed) {
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(seed), seed % 3 == 2, false);
    return new StoreOpening(path, OPTIONS, environment).open();
  }

  /** What a life has come to. */
  private static final class Life {
    /** What was written and committed. */
    TreeMap<Long, Long> committed = new TreeMap<>();

    /** What may be there as well: written, and not known to be durable. */
    TreeMap<Long, Long> written = new TreeMap<>();

    /** What the copy must have if it is there. */
    TreeMap<Long, Long> copied = new TreeMap<>();

    boolean copyIsDone;
  }

  private static void prepare(SimulatedDisk disk, TreeVariant variant, long seed, Life life) {
    try (IndexStore store = open(disk, STORE, seed)) {
      long[] keys = LongStream.range(0, 20_000).toArray();
      store.index("dropped").bulkload(keys, keys);
      LongIndex index = store.index("a", variant);
      for (long key = 0; key < 4_000; key++) {
        index.set(key, key);
        life.written.put(key, key);
      }
      store.checkpoint();
      store.drop("dropped");
    }
    life.committed.putAll(life.written);
  }

  private static void write(IndexStore store, Life life, long from, long value) {
    LongIndex index = store.index("a");
    for (long key = from; key < from + 150; key++) {
      life.written.put(key, value);
      index.set(key, value);
    }
    store.commit();
    life.committed.putAll(life.written);
  }

  private static void live(SimulatedDisk disk, TreeVariant variant, long seed, Life life) {
    IndexStore store = open(disk, STORE, seed);
    try {
      store.index("a", variant);
      write(store, life, 100, -1);
      store.shrink(
          (done, total) -> {
            write(store, life, 500, -2);
            return true;
          });
      try (Snapshot snapshot = store.snapshot()) {
        TreeMap<Long, Long> then = new TreeMap<>(life.committed);
        write(store, life, 1_000, -3);
        store.checkpoint();
        assertEquals(then, snapshot.index("a", variant).asMap());
      }
      life.copied = new TreeMap<>(life.committed);
      store.backup(COPY);
      life.copyIsDone = true;
      write(store, life, 2_000, -4);
      store.shrink();
      store.close();
    } finally {
      abandon(store);
    }
  }

  /** Closes a store after the power was lost, or not. */
  private static void abandon(IndexStore store) {
    try {
      store.close();
    } catch (PowerLostException | PageFileException | IllegalStateException lost) {
      assertTrue(store.isClosed(), lost.toString());
    }
  }

  private static void check(SimulatedDisk disk, TreeVariant variant, long seed, Life life) {
    try (IndexStore store = open(disk, STORE, seed)) {
      LongIndex index = store.index("a", variant);
      store.verify();
      TreeMap<Long, Long> found = new TreeMap<>(index.asMap());
      TreeMap<Long, Long> expected = new TreeMap<>(life.committed);
      for (var entry : life.written.entrySet()) {
        if (entry.getValue().equals(found.get(entry.getKey()))) {
          expected.put(entry.getKey(), entry.getValue());
        }
      }
      assertEquals(expected, found);
      store.shrink();
      store.verify();
      assertEquals(expected, index.asMap());
    }
    assertTrue(disk.exists(COPY) || !life.copyIsDone, "the copy is gone");
    if (disk.exists(COPY)) {
      try (IndexStore copy = open(disk, COPY, seed)) {
        LongIndex index = copy.index("a", variant);
        copy.verify();
        assertEquals(life.copied, index.asMap());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("trees")
  void nothingAcknowledgedIsLostWhereverTheLifeEnds(TreeVariant variant) {
    SimulatedDisk whole = DiskTrials.disk(1);
    Life all = new Life();
    prepare(whole, variant, 1, all);
    whole.restart(CrashPlan.NOTHING);
    live(whole, variant, 1, all);
    long operations = whole.operations();
    assertTrue(all.copyIsDone && operations > 50, "operations " + operations);
    for (int round = 0; round < TestSize.of(1, 12); round++) {
      for (int crashAt = TestSize.after(0);
          crashAt <= operations;
          crashAt = TestSize.after(crashAt)) {
        crash(variant, crashAt, crashAt + round * 1_000L);
      }
    }
  }

  private static void crash(TreeVariant variant, long crashAt, long seed) {
    SimulatedDisk disk = DiskTrials.disk(seed);
    Life life = new Life();
    prepare(disk, variant, seed, life);
    disk.restart(CrashPlan.at(crashAt, seed));
    try {
      live(disk, variant, seed, life);
    } catch (PowerLostException | PageFileException | IllegalStateException lost) {
      assertTrue(disk.crashed(), lost.toString());
    }
    disk.restart(CrashPlan.NOTHING);
    try {
      check(disk, variant, seed, life);
    } catch (AssertionError | RuntimeException failed) {
      throw new AssertionError("seed " + seed + ", crash at operation " + crashAt, failed);
    }
  }
}
