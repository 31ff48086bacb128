// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command that compares indexes with maps. */
final class SoakCommandTest {
  @TempDir private Path folder;

  @Test
  void oneRunSaysWhatWasDoneAndLeavesNothing() throws IOException {
    CommandRun run =
        CommandRun.of(
            "soak",
            folder.toString(),
            "--shape",
            "DiskFirstFpbPlusTree 1024 1 1 file",
            "--entries",
            "300",
            "--seed",
            "7");
    assertEquals("", run.err());
    assertEquals(0, run.status());
    assertTrue(
        run.out()
            .matches(
                "[0-9,]+ operations, [0-9,]+ of them keys of batches, 0 images of crashes, 0"
                    + " damaged copies, 0 stores with lying pages \\(seed 7\\): nothing is"
                    + " wrong\n"),
        run.out());
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  @Tag("thorough")
  void crashesOfOneRunAreCounted() {
    CommandRun run =
        CommandRun.of(
            "soak", folder.toString(), "--crash-images", "prefixbplustree", "--seed", "7");
    assertEquals("", run.err());
    assertEquals(
        "0 operations, 0 of them keys of batches, 50 images of crashes, 0 damaged copies, 0 stores"
            + " with lying pages (seed 7): nothing is wrong\n",
        run.out());
  }

  @Test
  @Tag("thorough")
  void damagedCopiesOfOneRunAreCounted() {
    CommandRun run =
        CommandRun.of("soak", folder.toString(), "--damaged-images", "BLinkTree", "--seed", "7");
    assertEquals("", run.err());
    assertEquals(
        "0 operations, 0 of them keys of batches, 0 images of crashes, 20 damaged copies, 0 stores"
            + " with lying pages (seed 7): nothing is wrong\n",
        run.out());
  }

  @Test
  @Tag("thorough")
  void storesWithLyingPagesOfOneRunAreCounted() {
    CommandRun run =
        CommandRun.of(
            "soak", folder.toString(), "--lying-pages", "bftltree 256 1 1 file", "--seed", "7");
    assertEquals("", run.err());
    assertEquals(
        "0 operations, 0 of them keys of batches, 0 images of crashes, 0 damaged copies, 10 stores"
            + " with lying pages (seed 7): nothing is wrong\n",
        run.out());
  }

  @Test
  void aFolderThatIsNotThereIsSaidSo() {
    CommandRun run = CommandRun.of("soak", folder.resolve("none").toString());
    assertEquals(1, run.status());
    assertEquals("espalier soak: " + folder.resolve("none") + ": no such folder\n", run.err());
  }
}
