// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.io.Faults.Operation;
import dev.espalier.memory.MemoryLimitException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index of byte strings in a file, when operations of the device fail. */
class StoreStringsFaultsTest {
  private static final int KEYS = 200;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private final Faults faults = new Faults();

  private Path path() {
    return folder.resolve("index").resolve("index.esp");
  }

  private Path original() {
    return folder.resolve("original");
  }

  private static StoreOptions options(int frames) {
    return StoreOptions.DEFAULT
        .withFiles(PagedTrees.options(StoreBytesIndex.KIND, 512, frames))
        .withSegmentBytes(StoreOptions.LEAST_SEGMENT_BYTES);
  }

  private StoreEnvironment environment() {
    return Stores.environment(faults.over(PageFiles.CHANNEL));
  }

  private BytesIndex open(int frames) {
    return Espalier.openBytes(path(), options(frames), environment());
  }

  /** Makes a file with some entries that were flushed. */
  private TreeMap<Long, Long> flushedEntries() throws IOException {
    Files.createDirectories(path().getParent());
    TreeMap<Long, Long> model = new TreeMap<>();
    try (BytesIndex index = open(12)) {
      for (long key = 0; key < KEYS; key += 2) {
        new StoredStrings(index).set(key, key);
        model.put(key, key);
      }
    }
    Stores.copy(path().getParent(), original());
    return model;
  }

  private static boolean close(BytesIndex index) {
    try {
      index.close();
      return true;
    } catch (PageFileException failed) {
      return false;
    }
  }

  private static void assertHolds(TreeMap<Long, Long> model, BytesIndex index) {
    index.verify();
    assertEquals(model, new StoredStrings(index).entries());
  }

  /**
   * Changes the index by a fixed program until an operation fails. Returns whether it came to the
   * end. The model has what was done before the failure, and the history what it was before each
   * change, and after the one that failed: the log may have that.
   */
  private static boolean change(
      StoredStrings index, TreeMap<Long, Long> model, List<TreeMap<Long, Long>> history) {
    Random random = new Random(5);
    for (int i = 0; i < 25; i++) {
      history.add(new TreeMap<>(model));
      long key = random.nextInt(KEYS);
      long value = random.nextInt(60);
      boolean removes = random.nextInt(3) == 0;
      try {
        if (removes) {
          index.removeRange(key, key + 4);
        } else {
          index.set(key, value);
        }
      } catch (PageFileException | IllegalStateException failed) {
        TreeMap<Long, Long> recovered = new TreeMap<>(model);
        change(recovered, key, value, removes);
        history.add(recovered);
        return false;
      }
      change(model, key, value, removes);
    }
    return true;
  }

  private static void change(TreeMap<Long, Long> model, long key, long value, boolean removes) {
    if (removes) {
      model.subMap(key, key + 5).clear();
    } else {
      model.put(key, value);
    }
  }

  @Test
  void whicheverOperationFailsNoAnswerIsWrongAndNothingFlushedIsLost() throws IOException {
    TreeMap<Long, Long> flushed = flushedEntries();
    int failures = 0;
    boolean happened = true;
    for (int n = 1; happened; n = Faults.next(n)) {
      Stores.copy(original(), path().getParent());
      TreeMap<Long, Long> model = new TreeMap<>(flushed);
      faults.heal();
      BytesIndex index = open(12);
      faults.failOnce(n, Errno.EIO);
      List<TreeMap<Long, Long>> history = new ArrayList<>();
      boolean whole = change(new StoredStrings(index), model, history);
      assertRightOrRefused(index, model);
      boolean closed = close(index);
      happened = faults.counted() >= n;
      faults.heal();
      failures += whole && closed ? 0 : 1;
      try (BytesIndex again = open(12)) {
        TreeMap<Long, Long> found = new TreeMap<>(new StoredStrings(again).entries());
        assertTrue(found.equals(model) || (!closed && history.contains(found)));
        assertHolds(found, again);
      }
    }
    // The first eight are tried in any run. What is written ahead of need is written again.
    assertTrue(failures > 5, "failures seen: " + failures);
  }

  private static void assertRightOrRefused(BytesIndex index, TreeMap<Long, Long> model) {
    for (long key = -1; key <= KEYS; key++) {
      try {
        Long expected = model.get(key);
        byte[] value = expected == null ? null : StoredStrings.value(expected);
        assertArrayEquals(value, index.get(StoredStrings.key(key)));
      } catch (PageFileException | IllegalStateException refused) {
        // Any answer would have been right, but none is not wrong.
      }
    }
  }

  @Test
  void whicheverReadFailsCloseIsNormalOnlyIfTheFileHasAllChanges() throws IOException {
    TreeMap<Long, Long> flushed = flushedEntries();
    boolean happened = true;
    for (int n = TestSize.after(0); happened; n = TestSize.after(n)) {
      Stores.copy(original(), path().getParent());
      TreeMap<Long, Long> model = new TreeMap<>(flushed);
      faults.heal();
      BytesIndex index = open(400);
      faults.failOnce(n, Errno.EIO, Operation.READ);
      removeSome(new StoredStrings(index), model);
      happened = faults.counted() >= n;
      faults.heal();
      boolean closed = close(index);
      assertEquals(closed, Espalier.describe(path(), FileOptions.DEFAULT).isClean());
      try (BytesIndex again = open(400)) {
        assertHolds(model, again);
      }
    }
  }

  /** Removes keys until that fails, enough in a row for pages to be merged. */
  private static void removeSome(StoredStrings index, TreeMap<Long, Long> model) {
    try {
      for (long key = 40; key < 160; key += 2) {
        index.remove(key);
        model.remove(key);
      }
    } catch (PageFileException failed) {
      assertEquals(Errno.EIO, failed.errno());
    }
  }

  @Test
  void indexIsWhatItWasAfterAFullDisk() throws IOException {
    TreeMap<Long, Long> model = flushedEntries();
    BytesIndex index = open(12);
    StoredStrings strings = new StoredStrings(index);
    faults.failFrom(1, Errno.ENOSPC, Operation.GROW);
    int refused = 0;
    for (long key = 1; refused < 20; key += 2) {
      try {
        strings.set(key, key);
        model.put(key, key);
      } catch (MemoryLimitException full) {
        assertTrue(full.getMessage().contains("ENOSPC"), full.getMessage());
        refused++;
      }
    }
    assertHolds(model, index);
    faults.heal();
    strings.set(-1, 1);
    model.put(-1L, 1L);
    index.close();
    try (BytesIndex again = open(12)) {
      assertHolds(model, again);
    }
  }

  /** A pin that stays behind takes a frame for ever. */
  @Test
  void failedReadsLeaveNoPinsBehind() throws IOException {
    TreeMap<Long, Long> model = flushedEntries();
    PackedBytes keys =
        PackedBytes.of(LongStream.range(0, KEYS).mapToObj(StoredStrings::key).toList());
    try (IndexStore store = new StoreOpening(path(), options(12), environment()).open()) {
      BytesIndex index = store.bytesIndex(Espalier.NAME);
      int failures = 0;
      for (int n = 1; n < 200; n++) {
        faults.failOnce(n, Errno.EIO, Operation.READ);
        try {
          index.getAll(keys, (i, piece, from, bytes, position, total) -> {});
        } catch (PageFileException failed) {
          failures++;
        }
        faults.failOnce(1 + n % 7, Errno.EIO, Operation.READ);
        failures += readsFail(index, n) ? 1 : 0;
      }
      faults.heal();
      assertTrue(failures > 100, "failures seen: " + failures);
      Frames frames = store.state().pool.frames;
      for (int frame = 0; frame < frames.inUse(); frame++) {
        assertEquals(0, frames.state(frame) & Frames.PINS);
      }
      assertHolds(model, index);
    }
  }

  private static boolean readsFail(BytesIndex index, int n) {
    try {
      for (long key = n % 28 * 7L; key < KEYS; key += 7) {
        switch (n % 3) {
          case 0 -> index.get(StoredStrings.key(key));
          case 1 -> index.containsKey(StoredStrings.key(key));
          default -> new StoredStrings(index).ceiling(key);
        }
      }
      return false;
    } catch (PageFileException failed) {
      return true;
    }
  }
}
