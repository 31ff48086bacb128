// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongCursor;
import dev.espalier.LongEntry;
import dev.espalier.LongIndex;
import dev.espalier.TreeVariant;
import dev.espalier.blink.FpbLinkTree;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.BytesValueCodec;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.paged.DiskFirstFpbPlusTree;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where every write is promised to be safe when it returns, each way of writing keeps that. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AcknowledgedWritesTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(512).withPoolBytes(256 * 512))
          .withSegmentBytes(16 << 10)
          .withDurability(Durability.EVERY_WRITE);

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private IndexStore store;
  private LongIndex longs;
  private BytesIndex strings;

  private interface Write {
    void make(IndexStore store, LongIndex longs, BytesIndex strings);
  }

  private static byte[] bytes(String string) {
    return string.getBytes(UTF_8);
  }

  private static MemorySegment segment(String string) {
    return MemorySegment.ofArray(bytes(string));
  }

  /** Each way of writing. */
  enum Way {
    PUT((_, longs, _) -> longs.put(10, 1)),
    SET((_, longs, _) -> longs.set(11, 1)),
    PUT_IF_ABSENT((_, longs, _) -> longs.putIfAbsent(11, 1)),
    INSERT((_, longs, _) -> longs.insert(11, 1)),
    REPLACE((_, longs, _) -> longs.replace(10, 10, 1)),
    REMOVE((_, longs, _) -> longs.remove(10)),
    REMOVE_A_VALUE((_, longs, _) -> longs.remove(10, 10)),
    DELETE((_, longs, _) -> longs.delete(10)),
    ADD((_, longs, _) -> longs.addTo(10, 5)),
    POLL_FIRST((_, longs, _) -> longs.pollFirst(new LongEntry())),
    POLL_LAST((_, longs, _) -> longs.pollLast(new LongEntry())),
    PUT_ALL((_, longs, _) -> longs.putAll(new long[] {10, 11}, new long[] {1, 2})),
    REMOVE_RANGE((_, longs, _) -> longs.removeRange(10, false, 50, true)),
    CLEAR((_, longs, _) -> longs.clear()),
    CURSOR_SET(
        (_, longs, _) -> {
          LongCursor cursor = longs.cursor();
          cursor.first();
          cursor.setValue(7);
        }),
    CURSOR_REMOVE(
        (_, longs, _) -> {
          LongCursor cursor = longs.cursor();
          cursor.last();
          cursor.remove();
        }),
    PUT_STRING((_, _, strings) -> strings.put(bytes("b"), bytes("x"))),
    SET_STRING((_, _, strings) -> strings.set(bytes("c"), bytes("x"))),
    SET_SEGMENT((_, _, strings) -> strings.set(segment("c"), segment("x".repeat(2000)))),
    PUT_STRING_IF_ABSENT((_, _, strings) -> strings.putIfAbsent(bytes("c"), bytes("x"))),
    REMOVE_STRING((_, _, strings) -> strings.remove(bytes("b"))),
    DELETE_STRING((_, _, strings) -> strings.delete(bytes("b"))),
    DELETE_SEGMENT((_, _, strings) -> strings.delete(segment("b"))),
    POLL_STRING((_, _, strings) -> strings.pollFirst(_ -> {})),
    PUT_ALL_STRINGS(
        (_, _, strings) ->
            strings.putAll(
                PackedBytes.of(List.of(bytes("b"), bytes("c"))),
                PackedBytes.of(List.of(bytes("x"), bytes("y"))))),
    REMOVE_RANGE_OF_STRINGS(
        (_, _, strings) -> strings.removeRange(bytes("b"), false, bytes("f"), true)),
    CLEAR_STRINGS((_, _, strings) -> strings.clear()),
    CURSOR_SET_STRING(
        (_, _, strings) -> {
          BytesCursor cursor = strings.cursor();
          cursor.first();
          cursor.setValue(segment("x"));
        }),
    CURSOR_REMOVE_STRING(
        (_, _, strings) -> {
          BytesCursor cursor = strings.cursor();
          cursor.last();
          cursor.remove();
        }),
    BATCH(
        (store, longs, strings) ->
            store.write(
                new WriteBatch()
                    .set(longs, 10, 1)
                    .delete(longs, 20)
                    .set(strings, bytes("b"), bytes("x")))),
    BATCH_OF_REMOVALS(
        (store, longs, strings) ->
            store.write(new WriteBatch().delete(longs, 10).delete(strings, bytes("b")))),
    TRANSACTION(
        (store, _, _) -> {
          try (Transaction transaction = store.begin(Isolation.SERIALIZABLE)) {
            transaction.index("longs").set(10, 1);
            transaction.bytesIndex("strings").delete(bytes("b"));
            transaction.commit();
          }
        }),
    MAKE_INDEX((store, _, _) -> store.index("made")),
    MAKE_INDEX_OF_STRINGS((store, _, _) -> store.bytesIndex("made")),
    DROP_INDEX((store, _, _) -> store.drop("other")),
    COMMIT_A_NOTE((store, _, _) -> store.commit(new byte[] {1, 2, 3}));

    private final Write write;

    Way(Write write) {
      this.write = write;
    }
  }

  /** Each way of writing nothing. */
  enum Vain {
    PUT_IF_ABSENT((_, longs, _) -> longs.putIfAbsent(10, 1)),
    INSERT((_, longs, _) -> longs.insert(10, 1)),
    REPLACE((_, longs, _) -> longs.replace(10, 11, 1)),
    REMOVE_A_VALUE((_, longs, _) -> longs.remove(10, 11)),
    PUT_ALL((_, longs, _) -> longs.putAll(new long[0], new long[0])),
    REMOVE_RANGE((_, longs, _) -> longs.removeRange(11, true, 19, true)),
    PUT_STRING_IF_ABSENT((_, _, strings) -> strings.putIfAbsent(bytes("b"), bytes("x"))),
    REMOVE_RANGE_OF_STRINGS(
        (_, _, strings) -> strings.removeRange(bytes("b1"), true, bytes("b2"), true)),
    BATCH((store, _, _) -> store.write(new WriteBatch())),
    TRANSACTION(
        (store, _, _) -> {
          try (Transaction transaction = store.begin(Isolation.SERIALIZABLE)) {
            transaction.index("longs").get(10);
            transaction.commit();
          }
        }),
    MAKE_INDEX((store, _, _) -> store.index("other")),
    DROP_INDEX((store, _, _) -> store.drop("none"));

    private final Write write;

    Vain(Write write) {
      this.write = write;
    }
  }

  private void open(TreeVariant variant) {
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(1), false, false);
    store = new StoreOpening(LogCalls.STORE, OPTIONS, environment).open();
    longs = store.index("longs", variant);
    strings = store.bytesIndex("strings");
  }

  private void fill(TreeVariant variant) {
    open(variant);
    store.index("other").set(1, 1);
    long[] keys = LongStream.range(0, 20).map(i -> 10 * i).toArray();
    longs.putAll(keys, keys);
    for (String key : List.of("a", "b", "d", "e", "g")) {
      strings.set(bytes(key), bytes("value of " + key));
    }
  }

  /** Makes room for another store. */
  private void remove() {
    store.close();
    disk.delete(LogCalls.STORE);
  }

  @AfterEach
  void close() {
    store.close(); // Once more, if all went well.
  }

  private TreeMap<String, String> stringsNow() {
    return new TreeMap<>(strings.asMap(BytesKeyCodec.ofString(), BytesValueCodec.ofString()));
  }

  @ParameterizedTest
  @EnumSource
  void whatWasWrittenSurvivesAPowerLoss(Way way) {
    for (TreeVariant variant : List.of(FpbLinkTree.VARIANT, DiskFirstFpbPlusTree.VARIANT)) {
      fill(variant);
      Log log = store.state().log;
      long before = log.appended();
      way.write.make(store, longs, strings);
      assertTrue(log.appended() > before);
      assertEquals(log.appended(), log.forced());
      assertEquals(0, store.state().gate.sum());
      TreeMap<Long, Long> longsThen = new TreeMap<>(longs.asMap());
      TreeMap<String, String> stringsThen = stringsNow();
      List<String> names = store.names();
      byte[] note = store.note();
      disk.losePower();
      assertThrows(RuntimeException.class, store::close);
      disk.restart(CrashPlan.NOTHING);
      open(variant);
      assertEquals(longsThen, new TreeMap<>(longs.asMap()));
      assertEquals(stringsThen, stringsNow());
      assertEquals(names, store.names());
      assertArrayEquals(note, store.note());
      store.verify();
      remove();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatWritesNothingTellsTheLogNothing(Vain vain) {
    for (TreeVariant variant : List.of(FpbLinkTree.VARIANT, DiskFirstFpbPlusTree.VARIANT)) {
      fill(variant);
      Log log = store.state().log;
      long before = log.appended();
      long forces = log.forces();
      TreeMap<Long, Long> longsThen = new TreeMap<>(longs.asMap());
      TreeMap<String, String> stringsThen = stringsNow();
      vain.write.make(store, longs, strings);
      assertEquals(before, log.appended());
      assertEquals(forces, log.forces());
      assertEquals(longsThen, new TreeMap<>(longs.asMap()));
      assertEquals(stringsThen, stringsNow());
      assertEquals(0, store.state().gate.sum());
      remove();
    }
  }
}
