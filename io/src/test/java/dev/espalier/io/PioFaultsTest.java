// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.io.Faults.Operation;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.pio.PioBTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A device that fails at any transfer while the queue of operations is emptied, or ranges are
 * removed.
 */
@Timeout(120)
class PioFaultsTest {
  private static final int KEYS = 900;

  /** Enough for the queue to be emptied several times. */
  private static final int CHANGES = 200;

  /** Keys of a range that is removed now and then: more than some leaves have. */
  private static final int RANGE = 120;

  private static final PioBTree.Geometry GEOMETRY = new PioBTree.Geometry(2, 3, 64, 5, 40);

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final Faults faults = new Faults();
  private final TreeMap<Long, Long> flushed = new TreeMap<>();

  private Path path() {
    return folder.resolve("live").resolve("index.esp");
  }

  private Path original() {
    return folder.resolve("original");
  }

  /** Opens the index; no thread does anything beside. */
  private LongIndex open() {
    TreeVariant variant =
        TreeVariant.inPages(
            PioBTree.VARIANT.name(),
            PioBTree.VARIANT.paper(),
            PioBTree::create,
            (options, store) -> PioBTree.open(options, store, GEOMETRY));
    StoreOptions options =
        StoreOptions.DEFAULT
            .withFiles(PagedTrees.options("PioBTree", 256, 12).withVariant(variant))
            .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
    return Espalier.open(path(), options, Stores.environment(faults.over(PageFiles.CHANNEL)));
  }

  private void makeFile() throws IOException {
    Files.createDirectories(path().getParent());
    try (LongIndex index = open()) {
      for (long key = 0; key < KEYS; key += 2) {
        index.set(key, key);
        flushed.put(key, key);
      }
    }
    Stores.copy(path().getParent(), original());
  }

  private LongIndex openCopy() throws IOException {
    faults.heal();
    Stores.copy(original(), path().getParent());
    return open();
  }

  /** Makes one of the changes of a fixed program. */
  private static void change(LongIndex index, int step) {
    long key = key(step);
    if (removesRange(step)) {
      index.removeRange(key, true, key + RANGE, false);
    } else if (deletes(step)) {
      index.delete(key);
    } else {
      index.set(key, step);
    }
  }

  private static void change(TreeMap<Long, Long> model, int step) {
    if (removesRange(step)) {
      model.subMap(key(step), key(step) + RANGE).clear();
    } else if (deletes(step)) {
      model.remove(key(step));
    } else {
      model.put(key(step), (long) step);
    }
  }

  private static long key(int step) {
    return new Random(step).nextInt(KEYS);
  }

  private static boolean removesRange(int step) {
    return step % 40 == 39;
  }

  private static boolean deletes(int step) {
    return step % 4 == 0;
  }

  /** Returns what the index may hold after a crash: all up to some change, in order. */
  private Set<TreeMap<Long, Long>> states() {
    Set<TreeMap<Long, Long>> states = new HashSet<>();
    TreeMap<Long, Long> model = new TreeMap<>(flushed);
    states.add(new TreeMap<>(model));
    for (int step = 0; step < CHANGES; step++) {
      change(model, step);
      states.add(new TreeMap<>(model));
    }
    return states;
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"READ", "WRITE"})
  void whicheverTransferFailsNothingIsWrong(Operation operation) throws IOException {
    makeFile();
    Set<TreeMap<Long, Long>> states = states();
    int refused = 0;
    List<Integer> failed = new ArrayList<>();
    for (int n = 1; ; n = Faults.next(n)) {
      TreeMap<Long, Long> model = new TreeMap<>(flushed);
      LongIndex index = openCopy();
      faults.failOnce(n, Errno.EIO, operation);
      int step = 0;
      try {
        for (; step < CHANGES; step++) {
          change(index, step);
          change(model, step);
        }
      } catch (PageFileException | IllegalStateException | MemoryLimitException failure) {
        failed.add(n);
        assertTrue(failure.getMessage().contains("EIO"), failure.getMessage());
      }
      boolean happened = faults.counted() >= n;
      faults.heal();
      boolean answers = true;
      try {
        PagedTrees.assertHolds(model, index);
      } catch (IllegalStateException | PageFileException refusal) {
        answers = false;
        refused++;
        assertTrue(refusal.getMessage().contains("EIO"), refusal.getMessage());
      }
      boolean closed = true;
      try {
        index.close();
      } catch (PageFileException failure) {
        closed = false;
      }
      try (LongIndex again = open()) {
        again.verify();
        TreeMap<Long, Long> found = new TreeMap<>(again.asMap());
        assertTrue(states.contains(found), "at " + operation + " " + n);
        if (closed && answers) {
          assertEquals(model, found, "at " + operation + " " + n);
        }
      }
      if (!happened) {
        break;
      }
    }
    assertTrue(failed.size() >= 5, "failures seen: " + failed + ", refused " + refused);
  }
}
