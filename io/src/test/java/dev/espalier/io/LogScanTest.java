// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What segments with one record or none say; whole logs are in {@link LogDamageTest}. */
class LogScanTest {
  private static final long STORE = 77;
  private static final long CHECKPOINT = 10;
  private static final long SEQUENCE = 100;
  private static final int EPOCH = 5;
  private static final StoreFiles FILES = new SystemFiles(PageFiles.CHANNEL, PageFiles.CHANNEL);
  private static final Log.Position END = new Log.Position(3, 4096);

  private final Map<Long, LogSegment> numbered = new TreeMap<>();
  private final List<LogSegment> opened = new ArrayList<>();

  @TempDir(factory = MemoryFolder.class)
  Path folder;

  @AfterEach
  void close() {
    opened.forEach(segment -> segment.file.close());
  }

  private static StoreHeader header(long checkpoint, long forced) {
    return new StoreHeader(
            STORE, checkpoint, SEQUENCE, EPOCH, 2, 4096, 1, 2, 1024, 1 << 20, 9, 1, false)
        .withForced(forced);
  }

  private LogSegment segment(long number, int epoch, long checkpoint) {
    LogSegment segment = LogSegment.create(FILES, folder.resolve("log" + number), 16 << 10);
    opened.add(segment);
    LogSegment.Header first = new LogSegment.Header(STORE, number, epoch, 1, checkpoint, 0);
    MemorySegment block = StoreHeader.block().copyFrom(MemorySegment.ofArray(first.block()));
    IoBatch batch = new IoBatch(block, 1);
    batch.add(0, 0, LogSegment.HEADER_BYTES);
    segment.file.write(batch);
    segment.take(first);
    return segment;
  }

  private void add(long number, int epoch, long checkpoint) {
    numbered.put(number, segment(number, epoch, checkpoint));
  }

  /** Adds a segment of the header's epoch. */
  private LogSegment add(long number) {
    LogSegment segment = segment(number, EPOCH, CHECKPOINT);
    numbered.put(number, segment);
    return segment;
  }

  /** Writes the first record of a segment, as one of the segment with a given number. */
  private static void write(LogSegment to, long number, long sequence, int epoch, long forced) {
    SetRecord record = new SetRecord();
    record.place(STORE, number, LogSegment.HEADER_BYTES);
    MemorySegment block = StoreHeader.block();
    record.writeTo(block, 0, sequence, epoch, CHECKPOINT, forced, 1, 2, 3);
    IoBatch batch = new IoBatch(block, 1);
    batch.add(LogSegment.HEADER_BYTES, 0, LogBuffer.BLOCK_BYTES);
    to.file.write(batch);
  }

  private LogScan scan(long forced) {
    return new LogScan(folder.resolve("store"), header(CHECKPOINT, forced), numbered, List.of());
  }

  private @Nullable String damage() {
    return scan(SEQUENCE).damageAfter(SEQUENCE, END);
  }

  @Test
  void segmentsOfTheHeadersCheckpointAndEpochAreSound() {
    add(2, EPOCH, CHECKPOINT - 1);
    add(3, EPOCH, CHECKPOINT);
    add(4, EPOCH - 1, CHECKPOINT);
    assertNull(damage());
  }

  @ParameterizedTest
  @CsvSource({"4, 5", "5, 5", "6, 6"})
  void theLatestEpochIsThatOfAnySegment(int epoch, int latest) {
    add(3, epoch, CHECKPOINT);
    add(4, EPOCH - 2, CHECKPOINT);
    LogScan scan = scan(SEQUENCE);
    assertEquals(EPOCH, scan.lastEpoch());
    assertNull(scan.damageAfter(SEQUENCE, END));
    assertEquals(latest, scan.lastEpoch());
  }

  @ParameterizedTest
  @CsvSource({"11, 5", "10, 7", "11, 6"})
  void aHeaderThatIsOlderThanASegmentIsNoticed(long checkpoint, int epoch) {
    add(3, EPOCH, CHECKPOINT);
    add(4, epoch, checkpoint);
    assertEquals(
        "its newest header is that of checkpoint 10, of epoch 5, but segment 4 (log4) is of"
            + " checkpoint %d, of epoch %d: the file, or its header, is older than its log"
                .formatted(checkpoint, epoch),
        damage());
  }

  @Test
  void theFirstSegmentThatIsLaterIsNamed() {
    add(3, EPOCH, CHECKPOINT + 1);
    add(4, EPOCH, CHECKPOINT + 2);
    assertEquals(
        "its newest header is that of checkpoint 10, of epoch 5, but segment 3 (log3) is of"
            + " checkpoint 11, of epoch 5: the file, or its header, is older than its log",
        damage());
  }

  @Test
  void aSegmentWhoseFirstBlockIsGoneSaysNothing() {
    LogSegment blank = LogSegment.create(FILES, folder.resolve("blank"), 16 << 10);
    opened.add(blank);
    blank.number = 3;
    numbered.put(3L, blank);
    assertNull(damage());
  }

  @Test
  void recordsThatTheHeaderCallsForcedAreMissed() {
    add(3, EPOCH, CHECKPOINT);
    LogScan scan = scan(SEQUENCE + 1);
    assertEquals(
        "its log is damaged at offset 4096 of segment 3 (log3): the last good record is 100, but"
            + " all up to 101 were safe, as its header says; no later record is left",
        scan.damageAfter(SEQUENCE, END));
    assertEquals(SEQUENCE + 1, scan.forced());
  }

  @Test
  void theFirstLaterRecordIsThatOfTheFirstSegment() {
    Map<Long, LogSegment> unordered = new LinkedHashMap<>();
    for (long number : new long[] {6, 4, 5}) {
      LogSegment segment = segment(number, EPOCH, CHECKPOINT);
      write(segment, number, 30 * number + 1, EPOCH, number == 4 ? 0 : 150);
      unordered.put(number, segment);
    }
    LogScan scan =
        new LogScan(folder.resolve("store"), header(CHECKPOINT, SEQUENCE), unordered, List.of());
    assertEquals(
        "its log is damaged at offset 4096 of segment 3: the last good record is 100, but all up to"
            + " 150 were safe, as record 151 at offset 4096 of segment 5 (log5) says; the first"
            + " later one is record 121 at offset 4096 of segment 4 (log4)",
        scan.damageAfter(SEQUENCE, END));
    assertEquals(150, scan.forced());
  }

  @Test
  void recordsOfSegmentsBeforeTheEndMeanNothing() {
    write(add(2), 2, 121, EPOCH, 120);
    add(3);
    assertNull(damage());
  }

  @Test
  void aRecordMayBeOfALaterEpochThanAnySegment() {
    write(add(3), 3, 121, EPOCH + 1, 0);
    LogScan scan = scan(SEQUENCE);
    assertEquals(
        "its newest header is that of checkpoint 10, of epoch 5, but record 121 at offset 4096 of"
            + " segment 3 (log3) is of checkpoint 10, of epoch 6: the file, or its header, is older"
            + " than its log",
        scan.damageAfter(SEQUENCE, END));
    assertEquals(EPOCH + 1, scan.lastEpoch());
  }

  @ParameterizedTest
  @CsvSource({
    "119, 120, record 130 at offset 4096 of segment 3 (log3)",
    "120, 120, record 130 at offset 4096 of segment 3 (log3)",
    "121, 121, its header",
  })
  void theHeaderIsTheProofIfItCallsMoreForced(long stated, long safe, String proof) {
    write(add(3), 3, 130, EPOCH, 120);
    assertEquals(
        "its log is damaged at offset 4096 of segment 3 (log3): the last good record is 100, but"
            + " all up to %d were safe, as %s says; the first later one is record 130 at offset"
                .formatted(safe, proof)
            + " 4096 of segment 3 (log3)",
        scan(stated).damageAfter(SEQUENCE, END));
  }

  /** Its first block tells of what it had before, as the new one was lost. */
  @ParameterizedTest
  @CsvSource({"1, true", "2, false"})
  void aSegmentThatWasUsedAgainMayBeTheNextOne(long number, boolean isOver) {
    add(3);
    write(add(number), 4, 121, EPOCH, 120);
    String damage = damage();
    assertEquals(isOver, damage != null && damage.contains("all up to 120 were safe"));
  }

  @Test
  void aSegmentThatWasUsedAgainIsNotTheNextOneIfThereIsOne() {
    add(3);
    add(4);
    write(add(1), 4, 121, EPOCH, 120);
    assertNull(damage());
  }

  @Test
  void aSegmentThatWasUsedAgainKeepsItsNumber() {
    LogSegment old = add(1);
    write(old, 4, 121, EPOCH, 120);
    assertNotNull(damage());
    assertEquals(1, old.number);
  }

  @Test
  void aSegmentThatIsNotThereHasANumberOnly() {
    assertEquals(
        "its log is damaged at offset 4096 of segment 3: the last good record is 99, but all up to"
            + " 100 were safe, as its header says; no later record is left",
        scan(SEQUENCE).damageAfter(SEQUENCE - 1, END));
  }

  @Test
  void ofTwoSegmentsWithoutRecordsNoneIsWholer() {
    LogSegment one = segment(3, EPOCH, CHECKPOINT);
    LogSegment other = segment(4, EPOCH - 1, CHECKPOINT);
    assertFalse(LogScan.isWholer(header(CHECKPOINT, SEQUENCE), one, other));
    assertFalse(LogScan.isWholer(header(CHECKPOINT, SEQUENCE), other, one));
  }

  /** Numbers of checkpoints in records have 24 bits. */
  @ParameterizedTest
  @CsvSource({
    "10, 9, false",
    "10, 10, false",
    "10, 11, true",
    "10, 8388617, true",
    "10, 8388618, false",
    "16777215, 16777215, false",
    "16777215, 16777214, false",
    "16777215, 0, true",
    "16777216, 16777215, false",
    "33554442, 11, true",
  })
  void aCheckpointIsLaterIfItIsLessThanHalfTheNumbersAhead(long checkpoint, int low, boolean is) {
    assertEquals(is, LogScan.isLater(header(checkpoint, SEQUENCE), low));
  }
}
