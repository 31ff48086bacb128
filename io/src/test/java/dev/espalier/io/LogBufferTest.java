// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.io.LogCalls.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bytes at the end of the log that are not written yet. */
class LogBufferTest {
  private final LogCalls files = new LogCalls(DiskTrials.disk(1));
  private final LogBuffer buffer = new LogBuffer();
  private final byte[] bytes = new byte[3 << 20];
  private PageFile file;

  @BeforeEach
  void open() {
    new Random(1).nextBytes(bytes);
    file = files.openLog(LogFiles.path(LogCalls.STORE, 1), Access.CREATE, LogBuffer.BLOCK_BYTES);
    file.grow(bytes.length);
    files.calls();
  }

  @AfterEach
  void close() {
    file.close();
    buffer.close();
  }

  /** Returns what the file has if so many bytes were written, with zeros behind them. */
  private byte[] upTo(int count) {
    return Arrays.copyOf(Arrays.copyOf(bytes, count), bytes.length);
  }

  /** Adds the bytes that follow those that were added before. */
  private void add(int count) {
    buffer.add(bytes, (int) buffer.end(), count);
  }

  private void takeAndWrite(String... calls) {
    buffer.take();
    buffer.write(file);
    assertEquals(List.of(calls), files.calls());
  }

  @Test
  void blocksAreWrittenWholeAndTheLastOneAgain() {
    assertEquals(1 << 20, buffer.room());
    add(10);
    assertEquals((1 << 20) - 10, buffer.room());
    takeAndWrite("WRITE log1 0 4096", "FINISH log1");
    assertArrayEquals(upTo(10), files.contents(1));
    assertEquals(10, buffer.end());
    assertEquals((1 << 20) - 10, buffer.room());
    add(4096);
    takeAndWrite("WRITE log1 0 8192", "FINISH log1");
    assertArrayEquals(upTo(4106), files.contents(1));
    add(4086);
    assertEquals(8192, buffer.end());
    takeAndWrite("WRITE log1 4096 4096", "FINISH log1");
    assertEquals(8192, buffer.end());
    assertEquals(1 << 20, buffer.room());
    takeAndWrite();
    add(3);
    takeAndWrite("WRITE log1 8192 4096", "FINISH log1");
    assertArrayEquals(upTo(8195), files.contents(1));
  }

  /** What is behind the last byte is not what the memory had before. */
  @Test
  void theRestOfABlockIsZeros() {
    add(12_000);
    takeAndWrite("WRITE log1 0 12288", "FINISH log1");
    add(96);
    takeAndWrite("WRITE log1 8192 4096", "FINISH log1");
    assertArrayEquals(upTo(12_096), files.contents(1));
    add(1);
    takeAndWrite("WRITE log1 8192 4096", "FINISH log1");
    assertArrayEquals(upTo(12_097), files.contents(1));
  }

  @Test
  void oneMemoryIsFilledWhileTheOtherIsWritten() {
    add(5000);
    buffer.take();
    buffer.startWrite(file);
    assertEquals(List.of("WRITE log1 0 8192"), files.calls());
    add(5000);
    buffer.finishWrite(file);
    assertEquals(List.of("FINISH log1"), files.calls());
    assertArrayEquals(upTo(5000), files.contents(1));
    takeAndWrite("WRITE log1 4096 8192", "FINISH log1");
    assertArrayEquals(upTo(10_000), files.contents(1));
  }

  @Test
  void allOfTheMemoryCanBeFilled() {
    add(1 << 20);
    assertEquals(0, buffer.room());
    takeAndWrite("WRITE log1 0 1048576", "FINISH log1");
    assertEquals(1 << 20, buffer.room());
    add(1 << 20);
    takeAndWrite("WRITE log1 1048576 1048576", "FINISH log1");
    assertArrayEquals(upTo(2 << 20), files.contents(1));
  }

  @Test
  void theLastBlockOfTheMemoryIsWrittenThoughItIsNotFull() {
    add((1 << 20) - 10);
    assertEquals(10, buffer.room());
    takeAndWrite("WRITE log1 0 1048576", "FINISH log1");
    assertArrayEquals(upTo((1 << 20) - 10), files.contents(1));
  }

  @Test
  void theMemoryIsGivenBack() {
    LogBuffer other = new LogBuffer();
    other.add(bytes, 0, 1);
    other.close();
    assertThrows(IllegalStateException.class, () -> other.add(bytes, 0, 1));
  }

  @Test
  void nothingIsAskedOfTheFileWithoutBytes() {
    buffer.take();
    buffer.startWrite(file);
    buffer.finishWrite(file);
    buffer.write(file);
    assertEquals(List.of(), files.calls());
  }

  @Test
  void whatCouldNotBeWrittenIsWrittenAgain() {
    add(100);
    files.fail(Kind.FINISH, Errno.ENOSPC);
    buffer.take();
    assertThrows(PageFileException.class, () -> buffer.write(file));
    IoBatch zeros = new IoBatch(StoreHeader.block(), 1);
    zeros.add(0, 0, LogBuffer.BLOCK_BYTES);
    file.write(zeros); // As if nothing had come there.
    files.calls();
    add(100);
    buffer.writeAgain(file);
    assertEquals(List.of("WRITE log1 0 4096", "FINISH log1"), files.calls());
    assertArrayEquals(upTo(100), files.contents(1));
    takeAndWrite("WRITE log1 0 4096", "FINISH log1");
    assertArrayEquals(upTo(200), files.contents(1));
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 4096", "4095, 4096", "4096, 4096", "4097, 8192"})
  void aBlockThatIsEndedIsNotWrittenAgain(int count, int end) {
    add(count);
    buffer.endBlock();
    assertEquals(end, buffer.end());
    buffer.take();
    buffer.write(file);
    assertArrayEquals(upTo(count), files.contents(1));
    assertEquals(1 << 20, buffer.room());
    buffer.add(bytes, 0, 1);
    files.calls();
    takeAndWrite("WRITE log1 " + end + " 4096", "FINISH log1");
  }

  @Test
  void zerosAreZerosWhateverTheMemoryHad() {
    add(100);
    buffer.begin();
    assertEquals(0, buffer.end());
    buffer.addZeros(50);
    assertEquals(50, buffer.end());
    buffer.take();
    buffer.write(file);
    assertArrayEquals(new byte[4096], Arrays.copyOf(files.contents(1), 4096));
  }

  @Test
  void anotherSegmentBeginsAtItsBeginning() {
    add(5000);
    takeAndWrite("WRITE log1 0 8192", "FINISH log1");
    buffer.begin();
    assertEquals(0, buffer.end());
    assertEquals(1 << 20, buffer.room());
    add(10);
    takeAndWrite("WRITE log1 0 4096", "FINISH log1");
    assertArrayEquals(
        Arrays.copyOf(Arrays.copyOf(bytes, 10), 4096), Arrays.copyOf(files.contents(1), 4096));
  }

  // ---------------------------------------------------------------- records

  private static LogRecord delete(long key) {
    LogRecord record = new LogRecord();
    record.begin(LogRecord.BATCH);
    record.delete(1, key);
    return record;
  }

  @Test
  void placesBehindTheBytesAreFilledInAnyOrder() {
    add(64);
    LogRecord second = delete(5);
    second.complete(7, 3, 64 + SetRecord.BYTES, 2, 4, 6, 1);
    buffer.fill(SetRecord.BYTES, second);
    SetRecord third = new SetRecord();
    third.place(7, 3, 64 + SetRecord.BYTES + second.logBytes());
    buffer.fill(SetRecord.BYTES + second.logBytes(), third, 3, 4, 6, 0, 1, 13, 14);
    SetRecord first = new SetRecord();
    first.place(7, 3, 64);
    buffer.fill(0, first, 1, 4, 6, 0, 1, 11, 12);
    assertEquals(64, buffer.end());
    buffer.skip(2 * SetRecord.BYTES + second.logBytes());
    assertEquals(64 + 2 * SetRecord.BYTES + second.logBytes(), buffer.end());
    buffer.take();
    buffer.write(file);
    LogRecord.Header one = files.record(1, 7, 3, 64);
    LogRecord.Header two = files.record(1, 7, 3, 64 + SetRecord.BYTES);
    assertNotNull(one);
    assertNotNull(two);
    assertEquals(1, one.sequence());
    assertEquals(2, two.sequence());
    int payload = 64 + LogRecord.HEADER_BYTES + LogRecord.OPERATION_BYTES;
    assertEquals(11, LogRecord.longAt(files.contents(1), payload));
    assertEquals(12, LogRecord.longAt(files.contents(1), payload + 8));
    assertEquals(5, LogRecord.longAt(files.contents(1), payload + SetRecord.BYTES));
    assertNotNull(files.record(1, 7, 3, 64 + SetRecord.BYTES + second.logBytes()));
  }

  @ParameterizedTest
  @CsvSource({"96, 4096", "4064, 4096", "4080, 8192"})
  void aMarkIsWrittenBehindTheLastBlockAndNotKept(int used, int length) {
    add(4096);
    add(used);
    takeAndWrite("WRITE log1 0 8192", "FINISH log1");
    LogRecord mark = LogRecord.mark();
    assertEquals(32, mark.logBytes());
    mark.complete(7, 3, 4096 + used, 9, 4, 6, 9);
    file.write(buffer.withMark(mark));
    assertEquals(List.of("WRITE log1 4096 " + length, "FINISH log1"), files.calls());
    byte[] contents = files.contents(1);
    assertArrayEquals(Arrays.copyOf(bytes, 4096 + used), Arrays.copyOf(contents, 4096 + used));
    LogRecord.Header read = files.record(1, 7, 3, 4096 + used);
    assertNotNull(read);
    assertEquals(9, read.sequence());
    assertEquals(4096 + used, buffer.end());
    add(1);
    takeAndWrite("WRITE log1 4096 4096", "FINISH log1");
    assertArrayEquals(
        Arrays.copyOf(upTo(4097 + used), 8192), Arrays.copyOf(files.contents(1), 8192));
  }

  @Test
  void bothMemoriesCanBeWrittenFromByAnyEngine() {
    add(1);
    for (int i = 0; i < 3; i++) {
      buffer.take();
      IoBatch batch = buffer.withMark(LogRecord.mark());
      assertEquals(0, batch.memory().address() % LogBuffer.BLOCK_BYTES);
      assertEquals(bytes[0], batch.memory().get(JAVA_BYTE, 0));
    }
  }
}
