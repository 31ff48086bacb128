// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.CodecMarks;
import dev.espalier.KeyCodec;
import dev.espalier.ProgressListener;
import dev.espalier.ValueCodec;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.BytesValueCodec;
import dev.espalier.bytes.SecondaryIndex;
import dev.espalier.bytes.TypedIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Indexes of a store that remember with which codecs they were made. */
class StoredCodecsTest {
  private static final BytesKeyCodec<String> STRING = BytesKeyCodec.ofString();
  private static final BytesKeyCodec<Long> LONG = BytesKeyCodec.ofLong();
  private static final BytesValueCodec<Long> LONG_VALUE = BytesValueCodec.ofLong();

  @TempDir private Path folder;

  private IndexStore open() {
    return IndexStore.open(folder.resolve("store"), IndexStoreTest.SMALL);
  }

  private static List<String> codecs(Path path) {
    return Espalier.describe(path, FileOptions.DEFAULT).indexes().stream()
        .map(index -> index.codecs())
        .toList();
  }

  // ---------------------------------------------------------------- use

  @Test
  void typedIndexesAreWrittenByBatchesTogether() {
    try (IndexStore store = open()) {
      TypedIndex<String, Long> rows = store.typedIndex("rows", STRING, LONG_VALUE);
      SecondaryIndex<Long> bySize = store.secondaryIndex("sizes", LONG);
      WriteBatch batch = new WriteBatch();
      batch.set(rows, "a", 10L).set(rows, "b", 20L).add(bySize, 10L, 1).delete(rows, "a");
      store.write(batch);
      assertEquals(Map.of("b", 20L), rows.asMap());
      assertEquals(1, bySize.count(10L));
      assertSame(rows.index(), store.bytesIndex("rows"));
    }
  }

  @Test
  void mapsOfLongsHaveCodecsAndWriteThrough() {
    try (IndexStore store = open()) {
      Map<LocalDate, Double> rates =
          store.map("rates", KeyCodec.ofLocalDate(), ValueCodec.ofDouble());
      rates.put(LocalDate.EPOCH.plusDays(3), 1.5);
      assertEquals(Double.doubleToRawLongBits(1.5), store.index("rates").get(3));
      assertEquals(rates, store.map("rates", KeyCodec.ofLocalDate(), ValueCodec.ofDouble()));
      assertEquals(1, store.index("rates").asMap().size()); // the longs themselves
    }
  }

  // ---------------------------------------------------------------- refusals

  @ParameterizedTest
  @ValueSource(strings = {"open", "closed", "crashed", "backup"})
  void otherCodecsAreRefusedByName(String then) throws IOException {
    Path path = folder.resolve("store");
    try (IndexStore store = open()) {
      store.typedIndex("rows", STRING, LONG_VALUE).set("a", 1L);
      store.secondaryIndex("sizes", LONG).add(1L, 1);
      store.map("rates", KeyCodec.ofLocalDate(), ValueCodec.ofDouble());
      store.commit();
      switch (then) {
        case "open" -> assertOtherCodecsAreRefused(store, path);
        case "crashed" -> {
          Stores.copy(folder, folder.resolveSibling(folder.getFileName() + "-killed"));
          Path killed = folder.resolveSibling(folder.getFileName() + "-killed").resolve("store");
          try (IndexStore again = IndexStore.open(killed, IndexStoreTest.SMALL)) {
            assertOtherCodecsAreRefused(again, killed);
          }
        }
        case "backup" -> {
          store.backup(folder.resolve("backup"));
          try (IndexStore copy = IndexStore.open(folder.resolve("backup"), IndexStoreTest.SMALL)) {
            assertOtherCodecsAreRefused(copy, folder.resolve("backup"));
          }
        }
        default -> {}
      }
    }
    if (then.equals("closed")) {
      assertEquals(
          List.of(
              "bytes(string):bytes(long)", "bytes(long):bytes(ids)", "int64(date):int64(double)"),
          codecs(path));
      try (IndexStore again = open()) {
        assertOtherCodecsAreRefused(again, path);
      }
    }
  }

  private static void assertOtherCodecsAreRefused(IndexStore store, Path path) {
    String rows = "index 'rows' of " + path;
    String keys = rows + " has keys stored by the codec 'string'; the codec given is 'long'";
    assertRefused(keys, () -> store.typedIndex("rows", LONG, LONG_VALUE));
    BytesIndex bytes = store.bytesIndex("rows");
    assertRefused(keys, () -> bytes.typed(LONG, LONG_VALUE));
    assertRefused(keys, () -> bytes.asMap(LONG, LONG_VALUE));
    String values = rows + " has values stored by the codec 'long'; the codec given is ";
    assertRefused(values + "'ids'", () -> SecondaryIndex.over(bytes, STRING));
    assertRefused(values + "'ids'", () -> store.secondaryIndex("rows", STRING));
    assertRefused(
        "index 'sizes' of "
            + path
            + " has keys stored by the codec 'long'; the codec given is"
            + " 'string'",
        () -> store.secondaryIndex("sizes", STRING));
    String dates = "index 'rates' of " + path + " has keys stored by the codec 'date'; the codec";
    assertRefused(
        dates + " given is 'int'",
        () -> store.map("rates", KeyCodec.ofInt(), ValueCodec.ofDouble()));
    assertRefused(
        dates + " given is 'long'",
        () -> store.index("rates").asMap(KeyCodec.ofLong(), ValueCodec.ofDouble()));
    try (Snapshot snapshot = store.snapshot()) {
      BytesIndex old = snapshot.bytesIndex("rows");
      assertTrue(
          assertThrows(IllegalArgumentException.class, () -> old.typed(LONG, LONG_VALUE))
              .getMessage()
              .endsWith("has keys stored by the codec 'string'; the codec given is 'long'"));
      assertEquals(Map.of("a", 1L), old.typed(STRING, LONG_VALUE).asMap());
    }
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      assertRefused(
          dates + " given is 'instant'",
          () -> transaction.index("rates").asMap(KeyCodec.ofInstant(), ValueCodec.ofDouble()));
      BytesIndex own = transaction.bytesIndex("rows");
      assertRefused(keys, () -> own.typed(LONG, LONG_VALUE));
      assertRefused(keys, () -> own.asMap(LONG, LONG_VALUE));
      assertRefused(values + "'ids'", () -> SecondaryIndex.over(own, STRING));
      assertEquals(Map.of("a", 1L), own.typed(STRING, LONG_VALUE).asMap());
    }
    assertEquals(1L, store.typedIndex("rows", STRING, LONG_VALUE).get("a"));
    assertEquals(1, store.secondaryIndex("sizes", LONG).count(1L));
  }

  private static void assertRefused(String message, Executable call) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
  }

  @Test
  void indexesMadeWithoutCodecsTakeAny() {
    try (IndexStore store = open()) {
      BytesIndex index = store.bytesIndex("names");
      index.set(LONG.encode(1L), LONG_VALUE.encode(2L));
      store.index("numbers");
    }
    assertEquals(List.of("bytes:bytes", "int64:int64"), codecs(folder.resolve("store")));
    try (IndexStore store = open()) {
      assertEquals(2L, store.typedIndex("names", LONG, LONG_VALUE).get(1L));
      assertEquals(Map.of(), store.map("numbers", KeyCodec.ofInt(), ValueCodec.ofInt()));
      assertEquals(Map.of(), store.map("numbers", KeyCodec.ofLong(), ValueCodec.ofInt()));
      assertThrows(IllegalArgumentException.class, () -> store.secondaryIndex("names", LONG));
      assertThrows(
          IllegalArgumentException.class, () -> store.typedIndex("numbers", LONG, LONG_VALUE));
    }
    assertEquals(List.of("bytes:bytes", "int64:int64"), codecs(folder.resolve("store")));
  }

  @Test
  void whatIsSavedOfADamagedStoreRemembersItsCodecs() {
    try (IndexStore store = open()) {
      store.typedIndex("rows", STRING, LONG_VALUE).set("a", 1L);
      store.map("rates", KeyCodec.ofLocalDate(), ValueCodec.ofDouble()).put(LocalDate.EPOCH, 1.0);
    }
    Path saved = folder.resolve("saved");
    Salvage.salvage(folder.resolve("store"), FileOptions.DEFAULT, saved, ProgressListener.NONE);
    assertEquals(List.of("bytes(string):bytes(long)", "int64(date):int64(double)"), codecs(saved));
  }

  // ---------------------------------------------------------------- the form

  @ParameterizedTest
  @CsvSource({
    "int64:int64, , ",
    "bytes:bytes, , ",
    "bytes(string):bytes, string, ",
    "int64:int64(my.Money-2), , my.Money-2",
    "bytes(a):bytes(b), a, b"
  })
  void marksAreReadAsTheyAreWritten(String codecs, String keys, String values) {
    CodecMarks marks = new CodecMarks(keys, values);
    assertEquals(marks, StoredCodecs.marks(codecs));
    boolean areByteStrings = codecs.startsWith("b");
    assertEquals(areByteStrings, StoredCodecs.areByteStrings(codecs));
    assertEquals(
        codecs, areByteStrings ? StoredCodecs.ofByteStrings(marks) : StoredCodecs.ofLongs(marks));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "bytes", "bytes():bytes", "bytes(a b):bytes", "bytes(a):int64(b)"})
  void whatIsNoNameOfCodecsHasNoMarks(String codecs) {
    assertEquals(CodecMarks.NONE, StoredCodecs.marks(codecs));
    assertFalse(StoredCodecs.areByteStrings("int64(bytes):int64"));
  }
}
