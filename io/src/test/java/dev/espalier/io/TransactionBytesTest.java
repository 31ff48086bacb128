// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.BytesValueCodec;
import dev.espalier.bytes.PackedBytes;
import dev.espalier.prefix.ConcurrentPrefixBPlusTree;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What transactions show of indexes of byte strings, how they end, and what they need. That their
 * indexes keep the laws of all others, {@link TransactionShape} has checked.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransactionBytesTest {
  private static final int LONG_VALUE = 100_000;

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private IndexStore store;
  private Transactions transactions;
  private BytesIndex index;

  @BeforeEach
  void open() {
    store = openStore();
    transactions = store.state().transactions;
    index = store.bytesIndex("a");
  }

  private IndexStore openStore() {
    StoreEnvironment environment =
        new StoreEnvironment(disk, new SplittableRandom(1), false, false);
    return new StoreOpening(SimulatedDisk.path("store"), StoreOptions.DEFAULT, environment).open();
  }

  @AfterEach
  void close() {
    if (!disk.crashed()) {
      store.close();
    }
  }

  private static byte[] bytes(String string) {
    return string.getBytes(UTF_8);
  }

  private static MemorySegment segment(String string) {
    return MemorySegment.ofArray(bytes(string));
  }

  private static String key(int number) {
    return "key/%04d".formatted(number);
  }

  /** Returns a value that is in its leaf, in a chain, or in one that cursors do not copy. */
  private static String value(int number) {
    int length = number % 7 == 3 ? LONG_VALUE : number % 5 == 0 ? 5_000 : number % 4;
    return ("" + number).repeat(Math.max(1, length / 4));
  }

  private void fill(int entries) {
    for (int i = 0; i < entries; i++) {
      index.set(bytes(key(10 * i)), bytes(value(i)));
    }
  }

  private static NavigableMap<String, String> map(BytesIndex index) {
    return index.asMap(BytesKeyCodec.ofString(), BytesValueCodec.ofString());
  }

  // ---------------------------------------------------------------- what it sees

  /** Every way of writing to an index of byte strings outside of transactions. */
  enum Plain {
    PUT((_, index) -> index.put(bytes(key(10)), bytes("x"))),
    SET((_, index) -> index.set(bytes(key(11)), bytes("x"))),
    SET_A_LONG_VALUE((_, index) -> index.set(segment(key(30)), segment("x".repeat(LONG_VALUE)))),
    PUT_IF_ABSENT((_, index) -> index.putIfAbsent(bytes(key(11)), bytes("x"))),
    REMOVE((_, index) -> index.remove(bytes(key(30)))),
    DELETE((_, index) -> index.delete(bytes(key(10)))),
    DELETE_BY_A_SEGMENT((_, index) -> index.delete(segment(key(100)))),
    PUT_ALL(
        (_, index) ->
            index.putAll(
                PackedBytes.of(List.of(bytes(key(11)), bytes(key(10)))),
                PackedBytes.of(List.of(bytes("x"), bytes("y"))))),
    REMOVE_RANGE((_, index) -> index.removeRange(bytes(key(10)), false, bytes(key(50)), true)),
    CLEAR((_, index) -> index.clear()),
    CLEAR_A_VIEW((_, index) -> index.prefixView(bytes("key/01")).clear()),
    POLL((_, index) -> index.pollFirst(_ -> {})),
    MAP((_, index) -> map(index).merge(key(10), "x", String::concat)),
    CLEAR_AND_BULKLOAD(
        (_, index) -> {
          index.clear();
          load(index, key(10), key(15));
          index.clear();
          load(index, key(5), key(20));
        }),
    CURSOR_SET(
        (_, index) -> {
          BytesCursor cursor = index.cursor();
          cursor.ceiling(segment(key(30)));
          cursor.setValue(segment("x"));
        }),
    CURSOR_REMOVE(
        (_, index) -> {
          BytesCursor cursor = index.cursor();
          cursor.last();
          cursor.remove();
        }),
    BATCH(
        (store, index) ->
            store.write(
                new WriteBatch()
                    .set(index, bytes(key(10)), bytes("x"))
                    .delete(index, bytes(key(20))))),
    TRANSACTION(
        (store, index) ->
            store.transact(
                Isolation.SERIALIZABLE,
                transaction -> transaction.bytesIndex("a").remove(bytes(key(30)))));

    private interface Write {
      void make(IndexStore store, BytesIndex index);
    }

    private final Write write;

    Plain(Write write) {
      this.write = write;
    }
  }

  private static void load(BytesIndex index, String... keys) {
    try (ConcurrentPrefixBPlusTree other = ConcurrentPrefixBPlusTree.create(IndexOptions.DEFAULT)) {
      for (String key : keys) {
        other.set(bytes(key), bytes("loaded"));
      }
      index.bulkload(other.cursor(), 1, -1, ProgressListener.NONE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void showsTheMomentOfItsBeginningWhateverIsWrittenMeanwhile(Plain plain) {
    fill(20);
    TreeMap<String, String> then = new TreeMap<>(map(index));
    try (Transaction before = store.begin(Isolation.SNAPSHOT)) {
      BytesCursor half = before.bytesIndex("a").cursor();
      for (int i = 0; i < 4; i++) {
        half.next(); // Its value is too long to be copied.
      }
      plain.write.make(store, index);
      TreeMap<String, String> now = new TreeMap<>(map(index));
      assertFalse(now.equals(then));
      assertArrayEquals(bytes(value(3)), half.valueArray());
      assertEquals(bytes(value(3)).length, half.valueBytes());
      assertShows(then, before.bytesIndex("a"));
      assertTrue(half.next());
      assertArrayEquals(bytes(key(40)), half.keyArray());
      try (Transaction after = store.begin(Isolation.SNAPSHOT)) {
        assertShows(now, after.bytesIndex("a"));
      }
      assertEquals(now, map(index));
    }
    assertEquals(0, transactions.keysWithVersions());
    assertEquals(0, transactions.bytes());
  }

  /** Compares the ways of reading an index with a map. */
  private static void assertShows(TreeMap<String, String> expected, BytesIndex seen) {
    assertEquals(expected, map(seen));
    assertEquals(expected.size(), seen.size());
    assertEquals(expected.isEmpty(), seen.isEmpty());
    assertEquals(
        new ArrayList<>(expected.descendingMap().entrySet()),
        new ArrayList<>(map(seen).descendingMap().entrySet()));
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 210; i += 5) {
      keys.add(bytes(key(i)));
      keys.add(bytes(key(i + 1)));
    }
    Map<Integer, StringBuilder> answers = new TreeMap<>();
    int count =
        seen.getAll(
            PackedBytes.of(keys),
            (i, piece, from, bytes, _, _) ->
                answers
                    .computeIfAbsent(i, _ -> new StringBuilder())
                    .append(text(piece, from, bytes)));
    assertEquals(count, answers.size());
    for (int i = 0; i < keys.size(); i++) {
      String value = expected.get(new String(keys.get(i), UTF_8));
      assertEquals(value, answers.containsKey(i) ? answers.get(i).toString() : null);
      assertShowsKey(value, keys.get(i), seen);
      assertShowsNeighbours(expected, new String(keys.get(i), UTF_8), seen);
    }
    for (int i = 0; i < 200; i += 25) {
      assertEquals(
          expected.subMap(key(i), true, key(i + 25), false).size(),
          seen.countRange(bytes(key(i)), true, bytes(key(i + 25)), false));
      assertEquals(
          expected.subMap(key(i), false, key(i + 25), true),
          map(seen).subMap(key(i), false, key(i + 25), true));
    }
  }

  private static String text(MemorySegment piece, long from, long bytes) {
    return new String(piece.asSlice(from, bytes).toArray(ValueLayout.JAVA_BYTE), UTF_8);
  }

  private static void assertShowsKey(String value, byte[] key, BytesIndex seen) {
    MemorySegment segment = MemorySegment.ofArray(key);
    byte[] stored = seen.get(key);
    assertEquals(value, stored == null ? null : new String(stored, UTF_8));
    assertEquals(value != null, seen.containsKey(key));
    StringBuilder shown = new StringBuilder();
    assertEquals(
        value != null,
        seen.get(segment, (piece, from, bytes, _, _) -> shown.append(text(piece, from, bytes))));
    assertEquals(value == null ? "" : value, shown.toString());
    byte[] room = new byte[10];
    Arrays.fill(room, (byte) '.');
    assertEquals(
        value == null ? -1 : value.length(), seen.get(segment, MemorySegment.ofArray(room)));
    String begin = (value == null ? "" : value.substring(0, Math.min(10, value.length())));
    assertEquals(begin + ".".repeat(10 - begin.length()), new String(room, UTF_8));
  }

  private static void assertShowsNeighbours(
      TreeMap<String, String> expected, String key, BytesIndex seen) {
    BytesCursor cursor = seen.cursor();
    assertAt(expected.higherEntry(key), cursor.higher(segment(key)), cursor);
    assertAt(expected.ceilingEntry(key), cursor.ceiling(segment(key)), cursor);
    cursor = seen.cursor();
    assertAt(expected.lowerEntry(key), cursor.lower(segment(key)), cursor);
    assertAt(expected.floorEntry(key), cursor.floor(segment(key)), cursor);
  }

  private static void assertAt(
      Map.@Nullable Entry<String, String> expected, boolean found, BytesCursor cursor) {
    assertEquals(expected != null, found);
    if (expected != null) {
      assertEquals(expected.getKey(), new String(cursor.keyArray(), UTF_8));
      assertEquals(expected.getValue(), new String(cursor.valueArray(), UTF_8));
    }
  }

  @Test
  void valuesThatAreReturnedAreTheCallers() {
    index.set(bytes("k"), bytes("one"));
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      BytesIndex own = transaction.bytesIndex("a");
      byte[] key = bytes("own");
      byte[] value = bytes("two");
      own.set(key, value);
      Arrays.fill(key, (byte) 0);
      Arrays.fill(value, (byte) 0);
      index.set(bytes("k"), bytes("else"));
      for (String each : List.of("k", "own")) {
        byte[] first = own.get(bytes(each));
        byte[] again = first.clone();
        Arrays.fill(first, (byte) 0);
        assertArrayEquals(again, own.get(bytes(each)));
        BytesCursor cursor = own.cursor();
        cursor.ceiling(segment(each));
        Arrays.fill(cursor.keyArray(), (byte) 0);
        Arrays.fill(cursor.valueArray(), (byte) 0);
        assertArrayEquals(again, cursor.valueArray());
        assertArrayEquals(bytes(each), cursor.keyArray());
        assertTrue(cursor.key().isReadOnly());
      }
      assertArrayEquals(bytes("two"), own.get(bytes("own")));
    }
  }

  @Test
  void longValueThatIsRemovedMeanwhileIsReadFromItsVersion() {
    fill(20);
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      List<BytesCursor> cursors = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        cursors.add(transaction.bytesIndex("a").cursor());
        assertTrue(cursors.getLast().ceiling(segment(key(30))));
      }
      index.delete(bytes(key(30)));
      assertEquals(value(3).length(), cursors.get(0).valueBytes());
      assertArrayEquals(bytes(value(3)), cursors.get(1).valueArray());
      StringBuilder shown = new StringBuilder();
      cursors.get(2).value((piece, from, bytes, _, _) -> shown.append(text(piece, from, bytes)));
      assertEquals(value(3), shown.toString());
    }
  }

  // ---------------------------------------------------------------- commit and end

  @Test
  void conflictNamesIndexAndKeyAndChangesNothing() {
    fill(3);
    try (Transaction transaction = store.begin(Isolation.SERIALIZABLE)) {
      BytesIndex own = transaction.bytesIndex("a");
      own.set(bytes("new"), bytes("x"));
      own.get(bytes(key(10)));
      index.set(bytes(key(10)), bytes("y"));
      TransactionConflictException refused =
          assertThrows(TransactionConflictException.class, transaction::commit);
      assertEquals("a", refused.index());
      assertArrayEquals(bytes(key(10)), refused.keyBytes());
      assertEquals(0, refused.key());
      assertEquals(
          "the transaction has read key 0x6b65792f30303130 of index 'a', which was changed after it"
              + " had begun",
          refused.getMessage());
    }
    assertNull(index.get(bytes("new")));
    byte[] longKey = new byte[1000];
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      transaction.bytesIndex("a").delete(longKey);
      index.set(longKey, bytes("y"));
      TransactionConflictException refused =
          assertThrows(TransactionConflictException.class, transaction::commit);
      assertTrue(refused.getMessage().contains("... of 1000 bytes"), refused.getMessage());
    }
    store.index("longs");
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      transaction.index("longs").set(1, 1);
      store.index("longs").set(1, 2);
      assertNull(assertThrows(TransactionConflictException.class, transaction::commit).keyBytes());
    }
  }

  @Test
  void commitOfLongsAndByteStringsIsOneRecordThatACrashKeepsOrLoses() {
    store.index("longs");
    store.commit();
    for (int i = 0; i < 2; i++) {
      int number = i;
      store.transact(
          Isolation.SERIALIZABLE,
          transaction -> {
            transaction.index("longs").set(number, number);
            transaction.bytesIndex("a").set(bytes(key(number)), bytes("x".repeat(30_000)));
            transaction.bytesIndex("a").delete(bytes(key(number - 1)));
            return number;
          });
      if (i == 0) {
        store.commit();
      }
    }
    assertEquals(1, index.size());
    disk.losePower();
    assertThrows(RuntimeException.class, store::close);
    disk.restart(CrashPlan.NOTHING);
    try (IndexStore again = openStore()) {
      boolean isThere = again.index("longs").containsKey(1);
      assertTrue(again.index("longs").containsKey(0));
      assertEquals(isThere, again.bytesIndex("a").containsKey(bytes(key(1))));
      assertEquals(!isThere, again.bytesIndex("a").containsKey(bytes(key(0))));
    }
  }

  @Test
  void writesAreTakenBackToASavepoint() {
    fill(3);
    store.index("longs");
    try (Transaction transaction = store.begin(Isolation.SERIALIZABLE)) {
      BytesIndex own = transaction.bytesIndex("a");
      own.set(bytes("1"), bytes("one"));
      own.delete(bytes(key(20)));
      TreeMap<String, String> then = new TreeMap<>(map(own));
      long bytes = transactions.bytes();
      Savepoint savepoint = transaction.savepoint();
      for (int i = 0; i < 2; i++) {
        own.set(bytes("1"), bytes("two".repeat(1000)));
        own.set(bytes("1"), bytes("three"));
        own.set(bytes(key(20)), bytes("again"));
        own.clear();
        transaction.index("longs").set(1, 1);
        transaction.rollbackTo(savepoint);
        assertEquals(bytes, transactions.bytes());
        assertShows(then, own);
        assertTrue(transaction.index("longs").isEmpty());
      }
      transaction.commit();
      assertShows(then, index);
    }
  }

  @Test
  void nothingOfItWorksWhenItIsOver() {
    fill(3);
    Transaction transaction = store.begin(Isolation.SNAPSHOT);
    BytesIndex own = transaction.bytesIndex("a");
    assertSame(own, transaction.bytesIndex("a"));
    BytesCursor cursor = own.cursor();
    cursor.next();
    transaction.commit();
    assertTrue(own.isClosed());
    List<Consumer<BytesIndex>> calls =
        List.of(
            all -> all.get(bytes("1")),
            all -> all.set(bytes("1"), bytes("1")),
            all -> all.delete(bytes("1")),
            BytesIndex::size,
            BytesIndex::cursor,
            BytesIndex::isEmpty,
            BytesIndex::clear,
            BytesIndex::verify,
            all -> all.countRange(bytes("1"), true, bytes("2"), true));
    for (Consumer<BytesIndex> call : calls) {
      assertThrows(IllegalStateException.class, () -> call.accept(own));
    }
    assertThrows(IllegalStateException.class, cursor::next);
    assertThrows(IllegalStateException.class, cursor::valueArray);
    assertThrows(IllegalStateException.class, () -> transaction.bytesIndex("a"));
  }

  @Test
  void whatIsOfTheWholeTreeIsRefusedWithTheOtherWay() {
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      BytesIndex own = transaction.bytesIndex("a");
      List<Consumer<BytesIndex>> calls =
          List.of(
              all -> load(all, "k"),
              BytesIndex::verify,
              BytesIndex::flush,
              BytesIndex::rootView,
              BytesIndex::statistics,
              BytesIndex::withReadWriteLock);
      for (Consumer<BytesIndex> call : calls) {
        String message =
            assertThrows(UnsupportedOperationException.class, () -> call.accept(own)).getMessage();
        assertTrue(message.contains(" is not for index 'a' in a transaction; "), message);
      }
      own.close();
      own.set(bytes("1"), bytes("1"));
    }
  }

  @Test
  void indexMustBeThereAndHaveByteStrings() {
    store.index("longs");
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      assertThrows(IllegalArgumentException.class, () -> transaction.bytesIndex("none"));
      assertThrows(IllegalArgumentException.class, () -> transaction.bytesIndex("longs"));
      transaction.index("longs").set(1, 1);
      assertThrows(IllegalArgumentException.class, () -> transaction.bytesIndex("longs"));
      assertEquals(1, transaction.index("longs").get(1));
    }
    assertEquals(List.of("a", "longs"), store.names());
  }

  @Test
  void entriesThatAreTooLongAreRefusedAtOnce() {
    byte[] tooLong = new byte[BytesIndex.MAX_KEY + 1];
    try (Transaction transaction = store.begin(Isolation.SNAPSHOT)) {
      BytesIndex own = transaction.bytesIndex("a");
      assertThrows(IllegalArgumentException.class, () -> own.set(tooLong, bytes("1")));
      assertNull(own.get(tooLong));
      assertNull(own.remove(tooLong)); // Or no commit would succeed any more.
      assertFalse(own.delete(tooLong));
      assertThrows(IllegalArgumentException.class, () -> index.set(tooLong, bytes("1")));
      own.set(new byte[BytesIndex.MAX_KEY], bytes("1"));
      transaction.commit();
    }
    assertEquals(1, index.size());
  }

  // ---------------------------------------------------------------- memory

  @Test
  void oldestIsEndedWhenValuesNeedMoreThanTheLimit() {
    fill(3);
    transactions.mostBytes = 1 << 20;
    Transaction oldest = store.begin(Isolation.SNAPSHOT);
    BytesCursor cursor = oldest.bytesIndex("a").cursor();
    cursor.next();
    for (int i = 0; i < 12; i++) {
      index.set(bytes(key(10)), new byte[LONG_VALUE]);
    }
    assertThrows(TransactionTooOldException.class, cursor::next);
    assertThrows(TransactionTooOldException.class, cursor::valueArray);
    BytesIndex own = oldest.bytesIndex("a");
    assertThrows(TransactionTooOldException.class, () -> own.get(bytes("1")));
    assertThrows(
        TransactionTooOldException.class, () -> own.get(segment(key(10)), (_, _, _, _, _) -> {}));
    assertThrows(TransactionTooOldException.class, () -> own.set(bytes("1"), bytes("1")));
    oldest.close();
    assertEquals(0, transactions.bytes());
  }

  @Test
  void valueOfMoreThanTheLimitIsNotCopiedAndEndsAll() {
    transactions.mostBytes = 1 << 20;
    index.set(bytes("large"), new byte[2 << 20]);
    Transaction first = store.begin(Isolation.SNAPSHOT);
    Transaction second = store.begin(Isolation.SNAPSHOT);
    index.clear();
    index.set(bytes("large"), new byte[2 << 20]);
    assertTrue(transactions.bytes() <= transactions.mostBytes);
    for (Transaction each : List.of(first, second)) {
      assertThrows(
          TransactionTooOldException.class, () -> each.bytesIndex("a").get(bytes("large")));
    }
    try (Transaction third = store.begin(Isolation.SNAPSHOT)) {
      index.delete(bytes("large"));
      assertThrows(
          TransactionTooOldException.class, () -> third.bytesIndex("a").get(bytes("large")));
    }
    assertEquals(0, transactions.bytes());
    assertEquals(0, transactions.keysWithVersions());
  }

  @Test
  void ownWritesOfMoreThanTheLimitEndTheTransaction() {
    transactions.mostBytes = 1 << 20;
    Transaction large = store.begin(Isolation.SNAPSHOT);
    BytesIndex own = large.bytesIndex("a");
    for (int i = 0; i < 20; i++) {
      own.set(bytes("same"), new byte[LONG_VALUE]); // which replaces the one before
    }
    assertThrows(
        TransactionTooOldException.class,
        () -> {
          for (int i = 0; i < 20; i++) {
            own.set(bytes(key(i)), new byte[LONG_VALUE]);
          }
        });
    assertThrows(TransactionTooOldException.class, large::commit);
    assertTrue(index.isEmpty());
    assertEquals(0, transactions.bytes());
  }
}
