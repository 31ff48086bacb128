// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.TestSize;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Damage to a store is survived, or said. */
final class DamagedImagesTest {
  private static final int COPIES_OF_A_RUN = 10;

  @TempDir(factory = MemoryFolder.class)
  private Path folder;

  static List<CrashKind> kinds() {
    return TestSize.part(CrashKind.all());
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void damageIsSurvivedOrSaid(CrashKind kind) {
    for (int run = 0; run < TestSize.of(1, 8); run++) {
      long seed = 1_000 * TestSize.seed() + run;
      assertEquals("", new DamagedImages(kind, seed, folder).run(COPIES_OF_A_RUN));
    }
  }
}
