// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.io.LogCalls.Kind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a store and its log are brought together: what is read, forced, begun and given up. */
class RecoveryTest {
  private static final int SEGMENT_BYTES = 16 << 10;
  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(512).withPoolBytes(256 * 512))
          .withSegmentBytes(SEGMENT_BYTES);

  private static final StoreOptions LOSING =
      OPTIONS.withFiles(OPTIONS.files().withFlags(FileOption.LOSE_DAMAGED_LOG));

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);
  private @Nullable IndexStore open;

  @AfterEach
  void close() {
    IndexStore opened = open;
    open = null;
    if (opened != null) {
      try {
        opened.close();
      } catch (PageFileException | PowerLostException failed) {
        // As a test wants it.
      }
    }
  }

  private IndexStore open(StoreOptions options, ProgressListener listener) {
    StoreEnvironment environment =
        new StoreEnvironment(files, new SplittableRandom(1), false, false);
    IndexStore store = new StoreOpening(LogCalls.STORE, options, environment, listener).open();
    open = store;
    return store;
  }

  private IndexStore open() {
    return open(OPTIONS, ProgressListener.NONE);
  }

  private void losePower() {
    disk.losePower();
    close();
    disk.restart(CrashPlan.NOTHING);
    files.calls();
  }

  private void losePowerAfter(Consumer<IndexStore> writes) {
    IndexStore store = open();
    writes.accept(store);
    store.commit();
    losePower();
  }

  private static void fill(IndexStore store, long from, long to) {
    LongIndex index = store.index("a");
    for (long key = from; key < to; key++) {
      index.set(key, key);
    }
  }

  private List<String> calls(String kind) {
    return files.calls().stream().filter(call -> call.startsWith(kind)).toList();
  }

  private List<String> logs() {
    return disk.names().stream().filter(name -> name.contains(".log")).sorted().toList();
  }

  // ---------------------------------------------------------------- replay

  @Test
  void whatFollowsTheCheckpointIsCarriedOutAgain() {
    losePowerAfter(
        store -> {
          fill(store, 0, 10);
          store.checkpoint();
          store.index("a").set(3, 33);
          store.index("a").delete(4);
        });
    IndexStore store = open();
    RecoveryReport report = store.recovery();
    assertFalse(report.wasClean());
    assertEquals(2, report.records());
    assertEquals(2, report.writes());
    assertEquals(2 * 48, report.logBytes());
    long last = store.state().header.sequence();
    assertEquals("sequence number %d is not in segment 1".formatted(last + 1), report.end());
    assertEquals(store.state().header.checkpoint() - 1, report.checkpoint());
    assertEquals(33, store.index("a").get(3));
    assertEquals(9, store.index("a").size());
    store.verify();
  }

  @Test
  void allSegmentsAreCarriedOutAgain() {
    losePowerAfter(store -> fill(store, 0, 2000));
    IndexStore store = open();
    assertEquals(2001, store.recovery().records()); // One made the index.
    assertEquals(2000, store.recovery().writes());
    assertTrue(store.recovery().logBytes() > 2000 * SetRecord.BYTES);
    assertEquals(2000, store.index("a").size());
    assertEquals(1, store.state().log.used().size());
    store.verify();
  }

  @Test
  void recoveringIsReportedByBytesOfTheLog() {
    losePowerAfter(
        store -> {
          fill(store, 0, 1000);
          store.checkpoint(); // Of what comes before it, nothing is read.
          fill(store, 0, 2000);
        });
    List<Long> told = new ArrayList<>();
    long[] totals = {0};
    open(
        OPTIONS,
        (done, total) -> {
          told.add(done);
          totals[0] = total;
          return true;
        });
    assertEquals(totals[0], told.getLast());
    assertEquals(SEGMENT_BYTES, told.getFirst());
    assertEquals(totals[0] / SEGMENT_BYTES, told.size());
  }

  @Test
  void indexesAndNotesAreMadeAgain() {
    byte[] note = {1, 2, 3};
    losePowerAfter(
        store -> {
          fill(store, 0, 10);
          store.checkpoint();
          store.index("b").set(1, 2);
          store.bytesIndex("strings").set(note, new byte[] {4});
          store.bytesIndex("strings").set(new byte[] {9}, note);
          store.bytesIndex("strings").remove(new byte[] {9});
          store.commit(note);
          store.index("a").set(5, 55);
        });
    IndexStore store = open();
    assertEquals(List.of("a", "b", "strings"), store.names());
    assertEquals(8, store.recovery().records());
    assertEquals(1, store.bytesIndex("strings").size());
    assertArrayEquals(note, store.note());
    assertEquals(2, store.index("b").get(1));
    assertArrayEquals(new byte[] {4}, store.bytesIndex("strings").get(note));
    assertEquals(55, store.index("a").get(5));
    store.index("c");
    assertEquals(4, store.state().nextId);
    losePower();
    assertArrayEquals(note, open().note());
  }

  @Test
  void aStoreThatWasClosedNeedsNoLog() {
    fill(open(), 0, 10);
    close();
    assertEquals(List.of(), logs());
    IndexStore store = open();
    assertTrue(store.recovery().wasClean());
    assertEquals("the store was closed", store.recovery().end());
    assertEquals(0, store.recovery().records());
    assertEquals(10, store.index("a").size());
  }

  @Test
  void aNewStoreHasNothingToRecover() {
    assertEquals(RecoveryReport.NEW, open().recovery());
  }

  @Test
  void eachOpeningBeginsAnEpochAndASegment() {
    long number = 0;
    int epoch = 0;
    for (int round = 0; round < 5; round++) {
      IndexStore store = open();
      assertEquals(epoch + 1, store.state().header.epoch());
      epoch = store.state().header.epoch();
      long now = store.state().log.end().segment();
      assertTrue(now > number, now + " after " + number);
      number = now;
      fill(store, 0, 10 + round);
      store.commit();
      losePower();
    }
  }

  /** Those that were read stay until the checkpoint is durable, and then serve again. */
  @Test
  void filesOfTheLogAreUsedAgain() {
    int most = 0;
    for (int round = 0; round < 6; round++) {
      IndexStore store = open();
      assertEquals(logs().size(), store.state().log.segments());
      fill(store, 0, 300);
      store.checkpoint();
      fill(store, 0, 600);
      store.commit();
      losePower();
      most = Math.max(most, logs().size());
      assertTrue(logs().size() <= 6, logs().toString());
    }
    IndexStore store = open();
    assertEquals(600, store.index("a").size());
    assertEquals(3, store.state().log.segments());
  }

  // ---------------------------------------------------------------- order

  @Test
  void whatIsReadIsForcedBeforeAndTheNewSegmentIsSafeBeforeThePages() {
    losePowerAfter(store -> fill(store, 0, 400));
    List<String> before = logs();
    open();
    List<String> calls = files.calls();
    List<String> order =
        calls.stream().filter(call -> call.matches("(FORCE|WRITE|FORCE_NAMES) .*")).toList();
    assertEquals("FORCE_NAMES store", order.get(0));
    assertEquals("FORCE store", order.get(1));
    for (String log : before) {
      String name = log.replace("store.", "");
      int force = calls.indexOf("FORCE " + name);
      int read =
          calls.indexOf(
              calls.stream()
                  .filter(call -> call.startsWith("READ " + name + " "))
                  .findFirst()
                  .orElseThrow());
      assertTrue(force >= 0 && force < read, name + ": " + calls);
    }
    int begun = 2 + before.size();
    assertTrue(order.get(begun).matches("WRITE log\\d+ 0 (4096|16384)"), order.toString());
    List<String> ofStore = order.stream().filter(call -> call.contains(" store")).toList();
    assertEquals("FORCE store", ofStore.getLast());
    assertTrue(ofStore.get(ofStore.size() - 2).matches("WRITE store (0|4096) 4096"));
    assertEquals("FORCE store", ofStore.get(ofStore.size() - 3));
  }

  @Test
  void recoveryEndsInACheckpointAndASecondOneHasNothingToDo() {
    losePowerAfter(store -> fill(store, 0, 400));
    open();
    losePower();
    IndexStore store = open();
    assertEquals(0, store.recovery().records());
    assertFalse(store.recovery().wasClean());
    assertEquals(400, store.index("a").size());
  }

  /** A force ends a block there, and the next record begins behind it. */
  @Test
  void whereSectorsMayTearRecordsFollowInOtherBlocks() {
    StoreOptions tears = OPTIONS.withFiles(OPTIONS.files().withFlags(FileOption.SECTORS_MAY_TEAR));
    IndexStore store = open(tears, ProgressListener.NONE);
    for (long key = 0; key < 20; key++) {
      store.index("a").set(key, key);
      store.commit();
    }
    assertTrue(store.state().log.used().size() > 4);
    losePower();
    IndexStore again = open(tears, ProgressListener.NONE);
    assertEquals(21, again.recovery().records());
    assertTrue(again.recovery().logBytes() > 20 * 48);
    assertEquals(20, again.index("a").size());
  }

  /** The next one to be written to, and one to spare, with which a full device can go on. */
  @Test
  void segmentsAreReadyWhenAStoreIsOpen() {
    IndexStore store = open();
    assertEquals(3, store.state().log.segments());
    assertEquals(3, logs().size());
    losePower();
    List<String> before = logs();
    assertEquals(3, open().state().log.segments());
    assertEquals(before, logs());
  }

  @Test
  void aNewStoreHasSegmentsBeforeItsFileGrows() {
    open();
    List<String> calls = files.calls();
    int lastSegment = calls.lastIndexOf("GROW log2 16384");
    assertTrue(lastSegment > 0, calls.toString());
    int pages = calls.size();
    for (int i = calls.size() - 1; i >= 0; i--) {
      if (calls.get(i).matches("WRITE store \\d+ 512")) {
        pages = i;
        break;
      }
    }
    assertTrue(lastSegment < pages, calls.toString());
  }

  @Test
  void treesAreOpenedAgainByTheirUsers() {
    losePowerAfter(store -> fill(store, 0, 400));
    IndexStore store = open();
    assertTrue(store.state().open.isEmpty());
    assertEquals(0, store.state().changedPages.get());
  }

  // ---------------------------------------------------------------- files

  @Test
  void filesOfOtherNamesAreLeftAlone() {
    losePowerAfter(store -> fill(store, 0, 10));
    for (String name : List.of("store.logs", "store.log-1", "store.logx", "store2")) {
      try (PageFile file =
          disk.openLog(SimulatedDisk.path(name), Access.CREATE, LogBuffer.BLOCK_BYTES)) {
        file.grow(4096);
      }
    }
    files.calls();
    IndexStore store = open();
    assertEquals(10, store.index("a").size());
    assertFalse(
        files.calls().stream().anyMatch(call -> call.contains("logs") || call.contains("logx")));
    assertTrue(
        disk.names().containsAll(List.of("store.logs", "store.log-1", "store.logx", "store2")));
  }

  /** A file of a given number that says it is the first segment of another store. */
  private void addForeign(int number) {
    LogSegment foreign =
        LogSegment.create(disk, LogFiles.path(LogCalls.STORE, number), SEGMENT_BYTES);
    LogSegment.Header header = new LogSegment.Header(12345, 1, 1, 1, 1, SEGMENT_BYTES);
    MemorySegment block = StoreHeader.block().copyFrom(MemorySegment.ofArray(header.block()));
    IoBatch batch = new IoBatch(block, 1);
    batch.add(0, 0, LogSegment.HEADER_BYTES);
    foreign.file.write(batch);
    foreign.file.force();
    foreign.file.close();
  }

  @Test
  void aSegmentOfAnotherStoreSaysNothingAndIsUsed() {
    losePowerAfter(store -> fill(store, 0, 10));
    addForeign(40);
    IndexStore store = open();
    assertEquals(10, store.index("a").size());
    assertEquals(11, store.recovery().records());
    fill(store, 10, 2000);
    store.commit();
    assertTrue(logs().contains("store.log41"), logs().toString()); // Behind the highest number.
    losePower();
    assertEquals(2000, open().index("a").size());
  }

  @Test
  void segmentsThatAreTooSmallAreDeleted() {
    losePowerAfter(store -> fill(store, 0, 10));
    int before = logs().size();
    assertEquals(3, before);
    IndexStore store = open(OPTIONS.withSegmentBytes(64 << 10), ProgressListener.NONE);
    List<String> calls = files.calls();
    List<String> deleted = calls.stream().filter(call -> call.startsWith("DELETE log")).toList();
    assertTrue(deleted.size() >= 2, calls.toString());
    for (String call : deleted) {
      assertTrue(calls.contains(call.replace("DELETE", "CLOSE")), calls.toString());
    }
    assertEquals(10, store.index("a").size());
  }

  // ---------------------------------------------------------------- refuse

  /** All files that were opened were closed. */
  private void assertAllClosed() {
    List<String> calls = files.calls();
    List<String> opened =
        calls.stream()
            .filter(call -> call.startsWith("OPEN log"))
            .map(call -> call.split(" ")[1])
            .sorted()
            .toList();
    List<String> closed =
        calls.stream()
            .filter(call -> call.startsWith("CLOSE log"))
            .map(call -> call.split(" ")[1])
            .distinct()
            .sorted()
            .toList();
    assertFalse(opened.isEmpty());
    assertEquals(opened, closed);
  }

  @Test
  void whoeverCancelsGetsNoStoreAndLosesNothing() {
    losePowerAfter(store -> fill(store, 0, 2000));
    CancellationException cancelled =
        assertThrows(CancellationException.class, () -> open(OPTIONS, (_, _) -> false));
    assertEquals("/simulated/store: recovering was cancelled", cancelled.getMessage());
    assertAllClosed();
    assertEquals(2000, open().index("a").size());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aMissingSegmentIsNoticed(boolean loses) {
    losePowerAfter(
        store -> {
          fill(store, 0, 10);
          store.checkpoint();
          fill(store, 10, 20);
        });
    for (String log : logs()) {
      disk.delete(SimulatedDisk.path(log));
    }
    if (loses) {
      IndexStore store = open(LOSING, ProgressListener.NONE);
      assertEquals(10, store.index("a").size());
      assertEquals(0, store.recovery().records());
      assertTrue(store.recovery().end().startsWith("segment 1 of its log is missing"));
    } else {
      PageFileException refused = assertThrows(PageFileException.class, this::open);
      assertTrue(
          String.valueOf(refused.getMessage())
              .startsWith(
                  "/simulated/store: segment 1 of its log is missing, with which it goes on. "),
          refused.getMessage());
    }
  }

  @Test
  void aRecordThatIsWholeAndMakesNoSenseIsDamage() {
    losePowerAfter(
        store -> {
          fill(store, 0, 10);
          StoreState state = store.state();
          LogRecord record = new LogRecord();
          record.begin(LogRecord.BATCH);
          record.set(state.indexes.get("a").id, 99, 99);
          record.removeRange(state.indexes.get("a").id, 5, 4);
          state.log.append(record, state.header.checkpoint());
          fill(store, 10, 20);
        });
    PageFileException refused = assertThrows(PageFileException.class, this::open);
    String message = String.valueOf(refused.getMessage());
    assertTrue(
        message.contains(
            "of its log is whole, but its operation of kind 3 at byte 19 makes no sense"),
        message);
    assertAllClosed();
    IndexStore store = open(LOSING, ProgressListener.NONE);
    assertEquals(10, store.index("a").size());
  }

  private void assertRefusesRecord(String expected, Consumer<LogRecord> filling) {
    losePowerAfter(
        store -> {
          fill(store, 0, 10);
          store.bytesIndex("strings");
          StoreState state = store.state();
          LogRecord record = new LogRecord();
          record.begin(LogRecord.BATCH);
          filling.accept(record);
          state.log.append(record, state.header.checkpoint());
        });
    RuntimeException refused = assertThrows(RuntimeException.class, this::open);
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains(expected), message);
    assertAllClosed();
  }

  @Test
  void aRecordOfAnIndexThatThereIsNotIsDamage() {
    assertRefusesRecord(
        "its log tells of index 77, which it does not have", record -> record.set(77, 1, 1));
  }

  @Test
  void aRecordOfLongsForByteStringsIsDamage() {
    assertRefusesRecord(
        "its log has longs for index 1, which is one of byte strings",
        record -> record.set(1, 1, 1));
  }

  @Test
  void aRecordOfByteStringsForLongsIsDamage() {
    assertRefusesRecord(
        "its log has byte strings for index 0, which is one of longs",
        record ->
            record.set(0, MemorySegment.ofArray(new byte[1]), MemorySegment.ofArray(new byte[1])));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, IndexStore.MOST_INDEXES})
  void anIndexOfAnImpossibleNumberIsDamage(int id) {
    assertRefusesRecord(
        "its log makes index %d, 'b', after 1".formatted(id),
        record ->
            record.create(new IndexPages(id, "b", "BLinkTree", StoredCodecs.LONGS, 512).asMade()));
  }

  @Test
  void anIndexOfANameThatThereIsIsDamage() {
    assertRefusesRecord(
        "its log makes index 2, 'a', after 1",
        record ->
            record.create(new IndexPages(2, "a", "BLinkTree", StoredCodecs.LONGS, 512).asMade()));
  }

  @Test
  void anIndexOfAnUnknownTreeIsDamage() {
    assertRefusesRecord(
        "its log makes index 'b'",
        record ->
            record.create(new IndexPages(2, "b", "no tree", StoredCodecs.LONGS, 512).asMade()));
  }

  // ---------------------------------------------------------------- no room

  @Test
  void aStoreIsOpenedThoughThereIsNoRoomForSegmentsToSpare() {
    files.before(Kind.GROW, () -> {}); // its file
    files.before(Kind.GROW, () -> {}); // the first segment
    for (int i = 0; i < 2; i++) {
      files.fail(Kind.GROW, Errno.ENOSPC);
    }
    IndexStore store = open();
    fill(store, 0, 10);
    store.commit();
    assertEquals(10, store.index("a").size());
  }

  @Test
  void aDeviceThatFailsWhereSegmentsToSpareAreMadeIsNotPassedOver() {
    files.before(Kind.GROW, () -> {});
    files.before(Kind.GROW, () -> {});
    files.fail(Kind.GROW, Errno.EIO);
    assertThrows(PageFileException.class, this::open);
  }
}
