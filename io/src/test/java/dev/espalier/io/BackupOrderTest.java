// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.cola.Cola;
import dev.espalier.io.LogCalls.Kind;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a backup writes and forces, in which order, and what is left where that fails. */
class BackupOrderTest {
  private static final int PAGE_BYTES = 1024;
  private static final Path COPY = SimulatedDisk.path("copy");
  private static final StoreOptions OPTIONS =
      StoreOptions.DEFAULT
          .withFiles(FileOptions.DEFAULT.withPageBytes(PAGE_BYTES).withPoolBytes(256 * PAGE_BYTES))
          .withSegmentBytes(16 << 10);

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);
  private IndexStore store;

  private IndexStore open(Path path) {
    StoreEnvironment environment =
        new StoreEnvironment(files, new SplittableRandom(1), false, false);
    return new StoreOpening(path, OPTIONS, environment).open();
  }

  @BeforeEach
  void open() {
    store = open(LogCalls.STORE);
    LongIndex index = store.index("a");
    for (long key = 0; key < 4000; key++) {
      index.set(key, key);
    }
    LongIndex cola = store.index("b", Cola.VARIANT);
    for (long key = 0; key < 100; key++) {
      cola.set(key, -key);
    }
    store.index("empty");
    store.commit(new byte[] {7});
    for (long key = 200; key < 300; key++) {
      index.delete(key);
    }
    store.checkpoint();
    files.calls();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void backup(ProgressListener listener) {
    store.backup(COPY, listener);
  }

  private static boolean writes(String call) {
    return call.startsWith("WRITE copy.new");
  }

  @Test
  void theCopyGetsItsNameWhenAllOfItIsSafe() {
    backup(ProgressListener.NONE);
    List<String> calls = files.calls();
    List<String> ofCopy = calls.stream().filter(call -> call.contains("copy")).toList();
    assertEquals(List.of("DELETE copy.new", "OPEN copy.new CREATE"), ofCopy.subList(0, 2));
    assertTrue(ofCopy.get(2).startsWith("GROW copy.new "), ofCopy.toString());
    assertEquals(
        List.of("FORCE copy.new", "CLOSE copy.new", "RENAME copy.new copy", "FORCE_NAMES copy"),
        ofCopy.subList(ofCopy.size() - 4, ofCopy.size()));
    assertEquals(1, ofCopy.stream().filter(call -> call.startsWith("GROW")).count());
    List<String> written = ofCopy.stream().filter(BackupOrderTest::writes).toList();
    assertTrue(written.getLast().matches("WRITE copy.new (0|4096) \\d+"), written.toString());
    assertEquals(
        1, written.stream().filter(call -> call.matches("WRITE copy.new (0|4096) .*")).count());
    assertFalse(calls.stream().anyMatch(call -> call.startsWith("WRITE store")));
    assertEquals(Set.of("copy", "store"), names(""));
    long grown = Long.parseLong(ofCopy.get(2).split(" ")[2]);
    long left = grown - disk.contents(COPY).length; // For maps that may have more pages.
    assertTrue(left >= 0 && left <= 8 * PAGE_BYTES, "left " + left);
  }

  private Set<String> names(String beginning) {
    return Set.copyOf(
        disk.names().stream()
            .filter(name -> name.startsWith(beginning) && !name.contains(".log"))
            .toList());
  }

  @Test
  void theCopyIsAWholeStoreOfItsOwnWithoutFreePlaces() {
    backup(ProgressListener.NONE);
    StoreHeader header = StoreHeaders.any(disk, COPY);
    assertNotEquals(store.state().header.storeId(), header.storeId());
    assertEquals(0, header.checkpoint());
    assertEquals(0, header.sequence());
    assertEquals(0, header.epoch());
    assertEquals(0, header.logSegment());
    assertEquals(LogSegment.HEADER_BYTES, header.logOffset());
    assertEquals(PAGE_BYTES, header.pageBytes());
    assertEquals(16 << 10, header.segmentBytes());
    assertEquals(1, header.stripes());
    assertTrue(header.clean());
    assertEquals(header.slots() * PAGE_BYTES, disk.contents(COPY).length);
    List<Long> places = new ArrayList<>();
    try (IndexStore copy = open(COPY)) {
      assertTrue(copy.recovery().wasClean());
      copy.verify();
      assertEquals(List.of("a", "b", "empty"), copy.names());
      assertArrayEquals(new byte[] {7}, copy.note());
      assertEquals(3900, copy.index("a").size());
      assertEquals(-99, copy.index("b", Cola.VARIANT).get(99));
      for (IndexPages index : copy.state().indexes.values()) {
        IndexPages original = store.state().indexes.get(index.name);
        assertEquals(original.id, index.id);
        assertEquals(original.numbers.top(), index.numbers.top());
        for (int page = 1; page <= index.numbers.top(); page++) {
          int slot = index.map.slot(page);
          int before = original.map.slot(page);
          assertEquals(Math.min(before, PageMap.UNWRITTEN + 1), Math.min(slot, 2), "page " + page);
          if (slot > PageMap.UNWRITTEN) {
            places.add((long) slot);
            MemorySegment sealed = MemorySegment.ofArray(disk.contents(COPY));
            assertEquals(PageSeal.tag(index.id, 0), PageSeal.tag(sealed, slot * PAGE_BYTES));
          }
        }
      }
    }
    assertEquals(places.stream().sorted().toList(), places); // Of indexes and of their pages.
    assertTrue(places.size() > 64);
  }

  @Test
  void progressIsToldInPages() {
    List<Long> done = new ArrayList<>();
    List<Long> totals = new ArrayList<>();
    backup(
        (pages, total) -> {
          done.add(pages);
          totals.add(total);
          return true;
        });
    long pages = 0;
    for (IndexPages index : store.state().indexes.values()) {
      for (int page = 1; page <= index.numbers.top(); page++) {
        pages += index.map.slot(page) > PageMap.UNWRITTEN ? 1 : 0;
      }
    }
    assertEquals(pages, done.getLast());
    assertEquals(3, done.size()); // All pages of an index are moved at once if they are few.
    assertEquals(Set.of(pages), Set.copyOf(totals));
    assertEquals(done.stream().sorted().toList(), done);
  }

  @Test
  void pagesThatWereNeverWrittenKeepTheirNumbers() {
    SlotPageStore pages = store.state().open.get("empty").pages();
    int first = pages.allocate(3);
    store.checkpoint();
    List<Long> totals = new ArrayList<>();
    backup(
        (_, total) -> {
          totals.add(total);
          return true;
        });
    assertEquals(1, Set.copyOf(totals).size());
    long written = 0;
    try (IndexStore copy = open(COPY)) {
      IndexPages copied = copy.state().indexes.get("empty");
      assertEquals(first + 2, copied.numbers.top());
      for (int page = first; page < first + 3; page++) {
        assertEquals(PageMap.UNWRITTEN, copied.map.slot(page));
      }
      for (IndexPages index : copy.state().indexes.values()) {
        for (int page = 1; page <= index.numbers.top(); page++) {
          written += index.map.slot(page) > PageMap.UNWRITTEN ? 1 : 0;
        }
      }
    }
    assertEquals(written, totals.getFirst());
  }

  // ---------------------------------------------------------------- failures

  private void assertNothingIsLeft() {
    assertEquals(Set.of(), names("copy"));
    assertEquals(0, store.state().snapshots.size());
    List<String> calls = files.calls();
    assertEquals(
        calls.stream().filter(call -> call.startsWith("OPEN copy")).count(),
        calls.stream().filter(call -> call.equals("CLOSE copy.new")).count());
    backup(ProgressListener.NONE); // Nobody keeps its name.
    assertEquals(Set.of("copy"), names("copy"));
    store.index("a").set(1, 2);
    store.checkpoint();
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"DELETE", "GROW", "WRITE", "FINISH", "FORCE", "RENAME", "FORCE_NAMES", "READ"})
  void nothingIsLeftOfACopyThatCanNotBeMade(Kind kind) {
    files.fail(kind, Errno.EIO);
    assertThrows(PageFileException.class, () -> backup(ProgressListener.NONE));
    assertNothingIsLeft();
  }

  @Test
  void nothingIsLeftAfterAnError() {
    AssertionError error = new AssertionError("says a test");
    files.fail(Kind.FORCE, error);
    assertEquals(error, assertThrows(AssertionError.class, () -> backup(ProgressListener.NONE)));
    assertNothingIsLeft();
  }

  @Test
  void nothingIsLeftOfACopyThatIsCancelled() {
    assertEquals(
        "/simulated/copy: the backup was cancelled",
        assertThrows(CancellationException.class, () -> backup((_, _) -> false)).getMessage());
    assertNothingIsLeft();
  }

  @ParameterizedTest
  @ValueSource(ints = {Errno.ENOSPC, Errno.EIO})
  void aFullDeviceIsToldApart(int errno) {
    long[] asked = {0};
    files.before(
        Kind.GROW,
        () -> {
          asked[0] =
              Long.parseLong(
                  files.calls().stream()
                      .filter(call -> call.startsWith("GROW copy"))
                      .findFirst()
                      .orElseThrow()
                      .split(" ")[2]);
          throw new PageFileException(COPY, "failed as ordered", errno);
        });
    PageFileException failed =
        assertThrows(PageFileException.class, () -> backup(ProgressListener.NONE));
    assertEquals(errno, failed.errno());
    assertEquals(
        errno == Errno.ENOSPC,
        String.valueOf(failed.getMessage())
            .contains("copy: there is no room for a backup of %d bytes".formatted(asked[0])));
    assertEquals(Set.of(), names("copy"));
  }

  @Test
  void nothingIsLeftOfACopyOfADamagedPage() {
    PageMap map = store.state().indexes.get("a").map;
    int page = 1;
    while (map.slot(page) <= PageMap.UNWRITTEN) {
      page++;
    }
    try (PageFile file = disk.openPages(LogCalls.STORE, Access.WRITE, PAGE_BYTES)) {
      DiskTrials.write(file, (long) map.slot(page) * PAGE_BYTES + 100, 8, 77);
    }
    assertThrows(CorruptPageException.class, () -> backup(ProgressListener.NONE));
    assertEquals(Set.of(), names("copy"));
  }

  @Test
  void aFileOfThatNameIsLeftAlone() {
    backup(ProgressListener.NONE);
    byte[] before = disk.contents(COPY);
    files.calls();
    assertThrows(PageFileException.class, () -> backup(ProgressListener.NONE));
    assertArrayEquals(before, disk.contents(COPY));
    assertFalse(files.calls().stream().anyMatch(call -> call.contains("copy")));
  }

  @Test
  void aFileThatComesMeanwhileIsLeftAlone() {
    files.before(Kind.FORCE, () -> disk.openPages(COPY, Access.CREATE, PAGE_BYTES).close());
    assertThrows(PageFileException.class, () -> backup(ProgressListener.NONE));
    assertEquals(Set.of("copy"), names("copy"));
    assertEquals(0, disk.contents(COPY).length);
  }
}
