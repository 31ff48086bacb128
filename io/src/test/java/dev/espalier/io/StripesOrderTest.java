// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.LogCalls.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is asked of the further files of a store; {@link StripesTest} has whole stores. */
class StripesOrderTest {
  private static final long ID = 77;
  private static final Path TWO = SimulatedDisk.path("two");
  private static final Path THREE = SimulatedDisk.path("three");
  private static final Path UNFINISHED = SimulatedDisk.path("store.new");

  private final SimulatedDisk disk = DiskTrials.disk(1);
  private final LogCalls files = new LogCalls(disk);
  private final Stripes stripes = new Stripes(files, LogCalls.STORE, List.of(TWO, THREE));

  private void create(Path path, int bytes) {
    try (PageFile file = disk.openPages(path, Access.CREATE, 512)) {
      file.grow(bytes);
    }
  }

  private void make() {
    create(TWO, 8192);
    create(THREE, 8192);
    stripes.write(ID);
    files.calls();
  }

  private @Nullable StripeLabel label(Path path) {
    try (PageFile file = disk.openLog(path, Access.READ, StoreHeader.BLOCK_BYTES)) {
      return StripeLabel.read(file);
    }
  }

  private void overwrite(Path path, byte[] bytes) {
    try (PageFile file = disk.openLog(path, Access.WRITE, StoreHeader.BLOCK_BYTES)) {
      MemorySegment block = StoreHeader.block();
      MemorySegment.copy(bytes, 0, block, ValueLayout.JAVA_BYTE, 0, bytes.length);
      IoBatch batch = new IoBatch(block, 1);
      batch.add(0, 0, bytes.length);
      file.write(batch);
    }
  }

  private static String refusal(Runnable action) {
    return String.valueOf(assertThrows(PageFileException.class, action::run).getMessage());
  }

  // ---------------------------------------------------------------- make

  @Test
  void eachFileGetsItsLabelAndItsNameIsSafe() {
    create(TWO, 8192);
    create(THREE, 8192);
    stripes.write(ID);
    assertEquals(
        List.of(
            "OPEN two WRITE",
            "WRITE two 0 4096",
            "FINISH two",
            "CLOSE two",
            "FORCE_NAMES two",
            "OPEN three WRITE",
            "WRITE three 0 4096",
            "FINISH three",
            "CLOSE three",
            "FORCE_NAMES three"),
        files.calls());
    assertEquals(new StripeLabel(ID, 1, 3), label(TWO));
    assertEquals(new StripeLabel(ID, 2, 3), label(THREE));
  }

  @Test
  void anyOtherByteIsNoLabel() {
    make();
    byte[] whole = disk.contents(TWO);
    for (int at = 0; at < 32; at++) {
      byte[] other = whole.clone();
      other[at] ^= 1;
      overwrite(TWO, Arrays.copyOf(other, 4096));
      assertNull(label(TWO), "byte " + at);
    }
    create(UNFINISHED, 4095);
    assertNull(label(UNFINISHED));
    assertEquals(4096, StripeLabel.bytes(512));
    assertEquals(8192, StripeLabel.bytes(8192));
  }

  /** Has the header of a store being made say an id. */
  private void writeHeader(long id) {
    StoreHeader header = new StoreHeader(id, 0, 0, 0, 0, 4096, 1, 2, 512, 16 << 10, 33, 3, true);
    try (PageFile file = disk.openPages(UNFINISHED, Access.CREATE, 512)) {
      file.grow(StoreHeader.areaBytes(512));
      header.writeTo(file, 5);
    }
  }

  @Test
  void nothingIsLeftWhereThereIsNothing() {
    stripes.deleteLeft(UNFINISHED);
    assertEquals(List.of(), files.calls());
    writeHeader(ID);
    stripes.deleteLeft(UNFINISHED);
    assertEquals(List.of(), files.calls());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatAMakingHasLeftIsDeleted(boolean isWhole) {
    make();
    if (!isWhole) {
      disk.delete(THREE);
    }
    writeHeader(ID);
    stripes.deleteLeft(UNFINISHED);
    assertFalse(disk.exists(TWO) || disk.exists(THREE));
    assertTrue(disk.exists(UNFINISHED));
    assertEquals(
        isWhole ? 2 : 1, files.calls().stream().filter(call -> call.startsWith("DELETE")).count());
  }

  @ParameterizedTest
  @CsvSource({"other", "none", "torn"})
  void filesThatMayBeOfAnotherStoreAreLeftAlone(String header) {
    make();
    switch (header) {
      case "other" -> writeHeader(ID + 1);
      case "torn" -> create(UNFINISHED, 16384);
      default -> {
        // There is none.
      }
    }
    assertEquals(
        "/simulated/two: is stripe 1 of a store over 3 files, but /simulated/store is not there; if"
            + " its making was cut off, delete this file",
        refusal(() -> stripes.deleteLeft(UNFINISHED)));
    assertTrue(disk.exists(TWO) && disk.exists(THREE));
    assertFalse(files.calls().stream().anyMatch(call -> call.startsWith("DELETE")));
  }

  @Test
  void aFileWithoutALabelIsLeftAloneAndSoAreAllOthers() {
    make();
    writeHeader(ID);
    overwrite(THREE, new byte[4096]);
    assertEquals(
        "/simulated/three: is there already, and has no label of a store; move it away",
        refusal(() -> stripes.deleteLeft(UNFINISHED)));
    assertTrue(disk.exists(TWO) && disk.exists(THREE));
  }

  // ---------------------------------------------------------------- open

  @Test
  void theFilesOfAStoreAreItsOwn() {
    make();
    stripes.check(ID);
    assertEquals(
        List.of("OPEN two READ", "READ two 0 4096", "FINISH two", "CLOSE two"),
        files.calls().subList(0, 4));
    assertEquals(
        "/simulated/two: should be stripe 1 of /simulated/store, but is stripe 1 of another store",
        refusal(() -> stripes.check(ID + 1)));
    Stripes swapped = new Stripes(files, LogCalls.STORE, List.of(THREE, TWO));
    assertEquals(
        "/simulated/three: should be stripe 1 of /simulated/store, but is stripe 2",
        refusal(() -> swapped.check(ID)));
    disk.delete(THREE);
    assertEquals(
        "/simulated/three: stripe 2 of /simulated/store is missing",
        refusal(() -> stripes.check(ID)));
    overwrite(TWO, new byte[4096]);
    assertEquals(
        "/simulated/two: should be stripe 1 of /simulated/store, but has no label",
        refusal(() -> stripes.check(ID)));
  }

  @Test
  void theFirstFileIsNoFurtherOne() {
    make();
    assertEquals(
        "/simulated/two: is stripe 1 of a store over 3 files; name the first file of the store"
            + " first",
        refusal(() -> new Stripes(files, TWO, List.of(THREE)).checkFirst()));
    overwrite(TWO, new byte[4096]);
    new Stripes(files, TWO, List.of(THREE)).checkFirst();
  }

  // ---------------------------------------------------------------- whole stores

  /** Returns the files of the system, where all but the first are those of a striped store. */
  private StoreOpening opening() {
    PageFileOpener engine =
        new PageFileOpener() {
          @Override
          public PageFile open(Path path, Access access, int blockBytes) {
            return files.openPages(path, access, blockBytes);
          }

          @Override
          public void delete(Path path) {
            files.delete(path);
          }
        };
    StoreFilesAround striped =
        new StoreFilesAround(files) {
          @Override
          public PageFile openPages(Path path, Access access, int blockBytes) {
            return Stripes.opener(engine, List.of(TWO, THREE)).open(path, access, blockBytes);
          }
        };
    StoreEnvironment environment =
        new StoreEnvironment(striped, new SplittableRandom(1), false, false);
    return new StoreOpening(
        LogCalls.STORE,
        StoreOptions.DEFAULT
            .withFiles(
                FileOptions.DEFAULT
                    .withPageBytes(512)
                    .withPoolBytes(256 * 512)
                    .withStripes(TWO, THREE))
            .withSegmentBytes(16 << 10),
        environment);
  }

  @Test
  void allFilesOfANewStoreAreSafeBeforeItHasItsName() {
    opening().open().close();
    List<String> calls = files.calls();
    int renamed = calls.indexOf("RENAME new store");
    for (String name : List.of("new", "two", "three")) {
      int force = calls.indexOf("FORCE " + name);
      assertTrue(force >= 0 && force < renamed, calls.toString());
      int lastWrite = calls.subList(0, renamed).lastIndexOf("FINISH " + name);
      assertTrue(lastWrite < force, calls.toString());
    }
    for (String name : List.of("two", "three")) {
      int names = calls.indexOf("FORCE_NAMES " + name);
      assertTrue(names >= 0 && names < renamed, calls.toString());
    }
    try (IndexStore store = opening().open()) {
      store.index("a").set(1, 2);
    }
    try (IndexStore store = opening().open()) {
      assertEquals(2, store.index("a").get(1));
      store.verify();
    }
  }

  @ParameterizedTest
  @CsvSource({"FORCE_NAMES, 0", "WRITE, 0", "WRITE, 1", "WRITE, 2", "FORCE, 0", "FORCE, 2"})
  void nothingIsLeftOfAStoreOverSeveralFilesThatCanNotBeMade(Kind kind, int after) {
    for (int i = 0; i < after; i++) {
      files.before(kind, () -> {});
    }
    files.fail(kind, Errno.EIO);
    assertThrows(PageFileException.class, () -> opening().open());
    assertEquals(Set.of(), disk.names());
    opening().open().close();
    assertEquals(3, disk.names().size());
  }
}
