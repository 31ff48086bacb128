// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.io.LogCalls.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a checkpoint writes and forces, and in which order; and what it leaves when that fails. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CheckpointsTest {
  private static final int PAGE_BYTES = 512;
  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPoolBytes(256 * PAGE_BYTES))
          .withSegmentBytes(16 << 10);

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);
  private IndexStore store;
  private StoreState state;
  private LongIndex index;
  private @Nullable IndexStore open;

  @BeforeEach
  void begin() {
    open();
    index = store.index("a");
    for (long key = 0; key < 1000; key++) {
      index.set(key, key);
    }
    store.checkpoint();
    files.calls();
  }

  private void open() {
    open(OPTIONS);
  }

  private void open(StoreOptions options) {
    StoreEnvironment environment =
        new StoreEnvironment(files, new SplittableRandom(1), false, false);
    store = new StoreOpening(LogCalls.STORE, options, environment).open();
    state = store.state();
    open = store;
  }

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

  private void losePower() {
    disk.losePower();
    close();
    disk.restart(CrashPlan.NOTHING);
    open();
    index = store.index("a");
  }

  /** Returns what was written and forced, each step once however often it was repeated. */
  private List<String> steps() {
    List<String> steps = new ArrayList<>();
    for (String call : files.calls()) {
      String[] words = call.split(" ");
      if (!words[0].equals("WRITE") && !words[0].equals("FORCE")) {
        continue;
      }
      boolean isHeader =
          words[0].equals("WRITE")
              && words[1].equals("store")
              && Long.parseLong(words[2]) < StoreHeader.areaBytes(PAGE_BYTES);
      String step =
          words[0].toLowerCase(Locale.ROOT)
              + (words[1].equals("store") ? isHeader ? " header" : " pages" : " log");
      if (steps.isEmpty() || !steps.getLast().equals(step)) {
        steps.add(step);
      }
    }
    return steps;
  }

  private void assertNobodyWaits() throws InterruptedException {
    assertFalse(state.pool.frames.lock.isLocked());
    assertFalse(state.log.lock.isLocked());
    Thread.ofPlatform()
        .start(
            () -> {
              state.gate.enterAlone();
              state.gate.leaveAlone();
            })
        .join();
  }

  // ---------------------------------------------------------------- order

  @Test
  void theHeaderIsWrittenWhenAllItRefersToIsSafeAndThenItIsForced() throws InterruptedException {
    index.set(5, 50);
    assertEquals(List.of(), files.calls());
    store.checkpoint();
    assertEquals(
        List.of(
            "write pages", "force pages", "write log", "force log", "write header", "force pages"),
        steps());
    assertEquals(0, state.changedPages.get());
    assertNobodyWaits();
    losePower();
    assertEquals(0, store.recovery().records());
    assertEquals(50, index.get(5));
  }

  @Test
  void theLogIsNotForcedAgainIfAllOfItIs() {
    index.set(5, 50);
    store.commit();
    files.calls();
    store.checkpoint();
    assertEquals(List.of("write pages", "force pages", "write header", "force pages"), steps());
  }

  @Test
  void headersTakeTurns() {
    List<String> headers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      long before = state.header.checkpoint();
      store.checkpoint();
      assertEquals(before + 1, state.header.checkpoint());
      assertEquals(before + 1, state.captured);
      String position = " " + (before + 1) % 2 * 4096 + " 4096";
      files.calls().stream()
          .filter(call -> call.equals("WRITE store" + position))
          .forEach(headers::add);
    }
    assertEquals(3, headers.size());
  }

  @Test
  void aHeaderSaysWhereTheLogGoesOn() {
    index.set(5, 50);
    Log.Position end = state.log.end();
    long appended = state.log.appended();
    store.checkpoint();
    StoreHeader header = state.header;
    assertEquals(end.segment(), header.logSegment());
    assertEquals(end.offset(), header.logOffset());
    assertEquals(appended, header.sequence());
    assertEquals(appended, header.forced());
    assertEquals(header, StoreHeaders.newest(state.file, PAGE_BYTES));
    assertFalse(header.clean());
    assertEquals(state.space.account().durable().length(), header.slots());
  }

  @Test
  void slotsAndSegmentsOfTheCheckpointBeforeAreFreeAgain() {
    List<Integer> busy = new ArrayList<>();
    for (int round = 0; round < 12; round++) {
      for (long key = 0; key < 1000; key++) {
        index.set(key, key + round);
      }
      store.checkpoint();
      busy.add(state.space.busyCount());
      assertTrue(state.log.segments() <= 6, state.log.segments() + " segments");
      assertEquals(1, state.log.used().size());
      assertFalse(state.space.hasSlotsOfLastOnly());
    }
    assertEquals(busy.get(3), busy.getLast());
    store.verify();
  }

  @Test
  void theFileIsTruncatedWhenTheHeaderIsSafe() {
    for (long key = 0; key < 200_000; key++) {
      index.set(key, key);
    }
    store.checkpoint();
    assertTrue(state.file.bytes() > 4 << 20, state.file.bytes() + " bytes");
    store.drop("a");
    store.checkpoint();
    long bytes = state.file.bytes();
    assertTrue(bytes < 1 << 20, bytes + " bytes");
    assertEquals((long) state.space.room() * PAGE_BYTES, bytes);
    losePower();
    assertEquals(0, index.size());
    store.verify();
  }

  /** Writers that change pages as fast as they are written wait for some of them at a time. */
  @Test
  void whatIsChangedAsFastAsItIsWrittenIsWrittenByTurns() {
    close();
    disk.delete(LogCalls.STORE);
    open(
        OPTIONS
            .withFiles(OPTIONS.files().withPoolBytes(16_384 * PAGE_BYTES))
            .withSegmentBytes(8 << 20));
    LongIndex many = store.index("many");
    long[] keys = LongStream.range(0, 400_000).toArray();
    many.bulkload(keys, keys);
    Runnable changeAll =
        () -> {
          for (long key = 0; key < 400_000; key += 30) {
            many.set(key, key + 1);
          }
        };
    changeAll.run();
    assertTrue(state.changedPages.get() > 10_000, state.changedPages.get() + " pages");
    int changed = state.changedPages.get();
    List<Integer> left = new ArrayList<>();
    int[] writes = {0};
    boolean[] isChanging = {false};
    for (int i = 0; i < 500; i++) {
      files.before(
          Kind.WRITE,
          () -> {
            if (state.gate.isAlone() && !isChanging[0]) {
              left.add(state.changedPages.get());
            } else if (!isChanging[0] && left.isEmpty() && ++writes[0] % 4 == 0) {
              isChanging[0] = true;
              changeAll.run();
              isChanging[0] = false;
            }
          });
    }
    store.checkpoint();
    assertTrue(left.size() > 2, left.size() + " writes, " + writes[0] + " before");
    assertTrue(left.getFirst() > changed / 2, left.getFirst() + " of " + changed);
    assertEquals(0, state.changedPages.get());
    store.verify();
  }

  // ---------------------------------------------------------------- reserve

  private int reserved() {
    SlotSpace space = state.space;
    return space.room() - space.first() - space.busyCount() - space.available();
  }

  private int catalogueBytes() {
    int bytes = Catalogue.HEADER_BYTES + state.note.length;
    for (IndexPages each : state.indexes.values()) {
      bytes += each.asMade().bytes().length;
    }
    return bytes;
  }

  @Test
  void slotsAreReservedForTheMapsAndTwoCatalogues() {
    store.commit(new byte[1000]);
    store.bytesIndex("strings").set(new byte[1], new byte[1]);
    store.index("another");
    store.checkpoint();
    int slots = 8 + 2 * Catalogue.pages(catalogueBytes(), PAGE_BYTES);
    for (IndexPages each : state.indexes.values()) {
      slots += each.map.mapPages(each.numbers.top());
    }
    assertTrue(Catalogue.pages(catalogueBytes(), PAGE_BYTES) > 2);
    assertEquals(slots, reserved());
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "484, 1", "1452, 3"})
  void slotsAreReservedForAnIndexThatIsBeingMade(int entryBytes, int pages) {
    Checkpoints checkpoints = new Checkpoints(state, new int[0]);
    checkpoints.reserve();
    int before = reserved();
    IndexPages made = new IndexPages(7, "made", "none", StoredCodecs.LONGS, PAGE_BYTES);
    int rest = Catalogue.pages(catalogueBytes(), PAGE_BYTES) * 484 - catalogueBytes();
    assertTrue(rest > 1);
    checkpoints.reserveFor(made, entryBytes);
    assertEquals(before + 2 * pages + 1, reserved());
    checkpoints.reserveFor(made, 484);
    assertEquals(before + 2 * (pages + 1) + 2, reserved());
    assertFalse(state.pool.frames.lock.isLocked());
  }

  @Test
  void anotherCheckpointMakesRoomIfThereIsAnythingToWriteOrToFree() {
    Checkpoints checkpoints = new Checkpoints(state, new int[0]);
    assertFalse(checkpoints.wouldMakeRoom());
    index.set(5, 50);
    assertTrue(checkpoints.wouldMakeRoom());
    state.open.get("a").pages().flush();
    assertEquals(0, state.changedPages.get());
    assertTrue(checkpoints.wouldMakeRoom());
    store.checkpoint();
    assertFalse(checkpoints.wouldMakeRoom());
    assertFalse(state.pool.frames.lock.isLocked());
  }

  @Test
  void thePagesOfMapsAndCatalogueAreCounted() {
    long before = store.statistics().mapBytesWritten();
    store.checkpoint();
    assertEquals(before + PAGE_BYTES, store.statistics().mapBytesWritten()); // The catalogue.
  }

  @Test
  void theSlotsOfTheCatalogueAreThoseOfTheLastCheckpoint() {
    Checkpoints checkpoints = new Checkpoints(state, new int[] {3, 7});
    int[] slots = checkpoints.catalogueSlots();
    assertEquals(2, slots.length);
    slots[0] = 99;
    assertEquals(3, checkpoints.catalogueSlots()[0]);
  }

  // ---------------------------------------------------------------- failures

  /** Lets the n-th call of a kind fail, counted from 1. */
  private void fail(Kind kind, int number, int errno) {
    for (int i = 1; i < number; i++) {
      files.before(kind, () -> {});
    }
    files.fail(kind, errno);
  }

  /** Of the forces: pages, log, header. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aFailedForceEndsAllChanges(int number) throws InterruptedException {
    index.set(5, 50);
    long checkpoint = state.header.checkpoint();
    fail(Kind.FORCE, number, Errno.EIO);
    assertThrows(PageFileException.class, store::checkpoint);
    assertTrue(state.condition.hasFailed());
    assertEquals(checkpoint, state.header.checkpoint());
    assertNobodyWaits();
    assertThrows(IllegalStateException.class, store::checkpoint);
    assertThrows(IllegalStateException.class, () -> index.set(6, 60));
    assertEquals(50, index.get(5));
  }

  @Test
  void anErrorEndsAllChanges() throws InterruptedException {
    index.set(5, 50);
    files.fail(Kind.FORCE, new StackOverflowError("says a test"));
    assertThrows(StackOverflowError.class, store::checkpoint);
    assertTrue(state.condition.hasFailed());
    assertNobodyWaits();
  }

  private int writesOfACheckpoint() {
    index.set(5, 49);
    files.calls();
    store.checkpoint();
    return (int) files.calls().stream().filter(call -> call.startsWith("WRITE")).count();
  }

  /** Counted from the last write: header, log, maps and catalogue. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aCheckpointThatFindsNoRoomIsGoneOnWith(int fromLast) throws InterruptedException {
    int writes = writesOfACheckpoint();
    index.set(5, 50);
    long checkpoint = state.header.checkpoint();
    fail(Kind.WRITE, writes - fromLast, Errno.ENOSPC);
    assertThrows(NoSlotException.class, store::checkpoint);
    assertFalse(state.condition.hasFailed());
    assertEquals(checkpoint, state.header.checkpoint());
    assertEquals(checkpoint + 1, state.captured);
    assertNobodyWaits();
    index.set(6, 60);
    fail(Kind.WRITE, 1, Errno.ENOSPC);
    assertThrows(NoSlotException.class, store::checkpoint);
    assertEquals(checkpoint, state.header.checkpoint());
    store.checkpoint();
    assertEquals(checkpoint + 2, state.header.checkpoint());
    assertEquals(0, state.changedPages.get());
    store.verify();
    losePower();
    assertEquals(0, store.recovery().records());
    assertEquals(50, index.get(5));
    assertEquals(60, index.get(6));
  }

  @Test
  void verifyingGoesOnWithACheckpointThatFoundNoRoom() {
    int writes = writesOfACheckpoint();
    index.set(5, 50);
    long checkpoint = state.header.checkpoint();
    fail(Kind.WRITE, writes, Errno.ENOSPC);
    assertThrows(NoSlotException.class, store::checkpoint);
    store.verify();
    assertEquals(checkpoint + 1, state.header.checkpoint());
    store.verify();
    assertEquals(checkpoint + 1, state.header.checkpoint());
  }

  @Test
  void aStoreIsClosedThoughACheckpointFoundNoRoom() {
    int writes = writesOfACheckpoint();
    index.set(5, 50);
    fail(Kind.WRITE, writes, Errno.ENOSPC);
    assertThrows(NoSlotException.class, store::checkpoint);
    fail(Kind.WRITE, 1, Errno.ENOSPC);
    assertThrows(NoSlotException.class, store::close);
    open = null;
    disk.restart(CrashPlan.NOTHING);
    open();
    assertEquals(50, store.index("a").get(5));
  }

  @Test
  void theLastCheckpointSaysThatTheStoreWasClosed() {
    index.set(5, 50);
    close();
    open();
    assertTrue(store.recovery().wasClean());
    assertFalse(state.header.clean());
    assertEquals(50, store.index("a").get(5));
  }
}
