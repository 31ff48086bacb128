// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.ffi.FileCalls;
import dev.espalier.ffi.Ring;
import dev.espalier.io.IoStatus.Engine;
import dev.espalier.prefetch.NativeStatus;
import dev.espalier.prefetch.NativeStatus.State;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("fallback-too")
final class EnginesTest {
  private static final NativeStatus RUNS = new NativeStatus(State.AVAILABLE, "runs", "");
  private static final NativeStatus FORBIDDEN =
      new NativeStatus(State.NOT_PERMITTED, "forbidden", "permit it");
  private static final NativeStatus DENIED =
      new NativeStatus(State.ACCESS_DENIED, "no native access", "add the option");

  @TempDir Path folder;

  @Test
  void bestIsTheRingThenThreadsThenTheChannelAndSaysWhy() {
    assertEquals(new IoStatus(Engine.IO_URING, true, "", ""), new Engines(RUNS, RUNS, "").best());
    assertEquals(
        new IoStatus(Engine.THREADS, true, "forbidden", "permit it"),
        new Engines(FORBIDDEN, RUNS, "").best());
    assertEquals(
        new IoStatus(Engine.CHANNEL, false, "no native access", "add the option"),
        new Engines(DENIED, DENIED, "").best());
  }

  @Test
  void propertyForcesAnEngine() {
    assertEquals(Engine.IO_URING, new Engines(FORBIDDEN, RUNS, "uring").best().engine());
    assertEquals(Engine.THREADS, new Engines(RUNS, RUNS, "threads").best().engine());
    IoStatus channel = new Engines(RUNS, RUNS, "channel").best();
    assertEquals(Engine.CHANNEL, channel.engine());
    assertFalse(channel.direct());
    assertEquals("the system property espalier.io is channel", channel.reason());
  }

  @Test
  void propertyIsReadWheneverAFileIsOpened() {
    System.setProperty(Engines.SWITCH, "channel");
    try (PageFile file = PageFiles.DIRECT.open(folder.resolve("file"), Access.CREATE, 4096)) {
      assertEquals(PageFiles.status(), file.status());
      assertEquals(Engine.CHANNEL, file.status().engine());
    } finally {
      System.clearProperty(Engines.SWITCH);
    }
  }

  @Test
  void propertyWithAnotherValueIsRefused() {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> new Engines(RUNS, RUNS, "aio").best());
    assertEquals(
        "the system property espalier.io is 'aio'; it must be uring, threads or channel",
        e.getMessage());
  }

  @Test
  void engineThatDoesNotRunIsRefusedWithReasonAndRemedyAndMakesNoFile() {
    Path path = folder.resolve("file");
    Engines none = new Engines(FORBIDDEN, DENIED, "");
    PageFileException ring =
        assertThrows(PageFileException.class, () -> none.openRing(path, Access.CREATE, 4096));
    assertEquals(
        path + ": can't be opened with io_uring: NOT_PERMITTED: forbidden; permit it",
        ring.getMessage());
    PageFileException threads =
        assertThrows(PageFileException.class, () -> none.openThreads(path, Access.CREATE, 4096));
    assertTrue(threads.getMessage().endsWith("no native access; add the option"));
    Engines forced = new Engines(FORBIDDEN, RUNS, "uring");
    assertThrows(PageFileException.class, () -> forced.openBest(path, Access.CREATE, 4096));
    assertFalse(Files.exists(path));
  }

  @Test
  void openedFileTellsItsEngineAndWhy() {
    Engines channel = new Engines(DENIED, DENIED, "");
    try (PageFile file = channel.openBest(folder.resolve("channel"), Access.CREATE, 4096)) {
      assertEquals(channel.best(), file.status());
    }
    assumeTrue(FileCalls.status().isAvailable(), () -> FileCalls.status().toString());
    Engines threads = new Engines(FORBIDDEN, RUNS, "");
    try (PageFile file = threads.openBest(folder.resolve("threads"), Access.CREATE, 512)) {
      assertEquals(Engine.THREADS, file.status().engine());
      assertFalse(file.status().direct());
      assertEquals(
          "forbidden; blocks of 512 bytes are not multiples of 4096, as direct transfers need them",
          file.status().reason());
      assertEquals("permit it", file.status().remedy());
      assertEquals(1, file.alignment());
    }
  }

  @Test
  void bestOfThisMachineIsTheOneThatItsStatusTells() {
    IoStatus status = PageFiles.status();
    try (PageFile file = PageFiles.DIRECT.open(folder.resolve("file"), Access.CREATE, 4096)) {
      assertEquals(status.engine(), file.status().engine());
      assertEquals(file.status().direct() ? 4096 : 1, file.alignment());
    }
  }

  @Test
  void theCachedEngineIsTheBestOneThroughThePageCache() {
    try (PageFile file = PageFiles.CACHED.open(folder.resolve("file"), Access.CREATE, 4096)) {
      assertEquals(PageFiles.status().engine(), file.status().engine());
      assertFalse(file.status().direct());
      assertEquals(1, file.alignment());
      assertEquals(PageFiles.status().reason(), file.status().reason());
    }
  }

  @Test
  void withoutNativeAccessOnlyTheChannelRuns() {
    assumeTrue(
        System.getProperty("espalier.test.run", "").equals("fallback"), "native access is granted");
    assertEquals(Engine.CHANNEL, PageFiles.status().engine());
    assertEquals(Ring.status().remedy(), PageFiles.status().remedy());
    assertThrows(
        PageFileException.class,
        () -> PageFiles.IO_URING.open(folder.resolve("file"), Access.CREATE, 4096));
  }
}
