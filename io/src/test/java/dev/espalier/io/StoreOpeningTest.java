// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.ProgressListener;
import dev.espalier.io.LogCalls.Kind;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the making and the opening of a store ask of the file system, and in which order. */
class StoreOpeningTest {
  private static final FileOptions FILES =
      FileOptions.DEFAULT.withPageBytes(512).withPoolBytes(256 * 512);
  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT.withFiles(FILES).withSegmentBytes(16 << 10);

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);

  private StoreOpening opening(FileOptions options) {
    StoreEnvironment environment =
        new StoreEnvironment(files, new SplittableRandom(1), false, false);
    return new StoreOpening(
        LogCalls.STORE, OPTIONS.withFiles(options), environment, ProgressListener.NONE);
  }

  private IndexStore open() {
    return opening(FILES).open();
  }

  private static FileOptions with(FileOption... flags) {
    return FILES.withFlags(flags);
  }

  private void make(int entries) {
    try (IndexStore store = open()) {
      for (long key = 0; key < entries; key++) {
        store.index("a").set(key, key);
      }
    }
    files.calls();
  }

  private static String refusal(Runnable opening) {
    return String.valueOf(assertThrows(RuntimeException.class, opening::run).getMessage());
  }

  // ---------------------------------------------------------------- make

  @Test
  void aStoreIsWholeAndSafeBeforeItHasItsName() {
    try (IndexStore store = open()) {
      List<String> calls = files.calls();
      int renamed = calls.indexOf("RENAME new store");
      assertEquals(
          List.of(
              "DELETE new",
              "OPEN new CREATE",
              "GROW new 16896",
              "WRITE new 16384 512",
              "FINISH new",
              "WRITE new 0 4096",
              "FINISH new",
              "FORCE new",
              "CLOSE new"),
          calls.subList(0, renamed));
      assertEquals(
          "FORCE_NAMES store", calls.stream().filter(c -> c.startsWith("FORCE")).toList().get(1));
      assertEquals(
          "FORCE store", calls.stream().filter(c -> c.startsWith("FORCE")).toList().get(2));
      assertFalse(disk.names().contains("store.new"));
      assertTrue(disk.names().contains("store"));
      store.verify();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"OPEN", "GROW", "WRITE", "FINISH", "FORCE", "RENAME"})
  void nothingIsLeftOfAStoreThatCanNotBeMade(Kind kind) {
    files.fail(kind, Errno.EIO);
    assertThrows(PageFileException.class, this::open);
    assertEquals(Set.of(), disk.names());
    List<String> calls = files.calls();
    assertEquals(kind != Kind.OPEN, calls.contains("CLOSE new"), calls.toString());
    make(3); // And nobody keeps it claimed.
  }

  @ParameterizedTest
  @CsvSource({"FORCE, 1", "FORCE_NAMES, 0", "FORCE, 2", "GROW, 1", "FORCE, 5"})
  void nothingIsLeftOfANewStoreThatCanNotBeOpened(Kind kind, int after) {
    for (int i = 0; i < after; i++) {
      files.before(kind, () -> {});
    }
    files.fail(kind, Errno.EIO);
    assertThrows(RuntimeException.class, this::open);
    assertEquals(Set.of(), disk.names());
    List<String> calls = files.calls();
    assertTrue(
        calls.contains("RENAME store store.new"), calls.toString()); // First it loses its name.
    assertTrue(calls.contains("CLOSE store"), calls.toString());
    make(3);
  }

  @Test
  void whatCanNotBeRemovedIsToldOf() {
    files.fail(Kind.FORCE, Errno.EIO);
    files.before(Kind.DELETE, () -> {});
    files.fail(Kind.DELETE, Errno.EIO);
    PageFileException failed = assertThrows(PageFileException.class, this::open);
    assertEquals("/simulated/store: FORCE failed as ordered", failed.getMessage());
    assertEquals(
        "/simulated/store: DELETE failed as ordered", failed.getSuppressed()[0].getMessage());
    assertEquals(Set.of("store.new"), disk.names());
    make(3); // The next making removes it.
    assertEquals(Set.of("store"), disk.names());
  }

  @Test
  void aStoreThatNobodyGetsIsRemovedIfItWasMadeForThat() {
    IllegalStateException refused = new IllegalStateException("says a test");
    for (boolean isThere : new boolean[] {false, true}) {
      Throwable thrown =
          assertThrows(
              IllegalStateException.class,
              () ->
                  opening(FILES)
                      .open(
                          store -> {
                            throw refused;
                          }));
      assertSame(refused, thrown);
      assertEquals(isThere, disk.names().contains("store"));
      assertFalse(disk.names().stream().anyMatch(name -> name.contains("log")));
      if (!isThere) {
        make(3);
      }
    }
    assertEquals(
        "a",
        opening(FILES)
            .<String>open(
                store -> {
                  String name = store.names().getFirst();
                  store.close();
                  return name;
                }));
  }

  // ---------------------------------------------------------------- open

  @Test
  void whatAnEarlierLifeHasWrittenIsForcedBeforeItIsBelieved() {
    make(300);
    try (IndexStore store = open()) {
      List<String> calls = files.calls();
      int opened = calls.indexOf("OPEN store WRITE");
      assertEquals(
          List.of("FORCE_NAMES store", "FORCE store"), calls.subList(opened + 1, opened + 3));
      assertTrue(calls.get(opened + 3).startsWith("READ store 0 "), calls.toString());
      assertEquals(300, store.index("a").size());
      store.verify(); // Nothing was written to what the maps refer to.
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = FileOption.class,
      names = {"READ_ONLY", "LAST_CHECKPOINT"})
  void whoeverOnlyReadsForcesAndWritesNothing(FileOption flag) {
    make(3);
    try (IndexStore store = opening(with(flag)).open()) {
      assertEquals(3, store.index("a").size());
      assertThrows(UnsupportedOperationException.class, () -> store.index("a").set(9, 9));
      assertEquals("the log was not read", store.recovery().end());
      assertTrue(store.recovery().wasClean());
    }
    List<String> calls = files.calls();
    assertFalse(
        calls.stream().anyMatch(call -> call.matches("(FORCE|WRITE|GROW|FORCE_NAMES) .*")),
        calls.toString());
    assertTrue(calls.contains("OPEN store READ"));
  }

  private void leaveUnclosed(int entries) {
    IndexStore store = open();
    for (long key = 0; key < entries; key++) {
      store.index("a").set(key, key);
    }
    store.commit();
    disk.losePower();
    assertThrows(RuntimeException.class, store::close);
    disk.restart(CrashPlan.NOTHING);
    files.calls();
  }

  @Test
  void whoeverOnlyReadsAStoreThatWasNotClosedSeesAllOfItAndChangesNoFile() {
    make(3);
    leaveUnclosed(5);
    Set<String> names = disk.names();
    try (IndexStore store = opening(with(FileOption.READ_ONLY)).open()) {
      assertEquals(5, store.index("a").size());
      assertFalse(store.recovery().wasClean());
      assertThrows(UnsupportedOperationException.class, () -> store.index("a").set(9, 9));
    }
    List<String> calls = files.calls();
    assertFalse(
        calls.stream().anyMatch(call -> call.matches("(FORCE|WRITE|GROW) .*")), calls.toString());
    assertEquals(names, disk.names());
    try (IndexStore store = opening(with(FileOption.LAST_CHECKPOINT)).open()) {
      assertEquals(3, store.index("a").size());
    }
  }

  // ---------------------------------------------------------------- refuse

  @Test
  void aStoreHasToBeNewOrThereIfThatIsAskedFor() {
    for (FileOption flag :
        List.of(FileOption.MUST_EXIST, FileOption.READ_ONLY, FileOption.LAST_CHECKPOINT)) {
      assertEquals("/simulated/store: no such file", refusal(opening(with(flag))::open));
      assertEquals(Set.of(), disk.names());
    }
    opening(with(FileOption.MUST_BE_NEW)).open().close();
    assertEquals(
        "/simulated/store: the file exists already",
        refusal(opening(with(FileOption.MUST_BE_NEW))::open));
    opening(with(FileOption.MUST_EXIST)).open().close();
  }

  @Test
  void aStoreKeepsTheBytesOfItsPages() {
    make(3);
    assertEquals(
        "pageBytes is 1024, but /simulated/store has pages of 512",
        refusal(opening(FILES.withPageBytes(1024))::open));
    opening(FILES.withPageBytes(512)).open().close();
    try (BufferPool pool = BufferPool.create(64 * 1024, 1024)) {
      assertEquals(
          "the pool has pages of 1024 bytes, but /simulated/store has pages of 512",
          refusal(opening(FileOptions.DEFAULT.withPool(pool))::open));
    }
    make(3);
  }

  @ParameterizedTest
  @CsvSource({"0, true", "1, false"})
  void aStoreThatWasCutOffIsRefused(int bytes, boolean isWhole) {
    make(300);
    long needed;
    try (PageFile file = disk.openPages(LogCalls.STORE, Access.WRITE, 512)) {
      needed = (long) StoreHeaders.newest(file, 512).slots() * 512;
      file.truncate(needed - bytes);
    }
    if (isWhole) {
      open().close();
    } else {
      assertEquals(
          "/simulated/store: the file is truncated: it has %d bytes of %d"
              .formatted(needed - bytes, needed),
          refusal(this::open));
      List<String> calls = files.calls();
      assertEquals(
          calls.stream().filter(call -> call.startsWith("OPEN store")).count(),
          calls.stream().filter(call -> call.equals("CLOSE store")).count());
    }
  }

  @Test
  void aStoreOverSeveralFilesIsOpenedWithAllOfThem() {
    make(3);
    assertEquals(
        "/simulated/store: the store is spread over 1 files, not 2",
        refusal(opening(FILES.withStripes(SimulatedDisk.path("two")))::open));
    assertEquals(Set.of("store"), disk.names());
  }
}
