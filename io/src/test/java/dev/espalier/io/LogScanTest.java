// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What segments without a record say; those with records are in {@link LogDamageTest}. */
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
