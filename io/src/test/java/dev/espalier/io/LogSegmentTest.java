// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.LogCalls.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A segment of the log: how it is made, and what its first block says. */
class LogSegmentTest {
  private static final Path PATH = LogFiles.path(LogCalls.STORE, 1);

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);

  // ---------------------------------------------------------------- make

  @Test
  void aSegmentIsMadeOfZerosThatAreSafeAndThenItsNameIs() {
    LogSegment segment = LogSegment.create(files, PATH, 5 << 19);
    assertEquals(
        List.of(
            "OPEN log1 CREATE",
            "GROW log1 2621440",
            "WRITE log1 0 1048576",
            "FINISH log1",
            "WRITE log1 1048576 1048576",
            "FINISH log1",
            "WRITE log1 2097152 524288",
            "FINISH log1",
            "FORCE log1",
            "FORCE_NAMES log1"),
        files.calls());
    assertEquals(5 << 19, segment.bytes);
    assertEquals(5 << 19, segment.file.bytes());
    assertEquals(PATH, segment.path());
    assertArrayEquals(new byte[5 << 19], files.contents(1));
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"GROW", "WRITE", "FINISH", "FORCE", "FORCE_NAMES"})
  void aSegmentThatCanNotBeMadeIsDeleted(Kind kind) {
    files.fail(kind, Errno.EIO);
    assertThrows(PageFileException.class, () -> LogSegment.create(files, PATH, 4096));
    List<String> calls = files.calls();
    assertEquals(
        List.of("CLOSE log1", "DELETE log1"), calls.subList(calls.size() - 2, calls.size()));
    assertEquals(Set.of(), disk.names());
  }

  @Test
  void aSegmentThatCanNotBeDeletedEitherIsToldOf() {
    OutOfMemoryError lacking = new OutOfMemoryError("says a test");
    files.fail(Kind.FORCE, lacking);
    files.fail(Kind.DELETE, Errno.EIO);
    Throwable thrown =
        assertThrows(OutOfMemoryError.class, () -> LogSegment.create(files, PATH, 4096));
    assertSame(lacking, thrown);
    assertEquals(
        "/simulated/store: DELETE failed as ordered", thrown.getSuppressed()[0].getMessage());
  }

  @Test
  void whereEachForceEndsABlockTheLastRecordHasOneOfItsOwn() {
    assertEquals(LogBuffer.BLOCK_BYTES, LogSegment.bytesOfEnd(identity(true)));
    assertEquals(LogRecord.END_BYTES, LogSegment.bytesOfEnd(identity(false)));
  }

  private LogIdentity identity(boolean endsBlocks) {
    return new LogIdentity(files, LogCalls.STORE, 1, 1, 1 << 16, endsBlocks, true);
  }

  // ---------------------------------------------------------------- read

  /** Opens a file of a number of bytes, the first ones of which are given. */
  private LogSegment open(int bytes, byte... first) {
    try (PageFile file = disk.openLog(PATH, Access.CREATE, LogBuffer.BLOCK_BYTES)) {
      file.grow(bytes);
      MemorySegment memory = StoreHeader.block();
      MemorySegment.copy(first, 0, memory, ValueLayout.JAVA_BYTE, 0, first.length);
      if (first.length > 0) {
        IoBatch batch = new IoBatch(memory, 1);
        batch.add(0, 0, Math.min(bytes, first.length));
        file.write(batch);
      }
    }
    return LogSegment.open(files, PATH, Access.READ);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "4095, 0", "4096, 4096", "8191, 4096", "8192, 8192"})
  void whatIsOpenedHasWholeBlocks(int length, long bytes) {
    assertEquals(bytes, open(length).bytes);
    assertEquals(List.of("OPEN log1 READ"), files.calls());
  }

  @ParameterizedTest
  @CsvSource({"0, true", "100, false", "4095, false", "4096, true", "8192, true"})
  void aSegmentWithoutAFirstBlockSaysNothing(int length, boolean isBlank) {
    LogSegment segment = open(length);
    assertNull(segment.header());
    assertEquals(isBlank, segment.isBlank());
  }

  @Test
  void aBlockWithOneByteIsNotBlank() {
    byte[] block = new byte[LogBuffer.BLOCK_BYTES];
    block[block.length - 1] = 1;
    LogSegment segment = open(4096, block);
    assertFalse(segment.isBlank());
    assertNull(segment.header());
  }

  private static LogSegment.Header header(int version) {
    return new LogSegment.Header(
        0x0102030405060708L,
        0x1112131415161718L,
        0x21222324,
        0x3132333435363738L,
        0x41424344,
        4096,
        version);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void theFirstBlockSaysWhatWasWritten(int version) {
    byte[] block = header(version).block();
    assertEquals(LogSegment.HEADER_BYTES, block.length);
    LogSegment segment = open(4096, block);
    assertEquals(header(version), segment.header());
    assertFalse(segment.isBlank());
  }

  @Test
  void aSegmentThatIsBegunHasTheVersionThatIsWritten() {
    assertEquals(StoreHeader.VERSION, new LogSegment.Header(1, 2, 3, 4, 5, 6).version());
  }

  /** Before version 4, segments did not say how long they are. */
  @ParameterizedTest
  @CsvSource({"2, 56", "3, 56", "4, 64"})
  void anyOtherBitIsDamage(int version, int end) {
    byte[] block = header(version).block();
    for (int bit = 0; bit < Byte.SIZE * LogSegment.HEADER_BYTES; bit += bit < 1000 ? 1 : 101) {
      block[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      LogSegment.Header read = LogSegment.Header.read(block);
      if (bit < end * Byte.SIZE) {
        assertNull(read, "bit " + bit);
      } else {
        assertNotNull(read, "bit " + bit);
      }
      block[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
    }
    assertEquals(header(version), LogSegment.Header.read(block));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void aVersionThatIsNotKnownSaysNothing(int version) {
    assertNull(LogSegment.Header.read(header(version).block()));
  }

  @ParameterizedTest
  @CsvSource({"2, 24", "3, 28", "4, 28"})
  void aSegmentBecomesTheOneThatItsFirstBlockSaysItIs(int version, int recordHeaderBytes) {
    LogSegment segment = open(4096);
    segment.take(header(version));
    assertEquals(0x1112131415161718L, segment.number);
    assertEquals(recordHeaderBytes, segment.recordHeaderBytes);
    assertTrue(segment.path().endsWith("store.log1"));
  }
}
