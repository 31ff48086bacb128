// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.TestSize;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.PackedBytes;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Long values that share pages in a store: beside readers, in snapshots, and their room on disk.
 */
class SharedValuePagesInStoreTest {
  private static final int BYTES = 10_000;

  /** As the documentation of the file format has it. */
  private static final int OPEN = 6;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  private IndexStore open() {
    return IndexStore.open(folder.resolve("store.esp"), StoreOptions.DEFAULT);
  }

  private static byte[] key(int i) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
  }

  private static byte[] value(int number) {
    byte[] value = new byte[BYTES];
    for (int i = 0; i < BYTES; i++) {
      value[i] = (byte) (number * 7 + i * 31 + (i >>> 8));
    }
    return value;
  }

  private static void set(BytesIndex index, int from, int to, int more) {
    for (int i = from; i < to; i++) {
      index.set(key(i), value(i + more));
    }
  }

  private static void check(BytesIndex index, int from, int to, int more) {
    for (int i = from; i < to; i++) {
      assertArrayEquals(value(i + more), index.get(key(i)));
    }
  }

  /** While a value is shown where it lies, nobody else gets its room, whatever happens to it. */
  @Test
  void aValueThatIsShownStaysWhereItIs() {
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("a");
      set(index, 0, 30, 0);
      for (int shown = 0; shown < 10; shown++) {
        byte[] expected = value(shown);
        AtomicLong seen = new AtomicLong();
        int others = 100 * shown;
        assertTrue(
            index.get(
                MemorySegment.ofArray(key(shown)),
                (piece, from, bytes, position, _) -> {
                  CompletableFuture.runAsync(
                          () -> {
                            for (int i = 0; i < 30; i += 3) {
                              index.delete(key(i));
                            }
                            set(index, 10, 40, others);
                            store.checkpoint();
                            set(index, 10, 40, others + 1);
                          })
                      .join();
                  MemorySegment part = MemorySegment.ofArray(expected).asSlice(position, bytes);
                  assertEquals(-1, piece.asSlice(from, bytes).mismatch(part));
                  seen.addAndGet(bytes);
                }));
        assertEquals(BYTES, seen.get());
        set(index, 0, 10, 0);
        check(index, 10, 40, others + 1);
        index.verify();
      }
    }
  }

  @Test
  void aSnapshotHasTheValuesOfItsTime() {
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("a");
      set(index, 0, 100, 0);
      try (Snapshot snapshot = store.snapshot()) {
        for (int round = 1; round < 4; round++) {
          set(index, 0, 100, round);
          store.checkpoint();
        }
        assertEquals(50, index.removeRange(key(0), true, key(50), false));
        store.checkpoint();
        check(snapshot.bytesIndex("a"), 0, 100, 0);
        check(index, 50, 100, 3);
        index.verify();
      }
    }
  }

  @Test
  void valuesThatAreThereAgainAfterOpeningGoOnToSharePages() {
    int count = 60;
    for (int round = 0; round < 5; round++) {
      try (IndexStore store = open()) {
        BytesIndex index = store.bytesIndex("a");
        if (round > 0) {
          check(index, 0, count, round - 1);
        }
        set(index, 0, count, round);
        index.verify();
        int pages = store.state().indexes.get("a").numbers.inUse();
        assertTrue(pages < count, () -> pages + " pages of " + count + " values");
      }
    }
  }

  /**
   * Other values go elsewhere, also while the log is replayed. Who reads those that are in the page
   * is told of the damage.
   */
  @Test
  void aDamagedOpenPageIsNoReasonToRefuseWrites() throws IOException {
    Path copy = folder.resolve("copy");
    int page;
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("a");
      set(index, 0, 10, 0);
      store.checkpoint();
      SlotPageStore pages = store.state().open.get("a").pages();
      page = (int) pages.meta()[OPEN];
      int slot = store.state().indexes.get("a").map.slot(page);
      set(index, 10, 11, 0);
      store.commit();
      Stores.copy(folder, copy);
      damage(copy, slot, pages.pageBytes());
    }
    try (IndexStore store = IndexStore.open(copy.resolve("store.esp"), StoreOptions.DEFAULT)) {
      BytesIndex index = store.bytesIndex("a");
      check(index, 10, 11, 0);
      set(index, 11, 20, 0);
      check(index, 0, 5, 0);
      check(index, 10, 20, 0);
      CorruptPageException damage =
          assertThrows(CorruptPageException.class, () -> check(index, 0, 10, 0));
      assertEquals(page, damage.page());
    }
  }

  private static void damage(Path folder, int slot, int pageBytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(folder.resolve("store.esp").toFile(), "rw")) {
      file.seek((long) slot * pageBytes + 5000);
      file.write(new byte[100]);
    }
  }

  /** Makes a store with 30 values, of which a page of one to three is damaged. */
  private void makeWithDamage() throws IOException {
    int slot;
    int pageBytes;
    try (IndexStore store = open()) {
      set(store.bytesIndex("a"), 0, 30, 0);
      SlotPageStore pages = store.state().open.get("a").pages();
      store.checkpoint();
      pageBytes = pages.pageBytes();
      slot = store.state().indexes.get("a").map.slot((int) pages.meta()[OPEN]);
    }
    damage(folder, slot, pageBytes);
  }

  /** Only that write is refused: the store goes on, and so does the next one that opens it. */
  @Test
  void aValueInADamagedPageIsNotReplaced() throws IOException {
    Path copy = folder.resolve("copy");
    makeWithDamage();
    int refused = 0;
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("a");
      for (int i = 0; i < 30; i++) {
        try {
          set(index, i, i + 1, 1);
        } catch (CorruptPageException damaged) {
          refused++;
        }
      }
      assertTrue(refused > 0 && refused < 4, refused + " refused");
      store.commit();
      Stores.copy(folder, copy);
    }
    try (IndexStore store = IndexStore.open(copy.resolve("store.esp"), StoreOptions.DEFAULT)) {
      BytesIndex index = store.bytesIndex("a");
      for (int i = 0; i < 30; i++) {
        try {
          check(index, i, i + 1, 1);
        } catch (CorruptPageException damaged) {
          refused--;
        }
      }
      assertEquals(0, refused);
    }
  }

  /** Many writes of one record, one of them to a key whose value is damaged. */
  enum Many {
    BATCH {
      @Override
      void write(IndexStore store, byte[] damaged) {
        WriteBatch batch = new WriteBatch().set(store.bytesIndex("a"), key(100), value(100));
        batch.set(store.bytesIndex("a"), damaged, value(1)).set(store.index("b"), 1, 2);
        store.write(batch.set(store.bytesIndex("a"), key(101), value(101)));
      }
    },
    BATCH_THAT_REMOVES {
      @Override
      void write(IndexStore store, byte[] damaged) {
        BytesIndex index = store.bytesIndex("a");
        store.write(new WriteBatch().set(index, key(100), value(100)).delete(index, damaged));
      }
    },
    PUT_ALL {
      @Override
      void write(IndexStore store, byte[] damaged) {
        store
            .bytesIndex("a")
            .putAll(
                PackedBytes.of(List.of(key(100), damaged, key(101))),
                PackedBytes.of(List.of(value(100), new byte[3], value(101))));
      }
    },
    RANGE {
      @Override
      void write(IndexStore store, byte[] damaged) {
        store.bytesIndex("a").removeRange(key(0), true, damaged, true);
      }
    },
    VIEW {
      @Override
      void write(IndexStore store, byte[] damaged) {
        store.bytesIndex("a").tailView(key(1), false).clear();
      }
    },
    TRANSACTION {
      @Override
      void write(IndexStore store, byte[] damaged) {
        try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
          BytesIndex index = transaction.bytesIndex("a");
          index.set(key(100), value(100));
          index.set(damaged, value(1));
          transaction.commit();
        }
      }
    };

    abstract void write(IndexStore store, byte[] damaged);
  }

  /**
   * They are refused as a whole, before the log is told: so the store goes on, and can be opened.
   */
  @ParameterizedTest
  @EnumSource
  void manyWritesOfWhichOneIsToADamagedValueChangeNothing(Many many) throws IOException {
    Path copy = folder.resolve("copy");
    makeWithDamage();
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("a");
      store.index("b");
      byte[] damaged =
          IntStream.range(0, 30)
              .mapToObj(SharedValuePagesInStoreTest::key)
              .filter(key -> isDamaged(index, key))
              .findFirst()
              .orElseThrow();
      assertThrows(CorruptPageException.class, () -> many.write(store, damaged));
      assertEquals(30, index.size());
      assertNull(index.get(key(100)));
      assertNull(index.get(key(101)));
      assertTrue(store.index("b").isEmpty());
      index.set(key(102), value(102));
      store.commit();
      Stores.copy(folder, copy);
    }
    try (IndexStore store = IndexStore.open(copy.resolve("store.esp"), StoreOptions.DEFAULT)) {
      BytesIndex index = store.bytesIndex("a");
      assertEquals(31, index.size());
      assertArrayEquals(value(102), index.get(key(102)));
      assertTrue(store.index("b").isEmpty());
    }
  }

  private static boolean isDamaged(BytesIndex index, byte[] key) {
    try {
      index.get(key);
      return false;
    } catch (CorruptPageException damaged) {
      return true;
    }
  }

  /** As much as wanted: one and a half times the bytes of the values. */
  @Test
  void filesHaveLittleMoreThanTheBytesOfTheValues() throws IOException {
    int count = TestSize.of(2000, 10_000);
    SplittableRandom random = new SplittableRandom(79);
    int[] order = random.ints(0, count).distinct().limit(count).toArray();
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("a");
      for (int i : order) {
        set(index, i, i + 1, 0);
      }
    }
    long bytes;
    try (Stream<Path> files = Files.list(folder)) {
      bytes = files.mapToLong(file -> file.toFile().length()).sum();
    }
    double spent = (double) bytes / ((double) count * BYTES);
    assertTrue(spent < 1.5, () -> "bytes of the files over those of the values: " + spent);
  }
}
