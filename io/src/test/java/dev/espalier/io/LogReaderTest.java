// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.io.LogCalls.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How segments of a log are read, and what of the device is asked meanwhile. */
class LogReaderTest {
  private static final long STORE_ID = 77;
  private static final int EPOCH = 5;
  private static final int FIRST = LogSegment.HEADER_BYTES;
  private static final int NOTE = 64;

  private final LogCalls files = new LogCalls(DiskTrials.disk(1));
  private final Map<Long, LogSegment> segments = new TreeMap<>();

  /** The bytes of the segment that is being made. */
  private byte[] made = {};

  private static LogRecord note(int logBytes, int contents) {
    LogRecord record = new LogRecord();
    record.begin(LogRecord.NOTE);
    byte[] note = new byte[logBytes - LogRecord.HEADER_BYTES - 1];
    Arrays.fill(note, (byte) contents);
    record.note(note);
    assertEquals(logBytes, record.logBytes());
    return record;
  }

  private void put(int offset, LogRecord record, long number, long sequence, int epoch) {
    record.complete(STORE_ID, number, offset, sequence, epoch, 1, sequence - 1);
    MemorySegment bytes = MemorySegment.ofArray(made);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(record.logBytes(), 8);
      record.writeTo(memory, 0);
      MemorySegment.copy(memory, 0, bytes, offset, record.logBytes());
    }
  }

  private void setLength(int offset, int length) {
    ByteBuffer.wrap(made).order(ByteOrder.LITTLE_ENDIAN).putInt(offset, length);
  }

  private LogSegment write(long number, long bytes) {
    LogSegment segment =
        LogSegment.create(files, LogFiles.path(LogCalls.STORE, (int) number), bytes);
    segment.number = number;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(Math.max(made.length, 1), 4096);
      MemorySegment.copy(made, 0, memory, ValueLayout.JAVA_BYTE, 0, made.length);
      if (made.length > 0) {
        IoBatch batch = new IoBatch(memory, 1);
        batch.add(0, 0, made.length);
        segment.file.write(batch);
      }
    }
    segments.put(number, segment);
    files.calls();
    return segment;
  }

  /** Makes a segment full of small records, the first of which has a given sequence number. */
  private LogSegment full(long number, int bytes, long sequence) {
    made = new byte[bytes];
    long next = sequence;
    for (int at = FIRST; at <= bytes - NOTE; at += NOTE) {
      put(at, note(NOTE, 1), number, next++, EPOCH);
    }
    return write(number, bytes);
  }

  /** Returns the number of the first and the number behind the last record of a segment. */
  private static List<Long> sequences(LogReader reader, LogSegment segment, long from) {
    reader.open(segment, from);
    List<Long> found = new ArrayList<>();
    long at = from;
    for (LogRecord.Header record = reader.record(at, true);
        record != null;
        record = reader.record(at, true)) {
      found.add(record.sequence());
      at = reader.end(at, record);
    }
    for (int i = 1; i < found.size(); i++) {
      assertEquals(found.getFirst() + i, found.get(i));
    }
    return found.isEmpty() ? List.of() : List.of(found.getFirst(), found.getLast() + 1);
  }

  private static List<String> reads(int file, int count, int bytes, int from) {
    List<String> reads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      reads.add("READ log%d %d %d".formatted(file, from + i * bytes, bytes));
    }
    return reads;
  }

  private LogReader reader(long mostBytes) {
    return new LogReader(STORE_ID, segments::get, mostBytes);
  }

  // ---------------------------------------------------------------- read ahead

  @Test
  void oneSegmentIsReadAfterAnotherWithoutWaiting() {
    LogSegment one = full(1, 64 << 10, 100);
    LogSegment two = full(2, 64 << 10, 1060);
    try (LogReader reader = reader(64 << 10)) {
      reader.open(one, FIRST);
      assertEquals(List.of(), files.calls());
      assertNotNull(reader.record(FIRST, true));
      assertEquals(
          List.of("READ log1 4096 61440", "READ log2 0 65536", "FINISH log1"), files.calls());
      assertEquals(List.of(100L, 1060L), sequences(reader, one, FIRST));
      assertEquals(
          List.of("FINISH log2", "READ log1 4096 61440", "READ log2 0 65536", "FINISH log1"),
          files.calls()); // What was read of the segment that follows is no use then.
      assertEquals(List.of(1060L, 2020L), sequences(reader, two, FIRST));
      assertEquals(List.of("FINISH log2"), files.calls());
    }
  }

  @Test
  void theSegmentThatFollowsIsThereWhenItIsTurnedTo() {
    LogSegment one = full(1, 32 << 10, 100);
    LogSegment two = full(2, 32 << 10, 548);
    LogSegment three = full(3, 16 << 10, 996);
    try (LogReader reader = reader(32 << 10)) {
      assertEquals(List.of(100L, 548L), sequences(reader, one, FIRST));
      assertEquals(List.of(548L, 996L), sequences(reader, two, FIRST));
      assertEquals(List.of(996L, 1188L), sequences(reader, three, FIRST));
    }
    assertEquals(
        List.of(
            "READ log1 4096 28672",
            "READ log2 0 32768",
            "READ log3 0 16384",
            "FINISH log1",
            "FINISH log2",
            "FINISH log3"),
        files.calls());
  }

  @Test
  void theFirstChunkOfASegmentMayHaveItsFirstBlockOnly() {
    LogSegment one = full(1, 8192, 100);
    LogSegment two = full(2, 8192, 164);
    try (LogReader reader = reader(4096)) {
      assertEquals(List.of(100L, 164L), sequences(reader, one, FIRST));
      assertEquals(List.of(164L, 228L), sequences(reader, two, FIRST));
    }
    assertEquals(
        List.of(
            "READ log1 4096 4096",
            "READ log2 0 4096",
            "READ log2 4096 4096",
            "FINISH log1",
            "FINISH log2",
            "FINISH log2"),
        files.calls());
  }

  @Test
  void whatFollowsIsReadAnewFromAnOffsetFarBehind() {
    LogSegment one = full(1, 8192, 100);
    LogSegment two = full(2, 16 << 10, 164);
    try (LogReader reader = reader(4096)) {
      assertEquals(List.of(100L, 164L), sequences(reader, one, FIRST));
      files.calls();
      assertEquals(List.of(164L + 128, 164L + 192), sequences(reader, two, FIRST + 8192));
      List<String> calls = files.calls();
      assertEquals(reads(2, 1, 4096, FIRST + 8192).getFirst(), calls.get(4));
      assertEquals(6, calls.size(), calls.toString());
    }
  }

  @Test
  void aRecordOfSeveralChunksMayEndWithItsSegment() {
    made = new byte[16 << 10];
    put(FIRST, note(12 << 10, 1), 1, 100, EPOCH);
    LogSegment one = write(1, made.length);
    try (LogReader reader = reader(4096)) {
      assertEquals(List.of(100L, 101L), sequences(reader, one, FIRST));
    }
  }

  @Test
  void eightChunksAreUnderWayAtOnceAndUsedAgain() {
    LogSegment one = full(1, 80 << 10, 100);
    try (LogReader reader = reader(4096)) {
      reader.open(one, 0);
      assertNull(reader.record(0, true)); // That is the first block.
      List<String> first = reads(1, 8, 4096, 0);
      first.add("FINISH log1");
      assertEquals(first, files.calls());
      assertEquals(List.of(100L, 1316L), sequences(reader, one, FIRST));
      assertEquals(19, files.calls().stream().filter(call -> call.startsWith("READ")).count());
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 4096", "4096, 4096", "8192, 8192", "1048576, 1048576", "9999999, 1048576"})
  void aChunkHasNoMoreThanTheLargestSegment(long mostBytes, int chunkBytes) {
    made = new byte[0];
    LogSegment one = write(1, 3 << 20);
    try (LogReader reader = reader(mostBytes)) {
      reader.open(one, 0);
      assertNull(reader.record(0, true));
      assertEquals("READ log1 0 " + chunkBytes, files.calls().getFirst());
    }
    files.calls();
    try (LogReader reader = new LogReader(STORE_ID)) {
      reader.open(one, 0);
      assertNull(reader.record(0, true));
      assertEquals("READ log1 0 1048576", files.calls().getFirst());
    }
  }

  @ParameterizedTest
  @CsvSource({"4096, 4096", "5000, 4096", "8191, 4096", "8192, 8192"})
  void readingBeginsWithTheBlock(long from, int block) {
    LogSegment one = full(1, 16 << 10, 100);
    try (LogReader reader = reader(4096)) {
      long at = from & -16;
      reader.open(one, at);
      reader.record(at, true);
      assertEquals("READ log1 " + block + " 4096", files.calls().getFirst());
    }
  }

  @Test
  void recordsFromTheMiddleOfASegmentAreRead() {
    LogSegment one = full(1, 64 << 10, 100);
    try (LogReader reader = reader(4096)) {
      assertEquals(List.of(164L + 64, 1060L), sequences(reader, one, FIRST + 2 * 4096));
      assertEquals(List.of(1059L, 1060L), sequences(reader, one, (64 << 10) - NOTE));
      assertEquals(List.of(), sequences(reader, one, 64 << 10));
      assertEquals(List.of(100L, 1060L), sequences(reader, one, FIRST));
    }
  }

  @Test
  void nothingIsReadOfASegmentFromItsEndOn() {
    LogSegment one = full(1, 16 << 10, 100);
    try (LogReader reader = reader(4096)) {
      reader.open(one, 16 << 10);
      assertNull(reader.record(16 << 10, true));
      assertEquals(List.of(), files.calls());
    }
  }

  @Test
  void whatIsUnderWayIsWaitedForBeforeItsMemoryIsGivenBack() {
    LogSegment one = full(1, 64 << 10, 100);
    LogReader reader = reader(4096);
    reader.open(one, FIRST);
    reader.record(FIRST, true);
    reader.close();
    List<String> calls = files.calls();
    assertEquals(8, calls.stream().filter(call -> call.startsWith("READ")).count());
    assertEquals(8, calls.stream().filter(call -> call.startsWith("FINISH")).count());
  }

  @Test
  void aFailureIsToldOnlyToWhomItConcerns() {
    LogSegment one = full(1, 16 << 10, 100);
    full(2, 16 << 10, 292);
    LogSegment three = full(3, 16 << 10, 484);
    try (LogReader reader = reader(16 << 10)) {
      files.before(Kind.FINISH, () -> {});
      files.fail(Kind.FINISH, Errno.EIO);
      assertEquals(List.of(100L, 292L), sequences(reader, one, FIRST));
      assertEquals(List.of(484L, 676L), sequences(reader, three, FIRST)); // Drops the second one.
      files.fail(Kind.FINISH, Errno.EIO);
      reader.open(one, FIRST);
      assertThrows(PageFileException.class, () -> reader.record(FIRST, true));
      assertEquals(List.of(100L, 292L), sequences(reader, one, FIRST));
    }
  }

  // ---------------------------------------------------------------- records

  @Test
  void payloadsLieWhereTheReaderSays() {
    made = new byte[96 << 10];
    int[] sizes = {64, 4096, 32, 20_000, 30_000 & -16, 48};
    int at = FIRST;
    for (int i = 0; i < sizes.length; i++) {
      put(at, note(sizes[i], i + 1), 1, 100 + i, EPOCH);
      at += sizes[i];
    }
    LogSegment one = write(1, made.length);
    try (LogReader reader = reader(4096)) {
      reader.open(one, FIRST);
      long offset = FIRST;
      for (int i = 0; i < sizes.length; i++) {
        LogRecord.Header record = reader.record(offset, true);
        assertNotNull(record);
        int payload = reader.payload(offset);
        assertEquals(0, reader.bytes()[payload]);
        for (int b = 1; b < record.length(); b++) {
          assertEquals(i + 1, reader.bytes()[payload + b]);
        }
        assertEquals(offset + sizes[i], reader.end(offset, record));
        offset = reader.end(offset, record);
      }
      assertNull(reader.record(offset, true));
    }
  }

  /** Its length is not above what is left of the segment, of which a record may be the last. */
  @ParameterizedTest
  @CsvSource({"64, true", "63, true", "65, false"})
  void aRecordEndsWithItsSegmentAtTheLatest(int said, boolean isOne) {
    made = new byte[16 << 10];
    int at = made.length - 64;
    LogRecord record = note(64, 1);
    put(at, record, 1, 100, EPOCH);
    setLength(at, said - LogRecord.HEADER_BYTES);
    LogSegment one = write(1, made.length);
    try (LogReader reader = reader(4096)) {
      reader.open(one, at);
      assertEquals(isOne, reader.record(at, false) != null);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void noRecordHasSuchALength(int length) {
    made = new byte[16 << 10];
    put(FIRST, note(64, 1), 1, 100, EPOCH);
    setLength(FIRST, length);
    LogSegment one = write(1, made.length);
    try (LogReader reader = reader(4096)) {
      reader.open(one, FIRST);
      assertNull(reader.record(FIRST, false));
    }
  }

  @Test
  void aRecordCountsOnlyWithItsChecksum() {
    made = new byte[16 << 10];
    put(FIRST, note(64, 1), 1, 100, EPOCH);
    made[FIRST + 60] ^= 1;
    LogSegment one = write(1, made.length);
    try (LogReader reader = reader(4096)) {
      reader.open(one, FIRST);
      assertNull(reader.record(FIRST, true));
      assertNotNull(reader.record(FIRST, false));
    }
  }

  /** No memory is taken for what only says that it is large. */
  @ParameterizedTest
  @CsvSource({
    "8388608, 0, true, true",
    "8388608, 5000, false, true",
    "8388624, 0, true, true",
    "8388624, 4120, false, false",
    "8388624, 4124, false, false",
    "8388624, 8392000, false, false",
    "12582912, 0, true, true",
    "12582912, 9000000, false, false"
  })
  void aLargeRecordIsLookedAtBeforeMemoryIsTakenForIt(
      int payload, int damagedAt, boolean isRead, boolean takesMemory) {
    int logBytes = payload + 32;
    made = new byte[FIRST + logBytes + 4096 & -4096];
    LogRecord record = new LogRecord();
    record.begin(LogRecord.NOTE);
    record.note(new byte[payload - 1]);
    put(FIRST, record, 1, 100, EPOCH);
    if (!isRead) {
      made[damagedAt] ^= 1;
    }
    LogSegment one = write(1, made.length);
    try (LogReader reader = reader(made.length)) {
      reader.open(one, FIRST);
      LogRecord.Header read = reader.record(FIRST, true);
      assertEquals(isRead, read != null);
      assertEquals(takesMemory, reader.bytes().length > payload);
      if (read != null) {
        assertEquals(payload, read.length());
        assertEquals(List.of(), sequences(reader, one, reader.end(FIRST, read)));
      }
    }
  }

  // ---------------------------------------------------------------- find

  private @Nullable Long found(LogSegment segment, long from, int epoch, long above) {
    try (LogReader reader = reader(4096)) {
      reader.open(segment, from);
      long at = reader.find(from, epoch, above);
      return at < 0 ? null : at;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "4096, 5, 149, 10000",
    "4096, 5, 150, 12000",
    "4096, 5, 159, 12000",
    "4096, 5, 160, ",
    "10016, 5, 0, 12000",
    "10000, 5, 149, 10000",
    "4096, 4, 999, 10000",
    "4096, 6, 0, ",
    "4096, -65530, 999, 10000",
    "4096, -65531, 999, "
  })
  void theFirstLaterRecordIsFound(long from, int epoch, long above, @Nullable Long at) {
    made = new byte[16 << 10];
    put(10_000, note(64, 1), 1, 150, EPOCH);
    put(12_000, note(64, 1), 1, 160, EPOCH);
    assertEquals(at, found(write(1, made.length), from, epoch, above));
  }

  @Test
  void whatIsDamagedIsNotFound() {
    made = new byte[16 << 10];
    put(10_000, note(64, 1), 1, 150, EPOCH);
    made[10_050] ^= 1;
    put(made.length - 32, note(32, 1), 1, 160, EPOCH);
    assertEquals(made.length - 32L, found(write(1, made.length), FIRST, EPOCH, 100));
  }

  @Test
  void aSegmentOfTheOldestVersionHasShorterRecords() {
    made = new byte[16 << 10];
    LogSegment one = write(1, made.length);
    one.recordHeaderBytes = LogRecord.HEADER_BYTES_BEFORE;
    try (LogReader reader = reader(4096)) {
      reader.open(one, FIRST);
      assertEquals(LogRecord.HEADER_BYTES_BEFORE, reader.payload(FIRST));
      LogRecord.Header record = new LogRecord.Header(8, 1, 1, 1, 1, 0);
      assertEquals(FIRST + 32, reader.end(FIRST, record));
    }
  }
}
