// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.espalier.io.LogCalls.Kind;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogSegmentsTest {
  private static final int SEGMENT_BYTES = 64 << 10;

  private final LogCalls calls = new LogCalls(DiskTrials.disk(1));

  /** Two segments of four blocks, and one of two: files 1, 2 and 3. */
  private final LogSegment one = made(1, 4);

  private final LogSegment two = made(2, 4);
  private final LogSegment small = made(3, 2);

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** Files of a log that can be closed and deleted, and say so although they were. */
  private static final class Unwilling extends StoreFilesAround {
    private final List<Path> closed = new ArrayList<>();

    Unwilling() {
      super(new SystemFiles(PageFiles.CHANNEL, PageFiles.CHANNEL));
    }

    @Override
    public PageFile openLog(Path path, Access access, int blockBytes) {
      return new PageFileAround(super.openLog(path, access, blockBytes)) {
        @Override
        public void close() {
          super.close();
          closed.add(path);
          throw failure(path, "closing");
        }
      };
    }

    @Override
    public void delete(Path path) {
      super.delete(path);
      throw failure(path, "deleting");
    }

    private static PageFileException failure(Path path, String doing) {
      return new PageFileException(path, doing + " failed as ordered", Errno.EIO);
    }
  }

  @Test
  void allAreClosedAndDeletedWhateverBecomesOfOne() {
    Unwilling files = new Unwilling();
    Path store = folder.resolve("store");
    LogIdentity identity = new LogIdentity(files, store, 1, 1, 1 << 16, false, true);
    LogSegments segments = new LogSegments(identity, List.of(), List.of(), 1);
    List<LogSegment> all = List.of(segments.create(1), segments.create(1), segments.create(1));
    PageFileException first = assertThrows(PageFileException.class, () -> segments.delete(all));
    assertEquals(all.stream().map(LogSegment::path).toList(), files.closed);
    assertEquals(List.of(), files.beside(store));
    assertEquals(all.getFirst().path() + ": closing failed as ordered", first.getMessage());
    assertEquals(5, first.getSuppressed().length);
  }

  // ---------------------------------------------------------------- one by one

  private LogSegment made(int file, int blocks) {
    LogSegment made =
        LogSegment.create(
            calls, LogFiles.path(LogCalls.STORE, file), (long) blocks * LogBuffer.BLOCK_BYTES);
    made.number = 10 + file;
    calls.calls();
    return made;
  }

  /** Begins with segments; files that it makes are numbered from 7 on. */
  private LogSegments begin(List<LogSegment> inUse, LogSegment... free) {
    return begin(inUse, SEGMENT_BYTES, free);
  }

  private LogSegments begin(List<LogSegment> inUse, int segmentBytes, LogSegment... free) {
    LogIdentity identity = new LogIdentity(calls, LogCalls.STORE, 1, 1, segmentBytes, false, true);
    return new LogSegments(identity, inUse, List.of(free), 7);
  }

  private static String path(LogSegment segment) {
    return segment.path().getFileName().toString().replace("store.log", "");
  }

  private static List<String> paths(List<LogSegment> segments) {
    return segments.stream().map(LogSegmentsTest::path).toList();
  }

  /** Returns the numbers of the files that were made since this was asked last. */
  private List<String> opened() {
    return calls.calls().stream()
        .filter(call -> call.startsWith("OPEN"))
        .map(call -> call.replaceAll("\\D", ""))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"1, 4096", "4096, 4096", "4097, 8192", "100000, 102400"})
  void aSegmentHasWholeBlocksAndTheNextFile(long wanted, long bytes) {
    LogSegments segments = begin(List.of());
    assertEquals(bytes, segments.create(wanted).bytes);
    segments.create(1);
    assertEquals(List.of("7", "8"), opened());
    assertEquals(List.of(), paths(segments.all()));
  }

  @ParameterizedTest
  @CsvSource({"8192, 3", "8193, 1", "16384, 1", "16385, 7"})
  void theFirstFreeSegmentWithRoomIsTaken(long bytes, String taken) {
    LogSegments segments = begin(List.of(), small, one, two);
    assertEquals(taken, path(segments.take(bytes)));
    List<String> left = new ArrayList<>(List.of("3", "1", "2"));
    left.remove(taken);
    assertEquals(left, paths(segments.all()));
    assertEquals(taken.equals("7") ? List.of("7") : List.of(), opened());
  }

  @ParameterizedTest
  @CsvSource({
    "65536, 0, 65536",
    "65536, 524288, 65536",
    "65536, 524296, 65537",
    "65536, 536870912, 67108864",
    "65536, 1000000000000, 67108864",
    "134217728, 0, 134217728",
    "134217728, 1000000000000, 134217728"
  })
  void aNewSegmentHasAnEighthOfWhatWasWritten(int least, long appended, long bytes) {
    assertEquals(bytes, begin(List.of(), least).neededBytes(appended));
  }

  @Test
  void oneIsReadyAndOneIsToSpare() {
    LogSegments segments = begin(List.of(), one);
    assertEquals(SEGMENT_BYTES, segments.neededBytes(0)); // It is ready now.
    segments.addFree(two);
    assertEquals(0, segments.neededBytes(0));
    segments.follow(small);
    assertEquals(SEGMENT_BYTES, segments.neededBytes(0));
    assertEquals(List.of("3", "2"), paths(segments.all()));
  }

  /** Its first block and its last record have to fit, too: 4096 bytes and 48. */
  @ParameterizedTest
  @CsvSource({"12240, 1", "12241, 7"})
  void theNextSegmentHasRoomForARecord(long recordBytes, String next) {
    LogSegments segments = begin(List.of(), one);
    segments.neededBytes(0);
    segments.ensureReady(recordBytes, 0);
    assertEquals(next.equals("7") ? List.of("7") : List.of(), opened());
    assertEquals(next.equals("7") ? List.of("1", "7") : List.of("1"), paths(segments.all()));
    assertEquals(next, path(segments.follow(two)));
  }

  @ParameterizedTest
  @CsvSource({"100, 0, 65536", "100000, 0, 106496", "100, 800000, 102400"})
  void aSegmentThatIsMadeReadyIsAsLargeAsANewOneOrTheRecord(
      long recordBytes, long appended, long bytes) {
    LogSegments segments = begin(List.of());
    segments.ensureReady(recordBytes, appended);
    assertEquals(List.of("7"), opened());
    assertEquals(bytes, segments.follow(one).bytes);
  }

  @Test
  void whatWasReadyAndIsTooSmallComesLater() {
    LogSegments segments = begin(List.of(), small, one);
    segments.neededBytes(0);
    segments.ensureReady(9_000, 0);
    assertEquals("7", path(segments.follow(two)));
    assertEquals(List.of("2", "3", "1"), paths(segments.all()));
  }

  @Test
  void oneMoreIsKeptForARecovery() {
    LogSegments segments = begin(List.of());
    segments.ensureSpare();
    assertEquals(List.of("7"), opened());
    segments.ensureSpare();
    assertEquals(List.of(), opened());
    assertEquals(SEGMENT_BYTES, segments.all().getFirst().bytes);
  }

  @Test
  void noSegmentChangesPlacesIfThereIsNoRoomForALargerOne() {
    LogSegments segments = begin(List.of(), one);
    segments.neededBytes(0);
    calls.fail(Kind.GROW, Errno.ENOSPC);
    assertThrows(PageFileException.class, () -> segments.ensureReady(1 << 20, 0));
    assertEquals(List.of("1"), paths(segments.all()));
    assertEquals("1", path(segments.follow(two)));
  }

  @Test
  void theLastRecordNamesTheSegmentThatIsReady() {
    LogSegments segments = begin(List.of(), two);
    segments.neededBytes(0);
    LogRecord last = segments.endOf();
    assertEquals(LogRecord.END_BYTES, last.logBytes());
    byte[] bytes = new byte[LogRecord.END_BYTES];
    last.complete(1, 2, 0, 4, 5, 6, 3);
    last.writeTo(MemorySegment.ofArray(bytes), 0);
    LogRecord.Header header = LogRecord.read(bytes, 0, new LogRecord.Place(1, 2));
    assertNotNull(header);
    assertEquals(LogRecord.END, header.kind());
    assertEquals(2, LogRecord.intAt(bytes, LogRecord.HEADER_BYTES));
    assertEquals(16384, LogRecord.longAt(bytes, LogRecord.HEADER_BYTES + Integer.BYTES));
  }

  @Test
  void segmentsAreUsedInTurn() {
    LogSegments segments = begin(List.of(small), one, two);
    segments.neededBytes(0);
    LogSegment current = made(4, 2);
    assertEquals("1", path(segments.follow(current)));
    assertEquals(List.of("3", "4"), paths(segments.inUse()));
    assertEquals(List.of("3", "4", "2"), paths(segments.all()));
    assertEquals("2", path(segments.follow(one)));
    assertEquals(List.of("3", "4", "1"), paths(segments.all()));
  }

  @ParameterizedTest
  @CsvSource({"11, '', '1,2,3'", "12, '1', '2,3,1'", "13, '1,2', '3,2,1'", "99, '1,2,3', '2,3,1'"})
  void whatIsBeforeTheFirstNeededOneIsFreeAndTheFirstOfThatIsReady(
      long firstNeeded, String released, String all) {
    LogSegments segments = begin(List.of(one, two, small));
    assertEquals(released, String.join(",", paths(segments.release(firstNeeded))));
    assertEquals(all, String.join(",", paths(segments.all())));
  }

  @Test
  void oneFreeSegmentIsKeptBesideTheOneThatIsReady() {
    LogSegments segments = begin(List.of(), one, two, small);
    assertEquals(List.of("3", "2"), paths(segments.removeSurplus()));
    assertEquals(List.of(), segments.removeSurplus());
    assertEquals(List.of("1"), paths(segments.all()));
  }

  @Test
  void whatIsDeletedIsClosedBefore() {
    LogSegments segments = begin(List.of());
    segments.delete(List.of(one, two));
    assertEquals(
        Stream.of("CLOSE log1", "DELETE log1", "CLOSE log2", "DELETE log2").toList(),
        calls.calls());
  }
}
