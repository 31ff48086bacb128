// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.io.PageFiles;
import dev.espalier.node.Keys;
import dev.espalier.prefetch.Prefetch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DoctorCommandTest {

  private static final String CACHE = "espalier.cache";

  @TempDir private Path folder;

  @AfterEach
  void useTheUsersCacheAgain() {
    System.clearProperty(CACHE);
  }

  @Test
  void reportsEveryPartOfTheMachine() {
    System.setProperty(CACHE, folder.toString());
    CommandRun run = CommandRun.of("doctor");
    assertEquals(0, run.status(), run.err());
    assertEquals("", run.err());
    List<String> names = run.out().lines().map(line -> line.substring(0, 15).strip()).toList();
    assertEquals(
        List.of(
            "JDK",
            "Machine",
            "Prefetch",
            "Virtual memory",
            "I/O",
            "SIMD",
            "Huge pages",
            "Caches",
            "T1",
            "Tnext",
            "Saved"),
        names);
    assertTrue(line(run, "JDK").contains(Runtime.version().toString()));
    assertTrue(line(run, "Prefetch").startsWith(Prefetch.isNative() ? "on: " : "off: "));
    assertEquals(PageFiles.status().toString(), line(run, "I/O"));
    assertTrue(line(run, "SIMD").startsWith(Keys.SIMD ? "on, " : "off: "));
    assertTrue(line(run, "T1").matches("\\d+\\.\\d ns"));
    assertTrue(line(run, "Tnext").matches("\\d+\\.\\d ns"));
    String saved = line(run, "Saved");
    assertTrue(saved.startsWith("T1 and Tnext, in " + folder), saved);
    assertTrue(Files.exists(Path.of(saved.substring("T1 and Tnext, in ".length()))), saved);
  }

  @Test
  void folderThatCannotBeWrittenIsExplained() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    System.setProperty(CACHE, file.toString());
    CommandRun run = CommandRun.of("doctor");
    assertEquals(0, run.status(), run.err());
    String saved = line(run, "Saved");
    assertTrue(saved.startsWith("not, so other programs go on without them: "), saved);
    assertTrue(saved.contains(file.toString()), saved);
  }

  private static String line(CommandRun run, String name) {
    return run.out()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .findFirst()
        .orElseThrow()
        .substring(16);
  }
}
