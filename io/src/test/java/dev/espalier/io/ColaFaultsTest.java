// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.io.Faults.Operation;
import dev.espalier.memory.MemoryLimitException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A device that fails while levels are merged costs nothing that was written before. */
@Timeout(120)
class ColaFaultsTest {
  private static final int KEYS = 900;

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
    StoreOptions options =
        StoreOptions.DEFAULT
            .withFiles(PagedTrees.options("Cola", 1024, 8))
            .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
    return Espalier.open(path(), options, Stores.environment(faults.over(PageFiles.CHANNEL)));
  }

  /** Makes a file with entries in several levels, of which the program's first merges add one. */
  private void makeFile() throws IOException {
    Files.createDirectories(path().getParent());
    try (LongIndex index = open()) {
      for (long key = 0; key < KEYS; key += 2) {
        index.set(key, key);
        flushed.put(key, key);
      }
      assertTrue(index.statistics().height() >= 3, index.statistics().toString());
    }
    Stores.copy(path().getParent(), original());
  }

  private LongIndex openCopy() throws IOException {
    faults.heal();
    Stores.copy(original(), path().getParent());
    return open();
  }

  /**
   * Writes by a fixed program, from {@code step} on, which merges the levels several times. Returns
   * what ended it, or null at the end; the model has what was written before.
   */
  private static Failed change(LongIndex index, TreeMap<Long, Long> model, int step) {
    Random random = new Random(5);
    for (int i = 0; i < 270; i++) {
      long key = random.nextInt(KEYS);
      boolean deletes = random.nextInt(4) == 0;
      if (i < step) {
        continue;
      }
      try {
        if (deletes) {
          index.delete(key);
        } else {
          index.set(key, i);
        }
      } catch (PageFileException | IllegalStateException | MemoryLimitException failed) {
        return new Failed(i, failed);
      }
      if (deletes) {
        model.remove(key);
      } else {
        model.put(key, (long) i);
      }
    }
    return new Failed(Integer.MAX_VALUE, null);
  }

  /** At which step a program ended, and by what. */
  private record Failed(int step, RuntimeException cause) {

    boolean isOne() {
      return cause != null;
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"READ", "WRITE"})
  @Tag("thorough")
  void whicheverTransferFailsAllThatWasWrittenIsFound(Operation operation) throws IOException {
    makeFile();
    int failures = 0;
    for (int n = 1; ; n++) {
      TreeMap<Long, Long> model = new TreeMap<>(flushed);
      LongIndex index = openCopy();
      faults.failOnce(n, Errno.EIO, operation);
      Failed failed = change(index, model, 0);
      boolean happened = faults.counted() >= n;
      faults.heal();
      if (failed.isOne()) {
        failures++;
        assertSaysWhy(failed.cause);
      }
      PagedTrees.assertHolds(model, index);
      if (operation == Operation.READ && failed.isOne()) {
        assertFalse(change(index, model, failed.step).isOne());
        PagedTrees.assertHolds(model, index);
      }
      closeAndOpen(index, model);
      if (!happened) {
        break;
      }
    }
    assertTrue(failures >= 5, "failures seen: " + failures);
  }

  private void assertSaysWhy(RuntimeException failed) {
    assertTrue(failed.getMessage().contains("EIO"), failed.getMessage());
    assertTrue(failed.getMessage().contains(path().toString()), failed.getMessage());
  }

  /** Closes an index; it then has the model's entries, or if it had failed, at least the old. */
  private void closeAndOpen(LongIndex index, TreeMap<Long, Long> model) {
    boolean closed = true;
    try {
      index.close();
    } catch (PageFileException failed) {
      closed = false;
      assertSaysWhy(failed);
    }
    try (LongIndex again = open()) {
      PagedTrees.assertHolds(closed ? model : new TreeMap<>(again.asMap()), again);
      if (!closed) {
        assertTrue(isBetween(flushed, new TreeMap<>(again.asMap()), model));
      }
    }
  }

  /** Tells whether entries are a map's as they were before or after some changes, key by key. */
  private static boolean isBetween(
      TreeMap<Long, Long> before, TreeMap<Long, Long> entries, TreeMap<Long, Long> after) {
    return entries.entrySet().stream()
        .allMatch(
            each -> each.getValue().equals(before.get(each.getKey())) || each.getValue() < 270);
  }

  @Test
  void deviceThatStaysBrokenLeavesOldLevelsReadable() throws IOException {
    makeFile();
    TreeMap<Long, Long> model = new TreeMap<>(flushed);
    LongIndex index = openCopy();
    faults.failFrom(1, Errno.EIO, Operation.WRITE);
    Failed failed = change(index, model, 0);
    assertTrue(failed.isOne());
    assertSaysWhy(failed.cause);
    PagedTrees.assertHolds(model, index);
    assertSaysWhy(assertThrows(IllegalStateException.class, () -> index.set(1, 1)));
    PageFileException lost = assertThrows(PageFileException.class, index::close);
    assertTrue(lost.getMessage().contains("without the last changes"), lost.getMessage());
  }

  @Tag("thorough")
  @Test
  void mergeRefusedByAFullDiskIsDoneWhenThereIsRoom() throws IOException {
    makeFile();
    TreeMap<Long, Long> model = new TreeMap<>(flushed);
    LongIndex index = openCopy();
    faults.failFrom(1, Errno.ENOSPC, Operation.GROW);
    MemoryLimitException full = null;
    long key = KEYS + 1;
    for (; full == null; key++) {
      try {
        index.set(key, -key);
        model.put(key, -key);
      } catch (MemoryLimitException refused) {
        full = refused;
      }
    }
    assertTrue(full.getMessage().contains("ENOSPC"), full.getMessage());
    assertTrue(full.getMessage().contains(path().toString()), full.getMessage());
    PagedTrees.assertHolds(model, index);
    // What is there can be changed, as far as there is room for the changed pages.
    for (long old = 0; old < KEYS; old += 50) {
      try {
        index.set(old, 7);
        model.put(old, 7L);
        index.delete(old + 2);
        model.remove(old + 2);
      } catch (MemoryLimitException refused) {
        assertTrue(refused.getMessage().contains("ENOSPC"), refused.getMessage());
      }
    }
    PagedTrees.assertHolds(model, index);
    faults.heal();
    for (long more = key; more < key + 500; more++) {
      index.set(more, more);
      model.put(more, more);
    }
    PagedTrees.assertHolds(model, index);
    closeAndOpen(index, model);
  }

  @Test
  void everyGrowingThatIsRefusedLeavesTheIndexAsItWas() throws IOException {
    makeFile();
    for (int n = 1; ; n += 2) { // One growing is tried twice: with pages to spare, and without.
      TreeMap<Long, Long> model = new TreeMap<>(flushed);
      LongIndex index = openCopy();
      faults.failFrom(n, Errno.ENOSPC, Operation.GROW);
      Failed failed = change(index, model, 0);
      faults.heal();
      PagedTrees.assertHolds(model, index);
      if (failed.isOne()) {
        assertEquals(MemoryLimitException.class, failed.cause.getClass());
        assertFalse(change(index, model, failed.step).isOne());
        PagedTrees.assertHolds(model, index);
      }
      closeAndOpen(index, model);
      if (!failed.isOne()) {
        break;
      }
    }
  }

  @Tag("thorough")
  @Test
  void failedBulkloadTakesNoPageOfWhatComesAfterIt() throws IOException {
    int entries = 4_000;
    long[] keys = new Random(3).longs(entries).sorted().toArray();
    int failures = 0;
    for (int n = 1; ; n++) {
      Stores.copy(Files.createDirectories(folder.resolve("empty")), path().getParent());
      faults.heal();
      try (LongIndex index = open()) {
        faults.failOnce(n, Errno.EIO, Operation.READ);
        boolean loaded = load(index, keys);
        boolean happened = faults.counted() >= n;
        faults.heal();
        if (loaded) {
          assertEquals(entries, index.size());
        } else {
          failures++;
          assertTrue(index.isEmpty());
          for (int i = 0; i < 300; i++) {
            index.put(keys[i], i);
          }
          assertEquals(300, index.size());
        }
        index.verify();
        if (!happened) {
          break;
        }
      }
    }
    assertTrue(failures > 0, "no failure seen");
  }

  private static boolean load(LongIndex index, long[] keys) {
    try {
      index.bulkload(
          LongEntrySource.of(keys, keys, keys.length), 1.0, keys.length, ProgressListener.NONE);
      return true;
    } catch (PageFileException failed) {
      return false;
    }
  }
}
