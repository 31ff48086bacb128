// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MemoryTimesFileTest {
  private static final MemoryTimes TIMES = new MemoryTimes(311.25, 17.5);

  @TempDir private Path folder;

  @Test
  void writtenTimesAreReadBack() throws IOException {
    MemoryTimesFile file = new MemoryTimesFile(folder.resolve("new/folder"), "processor: a\\b=ü");
    assertEquals(file.path(), file.write(TIMES));
    assertEquals(Optional.of(TIMES), file.read());
    assertEquals(List.of(file.path()), filesIn(file.folder()));
  }

  @Test
  void secondWriteReplacesTheFirst() throws IOException {
    MemoryTimesFile file = new MemoryTimesFile(folder, "processor");
    file.write(new MemoryTimes(1, 1));
    file.write(TIMES);
    assertEquals(Optional.of(TIMES), file.read());
    assertEquals(List.of(file.path()), filesIn(folder));
  }

  @Test
  void absentFileHoldsNothing() {
    assertEquals(Optional.empty(), new MemoryTimesFile(folder, "processor").read());
  }

  @Test
  void machinesThatShareAFolderKeepFilesOfTheirOwn() throws IOException {
    MemoryTimesFile first = new MemoryTimesFile(folder, "processor in first");
    MemoryTimesFile second = new MemoryTimesFile(folder, "processor in second");
    first.write(TIMES);
    assertNotEquals(first.path(), second.path());
    assertEquals(Optional.empty(), second.read());
  }

  @Test
  void fileOfAnotherMachineHoldsNothing() throws IOException {
    MemoryTimesFile first = new MemoryTimesFile(folder, "processor in first");
    MemoryTimesFile second = new MemoryTimesFile(folder, "processor in second");
    Files.move(first.write(TIMES), second.path());
    assertEquals(Optional.empty(), second.read());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "t1.nanos=230\ntnext.nanos=8",
        "machine=processor\nt1.nanos=230",
        "machine=processor\nt1.nanos=230\ntnext.nanos=",
        "machine=processor\nt1.nanos=fast\ntnext.nanos=8",
        "machine=processor\nt1.nanos=-230\ntnext.nanos=8",
        "machine=processor\nt1.nanos=NaN\ntnext.nanos=8",
        "machine=processor\nt1.nanos=230\ntnext.nanos=\\u00zz",
        "machine=processor\nt1.nanos=230\ntnext.nanos=8\nnot UTF-8: \u00ff"
      })
  void damagedFileHoldsNothing(String text) throws IOException {
    MemoryTimesFile file = new MemoryTimesFile(folder, "processor");
    Files.writeString(file.path(), text, StandardCharsets.ISO_8859_1);
    assertEquals(Optional.empty(), file.read());
  }

  @Test
  void folderInPlaceOfTheFileHoldsNothingAndIsNotReplaced() throws IOException {
    MemoryTimesFile file = new MemoryTimesFile(folder, "processor");
    Path inside = Files.createFile(Files.createDirectory(file.path()).resolve("inside"));
    assertEquals(Optional.empty(), file.read());
    assertThrows(IOException.class, () -> file.write(TIMES));
    assertEquals(List.of(file.path()), filesIn(folder));
    assertEquals(List.of(inside), filesIn(file.path()));
  }

  @Test
  void writingBelowAFileIsRefused() throws IOException {
    Path notAFolder = Files.createFile(folder.resolve("file"));
    MemoryTimesFile file = new MemoryTimesFile(notAFolder, "processor");
    assertThrows(IOException.class, () -> file.write(TIMES));
    assertEquals(Optional.empty(), file.read());
  }

  @Test
  void namedFolderComesBeforeThoseOfTheUser() {
    assertEquals(Optional.of(Path.of("here")), CacheFile.folder("here", "/caches", "/home/user"));
    assertEquals(
        Optional.of(Path.of("/caches/espalier")), CacheFile.folder("", "/caches", "/home/user"));
    assertEquals(
        Optional.of(Path.of("/home/user/.cache/espalier")),
        CacheFile.folder(null, null, "/home/user"));
  }

  @Test
  void foldersThatAreNotAbsoluteAreNotTheUsers() {
    assertEquals(
        Optional.of(Path.of("/home/user/.cache/espalier")),
        CacheFile.folder(null, "caches", "/home/user"));
    assertEquals(Optional.empty(), CacheFile.folder(null, "", "?"));
    assertEquals(Optional.empty(), CacheFile.folder(null, null, null));
    assertEquals(Optional.empty(), CacheFile.folder("\0", "/caches", "/home/user"));
  }

  private static List<Path> filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }
}
