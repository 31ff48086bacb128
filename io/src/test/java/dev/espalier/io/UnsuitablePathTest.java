// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.espalier.ProgressListener;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is no file of the system is refused at once, by a message that says what it is. */
@Tag("fallback-too")
class UnsuitablePathTest {
  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  /** Returns everything that is done with the path of an index. */
  private static List<Executable> usesOf(Path path) {
    FileOptions readOnly = FileOptions.DEFAULT.withFlags(FileOption.READ_ONLY);
    return List.of(
        () -> Espalier.open(path),
        () -> Espalier.open(path, readOnly),
        () -> Espalier.describe(path, FileOptions.DEFAULT),
        () -> Espalier.findDamage(path, FileOptions.DEFAULT, ProgressListener.NONE));
  }

  private static void assertRefused(Path path, String what, Executable use) {
    // A thread that opens a pipe waits for its other end, and no interrupt ends that.
    PageFileException refused =
        assertTimeoutPreemptively(
            Duration.ofSeconds(20), () -> assertThrows(PageFileException.class, use));
    assertEquals(path, refused.path());
    assertTrue(refused.getMessage().contains(what), refused.getMessage());
  }

  private Path pipe() throws IOException, InterruptedException {
    Path pipe = folder.resolve("pipe");
    try {
      Process made = new ProcessBuilder("mkfifo", pipe.toString()).start();
      assumeTrue(made.waitFor() == 0, "no pipe can be made here");
    } catch (IOException noSuchProgram) {
      assumeTrue(false, noSuchProgram.toString());
    }
    return pipe;
  }

  @Test
  void pipeIsNoIndex() throws IOException, InterruptedException {
    Path pipe = pipe();
    Path link = Files.createSymbolicLink(folder.resolve("link"), pipe);
    for (Path path : List.of(pipe, link)) {
      for (Executable use : usesOf(path)) {
        assertRefused(path, "it is not a regular file, but a pipe", use);
      }
    }
  }

  @Test
  void pipeIsNoStripe() throws IOException, InterruptedException {
    Path pipe = pipe();
    Path path = folder.resolve("index");
    Espalier.open(path, FileOptions.DEFAULT.withStripes(folder.resolve("stripe"))).close();
    FileOptions options = FileOptions.DEFAULT.withStripes(pipe).withFlags(FileOption.READ_ONLY);
    assertRefused(pipe, "a pipe", () -> Espalier.open(path, options));
  }

  @ParameterizedTest
  @EnumSource
  void noEngineOpensAPipe(EngineUnderTest engine) throws IOException, InterruptedException {
    engine.assumeItRuns();
    Path pipe = pipe();
    for (Access access : List.of(Access.READ, Access.WRITE)) {
      assertRefused(pipe, "a pipe", () -> engine.open(pipe, access));
    }
  }

  @Test
  void directoryAndDeviceAreNoIndexes() {
    for (Executable use : usesOf(folder)) {
      assertRefused(folder, "it is not a regular file, but a directory", use);
    }
    Path device = Path.of("/dev/null");
    assumeTrue(Files.exists(device), "the system has no /dev/null");
    for (Executable use : usesOf(device)) {
      assertRefused(device, "it is not a regular file, but a device", use);
    }
  }

  @Test
  void whatIsNotThereIsNotCalledUnsuitable() {
    Path none = folder.resolve("none");
    for (Executable use : usesOf(none).subList(1, 4)) {
      PageFileException refused = assertThrows(PageFileException.class, use);
      assertFalse(refused.getMessage().contains("regular"), refused.getMessage());
    }
  }

  @Test
  void pathOfAnotherFileSystemIsRefused() throws IOException {
    Path archive = folder.resolve("archive.zip");
    try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
      Path path = zip.getPath("index.esp");
      for (Executable use : usesOf(path)) {
        assertRefusedByProvider(path, use);
      }
      Path file = folder.resolve("index");
      assertRefusedByProvider(
          path, () -> Espalier.open(file, FileOptions.DEFAULT.withStripes(path)));
      assertFalse(Files.exists(file));
      assertFalse(Files.exists(path));
    }
  }

  @ParameterizedTest
  @EnumSource
  void noEngineOpensAPathOfAnotherFileSystem(EngineUnderTest engine) throws IOException {
    engine.assumeItRuns();
    Path archive = folder.resolve("archive.zip");
    Path file = Files.createFile(folder.resolve("file"));
    try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
      Path path = zip.getPath(file.toString()); // the name of a file there is in both
      for (Access access : Access.values()) {
        assertRefusedByProvider(path, () -> engine.open(path, access));
      }
    }
  }

  @Test
  void noRingIsLeftOfAFileThatWasRefused() throws IOException {
    EngineUnderTest.RING.assumeItRuns();
    Path archive = folder.resolve("archive.zip");
    try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
      Path path = zip.getPath("file");
      long before = rings();
      for (int i = 0; i < 8; i++) {
        assertRefusedByProvider(path, () -> EngineUnderTest.RING.open(path, Access.READ));
      }
      long after = rings();
      assertTrue(after <= before, () -> after + " rings, before " + before);
    }
  }

  /** Returns how many rings this process has. */
  private static long rings() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.filter(UnsuitablePathTest::isRing).count();
    }
  }

  private static boolean isRing(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().equals("anon_inode:[io_uring]");
    } catch (IOException closedMeanwhile) {
      return false;
    }
  }

  private static void assertRefusedByProvider(Path path, Executable use) {
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, use);
    assertTrue(refused.getMessage().contains("path is " + path), refused.getMessage());
    assertTrue(refused.getMessage().contains("file system 'jar'"), refused.getMessage());
  }
}
