// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.TestSize;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.bytes.SecondaryIndex;
import dev.espalier.prefix.StoredPrefixTree;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an index of byte strings in a store does beside what those of longs do. */
class StoreBytesIndexTest {
  private static final StoreOptions SMALL = IndexStoreTest.SMALL;

  @TempDir private Path folder;

  private Path path() {
    return folder.resolve("store").resolve("store");
  }

  private IndexStore open() throws IOException {
    Files.createDirectories(path().getParent());
    return IndexStore.open(path(), SMALL);
  }

  private static byte[] bytes(String string) {
    return string.getBytes(StandardCharsets.UTF_8);
  }

  /** Opens what a killed process would leave. */
  private IndexStore killed() throws IOException {
    Path copy = folder.resolve("killed");
    Stores.copy(path().getParent(), copy);
    return IndexStore.open(copy.resolve("store"), SMALL);
  }

  @Test
  void aViewIsClearedByOneRecord() throws IOException {
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("names");
      for (int i = 0; i < 400; i++) {
        index.set(bytes("prefix/" + i), new byte[i % 7 == 0 ? 5_000 : 10]);
        index.set(bytes("then/" + i), bytes("left"));
      }
      long bytes = index.statistics().usedBytes();
      store.checkpoint();
      index.prefixView(bytes("prefix/")).clear();
      index.tailView(bytes("then/7"), true).clear();
      index.headView(bytes("then/2"), false).descendingView().clear();
      store.commit();
      assertTrue(index.statistics().usedBytes() < bytes / 3);
      try (IndexStore again = killed()) {
        assertEquals(3, again.recovery().records());
        BytesIndex recovered = again.bytesIndex("names");
        recovered.verify();
        assertEquals(400 - 33 - 112, recovered.size());
      }
    }
  }

  @Test
  void everyKindOfWriteIsReplayed() throws IOException {
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("names");
      index.putAll(
          PackedBytes.of(List.of(bytes("a"), bytes("b"), bytes("c"), bytes("d"), bytes("e"))),
          PackedBytes.of(List.of(bytes("1"), bytes("2"), bytes("3"), bytes("4"), bytes("5"))));
      assertArrayEquals(bytes("1"), index.put(bytes("a"), bytes("one")));
      assertArrayEquals(bytes("2"), index.putIfAbsent(bytes("b"), bytes("two")));
      assertNull(index.putIfAbsent(bytes("f"), bytes("6")));
      assertEquals(1, index.removeRange(bytes("b"), false, bytes("d"), false));
      assertTrue(index.delete(bytes("d")));
      assertFalse(index.delete(bytes("d")));
      BytesCursor cursor = index.cursor();
      assertTrue(cursor.ceiling(MemorySegment.ofArray(bytes("e"))));
      cursor.setValue(MemorySegment.ofArray(bytes("five")));
      assertTrue(cursor.next());
      cursor.remove();
      index.set(new byte[0], new byte[0]);
      store.commit();
      try (IndexStore again = killed()) {
        assertFalse(again.recovery().wasClean());
        BytesIndex recovered = again.bytesIndex("names");
        recovered.verify();
        assertEquals(4, recovered.size());
        assertArrayEquals(new byte[0], recovered.get(new byte[0]));
        assertArrayEquals(bytes("one"), recovered.get(bytes("a")));
        assertArrayEquals(bytes("2"), recovered.get(bytes("b")));
        assertArrayEquals(bytes("five"), recovered.get(bytes("e")));
      }
      index.clear();
      index.set(bytes("z"), bytes("26"));
      store.commit();
      try (IndexStore again = killed()) {
        assertEquals(1, again.bytesIndex("names").size());
      }
    }
    try (IndexStore again = open()) {
      assertTrue(again.recovery().wasClean());
      assertArrayEquals(bytes("26"), again.bytesIndex("names").get(bytes("z")));
    }
  }

  @Test
  void batchOfLongsAndByteStringsComesTrueTogether() throws IOException {
    try (IndexStore store = open()) {
      LongIndex rows = store.index("rows");
      BytesIndex names = store.bytesIndex("names");
      WriteBatch batch = new WriteBatch();
      for (int i = 0; i < 1_000; i++) {
        byte[] name = bytes("name " + i);
        batch.set(rows, i, i).set(names, name, bytes("row " + i));
        Arrays.fill(name, (byte) 0); // The batch has a copy.
      }
      batch.delete(names, bytes("name 7")).delete(rows, 7);
      store.write(batch);
      batch.clear();
      store.commit(bytes("offset 1"));
      try (IndexStore again = killed()) {
        assertEquals(999, again.index("rows").size());
        assertEquals(999, again.bytesIndex("names").size());
        assertArrayEquals(bytes("row 8"), again.bytesIndex("names").get(bytes("name 8")));
        assertArrayEquals(bytes("offset 1"), again.note());
        again.verify();
      }
      IllegalArgumentException tooLong =
          assertThrows(
              IllegalArgumentException.class,
              () -> batch.set(names, new byte[BytesIndex.MAX_KEY + 1], new byte[0]));
      assertEquals("key has 65536 bytes; at most 65535 are allowed", tooLong.getMessage());
      assertEquals(0, batch.size());
    }
  }

  /**
   * They have no room in a record, so those that are next to them in the order take their place.
   */
  @Test
  void rangesMayEndAtKeysThatAreTooLong() throws IOException {
    byte[] longest = new byte[BytesIndex.MAX_KEY];
    Arrays.fill(longest, (byte) 'k');
    byte[] tooLong = Arrays.copyOf(longest, BytesIndex.MAX_KEY + 4_465);
    try (IndexStore store = open()) {
      BytesIndex names = store.bytesIndex("names");
      for (String name : List.of("a", "b", "k", "l", "m")) {
        names.set(bytes(name), bytes(name));
      }
      names.set(longest, bytes("longest"));
      store.checkpoint();
      assertEquals(3, names.removeRange(bytes("b"), true, tooLong, false));
      names.set(longest, bytes("longest"));
      assertEquals(1, names.removeRange(tooLong, true, bytes("l"), true));
      assertEquals(0, names.removeRange(tooLong, true, tooLong, true));
      WriteBatch batch = new WriteBatch().delete(names, tooLong);
      assertEquals(0, batch.size());
      store.write(batch.set(names, bytes("n"), bytes("n")));
      store.commit();
      try (IndexStore again = killed()) {
        BytesIndex recovered = again.bytesIndex("names");
        for (String name : List.of("a", "m", "n")) {
          assertArrayEquals(bytes(name), recovered.get(bytes(name)));
        }
        assertArrayEquals(bytes("longest"), recovered.get(longest));
        assertEquals(4, recovered.size());
      }
    }
  }

  /** What the log was told is taken back by a checkpoint: recovery would meet the page, too. */
  @Test
  void aStoreCanBeOpenedAfterAPutAllThatMetADamagedLeaf() throws IOException {
    List<byte[]> keys =
        IntStream.range(0, 2_000).mapToObj(i -> bytes("%05d".formatted(i))).toList();
    PackedBytes packed = PackedBytes.of(keys);
    long damaged;
    try (IndexStore store = open()) {
      store.bytesIndex("names").putAll(packed, packed);
      store.checkpoint();
      damaged = positionOfALeaf(store);
    }
    try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
      file.seek(damaged + 100);
      file.write(new byte[100]);
    }
    PackedBytes values = PackedBytes.of(Collections.nCopies(keys.size(), bytes("new")));
    try (IndexStore store = open()) {
      BytesIndex names = store.bytesIndex("names");
      assertThrows(CorruptPageException.class, () -> names.putAll(packed, values));
      assertArrayEquals(bytes("new"), names.get(keys.getFirst()));
      assertArrayEquals(keys.getLast(), names.get(keys.getLast()));
      names.set(keys.getLast(), bytes("last"));
      store.commit();
      try (IndexStore again = killed()) {
        BytesIndex recovered = again.bytesIndex("names");
        assertArrayEquals(bytes("new"), recovered.get(keys.getFirst()));
        assertArrayEquals(bytes("last"), recovered.get(keys.getLast()));
        assertEquals(keys.size(), recovered.size());
      }
    }
  }

  /** Returns where in the file a leaf is, which is neither the first nor the last. */
  private long positionOfALeaf(IndexStore store) throws IOException {
    int pageBytes = store.state().pageBytes();
    byte[] bytes = Files.readAllBytes(path());
    MemorySegment file = Arena.ofAuto().allocate(bytes.length, pageBytes);
    file.copyFrom(MemorySegment.ofArray(bytes));
    IndexPages pages = store.state().indexes.get("names");
    long[] leaves =
        IntStream.rangeClosed(1, pages.numbers.top())
            .filter(pages.numbers::isInUse)
            .mapToLong(page -> (long) pages.map.slot(page) * pageBytes)
            .filter(at -> StoredPrefixTree.isLeaf(file, at))
            .toArray();
    assertTrue(leaves.length > 4);
    return leaves[leaves.length / 2];
  }

  @Test
  void secondaryIndexIsWrittenWithItsPrimary() throws IOException {
    try (IndexStore store = open()) {
      BytesIndex rows = store.bytesIndex("rows");
      SecondaryIndex<String> byCity =
          SecondaryIndex.over(store.bytesIndex("by city"), BytesKeyCodec.ofString());
      WriteBatch batch = new WriteBatch();
      batch.set(rows, bytes("4711"), bytes("Zurich")).add(byCity, "Zurich", 4711);
      batch.set(rows, bytes("17"), bytes("Zurich")).add(byCity, "Zurich", 17);
      store.write(batch);
      batch.clear();
      batch.set(rows, bytes("17"), bytes("Bern")).remove(byCity, "Zurich", 17);
      store.write(batch.add(byCity, "Bern", 17));
      store.commit();
      try (IndexStore again = killed()) {
        SecondaryIndex<String> recovered =
            SecondaryIndex.over(again.bytesIndex("by city"), BytesKeyCodec.ofString());
        assertArrayEquals(new long[] {4711}, recovered.ids("Zurich").toArray());
        assertArrayEquals(new long[] {17}, recovered.ids("Bern").toArray());
        assertArrayEquals(bytes("Bern"), again.bytesIndex("rows").get(bytes("17")));
      }
    }
  }

  @Test
  void indexIsOpenedAsWhatItIs() throws IOException {
    try (IndexStore store = open()) {
      BytesIndex names = store.bytesIndex("names");
      assertSame(names, store.bytesIndex("names"));
      store.index("rows");
      assertThrows(IllegalArgumentException.class, () -> store.index("names"));
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> store.bytesIndex("rows"));
      assertTrue(refused.getMessage().contains("has longs; open it with IndexStore.index"));
      names.set(bytes("k"), bytes("v"));
      try (Snapshot snapshot = store.snapshot()) {
        assertThrows(IllegalArgumentException.class, () -> snapshot.index("names"));
        assertThrows(IllegalArgumentException.class, () -> snapshot.bytesIndex("rows"));
        BytesIndex then = snapshot.bytesIndex("names");
        assertSame(then, snapshot.bytesIndex("names"));
        names.set(bytes("k"), bytes("w"));
        assertArrayEquals(bytes("v"), then.get(bytes("k")));
        assertThrows(UnsupportedOperationException.class, () -> then.set(bytes("k"), bytes("x")));
      }
      names.close();
      assertTrue(names.isClosed());
      assertThrows(IllegalStateException.class, () -> names.get(bytes("k")));
      assertArrayEquals(bytes("w"), store.bytesIndex("names").get(bytes("k")));
      assertTrue(store.drop("names"));
      assertEquals(0, store.bytesIndex("names").size());
    }
  }

  /** Values larger than the pool, and than a segment of the log. */
  @Test
  void largeValuesSurvive() throws IOException {
    TreeMap<Integer, byte[]> values = new TreeMap<>();
    Random random = new Random(5);
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("blobs");
      for (int i = 0; i < 20; i++) {
        byte[] value = new byte[1 << i];
        random.nextBytes(value);
        values.put(i, value);
        index.set(bytes("blob " + i), value);
      }
      store.commit();
      try (IndexStore again = killed()) {
        BytesIndex recovered = again.bytesIndex("blobs");
        values.forEach((i, value) -> assertArrayEquals(value, recovered.get(bytes("blob " + i))));
        again.verify();
        WriteBatch batch = new WriteBatch();
        values.forEach((i, value) -> batch.set(recovered, bytes("copy " + i), value));
        again.write(batch);
        assertTrue(recovered.delete(bytes("blob 19")));
        again.verify();
        assertArrayEquals(values.get(19), recovered.get(bytes("copy 19")));
      }
    }
  }

  @Test
  void readersGoOnBesideAWriter() throws Exception {
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("names");
      for (int i = 0; i < 3_000; i++) {
        index.set(bytes("fixed " + i), bytes("value " + i));
      }
      List<Throwable> failures = new ArrayList<>();
      Thread reader =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      for (int i = 0; i < TestSize.of(6_000, 30_000); i++) {
                        int key = i * 7 % 3_000;
                        assertArrayEquals(bytes("value " + key), index.get(bytes("fixed " + key)));
                      }
                    } catch (Throwable failed) {
                      failures.add(failed);
                    }
                  });
      Random random = new Random(4);
      while (reader.isAlive()) {
        byte[] key = bytes("moving " + random.nextInt(5_000));
        if (random.nextInt(3) == 0) {
          index.delete(key);
        } else {
          index.set(key, new byte[random.nextInt(3_000)]);
        }
      }
      reader.join();
      assertEquals(List.of(), failures);
      store.verify();
    }
  }

  @Test
  void wrongOffsetsOfABatchAreNoDamage() throws IOException {
    Files.createDirectories(path().getParent());
    try (BytesIndex index = Espalier.openBytes(path())) {
      index.set(new byte[] {1}, new byte[] {2});
      MemorySegment four = MemorySegment.ofArray(new byte[4]);
      PackedBytes wrong = new PackedBytes(four, MemorySegment.ofArray(new int[] {-1, 2, 4}), 2);
      assertThrows(
          IndexOutOfBoundsException.class, () -> index.getAll(wrong, (_, _, _, _, _, _) -> {}));
      index.verify();
    }
  }
}
