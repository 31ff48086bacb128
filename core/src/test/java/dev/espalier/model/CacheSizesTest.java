// SPDX-License-Identifier: Apache-2.0
package dev.espalier.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CacheSizesTest {

  @Test
  void readsWhatLinuxDescribes(@TempDir Path folder) throws IOException {
    describe(folder.resolve("index3"), "3", "Unified", "32768K");
    describe(folder.resolve("index0"), "1", "Data", "48K");
    describe(folder.resolve("index1"), "1", "Instruction", "32768");
    Files.writeString(folder.resolve("uevent"), "");

    CacheSizes sizes = CacheSizes.read(folder);
    assertEquals("L1d 48 KiB, L1i 32 KiB, L3 32 MiB; lines of 64 bytes", sizes.toString());
    assertEquals(32L << 20, sizes.lastLevelBytes());
  }

  @Test
  void saysUnknownWhereNothingIsDescribed(@TempDir Path folder) {
    CacheSizes sizes = CacheSizes.read(folder.resolve("missing"));
    assertEquals("unknown", sizes.toString());
    assertEquals(0, sizes.lastLevelBytes());
  }

  private static void describe(Path folder, String level, String type, String size)
      throws IOException {
    Files.createDirectory(folder);
    Files.writeString(folder.resolve("level"), level + "\n");
    Files.writeString(folder.resolve("type"), type + "\n");
    Files.writeString(folder.resolve("size"), size + "\n");
    Files.writeString(folder.resolve("coherency_line_size"), "64\n");
  }
}
