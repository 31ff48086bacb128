// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.util.stream.Collectors.toMap;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.paged.DiskOptimizedBPlusTree;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Crashes of a store whose checkpoints write deltas of a map, and now and then its chunks. */
class MapDeltasCrashTest {
  private static final Path STORE = SimulatedDisk.path("store");
  private static final int KEYS = 3_000;
  private static final int ROUNDS = 12;

  private static final long[] KEYS_LOADED = LongStream.range(0, KEYS).toArray();
  private static final SortedMap<Long, Long> LOADED =
      Collections.unmodifiableSortedMap(
          new TreeMap<>(LongStream.range(0, KEYS).boxed().collect(toMap(key -> key, key -> key))));

  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(
              FileOptions.DEFAULT
                  .withVariant(DiskOptimizedBPlusTree.VARIANT)
                  .withPageBytes(256)
                  .withPoolBytes(24 * 256))
          .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES)
          .withCheckpointTime(Duration.ofHours(1));

  /** Checkpoints that ended with deltas, and those that had fewer than the one before. */
  private int withDeltas;

  private int folded;

  private IndexStore open(SimulatedDisk disk, long seed) {
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(seed), seed % 3 == 2, false);
    return new StoreOpening(STORE, OPTIONS, environment).open();
  }

  private void live(SimulatedDisk disk, long seed, CrashModel model) {
    SplittableRandom random = new SplittableRandom(seed);
    IndexStore store = open(disk, seed);
    try {
      model.recover(CrashModel.State.of(store, "DiskOptimizedBPlusTree"));
      LongIndex index = store.index("a");
      int deltas = 0;
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 6; i++) {
          long key = random.nextInt(KEYS);
          long value = random.nextLong();
          model.write(state -> state.index("a").put(key, value));
          index.set(key, value);
        }
        if (random.nextInt(5) == 0) {
          store.commit();
        } else {
          store.checkpoint();
        }
        model.acknowledge(model.written());
        int now = store.state().indexes.get("a").map.deltas.count();
        withDeltas += now > 0 ? 1 : 0;
        folded += now < deltas ? 1 : 0;
        deltas = now;
      }
      store.close();
    } finally {
      abandon(store);
    }
  }

  private static void abandon(IndexStore store) {
    try {
      store.close();
    } catch (PowerLostException | PageFileException | IllegalStateException lost) {
      assertTrue(store.isClosed(), lost.toString());
    }
  }

  private SimulatedDisk prepared(long seed, CrashModel model) {
    SimulatedDisk disk = DiskTrials.disk(seed);
    try (IndexStore store = open(disk, seed)) {
      store.index("a").bulkload(KEYS_LOADED, KEYS_LOADED);
    }
    model.write(state -> state.indexes.put("a", new TreeMap<>(LOADED)));
    model.acknowledge(model.written());
    return disk;
  }

  @Test
  void nothingAcknowledgedIsLostWhereverTheLifeEnds() {
    CrashModel model = new CrashModel();
    SimulatedDisk whole = prepared(1, model);
    whole.restart(CrashPlan.NOTHING);
    live(whole, 1, model);
    assertTrue(withDeltas >= 4, withDeltas + " checkpoints with deltas");
    assertTrue(folded > 0, "deltas were never folded");
    long operations = whole.operations();
    for (int round = 0; round < TestSize.of(1, 12); round++) {
      for (int crashAt = TestSize.after(0);
          crashAt <= operations;
          crashAt = TestSize.after(crashAt)) {
        crash(crashAt, crashAt + round * 1_000L);
      }
    }
  }

  private void crash(long crashAt, long seed) {
    CrashModel model = new CrashModel();
    SimulatedDisk disk = prepared(seed, model);
    for (int life = 0; life < 3; life++) {
      disk.restart(CrashPlan.at(crashAt, seed));
      try {
        live(disk, seed + life, model);
      } catch (PowerLostException | PageFileException | IllegalStateException lost) {
        assertTrue(disk.crashed(), lost.toString());
      }
    }
    disk.restart(CrashPlan.NOTHING);
    try (IndexStore store = open(disk, seed)) {
      model.recover(CrashModel.State.of(store, "DiskOptimizedBPlusTree"));
      store.verify();
    } catch (AssertionError | RuntimeException failed) {
      throw new AssertionError("seed " + seed + ", crash at operation " + crashAt, failed);
    }
  }
}
