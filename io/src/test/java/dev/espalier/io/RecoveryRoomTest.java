// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ProgressListener;
import dev.espalier.io.LogCalls.Kind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a recovery keeps free, which segments and which epoch it goes on with, and where from. */
class RecoveryRoomTest {
  private static final int PAGE_BYTES = 512;
  private static final int SEGMENT_BYTES = 16 << 10;
  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPoolBytes(256 * PAGE_BYTES))
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

  private StoreEnvironment environment() {
    return new StoreEnvironment(files, new SplittableRandom(1), false, false);
  }

  private IndexStore open(StoreOptions options) {
    IndexStore store =
        new StoreOpening(LogCalls.STORE, options, environment(), ProgressListener.NONE).open();
    open = store;
    return store;
  }

  private void losePowerAfter(Consumer<IndexStore> writes) {
    IndexStore store = open(OPTIONS);
    writes.accept(store);
    store.commit();
    disk.losePower();
    close();
    disk.restart(CrashPlan.NOTHING);
    files.calls();
  }

  private static void fill(IndexStore store, long from, long to) {
    for (long key = from; key < to; key++) {
      store.index("a").set(key, key);
    }
  }

  private StoreHeader header() {
    try (PageFile file = disk.openPages(LogCalls.STORE, Access.READ, PAGE_BYTES)) {
      return StoreHeaders.newest(file, PAGE_BYTES);
    }
  }

  private List<String> logs() {
    return disk.names().stream().filter(name -> name.contains(".log")).sorted().toList();
  }

  /** Returns the number of the segment in a file of the log; 0 if it says nothing. */
  private long number(String log) {
    byte[] block = Arrays.copyOf(disk.contents(SimulatedDisk.path(log)), LogSegment.HEADER_BYTES);
    LogSegment.Header first = LogSegment.Header.read(block);
    return first == null ? 0 : first.number();
  }

  private String fileOf(long segment) {
    return logs().stream().filter(log -> number(log) == segment).findFirst().orElseThrow();
  }

  private void write(Log.Position at, MemorySegment bytes, int count) {
    try (PageFile file =
        disk.openLog(
            SimulatedDisk.path(fileOf(at.segment())), Access.WRITE, LogBuffer.BLOCK_BYTES)) {
      IoBatch batch = new IoBatch(bytes, 1);
      batch.add(at.offset(), 0, count);
      file.write(batch);
    }
  }

  /** Has nothing where a record begins. */
  private void damage(Log.Position at) {
    write(at, StoreHeader.block(), LogRecord.ALIGNMENT);
  }

  // ---------------------------------------------------------------- slots

  private static int reserved(SlotSpace space) {
    assertTrue(space.available() > 0);
    return space.room() - space.first() - space.busyCount() - space.available();
  }

  @Test
  void slotsAreReservedBeforeAnythingIsCarriedOutAndForEachIndexThatIsMadeAgain() {
    losePowerAfter(
        store -> {
          for (int i = 0; i < 10; i++) {
            store.index("made" + i).set(1, i);
          }
          fill(store, 0, 600);
        });
    try (PageFile file = files.openPages(LogCalls.STORE, Access.WRITE, PAGE_BYTES);
        BufferPool pool = BufferPool.create(256 * PAGE_BYTES, PAGE_BYTES)) {
      StoreHeader header = StoreHeaders.newest(file, PAGE_BYTES);
      StoreState state = new StoreState(LogCalls.STORE, OPTIONS, environment(), file, pool, header);
      List<Integer> slots = new ArrayList<>();
      try (PageReader reader = new PageReader(file, PAGE_BYTES)) {
        Catalogue.Place place =
            new Catalogue.Place(header.catalogueSlot(), header.catalogueChecksum());
        assertEquals(0, Catalogue.read(place, state.space, reader, slots).entries().size());
      }
      state.space.loaded();
      Checkpoints checkpoints =
          new Checkpoints(state, slots.stream().mapToInt(Integer::intValue).toArray());
      List<Integer> lacking = new ArrayList<>();
      ProgressListener listener =
          (done, total) -> {
            int before = reserved(state.space);
            checkpoints.reserve(); // What is needed, counted anew.
            assertTrue(reserved(state.space) > 8 + 2 * 2 + 10);
            lacking.add(reserved(state.space) - before);
            return true;
          };
      assertEquals(621, new Recovery(state, checkpoints, listener).recover().records());
      assertEquals(List.of(0, 0, 0), lacking);
      state.abandon();
    }
  }

  // ---------------------------------------------------------------- segments

  @Test
  void segmentsAreReadyAtTheEndThoughNoneWasLeft() {
    losePowerAfter(store -> fill(store, 0, 10));
    for (String log : logs()) {
      if (number(log) == 0) {
        disk.delete(SimulatedDisk.path(log));
      }
    }
    assertEquals(1, logs().size());
    IndexStore store = open(OPTIONS);
    assertEquals(10, store.index("a").size());
    assertEquals(3, store.state().log.segments());
    assertEquals(3, logs().size());
  }

  @Test
  void segmentsThatTheCheckpointDoesNotNeedAreUsedAgain() {
    losePowerAfter(
        store -> {
          fill(store, 0, 400);
          store.checkpoint();
          store.index("a").set(1, 2);
        });
    List<String> before = logs();
    assertEquals(List.of(1L, 2L, 0L), before.stream().map(this::number).toList());
    assertEquals(2, header().logSegment());
    IndexStore store = open(OPTIONS);
    assertEquals(before, logs());
    assertEquals(before.size(), store.state().log.segments());
    assertEquals(2, store.index("a").get(1));
  }

  // ---------------------------------------------------------------- epoch

  /** Its records would be taken for those to come where a log ends before them. */
  @ParameterizedTest
  @CsvSource({"false, 1", "true, 2"})
  void anEpochThatWasBegunInVainIsPassedOverWhereTheLogMayEndEarlier(boolean loses, int later) {
    losePowerAfter(store -> fill(store, 0, 10));
    int epoch = header().epoch();
    files.before(Kind.WRITE, () -> {}); // The first block of the new segment.
    files.fail(Kind.WRITE, Errno.EIO);
    assertThrows(PageFileException.class, () -> open(OPTIONS));
    assertEquals(epoch, header().epoch());
    assertEquals(List.of(1L, 2L), logs().stream().map(this::number).filter(n -> n > 0).toList());
    IndexStore store = open(loses ? LOSING : OPTIONS);
    assertEquals(epoch + later, store.state().header.epoch());
    assertEquals(10, store.index("a").size());
  }

  // ---------------------------------------------------------------- where the log ends

  /** Opens a store whose log is damaged, and returns what is said of it. */
  private String damage(boolean loses) {
    if (loses) {
      return open(LOSING).recovery().end();
    }
    String message =
        String.valueOf(assertThrows(PageFileException.class, () -> open(OPTIONS)).getMessage());
    return message.replace("/simulated/store: ", "");
  }

  private static void assertBegins(String expected, String message) {
    assertTrue(message.startsWith(expected), message);
  }

  /** Loses a record: one in the middle of a segment, or the first one of the second. */
  @ParameterizedTest
  @CsvSource({"5, false", "5, true", "300, false", "300, true", "-1, false", "-1, true"})
  void damageIsToldWhereItIs(int lost, boolean loses) {
    List<Log.Position> places = new ArrayList<>();
    long[] before = {0};
    losePowerAfter(
        store -> {
          store.index("a");
          store.checkpoint();
          before[0] = store.state().log.appended();
          for (long key = 0; key < 400; key++) {
            places.add(store.state().log.end());
            store.index("a").set(key, key);
            if (key % 50 == 49) {
              store.commit();
            }
          }
        });
    int key = lost;
    Log.Position at;
    if (lost >= 0) {
      at = places.get(lost);
    } else {
      key = (int) places.stream().filter(place -> place.segment() == 1).count() - 1;
      at = new Log.Position(2, LogSegment.HEADER_BYTES);
    }
    damage(at);
    assertBegins(
        "its log is damaged at offset %d of segment %d (%s): the last good record is %d, but all up"
            .formatted(at.offset(), at.segment(), fileOf(at.segment()), before[0] + key),
        damage(loses));
    if (loses) {
      IndexStore store = open;
      assertEquals(key, store == null ? -1 : store.index("a").size());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRecordThatDoesNotFollowTheCheckpointIsDamage(boolean loses) {
    losePowerAfter(
        store -> {
          fill(store, 0, 10);
          store.checkpoint();
          fill(store, 10, 13);
        });
    StoreHeader header = header();
    SetRecord record = new SetRecord();
    record.place(header.storeId(), header.logSegment(), header.logOffset());
    MemorySegment block = StoreHeader.block();
    long sequence = header.sequence();
    record.writeTo(
        block, 0, sequence + 5, header.epoch(), header.checkpoint(), sequence + 4, 0, 1, 2);
    write(new Log.Position(header.logSegment(), header.logOffset()), block, SetRecord.BYTES);
    assertBegins(
        loses
            ? "its log is damaged at offset %d of segment 1 (store.log0): the last good record is %d"
                .formatted(header.logOffset(), sequence)
            : "its header says that record %d follows at offset %d of segment 1 of its log"
                .formatted(sequence + 1, header.logOffset()),
        damage(loses));
  }

  /** Returns where a record is that is whole and makes no sense. */
  private Log.Position appendNonsense(IndexStore store) {
    StoreState state = store.state();
    LogRecord record = new LogRecord();
    record.begin(LogRecord.BATCH);
    record.removeRange(state.indexes.get("a").id, 5, 4);
    Log.Position at = state.log.end();
    state.log.append(record, state.header.checkpoint());
    return at;
  }

  @Test
  void aRecordThatMakesNoSenseEndsTheLogAndIsToldOf() {
    List<Log.Position> at = new ArrayList<>();
    losePowerAfter(
        store -> {
          fill(store, 0, 10);
          at.add(appendNonsense(store));
        });
    assertEquals(
        "the record at offset %d of segment 1 of its log is whole, but its operation of kind 3 at"
                .formatted(at.getFirst().offset())
            + " byte 0 makes no sense",
        damage(true));
  }

  @Test
  void whatFollowsARecordThatMakesNoSenseIsLookedAt() {
    List<Log.Position> at = new ArrayList<>();
    long[] last = {0};
    losePowerAfter(
        store -> {
          fill(store, 0, 10);
          last[0] = store.state().log.appended();
          at.add(appendNonsense(store));
          store.commit();
          fill(store, 10, 20);
        });
    assertBegins(
        "its log is damaged at offset %d of segment 1 (store.log0): the last good record is %d, but"
            .formatted(at.getFirst().offset(), last[0]),
        damage(true));
  }
}
