// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.IndexOptions;
import dev.espalier.LongIndex;
import dev.espalier.bplus.PbPlusTree;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.memory.PageStore;
import dev.espalier.prefix.PrefixBPlusTree;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What records of the log do to indexes, and in which order. */
class ReplayTest {
  private static final int LONGS = 1;
  private static final int MORE_LONGS = 2;
  private static final int STRINGS = 3;
  private static final int MORE_STRINGS = 4;

  /** Of an index that the log tells of, and which is passed over. */
  private static final int NONE = 99;

  private final LongIndex longs = PbPlusTree.create(IndexOptions.DEFAULT);
  private final LongIndex moreLongs = PbPlusTree.create(IndexOptions.DEFAULT);
  private final PrefixBPlusTree strings = PrefixBPlusTree.create();
  private final PrefixBPlusTree moreStrings = PrefixBPlusTree.create();
  private final Map<Integer, Integer> asked = new HashMap<>();
  private final List<Catalogue.Entry> created = new ArrayList<>();
  private final LogRecord record = new LogRecord();
  private final Replay replay = new Replay(new Known(), 1 << 20);

  private final class Known implements Replay.Indexes {
    @Override
    public @Nullable LongIndex longs(int id) {
      asked.merge(id, 1, Integer::sum);
      return id == LONGS ? longs : id == MORE_LONGS ? moreLongs : null;
    }

    @Override
    public @Nullable BytesIndex byteStrings(int id) {
      asked.merge(id, 1, Integer::sum);
      return id == STRINGS ? strings : id == MORE_STRINGS ? moreStrings : null;
    }

    @Override
    public void create(Catalogue.Entry made) {
      created.add(made);
    }
  }

  @AfterEach
  void close() {
    longs.close();
    moreLongs.close();
    strings.close();
    moreStrings.close();
  }

  private LogRecord begin() {
    record.begin(LogRecord.BATCH);
    return record;
  }

  /** Returns the payload of the record, with some bytes before and behind it. */
  private byte[] payload() {
    byte[] written = new byte[record.logBytes()];
    record.complete(1, 2, 0, 3, 4, 5, 2);
    record.writeTo(MemorySegment.ofArray(written), 0);
    LogRecord.Header header = LogRecord.read(written, 0, new LogRecord.Place(1, 2));
    byte[] payload = new byte[AT + header.length() + 3];
    System.arraycopy(written, LogRecord.HEADER_BYTES, payload, AT, header.length());
    return payload;
  }

  private static final int AT = 5;

  private @Nullable String add(byte[] payload) {
    return replay.add(payload, AT, payload.length - AT - 3);
  }

  private void add() {
    assertNull(add(payload()));
  }

  private static byte[] bytes(int... bytes) {
    byte[] all = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      all[i] = (byte) bytes[i];
    }
    return all;
  }

  private static MemorySegment segment(int... bytes) {
    return MemorySegment.ofArray(bytes(bytes));
  }

  // ---------------------------------------------------------------- longs

  @Test
  void writesAreGatheredAndTheLastOneToEachKeyCounts() {
    begin().set(LONGS, 1, 10);
    record.set(LONGS, 2, 20);
    record.set(MORE_LONGS, 1, 11);
    record.set(LONGS, 1, 12);
    record.delete(LONGS, 2);
    record.set(LONGS, Long.MIN_VALUE, Long.MAX_VALUE);
    add();
    begin().set(LONGS, 3, 30);
    add();
    assertEquals(7, replay.writes());
    assertTrue(longs.isEmpty());
    assertTrue(moreLongs.isEmpty());
    replay.finish();
    assertEquals(3, longs.size());
    assertEquals(12, longs.get(1));
    assertEquals(30, longs.get(3));
    assertEquals(Long.MAX_VALUE, longs.get(Long.MIN_VALUE));
    assertEquals(1, moreLongs.size());
    assertEquals(11, moreLongs.get(1));
    assertEquals(Map.of(LONGS, 1, MORE_LONGS, 1), asked);
  }

  @Test
  void aRangeIsRemovedWithItsBoundsAfterWhatWasWrittenBefore() {
    for (long key = 1; key <= 5; key++) {
      begin().set(LONGS, key, key);
      add();
    }
    begin().removeRange(LONGS, 2, 4);
    add();
    assertEquals(2, longs.size());
    assertEquals(1, longs.get(1));
    assertEquals(5, longs.get(5));
    begin().set(LONGS, 3, 33);
    add();
    replay.finish();
    assertEquals(33, longs.get(3));
    assertEquals(7, replay.writes());
  }

  @Test
  void clearingForgetsWhatWasWrittenBefore() {
    longs.set(7, 7);
    begin().set(LONGS, 1, 1);
    record.clear(LONGS);
    record.set(LONGS, 2, 2);
    add();
    assertEquals(0, longs.size());
    replay.finish();
    assertEquals(1, longs.size());
    assertEquals(2, longs.get(2));
    assertEquals(3, replay.writes());
  }

  @Test
  void whatIsPassedOverIsNotCounted() {
    begin().set(NONE, 1, 1);
    record.set(LONGS, 1, 1);
    record.set(NONE, 2, 2);
    record.set(NONE, segment(1), segment(2));
    record.clearBytes(NONE);
    record.set(LONGS, 3, 3);
    add();
    replay.finish();
    assertEquals(2, replay.writes());
    assertEquals(2, longs.size());
    assertEquals(Map.of(LONGS, 1, NONE, 4), asked);
  }

  // ---------------------------------------------------------------- byte strings

  @Test
  void byteStringsAreGatheredToo() {
    begin().set(STRINGS, segment(1, 2), segment(3, 4, 5));
    record.set(STRINGS, segment(9), segment());
    record.set(MORE_STRINGS, segment(1, 2), segment(6));
    record.delete(STRINGS, segment(9));
    record.set(STRINGS, segment(), segment(7));
    add();
    assertTrue(strings.isEmpty());
    replay.finish();
    assertEquals(2, strings.size());
    assertArrayEquals(bytes(3, 4, 5), strings.get(bytes(1, 2)));
    assertArrayEquals(bytes(7), strings.get(bytes()));
    assertArrayEquals(bytes(6), moreStrings.get(bytes(1, 2)));
    assertEquals(5, replay.writes());
    assertEquals(Map.of(STRINGS, 1, MORE_STRINGS, 1), asked);
  }

  @ParameterizedTest
  @CsvSource({"true, true, 15", "true, false, 145", "false, true, 125", "false, false, 1245"})
  void aRangeOfByteStringsHasTheBoundsThatItSays(
      boolean fromIncluded, boolean toIncluded, String left) {
    for (int key = 1; key <= 5; key++) {
      begin().set(STRINGS, segment(key), segment(key));
      add();
    }
    begin().removeRange(STRINGS, bytes(2), fromIncluded, bytes(4), toIncluded);
    add();
    StringBuilder keys = new StringBuilder();
    for (int key = 1; key <= 5; key++) {
      keys.append(strings.containsKey(bytes(key)) ? String.valueOf(key) : "");
    }
    assertEquals(left, keys.toString());
    assertEquals(6, replay.writes());
  }

  @Test
  void clearingByteStringsForgetsWhatWasWrittenBefore() {
    strings.set(bytes(7), bytes(7));
    begin().set(STRINGS, segment(1), segment(1));
    record.clearBytes(STRINGS);
    record.set(STRINGS, segment(2), segment(2));
    add();
    assertTrue(strings.isEmpty());
    replay.finish();
    assertEquals(1, strings.size());
    assertEquals(3, replay.writes());
  }

  // ---------------------------------------------------------------- making, nonsense

  private static Catalogue.Entry entry() {
    return new Catalogue.Entry(
        8, "name", "kind", "codecs", new long[PageStore.META_WORDS], 0, PageMap.Root.NONE);
  }

  @Test
  void anIndexIsMadeBetweenTheWrites() {
    begin().set(LONGS, 1, 1);
    record.create(entry());
    record.set(LONGS, 2, 2);
    add();
    replay.finish();
    assertEquals(1, created.size());
    assertEquals("name", created.getFirst().name());
    assertEquals(8, created.getFirst().id());
    assertEquals(2, longs.size());
    assertEquals(2, replay.writes());
  }

  @Test
  void anIndexThatCanNotBeReadIsNotMade() {
    begin().create(entry());
    byte[] payload = payload();
    int length = AT + LogRecord.OPERATION_BYTES; // The entry is shorter than it should be.
    payload[length]--;
    byte[] shorter = new byte[payload.length - 1];
    System.arraycopy(payload, 0, shorter, 0, shorter.length);
    assertEquals("its operation of kind 9 at byte 0 makes no sense", add(shorter));
    assertEquals(List.of(), created);
  }

  /** A batch is carried out as a whole, or not at all. */
  @ParameterizedTest
  @ValueSource(bytes = {0, 10, -1, 127})
  void nothingIsCarriedOutOfABatchThatMakesNoSense(byte kind) {
    begin().set(LONGS, 1, 1);
    record.clear(LONGS);
    record.set(LONGS, 2, 2);
    byte[] payload = payload();
    payload[AT + 19] = kind;
    longs.set(7, 7);
    assertEquals(
        "its operation of kind %d at byte 19 makes no sense".formatted(kind), add(payload));
    replay.finish();
    assertEquals(1, longs.size());
    assertEquals(0, replay.writes());
    assertEquals(Map.of(), asked);
  }

  @Test
  void anOperationThatIsLongerThanItsBatchMakesNoSense() {
    begin().set(LONGS, 1, 1);
    byte[] payload = payload();
    assertEquals("its operation of kind 1 at byte 0 makes no sense", replay.add(payload, AT, 18));
    assertEquals(0, replay.writes());
    assertNull(replay.add(payload, AT, 19));
    assertNull(replay.add(payload, AT, 0));
    assertEquals(1, replay.writes());
  }
}
